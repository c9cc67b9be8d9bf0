package thread

import (
	"slices"
	"strconv"

	"aguiwasm/state"
)

// past is the conversation as one run left it.
type past struct {
	run   string
	at    state.Snapshot
	older map[string]bool
	last  *state.Snapshot
}

// KeepRuns is how many runs a thread remembers to branch from, where [Thread.KeepRuns] says nothing else.
const KeepRuns = 1000

// keep remembers the store as it is now under the run's id, and forgets the oldest run beyond the limit. Of runs with the same id the later one counts (some servers
// want the interrupted run's id again when it is resumed).
func (t *Thread) keep(run string, finished bool) {
	at := t.store.Snapshot()
	if finished {
		t.last = &at
	}
	t.past = append(t.past, past{run: run, at: at, older: t.older, last: t.last})
	limit := KeepRuns
	if t.KeepRuns != nil {
		limit = *t.KeepRuns
	}
	t.ForgetRuns(limit)
}

// ForgetRuns forgets the runs before the last n: nobody can branch from them any more, and what only they held is free.
// The conversation stays as it is.
func (t *Thread) ForgetRuns(n int) {
	if beyond := len(t.past) - max(n, 0); beyond > 0 {
		t.past = slices.Clone(t.past[beyond:]) // branches may hold the list itself
	}
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
		b := New(t.ID, p.at.Store())
		b.History, b.KeepRuns, b.parent, b.older, b.asked = t.History, t.KeepRuns, run, p.older, t.asked
		b.past = t.past[: i+1 : i+1]
		b.last = p.last
		return b, nil
	}
	return nil, refuse("no run " + strconv.Quote(run) + " has ended in this thread")
}

// Clone makes a thread of its own that begins as this one: the same conversation, past and id.
func (t *Thread) Clone() *Thread {
	c := New(t.ID, t.store.Fork())
	c.History, c.KeepRuns, c.last, c.parent, c.older, c.asked = t.History, t.KeepRuns, t.last, t.parent, t.older, t.asked
	c.past = t.past[:len(t.past):len(t.past)]
	return c
}
