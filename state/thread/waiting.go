package thread

import (
	"slices"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// Dismissed is what a call is told that a person leaves without an answer.
const Dismissed = "dismissed"

// Waiting lists the calls that wait for an answer which nothing gives by itself, in the conversation's order. Such a
// call has no tool message; its run is over; no open interrupt is about it, whose answer would be its own; it was not
// cut off, so that the next request closes it; and the conversation has not left it behind: no assistant has spoken
// since a person went on without answering it.
//
// It is judged by the conversation, not by an outcome's list: so it holds for a thread that was loaded, after a
// snapshot, and for calls beside an interrupt, which no outcome names.
func (t *Thread) Waiting() []Call { return t.waiting(nil) }

// waiting is Waiting for the tools whose names pass; nil passes all.
func (t *Thread) waiting(names func(string) bool) []Call {
	not := map[string]bool{}
	for _, c := range t.closing {
		not[c.call] = true
	}
	if r := t.run; r != nil {
		for _, list := range [][]string{r.calls, r.cut, r.pending} {
			for _, id := range list {
				not[id], not[t.store.CallID(id)] = true, true
			}
		}
	}
	for _, i := range t.questions() {
		not[callOf(i)] = true
	}
	for i := range leftBehind(t.store) {
		m := t.store.Message(i)
		for j := range m.Calls() {
			not[m.Call(j).ID()] = true
		}
	}
	pass := func(name string) bool { return names == nil || names(name) }
	return findCalls(t.store, pass, func(id string) (string, bool) { return "", !not[id] })
}

// leftBehind gives the place before which calls are left behind: that of the last person's message after which an
// assistant has spoken.
func leftBehind(store *state.Store) int {
	spoken := false
	for i := store.Len() - 1; i >= 0; i-- {
		switch store.Message(i).Role() {
		case agui.RoleAssistant:
			spoken = true
		case agui.RoleUser:
			if spoken {
				return i
			}
		}
	}
	return 0
}

// Answers says who has answered calls since the last request.
type Answers struct {
	// Handlers of tools have.
	Handlers bool
	// Persons are the calls that persons have answered.
	Persons []string
	// Known says which tools are the page's; nil: none.
	Known func(tool string) bool
}

// Follows reports whether a run follows from answers: not while an interrupt is open, nor while a call of the page's
// tools waits; another may be the server's, which tells no results. After a person's answer to a tool that the page
// does not know no call at all may wait, or the agent would be asked again with a call open.
func (t *Thread) Follows(a Answers) bool {
	if t.run != nil || len(t.store.Interrupts()) > 0 || !a.Handlers && len(a.Persons) == 0 {
		return false
	}
	known := none(a.Known)
	for i := range t.store.Len() {
		m := t.store.Message(i)
		for j := range m.Calls() {
			if c := m.Call(j); slices.Contains(a.Persons, c.ID()) && !known(c.Name()) {
				return len(t.waiting(nil)) == 0
			}
		}
	}
	return len(t.waiting(known)) == 0
}

func none(f func(string) bool) func(string) bool {
	if f == nil {
		return func(string) bool { return false }
	}
	return f
}

// Wait says that calls which Finish gave wait for a person first: nothing here will answer them by itself.
func (t *Thread) Wait(ids []string) {
	list := slices.DeleteFunc(slices.Clone(t.closing),
		func(c closed) bool { return c.interrupt == "" && slices.Contains(ids, c.call) })
	t.closing = list
	for i := len(t.past) - 1; i >= 0 && t.past[i].of == t.past[len(t.past)-1].of; i-- {
		t.past[i].closing = list
	}
}

// Pending lists the waiting calls of tools with a handler, or the one of that id, for a page that answers them now:
// after a reload nothing runs by itself, as an effect might come twice.
func (t *Thread) Pending(handled func(name string) bool, id string) []Call {
	if t.run != nil {
		return nil
	}
	return t.hand(slices.DeleteFunc(t.waiting(handled), func(c Call) bool { return id != "" && c.ID != id }))
}

// hand notes that handlers have the calls now: one that is stopped before it has answered leaves its call cut off.
func (t *Thread) hand(calls []Call) []Call {
	t.closing = slices.Clone(t.closing)
	for _, c := range calls {
		t.closing = append(t.closing, closed{call: c.ID, content: notFinished})
	}
	return calls
}

// Restate puts answers behind their calls. A call that is gone, and one that has its answer, gets none: each has one,
// and a snapshot of the agent's may have come before it. It counts the answers that stand.
func (t *Thread) Restate(answers []agui.Message, ch *state.Changes) (standing int) {
	if len(answers) == 0 {
		return 0
	}
	calls := unansweredCalls(t.store)
	for _, m := range answers {
		switch unanswered, known := calls[m.ToolCallID]; {
		case !known:
			continue
		case unanswered:
			calls[m.ToolCallID] = false
			t.store.AddToolResult(m, ch)
		}
		standing++
	}
	return standing
}
