package agui

import "aguiwasm/agui/rawjson"

// Field is a member of an event that is made; see [With] and [WithText].
type Field struct {
	key   string
	value JSON
}

// With gives an event a member: an optional field of the protocol (which must have its kind), one of the application's
// own, or another value for a field that the constructor asks for. The type cannot be changed. value is JSON text.
func With(key string, value JSON) Field { return Field{key, value} }

// WithText is [With] for a string.
func WithText(key, text string) Field { return Field{key, string(quote(text))} }

// WithSubagent says which subagent the event belongs to.
func WithSubagent(runID string) Field { return WithText("subagentRunId", runID) }

// quote writes a Go string as JSON; what is neither UTF-8 nor WTF-8 in it becomes U+FFFD.
func quote(text string) Text { return rawjson.Quote(text) }

// construct makes an event of its JSON and reads it as strict mode would, so that what comes out is never malformed.
// The error has code bad_event and names the field.
func construct[E Event](t Type, required, more []Field) (E, error) {
	var none E
	m := newMaker(t, 64)
	for n, list := range [2][]Field{required, more} {
		for i, f := range list {
			if f.key == "type" || n == 0 && given(more, f.key) || n == 1 && given(more[i+1:], f.key) {
				continue // the last one counts
			}
			if err := rawjson.Check(f.value, rawjson.MaxDepth); err != nil {
				return none, &Error{Code: CodeBadEvent, Message: string(t) + "." + f.key + " must be JSON: " +
					err.Error()}
			}
			m.b = append(rawjson.AppendQuote(append(m.b, ','), f.key), ':')
			m.b = append(m.b, f.value...)
		}
	}
	e, err := Decode(string(append(m.b, '}')), DecodeOptions{Strict: true})
	if err != nil {
		return none, err
	}
	return e.(E), nil
}

func given(fields []Field, key string) bool {
	for _, f := range fields {
		if f.key == key {
			return true
		}
	}
	return false
}

// AppendJSON appends the event's JSON text to dst.
func (b *Base) AppendJSON(dst []byte) []byte { return append(dst, b.Raw...) }

func texts(keysAndTexts ...string) []Field {
	fields := make([]Field, 0, len(keysAndTexts)/2+1)
	for i := 0; i < len(keysAndTexts); i += 2 {
		fields = append(fields, WithText(keysAndTexts[i], keysAndTexts[i+1]))
	}
	return fields
}

// The constructors: each takes what section 4 requires of its event, and more fields where wanted. None makes a
// malformed event: the error, with code bad_event, names the field at fault. Arguments of type [JSON] are JSON text.

// NewRunStarted makes a RUN_STARTED.
func NewRunStarted(threadID, runID string, more ...Field) (*RunStarted, error) {
	return construct[*RunStarted](TypeRunStarted, texts("threadId", threadID, "runId", runID), more)
}

// NewRunFinished makes a RUN_FINISHED; With("outcome", ...) and With("result", ...) say how it ended.
func NewRunFinished(threadID, runID string, more ...Field) (*RunFinished, error) {
	return construct[*RunFinished](TypeRunFinished, texts("threadId", threadID, "runId", runID), more)
}

// NewRunError makes a RUN_ERROR.
func NewRunError(message string, more ...Field) (*RunError, error) {
	return construct[*RunError](TypeRunError, texts("message", message), more)
}

// NewStepStarted makes a STEP_STARTED.
func NewStepStarted(name string, more ...Field) (*StepStarted, error) {
	return construct[*StepStarted](TypeStepStarted, texts("stepName", name), more)
}

// NewStepFinished makes a STEP_FINISHED.
func NewStepFinished(name string, more ...Field) (*StepFinished, error) {
	return construct[*StepFinished](TypeStepFinished, texts("stepName", name), more)
}

// NewTextMessageStart makes a TEXT_MESSAGE_START; role is developer, system, assistant or user.
func NewTextMessageStart(messageID string, role Role, more ...Field) (*TextMessageStart, error) {
	return construct[*TextMessageStart](TypeTextMessageStart, texts("messageId", messageID, "role", string(role)), more)
}

// NewTextMessageContent makes a TEXT_MESSAGE_CONTENT.
func NewTextMessageContent(messageID, delta string, more ...Field) (*TextMessageContent, error) {
	return construct[*TextMessageContent](TypeTextMessageContent, texts("messageId", messageID, "delta", delta), more)
}

// NewTextMessageEnd makes a TEXT_MESSAGE_END.
func NewTextMessageEnd(messageID string, more ...Field) (*TextMessageEnd, error) {
	return construct[*TextMessageEnd](TypeTextMessageEnd, texts("messageId", messageID), more)
}

// NewTextMessageChunk makes a TEXT_MESSAGE_CHUNK (section 5); all its fields are optional.
func NewTextMessageChunk(more ...Field) (*TextMessageChunk, error) {
	return construct[*TextMessageChunk](TypeTextMessageChunk, nil, more)
}

// NewToolCallStart makes a TOOL_CALL_START.
func NewToolCallStart(toolCallID, name string, more ...Field) (*ToolCallStart, error) {
	return construct[*ToolCallStart](TypeToolCallStart, texts("toolCallId", toolCallID, "toolCallName", name), more)
}

// NewToolCallArgs makes a TOOL_CALL_ARGS; delta is a piece of the arguments' JSON text.
func NewToolCallArgs(toolCallID, delta string, more ...Field) (*ToolCallArgs, error) {
	return construct[*ToolCallArgs](TypeToolCallArgs, texts("toolCallId", toolCallID, "delta", delta), more)
}

// NewToolCallEnd makes a TOOL_CALL_END.
func NewToolCallEnd(toolCallID string, more ...Field) (*ToolCallEnd, error) {
	return construct[*ToolCallEnd](TypeToolCallEnd, texts("toolCallId", toolCallID), more)
}

// NewToolCallChunk makes a TOOL_CALL_CHUNK (section 5); all its fields are optional.
func NewToolCallChunk(more ...Field) (*ToolCallChunk, error) {
	return construct[*ToolCallChunk](TypeToolCallChunk, nil, more)
}

// NewToolCallResult makes a TOOL_CALL_RESULT; With("content", parts) gives an array of parts in the place of the text.
func NewToolCallResult(messageID, toolCallID, content string, more ...Field) (*ToolCallResult, error) {
	return construct[*ToolCallResult](TypeToolCallResult,
		texts("messageId", messageID, "toolCallId", toolCallID, "content", content), more)
}

// NewStateSnapshot makes a STATE_SNAPSHOT.
func NewStateSnapshot(snapshot JSON, more ...Field) (*StateSnapshot, error) {
	return construct[*StateSnapshot](TypeStateSnapshot, []Field{{"snapshot", snapshot}}, more)
}

// NewStateDelta makes a STATE_DELTA of an RFC 6902 patch.
func NewStateDelta(patch JSON, more ...Field) (*StateDelta, error) {
	return construct[*StateDelta](TypeStateDelta, []Field{{"delta", patch}}, more)
}

// NewMessagesSnapshot makes a MESSAGES_SNAPSHOT of an array of messages.
func NewMessagesSnapshot(messages JSON, more ...Field) (*MessagesSnapshot, error) {
	return construct[*MessagesSnapshot](TypeMessagesSnapshot, []Field{{"messages", messages}}, more)
}

// NewActivitySnapshot makes an ACTIVITY_SNAPSHOT; content is a JSON object.
func NewActivitySnapshot(messageID, activityType string, content JSON, more ...Field) (*ActivitySnapshot, error) {
	return construct[*ActivitySnapshot](TypeActivitySnapshot,
		append(texts("messageId", messageID, "activityType", activityType), Field{"content", content}), more)
}

// NewActivityDelta makes an ACTIVITY_DELTA of an RFC 6902 patch.
func NewActivityDelta(messageID, activityType string, patch JSON, more ...Field) (*ActivityDelta, error) {
	return construct[*ActivityDelta](TypeActivityDelta,
		append(texts("messageId", messageID, "activityType", activityType), Field{"patch", patch}), more)
}

// NewReasoningStart makes a REASONING_START; spanID is the span's.
func NewReasoningStart(spanID string, more ...Field) (*ReasoningStart, error) {
	return construct[*ReasoningStart](TypeReasoningStart, texts("messageId", spanID), more)
}

// NewReasoningEnd makes a REASONING_END.
func NewReasoningEnd(spanID string, more ...Field) (*ReasoningEnd, error) {
	return construct[*ReasoningEnd](TypeReasoningEnd, texts("messageId", spanID), more)
}

// NewReasoningMessageStart makes a REASONING_MESSAGE_START.
func NewReasoningMessageStart(messageID string, more ...Field) (*ReasoningMessageStart, error) {
	return construct[*ReasoningMessageStart](TypeReasoningMessageStart,
		texts("messageId", messageID, "role", "reasoning"), more)
}

// NewReasoningMessageContent makes a REASONING_MESSAGE_CONTENT.
func NewReasoningMessageContent(messageID, delta string, more ...Field) (*ReasoningMessageContent, error) {
	return construct[*ReasoningMessageContent](TypeReasoningMessageContent,
		texts("messageId", messageID, "delta", delta), more)
}

// NewReasoningMessageEnd makes a REASONING_MESSAGE_END.
func NewReasoningMessageEnd(messageID string, more ...Field) (*ReasoningMessageEnd, error) {
	return construct[*ReasoningMessageEnd](TypeReasoningMessageEnd, texts("messageId", messageID), more)
}

// NewReasoningMessageChunk makes a REASONING_MESSAGE_CHUNK (section 5); all its fields are optional.
func NewReasoningMessageChunk(more ...Field) (*ReasoningMessageChunk, error) {
	return construct[*ReasoningMessageChunk](TypeReasoningMessageChunk, nil, more)
}

// NewReasoningEncryptedValue makes a REASONING_ENCRYPTED_VALUE; subtype is "tool-call" or "message".
func NewReasoningEncryptedValue(subtype, entityID, value string, more ...Field) (*ReasoningEncryptedValue, error) {
	return construct[*ReasoningEncryptedValue](TypeReasoningEncryptedValue,
		texts("subtype", subtype, "entityId", entityID, "encryptedValue", value), more)
}

// NewSubagentStarted makes a SUBAGENT_STARTED.
func NewSubagentStarted(runID, name string, more ...Field) (*SubagentStarted, error) {
	return construct[*SubagentStarted](TypeSubagentStarted, texts("subagentRunId", runID, "name", name), more)
}

// NewSubagentFinished makes a SUBAGENT_FINISHED.
func NewSubagentFinished(runID string, more ...Field) (*SubagentFinished, error) {
	return construct[*SubagentFinished](TypeSubagentFinished, texts("subagentRunId", runID), more)
}

// NewSubagentError makes a SUBAGENT_ERROR.
func NewSubagentError(runID, message string, more ...Field) (*SubagentError, error) {
	return construct[*SubagentError](TypeSubagentError, texts("subagentRunId", runID, "message", message), more)
}

// NewRaw makes a RAW event.
func NewRaw(event JSON, more ...Field) (*Raw, error) {
	return construct[*Raw](TypeRaw, []Field{{"event", event}}, more)
}

// NewCustom makes a CUSTOM event.
func NewCustom(name string, value JSON, more ...Field) (*Custom, error) {
	return construct[*Custom](TypeCustom, append(texts("name", name), Field{"value", value}), more)
}
