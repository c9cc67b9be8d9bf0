package agui

// Input is a checked RunAgentInput (section 2).
type Input struct {
	ThreadID, RunID string
	ParentRunID     Text
	ProtocolVersion Text
	State           JSON // "{}" where absent
	// Messages are the checked messages, retired parts turned, ids made where absent.
	Messages       []Message
	Tools          []Tool
	Context        JSON // Context[]
	ForwardedProps JSON // "{}" where absent
	Resume         []ResumeEntry
	// Extra holds the members that the protocol does not know, in order.
	Extra []Member
}

// Member is a named value of an object.
type Member struct {
	Key   Text
	Value JSON
}

// Tool is a frontend tool.
type Tool struct {
	Name string
	Raw  JSON
}

// ResumeEntry answers one interrupt.
type ResumeEntry struct {
	InterruptID string
	Status      string // "resolved" or "cancelled"
	Raw         JSON
}

// InputOptions configure [ParseInput].
type InputOptions struct {
	// NewID makes the ids that are absent; nil numbers them.
	NewID func() string
	// Warn takes legacy_shape warnings; nil drops them.
	Warn func(Warning)
}

// ParseInput checks a (partial) RunAgentInput. The error is an [*Error] with code bad_input whose message names the field,
// such as messages[2].content.
func ParseInput(text string, o InputOptions) (*Input, error) { return nil, nil }

// ParseMessages checks an array of messages as [ParseInput] does; path is what the message of an error calls the array.
func ParseMessages(text, path string, o InputOptions) ([]Message, error) { return nil, nil }

// AppendBody appends the request's body. messages (a JSON array, activity messages are left out) and state stand in for the input's own where they
// are not "".
func (in *Input) AppendBody(dst []byte, messages, state JSON) []byte { return dst }
