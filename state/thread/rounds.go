package thread

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
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

// openCalls follows the tool calls of one run by their events, to know which of them are whole.
type openCalls struct {
	broken map[string]bool // started and not ended, or ended by the runtime
}

func (o *openCalls) observe(e agui.Event) {
	switch e := e.(type) {
	case *agui.ToolCallStart:
		o.set(e.ToolCallID, true)
	case *agui.ToolCallEnd:
		if !e.Incomplete {
			o.set(e.ToolCallID, false)
		}
	}
}

func (o *openCalls) set(id string, broken bool) {
	if !broken {
		delete(o.broken, id)
		return
	}
	if o.broken == nil {
		o.broken = map[string]bool{}
	}
	o.broken[id] = true
}

// pendingCalls lists the calls that the page may answer, in the conversation's order: named as pending by the run, in a
// message, without a result, whole, with arguments that are a JSON object. The others are somebody else's, or
// nobody's, and are left alone.
func pendingCalls(messages []agui.Message, pending []string, broken map[string]bool) []Call {
	wanted := make(map[string]bool, len(pending))
	for _, id := range pending {
		wanted[id] = !broken[id]
	}
	for _, m := range messages {
		if m.Role == agui.ToolRole {
			delete(wanted, m.ToolCallID)
		}
	}
	var calls []Call
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			if !wanted[c.ID] {
				continue
			}
			delete(wanted, c.ID)
			if args, ok := arguments(c.Arguments.Decode()); ok {
				calls = append(calls, Call{ID: c.ID, Name: c.Name.Decode(), Arguments: args, Message: m.ID})
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
