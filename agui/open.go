package agui

import (
	"slices"
	"strings"
)

// Open says where the run at hand stands, as events: what began and is open (a START or a CHUNK), and the messages and
// calls that have ended (an END alone). Texts, roles and the names of calls are left out: who has the conversation adds
// them, and pushes the events behind a RUN_STARTED into another pipeline, to have it go on from here.
func (p *Pipeline) Open() (events []JSON) {
	r := &p.run
	of := func(t Type, owner *string) *maker { return newMaker(t, 0).opt("subagentRunId", owner) }
	add := func(m *maker) { events = append(events, string(append(m.b, '}'))) }
	for id, active := range r.subagents {
		if active {
			add(of(TypeSubagentStarted, &id).str("name", ""))
		}
	}
	for s := range r.steps {
		owner := &s.owner
		if !s.tagged {
			owner = nil
		}
		add(of(TypeStepStarted, owner).str("stepName", s.name))
	}
	slices.Sort(events) // no rule asks for a step's subagent
	for _, e := range r.reasoning.openedSpans() {
		add(of(TypeReasoningStart, e.owner).str("messageId", e.id))
	}
	for k, t := range [...]*table{&r.text, &r.calls, &r.reasoning} {
		for _, e := range t.begun(true) {
			if slices.ContainsFunc(p.lanes, func(l lane) bool { return int(l.kind) == k && l.id == e.id }) {
				continue
			}
			kind, key := lifeOf[k], "messageId"
			if k == int(toolStream) {
				key = "toolCallId"
			}
			if e.open {
				add(of(kind.start, e.owner).str(key, e.id))
			} else {
				add(of(kind.end, e.owner).str(key, e.id))
			}
		}
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		start := p.startOf(&chunk{Base: &Base{}, kind: l.kind}, l, nil).Common()
		events = append(events, strings.Replace(start.Raw, "_START", "_CHUNK", 1))
	}
	return events
}

// lifeOf has the ends of what a stream of each kind makes.
var lifeOf = [...]struct{ start, end Type }{
	textStream:      {TypeTextMessageStart, TypeTextMessageEnd},
	toolStream:      {TypeToolCallStart, TypeToolCallEnd},
	reasoningStream: {TypeReasoningMessageStart, TypeReasoningMessageEnd},
}
