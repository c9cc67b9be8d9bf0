package thread

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// MaxToolRounds is how many follow-up runs the answers of tools may start after one another where nothing else is said.
const MaxToolRounds = 10

// Call is one tool call that the page can answer.
type Call struct {
	ID, Name string
	// Arguments is a whole JSON object; "{}" where the agent gave none.
	Arguments string
	// Message is the id of the assistant message that holds the call.
	Message string
}

// pendingCalls lists the calls that the page may answer, in the conversation's order: named as pending by the run, in a
// message, without a result, whole, with arguments that are a JSON object. The others are somebody else's, or
// nobody's, and are left alone.
func pendingCalls(store *state.Store, pending []string) []Call {
	wanted := make(map[string]bool, len(pending))
	for _, id := range pending {
		wanted[id] = !store.Incomplete(id)
	}
	for i := range store.Len() {
		if m := store.Message(i); m.Role() == agui.RoleTool {
			delete(wanted, m.ToolCallID())
		}
	}
	var calls []Call
	for i := range store.Len() {
		m := store.Message(i)
		for j := range m.Calls() {
			c := m.Call(j)
			if !wanted[c.ID()] {
				continue
			}
			delete(wanted, c.ID())
			if args, ok := arguments(c.Arguments()); ok {
				calls = append(calls, Call{ID: c.ID(), Name: c.Name(), Arguments: args, Message: m.ID()})
			}
		}
	}
	return calls
}

// arguments checks a call's arguments: a JSON object, or nothing but white space, which is an empty one.
func arguments(text string) (string, bool) {
	trimmed := text
	for trimmed != "" && isSpace(trimmed[0]) {
		trimmed = trimmed[1:]
	}
	if trimmed == "" {
		return "{}", true
	}
	return text, rawjson.Check(text, 0) == nil && rawjson.KindOf(trimmed) == rawjson.Object
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
