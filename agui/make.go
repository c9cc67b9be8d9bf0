package agui

import "aguiwasm/agui/rawjson"

// maker writes the JSON of an event that the runtime makes: "type" first, then the fields in the order of section 4,
// then subagentRunId and metadata and rawEvent.
type maker struct{ b []byte }

func newMaker(t Type, size int) *maker {
	b := append(make([]byte, 0, size+96), `{"type":"`...)
	return &maker{append(append(b, t...), '"')}
}

// raw adds a field; "" leaves it out.
func (m *maker) raw(key, value string) *maker {
	if value != "" {
		m.b = append(append(append(m.b, `,"`...), key...), `":`...)
		m.b = append(m.b, value...)
	}
	return m
}

// str adds a string field.
func (m *maker) str(key, value string) *maker {
	m.b = append(append(append(m.b, `,"`...), key...), `":`...)
	m.b = rawjson.AppendQuote(m.b, value)
	return m
}

// opt adds an optional string field.
func (m *maker) opt(key string, value *string) *maker {
	if value != nil {
		m.str(key, *value)
	}
	return m
}

// base adds what a Base holds and the members that the protocol does not know, and gives the whole into b.
func (m *maker) base(b *Base, rest []rawjson.Member) {
	m.opt("subagentRunId", b.SubagentRunID).raw("metadata", b.Metadata).raw("rawEvent", b.RawEvent)
	for _, e := range rest {
		m.b = append(append(m.b, ','), e.Key...)
		m.b = append(append(m.b, ':'), e.Value...)
	}
	b.Raw = string(append(m.b, '}'))
}

func (p *Pipeline) madeRunStarted() *RunStarted {
	e := &RunStarted{Base: Base{Type: TypeRunStarted}, ThreadID: p.o.ThreadID, RunID: p.o.RunID}
	newMaker(e.Type, 64).str("threadId", e.ThreadID).str("runId", e.RunID).base(&e.Base, nil)
	return e
}

func madeTextStart(id string, role Role, name Text, b Base, rest []rawjson.Member) *TextMessageStart {
	b.Type = TypeTextMessageStart
	e := &TextMessageStart{Base: b, MessageID: id, Role: role, Name: name}
	newMaker(b.Type, len(id)+len(name)+len(b.Metadata)).str("messageId", id).str("role", string(role)).
		raw("name", string(name)).base(&e.Base, rest)
	return e
}

func madeTextContent(id string, delta Text, b Base, rest []rawjson.Member) *TextMessageContent {
	b.Type = TypeTextMessageContent
	e := &TextMessageContent{Base: b, MessageID: id, Delta: delta}
	newMaker(b.Type, len(id)+len(delta)+len(b.Metadata)+len(b.RawEvent)).str("messageId", id).
		raw("delta", string(delta)).base(&e.Base, rest)
	return e
}

func madeTextEnd(id string, tag *string) *TextMessageEnd {
	e := &TextMessageEnd{Base: Base{Type: TypeTextMessageEnd, SubagentRunID: tag}, MessageID: id}
	newMaker(e.Type, len(id)).str("messageId", id).base(&e.Base, nil)
	return e
}

func madeReasoningStart(id string, b Base, rest []rawjson.Member) *ReasoningMessageStart {
	b.Type = TypeReasoningMessageStart
	e := &ReasoningMessageStart{Base: b, MessageID: id}
	newMaker(b.Type, len(id)+len(b.Metadata)).str("messageId", id).raw("role", `"reasoning"`).base(&e.Base, rest)
	return e
}

func madeReasoningContent(id string, delta Text, b Base, rest []rawjson.Member) *ReasoningMessageContent {
	b.Type = TypeReasoningMessageContent
	e := &ReasoningMessageContent{Base: b, MessageID: id, Delta: delta}
	newMaker(b.Type, len(id)+len(delta)+len(b.Metadata)+len(b.RawEvent)).str("messageId", id).
		raw("delta", string(delta)).base(&e.Base, rest)
	return e
}

func madeReasoningMessageEnd(id string, tag *string) *ReasoningMessageEnd {
	e := &ReasoningMessageEnd{Base: Base{Type: TypeReasoningMessageEnd, SubagentRunID: tag}, MessageID: id}
	newMaker(e.Type, len(id)).str("messageId", id).base(&e.Base, nil)
	return e
}

func madeReasoningEnd(id string, tag *string) *ReasoningEnd {
	e := &ReasoningEnd{Base: Base{Type: TypeReasoningEnd, SubagentRunID: tag}, MessageID: id}
	newMaker(e.Type, len(id)).str("messageId", id).base(&e.Base, nil)
	return e
}

func madeToolStart(id string, name Text, parent *string, b Base, rest []rawjson.Member) *ToolCallStart {
	b.Type = TypeToolCallStart
	e := &ToolCallStart{Base: b, ToolCallID: id, ToolCallName: name, ParentMessageID: parent}
	newMaker(b.Type, len(id)+len(name)+len(b.Metadata)).str("toolCallId", id).raw("toolCallName", string(name)).
		opt("parentMessageId", parent).base(&e.Base, rest)
	return e
}

func madeToolArgs(id string, delta Text, b Base, rest []rawjson.Member) *ToolCallArgs {
	b.Type = TypeToolCallArgs
	e := &ToolCallArgs{Base: b, ToolCallID: id, Delta: delta}
	newMaker(b.Type, len(id)+len(delta)+len(b.Metadata)+len(b.RawEvent)).str("toolCallId", id).
		raw("delta", string(delta)).base(&e.Base, rest)
	return e
}

func madeToolEnd(id string, tag *string) *ToolCallEnd {
	e := &ToolCallEnd{Base: Base{Type: TypeToolCallEnd, SubagentRunID: tag}, ToolCallID: id}
	newMaker(e.Type, len(id)).str("toolCallId", id).base(&e.Base, nil)
	return e
}
