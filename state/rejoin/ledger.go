package rejoin

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// entity names what grows by deltas: a text message (t), a reasoning message (r), a span of reasoning (s), a tool call
// (c).
type entity struct {
	kind byte
	id   string
}

// progress is how much of an entity came.
type progress struct {
	text         []byte
	starts, ends int
}

func (p *progress) open() bool { return p.starts > p.ends }

// ledger is what came of one run: by meaning, so that it can be compared with the same run in other pieces.
type ledger struct {
	entities map[entity]*progress
	counts   map[string]int
	started  bool
	finished bool

	// The entity that was asked for last: the next event is mostly about the same.
	last   entity
	lastIs *progress
}

func newLedger() *ledger { return &ledger{entities: map[entity]*progress{}, counts: map[string]int{}} }

func (l *ledger) at(e entity) *progress {
	if l.lastIs != nil && l.last == e {
		return l.lastIs
	}
	p := l.entities[e]
	if p == nil {
		p = &progress{}
		l.entities[e] = p
	}
	l.last, l.lastIs = e, p
	return p
}

// step says what an event does to an entity.
type step int

const (
	other step = iota // none: it is counted
	opens
	grows
	closes
)

// meaningOf takes an event apart. delta is decoded.
func meaningOf(ev agui.Event) (e entity, s step, delta string) {
	switch v := ev.(type) {
	case *agui.TextMessageStart:
		return entity{'t', v.MessageID}, opens, ""
	case *agui.TextMessageContent:
		return entity{'t', v.MessageID}, grows, v.Delta.Decode()
	case *agui.TextMessageEnd:
		return entity{'t', v.MessageID}, closes, ""
	case *agui.ReasoningMessageStart:
		return entity{'r', v.MessageID}, opens, ""
	case *agui.ReasoningMessageContent:
		return entity{'r', v.MessageID}, grows, v.Delta.Decode()
	case *agui.ReasoningMessageEnd:
		return entity{'r', v.MessageID}, closes, ""
	case *agui.ReasoningStart:
		return entity{'s', v.MessageID}, opens, ""
	case *agui.ReasoningEnd:
		return entity{'s', v.MessageID}, closes, ""
	case *agui.ToolCallStart:
		return entity{'c', v.ToolCallID}, opens, ""
	case *agui.ToolCallArgs:
		return entity{'c', v.ToolCallID}, grows, v.Delta.Decode()
	case *agui.ToolCallEnd:
		return entity{'c', v.ToolCallID}, closes, ""
	}
	return entity{}, other, ""
}

// countKey names an event that is counted: two of one key say the same.
func countKey(ev agui.Event) string {
	switch v := ev.(type) {
	case *agui.StepStarted:
		return "step+" + v.StepName
	case *agui.StepFinished:
		return "step-" + v.StepName
	case *agui.SubagentStarted:
		return "sub+" + v.ID
	case *agui.SubagentFinished:
		return "sub-" + v.ID
	case *agui.SubagentError:
		return "sub!" + v.ID
	case *agui.ToolCallResult:
		return "result " + v.ToolCallID + " " + v.MessageID
	}
	return rawjson.Compact(ev.Common().Raw)
}

// note takes an event that was handed out.
func (l *ledger) note(ev agui.Event) {
	e, s, delta := meaningOf(ev)
	switch s {
	case opens:
		p := l.at(e)
		p.starts++
		if e.kind == 'c' && !continues(ev) {
			p.text = p.text[:0]
		}
	case grows:
		if delta == "" {
			l.counts[countKey(ev)]++
			return
		}
		p := l.at(e)
		p.text = append(p.text, delta...)
	case closes:
		l.at(e).ends++
	default:
		l.counts[countKey(ev)]++
		l.finished = l.finished || terminal(ev.EventType())
	}
}

func continues(ev agui.Event) bool {
	c, ok := ev.(*agui.ToolCallStart)
	return ok && c.Continues
}

// opening makes the START of an entity that is to go on, growth a delta for it.
func opening(e entity, name string) string {
	switch e.kind {
	case 't':
		return `{"type":"TEXT_MESSAGE_START","messageId":` + quote(e.id) + `,"role":"assistant"}`
	case 'r':
		return `{"type":"REASONING_MESSAGE_START","messageId":` + quote(e.id) + `,"role":"reasoning"}`
	case 's':
		return `{"type":"REASONING_START","messageId":` + quote(e.id) + `}`
	}
	return `{"type":"TOOL_CALL_START","toolCallId":` + quote(e.id) + `,"toolCallName":` + quote(name) + `}`
}

func growth(e entity, text string) string {
	switch e.kind {
	case 't':
		return `{"type":"TEXT_MESSAGE_CONTENT","messageId":` + quote(e.id) + `,"delta":` + quote(text) + `}`
	case 'r':
		return `{"type":"REASONING_MESSAGE_CONTENT","messageId":` + quote(e.id) + `,"delta":` + quote(text) + `}`
	}
	return `{"type":"TOOL_CALL_ARGS","toolCallId":` + quote(e.id) + `,"delta":` + quote(text) + `}`
}

func closing(e entity) string {
	switch e.kind {
	case 't':
		return `{"type":"TEXT_MESSAGE_END","messageId":` + quote(e.id) + `}`
	case 'r':
		return `{"type":"REASONING_MESSAGE_END","messageId":` + quote(e.id) + `}`
	case 's':
		return `{"type":"REASONING_END","messageId":` + quote(e.id) + `}`
	}
	return `{"type":"TOOL_CALL_END","toolCallId":` + quote(e.id) + `}`
}
