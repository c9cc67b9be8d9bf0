//go:build js && wasm

package main

import (
	"iter"
	"math/rand/v2"
	"strconv"
	"syscall/js"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/agui/sse"
	"aguiwasm/state"
	"aguiwasm/state/rejoin"
	"aguiwasm/wasm/batch"
	"aguiwasm/wasm/session"
)

// webLegs are a run's connections: [rejoin.Legs] judges, JavaScript (web/js/core/line.js) has the timers and the page's
// events.
type webLegs struct {
	*rejoin.Legs
	r       *webRun
	told    connection
	some    bool // something was
	asked   bool // where the run stands is to be told when the event at hand is applied
	looking bool // the first leg's body must show whether it is an event stream
	start   []byte
	read    func([]byte) iter.Seq[[]byte] // of a leg in another encoding than that of event streams
	lastID  string                        // as [sse.Event] has it
	status  int                           // of the last refusal
	payload string                        // its body, as the failure has it
}

// connection is what JavaScript is told of a line.
type connection struct {
	state   rejoin.State
	attempt int
	nextAt  float64
	reason  string
	code    agui.Code
	offline bool
	waits   bool
	pace    int
}

func nowMS() float64 { return js.Global().Get("performance").Call("now").Float() }

// newLegs makes the legs of a run.
func newLegs(r *webRun, d *rejoin.Dialect, cfg session.Config, s *session.Start, body string) *webLegs {
	l := &webLegs{r: r}
	live := cfg.Store
	var apply func(string)
	if live == nil { // a raw run: what is handed out is applied here alone
		live = state.New(nil, "")
		pipe := agui.NewPipeline(agui.Options{ThreadID: cfg.ThreadID, RunID: cfg.RunID, Known: live, NewID: newID,
			Emit: func(e agui.Event) bool {
				live.Apply(e, nil, nil)
				return true
			}})
		apply = func(data string) { _ = pipe.Push(data) }
	}
	o := rejoin.Options{
		Dialect: d, ThreadID: cfg.ThreadID, RunID: cfg.RunID, Strict: cfg.Strict, Live: live, NewID: newID,
		Join: s.Join, At: rejoin.ReadPoint(s.At), MaxEventBytes: cfg.MaxEventBytes,
		Emit: func(out rejoin.Out) {
			l.some = true
			r.session.Quiet(out.History)
			if out.ID != "" {
				l.lastID = out.ID
			}
			r.session.Place(sse.Event{Name: out.Event, Data: out.Data, LastEventID: l.lastID})
			if apply != nil {
				apply(out.Data)
			}
		},
		Warn: r.session.Warn,
	}
	if cfg.Mode == session.Stepped {
		o.Ready = func() bool { return !r.session.Asking() }
	}
	if o.MaxEventBytes <= 0 {
		o.MaxEventBytes = session.DefaultMaxEventBytes
	}
	l.Legs = rejoin.NewLegs(o, rejoin.Context{URL: r.url, AgentID: s.AgentID, Body: body})
	return l
}

// first gives the request that begins the run: the POST, or a join's.
func (l *webLegs) first() rejoin.Request {
	if !l.Later() {
		body, headers := l.Legs.First(nowMS())
		l.tell()
		return rejoin.Request{Method: "POST", URL: l.r.url, Body: body, Headers: headers}
	}
	q, ok := l.Next(nowMS())
	if ok {
		l.tell()
	}
	return q
}

// push takes bytes of the leg that is open.
func (l *webLegs) push(chunk []byte) session.Flags {
	if l.looking {
		l.start = append(l.start, chunk...)
		switch is := sse.Sniff(l.start); {
		case is == sse.Undecided && len(l.start) < session.MaxErrorBody:
			return l.r.session.Flush()
		case is != sse.IsStream:
			l.r.legs = nil // nothing to come back to
			l.r.session.Look()
			return l.r.session.Push(l.start)
		}
		chunk, l.start, l.looking = l.start, nil, false
	}
	if l.read == nil {
		return l.after(l.Take(nowMS(), chunk, rand.Float64()))
	}
	now := nowMS()
	for frame := range l.read(chunk) {
		if act := l.Take(now, frame, rand.Float64()); act != rejoin.Go {
			return l.after(act)
		}
	}
	return l.after(rejoin.Go)
}

// end says that the leg's body ended well.
func (l *webLegs) end() session.Flags {
	if l.looking {
		l.r.legs = nil
		l.r.session.Look()
		l.r.session.Push(l.start)
		return l.r.session.End()
	}
	return l.after(l.Over(nowMS(), true, "", rand.Float64()))
}

// over gives the open leg up.
func (l *webLegs) over(reason string) session.Flags {
	flags := l.after(l.Over(nowMS(), false, reason, rand.Float64()))
	return flags
}

// after does what follows.
func (l *webLegs) after(act rejoin.Act) session.Flags {
	s := l.r.session
	if !l.Opens() || act == rejoin.End || act == rejoin.GiveUp {
		s.Quiet(false) // else more of the past follows: what runs in a thread that was loaded
	}
	switch act {
	case rejoin.End:
		l.idle()
		if !l.some {
			return s.Finish()
		}
		return s.End()
	case rejoin.GiveUp:
		l.tell()
		s.Flush()
		return s.Fail(l.failure())
	}
	l.tell()
	flags := s.Flush()
	if !l.Lingers() {
		flags &^= session.Terminal
	}
	if flags&session.Over != 0 && l.Line.State != rejoin.Idle {
		l.idle()
	}
	return flags
}

// close ends the run: its terminal event has come, and nothing behind it.
func (l *webLegs) close() session.Flags {
	l.idle()
	return l.r.session.Close()
}

// comesBack reports whether another leg can read on.
func (l *webLegs) comesBack() bool { return l.Later() || l.some }

// step goes on after a verdict.
func (l *webLegs) step(apply bool) session.Flags {
	l.r.session.Step(apply)
	if l.asked && !l.r.session.Asking() {
		l.asked = false
		host.Call("lineStands", l.r.id, l.Point(l.r.session.Open()))
	}
	l.Continue()
	return l.after(rejoin.Go)
}

// idle says that the run ends as it does without legs.
func (l *webLegs) idle() {
	l.Line.State = rejoin.Idle
	l.tell()
}

// answered reports whether a connection that breaks is one of the line's: not the run's own POST that got no answer.
func (l *webLegs) answered() bool {
	return l.Later() || l.Line.State != rejoin.Connecting || l.r.answer.Status != 0
}

// refused deals with an answer to a further request that is no event stream.
func (l *webLegs) refused(answer session.Response, body string) session.Flags {
	after := -1.0
	if answer.HasRetryAfter {
		after = answer.RetryAfter * 1000
	}
	l.status = answer.Status
	if f := session.Refuse(answer, body); f.Payload != "" {
		l.payload = f.Payload
	}
	return onRun(l.r.id,
		func(*webRun) session.Flags { return l.after(l.Refused(nowMS(), answer.Status, after, rand.Float64())) })
}

// failure says why the line is lost.
func (l *webLegs) failure() *batch.Failure {
	f := &batch.Failure{Code: l.Line.Code, URL: l.r.url, Status: l.status, Payload: l.payload}
	switch f.Code {
	case rejoin.CodeRefused:
		f.Message = "the server did not go on with the run: it began something else. What came before is kept"
	case rejoin.CodeGone:
		f.Message = "the server does not have the run any more. What came before is kept"
	case rejoin.CodeNoProgress:
		f.Message = "the connection broke, and connecting again brought nothing new for a minute"
	case rejoin.CodeNotResumable:
		f.Message = "the connection broke, and nothing that the server sent says how to read the rest of the run"
	case rejoin.CodeBusy:
		f.Message = "the server works on another run of this thread"
	case agui.CodeEventTooLarge:
		f.Message = "an event is larger than maxEventBytes allows"
	default:
		f.Message = "the connection broke, and the server refused to go on with the run"
		if l.status != 0 {
			f.Message += ": status " + strconv.Itoa(l.status)
		}
	}
	return f
}

// tell tells JavaScript how the line stands, where that is new.
func (l *webLegs) tell() {
	line := &l.Line
	c := connection{line.State, line.Attempt, 0, line.Reason, line.Code, line.Offline, l.Waits(), l.Pace()}
	if c.waits {
		c.nextAt = line.NextAt
	}
	if c == l.told {
		return
	}
	l.told = c
	text := []byte(`{"state":"` + string(c.state) + `","attempt":` + strconv.Itoa(c.attempt) + `,"pace":` +
		strconv.Itoa(c.pace))
	if c.waits && !c.offline {
		text = append(text, `,"wait":`...)
		text = strconv.AppendFloat(text, max(0, c.nextAt-nowMS()), 'f', 1, 64)
	} else if c.waits {
		text = append(text, `,"wait":null`...)
	}
	if c.reason != "" {
		text = rawjson.AppendQuote(append(text, `,"reason":`...), c.reason)
	}
	if c.code != "" {
		text = rawjson.AppendQuote(append(text, `,"code":`...), string(c.code))
	}
	if c.offline {
		text = append(text, `,"offline":true`...)
	}
	host.Call("lineStands", l.r.id, string(append(text, '}')))
}

// leg begins another connection of a run: leg(run, headers), the headers as JSON. It gives the request as start does,
// flags where the line is lost, or null.
func leg(args []js.Value) (request any) {
	id := int32(args[0].Int())
	r := runs[id]
	if r == nil || r.legs == nil || !r.legs.Waits() {
		return nil
	}
	flags := onRun(id, func(*webRun) session.Flags {
		l := r.legs
		l.read = nil
		of, ok := l.Next(nowMS())
		if !ok {
			return l.after(rejoin.GiveUp)
		}
		q := session.Request{Headers: session.ReadHeaders(args[1].String())}
		request = string(r.ask(&q, of))
		if f := q.Fault(); f != nil {
			request = nil
			return r.session.Fail(f)
		}
		l.tell()
		return 0
	})
	if request == nil {
		return int(flags)
	}
	return request
}

// line takes what happened in the page: line(run, what), and gives flags. "stop" gives the request that stops the run
// on the server, as JSON.
func line(args []js.Value) any {
	id, what := int32(args[0].Int()), text(args[1])
	r := runs[id]
	if r == nil || r.legs == nil {
		return nil
	}
	l := r.legs
	switch what {
	case "at":
		if l.asked = r.session.Asking(); l.asked {
			return nil
		}
		return l.Point(r.session.Open())
	case "body":
		return l.Body()
	case "stop":
		q, ok := l.StopRequest()
		if !ok {
			return nil
		}
		text := rawjson.AppendQuote([]byte(`{"url":`), q.URL)
		return string(append(rawjson.AppendQuote(append(text, `,"body":`...), q.Body), '}'))
	}
	return int(onRun(id, func(*webRun) session.Flags {
		now, stale := nowMS(), false
		switch what {
		case "tick":
			stale = l.Tick(now)
		case "online":
			l.Line.Online(now)
		case "offline":
			l.Line.Offline = true
		case "hidden":
			l.Line.Hidden = true
		case "visible":
			_, stale = l.Line.Visible(now)
		case "restored": // out of the back/forward cache: the reader is dead
			l.Line.Visible(now)
			stale = true
		}
		if stale {
			return l.over("watchdog")
		}
		return l.after(rejoin.Go)
	}))
}

// dialectOf gives the dialect that the option reconnect names, or an adapter of the page's own; nil is none.
func dialectOf(run int32, s *session.Start) *rejoin.Dialect {
	if s.Adapter != "" {
		return adapter(run, s.Adapter)
	}
	d, _ := rejoin.Named(s.Reconnect)
	return d
}
