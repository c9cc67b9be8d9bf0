package agui

// Known answers what the conversation so far holds; the sequence rules and their repairs ask it.
// state.Store implements it.
type Known interface {
	// MessageRole gives the role of the message that the wire's id names for that kind ("text", "reasoning", "activity", "tool").
	MessageRole(kind, id string) (Role, bool)
	// MessageOwner gives the subagentRunId of that message; nil is the parent agent.
	MessageOwner(kind, id string) (owner *string, ok bool)
	// HasToolCall reports whether any message holds the call.
	HasToolCall(id string) bool
}

// Options configure a [Pipeline].
type Options struct {
	// Strict ends the run at a violation instead of repairing it (section 6).
	Strict bool
	// ThreadID and RunID are the input's, for a RUN_STARTED that has to be made.
	ThreadID, RunID string
	// Known is the conversation; nil is an empty one.
	Known Known
	// NewID makes ids for what comes without one; nil numbers them.
	NewID func() string
	// Emit takes each event, in order; it is applied before Emit returns. Returning false ends the pipeline.
	Emit func(Event) bool
	// Warn takes each warning, in order with the events.
	Warn func(Warning)
}
