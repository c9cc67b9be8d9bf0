package thread

import (
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// Thread is one conversation across its runs. It is not safe for use by several goroutines.
type Thread struct {
	// ID is the threadId.
	ID string
	// History says which messages a run sends.
	History History
	// KeepRuns is how many ended runs the thread remembers to branch from; nil is the constant [KeepRuns].
	KeepRuns *int
	// CloseUnanswered closes, before each request, every call without an answer that no outcome names as pending and no
	// open interrupt is about.
	CloseUnanswered bool

	store  *state.Store
	last   *state.Snapshot // the store as of the last finished run; nil before the first
	parent string          // the run that this thread branched from, until a run of its own finished
	run    *run
	past   []past
	taken  []string          // see Reserve; never changed in place
	since  int               // where in past the runs under the present ID begin
	older  map[string]bool   // which open interrupts came in the older dialect
	asked  int               // how many interrupts of the older dialect there were
	askers map[string]string // the run that asked each interrupt; never changed in place
	// closing says what a call that nobody will answer any more is told before the next request; see [Thread.Prepare].
	closing []closed
	// awaited are the calls that the last outcomes named as pending, which are never closed.
	awaited map[string]bool
	// dropped are the interrupts that a person dismissed and the agent has not been told of.
	dropped []agui.Interrupt
	// forks are the places of the conversation that have more than one version.
	forks []fork
}

// New makes a thread over a store.
func New(id string, store *state.Store) *Thread { return &Thread{ID: id, store: store} }

// Params are what the caller of a run says; the rest is the thread's.
type Params struct {
	// Input holds runId, tools, context, forwardedProps and resume, checked; its messages and state are not used.
	Input *agui.Input
	// Now is the time in milliseconds since 1970.
	Now int64
	// SameRunID lets a run that resumes carry the interrupted run's own runId, where that is known, instead of Input's.
	SameRunID bool
	// Said says that a person goes on with other words, as a person's message at the conversation's end does: the
	// waiting calls of the tools that Known names are dismissed.
	Said bool
	// Known says which tools are the page's, and Asks of which of them a person answers the calls; nil is none.
	Known, Asks func(tool string) bool
	// NewID makes the ids of tool messages that close calls; nil makes them from the calls' ids.
	NewID func() string
	// Changes takes what closing calls changed in the conversation; it may be nil.
	Changes *state.Changes
}

// Prepared is a run that may be sent.
type Prepared struct {
	// Input is the run's input without messages and state, which are the store's.
	Input *agui.Input
	// Send marks the conversation's messages that go to the agent; nil is all. Activities are never sent, marked or
	// not.
	Send []bool

	resume []agui.ResumeEntry // what it answers, also where that travels in the older dialect
	// what the calls of the answered interrupts are told if the run leaves them without a result
	answers []closed
}

// Prepare judges whether a run may start (nobody else runs, the interrupts are answered, the round is within the limit)
// and gives what it would send. The input that it gives back is p.Input with the thread's own members filled in. Calls
// that nobody will answer any more get their tool messages, or providers refuse the thread for ever (section 7). The
// error has code bad_input; then nothing is changed.
func (t *Thread) Prepare(p Params) (Prepared, error) {
	if t.run != nil {
		return Prepared{}, refuse("a run is under way in this thread; abort it first")
	}
	if n := t.store.Len(); n > 0 && t.store.Message(n-1).Role() == agui.RoleUser {
		p.Said = true // whoever put the words there
	}
	open := t.questions()
	in := p.Input
	command := hasCommand(in.ForwardedProps)
	if !command {
		in.Resume = t.cancelled(in.Resume)
	}
	if err := checkResume(open, t.older, in.Resume, command, p.Now); err != nil {
		return Prepared{}, err
	}
	if calls := t.beside(p); len(calls) > 0 {
		return Prepared{}, refuse("answer or dismiss the tool calls that wait beside the interrupt first: " +
			strings.Join(calls, ", "))
	}
	in.ThreadID = t.ID
	named := in.ParentRunID != ""
	resumed := t.resumes(open, in.Resume, command)
	if resumed != "" && p.SameRunID {
		in.RunID = resumed
	}
	if !named && resumed != "" && resumed != in.RunID {
		in.ParentRunID = rawjson.Quote(resumed)
	} else if !named && t.parent != "" {
		in.ParentRunID = rawjson.Quote(t.parent)
	}
	prepared := Prepared{Input: in, resume: in.Resume, answers: answersOf(open, in.Resume)}
	if len(open) > 0 && t.older[open[0].ID] && len(in.Resume) > 0 {
		props, err := setCommand(in.ForwardedProps, open, in.Resume)
		if err != nil {
			return Prepared{}, err
		}
		in.ForwardedProps, in.Resume = props, nil
	}
	t.close(open, p)
	if t.History == HistoryNew {
		prepared.Send = t.choose(in, named, resumed != "")
	}
	prepared.Send = once(t.store, prepared.Send)
	return prepared, nil
}

// resumes gives the run whose interrupts a request answers, or "" where it answers none that this thread saw asked.
func (t *Thread) resumes(open []agui.Interrupt, entries []agui.ResumeEntry, command bool) string {
	if len(entries) == 0 && !command {
		return ""
	}
	for i := len(open) - 1; i >= 0; i-- {
		if run := t.askers[open[i].ID]; run != "" {
			return run
		}
	}
	return ""
}

// Begin prepares as [Thread.Prepare] does and begins the run. The interrupts stay open until the agent's RUN_FINISHED:
// a request that fails loses none.
func (t *Thread) Begin(p Params) (Prepared, error) {
	prepared, err := t.Prepare(p)
	if err == nil {
		t.answering(prepared.resume, hasCommand(p.Input.ForwardedProps))
		t.store.EndRun() // the stream of an earlier run may have begun another one
		t.run = &run{id: p.Input.RunID, answers: prepared.answers, began: t.store.Snapshot()}
		t.settleForks()
		t.closing = nil
	}
	return prepared, err
}

// Join begins a run that this thread did not ask for, to read it: no interrupt is answered by it, and nothing is sent.
// id may be "", where only the server knows it.
func (t *Thread) Join(id string) error {
	if t.run != nil {
		return refuse("a run is under way in this thread; abort it first")
	}
	t.store.EndRun()
	t.store.Joining()
	t.run = &run{id: id, joined: true}
	return nil
}

// answering tells the store which interrupts this run answers: those that its resume names, and with the older
// dialect's command all that came in that dialect. They stay open until the agent's RUN_FINISHED.
func (t *Thread) answering(resume []agui.ResumeEntry, command bool) {
	var ids []string
	for _, e := range resume {
		ids = append(ids, e.InterruptID)
	}
	for _, i := range t.store.Interrupts() {
		if command && t.older[i.ID] {
			ids = append(ids, i.ID)
		}
	}
	t.store.Answering(ids)
}

// Rename gives the thread another id. The agent's thread of that id has had nothing of this one, unless this one had no
// id yet.
func (t *Thread) Rename(id string) {
	if t.ID == "" {
		t.ID = id
	} else if id != t.ID {
		t.ID, t.last, t.parent, t.askers, t.since = id, nil, "", nil, len(t.past)
	}
}

// Running reports whether a run has begun and not finished.
func (t *Thread) Running() bool { return t.run != nil }

// Store gives the conversation.
func (t *Thread) Store() *state.Store { return t.store }

// Parent gives the run that the next one goes on from because the thread branched there, or "".
func (t *Thread) Parent() string { return t.parent }

// SetParent says that the next run goes on from an earlier one: for a thread that is made anew in the place of another.
func (t *Thread) SetParent(run string) { t.parent = run }
