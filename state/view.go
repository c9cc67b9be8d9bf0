package state

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// AppendMessages appends the messages as a JSON array, with the page's ids.
func (s *Store) AppendMessages(dst []byte) []byte {
	dst = append(dst, '[')
	for i, e := range s.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.m.appendJSON(dst, false)
	}
	return append(dst, ']')
}

// AppendMessagesForAgent appends the messages as the agent gets them in a request: with the wire's ids, and without
// activities.
func (s *Store) AppendMessagesForAgent(dst []byte) []byte {
	dst = append(dst, '[')
	first := true
	for _, e := range s.list {
		if e.m.kind == activityKind {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = e.m.appendJSON(dst, true)
	}
	return append(dst, ']')
}

// ThreadMessages gives the messages in order, each with the wire's id and text, activities included.
func (s *Store) ThreadMessages() []agui.Message {
	list := make([]agui.Message, len(s.list))
	for i, e := range s.list {
		m := e.m
		list[i] = agui.Message{
			ID: m.wire, Role: m.role, SubagentRunID: m.sub, ToolCallID: m.callID, Raw: m.wireText(), At: i,
		}
		for j := range m.calls {
			c := Message{m}.Call(j)
			list[i].ToolCalls = append(list[i].ToolCalls, agui.ToolCall{
				ID: c.c.id, Name: c.c.name, Arguments: c.argumentsText(), Raw: string(c.AppendJSON(nil)),
			})
		}
	}
	return list
}

// AppendState appends the state.
func (s *Store) AppendState(dst []byte) []byte { return s.state.AppendJSON(dst) }

// AppendTree appends the whole tree that [Changes] speak of.
func (s *Store) AppendTree(dst []byte) []byte {
	dst = append(dst, `{"messages":`...)
	dst = s.AppendMessages(dst)
	dst = append(dst, `,"state":`...)
	dst = s.AppendState(dst)
	dst = append(dst, `,"stateInSync":`...)
	if s.inSync {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	dst = append(dst, `,"interrupts":`...)
	dst = append(dst, s.interruptsText()...)
	for _, f := range [...][2]string{
		{"outcome", s.outcome}, {"result", s.result}, {"usage", s.usage}, {"aliases", s.aliasesText()},
	} {
		if f[1] == "" {
			continue
		}
		dst = append(dst, ',', '"')
		dst = append(dst, f[0]...)
		dst = append(dst, '"', ':')
		dst = append(dst, f[1]...)
	}
	dst = append(dst, `,"pendingToolCallIds":`...)
	dst = append(dst, s.pendingText()...)
	return append(dst, '}')
}

// StateInSync is false from a STATE_DELTA that failed until the next STATE_SNAPSHOT.
func (s *Store) StateInSync() bool { return s.inSync }

// Interrupts gives the pending interrupts. The slice is the store's: read it only.
func (s *Store) Interrupts() []agui.Interrupt { return s.interrupts }

// Outcome gives the last run's outcome as raw JSON, or "" while no run has finished. Where the server named none it is
// {"type":"success"}.
func (s *Store) Outcome() string { return s.outcome }

// Result gives the last run's result as raw JSON, or "".
func (s *Store) Result() string { return s.result }

// Usage gives the last run's usage as raw JSON, or "".
func (s *Store) Usage() string { return s.usage }

// PendingToolCallIDs gives the calls that wait for a result after the last run. The slice is the store's: read it only.
func (s *Store) PendingToolCallIDs() []string { return s.pending }

// Incomplete reports whether a call's arguments are not all here: it is still open, or the run ended before it did. No
// handler may run for it.
func (s *Store) Incomplete(callID string) bool { return s.incomplete[callID] }

// MessageRole implements [agui.Known].
func (s *Store) MessageRole(kind, id string) (agui.Role, bool) {
	if e := s.lookup(kindNamed(kind), id); e != nil {
		return e.m.role, true
	}
	return "", false
}

// HasToolCall implements [agui.Known].
func (s *Store) HasToolCall(id string) bool {
	_, ok := s.calls[id]
	return ok
}

// Len gives the number of messages.
func (s *Store) Len() int { return len(s.list) }

// Message gives the i-th message. It holds until the store changes.
func (s *Store) Message(i int) Message { return Message{s.list[i].m} }

// Find gives the message with that id of the page.
func (s *Store) Find(id string) (Message, bool) {
	if e := s.byID[id]; e != nil {
		return Message{e.m}, true
	}
	return Message{}, false
}

// Message is a message to read.
type Message struct{ m *message }

// ID is unique in the conversation.
func (m Message) ID() string { return m.m.id }

// WireID is the id that the agent knows. It differs from ID where one id of the wire names two messages.
func (m Message) WireID() string { return m.m.wire }

// Role gives the role.
func (m Message) Role() agui.Role { return m.m.role }

// Version rises whenever the message changes; no two contents of a message have the same.
func (m Message) Version() uint64 { return m.m.version }

// SubagentRunID names the owner; nil is the parent agent.
func (m Message) SubagentRunID() *string { return m.m.sub }

// ToolCallID is a tool message's call.
func (m Message) ToolCallID() string { return m.m.callID }

// Text gives the content where it is a string (decoded, WTF-8), else "".
func (m Message) Text() string {
	if m.m.hasText {
		return m.m.text.String()
	}
	if raw := m.m.field("content"); rawjson.KindOf(raw) == rawjson.Str {
		return rawjson.String(raw).Decode()
	}
	return ""
}

// Field gives a member's raw text, such as content (a string, ContentPart[], or an activity's object), metadata, name,
// activityType, error or encryptedValue; "" where there is none.
func (m Message) Field(name string) string { return m.m.field(name) }

// AppendJSON appends the whole message, with the page's id.
func (m Message) AppendJSON(dst []byte) []byte { return m.m.appendJSON(dst, false) }

// Calls gives the number of tool calls.
func (m Message) Calls() int { return len(m.m.calls) }

// Call gives the i-th tool call.
func (m Message) Call(i int) Call {
	return Call{m.m.calls[i]}
}

// Call is a tool call to read.
type Call struct{ c *call }

// ID gives the call's id.
func (c Call) ID() string { return c.c.id }

// Name gives the tool's name.
func (c Call) Name() string { return c.c.name.Decode() }

// Arguments gives the arguments' text so far (decoded). For the best parse of it while it grows see [Complete].
func (c Call) Arguments() string { return c.argumentsText().Decode() }

func (c Call) argumentsText() rawjson.String {
	if c.c.fields != nil {
		return rawjson.String(c.c.args.AppendJSON(nil))
	}
	fn, _ := rawjson.Get(c.c.raw, "function")
	args, _ := rawjson.Get(fn, "arguments")
	return rawjson.String(args)
}

// AppendJSON appends the whole call.
func (c Call) AppendJSON(dst []byte) []byte { return c.c.appendJSON(dst) }
