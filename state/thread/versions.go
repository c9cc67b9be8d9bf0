package thread

import (
	"slices"
	"strconv"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// Fork is a place where the conversation went on in more than one way, because a person edited a message or had an
// answer made again.
type Fork struct {
	// Before is the id of the message in front of it; "" is the conversation's start.
	Before string
	// Shown is the version that the conversation holds; Count counts them all, in the order in which they were made.
	Shown, Count int
}

// fork holds what a [Fork] tells of.
type fork struct {
	before   string
	shown    int
	versions []version
}

// version is one way in which the conversation went on.
type version struct {
	// first is the id of its first message, "" as long as there is none.
	first string
	// left is the thread as it was when another version took its place. Of the shown version it means nothing.
	left left
}

// left is what a version needs to be shown again.
type left struct {
	id      string // the thread's
	at      state.Snapshot
	parent  string
	last    *state.Snapshot
	older   map[string]bool
	askers  map[string]string
	closing []closed
	dropped []agui.Interrupt
	forks   []fork // those behind the place
}

// Edit takes the conversation back to where a person's message stands, and that message out: the caller puts another
// one in its place. What is taken out is kept as a version. The state is again what the run got that answered the
// message, where that run is known, and the next run carries the parentRunId of the last run before it. The error has
// code bad_input.
func (t *Thread) Edit(id string, ch *state.Changes) error {
	i := t.index(id)
	if i < 0 || t.store.Message(i).Role() != agui.RoleUser {
		return refuse("there is no message of a person " + string(rawjson.Quote(id)) + " in this thread")
	}
	return t.rewind(i, i, ch)
}

// Regenerate takes an answer out so that the next run gives another one, as [Thread.Edit] does: everything behind the
// last message that is not an agent's, up to which the message (with id "", the last one) belongs.
func (t *Thread) Regenerate(id string, ch *state.Changes) error {
	i := t.store.Len() - 1
	if id != "" {
		i = t.index(id)
	}
	if i < 0 {
		return refuse("there is no message " + string(rawjson.Quote(id)) + " in this thread")
	}
	at := t.turn(i)
	return t.rewind(at, at-1, ch)
}

// index gives a message's place, or -1.
func (t *Thread) index(id string) int {
	for i := range t.store.Len() {
		if t.store.Message(i).ID() == id {
			return i
		}
	}
	return -1
}

// Asks reports whether messages of a role are no agent's: an answer begins behind them.
func Asks(role agui.Role) bool {
	return role == agui.RoleUser || role == agui.RoleSystem || role == agui.RoleDeveloper
}

// turn gives the place where the answer begins that a message belongs to; of a message that is not an agent's, the one
// behind it.
func (t *Thread) turn(i int) int {
	for ; i >= 0 && !Asks(t.store.Message(i).Role()); i-- {
	}
	return i + 1
}

// rewind takes out what stands at and behind a place. asked is the place of the message whose answer that is, -1 where
// there is none.
func (t *Thread) rewind(at, asked int, ch *state.Changes) error {
	if t.run != nil {
		return refuse("a run is under way in this thread; abort it first")
	}
	t.settleForks()
	before := ""
	if at > 0 {
		before = t.store.Message(at - 1).ID()
	}
	// The run that was the first to get the message.
	first := slices.IndexFunc(t.past, func(p past) bool {
		began := &p.of.began
		if asked < 0 {
			return began.Len() == 0
		}
		m := t.store.Message(asked)
		for i := began.Len() - 1; i >= 0; i-- {
			if began.Message(i).ID() == m.ID() {
				return began.Message(i).Version() == m.Version()
			}
		}
		return false
	})
	n := slices.IndexFunc(t.forks, func(f fork) bool { return f.before == before })
	if n < 0 {
		n = len(t.forks)
		t.forks = append(t.forks, fork{before: before, versions: []version{{first: t.idAt(at)}}})
	}
	behind := t.leave(n, at)
	f := &t.forks[n]
	f.versions = append(f.versions, version{})
	f.shown = len(f.versions) - 1
	t.forks = without(t.forks, behind)

	var began *state.Snapshot
	parents := t.past
	if first >= 0 {
		began, parents = &t.past[first].of.began, t.past[:first]
	}
	t.store.Rewind(at, began, ch)
	t.parent, t.last, t.older, t.askers, t.dropped = "", nil, nil, nil, nil
	for i := len(parents) - 1; i >= t.since; i-- {
		if p := &parents[i]; keeps(&p.at, t.store) {
			t.parent, t.last, t.older, t.askers = p.names[0], p.last, p.older, p.askers
			// Its questions were left when the conversation went on, and are left again.
			t.dropped = p.at.Interrupts()
			break
		}
	}
	return nil
}

// Show puts a version of the fork behind a message ("" is the start) into the place of the shown one, with the state
// and the questions that it had. The next run carries its last run as parentRunId. The error has code bad_input.
func (t *Thread) Show(before string, n int, ch *state.Changes) error {
	if t.run != nil {
		return refuse("a run is under way in this thread; abort it first")
	}
	t.settleForks()
	i := slices.IndexFunc(t.forks, func(f fork) bool { return f.before == before })
	if i < 0 || n < 0 || n >= len(t.forks[i].versions) {
		return refuse("there is no version " + strconv.Itoa(n) + " behind the message " + string(rawjson.Quote(before)))
	}
	f := &t.forks[i]
	if n == f.shown {
		return nil
	}
	behind := t.leave(i, t.index(before)+1)
	f.shown = n
	l := f.versions[n].left
	f.versions[n].left = left{}
	t.forks = append(without(t.forks, behind), l.forks...)
	t.store.Restore(l.at, ch)
	t.parent, t.last, t.older, t.askers, t.closing, t.dropped = l.parent, l.last, l.older, l.askers, l.closing,
		l.dropped
	if l.id != t.ID { // the agent's thread of this id has had nothing of it
		t.parent, t.last, t.askers = "", nil, nil
	}
	return nil
}

// leave keeps the thread as it is for the version of a fork that is shown, with the forks behind the place, whose
// indices it gives.
func (t *Thread) leave(n, at int) (behind []int) {
	f := &t.forks[n]
	l := left{
		id: t.ID, at: t.store.Snapshot(), parent: t.parent, last: t.last, older: t.older, askers: t.askers,
		closing: t.closing, dropped: t.dropped,
	}
	// What goes on from here later goes on from the last run of this version, whatever runs came after.
	if len(t.past) > t.since && t.parent == "" {
		l.parent = t.past[len(t.past)-1].names[0]
	}
	for i := range t.forks {
		if i != n && t.index(t.forks[i].before) >= at {
			behind = append(behind, i)
			l.forks = append(l.forks, t.forks[i])
		}
	}
	f.versions[f.shown].left = l
	return behind
}

// without gives the forks but for some of them.
func without(forks []fork, not []int) (out []fork) {
	for i := range forks {
		if !slices.Contains(not, i) {
			out = append(out, forks[i])
		}
	}
	return out
}

// settleForks forgets the forks whose place is gone, because the page or the agent has taken the messages there away.
func (t *Thread) settleForks() {
	t.forks = slices.DeleteFunc(t.forks, func(f fork) bool {
		at := t.index(f.before) + 1
		if f.before != "" {
			return at == 0
		}
		shown := &f.versions[f.shown]
		if shown.first == "" {
			shown.first = t.idAt(at)
		}
		return shown.first != t.idAt(at) // another conversation begins there
	})
}

// idAt gives the id of the message at a place, or "".
func (t *Thread) idAt(i int) string {
	if i >= t.store.Len() {
		return ""
	}
	return t.store.Message(i).ID()
}

// Forks gives the places of the conversation that have more than one version.
func (t *Thread) Forks() []Fork {
	t.settleForks()
	out := make([]Fork, len(t.forks))
	for i, f := range t.forks {
		out[i] = Fork{Before: f.before, Shown: f.shown, Count: len(f.versions)}
	}
	return out
}

// VersionsOf gives the fork at which a message stands: of a person's message, where it was edited; of another, where
// the answer was made again that it belongs to. A Count of 0 says that there is none.
func (t *Thread) VersionsOf(id string) Fork {
	i := t.index(id)
	if i < 0 {
		return Fork{}
	}
	if at := t.turn(i); at > i {
		i-- // of a message that is not an agent's
	} else {
		i = at - 1
	}
	before := ""
	if i >= 0 {
		before = t.store.Message(i).ID()
	}
	for _, f := range t.Forks() {
		if f.Before == before {
			return f
		}
	}
	return Fork{}
}

// Version gives the messages of a version from the fork on; nil where there is none.
func (t *Thread) Version(before string, n int) (messages []state.Message) {
	for i := range t.forks {
		f := &t.forks[i]
		if f.before != before || n < 0 || n >= len(f.versions) {
			continue
		}
		if n == f.shown {
			for j := t.index(before) + 1; j < t.store.Len(); j++ {
				messages = append(messages, t.store.Message(j))
			}
			return messages
		}
		found := before == ""
		for m := range f.versions[n].left.at.Messages() {
			if found {
				messages = append(messages, m)
			}
			found = found || m.ID() == before
		}
	}
	return messages
}

// cloneForks gives forks of their own to a clone. What a version has left is never changed in place.
func cloneForks(forks []fork) []fork {
	out := slices.Clone(forks)
	for i := range out {
		out[i].versions = slices.Clone(out[i].versions)
	}
	return out
}
