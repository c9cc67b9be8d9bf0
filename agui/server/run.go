package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// Run is one run being told. Its methods send events; they are safe for concurrent use, and each gives an error once
// the client has gone, the context is over or an event was refused. A Run of a subagent (see [Run.Subagent]) tags what
// it sends.
type Run struct {
	*core
	tag string // the subagent's run id, or ""
}

// core is what a run and its subagents share.
type core struct {
	ctx  context.Context
	in   *agui.Input
	send func(agui.Event) error

	mu       sync.Mutex
	pipeline *agui.Pipeline
	refusal  error // what ended the sending
	open     []opened
	state    agui.JSON
	acts     map[string]agui.JSON // the activities' contents
	calls    []string             // the calls that have no result, in order
	raw      agui.JSON            // the event that is being pushed
	retired  bool                 // its type is one that the pipeline renews
	ids      int
	last     bool // what is sent now ends the run
	ended    bool
	finish   []agui.Field
	outcome  bool        // finish has one
	asked    []agui.JSON // the interrupts
}

func newRun(ctx context.Context, in *agui.Input, send func(agui.Event) error) *Run {
	c := &core{ctx: ctx, in: in, send: send, state: in.State, acts: map[string]agui.JSON{}}
	c.pipeline = agui.NewPipeline(agui.Options{
		Strict: true, ThreadID: in.ThreadID, RunID: in.RunID, Known: nil,
		Emit: func(e agui.Event) bool {
			if c.note(e); e.Common().Raw != c.raw && !c.retired {
				return true // made of a chunk, which goes out as it is
			}
			if err := c.send(e); err != nil {
				c.refusal = err
				return false
			}
			return true
		},
	})
	return &Run{core: c}
}

// Input gives what the client asked.
func (r *Run) Input() *agui.Input { return r.in }

// ID makes an id that no other message, call or span of the run has.
func (r *Run) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	return r.in.RunID + "-" + strconv.Itoa(r.ids)
}

// Emit sends an event. It takes what a constructor of package agui gives, so that run.Emit(agui.NewCustom(...)) can be
// written. An event that the sequence rules refuse is not sent, ends the run with RUN_ERROR, and its error (code
// protocol or bad_event) comes back from this and every later call. RUN_STARTED, RUN_FINISHED and RUN_ERROR are the
// handler's to send.
func (r *Run) Emit(e agui.Event, err error) error {
	if err != nil {
		return err
	}
	switch e.EventType() {
	case agui.TypeRunStarted, agui.TypeRunFinished, agui.TypeRunError:
		return &agui.Error{Code: agui.CodeProtocol, Message: string(e.EventType()) + " is sent by the handler."}
	}
	raw := string(e.Common().AppendJSON(nil))
	if r.tag != "" && e.Common().SubagentRunID == nil {
		raw = rawjson.Set(raw, "subagentRunId", string(rawjson.Quote(r.tag)))
	}
	return r.push(raw)
}

// push sends one event.
func (c *core) push(raw string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pushLocked(raw)
}

func (c *core) pushLocked(raw string) error {
	switch {
	case c.refusal != nil:
		return c.refusal
	case c.ended:
		return &agui.Error{Code: agui.CodeProtocol, Message: "The run has ended."}
	case c.ctx.Err() != nil && !c.last:
		return context.Cause(c.ctx)
	}
	e, err := agui.Decode(raw, agui.DecodeOptions{Strict: true})
	if err == nil {
		c.raw, c.retired = raw, strings.HasPrefix(string(e.EventType()), "THINKING_")
		err = c.pipeline.Push(raw)
	}
	if err != nil {
		c.refusal = err
	}
	if c.refusal == nil && isChunk(e) {
		c.refusal = c.send(e)
	}
	return c.refusal
}

func isChunk(e agui.Event) bool {
	switch e.EventType() {
	case agui.TypeTextMessageChunk, agui.TypeToolCallChunk, agui.TypeReasoningMessageChunk:
		return true
	}
	return false
}

// begin sends RUN_STARTED.
func (r *Run) begin() error {
	var more []agui.Field
	if r.in.ParentRunID != "" {
		more = append(more, agui.With("parentRunId", string(r.in.ParentRunID)))
	}
	e, err := agui.NewRunStarted(r.in.ThreadID, r.in.RunID, more...)
	if err != nil {
		return err
	}
	return r.push(string(e.Common().AppendJSON(nil)))
}

// refused gives the error of an event that broke the rules, or nil.
func (r *Run) refused() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var refused *agui.Error
	if errors.As(r.refusal, &refused) {
		return refused
	}
	return nil
}

// end closes what is open and sends the terminal event: RUN_ERROR where the agent failed or an event was refused.
func (r *Run) end(failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil
	}
	r.last = true
	stopped := errors.Is(context.Cause(r.ctx), errStopped)
	switch {
	case stopped:
		failure = r.closeAll()
	case r.ctx.Err() != nil:
		r.ended = true
		return context.Cause(r.ctx)
	case failure == nil:
		failure = r.closeAll()
	}
	r.ended = true
	if failure != nil {
		return r.fail(failure)
	}
	fields := r.finish
	switch {
	case stopped:
		fields = []agui.Field{agui.With("outcome", `{"type":"cancelled"}`)}
	case len(r.asked) > 0:
		fields = append(fields, agui.With("outcome", `{"type":"interrupt","interrupts":[`+string(join(r.asked))+`]}`))
	case len(r.calls) > 0 && !r.outcome:
		pending, _ := encode(r.calls)
		fields = append(fields, agui.With("outcome", `{"type":"success","pendingToolCallIds":`+pending+`}`))
	}
	e, err := agui.NewRunFinished(r.in.ThreadID, r.in.RunID, fields...)
	if err == nil {
		r.raw, r.retired = string(e.Common().AppendJSON(nil)), false
		err = r.pipeline.Push(r.raw)
	}
	if err != nil && r.refusal == nil {
		return r.fail(err)
	}
	return r.refusal
}

// fail sends RUN_ERROR past the rules, which let it pass wherever a run is open.
func (c *core) fail(failure error) error {
	var coded interface{ RunErrorCode() string }
	var hidden interface{ ForClients() string }
	var more []agui.Field
	var known *agui.Error
	message := failure.Error()
	if errors.As(failure, &hidden) {
		message = hidden.ForClients()
	}
	switch {
	case errors.As(failure, &coded):
		more = append(more, agui.WithText("code", coded.RunErrorCode()))
	case errors.As(failure, &known):
		message = known.Message
		more = append(more, agui.WithText("code", string(known.Code)))
	}
	e, err := agui.NewRunError(message, more...)
	if err != nil {
		return err
	}
	return c.send(e)
}

func join(values []agui.JSON) []byte {
	var b []byte
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return b
}

// encode writes a value as JSON; a json.RawMessage stays as it is.
func encode(v any) (agui.JSON, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", &agui.Error{Code: agui.CodeBadEvent, Message: "A value cannot be written as JSON: " + err.Error(),
			Cause: err}
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// SetState sends the state that the client shares: a STATE_DELTA with what differs from the state before (at first the
// input's), or a STATE_SNAPSHOT where the state is not an object yet or the delta is the longer one. Nothing is sent
// where nothing differs.
func (r *Run) SetState(value any) error {
	now, err := encode(value)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.setState(now)
}

// SetStateKey is [Run.SetState] for one member of the state; the others stay as they are. A state that is no object
// becomes one.
func (r *Run) SetStateKey(key string, value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	whole := r.state
	if rawjson.KindOf(whole) != rawjson.Object {
		whole = "{}"
	}
	return r.setState(rawjson.Set(whole, key, text))
}

// smallPatch is the size, in bytes, below which a delta goes out even where the whole state is smaller: clients show
// what changed.
const smallPatch = 512

func (r *Run) setState(now agui.JSON) (err error) {
	patch := state.Diff(r.state, now)
	if patch == "[]" {
		return nil
	}
	var e agui.Event
	if rawjson.KindOf(r.state) == rawjson.Object && rawjson.KindOf(now) == rawjson.Object &&
		len(patch) < max(len(now), smallPatch) {
		e, err = agui.NewStateDelta(patch)
	} else {
		e, err = agui.NewStateSnapshot(now)
	}
	if err != nil {
		return err
	}
	if err = r.pushLocked(string(e.Common().AppendJSON(nil))); err == nil {
		r.state = now
	}
	return err
}

// Activity sends what is going on, for the client to draw: an ACTIVITY_SNAPSHOT the first time an id comes ("" makes
// one), after that an ACTIVITY_DELTA with what differs. content must be an object in JSON. It gives the id.
func (r *Run) Activity(id, activityType string, content any) (string, error) {
	now, err := encode(content)
	if err != nil {
		return id, err
	}
	if id == "" {
		id = r.ID()
	}
	r.mu.Lock()
	before, known := r.acts[id]
	r.mu.Unlock()
	if known {
		patch := state.Diff(before, now)
		if patch == "[]" {
			return id, nil
		}
		err = r.Emit(agui.NewActivityDelta(id, activityType, patch))
	} else {
		err = r.Emit(agui.NewActivitySnapshot(id, activityType, now))
	}
	if err == nil {
		r.mu.Lock()
		r.acts[id] = now
		r.mu.Unlock()
	}
	return id, err
}
