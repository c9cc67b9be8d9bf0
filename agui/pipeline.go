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
	// DecodeOnly decodes and emits and does nothing else: no retired shapes, no chunks, no sequence rules.
	DecodeOnly bool
}

// Pipeline takes the events' data of one response and gives whole, verified events in order (sections 5 and 6).
type Pipeline struct{ o Options }

// NewPipeline makes a pipeline.
func NewPipeline(o Options) *Pipeline { return &Pipeline{o: o} }

// Push takes one event's data. What it makes of it goes to Emit and Warn before Push returns. An error is an [*Error] and
// terminal: everything before it was emitted, and the pipeline takes nothing more.
func (p *Pipeline) Push(data string) error { return nil }

// End says that the stream ended. It gives nil where the last run is complete, run_error where it ended so, and
// incomplete_stream where no terminal event came.
func (p *Pipeline) End() error { return nil }

// Terminal reports whether the last run has ended and no other has begun.
func (p *Pipeline) Terminal() bool { return false }

// LastRunError gives the RUN_ERROR that ended the last run, or nil.
func (p *Pipeline) LastRunError() *RunError { return nil }
