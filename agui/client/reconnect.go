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

// legs is one run over all its connections. Package rejoin places what comes and says when to try again; here is the
// clock, the network and the conversation.
type legs struct {
	c        *Conversation
	run      *rejoin.Legs
	join     bool
	pipeline *agui.Pipeline
	ready    []agui.Event // applied, not yet handed out
	told     bool         // something was handed out
	warnings []agui.Warning
	fault    error // of the pipeline
	begun    time.Time
	limit    int // bytes of an event
	// connected says that a response has begun: the server has the run.
	connected bool
}

// newLegs makes the run of an input, or, without a body, a join of the input's thread.
func newLegs(c *Conversation, d *rejoin.Dialect, in *agui.Input, body []byte) *legs {
	l := &legs{c: c, begun: time.Now(), join: body == nil}
	store := c.thread.Store()
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
	l.run = rejoin.NewLegs(rejoin.Options{
		Dialect: d, ThreadID: in.ThreadID, RunID: in.RunID, Strict: c.client.Strict, Live: store, Join: l.join,
		MaxEventBytes: l.limit, NewID: rand.Text, Warn: warn,
		Emit: func(o rejoin.Out) {
			if l.fault == nil && (o.Event != "error" || l.pipeline.ServerError(o.Data)) {
				l.fault = l.pipeline.Push(o.Data)
			}
		},
	}, rejoin.Context{URL: c.client.URL, AgentID: c.o.AgentID, Body: string(body)})
	return l
}

// now is the time in ms on a clock that does not stop.
func (l *legs) now() float64 { return float64(time.Since(l.begun))/float64(time.Millisecond) + 1 }

// follow makes the run's first request, or the one that loads a thread, and where a connection breaks further ones that
// read the rest. going is false where the loop was left.
func (l *legs) follow(ctx context.Context, yield func(agui.Event, error) bool) (going bool, err error) {
	l.c.mu.Lock()
	l.c.legs = l
	l.c.mu.Unlock()
	var q rejoin.Request
	if !l.join {
		q = rejoin.Request{Method: "POST", URL: l.c.client.URL}
		l.write(func() { q.Body, q.Headers = l.run.First(l.now()) }, yield)
	}
	for first := true; ; first = false {
		if l.join || !first {
			ok := false
			if going := l.write(func() { q, ok = l.run.Next(l.now()) }, yield); !going {
				return false, nil
			}
			if !ok {
				return true, lost(l.run.Line.Code, err)
			}
		}
		act := rejoin.Go
		going, act, err = l.leg(ctx, q, yield)
		var refusal *StatusError
		switch {
		case !going:
			return false, nil
		case ctx.Err() != nil:
			return true, cancelled(ctx)
		case l.fault != nil:
			return true, l.fault
		case errors.Is(err, errForeign):
			return true, lost(rejoin.CodeRefused, err)
		case agui.CodeOf(err) == agui.CodeBadInput, err != nil && first && !l.join && !l.connected:
			return true, err // the run has not begun, as far as can be known
		case act == rejoin.Go && errors.As(err, &refusal):
			after := -1.0
			if refusal.RetryAfter > 0 {
				after = float64(refusal.RetryAfter.Milliseconds())
			}
			going = l.write(func() { act = l.run.Refused(l.now(), refusal.Status, after, random.Float64()) }, yield)
		case act == rejoin.Go:
			going = l.write(func() {
				act = l.run.Over(l.now(), err == nil, string(agui.CodeOf(err)), random.Float64())
			}, yield)
		}
		code := l.run.Line.Code
		switch {
		case !going:
			return false, nil
		case l.fault != nil:
			return true, l.fault
		case act == rejoin.End && l.join && !l.told:
			return true, nil // nothing is there
		case act == rejoin.End:
			return l.end(yield)
		case act == rejoin.GiveUp && code == rejoin.CodeNotResumable && err == nil && !l.join:
			going, err = l.end(yield) // what the stream lacks is the cause
			return going, lost(code, err)
		case act == rejoin.GiveUp && code == agui.CodeEventTooLarge:
			return true, &agui.Error{Code: code, Message: "An event is larger than the " + strconv.Itoa(l.limit) +
				" bytes that are allowed."}
		case act == rejoin.GiveUp:
			return true, lost(code, err)
		}
		wait := time.NewTimer(time.Duration((l.run.Line.NextAt - l.now()) * float64(time.Millisecond)))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return true, cancelled(ctx)
		}
	}
}

func lost(code agui.Code, cause error) error {
	message := "The run could not be read to its end."
	var known *agui.Error
	if errors.As(cause, &known) {
		message += " " + known.Message
	}
	return &agui.Error{Code: code, Message: message, Cause: cause}
}

// end says what the end of the last leg was for the run.
func (l *legs) end(yield func(agui.Event, error) bool) (going bool, err error) {
	going = l.write(func() { err = l.pipeline.End() }, yield)
	return going, err
}

// leg reads one connection. act is what the end of it means where the run has judged that already, else Go; failure is
// what ended the body otherwise than well.
func (l *legs) leg(ctx context.Context, q rejoin.Request, yield func(agui.Event, error) bool) (going bool,
	act rejoin.Act, failure error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	accepts := l.c.client.accepts()
	if l.run.Loads() {
		accepts = acceptsJSON
	}
	stream, kind, err := l.c.client.open(ctx, q, accepts, l.run.Later())
	if err != nil {
		return true, rejoin.Go, err
	}
	defer stream.Close()
	l.connected = true
	feed := lines
	if sse.Judge(200, kind) == sse.Protobuf {
		feed = l.run.Messages()
	}
	pieces := make(chan piece)
	go read(ctx, stream, pieces)
	look := time.NewTimer(l.pace())
	defer look.Stop()
	for {
		select {
		case p := <-pieces:
			for text := range feed(p.bytes) {
				if going := l.write(func() { act = l.run.Take(l.now(), text, random.Float64()) }, yield); !going {
					return false, act, nil
				}
				if act != rejoin.Go || l.fault != nil {
					return true, act, nil
				}
			}
			switch {
			case p.err == io.EOF:
				return true, rejoin.Go, nil
			case p.err != nil:
				return true, rejoin.Go, network("The connection broke while the response was read: "+p.err.Error(),
					p.err)
			}
			look.Reset(l.pace())
		case <-look.C:
			stale := false
			if going := l.write(func() { stale = l.run.Tick(l.now()) }, yield); !going {
				return false, rejoin.Go, nil
			}
			if stale {
				return true, rejoin.Go, network("The connection has been silent for too long.", nil)
			}
			look.Reset(l.pace())
		case <-ctx.Done():
			return true, rejoin.Go, cancelled(ctx)
		}
	}
}

func (l *legs) pace() time.Duration { return time.Duration(l.run.Pace()) * time.Millisecond }

// lines gives a piece of an event stream line by line, so that what was read ahead is not yet in the cursor.
func lines(p []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.SplitAfterSeq(p, []byte("\n")) {
			if len(line) > 0 && !yield(line) {
				return
			}
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
	l.told = l.told || len(ready) > 0
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

// Join reads the thread from the server, and the run that is under way there until its end: messages and state come
// into this conversation. Nothing is started. Each dialect but "sse-id" can (see [Options].Reconnect); the error has
// code bad_input otherwise. Where the server says that it has nothing of the thread, nothing comes, and that is no
// error: the next Send begins it there.
func (c *Conversation) Join(ctx context.Context) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		dialect, ok := rejoin.Named(c.o.Reconnect)
		if !ok || dialect.Load == nil && dialect.Name != "agno" {
			yield(nil, &agui.Error{Code: agui.CodeBadInput,
				Message: "To join a thread, Reconnect must name a dialect that can load one."})
			return
		}
		if err := c.begin(nil); err != nil {
			yield(nil, err)
			return
		}
		defer c.done()
		l := newLegs(c, dialect, &agui.Input{ThreadID: c.thread.ID}, nil)
		if going, err := l.follow(ctx, yield); going && err != nil {
			yield(nil, err)
		}
	}
}

// Stop asks the server to stop the run that is under way; its reader then gets what the server ends it with. It gives
// false where none is under way or the dialect of [Options].Reconnect has no way to stop: leaving the loop or
// cancelling its context drops the connection, which stops the run on many servers. The error says why the server could
// not be asked, or what it refused with.
func (c *Conversation) Stop(ctx context.Context) (asked bool, err error) {
	c.mu.Lock()
	var q rejoin.Request
	if c.running && c.legs != nil {
		q, asked = c.legs.run.StopRequest()
	}
	c.mu.Unlock()
	if !asked {
		return false, nil
	}
	stream, _, err := c.client.open(ctx, q, acceptsJSON, true)
	var status *StatusError
	switch {
	case err == nil:
		stream.Close()
	case errors.As(err, &status) && status.Status < 300:
		err = nil // whatever it says, it took it
	}
	return err == nil, err
}
