package thread

import (
	"strconv"

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

	store  *state.Store
	last   *state.Snapshot // the store as of the last finished run; nil before the first
	parent string          // the run that this thread branched from, until a run of its own finished
	run    *run
	past   []past
	older  map[string]bool // which open interrupts came in the older dialect
	asked  int             // how many interrupts of the older dialect there were
}

// run is what one run needs until it is over.
type run struct {
	id    string
	older []agui.Interrupt
	over  bool // its terminal event came; what comes after it belongs to no run of this thread
	// pending are the calls that RUN_FINISHED left for the page; nil after any other end.
	pending []Call
}

// New makes a thread over a store.
func New(id string, store *state.Store) *Thread { return &Thread{ID: id, store: store} }

// Params are what the caller of a run says; the rest is the thread's.
type Params struct {
	// Input holds runId, tools, context, forwardedProps and resume, checked; its messages and state are not used.
	Input *agui.Input
	// Now is the time in milliseconds since 1970.
	Now int64
}

// Prepared is a run that may be sent.
type Prepared struct {
	// Input is the run's input without messages and state, which are the store's.
	Input *agui.Input
	// Send marks the conversation's messages that go to the agent; nil is all. Activities are never sent, marked or not.
	Send []bool
}

// Prepare judges whether a run may start (nobody else runs, the interrupts are answered, the round is within the limit)
// and gives what it would send. The input that it gives back is p.Input with the thread's own members filled in. The
// error has code bad_input.
func (t *Thread) Prepare(p Params) (Prepared, error) {
	if t.run != nil {
		return Prepared{}, refuse("a run is under way in this thread; abort it first")
	}
	open := t.store.Interrupts()
	in := p.Input
	if err := checkResume(open, t.older, in.Resume, hasCommand(in.ForwardedProps), p.Now); err != nil {
		return Prepared{}, err
	}
	in.ThreadID = t.ID
	if in.ParentRunID == "" && t.parent != "" {
		in.ParentRunID = rawjson.Quote(t.parent)
	}
	if len(open) > 0 && t.older[open[0].ID] && len(in.Resume) > 0 {
		props, err := setCommand(in.ForwardedProps, open, in.Resume)
		if err != nil {
			return Prepared{}, err
		}
		in.ForwardedProps, in.Resume = props, nil
	}
	prepared := Prepared{Input: in}
	if t.History == HistoryNew && t.last != nil {
		prepared.Send = chooseNew(t.last, t.store)
	}
	return prepared, nil
}

// Begin prepares as [Thread.Prepare] does and begins the run. The interrupts stay open until the agent's RUN_FINISHED: a
// request that fails loses none.
func (t *Thread) Begin(p Params) (Prepared, error) {
	resume := p.Input.Resume
	prepared, err := t.Prepare(p)
	if err == nil {
		t.answering(resume, hasCommand(p.Input.ForwardedProps))
		t.store.EndRun() // the stream of an earlier run may have begun another one
		t.run = &run{id: p.Input.RunID}
	}
	return prepared, err
}

// answering tells the store which interrupts this run answers: those that its resume names, and with the older dialect's command all
// that came in that dialect. They stay open until the agent's RUN_FINISHED.
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

// Rename gives the thread another id. The agent's thread of that id has had nothing of this one.
func (t *Thread) Rename(id string) {
	if id != t.ID {
		t.ID, t.last, t.parent = id, nil, ""
	}
}

// Running reports whether a run has begun and not finished.
func (t *Thread) Running() bool { return t.run != nil }

// Store gives the conversation.
func (t *Thread) Store() *state.Store { return t.store }

// Observe takes one event of the run, right after the store applied it; what it changes itself (interrupts of the older
// dialect) it records in ch, which may be nil. It keeps what holds at the terminal event, so that events which come after
// it in the same stream change nothing about the run.
func (t *Thread) Observe(e agui.Event, ch *state.Changes) {
	r := t.run
	if r == nil || r.over {
		return
	}
	switch e := e.(type) {
	case *agui.Custom:
		if e.Name == "on_interrupt" {
			t.asked++
			r.older = append(r.older, olderInterrupt("on_interrupt-"+strconv.Itoa(t.asked), e.Value))
		}
	case *agui.RunError:
		r.over = true
		t.keep(r.id, false)
	case *agui.RunFinished:
		t.finished(e, ch)
	}
}

func (t *Thread) finished(e *agui.RunFinished, ch *state.Changes) {
	r := t.run
	r.over = true
	t.parent = ""
	open := t.store.Interrupts()
	older := map[string]bool{}
	for _, i := range open {
		if t.older[i.ID] {
			older[i.ID] = true
		}
	}
	// The outcome wins: a server that speaks both dialects asks the same question twice.
	if len(r.older) > 0 && e.Outcome.Kind != "interrupt" {
		open = append(append([]agui.Interrupt(nil), open...), r.older...)
		t.store.SetInterrupts(open, ch)
		for _, i := range r.older {
			older[i.ID] = true
		}
	}
	t.older = older
	interrupted := len(open) > 0
	pending := t.store.PendingToolCallIDs()
	if len(pending) > 0 && !interrupted && (e.Outcome.Kind == "" || e.Outcome.Kind == "success") {
		r.pending = pendingCalls(t.store, pending)
	}
	t.keep(r.id, true)
}

// Finish ends the run and gives the tool calls that the page must answer now; handled says which tools have a handler.
// A run that failed or was aborted asks for no tools, and the agent counts as having had nothing of it.
//
// round counts the follow-up runs that answers of tools have started since somebody asked, and limit bounds them (below
// 0 it is [MaxToolRounds]): where another would go beyond, Finish gives an error with code bad_input.
func (t *Thread) Finish(handled func(name string) bool, round, limit int) ([]Call, error) {
	r := t.run
	if r == nil {
		return nil, nil
	}
	t.run = nil
	if !r.over {
		t.store.EndRun()
		t.keep(r.id, false)
	}
	var calls []Call
	for _, c := range r.pending {
		if handled(c.Name) {
			calls = append(calls, c)
		}
	}
	if limit < 0 {
		limit = MaxToolRounds
	}
	if len(calls) > 0 && round >= limit {
		return nil, refuse("the agent asks for tools again after " + plural(round, "round") + "; maxToolRounds allows " + strconv.Itoa(limit))
	}
	return calls, nil
}
