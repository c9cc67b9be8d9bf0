package thread

import "strconv"

// past is the conversation as one run left it.
type past struct {
	run   string
	store Store
	older map[string]bool
	last  Store
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
func (t *Thread) Branch(run string) (*Thread, Store, error) {
	for i := len(t.past) - 1; i >= 0; i-- {
		p := t.past[i]
		if p.run != run {
			continue
		}
		store := p.store.Fork()
		b := New(t.ID, store)
		b.History, b.parent, b.older, b.asked = t.History, run, p.older, t.asked
		b.past = t.past[: i+1 : i+1]
		b.last = p.last
		return b, store, nil
	}
	return nil, nil, refuse("no run " + strconv.Quote(run) + " has ended in this thread")
}
