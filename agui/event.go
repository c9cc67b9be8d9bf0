package agui

import "aguiwasm/agui/rawjson"

// Type is the value of an event's "type".
type Type string

// The event types of AG-UI 1.0.
const (
	TypeRunStarted              Type = "RUN_STARTED"
	TypeRunFinished             Type = "RUN_FINISHED"
	TypeRunError                Type = "RUN_ERROR"
	TypeStepStarted             Type = "STEP_STARTED"
	TypeStepFinished            Type = "STEP_FINISHED"
	TypeTextMessageStart        Type = "TEXT_MESSAGE_START"
	TypeTextMessageContent      Type = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          Type = "TEXT_MESSAGE_END"
	TypeTextMessageChunk        Type = "TEXT_MESSAGE_CHUNK"
	TypeToolCallStart           Type = "TOOL_CALL_START"
	TypeToolCallArgs            Type = "TOOL_CALL_ARGS"
	TypeToolCallEnd             Type = "TOOL_CALL_END"
	TypeToolCallChunk           Type = "TOOL_CALL_CHUNK"
	TypeToolCallResult          Type = "TOOL_CALL_RESULT"
	TypeStateSnapshot           Type = "STATE_SNAPSHOT"
	TypeStateDelta              Type = "STATE_DELTA"
	TypeMessagesSnapshot        Type = "MESSAGES_SNAPSHOT"
	TypeActivitySnapshot        Type = "ACTIVITY_SNAPSHOT"
	TypeActivityDelta           Type = "ACTIVITY_DELTA"
	TypeReasoningStart          Type = "REASONING_START"
	TypeReasoningEnd            Type = "REASONING_END"
	TypeReasoningMessageStart   Type = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent Type = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     Type = "REASONING_MESSAGE_END"
	TypeReasoningMessageChunk   Type = "REASONING_MESSAGE_CHUNK"
	TypeReasoningEncryptedValue Type = "REASONING_ENCRYPTED_VALUE"
	TypeSubagentStarted         Type = "SUBAGENT_STARTED"
	TypeSubagentFinished        Type = "SUBAGENT_FINISHED"
	TypeSubagentError           Type = "SUBAGENT_ERROR"
	TypeRaw                     Type = "RAW"
	TypeCustom                  Type = "CUSTOM"
)

// Types gives the event types of AG-UI 1.0, each once. The build gives this list to the scripts.
func Types() []Type {
	return []Type{
		TypeRunStarted, TypeRunFinished, TypeRunError, TypeStepStarted, TypeStepFinished, TypeTextMessageStart,
		TypeTextMessageContent, TypeTextMessageEnd, TypeTextMessageChunk, TypeToolCallStart, TypeToolCallArgs,
		TypeToolCallEnd, TypeToolCallChunk, TypeToolCallResult, TypeStateSnapshot, TypeStateDelta,
		TypeMessagesSnapshot, TypeActivitySnapshot, TypeActivityDelta, TypeReasoningStart, TypeReasoningEnd,
		TypeReasoningMessageStart, TypeReasoningMessageContent, TypeReasoningMessageEnd, TypeReasoningMessageChunk,
		TypeReasoningEncryptedValue, TypeSubagentStarted, TypeSubagentFinished, TypeSubagentError, TypeRaw,
		TypeCustom,
	}
}

// Event is one event: a pointer to one of this package's event structs, or [*Unknown] for a type that the
// protocol does not know. Events are values to read: once handed out, nobody changes them (but see
// [Options].ReuseEvents).
type Event interface {
	// EventType gives the value of "type".
	EventType() Type
	// Common gives the fields that every event may carry.
	Common() *Base
}

// Base holds what every event may carry. An optional field that is absent or null is "" (or nil).
type Base struct {
	Type Type
	// Raw is the event's JSON text: as the server sent it, or made anew where the runtime made or had to change the
	// event.
	Raw string
	// SubagentRunID names the subagent that the event belongs to; nil is the parent agent.
	SubagentRunID *string
	// Metadata is the raw JSON object, or "".
	Metadata string
	// RawEvent is the raw JSON value of "rawEvent", or "".
	RawEvent string
	// Timestamp is the raw JSON value of "timestamp", or "".
	Timestamp string
}

// EventType implements [Event].
func (b *Base) EventType() Type { return b.Type }

// Common implements [Event].
func (b *Base) Common() *Base { return b }

// JSON is one JSON value as raw text; "" is absent.
type JSON = string

// Text is a JSON string as it came, quotes included; "" is absent. Half a surrogate pair is kept.
type Text = rawjson.String

type (
	// RunStarted begins a run.
	RunStarted struct {
		Base
		ThreadID, RunID string
		ProtocolVersion Text
		ParentRunID     Text
		Input           JSON // the RunAgentInput's echo, or ""
		// InputMessages are the well-formed messages of Input, in order.
		InputMessages []Message
	}
	// RunFinished ends a run.
	RunFinished struct {
		Base
		ThreadID, RunID string
		Result          JSON
		Outcome         Outcome
		Usage           JSON // TokenUsage[]
	}
	// RunError ends a run with an error.
	RunError struct {
		Base
		Message Text
		Code    JSON // a string; as it came where it is none (lenient)
		Usage   JSON
	}
	// StepStarted begins a step.
	StepStarted struct {
		Base
		StepName string
	}
	// StepFinished ends a step.
	StepFinished struct {
		Base
		StepName string
	}
	// TextMessageStart opens a text message.
	TextMessageStart struct {
		Base
		MessageID string
		Role      Role // assistant where absent
		Name      Text
		// Continues says that it was made here for content or a chunk that goes on with a message which a
		// MESSAGES_SNAPSHOT of this run brought: its text is appended to, not replaced.
		Continues bool
	}
	// TextMessageContent appends to a text message.
	TextMessageContent struct {
		Base
		MessageID string
		Delta     Text
	}
	// TextMessageEnd closes a text message.
	TextMessageEnd struct {
		Base
		MessageID string
	}
	// TextMessageChunk is a shorthand (section 5); applications never see it.
	TextMessageChunk struct {
		Base
		MessageID *string
		Role      Role // "" where absent
		Name      Text
		Delta     Text
	}
	// ToolCallStart opens a tool call.
	ToolCallStart struct {
		Base
		ToolCallID      string
		ToolCallName    Text
		ParentMessageID *string
		// Continues says that a chunk made this START to return to a call that this run already started:
		// its arguments are appended to, not replaced.
		Continues bool
	}
	// ToolCallArgs appends to a tool call's arguments.
	ToolCallArgs struct {
		Base
		ToolCallID string
		Delta      Text
	}
	// ToolCallEnd closes a tool call.
	ToolCallEnd struct {
		Base
		ToolCallID string
		// Incomplete says that the runtime made this event because the run ended first: no handler may run for the
		// call.
		Incomplete bool
	}
	// ToolCallChunk is a shorthand (section 5); applications never see it.
	ToolCallChunk struct {
		Base
		ToolCallID      *string
		ToolCallName    Text
		ParentMessageID *string
		Delta           Text
	}
	// ToolCallResult carries a tool's result.
	ToolCallResult struct {
		Base
		MessageID, ToolCallID string
		Content               JSON // a string or ContentPart[], ready for the message (nulls out, binary parts turned)
	}
	// StateSnapshot replaces the state.
	StateSnapshot struct {
		Base
		Snapshot JSON
	}
	// StateDelta changes the state by an RFC 6902 patch.
	StateDelta struct {
		Base
		Delta JSON
	}
	// MessagesSnapshot gives the conversation anew.
	MessagesSnapshot struct {
		Base
		// Messages are the well-formed ones, in the snapshot's order, nulls out.
		Messages []Message
		// HasActivity and HasReasoning say whether the snapshot as it came, malformed messages included, holds such a
		// message.
		HasActivity, HasReasoning bool
	}
	// ActivitySnapshot gives an activity's content anew.
	ActivitySnapshot struct {
		Base
		MessageID    string
		ActivityType Text
		Content      JSON
		Replace      bool // true where absent
	}
	// ActivityDelta changes an activity's content by an RFC 6902 patch.
	ActivityDelta struct {
		Base
		MessageID    string
		ActivityType Text
		Patch        JSON
	}
	// ReasoningStart opens a span of reasoning.
	ReasoningStart struct {
		Base
		MessageID string
	}
	// ReasoningEnd closes a span of reasoning.
	ReasoningEnd struct {
		Base
		MessageID string
	}
	// ReasoningMessageStart opens a reasoning message.
	ReasoningMessageStart struct {
		Base
		MessageID string
		// Continues says that it was made here for content or a chunk that goes on with a message which a
		// MESSAGES_SNAPSHOT of this run brought: its text is appended to, not replaced.
		Continues bool
	}
	// ReasoningMessageContent appends to a reasoning message.
	ReasoningMessageContent struct {
		Base
		MessageID string
		Delta     Text
	}
	// ReasoningMessageEnd closes a reasoning message.
	ReasoningMessageEnd struct {
		Base
		MessageID string
	}
	// ReasoningMessageChunk is a shorthand (section 5); applications never see it.
	ReasoningMessageChunk struct {
		Base
		MessageID *string
		Delta     Text
	}
	// ReasoningEncryptedValue carries a provider's opaque value for a message or tool call.
	ReasoningEncryptedValue struct {
		Base
		Subtype        string // "tool-call" or "message"
		EntityID       string
		EncryptedValue Text
	}
	// SubagentStarted begins a subagent.
	SubagentStarted struct {
		Base
		ID                  string // subagentRunId
		Name                Text
		Description         Text
		ParentSubagentRunID *string
		ParentToolCallID    *string
		ParentMessageID     *string
	}
	// SubagentFinished ends a subagent.
	SubagentFinished struct {
		Base
		ID      string
		Result  JSON
		Outcome JSON
	}
	// SubagentError ends a subagent with an error.
	SubagentError struct {
		Base
		ID      string
		Message Text
		Code    Text
	}
	// Raw relays a foreign event.
	Raw struct {
		Base
		Event  JSON
		Source Text
	}
	// Custom is an application's own event.
	Custom struct {
		Base
		Name  string
		Value JSON
	}
	// Unknown is an event of a type that the protocol does not know.
	Unknown struct{ Base }
)

// Outcome is RUN_FINISHED's outcome.
type Outcome struct {
	// Kind is "success", "interrupt", "cancelled" or an unknown type as it came; "" is absent, which means success.
	Kind string
	// Raw is the whole outcome, nulls out (as it came where it is not an object), or "".
	Raw JSON
	// PendingToolCallIDs is the success outcome's list; nil where absent.
	PendingToolCallIDs []string
	// Interrupts are the interrupt outcome's well-formed interrupts, in order.
	Interrupts []Interrupt
}

// Interrupt is one open question of an agent to a person.
type Interrupt struct {
	ID        string
	Reason    string
	ExpiresAt string // ISO 8601, "" where absent
	Raw       JSON   // the whole interrupt, nulls out
}
