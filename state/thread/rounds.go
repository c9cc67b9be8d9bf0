package thread

import (
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// MaxToolRounds is how many follow-up runs the answers of tools may start after one another where nothing else is said.
const MaxToolRounds = 10

// Call is one tool call that the page can answer.
type Call struct {
	ID, Name string
	// Arguments is a whole JSON object, unless there is an Error; "{}" where the agent gave none.
	Arguments string
	// Message is the id of the assistant message that holds the call.
	Message string
	// Error says why the call cannot be run: its arguments are no JSON object. Its answer is this error.
	Error string
	// Interrupt is the open interrupt that wants the call executed by the page: the result is its answer. "" means that
	// the result is a tool message.
	Interrupt string
}

// executionReason ends the reason of an interrupt that asks the page to execute a tool's call.
const executionReason = "client_tool_execution"

// executions lists the calls that open interrupts ask the page to execute, where the page has a handler.
func executions(store *state.Store, open []agui.Interrupt, handled func(name string) bool) []Call {
	wanted := map[string]string{}
	for _, i := range open {
		if id := callOf(i); id != "" && strings.HasSuffix(i.Reason, executionReason) {
			wanted[id] = i.ID
		}
	}
	return findCalls(store, handled, func(id string) (interrupt string, ok bool) {
		interrupt, ok = wanted[id]
		return interrupt, ok
	})
}

// pendingCalls lists the calls that the page answers: named as pending, in a message, without a result, of a tool with
// a handler, and whole. The others are somebody else's, or nobody's, and are left alone.
func pendingCalls(store *state.Store, pending []string, handled func(name string) bool) []Call {
	wanted := make(map[string]bool, len(pending))
	for _, id := range pending {
		wanted[id] = !store.Incomplete(id)
	}
	return findCalls(store, handled, func(id string) (string, bool) { return "", wanted[id] })
}

// findCalls lists wanted calls without a result, in the conversation's order, each once.
func findCalls(store *state.Store, handled func(name string) bool,
	wanted func(id string) (interrupt string, ok bool)) []Call {
	unanswered := unansweredCalls(store)
	var calls []Call
	for i := range store.Len() {
		m := store.Message(i)
		for j := range m.Calls() {
			c := m.Call(j)
			interrupt, ok := wanted(c.ID())
			if !ok || !unanswered[c.ID()] || !handled(c.Name()) {
				continue
			}
			delete(unanswered, c.ID())
			call := Call{ID: c.ID(), Name: c.Name(), Message: m.ID(), Interrupt: interrupt}
			call.Arguments, call.Error = arguments(c.Arguments())
			calls = append(calls, call)
		}
	}
	return calls
}

// arguments checks a call's arguments: a JSON object, or nothing but white space, which is an empty one. problem says
// what is wrong with any other.
func arguments(text string) (args, problem string) {
	trimmed := text
	for trimmed != "" && isSpace(trimmed[0]) {
		trimmed = trimmed[1:]
	}
	if trimmed == "" {
		return "{}", ""
	}
	if err := rawjson.Check(text, 0); err != nil {
		return text, "the arguments are not valid JSON: " + err.Error()
	}
	if rawjson.KindOf(trimmed) != rawjson.Object {
		return text, "the arguments must be a JSON object"
	}
	return text, ""
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
