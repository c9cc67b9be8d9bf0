package agui

// Role decides a message's kind.
type Role string

// The roles.
const (
	Developer Role = "developer"
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
	Reasoning Role = "reasoning"
	Activity  Role = "activity"
)

// Message is one checked message: the fields that decide things, over the raw text that keeps the rest.
type Message struct {
	ID   string
	Role Role
	// SubagentRunID names the owner; nil is the parent agent.
	SubagentRunID *string
	// ToolCallID is a tool message's call.
	ToolCallID string
	// ToolCalls are an assistant message's calls, in order.
	ToolCalls []ToolCall
	// Raw is the message's JSON object with nulls of optional fields left out and retired parts turned into 1.0 ones.
	Raw JSON
	// AsCame says that Raw is the server's own text, unchanged (so a batch can point at it inside the event).
	AsCame bool
	// At is the message's index in the array that it came in.
	At int
}

// ToolCall is one tool call of an assistant message.
type ToolCall struct {
	ID        string
	Name      Text
	Arguments Text
	Raw       JSON
}
