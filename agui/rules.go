package agui

// Rule is one row of section 6: what a stream must keep to, and what lenient mode does where it does not.
// Strict mode ends the run with a protocol error instead.
type Rule struct {
	// Name stands in warnings and errors.
	Name string
	// Says is the rule, one clause.
	Says string
	// Repair is what lenient mode does.
	Repair string
}

// rule is the index of a row in rules.
type rule uint8

const (
	firstEvent rule = iota
	oneRun
	afterEnd
	startOnce
	contentOpen
	argsOpen
	endOpen
	finishClosed
	stepPairs
	subagentPairs
	oneOwner
	chunkID
	chunkName
	chunkAgrees
	chunkClear
	oneObject
	messageID
)

// rules are the sequence rules. pipeline.go, expand.go, verify.go and lifecycle.go check them, in the functions named
// on the right. (The rule that known fields have the right kind is the decoder's: see [Decode] and [Droppable].)
var rules = [...]Rule{
	firstEvent: {"first-event", // Pipeline.judge
		"the first event is RUN_STARTED or RUN_ERROR",
		"a RUN_STARTED with the input's ids was made first"},
	oneRun: {"one-run", // Pipeline.runStarted
		"no RUN_STARTED comes inside an active run",
		"it was delivered and resets nothing"},
	afterEnd: {"after-end", // Pipeline.judge
		"after RUN_FINISHED only RUN_ERROR or RUN_STARTED may come, after RUN_ERROR only RUN_STARTED",
		"after RUN_FINISHED it was delivered as if the run went on, unless it was another end; after RUN_ERROR it was dropped; the outcome stands"},
	startOnce: {"start-once", // Pipeline.opens
		"a message, reasoning span or tool call does not start while the same id is open",
		"the START was dropped"},
	contentOpen: {"content-open", // Pipeline.textContent, reasoningContent
		"text and reasoning come only while their id is open",
		"a START was made"},
	argsOpen: {"args-open", // Pipeline.toolArgs
		"arguments come only while their tool call is open",
		"they were appended to their known call, or dropped where no message holds the call"},
	endOpen: {"end-open", // Pipeline.closes
		"an END comes only for an open id",
		"the END was dropped"},
	finishClosed: {"finish-closed", // Pipeline.runFinished
		"RUN_FINISHED comes only when no step, text message, tool call, reasoning or subagent is open",
		"END events were made for the messages, tool calls and spans that were open; steps and subagents were forgotten"},
	stepPairs: {"step-pairs", // Pipeline.stepStarted, stepFinished
		"a step of one owner starts only while it is not open, and finishes only while it is",
		"it was delivered"},
	subagentPairs: {"subagent-pairs", // Pipeline.subagentStarted, subagentEnded
		"a subagent starts once in a run and under a known parent, and ends only while it is active",
		"it was delivered"},
	oneOwner: {"one-owner", // Pipeline.owned
		"what continues a message, reasoning, tool call or activity names no other subagent than its opener",
		"it was delivered, the opener's owner holds"},
	chunkID: {"chunk-id", // Pipeline.open
		"the first chunk of a stream has an id",
		"an id was made"},
	chunkName: {"chunk-name", // Pipeline.open
		"the first chunk of a tool call has a toolCallName",
		"its delta was appended to its known call, or dropped where no message holds the call"},
	chunkAgrees: {"chunk-agrees", // Pipeline.agrees, resolve
		"a chunk repeats a field of its stream's first chunk only with the same value",
		"the first chunk's value holds"},
	chunkClear: {"chunk-clear", // Pipeline.resolve
		"a chunk without id and subagentRunId continues the only open stream of its kind",
		"it continues the stream used last"},
	oneObject: {"one-object", // Pipeline.lines
		"the data of a frame is one JSON object",
		"each of its lines, a whole object, was taken as an event"},
	messageID: {"message-id", // Pipeline.nameless
		"an event of a text or reasoning message names its messageId",
		"a START got an id made here, CONTENT and END mean the message of their kind that was opened last"},
}

// Rules gives the sequence rules in the order of section 6.
func Rules() []Rule { return append([]Rule(nil), rules[:]...) }

// broken reports a breach of a rule by the event at hand. In strict mode the answer is the error that ends the run;
// in lenient mode it is nil, after a warning, and the caller repairs.
func (p *Pipeline) broken(r rule, what string) *Error {
	if p.o.Strict {
		return &Error{Code: CodeProtocol, Message: what + ", but " + rules[r].Says, Event: p.raw}
	}
	p.warn(Warning{Code: WarnRepaired, Message: what + ": " + rules[r].Repair + " (rule " + rules[r].Name + ")",
		Event: p.raw})
	return nil
}
