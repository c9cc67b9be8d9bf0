package rejoin

import "aguiwasm/agui"

// State is how a connection stands.
type State string

// The states.
const (
	// Idle: nothing is read.
	Idle State = "idle"
	// Connecting: the first request is under way.
	Connecting State = "connecting"
	// Connected: a leg is being read.
	Connected State = "connected"
	// Reconnecting: a leg has ended too early, and another one comes at Line.NextAt or is under way.
	Reconnecting State = "reconnecting"
	// Lost: there is no use in another leg; Line.Code says why.
	Lost State = "lost"
)

// The numbers of [Line], in ms.
const (
	firstWait  = 250
	longest    = 10_000
	ceiling    = 8
	leastTime  = 60_000
	heldLong   = 10_000
	watchLeast = 6_000
	watchMost  = 30_000
	staleAfter = 10_000
)

// Line says when a run's next leg may begin, and when there is no use in one. Times are in ms on one clock that does
// not stop. The zero value is a line that is idle, online and visible.
type Line struct {
	State State
	// Attempt counts the legs since the last progress that brought nothing.
	Attempt int
	// NextAt is when the next leg begins; it holds in Reconnecting while neither Offline nor paused.
	NextAt float64
	// Reason says why the line is being reconnected ("network", "incomplete_stream", "http_status", "watchdog"), Code
	// why it is lost.
	Reason string
	Code   agui.Code
	// Offline and Hidden are the page's.
	Offline, Hidden bool

	began, lastByte float64 // of this leg
	bytes           bool
	newEvents       bool
	fresh           bool    // a wait of 0 is due: progress was made
	counted         float64 // time online and visible since the last progress
	at              float64
	refreshed       bool // the headers were asked anew after a 401
	beats           [3]float64
	nbeats          int
}

// Begin says that a request is sent.
func (l *Line) Begin(now float64) {
	l.tick(now)
	if l.State != Reconnecting {
		l.State, l.fresh = Connecting, true
	}
	l.began, l.lastByte, l.bytes, l.newEvents = now, now, false, false
	l.nbeats = 0
}

// Byte says that bytes came. comment says that they were comments alone: a heartbeat.
func (l *Line) Byte(now float64, comment bool) {
	l.tick(now)
	l.lastByte, l.bytes = now, true
	if comment {
		if l.nbeats < len(l.beats) {
			l.beats[l.nbeats] = now
			l.nbeats++
		} else {
			l.beats = [3]float64{l.beats[1], l.beats[2], now}
		}
	}
	if l.State == Connecting {
		l.State = Connected
	}
	if l.State == Reconnecting && now-l.began >= heldLong {
		l.progress()
	}
}

// New says that an event was handed out that was not handed out before.
func (l *Line) New(now float64) {
	l.tick(now)
	l.newEvents = true
	l.progress()
}

func (l *Line) progress() {
	l.State, l.Attempt, l.counted, l.fresh, l.Reason, l.refreshed = Connected, 0, 0, true, "", false
}

// tick adds the time that counts.
func (l *Line) tick(now float64) {
	if l.at != 0 && l.State == Reconnecting && !l.Offline && !l.Hidden && now > l.at {
		l.counted += now - l.at
	}
	l.at = now
}

// Cut says that the leg is gone and the rest is to be read. floor is the server's (retry: or Retry-After) in ms, or -1;
// random is in [0, 1). What follows is Reconnecting with NextAt, or Lost with a code.
func (l *Line) Cut(now float64, reason string, floor float64, random float64) {
	l.tick(now)
	if l.bytes && now-l.began >= heldLong && !l.newEvents {
		l.progress() // a leg that was held for long is a good one, even where the agent only thinks
	}
	l.State, l.Reason = Reconnecting, reason
	if !l.fresh && !l.Hidden && !l.Offline {
		l.Attempt++
	}
	if l.Attempt >= ceiling && l.counted >= leastTime {
		l.Lose(CodeNoProgress)
		return
	}
	wait := 0.0
	if !l.fresh {
		most := float64(firstWait)
		for i := 1; i < l.Attempt && most < longest; i++ {
			most *= 2
		}
		wait = min(most, longest) * random
		if l.Attempt >= ceiling {
			wait = longest // the attempts are used up, the time is not
		}
	}
	l.fresh = false
	l.NextAt = now + max(wait, floor, 0)
}

// Refused judges the status of a request for a leg: again, or lost. A 401 may be tried once more, for the headers are
// asked anew.
func (l *Line) Refused(status int) (again bool, code agui.Code) {
	switch {
	case status == 401 && !l.refreshed:
		l.refreshed = true
		return true, ""
	case status == 408, status == 425, status == 429, status >= 500 && status != 501:
		return true, ""
	case status == 404, status == 410, status == 422:
		return false, CodeGone
	case status == 409:
		return false, CodeBusy
	}
	return false, agui.CodeHTTPStatus
}

// Lose says that there is no use in another leg.
func (l *Line) Lose(code agui.Code) { l.State, l.Code = Lost, code }

// Online and Visible say that the page is back: the next leg begins at once. They report whether a wait was cut short.
func (l *Line) Online(now float64) bool {
	l.tick(now)
	l.Offline = false
	return l.soon(now)
}

// Visible says that the page is seen again. leg reports that a leg which looks open is to be given up: it was silent
// too long.
func (l *Line) Visible(now float64) (soon, leg bool) {
	l.tick(now)
	l.Hidden = false
	if l.State == Reconnecting && l.NextAt > 0 {
		return l.soon(now), false
	}
	return false, l.State == Connected && now-l.lastByte >= l.stale()
}

func (l *Line) soon(now float64) bool {
	if l.State != Reconnecting || l.NextAt <= now {
		return false
	}
	l.NextAt = now
	return true
}

func (l *Line) beat() float64 {
	if l.nbeats < 3 {
		return 0
	}
	return max(l.beats[1]-l.beats[0], l.beats[2]-l.beats[1])
}

func (l *Line) stale() float64 {
	if b := l.beat(); b > 0 {
		return 2 * b
	}
	return staleAfter
}

// Watch gives when a leg that stays silent is to be given up: three times the pace of its heartbeats, 6 to 30 s, but
// never less than twice the pace, for slow heartbeats are no silence; 0 is never, because no pace is known.
func (l *Line) Watch() float64 {
	b := l.beat()
	if b <= 0 || l.State == Lost || l.State == Idle {
		return 0
	}
	return l.lastByte + max(min(3*b, watchMost), watchLeast, 2*b)
}
