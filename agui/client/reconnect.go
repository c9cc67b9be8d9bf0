package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	random "math/rand/v2"
	"strconv"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/sse"
	"aguiwasm/state/rejoin"
)

// quiet is how long a leg says nothing until what a replay brought so far is taken as all that there was.
const quiet = 300 * time.Millisecond

// legs is one run over all its connections. Package rejoin places what comes and says when to try again; here is the clock, the
// network and the conversation.
type legs struct {
	c        *Conversation
	dialect  *rejoin.Dialect
	context  rejoin.Context
	run      *rejoin.Run
	line     rejoin.Line
	pipeline *agui.Pipeline
	ready    []agui.Event // applied, not yet handed out
	warnings []agui.Warning
	fault    error // of the pipeline
	begun    time.Time
	limit    int // bytes of an event
	// connected says that a response has begun: the server has the run.
	connected bool
}

func newLegs(c *Conversation, d *rejoin.Dialect, in *agui.Input, body []byte) *legs {
	l := &legs{c: c, dialect: d, begun: time.Now()}
	l.context = rejoin.Context{URL: c.client.URL, ThreadID: in.ThreadID, RunID: in.RunID, Body: string(body), Why: rejoin.Cut}
	l.make(in, false)
	return l
}

func (l *legs) make(in *agui.Input, join bool) {
	c, store := l.c, l.c.thread.Store()
	warn := func(w agui.Warning) { l.warnings = append(l.warnings, w) }
	// All of it runs under the conversation's lock (see write), so the store is asked directly.
	l.pipeline = agui.NewPipeline(agui.Options{
		Strict: c.client.Strict, ThreadID: in.ThreadID, RunID: in.RunID, Known: store, NewID: rand.Text, Warn: warn,
		Emit: func(e agui.Event) bool {
			c.apply(e, warn)
			l.ready = append(l.ready, e)
			return true
		},
	})
	if l.limit = c.client.MaxEventBytes; l.limit <= 0 {
		l.limit = agui.DefaultMaxEventBytes
	}
	l.run = rejoin.NewRun(rejoin.Options{
		Dialect: l.dialect, ThreadID: in.ThreadID, RunID: in.RunID, Strict: c.client.Strict, Live: store, Join: join,
		MaxEventBytes: l.limit, NewID: rand.Text, Warn: warn,
		Emit: func(o rejoin.Out) {
			if l.fault == nil && (o.Event != "error" || l.pipeline.ServerError(o.Data)) {
				l.fault = l.pipeline.Push(o.Data)
			}
		},
	})
}

// now is the time in ms on a clock that does not stop.
func (l *legs) now() float64 { return float64(time.Since(l.begun))/float64(time.Millisecond) + 1 }

// first gives the request that starts the run.
func (l *legs) first() rejoin.Request {
	q := rejoin.Request{Method: "POST", URL: l.context.URL, Body: l.context.Body, Shape: l.dialect.Shape}
	if l.dialect.First != nil {
		q.Body, q.Headers = l.dialect.First(l.context)
	}
	return q
}

// follow makes the run's first request and, where its connection breaks, further ones that read the rest. going is false where the
// loop was left.
func (c *Conversation) follow(ctx context.Context, l *legs, yield func(agui.Event, error) bool) (going bool, err error) {
	q := l.first()
	for leg := 1; ; leg++ {
		l.line.Begin(l.now())
		l.run.Begin(q.Shape)
		going, clean, failure := l.leg(ctx, q, yield)
		var refusal *StatusError
		switch {
		case !going:
			return false, nil
		case ctx.Err() != nil:
			return true, cancelled(ctx)
		case l.fault != nil:
			return true, l.fault
		case failure != nil && leg == 1 && !l.connected:
			return true, failure // the run has not begun, as far as can be known
		case agui.CodeOf(failure) == agui.CodeBadInput:
			return true, failure
		case failure != nil && errors.As(failure, &refusal):
			again, code := l.line.Refused(refusal.Status)
			if agui.CodeOf(failure) != agui.CodeHTTPStatus {
				again, code = false, rejoin.CodeRefused
			}
			if !again {
				return true, lost(code, failure)
			}
		}
		var verdict rejoin.Verdict
		if going := l.write(func() { verdict = l.run.End(clean) }, yield); !going {
			return false, nil
		}
		switch {
		case l.fault != nil:
			return true, l.fault
		case verdict.Ended:
			return l.end(yield)
		case verdict.Code == rejoin.CodeNotResumable && failure != nil:
			return true, failure
		case verdict.Code == rejoin.CodeNotResumable:
			return l.end(yield)
		case verdict.Code == agui.CodeEventTooLarge:
			return true, &agui.Error{Code: verdict.Code, Message: "An event is larger than the " + strconv.Itoa(l.limit) + " bytes that are allowed."}
		case verdict.Code != "":
			return true, lost(verdict.Code, failure)
		}
		floor := float64(verdict.Retry)
		if refusal != nil && refusal.RetryAfter > 0 {
			floor = max(floor, float64(refusal.RetryAfter.Milliseconds()))
		}
		l.line.Cut(l.now(), string(agui.CodeOf(failure)), floor, random.Float64())
		if l.line.State == rejoin.Lost {
			return true, lost(l.line.Code, failure)
		}
		wait := time.NewTimer(time.Duration((l.line.NextAt - l.now()) * float64(time.Millisecond)))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return true, cancelled(ctx)
		}
		var code agui.Code
		if q, code = l.run.Attach(l.context); code != "" {
			return true, lost(code, failure)
		}
	}
}

func lost(code agui.Code, cause error) error {
	message := "The run could not be read to its end."
	if cause != nil {
		message += " " + cause.Error()
	}
	return &agui.Error{Code: code, Message: message, Cause: cause}
}

// end says what the end of the last leg was for the run.
func (l *legs) end(yield func(agui.Event, error) bool) (going bool, err error) {
	going = l.write(func() { err = l.pipeline.End() }, yield)
	return going, err
}

// leg reads one connection. clean says that the body ended well, failure what ended it otherwise.
func (l *legs) leg(ctx context.Context, q rejoin.Request, yield func(agui.Event, error) bool) (going, clean bool, failure error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, kind, err := l.c.client.open(ctx, q, false)
	if err != nil {
		return true, false, err
	}
	defer stream.Close()
	if sse.Judge(200, kind) == sse.Protobuf {
		return true, false, &agui.Error{Code: agui.CodeBadContentType, Message: "A run that is to be read again must come as server-sent events."}
	}
	l.connected = true
	l.line.Byte(l.now(), false)
	pieces := make(chan piece)
	go read(ctx, stream, pieces)
	pause := time.NewTimer(quiet)
	defer pause.Stop()
	for {
		var watch <-chan time.Time
		if at := l.line.Watch(); at > 0 {
			watch = time.After(time.Duration((at - l.now()) * float64(time.Millisecond)))
		}
		select {
		case p := <-pieces:
			if len(p.bytes) > 0 {
				l.line.Byte(l.now(), comments(p.bytes))
				pause.Reset(quiet)
			}
			for line := range bytes.SplitAfterSeq(p.bytes, []byte("\n")) {
				goesOn := true
				if going := l.write(func() { goesOn = l.run.Write(line) }, yield); !going {
					return false, false, nil
				}
				if !goesOn || l.fault != nil {
					return true, false, nil
				}
			}
			switch {
			case p.err == io.EOF:
				return true, true, nil
			case p.err != nil:
				return true, false, network("The connection broke while the response was read: "+p.err.Error(), p.err)
			}
		case <-pause.C:
			if going := l.write(l.run.Quiet, yield); !going {
				return false, false, nil
			}
		case <-watch:
			return true, false, network("The connection has been silent for too long.", nil)
		case <-ctx.Done():
			return true, false, cancelled(ctx)
		}
	}
}

// write does something that may give events, under the conversation's lock, and hands them out.
func (l *legs) write(do func(), yield func(agui.Event, error) bool) (going bool) {
	l.c.mu.Lock()
	do()
	l.c.mu.Unlock()
	ready, warnings := l.ready, l.warnings
	l.ready, l.warnings = nil, nil
	l.c.client.warn(warnings)
	if len(ready) > 0 {
		l.line.New(l.now())
	}
	for _, e := range ready {
		if !yield(e, nil) {
			return false
		}
	}
	return true
}

// piece is what one read gave.
type piece struct {
	bytes []byte
	err   error
}

func read(ctx context.Context, from io.Reader, to chan<- piece) {
	for {
		buf := make([]byte, 16<<10)
		n, err := from.Read(buf)
		select {
		case to <- piece{buf[:n], err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// comments reports whether bytes are comment lines alone: a heartbeat.
func comments(b []byte) bool {
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 && line[0] != ':' {
			return false
		}
	}
	return true
}

// Join reads the thread from the server, and the run that is under way there until its end: messages and state come into this
// conversation. Nothing is started. It takes a dialect that can load a thread as events (see [Options].Reconnect): "copilotkit" or
// "hydrate"; the error has code bad_input otherwise.
func (c *Conversation) Join(ctx context.Context) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		dialect, ok := rejoin.Named(c.o.Reconnect)
		if !ok || dialect.Load == nil || dialect.Shape == rejoin.ByCursor {
			yield(nil, &agui.Error{Code: agui.CodeBadInput, Message: "To join a thread, Reconnect must name a dialect that can load one."})
			return
		}
		if err := c.begin(nil); err != nil {
			yield(nil, err)
			return
		}
		defer c.done()
		l := &legs{c: c, dialect: dialect, begun: time.Now()}
		l.context = rejoin.Context{URL: c.client.URL, ThreadID: c.thread.ID, Why: rejoin.Join}
		q, ok := dialect.Load(l.context)
		if !ok {
			yield(nil, lost(rejoin.CodeNotResumable, nil))
			return
		}
		l.make(&agui.Input{ThreadID: c.thread.ID}, true)
		l.line.Begin(l.now())
		l.run.Begin(q.Shape)
		going, clean, err := l.leg(ctx, q, yield)
		if going {
			going = l.write(func() { l.run.End(clean) }, yield)
		}
		if err == nil {
			err = l.fault
		}
		if going && err != nil {
			yield(nil, err)
		}
	}
}
