package thread

import (
	"strconv"

	"aguiwasm/state"
)

// past is the conversation as one run left it.
type past struct {
	run   string
	store *state.Store
	older map[string]bool
	last  *state.Store
}

// keep remembers the store as it is now under the run's id. Of runs with the same id the later one counts (some servers
// want the interrupted run's id again when it is resumed).
func (t *Thread) keep(run string, finished bool) {
	store := t.store.Fork()
	if finished {
		t.last = store
	}
	t.past = append(t.past, past{run: run, store: store, older: t.older, last: t.last})
}

// Branch makes a thread whose messages, state and interrupts are as they were when the run ended, and whose next run
// carries parentRunId. It shares the threadId, as the protocol has it for time travel, and knows the earlier runs. The
// thread itself stays as it is. The error has code bad_input.
func (t *Thread) Branch(run string) (*Thread, error) {
	for i := len(t.past) - 1; i >= 0; i-- {
		p := t.past[i]
		if p.run != run {
			continue
		}
		b := New(t.ID, p.store.Fork())
		b.History, b.parent, b.older, b.asked = t.History, run, p.older, t.asked
		b.past = t.past[: i+1 : i+1]
		b.last = p.last
		return b, nil
	}
	return nil, refuse("no run " + strconv.Quote(run) + " has ended in this thread")
}

// Clone makes a thread of its own that begins as this one: the same conversation, past and id.
func (t *Thread) Clone() *Thread {
	c := New(t.ID, t.store.Fork())
	c.History, c.last, c.parent, c.older, c.asked = t.History, t.last, t.parent, t.older, t.asked
	c.past = t.past[:len(t.past):len(t.past)]
	return c
}
