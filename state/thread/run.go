package thread

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// run is one request of the agent until its response is over. A response may hold several of the protocol's runs: a
// server that works in turns, or one that replays a thread. They are one run of the agent (section 8).
type run struct {
	id      string // the runId that was asked for; of a run that is joined, the server's
	first   string // the runId that the server's first RUN_STARTED named
	current string // that of its latest one
	joined  bool   // this thread asked for no run: it reads what runs
	begun   bool   // a RUN_STARTED has come
	over    bool   // the latest run had its terminal event
	kind    string // how that one ended: "success", "interrupt", "cancelled" or "failed"

	began state.Snapshot // the conversation as the run got it
	older []agui.Interrupt
	// calls are those that the latest run has started; cut those that a run which was cancelled or failed left, and
	// pending those that the runs which ended well left.
	calls, cut, pending []string
	answers             []closed
}

// name gives the id by which the agent's server knows the run at hand and, where the server has no ids of its own, the
// one that we asked for.
func (r *run) name() string {
	if !r.begun || r.current == r.first || r.current == "" {
		return r.id
	}
	return r.current
}

// RunID gives the id of the run that is under way, or "".
func (t *Thread) RunID() string {
	if t.run == nil {
		return ""
	}
	return t.run.id
}

// Observe takes one event of the response, right after the store applied it; what it changes itself (interrupts of the
// older dialect) it records in ch, which may be nil. Where a run ended it gives the ids under which [Thread.Branch]
// finds it.
func (t *Thread) Observe(e agui.Event, ch *state.Changes) (names []string) {
	r := t.run
	if r == nil {
		return nil
	}
	switch e := e.(type) {
	case *agui.RunStarted:
		r.current = strings.Clone(e.RunID)
		if r.id == "" {
			r.id = r.current
		}
		if !r.begun {
			r.begun, r.first = true, r.current
		}
		if r.over {
			t.left()
		}
		r.over = false
	case *agui.ToolCallStart:
		if !slices.Contains(r.calls, e.ToolCallID) {
			r.calls = append(r.calls, strings.Clone(e.ToolCallID))
		}
	case *agui.Custom:
		if e.Name == "on_interrupt" {
			t.asked++
			r.older = append(r.older, olderInterrupt("on_interrupt-"+strconv.Itoa(t.asked), e.Value))
		}
	case *agui.RunError:
		t.dropped = nil // it was told, and refused it
		r.over, r.kind = true, "failed"
		t.left()
		return t.keep(false, "")
	case *agui.RunFinished:
		return t.finished(e, ch)
	case *agui.TextMessageEnd, *agui.ReasoningMessageEnd, *agui.ToolCallEnd, *agui.ToolCallResult,
		*agui.MessagesSnapshot:
		// The agent has what it sent behind its terminal event too.
		if r.over && r.kind != "failed" && t.last != nil {
			at := t.store.Snapshot()
			t.last = &at
		}
	}
	return nil
}

func (t *Thread) finished(e *agui.RunFinished, ch *state.Changes) []string {
	r := t.run
	r.over, r.kind = true, e.Outcome.Kind
	t.parent = ""
	t.dropped = nil
	open := t.store.Interrupts()
	older := map[string]bool{}
	for _, i := range open {
		if t.older[i.ID] {
			older[i.ID] = true
		}
	}
	// The outcome wins: a server that speaks both dialects asks the same question twice.
	if len(r.older) > 0 && r.kind != "interrupt" {
		open = append(slices.Clone(open), r.older...)
		t.store.SetInterrupts(open, ch)
		for _, i := range r.older {
			older[i.ID] = true
		}
		r.kind = "interrupt"
	}
	t.older = older
	r.older = nil
	t.asks(r.name())
	for _, id := range e.Outcome.PendingToolCallIDs {
		if t.awaited == nil {
			t.awaited = map[string]bool{}
		}
		t.awaited[strings.Clone(id)] = true
	}
	switch r.kind {
	case "", "success":
		r.kind = "success"
		r.pending = append(r.pending, t.store.PendingToolCallIDs()...)
		r.calls = nil
	case "cancelled":
		t.left()
	default:
		r.calls = nil // an interrupt is about them, or an outcome that only the server understands
	}
	return t.keep(true, e.RunID)
}

// asks notes which run asked the interrupts that are open and new.
func (t *Thread) asks(run string) {
	open := t.store.Interrupts()
	askers := make(map[string]string, len(open))
	for _, i := range open {
		if askers[i.ID] = t.askers[i.ID]; askers[i.ID] == "" {
			askers[i.ID] = run
		}
	}
	t.askers = askers
}

// left deals with the calls that the latest run has started and its outcome did not judge.
func (t *Thread) left() {
	r := t.run
	for i, id := range r.calls {
		r.calls[i] = t.store.CallID(id)
	}
	switch r.kind {
	case "success":
		r.pending = append(r.pending, r.calls...) // they came behind the terminal event
	case "", "failed", "cancelled":
		r.cut = append(r.cut, r.calls...)
	}
	r.calls = nil
}

// Ending says how a response ended for the page.
type Ending struct {
	// Failed: the request was aborted, or it ended with an error. A run whose last event was RUN_ERROR, and one without
	// a terminal event, has failed anyway.
	Failed bool
	// Refused: the agent refused the request itself (an HTTP status from 400 to 499). It is not told again what was
	// dismissed.
	Refused bool
	// Handled says which tools have a handler.
	Handled func(name string) bool
	// Round counts the follow-up runs that answers of tools have started since somebody asked, and Limit bounds them
	// (below 0 it is [MaxToolRounds]).
	Round, Limit int
	// Changes takes what the end of the response changes in the conversation; it may be nil.
	Changes *state.Changes
	// Names takes the ids under which [Thread.Branch] finds the response's last run; it may be nil.
	Names *[]string
}

// Outcome says how the run at hand ends for who asked for it: "interrupt" where a question is open, "cancelled" or
// "success". said is the type that its last RUN_FINISHED named, which counts also where a hook kept the event from the
// thread; "" is none.
func (t *Thread) Outcome(said string) string {
	kind := ""
	if t.run != nil {
		kind = t.run.kind
	}
	switch {
	case len(t.store.Interrupts()) > 0, kind == "interrupt", said == "interrupt":
		return "interrupt"
	case said == "cancelled":
		return "cancelled"
	}
	return "success"
}

// Finish ends the run, once its response is over, and gives the tool calls that the page must answer now: those that
// its runs left unanswered, in the conversation's order, and those that open interrupts want executed by the page. A
// run that failed or was aborted asks for no tools, and the agent counts as having had nothing of it.
//
// Where another follow-up would go beyond the limit, Finish gives an error with code bad_input.
func (t *Thread) Finish(end Ending) ([]Call, error) {
	r := t.run
	if r == nil {
		return nil, nil
	}
	if r.joined && !r.begun {
		t.run = nil // nothing ran
		return nil, nil
	}
	failed := end.Failed || !r.over || r.kind == "failed"
	if end.Refused {
		t.dropped = nil
	}
	t.store.EndResponse(end.Changes)
	if !r.over {
		r.kind = "failed"
		t.store.EndRun()
		t.left()
		t.keep(false, "")
	}
	t.left()
	if n := len(t.past); end.Names != nil && n > 0 && t.past[n-1].of == r {
		*end.Names = t.past[n-1].names
	}
	if r.kind == "success" {
		// a snapshot behind the end may have taken an answer away
		r.pending = append(r.pending, t.store.PendingToolCallIDs()...)
	}
	t.run = nil
	open := t.store.Interrupts()
	var calls []Call
	if failed {
		r.cut = append(r.cut, r.pending...)
	} else {
		calls = append(executions(t.store, open, end.Handled), pendingCalls(t.store, r.pending, end.Handled)...)
	}
	t.settle(r, open, calls)
	limit := end.Limit
	if limit < 0 {
		limit = MaxToolRounds
	}
	if len(calls) > 0 && end.Round >= limit {
		return nil, refuse("the agent asks for tools again after " + plural(end.Round, "round") +
			"; maxToolRounds allows " + strconv.Itoa(limit))
	}
	return calls, nil
}
