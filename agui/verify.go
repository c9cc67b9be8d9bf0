package agui

import (
	"sort"
	"strings"

	"aguiwasm/agui/rawjson"
)

// entity is a message, reasoning, tool call or activity that this run knows.
type entity struct {
	id    string
	owner *string // nil is the parent agent
	// started says that a START of it came in this run; else it was seeded.
	started bool
	open    bool
	since   int // when it opened, for the order of made ENDs
	// A reasoning span may share its id, and its owner, with a message.
	span      bool
	spanSince int
}

// table holds the entities of one kind. The last one asked for is found without hashing: streams ask for the same one again and again.
type table struct {
	m    map[string]*entity
	last *entity
}

func (t *table) get(id string) *entity {
	if t.last != nil && t.last.id == id {
		return t.last
	}
	e := t.m[id]
	if e != nil {
		t.last = e
	}
	return e
}

// put adds an entity that is not there.
func (t *table) put(id string, owner *string) *entity {
	if t.m == nil {
		t.m = map[string]*entity{}
	}
	e := &entity{id: strings.Clone(id), owner: owner}
	t.m[e.id] = e
	t.last = e
	return e
}

// tables is what the rules know of a run. Owners live for the whole run in four tables (section 6).
type tables struct {
	text, reasoning, calls, activities table

	open      int // how many messages, spans and calls are open
	clock     int
	steps     map[step]bool
	subagents map[string]bool // true while active, false when ended
	active    int             // how many subagents are active
}

// step is a step's key: a name is unique within one owner only.
type step struct {
	tagged      bool
	owner, name string
}

func stepOf(tag *string, name string) step {
	if tag == nil {
		return step{name: strings.Clone(name)}
	}
	return step{tagged: true, owner: *tag, name: strings.Clone(name)}
}

// same reports whether two owners are one.
func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func ownerName(tag *string) string {
	if tag == nil {
		return "the parent agent"
	}
	return "subagent " + quoted(*tag)
}

// quoted shows an id in a message.
func quoted(id string) string { return string(rawjson.Quote(excerpt(id, 80))) }

// verify asks the sequence rules about a whole event, repairs what lenient mode repairs, and emits it.
func (p *Pipeline) verify(ev Event) *Error {
	r := &p.run
	switch e := ev.(type) {
	case *TextMessageContent:
		return p.textContent(e)
	case *ToolCallArgs:
		return p.toolArgs(e)
	case *ReasoningMessageContent:
		return p.reasoningContent(e)
	case *TextMessageStart:
		return p.opens(ev, &r.text, "text message", e.MessageID)
	case *TextMessageEnd:
		return p.closes(ev, &r.text, "text message", e.MessageID)
	case *ToolCallStart:
		return p.toolStart(e)
	case *ToolCallEnd:
		return p.closes(ev, &r.calls, "tool call", e.ToolCallID)
	case *ReasoningMessageStart:
		return p.opens(ev, &r.reasoning, "reasoning message", e.MessageID)
	case *ReasoningMessageEnd:
		return p.closes(ev, &r.reasoning, "reasoning message", e.MessageID)
	case *ReasoningStart:
		return p.spanStart(e)
	case *ReasoningEnd:
		return p.spanEnd(e)
	case *RunStarted:
		return p.runStarted(e)
	case *RunFinished:
		return p.runFinished(e)
	case *RunError:
		p.phase, p.runError, p.think = failed, e, thinking{}
	case *StepStarted:
		return p.stepStarted(e)
	case *StepFinished:
		return p.stepFinished(e)
	case *SubagentStarted:
		return p.subagentStarted(e)
	case *SubagentFinished:
		return p.subagentEnded(ev, e.ID)
	case *SubagentError:
		return p.subagentEnded(ev, e.ID)
	case *ToolCallResult:
		// It makes a message of its own: not the call's continuation, and its message's owner anew.
		own(&r.text, e.MessageID, e.SubagentRunID)
	case *MessagesSnapshot:
		p.seed(e.Messages, true)
	case *ActivitySnapshot:
		if e.Replace || r.activities.get(e.MessageID) == nil {
			own(&r.activities, e.MessageID, e.SubagentRunID)
		}
	case *ActivityDelta:
		if err := p.owned(ev, r.activities.get(e.MessageID), "activity"); err != nil {
			return err
		}
	case *ReasoningEncryptedValue:
		if err := p.owned(ev, p.entityOf(e), "message"); err != nil {
			return err
		}
	}
	p.emit(ev)
	return nil
}

// own sets an entity's owner anew.
func own(t *table, id string, owner *string) *entity {
	e := t.get(id)
	if e == nil {
		return t.put(id, owner)
	}
	e.owner = owner
	return e
}

// entityOf gives what an encrypted value belongs to, or nil.
func (p *Pipeline) entityOf(e *ReasoningEncryptedValue) *entity {
	if e.Subtype == "tool-call" {
		return p.run.calls.get(e.EntityID)
	}
	if known := p.run.text.get(e.EntityID); known != nil {
		return known
	}
	return p.run.reasoning.get(e.EntityID)
}

// owned asks rule one-owner: no tag always agrees.
func (p *Pipeline) owned(ev Event, known *entity, kind string) *Error {
	tag := ev.Common().SubagentRunID
	if tag == nil || known == nil || same(tag, known.owner) {
		return nil
	}
	return p.broken(oneOwner, string(ev.EventType())+" of "+ownerName(tag)+" continues the "+kind+" "+quoted(known.id)+" of "+ownerName(known.owner))
}

// opens asks rule start-once and rule one-owner about a START of a message.
func (p *Pipeline) opens(ev Event, t *table, kind, id string) *Error {
	known := t.get(id)
	if known != nil && known.open {
		return p.broken(startOnce, string(ev.EventType())+" names the "+kind+" "+quoted(id)+", which is open")
	}
	if known == nil {
		known = t.put(id, ev.Common().SubagentRunID)
	} else if err := p.owned(ev, known, kind); err != nil {
		return err
	}
	p.markOpen(known)
	p.emit(ev)
	return nil
}

func (p *Pipeline) markOpen(e *entity) {
	p.run.clock++
	p.run.open++
	e.open, e.started, e.since = true, true, p.run.clock
}

// closes asks rule end-open and rule one-owner about an END.
func (p *Pipeline) closes(ev Event, t *table, kind, id string) *Error {
	known := t.get(id)
	if known == nil || !known.open {
		return p.broken(endOpen, string(ev.EventType())+" names the "+kind+" "+quoted(id)+", which is not open")
	}
	if err := p.owned(ev, known, kind); err != nil {
		return err
	}
	known.open = false
	p.run.open--
	p.emit(ev)
	return nil
}

// notOpen reports content or arguments without a START.
func (p *Pipeline) notOpen(r rule, ev Event, kind, id string) *Error {
	return p.broken(r, string(ev.EventType())+" names the "+kind+" "+quoted(id)+", which is not open")
}

func (p *Pipeline) textContent(e *TextMessageContent) *Error {
	known := p.run.text.get(e.MessageID)
	if known == nil || !known.open {
		if err := p.notOpen(contentOpen, e, "text message", e.MessageID); err != nil {
			return err
		}
		role := Assistant
		if p.o.Known != nil {
			if r, ok := p.o.Known.MessageRole("text", e.MessageID); ok && isTextRole(r) {
				role = r
			}
		}
		known = p.madeOpen(&p.run.text, known, e.MessageID, e.SubagentRunID)
		p.emit(madeTextStart(e.MessageID, role, "", Base{SubagentRunID: known.owner}, nil))
	}
	if err := p.owned(e, known, "text message"); err != nil {
		return err
	}
	p.emit(e)
	return nil
}

func (p *Pipeline) reasoningContent(e *ReasoningMessageContent) *Error {
	known := p.run.reasoning.get(e.MessageID)
	if known == nil || !known.open {
		if err := p.notOpen(contentOpen, e, "reasoning message", e.MessageID); err != nil {
			return err
		}
		known = p.madeOpen(&p.run.reasoning, known, e.MessageID, e.SubagentRunID)
		p.emit(madeReasoningStart(e.MessageID, Base{SubagentRunID: known.owner}, nil))
	}
	if err := p.owned(e, known, "reasoning message"); err != nil {
		return err
	}
	p.emit(e)
	return nil
}

// madeOpen opens an entity for which a START is made.
func (p *Pipeline) madeOpen(t *table, known *entity, id string, tag *string) *entity {
	if known == nil {
		known = t.put(id, tag)
	}
	p.markOpen(known)
	return known
}

// knownCall reports whether the conversation holds the call.
func (p *Pipeline) knownCall(id string) bool {
	if p.o.Known != nil {
		return p.o.Known.HasToolCall(id)
	}
	return p.run.calls.get(id) != nil
}

func (p *Pipeline) toolArgs(e *ToolCallArgs) *Error {
	known := p.run.calls.get(e.ToolCallID)
	if known == nil || !known.open {
		if err := p.notOpen(argsOpen, e, "tool call", e.ToolCallID); err != nil || !p.knownCall(e.ToolCallID) {
			return err
		}
	}
	if err := p.owned(e, known, "tool call"); err != nil {
		return err
	}
	p.emit(e)
	return nil
}

// toolStart is opens for a tool call, which lives inside a message: untagged, it takes that message's owner.
func (p *Pipeline) toolStart(e *ToolCallStart) *Error {
	known := p.run.calls.get(e.ToolCallID)
	if known != nil && known.open {
		return p.broken(startOnce, "TOOL_CALL_START names the tool call "+quoted(e.ToolCallID)+", which is open")
	}
	var parent *entity
	if e.ParentMessageID != nil {
		parent = p.run.text.get(*e.ParentMessageID)
	}
	owner := e.SubagentRunID
	var err *Error
	switch {
	case parent != nil && owner != nil && !same(owner, parent.owner):
		err = p.broken(oneOwner, "TOOL_CALL_START of "+ownerName(owner)+" names the message "+quoted(parent.id)+" of "+ownerName(parent.owner)+" as its parent")
		owner = parent.owner
	case known != nil && owner != nil:
		err = p.owned(e, known, "tool call")
	case known != nil && parent != nil && !same(parent.owner, known.owner):
		err = p.broken(oneOwner, "TOOL_CALL_START puts the tool call "+quoted(known.id)+" of "+ownerName(known.owner)+" under a message of "+ownerName(parent.owner))
	case owner == nil && parent != nil:
		owner = parent.owner
	}
	if err != nil {
		return err
	}
	if known == nil {
		known = p.run.calls.put(e.ToolCallID, owner)
	}
	p.markOpen(known)
	p.emit(e)
	return nil
}

func (p *Pipeline) spanStart(e *ReasoningStart) *Error {
	t := &p.run.reasoning
	known := t.get(e.MessageID)
	if known != nil && known.span {
		return p.broken(startOnce, "REASONING_START names the reasoning span "+quoted(e.MessageID)+", which is open")
	}
	if known == nil {
		known = t.put(e.MessageID, e.SubagentRunID)
	} else if err := p.owned(e, known, "reasoning"); err != nil {
		return err
	}
	p.run.clock++
	p.run.open++
	known.span, known.spanSince = true, p.run.clock
	p.emit(e)
	return nil
}

func (p *Pipeline) spanEnd(e *ReasoningEnd) *Error {
	known := p.run.reasoning.get(e.MessageID)
	if known == nil || !known.span {
		return p.broken(endOpen, "REASONING_END names the reasoning span "+quoted(e.MessageID)+", which is not open")
	}
	if err := p.owned(e, known, "reasoning"); err != nil {
		return err
	}
	known.span = false
	p.run.open--
	p.emit(e)
	return nil
}

func (p *Pipeline) stepStarted(e *StepStarted) *Error {
	key := stepOf(e.SubagentRunID, e.StepName)
	if p.run.steps[key] {
		if err := p.broken(stepPairs, "STEP_STARTED names the step "+quoted(e.StepName)+" of "+ownerName(e.SubagentRunID)+", which is open"); err != nil {
			return err
		}
	}
	if p.run.steps == nil {
		p.run.steps = map[step]bool{}
	}
	p.run.steps[key] = true
	p.emit(e)
	return nil
}

func (p *Pipeline) stepFinished(e *StepFinished) *Error {
	key := stepOf(e.SubagentRunID, e.StepName)
	if !p.run.steps[key] {
		if err := p.broken(stepPairs, "STEP_FINISHED names the step "+quoted(e.StepName)+" of "+ownerName(e.SubagentRunID)+", which is not open"); err != nil {
			return err
		}
	}
	delete(p.run.steps, key)
	p.emit(e)
	return nil
}

func (p *Pipeline) subagentStarted(e *SubagentStarted) *Error {
	isActive, known := p.run.subagents[e.ID]
	what := ""
	switch {
	case isActive:
		what = ", which is active"
	case known:
		what = ", which has already ended in this run"
	case e.ParentSubagentRunID != nil:
		if _, ok := p.run.subagents[*e.ParentSubagentRunID]; !ok {
			what = " under the subagent " + quoted(*e.ParentSubagentRunID) + ", which is not known in this run"
		}
	}
	if what != "" {
		if err := p.broken(subagentPairs, "SUBAGENT_STARTED names the subagent "+quoted(e.ID)+what); err != nil {
			return err
		}
	}
	if p.run.subagents == nil {
		p.run.subagents = map[string]bool{}
	}
	if !isActive {
		p.run.active++
	}
	p.run.subagents[strings.Clone(e.ID)] = true
	p.emit(e)
	return nil
}

func (p *Pipeline) subagentEnded(ev Event, id string) *Error {
	if p.run.subagents[id] {
		p.run.subagents[id] = false
		p.run.active--
	} else if err := p.broken(subagentPairs, string(ev.EventType())+" names the subagent "+quoted(id)+", which is not active"); err != nil {
		return err
	}
	p.emit(ev)
	return nil
}

func (p *Pipeline) runStarted(e *RunStarted) *Error {
	if p.phase == active {
		if err := p.broken(oneRun, "RUN_STARTED came inside an active run"); err != nil {
			return err
		}
	} else {
		p.phase, p.runError, p.run, p.think = active, nil, tables{}, thinking{}
	}
	p.seed(e.InputMessages, false)
	p.emit(e)
	return nil
}

// seed puts the owners of messages on record, and their calls under the same owners. A snapshot sets them anew; history only where none is.
func (p *Pipeline) seed(messages []Message, anew bool) {
	put := func(t *table, id string, owner *string) {
		if anew {
			own(t, id, owner)
		} else if t.get(id) == nil {
			t.put(id, owner)
		}
	}
	for i := range messages {
		m := &messages[i]
		t := &p.run.text
		switch m.Role {
		case Reasoning:
			t = &p.run.reasoning
		case Activity:
			t = &p.run.activities
		}
		put(t, m.ID, m.SubagentRunID)
		for j := range m.ToolCalls {
			put(&p.run.calls, m.ToolCalls[j].ID, m.SubagentRunID)
		}
	}
}

func (p *Pipeline) runFinished(e *RunFinished) *Error {
	if r := &p.run; r.open > 0 || len(r.steps) > 0 || r.active > 0 {
		if err := p.broken(finishClosed, "RUN_FINISHED came while "+r.stillOpen()+" was open"); err != nil {
			return err
		}
		p.endOpen()
	}
	p.phase, p.think = finished, thinking{}
	p.emit(e)
	return nil
}

// endOpen makes ENDs for what is open, in opening order: text messages, tool calls, reasoning messages, then spans.
func (p *Pipeline) endOpen() {
	r := &p.run
	if r.open > 0 {
		for _, e := range r.text.opened() {
			p.emit(madeTextEnd(e.id, e.owner))
		}
		for _, e := range r.calls.opened() {
			end := madeToolEnd(e.id, e.owner)
			end.Incomplete = true
			p.emit(end)
		}
		for _, e := range r.reasoning.opened() {
			p.emit(madeReasoningMessageEnd(e.id, e.owner))
		}
		for _, e := range r.reasoning.openedSpans() {
			p.emit(madeReasoningEnd(e.id, e.owner))
		}
	}
	p.run = tables{}
}

// opened gives the open entities in opening order.
func (t *table) opened() (list []*entity) {
	for _, e := range t.m {
		if e.open {
			list = append(list, e)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].since < list[j].since })
	return list
}

// openedSpans gives the open spans in opening order.
func (t *table) openedSpans() (list []*entity) {
	for _, e := range t.m {
		if e.span {
			list = append(list, e)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].spanSince < list[j].spanSince })
	return list
}

// stillOpen names one thing that is open, for a message.
func (r *tables) stillOpen() string {
	for _, k := range []struct {
		t    *table
		name string
	}{{&r.text, "the text message "}, {&r.calls, "the tool call "}, {&r.reasoning, "the reasoning message "}} {
		if list := k.t.opened(); len(list) > 0 {
			return k.name + quoted(list[0].id)
		}
	}
	if list := r.reasoning.openedSpans(); len(list) > 0 {
		return "the reasoning span " + quoted(list[0].id)
	}
	for s := range r.steps {
		return "a step such as " + quoted(s.name)
	}
	return "a subagent"
}
