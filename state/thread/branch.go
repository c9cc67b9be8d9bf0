package thread

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"aguiwasm/state"
)

// past is the conversation as one run left it.
type past struct {
	// names are the ids of the run: the one that we asked for and the server's own, where it has another.
	names    []string
	of       *run // the request that it belongs to
	finished bool // its RUN_FINISHED came, so that the agent has it

	at      state.Snapshot
	older   map[string]bool
	askers  map[string]string
	last    *state.Snapshot
	closing []closed
}

// KeepRuns is how many runs a thread remembers to branch from, where [Thread.KeepRuns] says nothing else.
const KeepRuns = 1000

// keep remembers the store as it is now under the ids of the run at hand, which it gives, and forgets the oldest run
// beyond the limit; also is another id that its end named. Of runs with the same id the later one counts (some servers
// want the interrupted run's id again when it is resumed), but the id that a run goes by in our requests stays that
// run's: a server may name every run alike.
func (t *Thread) keep(finished bool, also string) []string {
	r := t.run
	names := []string{r.name()}
	for _, id := range []string{r.current, also} {
		if id != "" && !slices.Contains(names, id) && (r.begun && r.current == r.first || id != r.id) && !t.goes(id) {
			names = append(names, strings.Clone(id))
		}
	}
	at := t.store.Snapshot()
	if finished {
		t.last = &at
	}
	t.past = append(t.past, past{
		names: names, of: r, finished: finished, at: at, older: t.older, askers: t.askers, last: t.last,
	})
	limit := KeepRuns
	if t.KeepRuns != nil {
		limit = *t.KeepRuns
	}
	t.ForgetRuns(limit)
	return names
}

// goes says whether an ended run goes by the id in our requests.
func (t *Thread) goes(id string) bool {
	return slices.Contains(t.taken, id) || slices.ContainsFunc(t.past, func(p past) bool { return p.names[0] == id })
}

// Reserve names runs that the caller remembers and the thread does not, as it was made after them: no later run goes by
// their ids because its server names it so.
func (t *Thread) Reserve(runs []string) { t.taken = runs }

// ForgetRuns forgets the runs before the last n: nobody can branch from them any more, and what only they held is free.
// The conversation stays as it is.
func (t *Thread) ForgetRuns(n int) {
	if beyond := len(t.past) - max(n, 0); beyond > 0 {
		t.past = slices.Clone(t.past[beyond:]) // branches may hold the list itself
		t.since = max(t.since-beyond, 0)
	}
}

// find gives the place in past of a run, or -1.
func (t *Thread) find(run string) int {
	for i := len(t.past) - 1; i >= 0; i-- {
		if slices.Contains(t.past[i].names, run) {
			return i
		}
	}
	return -1
}

// Branch makes a thread whose messages, state and interrupts are as they were when the run ended, and whose next run
// carries parentRunId. The run may be named by the id that was asked for or by the server's own. The new thread shares
// the threadId, as the protocol has it for time travel, and knows the earlier runs. The thread itself stays as it is.
// The error has code bad_input.
func (t *Thread) Branch(run string) (*Thread, error) {
	i := t.find(run)
	if i < 0 {
		return nil, refuse("no run " + strconv.Quote(run) + " has ended in this thread")
	}
	p := t.past[i]
	b := New(t.ID, p.at.Store())
	b.KeepRuns, b.History, b.CloseUnanswered, b.parent, b.older, b.asked, b.askers = t.KeepRuns, t.History,
		t.CloseUnanswered, run, p.older, t.asked, p.askers
	b.past = t.past[: i+1 : i+1]
	b.since = min(t.since, i)
	b.last, b.closing, b.awaited, b.taken = p.last, p.closing, maps.Clone(t.awaited), t.taken
	return b, nil
}

// Clone makes a thread of its own that begins as this one: the same conversation, past and id.
func (t *Thread) Clone() *Thread {
	c := New(t.ID, t.store.Fork())
	c.KeepRuns, c.History, c.CloseUnanswered, c.last, c.parent, c.older, c.asked = t.KeepRuns, t.History,
		t.CloseUnanswered, t.last, t.parent, t.older, t.asked
	c.askers, c.since, c.closing, c.awaited, c.dropped = t.askers, t.since, t.closing, maps.Clone(t.awaited), t.dropped
	c.past, c.taken = t.past[:len(t.past):len(t.past)], t.taken
	c.forks = cloneForks(t.forks)
	return c
}
