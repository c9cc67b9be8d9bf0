package state

import (
	"slices"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// callStart opens a tool call: a known one is replayed, a new one goes into the assistant message that its parent
// names.
func (a *applying) callStart(ev *agui.ToolCallStart) {
	wire := strings.Clone(ev.ToolCallID)
	id := a.CallID(wire)
	at, known := a.calls[id]
	if known && !a.run.callBegun[id] && !ev.Continues && !a.run.past && a.betweenTurns(at.e) {
		m := a.own(at.e)
		c := a.ownCall(m, at.i)
		ec := &echo{old: c.args.String(), call: &agui.ToolCallStart{Base: *ev.Common(), ToolCallID: wire,
			ToolCallName: ev.ToolCallName, ParentMessageID: ev.ParentMessageID}}
		other := ev.ToolCallName != "" && !rawjson.Equal(string(c.name), string(ev.ToolCallName)) ||
			ev.ParentMessageID != nil && *ev.ParentMessageID != "" && *ev.ParentMessageID != m.wire
		a.run.callBegun[id], a.run.callOpen[id], a.incomplete[id] = true, true, true
		a.run.calls = append(a.run.calls, id)
		if other {
			a.splitCall(wire, ec, `""`)
		} else {
			a.beginEcho(key{callKind, wire}, ec)
			a.hold(ec)
		}
		return
	}
	if known {
		m := a.own(at.e)
		c := a.ownCall(m, at.i)
		if ev.Continues && a.run.callBegun[id] {
			delete(a.run.callReplay, id)
		} else {
			a.run.callReplay[id] = true
		}
		if ev.ToolCallName != "" && !rawjson.Equal(string(c.name), string(ev.ToolCallName)) {
			a.warn(agui.Warning{
				Code: agui.WarnOddField, Event: a.base.Raw,
				Message: "the tool call " + showToken(id) + " was named " + cut(string(c.name), 60) + " and is now " +
					cut(string(ev.ToolCallName), 60),
			})
			c.name = rawjson.String(strings.Clone(string(ev.ToolCallName)))
			setField(&c.fn, `"name"`, string(c.name))
			a.assign(a.at(at.e, Key("toolCalls"), Index(at.i), Key("function"), Key("name")), "toolCallName",
				string(c.name))
			a.touch(m)
		}
		a.fold(at.e, m, c, at.i)
	} else {
		a.newCall(ev, id, "", nil)
	}
	if !a.run.callBegun[id] {
		a.run.callBegun[id] = true
		a.run.calls = append(a.run.calls, id)
	}
	a.run.callOpen[id] = true
	a.incomplete[id] = true
}

// newCall puts a new call into its message, and makes that where there is none. called is the wire's id where it
// differs.
func (a *applying) newCall(ev *agui.ToolCallStart, id, called string, ec *echo) {
	if p := ev.ParentMessageID; p != nil {
		// The message is not a repetition: the one that is there does not have this call.
		if text := a.run.echoes[key{textKind, *p}]; text != nil {
			a.splitText(text.text.MessageID, rawjson.Quote(text.old[:text.at]))
		}
	}
	c := newCall(a.owner, id, ev.ToolCallName)
	c.wire = called
	if a.base.Metadata != "" {
		c.meta = NewDocument(adopt(a.base.Metadata, len(a.base.Raw)))
		c.fields = append(c.fields, field{`"metadata"`, "", metaPart})
	}
	var e *entry
	wire := id
	if p := ev.ParentMessageID; p != nil && *p != "" { // an empty id names no message, as in the reference
		if e = a.assistant(*p); e == nil && a.known(*p) == nil {
			wire = *p
		}
	}
	if e == nil {
		e = a.assistant(wire)
	}
	if e == nil {
		free, other := a.freeID(wire, "call")
		if other != nil {
			a.collision(wire, describe(other.m.kind), "a tool call's message",
				"the later one is kept as "+showToken(free))
		}
		m := madeMessage(a.owner, free, wire, textKind, agui.RoleAssistant)
		m.calls = []*call{c}
		m.fields = append(m.fields, field{`"toolCalls"`, "", callsPart})
		m.setOwner(a.base.SubagentRunID)
		if ec != nil {
			a.insertEcho(ec, m)
		} else {
			a.record(a.insert(len(a.list), m))
		}
		a.run.started[key{textKind, m.wire}] = true
		return // place has put the call on record
	}
	m := a.own(e)
	n := len(m.calls)
	m.calls = append(m.calls, c)
	a.calls[id] = callAt{e, n}
	if fieldAt(m.fields, `"toolCalls"`) < 0 {
		m.fields = append(m.fields, field{`"toolCalls"`, "", callsPart})
		a.ch.add(Assign, a.at(e, Key("toolCalls")), string(append(c.appendJSON([]byte{'['}), ']')))
	} else {
		a.ch.add(Insert, a.at(e, Key("toolCalls"), Index(n)), string(c.appendJSON(nil)))
	}
	a.touch(m)
}

// assistant finds the assistant message of that id.
func (s *Store) assistant(id string) *entry {
	if e := s.lookup(textKind, id); e != nil && e.m.role == agui.RoleAssistant {
		return e
	}
	return s.byKey[key{callKind, id}]
}

// callArgs appends to a call's arguments, or replaces a replayed call's.
func (a *applying) callArgs(ev *agui.ToolCallArgs) {
	if len(a.run.echoes) > 0 && a.run.echoes[key{callKind, ev.ToolCallID}] != nil {
		agrees, prefix := a.follows(key{callKind, ev.ToolCallID}, ev.Delta)
		if agrees {
			a.hold(a.run.echoes[key{callKind, ev.ToolCallID}])
			return
		}
		a.splitCall(strings.Clone(ev.ToolCallID), a.run.echoes[key{callKind, ev.ToolCallID}], prefix)
	}
	id := a.CallID(ev.ToolCallID)
	at, ok := a.calls[id]
	if !ok {
		return
	}
	if len(a.run.orphans) > 0 {
		delete(a.run.orphans, id)
	}
	m := a.own(at.e)
	c := a.ownCall(m, at.i)
	if len(a.run.callReplay) > 0 && a.run.callReplay[id] {
		delete(a.run.callReplay, id)
		c.args = Text{}
		c.args.Append(ev.Delta)
		a.ch.addDelta(Assign, a.growth(at.e, at.i))
		a.touch(m)
	} else if len(ev.Delta) > 2 {
		c.args.Append(ev.Delta)
		a.ch.addDelta(Append, a.growth(at.e, at.i))
		a.touch(m)
	}
	if a.base.Metadata != "" {
		a.fold(at.e, m, c, at.i)
	}
}

// callEnd closes a call. One that the runtime had to close is incomplete.
func (a *applying) callEnd(ev *agui.ToolCallEnd) {
	if ec := a.run.echoes[key{callKind, ev.ToolCallID}]; ec != nil {
		if !ec.ends() {
			a.splitCall(strings.Clone(ev.ToolCallID), ec, rawjson.Quote(ec.old[:ec.at]))
		} else if at, ok := a.calls[a.CallID(ev.ToolCallID)]; ok {
			a.foldHeld(ec, at.e, at.i)
		}
		delete(a.run.echoes, key{callKind, ev.ToolCallID})
	}
	id := a.CallID(ev.ToolCallID)
	delete(a.run.callOpen, id)
	delete(a.run.callReplay, id)
	if !ev.Incomplete {
		delete(a.incomplete, id)
	}
	if at, ok := a.calls[id]; ok && a.base.Metadata != "" {
		m := a.own(at.e)
		a.fold(at.e, m, a.ownCall(m, at.i), at.i)
	}
	a.lateEnd(id)
}

// lateEnd has a call wait that came whole behind the run's end. The others wait as they did: thousands of calls there
// cost what they are.
func (a *applying) lateEnd(id string) {
	if !a.run.finished {
		return
	}
	if a.run.stale {
		a.judgeLate(false)
		return
	}
	for ; a.run.placed < len(a.run.calls); a.run.placed++ {
		if a.run.places == nil {
			a.run.places = map[string]int{}
		}
		a.run.places[a.run.calls[a.run.placed]] = a.run.placed
	}
	at, ok := a.run.places[id]
	if !ok || at < a.run.judged || a.run.answered[id] || slices.Contains(a.pending, id) ||
		slices.ContainsFunc(a.list, func(e *entry) bool { return e.m.kind == toolKind && e.m.callID == id }) {
		return
	}
	// Those that the outcome named stand first, the others in the order of their STARTs.
	i := len(a.pending)
	for ; i > 0; i-- {
		if place, ok := a.run.places[a.pending[i-1]]; !ok || place < at ||
			slices.Contains(a.run.named, a.pending[i-1]) {
			break
		}
	}
	now := make([]string, 0, len(a.pending)+1) // a snapshot may share the former
	now = append(append(now, a.pending[:i]...), a.run.calls[at])
	a.pending = append(now, a.pending[i:]...)
	a.ch.add(Insert, []Step{Key("pendingToolCallIds"), Index(i)}, string(rawjson.Quote(id)))
}

// judgeLate judges anew which calls wait, where something came behind the run's end: what the outcome named, or else
// every call of the run without a result, and behind them those that came whole there. what the conversation answers
// does not wait.
func (a *applying) judgeLate(conversation bool) {
	if !a.run.finished {
		return
	}
	a.run.stale, a.run.places, a.run.placed = false, nil, 0
	answered := a.results()
	waits := func(id string) bool { return !a.run.answered[id] && !answered[id] }
	var list []string
	listed, pending := map[string]bool{}, map[string]bool{}
	for _, id := range a.run.named {
		if !conversation || !answered[id] {
			list, listed[id] = append(list, id), true
		}
	}
	for _, id := range a.pending {
		pending[id] = true
	}
	if conversation {
		a.run.named = append(a.run.named[:0], list...)
	}
	for i, id := range a.run.calls {
		here := i >= a.run.judged && (!a.run.callOpen[id] || pending[id]) || i < a.run.judged && a.run.named == nil
		if here && waits(id) && !listed[id] {
			list, listed[id] = append(list, id), true
		}
	}
	a.setPending(list)
}

// results are the calls that the conversation has a result of.
func (s *Store) results() map[string]bool {
	answered := map[string]bool{}
	for _, e := range s.list {
		if e.m.kind == toolKind {
			answered[e.m.callID] = true
		}
	}
	return answered
}

// callResult puts a tool message behind its call, or gives a known one's content anew.
func (a *applying) callResult(ev *agui.ToolCallResult) {
	callID := a.CallID(ev.ToolCallID)
	a.run.answered[callID] = true
	delete(a.run.orphans, callID)
	if i := slices.Index(a.pending, callID); i >= 0 && !a.run.active { // a server that goes on after the run's end
		a.run.named = slices.DeleteFunc(a.run.named, func(id string) bool { return id == callID })
		for ; i >= 0; i = slices.Index(a.pending, callID) {
			a.pending = append(slices.Clone(a.pending[:i]), a.pending[i+1:]...)
			a.ch.add(Remove, []Step{Key("pendingToolCallIds"), Index(i)}, "")
		}
	}
	if e := a.byKey[key{resultKind, ev.MessageID + "\x00" + callID}]; e != nil {
		m := a.own(e)
		if m.field("content") != ev.Content {
			m.setContent(adopt(ev.Content, len(a.base.Raw)))
			a.assign(a.at(e, Key("content")), "content", ev.Content)
			a.touch(m)
		}
		a.setOwner(e, ev.SubagentRunID)
		a.fold(e, m, nil, 0)
		return
	}
	suffix := "tool"
	if a.lookup(toolKind, ev.MessageID) != nil {
		suffix = callID
	}
	free, other := a.freeID(ev.MessageID, suffix)
	if other != nil {
		second := "a tool result"
		if suffix != "tool" {
			second = "the result of another call, " + showToken(ev.ToolCallID)
		}
		a.collision(ev.MessageID, describe(other.m.kind), second, "the later one is kept as "+showToken(free))
	}
	m := madeMessage(a.owner, free, ev.MessageID, toolKind, agui.RoleTool)
	m.callID = strings.Clone(callID)
	if callID != ev.ToolCallID {
		m.callWire = strings.Clone(ev.ToolCallID)
	}
	m.add(`"toolCallId"`, string(rawjson.Quote(m.callID)))
	m.add(`"content"`, `""`)
	a.tag(m)
	e := a.insert(a.resultPlace(m.callID), m)
	a.insertWith(e, ev.Content, func() { m.setContent(adopt(ev.Content, len(a.base.Raw))) })
}

// resultPlace is right behind the message that owns the call and the tool messages already there, or the end.
func (s *Store) resultPlace(callID string) int {
	at, ok := s.calls[callID]
	if !ok {
		return len(s.list)
	}
	i := at.e.index + 1
	if p := &s.placed; p.owner == at.e && p.last != nil && p.last.index < len(s.list) &&
		s.list[p.last.index] == p.last {
		i = p.last.index + 1 // what stands before is known
	}
	for i < len(s.list) && s.list[i].m.kind == toolKind {
		i++
	}
	s.placed = placedResult{at.e, nil}
	if i > at.e.index+1 {
		s.placed.last = s.list[i-1]
	}
	return i
}

// placedResult is where the last result went: behind a message, and behind the results that it has already. Many
// results of one message do not look at each other again.
type placedResult struct{ owner, last *entry }

// setContent makes a raw value the content of a message that does not stream.
func (m *message) setContent(raw string) {
	m.text, m.hasText = Text{}, false
	if i := fieldAt(m.fields, `"content"`); i >= 0 {
		m.fields[i] = field{`"content"`, raw, rawPart}
	} else {
		m.fields = append(m.fields, field{`"content"`, raw, rawPart})
	}
}
