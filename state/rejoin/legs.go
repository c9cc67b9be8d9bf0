package rejoin

import (
	"strings"

	"aguiwasm/agui"
)

// Act says what follows from what happened to a leg.
type Act int

// The acts.
const (
	// Go on: the leg is being read, or the wait goes on.
	Go Act = iota
	// Wait: the leg is over, and [Line.NextAt] says when [Legs.Next] gives the request of another.
	Wait
	// End: the run has ended, and so does its pipeline, as if the body had ended well.
	End
	// Give up: [Line.Code] says why no further leg makes sense.
	GiveUp
)

// pause is how long no byte has come until what a replay told so far stands, in ms.
const pause = 50

// Legs is one run with its line: it says what each thing that happens to a connection means for the run. It sends
// nothing, reads no clock and sets no timer: times are in ms on one clock that does not stop, random is in [0, 1).
type Legs struct {
	Line Line
	*Run
	c    Context
	open bool // a leg is being read
	// joins is the body of a request that joins, while the run goes on from a cursor with the body of its own.
	joins string
	// Of a thread that comes as one JSON object.
	loading, loaded bool
	doc             []byte
}

// NewLegs makes a run that has not begun. c is what its requests are made of; c.Body is the body as the run made it.
func NewLegs(o Options, c Context) *Legs {
	c.ThreadID, c.RunID = o.ThreadID, o.RunID
	l := &Legs{Run: NewRun(o), c: c, joins: c.Body}
	if o.Join {
		l.c.Why = Join
		if o.At.Cursor != "" && o.Dialect.Shape == ByCursor {
			l.c.Why, l.c.Body = Reload, o.At.Body
		}
	}
	return l
}

// First begins the leg of the POST that starts the run, and gives its body and the headers beside the run's own.
func (l *Legs) First(now float64) (body string, headers [][2]string) {
	body = l.c.Body
	if f := l.o.Dialect.First; f != nil {
		body, headers = f(l.c)
	}
	l.begin(now, l.o.Dialect.Shape)
	return body, headers
}

// Next begins another leg and gives its request. Where the dialect has none the line is lost.
func (l *Legs) Next(now float64) (Request, bool) {
	c := l.c
	if l.delivered != nil && !l.joining {
		c.Why = Cut
	}
	if c.Why == Reload {
		l.cursor = l.o.At.Cursor
	}
	var q Request
	var code agui.Code
	l.loading, l.doc = false, nil
	if load := l.o.Dialect.Load; c.Why == Join && load != nil && !l.loaded {
		c.RunID, c.ThreadID = l.runID, l.threadID
		q, _ = load(c)
		l.loading = l.o.Dialect.LoadsJSON && q.URL != ""
	} else {
		q, code = l.Attach(c)
	}
	if q.URL == "" {
		if code == "" {
			code = CodeNotResumable
		}
		l.Line.Lose(code)
		return q, false
	}
	l.begin(now, q.Shape)
	return q, true
}

// StopRequest gives the request that stops the run on the server.
func (l *Legs) StopRequest() (Request, bool) {
	if l.o.Dialect.Stop == nil {
		return Request{}, false
	}
	c := l.c
	c.RunID, c.ThreadID = l.runID, l.threadID
	return l.o.Dialect.Stop(c)
}

func (l *Legs) begin(now float64, shape Shape) {
	l.open = true
	l.Begin(shape)
	l.Line.Begin(now)
}

// Take takes bytes of the leg.
func (l *Legs) Take(now float64, chunk []byte, random float64) Act {
	if !l.open {
		return Go
	}
	before := l.progress
	l.Line.Byte(now, len(chunk) > 0 && chunk[0] == ':')
	if l.loading {
		if l.doc = append(l.doc, chunk...); l.o.MaxEventBytes > 0 && len(l.doc) > l.o.MaxEventBytes {
			l.code = agui.CodeEventTooLarge
			return l.Over(now, false, "", random)
		}
		return Go
	}
	ok := l.Write(chunk)
	if l.progress > before || l.joining {
		l.Line.New(now)
	}
	if !ok {
		return l.Over(now, false, "", random)
	}
	return Go
}

// Over says that the leg is over: its body ended well (clean), or it broke; reason names what for [Line.Reason].
func (l *Legs) Over(now float64, clean bool, reason string, random float64) Act {
	if !l.open {
		return Go
	}
	l.open = false
	before := l.progress
	if l.loading && clean {
		if act, done := l.load(now); done {
			return act
		}
	}
	v := l.Run.End(clean)
	if l.progress > before {
		l.Line.New(now)
	}
	switch {
	case v.Ended:
		return End
	case v.Again:
		if reason == "" {
			reason = string(agui.CodeIncompleteStream)
		}
		return l.cut(now, reason, float64(v.Retry), random)
	}
	if v.Code == CodeGone && l.loadsInstead() {
		return l.cut(now, string(agui.CodeIncompleteStream), -1, 0)
	}
	l.Line.Lose(v.Code)
	return GiveUp
}

// loadsInstead turns a run that was picked up and is gone into a thread to load, where the server can tell of it.
func (l *Legs) loadsInstead() bool {
	if l.c.Why != Reload || l.o.Dialect.Load == nil {
		return false
	}
	l.c.Why, l.c.Body = Join, l.joins
	l.giveUp()
	l.Line.New(l.Line.at)
	return true
}

func (l *Legs) cut(now float64, reason string, floor, random float64) Act {
	l.Line.Cut(now, reason, floor, random)
	if l.Line.State == Lost {
		return GiveUp
	}
	return Wait
}

// load hands out a thread that came as one JSON object. What runs there is read by a leg of its own, at once.
func (l *Legs) load(now float64) (act Act, done bool) {
	events, runID, ok := loaded(string(l.doc), l.threadID)
	if !ok {
		l.Line.Lose(agui.CodeBadContentType)
		return GiveUp, true
	}
	l.loaded = true
	for _, e := range events {
		l.frame(frame{data: e, hasData: true})
	}
	if l.Quiet(); runID == "" {
		return End, true
	}
	l.runID, l.joining, l.told = runID, true, false
	l.base = string(l.o.Live.AppendState(nil))
	l.Line.New(now)
	l.Line.Cut(now, "", -1, 0)
	return Wait, true
}

// Loads reports whether the leg's answer is one JSON object.
func (l *Legs) Loads() bool { return l.loading }

// Refused says that a request for a further leg was answered with a status that carries no stream; retryAfter is in ms,
// -1 is none.
func (l *Legs) Refused(now float64, status int, retryAfter, random float64) Act {
	if !l.open {
		return Go
	}
	l.open = false
	l.Run.End(false)
	if status == 204 || status == 205 { // nothing runs
		if l.loadsInstead() {
			return l.cut(now, "", -1, 0)
		}
		if l.o.Join && !l.active {
			return End
		}
		l.Line.Lose(CodeGone)
		return GiveUp
	}
	if status < 300 { // something else than a stream
		l.Line.Lose(CodeRefused)
		return GiveUp
	}
	again, code := l.Line.Refused(status)
	if !again && code == CodeGone && l.c.Why == Join && !l.active {
		return End // the server has no such thread
	}
	if !again && code == CodeGone && l.loadsInstead() {
		return l.cut(now, string(agui.CodeHTTPStatus), -1, 0)
	}
	if !again {
		l.Line.Lose(code)
		return GiveUp
	}
	return l.cut(now, string(agui.CodeHTTPStatus), retryAfter, random)
}

// Answered says which URL the run's POST was answered from: where redirects led within the origin, further legs go too.
func (l *Legs) Answered(url string) {
	if url != "" && origin(url) == origin(l.c.URL) {
		l.c.URL = url
	}
}

// origin gives an absolute URL's scheme and authority.
func origin(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return strings.ToLower(scheme + "://" + rest)
}

// Later reports whether the run is on a further leg than the one of its POST, or reads without one.
func (l *Legs) Later() bool { return l.leg > 1 || l.o.Join }

// Waits reports whether no leg is open, and one is to come.
func (l *Legs) Waits() bool { return !l.open && l.Line.State == Reconnecting }

// Opens reports whether what a join tells is still being gathered.
func (l *Legs) Opens() bool { return l.joining }

// Lingers reports whether a terminal event has come that ends the response one second later.
func (l *Legs) Lingers() bool { return l.ended }

// Tick looks at the clock: what a replay has told stands after a pause, and a silent leg is given up (stale).
func (l *Legs) Tick(now float64) (stale bool) {
	if !l.open {
		return false
	}
	if l.Line.bytes && now-l.Line.lastByte >= pause {
		l.Quiet()
	}
	l.Line.tick(now)
	at := l.Line.Watch()
	return at > 0 && now >= at && !l.Line.Hidden
}

// Pace gives in how many ms to look at the clock again.
func (l *Legs) Pace() int {
	if l.open && (l.joining || l.differs) {
		return pause
	}
	return 2000
}
