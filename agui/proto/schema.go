package proto

// kind says how a field is read and written.
type kind uint8

const (
	text      kind = iota // a string without presence: absent is ""
	optional              // a string with presence
	texts                 // any number of strings; none is absent
	integer               // int64 with presence
	boolean               // with presence
	operation             // the enum of JSON Patch operations
	value                 // google.protobuf.Value
	object                // google.protobuf.Struct
	one                   // a message
	list                  // any number of messages, none is absent
	array                 // any number of messages, none is []
	// Fields that are written otherwise than they stand.
	base         // what every event has
	content      // content of a message or a tool's result: string, parts or object, each in a field of its own
	contentParts // belongs to content
	activity     // belongs to content
	outcome      // the type of outcome, which its other members belong to
	inOutcome    // a list of messages in outcome
	idsInOutcome // a list of strings in outcome
	arms         // a content part or its source: the field that is set names its type
)

// member is a field of a message in the schema.
type member struct {
	name string
	kind kind
	of   *schema
}

// schema is a message: its fields by number, from 1.
type schema []member

// most is the highest field number in a message but the envelope.
const most = 13

// event is an arm of the envelope.
type event struct {
	typ    string
	number int32 // in the enum EventType
	of     schema
}

var (
	patch     = schema{{"op", operation, nil}, {"path", text, nil}, {"from", optional, nil}, {"value", value, nil}}
	baseEvent = schema{{"type", integer, nil}, {"timestamp", integer, nil}, {"rawEvent", value, nil},
		{"metadata", object, nil}}
	usage = schema{{"provider", optional, nil}, {"model", optional, nil}, {"inputTokens", integer, nil},
		{"outputTokens", integer, nil},
		{"totalTokens", integer, nil}, {"reasoningTokens", integer, nil}, {"cachedInputTokens", integer, nil},
		{"cacheWriteInputTokens", integer, nil}}
	interrupt = schema{{"id", text, nil}, {"reason", text, nil}, {"message", optional, nil},
		{"toolCallId", optional, nil},
		{"responseSchema", value, nil}, {"expiresAt", optional, nil}, {"metadata", value, nil},
		{"subagentRunId", optional, nil}}

	source = schema{
		{"data", one, &schema{{"value", text, nil}, {"mimeType", text, nil}}},
		{"url", one, &schema{{"value", text, nil}, {"mimeType", optional, nil}}},
		{"file", one, &schema{{"value", text, nil}, {"provider", optional, nil}, {"mimeType", optional, nil}}},
	}
	media = schema{{"source", arms, &source}, {"metadata", value, nil}, {"id", optional, nil}}
	part  = schema{
		{"text", one, &schema{{"text", text, nil}, {"id", optional, nil}, {"metadata", value, nil}}},
		{"image", one, &media}, {"audio", one, &media}, {"video", one, &media}, {"document", one, &media},
	}

	toolCall = schema{{"id", text, nil}, {"type", text, nil}, {"function", one, &schema{{"name", text, nil},
		{"arguments", text, nil}}},
		{"metadata", object, nil}, {"encryptedValue", optional, nil}}
	message = schema{{"id", text, nil}, {"role", text, nil}, {"content", content, nil}, {"name", optional, nil},
		{"toolCalls", list, &toolCall},
		{"toolCallId", optional, nil}, {"error", optional, nil}, {"", contentParts, nil}, {"metadata", object, nil},
		{"subagentRunId", optional, nil}, {"encryptedValue", optional, nil}, {"activityType", optional, nil},
		{"", activity, nil}}
	input = schema{{"threadId", text, nil}, {"runId", text, nil}, {"parentRunId", optional, nil},
		{"state", value, nil}, {"messages", array, &message},
		{"tools", array, &schema{{"name", text, nil}, {"description", text, nil}, {"parameters", value, nil},
			{"metadata", object, nil}}},
		{"context", array, &schema{{"description", text, nil}, {"value", text, nil}}}, {"forwardedProps", value, nil},
		{"resume", array, &schema{{"interruptId", text, nil}, {"status", text, nil}, {"payload", value, nil},
			{"metadata", object, nil}}},
		{"protocolVersion", optional, nil}}
)

var (
	eventBase = member{"", base, nil}
	tag       = member{"subagentRunId", optional, nil}
	messageID = member{"messageId", text, nil}
	callID    = member{"toolCallId", text, nil}
	delta     = member{"delta", text, nil}
	step      = schema{eventBase, {"stepName", text, nil}, tag}
	span      = schema{eventBase, tag, messageID}
)

// envelope holds the events by their field numbers, from 1.
var envelope = [...]event{
	{"TEXT_MESSAGE_START", 0, schema{eventBase, messageID, {"role", optional, nil}, {"name", optional, nil}, tag}},
	{"TEXT_MESSAGE_CONTENT", 1, schema{eventBase, messageID, delta, tag}},
	{"TEXT_MESSAGE_END", 2, schema{eventBase, messageID, tag}},
	{"TOOL_CALL_START", 3, schema{eventBase, callID, {"toolCallName", text, nil},
		{"parentMessageId", optional, nil}, tag}},
	{"TOOL_CALL_ARGS", 4, schema{eventBase, callID, delta, tag}},
	{"TOOL_CALL_END", 5, schema{eventBase, callID, tag}},
	{"STATE_SNAPSHOT", 6, schema{eventBase, {"snapshot", value, nil}, tag}},
	{"STATE_DELTA", 7, schema{eventBase, {"delta", array, &patch}, tag}},
	{"MESSAGES_SNAPSHOT", 8, schema{eventBase, {"messages", array, &message}}},
	{"RAW", 9, schema{eventBase, {"event", value, nil}, {"source", optional, nil}, tag}},
	{"CUSTOM", 10, schema{eventBase, {"name", text, nil}, {"value", value, nil}, tag}},
	{"RUN_STARTED", 11, schema{eventBase, {"threadId", text, nil}, {"runId", text, nil},
		{"parentRunId", optional, nil},
		{"input", one, &input}, {"protocolVersion", optional, nil}}},
	{"RUN_FINISHED", 12, schema{eventBase, {"threadId", text, nil}, {"runId", text, nil}, {"result", value, nil},
		{"outcome", outcome, nil},
		{"interrupts", inOutcome, &interrupt}, {"usage", list, &usage}, {"pendingToolCallIds", idsInOutcome, nil}}},
	{"RUN_ERROR", 13, schema{eventBase, {"code", optional, nil}, {"message", text, nil}, {"usage", list, &usage}}},
	{"STEP_STARTED", 14, step},
	{"STEP_FINISHED", 15, step},
	{"TEXT_MESSAGE_CHUNK", 19, schema{eventBase, {"messageId", optional, nil}, {"role", optional, nil},
		{"delta", optional, nil}, {"name", optional, nil}, tag}},
	{"TOOL_CALL_CHUNK", 20, schema{eventBase, {"toolCallId", optional, nil}, {"toolCallName", optional, nil},
		{"parentMessageId", optional, nil},
		{"delta", optional, nil}, tag}},
	{"SUBAGENT_STARTED", 16, schema{eventBase, {"subagentRunId", text, nil}, {"name", text, nil},
		{"description", optional, nil},
		{"parentSubagentRunId", optional, nil}, {"parentToolCallId", optional, nil},
		{"parentMessageId", optional, nil}}},
	{"SUBAGENT_FINISHED", 17, schema{eventBase, {"subagentRunId", text, nil}, {"result", value, nil},
		{"outcome", outcome, nil}, {"interruptIds", idsInOutcome, nil}}},
	{"SUBAGENT_ERROR", 18, schema{eventBase, {"subagentRunId", text, nil}, {"message", text, nil},
		{"code", optional, nil}}},
	{"TOOL_CALL_RESULT", 21, schema{eventBase, tag, messageID, callID, {"content", content, nil},
		{"role", optional, nil}, {"", contentParts, nil}}},
	{"ACTIVITY_SNAPSHOT", 22, schema{eventBase, tag, messageID, {"activityType", text, nil},
		{"content", object, nil}, {"replace", boolean, nil}}},
	{"ACTIVITY_DELTA", 23, schema{eventBase, tag, messageID, {"activityType", text, nil}, {"patch", array, &patch}}},
	{"REASONING_START", 24, span},
	{"REASONING_MESSAGE_START", 25, schema{eventBase, tag, messageID, {"role", text, nil}}},
	{"REASONING_MESSAGE_CONTENT", 26, schema{eventBase, tag, messageID, delta}},
	{"REASONING_MESSAGE_END", 27, span},
	{"REASONING_MESSAGE_CHUNK", 28, schema{eventBase, tag, {"messageId", optional, nil}, {"delta", optional, nil}}},
	{"REASONING_END", 29, span},
	{"REASONING_ENCRYPTED_VALUE", 30, schema{eventBase, tag, {"subtype", text, nil}, {"entityId", text, nil},
		{"encryptedValue", text, nil}}},
}
