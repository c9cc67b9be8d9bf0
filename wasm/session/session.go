// Package session is one run from its body's bytes to its batches, in pure Go: frames, go-sse, the protocol's pipeline,
// the store and the batch, joined. web's js files put fetch before it and JavaScript behind it; native tests put bytes
// in and read batches.
//
// A session is a coroutine around the loop over the stream's events. It runs only inside [Session.Push], [Session.End]
// and
// [Session.Step], on the caller's stack and time: it gives way when the bytes are used up, and, in stepped mode, at
// each event until the verdict has come. There is no goroutine and no channel to wait for.
package session

import (
	"iter"

	"aguiwasm/agui"
	"aguiwasm/agui/proto"
	"aguiwasm/agui/rawjson"
	"aguiwasm/agui/sse"
	"aguiwasm/state"
	"aguiwasm/wasm/batch"
)

// Mode says what happens to an event.
type Mode int

// The modes.
const (
	// Fast applies and delivers every event at once.
	Fast Mode = iota
	// Stepped asks before each event is applied; Step gives the verdict.
	Stepped
	// Raw decodes and delivers events and does nothing else: the source for middleware.
	Raw
)

// Flags tell the caller how a session stands after a call.
type Flags int32

// The flags.
const (
	// Terminal: a terminal event has come and no new run has started in the stream, or the body turned out to be no
	// event stream: the caller waits 1 s for more and then closes the session.
	Terminal Flags = 1 << iota
	// Over: the end was delivered; nothing more is read.
	Over
	// Asking: the session waits for a verdict.
	Asking
)

// DefaultMaxEventBytes is the greatest size of one event unless the caller says otherwise.
const DefaultMaxEventBytes = 16 << 20

// Config describes a session.
type Config struct {
	Mode   Mode
	Strict bool
	// ThreadID and RunID are the input's.
	ThreadID, RunID string
	// MaxEventBytes limits an event; 0 means DefaultMaxEventBytes.
	MaxEventBytes int
	// DropRaw leaves RAW events and rawEvent out before they are delivered.
	DropRaw bool
	// NewerTold is shared by the sessions of one conversation; nil: each tells of a newer protocol once.
	NewerTold *bool
	// Store takes the events; Raw mode needs none.
	Store *state.Store
	// Paths belongs to the mirror that the batches are for.
	Paths *batch.Paths
	// Began is what the begin of the run changed in the conversation: it is delivered at once. nil is nothing.
	Began *state.Changes
	// NewID makes ids; nil numbers them.
	NewID func() string
	// Observe is called with each event after it was applied, in Fast and Stepped mode; the event may hold no longer
	// than the call. What it changes itself it adds to the event's changes. nil is no one.
	// It gives the ids under which the run that ended with the event is remembered.
	Observe func(agui.Event, *state.Changes) []string
	// Deliver takes a batch; the bytes are its own only until it returns. It must not call the session.
	Deliver func([]byte)
}

// Session is one run. It is not safe for concurrent use.
type Session struct {
	cfg      Config
	frames   sse.Frames
	messages *proto.Frames // instead of frames, where the body is in the protobuf encoding
	pipeline *agui.Pipeline
	batch    *batch.Batch
	changes  state.Changes
	late     []agui.Warning // what applying warned of, to be told after the event
	warnLate func(agui.Warning)

	placed  []sse.Event // wait for the coroutine, where events are placed and each is asked about
	placing bool

	start       []byte // the body's beginning, until it shows what it is
	looking     bool
	refused     bool // the body is not an event stream
	ended       bool // no more bytes will come
	whole       bool // the body ended well, so that a last event without its blank line counts
	tail        bool // that event is being read
	tooLarge    bool
	over        bool
	asking      bool
	verdict     bool
	quiet       bool // events are applied and not told of
	past        int  // how many were
	lastEventID string

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// New makes a session.
func New(cfg Config) *Session {
	if cfg.Paths == nil {
		cfg.Paths = new(batch.Paths)
	}
	s := &Session{cfg: cfg, batch: batch.New(cfg.Paths)}
	s.warnLate = func(w agui.Warning) { s.late = append(s.late, w) }
	s.frames.Max = cfg.MaxEventBytes
	if s.frames.Max <= 0 {
		s.frames.Max = DefaultMaxEventBytes
	}
	o := agui.Options{
		Strict: cfg.Strict, ThreadID: cfg.ThreadID, RunID: cfg.RunID, NewID: cfg.NewID,
		DecodeOnly: cfg.Mode == Raw, DropRaw: cfg.DropRaw, NewerTold: cfg.NewerTold, ReuseEvents: true, Emit: s.emit,
		Warn: s.batch.Warning,
	}
	if cfg.Store != nil {
		o.Known = cfg.Store
	}
	s.pipeline = agui.NewPipeline(o)
	s.next, s.stop = iter.Pull(s.loop)
	if cfg.Began != nil {
		s.batch.Changes(cfg.Began)
		s.flush()
	}
	return s
}

// Look makes the session judge the body's beginning before it reads it. It must be called before the first Push.
func (s *Session) Look() { s.looking = true }

// KeepRaw ends what [Config.DropRaw] began: somebody listens now.
func (s *Session) KeepRaw() { s.pipeline.KeepRaw() }

// Protobuf says that the body is in the protocol's protobuf encoding. It must be called before the first Push.
func (s *Session) Protobuf() { s.messages = &proto.Frames{Max: s.frames.Max} }

// Push takes the next bytes of the body and delivers what they completed.
func (s *Session) Push(chunk []byte) Flags {
	if s.over || s.ended {
		return s.flags()
	}
	if s.looking {
		s.start = append(s.start, chunk...)
		switch is := sse.Sniff(s.start); {
		case len(s.start) >= MaxErrorBody && is != sse.IsStream:
			return s.Fail(notAStream(string(s.start)))
		case is != sse.IsStream:
			s.refused = is == sse.NoStream // the error shows the body's start: wait for it, but not for long
			return s.flags()
		}
		chunk, s.start, s.looking = s.start, nil, false
	}
	if s.messages != nil && !s.messages.Write(chunk) || s.messages == nil && !s.frames.Write(chunk) {
		s.ended, s.tooLarge = true, true // the frames before it still count
	}
	s.resume()
	return s.flags()
}

// Place takes an event that was read elsewhere, in the place of Push's bytes, and delivers nothing: [Session.Flush]
// does.
func (s *Session) Place(e sse.Event) {
	switch {
	case s.over, s.ended:
	case s.cfg.Mode != Stepped:
		s.take(e) // nothing in it gives way, so it needs no turn of the coroutine
		if s.over {
			s.stop()
		}
	default:
		s.placing = true
		if s.placed = append(s.placed, e); !s.asking {
			s.next()
		}
	}
}

// Flush delivers what was fed and says how the session stands.
func (s *Session) Flush() Flags {
	s.flush()
	return s.flags()
}

// Quiet makes the session apply events without telling of them. When it ends the conversation is delivered as it stands
// then.
func (s *Session) Quiet(on bool) {
	if s.quiet == on || s.cfg.Mode == Raw {
		return
	}
	if s.quiet = on; on {
		return
	}
	for key, value := range rawjson.Members(string(s.cfg.Store.AppendTree(nil))) {
		s.batch.Whole(key.Decode(), value)
	}
	s.batch.Caught(s.past)
	s.past = 0
}

// Finish ends the session well, whatever came.
func (s *Session) Finish() Flags {
	if !s.over {
		s.finish(nil)
		s.flush()
		s.stop()
	}
	return s.flags()
}

// End says that the body ended well.
func (s *Session) End() Flags {
	if s.over || s.ended {
		return s.flags()
	}
	if s.looking && len(s.start) > 0 && !blank(s.start) {
		return s.Fail(notAStream(string(s.start)))
	}
	s.ended, s.whole = true, true
	s.resume()
	return s.flags()
}

// Step gives the verdict on the event that the session asked about: apply it or skip it.
func (s *Session) Step(apply bool) Flags {
	if s.asking {
		s.asking, s.verdict = false, apply
		s.resume()
	}
	return s.flags()
}

// Fail ends the session because of what the wire or the runtime did. After a terminal event the run's outcome stands: a
// connection that breaks then ends the session as a clean end does.
func (s *Session) Fail(f *batch.Failure) Flags {
	if s.over {
		return s.flags()
	}
	if f.Code == agui.CodeNetwork && s.pipeline.Terminal() {
		return s.Close()
	}
	s.finish(f)
	s.flush()
	s.stop()
	return s.flags()
}

// Close ends the session as it stands, without the rest of the stream: the linger is over.
func (s *Session) Close() Flags {
	if s.refused {
		return s.Fail(notAStream(string(s.start)))
	}
	if !s.over {
		s.ended = true
		s.resume()
	}
	return s.flags()
}

// Stop ends the session without a word.
func (s *Session) Stop() {
	s.over = true
	s.stop()
}

// Asking reports whether the session waits for a verdict.
func (s *Session) Asking() bool { return s.asking }

// Open says where the run stands, as [agui.Pipeline.Open] does.
func (s *Session) Open() []string { return s.pipeline.Open() }

// Warn adds a warning behind what was fed.
func (s *Session) Warn(w agui.Warning) { s.batch.Warning(w) }

// Terminal reports whether a terminal event has come and no new run has started since.
func (s *Session) Terminal() bool { return s.pipeline.Terminal() }

func (s *Session) flags() Flags {
	var f Flags
	if s.over {
		return Over
	}
	if s.asking {
		f |= Asking
	}
	if s.pipeline.Terminal() || s.refused {
		f |= Terminal
	}
	return f
}

// resume lets the coroutine run until it gives way, unless it waits for a verdict, and delivers what it made.
func (s *Session) resume() {
	if !s.asking {
		s.next()
	}
	s.flush()
}

func (s *Session) flush() {
	if b := s.batch.Take(); b != nil {
		s.cfg.Deliver(b)
	}
}

// loop is the coroutine.
func (s *Session) loop(yield func(struct{}) bool) {
	s.yield = yield
	if s.messages != nil {
		s.loopMessages()
		return
	}
	if s.placing {
		s.loopPlaced()
		return
	}
	for e, err := range sse.Events(s, &s.frames) {
		if s.over {
			return
		}
		if err != nil {
			s.finish(batch.FailureOf(&agui.Error{Code: agui.CodeInternal,
				Message: "the event stream could not be parsed: " + err.Error(), Cause: err}))
			return
		}
		if s.tail && rawjson.Check(e.Data, rawjson.MaxDepth) != nil {
			break // cut off in the middle of an event
		}
		if s.take(e); s.over {
			return
		}
	}
	s.ends()
}

// take takes one event of the stream.
func (s *Session) take(e sse.Event) {
	s.lastEventID = e.LastEventID
	if e.Name == "error" && !s.pipeline.ServerError(e.Data) {
		return
	}
	if err := s.pipeline.Push(e.Data); err != nil {
		s.finish(batch.FailureOf(err))
	}
}

// loopPlaced is the loop over events that are placed.
func (s *Session) loopPlaced() {
	for !s.over {
		switch {
		case len(s.placed) > 0:
			e := s.placed[0]
			s.placed = s.placed[1:]
			s.take(e)
		case s.ended:
			s.ends()
			return
		case !s.yield(struct{}{}):
			return
		}
	}
}

// loopMessages is the loop over the messages of the protobuf encoding. A message that is cut off at the end says
// nothing.
func (s *Session) loopMessages() {
	for !s.over {
		message, ok := s.messages.Next()
		switch {
		case ok:
			if err := s.pipeline.PushProto(message); err != nil {
				s.finish(batch.FailureOf(err))
				return
			}
		case s.ended:
			s.ends()
			return
		case !s.yield(struct{}{}):
			return
		}
	}
}

// ends ends the session with its bytes.
func (s *Session) ends() {
	switch {
	case s.over:
	case s.tooLarge:
		s.finish(&batch.Failure{Code: agui.CodeEventTooLarge,
			Message: "an event is larger than the " + size(s.frames.Max) + " that maxEventBytes allows"})
	default:
		s.finish(s.outcome())
	}
}

// Wait implements [sse.Source]: it gives way while no frame is whole.
func (s *Session) Wait() bool {
	for !s.frames.Whole() {
		switch {
		case s.over, s.ended && (!s.whole || s.tail):
			return false
		case s.ended:
			if s.tail = s.frames.End(); !s.tail {
				return false
			}
		case !s.yield(struct{}{}):
			return false
		}
	}
	return true
}

// emit takes one event from the pipeline.
func (s *Session) emit(e agui.Event) bool {
	raw := e.Common().Raw
	if s.quiet {
		s.past++
		s.apply(e, true)
		return true
	}
	switch s.cfg.Mode {
	case Raw:
		s.changes.Reset()
		s.batch.Event(raw, &s.changes)
		return true
	case Stepped:
		if end, ok := e.(*agui.RunFinished); ok {
			s.batch.AskEnd(raw, s.cfg.Store.Pending(&end.Outcome))
		} else {
			s.batch.Ask(raw)
		}
		s.asking = true
		if !s.yield(struct{}{}) || s.over {
			return false
		}
		if names := s.apply(e, s.verdict); names != nil {
			s.batch.Told(names)
		}
		s.batch.Changes(&s.changes)
	default:
		if names := s.apply(e, true); names != nil {
			s.batch.Told(names)
		}
		s.batch.Event(raw, &s.changes)
	}
	for _, w := range s.late {
		s.batch.Warning(w)
	}
	s.late = s.late[:0]
	return true
}

// apply lets the store take the event; what it skips is only noted as seen. It gives what Observe gives.
func (s *Session) apply(e agui.Event, take bool) (names []string) {
	s.changes.Reset()
	if take {
		s.cfg.Store.Apply(e, &s.changes, s.warnLate)
	}
	if s.cfg.Observe != nil {
		names = s.cfg.Observe(e, &s.changes)
	}
	return names
}

// outcome gives what the protocol says of the stream as it ended here: nil is complete.
func (s *Session) outcome() *batch.Failure {
	if s.cfg.Mode == Raw {
		return nil
	}
	if err := s.pipeline.End(); err != nil {
		return batch.FailureOf(err)
	}
	return nil
}

// finish adds the end to the batch.
func (s *Session) finish(f *batch.Failure) {
	s.over = true
	if s.cfg.Store != nil {
		s.changes.Reset()
		s.cfg.Store.EndResponse(&s.changes)
		if !s.quiet {
			s.batch.Changes(&s.changes)
		}
	}
	if f == nil {
		s.batch.Done()
		return
	}
	if f.LastEventID == "" {
		f.LastEventID = s.lastEventID
	}
	s.batch.Error(f)
}
