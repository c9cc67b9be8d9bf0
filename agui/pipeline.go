package agui

import (
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
)

// Known answers what the conversation so far holds; the sequence rules and their repairs ask it.
// state.Store implements it.
type Known interface {
	// MessageRole gives the role of the message that the wire's id names for that kind ("text", "reasoning",
	// "activity", "tool").
	MessageRole(kind, id string) (Role, bool)
	// HasToolCall reports whether any message holds the call.
	HasToolCall(id string) bool
}

// Options configure a [Pipeline].
type Options struct {
	// Strict ends the run at a violation instead of repairing it (section 6).
	Strict bool
	// ThreadID and RunID are the input's, for a RUN_STARTED that has to be made.
	ThreadID, RunID string
	// Known is the conversation; nil is what this pipeline itself saw.
	Known Known
	// NewID makes ids for what comes without one; nil numbers them.
	NewID func() string
	// Emit takes each event, in order; it is applied before Emit returns. Returning false ends the pipeline.
	Emit func(Event) bool
	// ReuseEvents lets an event with a delta (text, arguments, reasoning) be the one before, changed, which costs much
	// less: such an event holds only until Emit returns. Otherwise each event is a new value. [Read] does not use it.
	ReuseEvents bool
	// MaxEventBytes limits one event of [Read]; 0 means [DefaultMaxEventBytes].
	MaxEventBytes int
	// ContentType is the media type of the body that [Read] reads: application/vnd.ag-ui.event+proto is the protobuf
	// encoding, anything else server-sent events.
	ContentType string
	// SeenID is told by [Read], after each event, of the last id that the stream gave ("" is none); nil is nobody.
	SeenID func(id string)
	// Warn takes each warning, in order with the events.
	Warn func(Warning)
	// DecodeOnly decodes and emits and does nothing else: no retired shapes, no chunks, no sequence rules, no warnings.
	// An event with a malformed field is emitted as [*Unknown], for whoever stands between may mend it.
	DecodeOnly bool
	// DropRaw leaves RAW events out, and rawEvent out of every other event: copies of the framework's own events, which
	// may be the greater part of a stream. They are judged as ever, and Emit does not get them.
	DropRaw bool
	// NewerTold is shared by the pipelines of one conversation, so that newer_protocol is told once; nil is this
	// pipeline's own.
	NewerTold *bool
}

// Pipeline takes the events' data of one response and gives whole, verified events in order (sections 4 to 6 and 8):
//
//	decode -> retired shapes -> chunks into whole sequences -> sequence rules -> Emit
//
// It keeps what the rules need of the current run, and forgets it at the next RUN_STARTED. It is not safe for
// concurrent use.
type Pipeline struct {
	o       Options
	d       *decoder
	raw     JSON // the server's event at hand
	held    []Warning
	unknown map[Type]bool // the unknown types that were warned of
	noted   struct{ thinking, binary bool }

	phase    phase
	runError *RunError // of the last run
	late     bool      // something has come after the last run's end that goes on with it
	told     struct{ late, lines, future bool }
	lastBad  JSON // the last event dropped as bad_event
	// server is the last error that the server told in words of its own (section 8).
	server  struct{ event, words JSON }
	err     error  // the terminal error
	stopped bool   // Emit returned false
	message []byte // the last message's JSON text, whose memory the next one takes

	lanes []lane
	turn  int // counts the chunks, to know the lane used last
	think thinking
	run   tables
}

// phase is where the stream stands in the life of a run.
type phase uint8

const (
	before   phase = iota // no run yet
	active                // in a run
	finished              // after RUN_FINISHED
	failed                // after RUN_ERROR
)

// NewPipeline makes a pipeline.
func NewPipeline(o Options) *Pipeline {
	if o.NewID == nil {
		o.NewID = numberIDs()
	}
	p := &Pipeline{o: o}
	p.d = newDecoder(o.Strict && !o.DecodeOnly, p.hold)
	p.d.twins, p.d.last.on, p.d.dropRaw = !o.DecodeOnly, o.ReuseEvents, o.DropRaw
	if p.o.NewerTold == nil {
		p.o.NewerTold = new(bool)
	}
	return p
}

// hold keeps a warning of the decoder until it is clear that the event counts.
func (p *Pipeline) hold(w Warning) { p.held = append(p.held, w) }

func (p *Pipeline) warn(w Warning) {
	if p.o.Warn != nil && !p.stopped {
		p.o.Warn(w)
	}
}

// KeepRaw ends what [Options.DropRaw] began, for who listens to RAW events from the middle of a run on: the events to
// come are whole.
func (p *Pipeline) KeepRaw() { p.o.DropRaw, p.d.dropRaw = false, false }

func (p *Pipeline) emit(ev Event) {
	if p.o.DropRaw && !withoutRaw(ev) {
		return
	}
	if !p.stopped && p.o.Emit != nil && !p.o.Emit(ev) {
		p.stopped = true
	}
}

// Push takes one event's data. What it makes of it goes to Emit and Warn before Push returns. An error is an [*Error]
// and terminal: everything before it was emitted, and the pipeline takes nothing more.
func (p *Pipeline) Push(data string) error {
	if p.err != nil {
		return p.err
	}
	if p.stopped {
		return nil
	}
	if err := p.push(data); err != nil && !p.stopped {
		p.err = err
		return err
	}
	return nil
}

func (p *Pipeline) push(data string) *Error {
	p.raw, p.held = data, p.held[:0]
	ev, err := p.d.decode(data)
	if err != nil && !p.o.Strict && strings.IndexByte(data, '\n') >= 0 {
		if ok, err := p.lines(data); ok {
			return err
		}
	}
	if p.o.DecodeOnly {
		if err != nil && p.d.typ != "" {
			ev, err = &Unknown{Base{Type: p.d.typ, Raw: data}}, nil
		}
		if err == nil {
			p.emit(ev)
		}
		return err
	}
	if err != nil {
		return p.malformed(err)
	}
	if u, ok := ev.(*Unknown); ok {
		if u.Type == "error" {
			p.server.event, p.server.words = data, ServerWords(data, "errorText", "message", "error", "detail")
		}
		p.passUnknown(u)
		return nil
	}
	if ok, err := p.judge(ev.EventType()); !ok {
		return err
	}
	for _, w := range p.held {
		if w.Code == WarnLegacyShape {
			if p.noted.binary {
				continue
			}
			p.noted.binary = true
		}
		p.warn(w)
	}
	if p.d.retired != "" {
		if err := p.twin(ev); err != nil {
			return err
		}
	}
	if p.d.nameless {
		if ok, err := p.nameless(ev); !ok {
			return err
		}
	}
	return p.expand(ev)
}

// lines takes data each of whose lines is a whole event: of a server that forgot the blank lines between them.
func (p *Pipeline) lines(data string) (ok bool, err *Error) {
	lines := strings.Split(data, "\n")
	for _, line := range lines {
		if rawjson.Check(line, rawjson.MaxDepth) != nil {
			return false, nil
		}
		if t, _ := rawjson.Get(strings.TrimSpace(line), "type"); rawjson.KindOf(t) != rawjson.Str {
			return false, nil
		}
	}
	if !p.told.lines && !p.o.DecodeOnly {
		p.told.lines = true
		p.raw = strings.TrimSpace(lines[0])
		if err := p.broken(oneObject, strconv.Itoa(len(lines))+" events came as the lines of one frame"); err != nil {
			return true, err
		}
	}
	for _, line := range lines {
		if err := p.push(line); err != nil || p.stopped {
			return true, err
		}
	}
	return true, nil
}

// nameless gives the event of a text or reasoning message that names none its id. It reports whether the event counts.
func (p *Pipeline) nameless(ev Event) (counts bool, err *Error) {
	if err := p.broken(messageID, string(p.d.typ)+" has no messageId"); err != nil {
		return false, err
	}
	t := &p.run.text
	var id *string
	start, end := false, false
	switch e := ev.(type) {
	case *TextMessageStart:
		id, start = &e.MessageID, true
	case *TextMessageContent:
		id = &e.MessageID
	case *TextMessageEnd:
		id, end = &e.MessageID, true
	case *ReasoningMessageStart:
		t, id, start = &p.run.reasoning, &e.MessageID, true
	case *ReasoningMessageContent:
		t, id = &p.run.reasoning, &e.MessageID
	case *ReasoningMessageEnd:
		t, id, end = &p.run.reasoning, &e.MessageID, true
	}
	var open []*entity
	if !start {
		open = t.opened()
	}
	switch {
	case len(open) > 0:
		*id = open[len(open)-1].id
	case end:
		return false, nil
	default:
		*id = p.o.NewID()
	}
	b := ev.Common()
	b.Raw = rawjson.Set(b.Raw, "messageId", string(rawjson.Quote(*id)))
	return true, nil
}

// malformed judges an event that could not be decoded (section 6, last row).
func (p *Pipeline) malformed(err *Error) *Error {
	if p.o.Strict || (p.phase < finished || p.late) && !droppable(p.d.typ) {
		return err
	}
	p.lastBad = err.Event
	p.warn(Warning{Code: WarnBadEvent, Message: "an event was dropped: " + err.Message, Event: err.Event})
	return nil
}

// passUnknown hands an event of an unknown type on as it came, outside the rules (section 8).
func (p *Pipeline) passUnknown(u *Unknown) {
	if !p.unknown[u.Type] {
		if p.unknown == nil {
			p.unknown = map[Type]bool{}
		}
		p.unknown[u.Type] = true
		p.warn(Warning{Code: WarnUnknownEvent, Message: "the protocol does not know the event type " +
			string(rawjson.Quote(excerpt(string(u.Type), 100))) +
			"; it was handed on as it came", Event: p.raw})
	}
	p.emit(u)
}

// judge asks the two rules about the life of a run, before anything is made of the event. It reports whether the event
// counts.
func (p *Pipeline) judge(t Type) (counts bool, err *Error) {
	switch {
	case t == TypeRunStarted || p.phase == active:
		return true, nil
	case p.phase == before:
		if t == TypeRunError {
			return true, nil
		}
		if err := p.broken(firstEvent, string(p.d.name())+" came first"); err != nil {
			return false, err
		}
		return true, p.verify(p.madeRunStarted())
	case p.phase == finished && t == TypeRunError:
		return true, nil
	}
	end := "RUN_FINISHED"
	if p.phase == failed {
		end = "RUN_ERROR"
	}
	if p.late && t == TypeRunFinished && p.phase == finished {
		return true, nil // the end of what came late
	}
	terminal := t == TypeRunFinished || t == TypeRunError
	if p.o.Strict || !p.told.late {
		p.told.late = true
		if err := p.broken(afterEnd, string(p.d.name())+" came after "+end); err != nil {
			return false, err
		}
	}
	if terminal || p.phase == failed {
		return false, nil
	}
	p.late = true // some servers send a tool's result and the rest of the answer here
	return true, nil
}

// ServerError notes data that came as an SSE event named "error". Where the stream then ends without a run's end, the
// error carries it, and its words (section 8). It is to be called before Push of the same data, and reports whether
// Push is to be called at all: data that is not an event of the protocol, such as plain text, says no more than that.
func (p *Pipeline) ServerError(data string) (push bool) {
	if p.err != nil || p.o.Strict && p.o.DecodeOnly {
		return true
	}
	event := eventJSON(data)
	t, _ := rawjson.Get(event, "type")
	p.server.event, p.server.words = event, ServerWords(data, "errorText", "message", "error", "detail")
	return rawjson.KindOf(event) == rawjson.Object && rawjson.KindOf(t) == rawjson.Str || p.o.DecodeOnly
}

// End says that the stream ended. It gives nil where the last run is complete, run_error where it ended so, and
// incomplete_stream where no terminal event came; a terminal error of Push stays. With DecodeOnly nothing is asked.
func (p *Pipeline) End() error {
	if p.err != nil {
		return p.err
	}
	if p.phase >= finished && p.late && !p.o.DecodeOnly {
		p.endLate()
	}
	switch {
	case p.o.DecodeOnly || p.phase == finished:
		return nil
	case p.phase == failed:
		p.err = &Error{Code: CodeRunError, Message: p.runError.Message.Decode(), Event: p.runError.Raw}
	default:
		e := &Error{Code: CodeIncompleteStream,
			Message: "the stream ended before the run did: neither RUN_FINISHED nor RUN_ERROR came", Event: p.lastBad}
		if p.server.event != "" || p.server.words != "" {
			e.Event = p.server.event
			if p.server.words != "" {
				e.Message = "the server ended the run with an error of its own: " + p.server.words
			}
		}
		p.err = e
	}
	return p.err
}

// endLate ends what came after the run's end and is still open when the stream ends.
func (p *Pipeline) endLate() {
	for len(p.lanes) > 0 {
		_ = p.closeLane(0)
	}
	p.endOpen()
	p.late = false
}

// Terminal reports whether the last run has ended and no other has begun, nor anything come that goes on with it.
func (p *Pipeline) Terminal() bool { return p.phase >= finished && !p.late }
