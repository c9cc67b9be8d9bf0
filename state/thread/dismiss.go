package thread

import (
	"slices"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// Dismiss leaves a question without an answer: an interrupt, or a waiting call, by its id; "" means all of them. A call
// that an interrupt is about means that interrupt.
//
// An interrupt is no longer open then. The next request says that it is cancelled; if the agent refuses that too (it
// may have forgotten the question), the requests after it say nothing. A call gets its tool message at once. The error
// has code bad_input.
func (t *Thread) Dismiss(id string, newID func() string, ch *state.Changes) error {
	if t.run != nil {
		return refuse("a run is under way in this thread; nothing can be dismissed before its end")
	}
	keep := []agui.Interrupt{}
	dropped := slices.Clone(t.dropped)
	for _, i := range t.store.Interrupts() {
		if id == "" || i.ID == id || callOf(i) == id {
			dropped = append(dropped, i)
		} else {
			keep = append(keep, i)
		}
	}
	found := len(dropped) > len(t.dropped)
	if found {
		t.dropped = dropped
		t.store.SetInterrupts(keep, ch)
	}
	for _, c := range t.Waiting() {
		if id == "" || c.ID == id {
			found = true
			t.store.AddToolResult(toolMessage(closed{call: c.ID, content: Dismissed}, newID), ch)
		}
	}
	if !found && id != "" {
		return refuse("nothing in this thread waits for a person under the id " + string(rawjson.Quote(id)))
	}
	return nil
}

// questions gives the interrupts that the agent waits for: the open ones, and those that were dismissed without its
// knowing.
func (t *Thread) questions() []agui.Interrupt {
	open := t.store.Interrupts()
	if len(t.dropped) == 0 {
		return open
	}
	return append(slices.Clone(open), t.dropped...)
}

// cancelled adds to a run's answers that the dismissed interrupts are cancelled, where it does not answer them itself.
func (t *Thread) cancelled(entries []agui.ResumeEntry) []agui.ResumeEntry {
	entries = slices.Clip(entries)
	for _, i := range t.dropped {
		if !slices.ContainsFunc(entries, func(e agui.ResumeEntry) bool { return e.InterruptID == i.ID }) {
			raw := `{"interruptId":` + string(rawjson.Quote(i.ID)) + `,"status":"cancelled"}`
			entries = append(entries, agui.ResumeEntry{InterruptID: i.ID, Status: "cancelled", Raw: raw})
		}
	}
	return entries
}
