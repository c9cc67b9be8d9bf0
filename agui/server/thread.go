package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// cursorOf gives the id of a run's n-th event.
func cursorOf(runID string, n int) string { return url.QueryEscape(runID) + ":" + strconv.Itoa(n) }

// follow sends a run's events from the n-th on, and goes on until it has ended or the client has gone.
func (h *handler) follow(w http.ResponseWriter, r *http.Request, l *log, n int) {
	out := agui.NewWriter(w)
	defer h.keepAlive(out)()
	l.each(r.Context(), n, func(n int, e agui.Event) bool { return out.WriteID(cursorOf(l.runID, n), e) == nil })
}

// each gives a run's events from the n-th on, and waits for more until the run has ended. It reports false where give
// did, or ctx was over.
func (l *log) each(ctx context.Context, n int, give func(n int, e agui.Event) bool) bool {
	for {
		events, done, more := l.after(n)
		for _, e := range events {
			if !give(n, e) {
				return false
			}
			n++
		}
		if done {
			return true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
}

// returns asks whether who comes back to a thread may; where it gives false, it has been answered.
func (h *handler) returns(w http.ResponseWriter, r *http.Request, threadID string) bool {
	return h.o.AcceptReturn == nil || h.o.AcceptReturn(w, r, threadID)
}

// rejoin sends what came after a cursor of a run, of which nil is none. threadID is the one that the request names, or
// "".
func (h *handler) rejoin(w http.ResponseWriter, r *http.Request, l *log, cursor, threadID string) {
	if l == nil || threadID != "" && threadID != l.threadID {
		refuse(w, http.StatusNotFound, "There is no run of this id any more.")
		return
	}
	if !h.returns(w, r, l.threadID) {
		return
	}
	runID := l.runID
	n := 0
	if cursor != "" && cursor != "-1" {
		at := strings.LastIndexByte(cursor, ':')
		last, err := strconv.Atoi(cursor[at+1:])
		events, _, _ := l.after(0)
		if at < 0 || err != nil || cursor[:at] != url.QueryEscape(runID) || last < 0 || last >= len(events) {
			refuse(w, http.StatusUnprocessableEntity, "The cursor is not of an event of this run.")
			return
		}
		n = last + 1
	}
	h.follow(w, r, l, n)
}

// connect sends the thread's runs, then the running one as it goes on. Of a thread that has none the stream is empty.
// What people said comes as the input of RUN_STARTED, for the events of a run have the agent's words alone.
func (h *handler) connect(w http.ResponseWriter, r *http.Request) {
	text := h.body(w, r)
	if text == nil {
		return
	}
	var body struct {
		ThreadID string `json:"threadId"`
	}
	if json.Unmarshal(text, &body) != nil || body.ThreadID == "" {
		refuse(w, http.StatusUnprocessableEntity, "The body must name a threadId.")
		return
	}
	if !h.returns(w, r, body.ThreadID) {
		return
	}
	out := agui.NewWriter(w)
	defer h.keepAlive(out)()
	for _, l := range h.o.Store.thread(body.ThreadID) {
		whole := l.each(r.Context(), 0, func(n int, e agui.Event) bool {
			if n == 0 {
				e = l.withInput(e)
			}
			return out.WriteID(cursorOf(l.runID, n), e) == nil
		})
		if !whole {
			return
		}
	}
}

// withInput gives the run's RUN_STARTED with the messages that the run was asked with.
func (l *log) withInput(started agui.Event) agui.Event {
	if len(l.asked) == 0 {
		return started
	}
	input := `{"threadId":` + string(rawjson.Quote(l.threadID)) + `,"runId":` + string(rawjson.Quote(l.runID)) +
		`,"state":{},"messages":[` + string(join(l.asked)) + `],"tools":[],"context":[],"forwardedProps":{}}`
	e, err := agui.Decode(rawjson.Set(started.Common().Raw, "input", input), agui.DecodeOptions{})
	if err != nil {
		return started
	}
	return e
}

// reattach sends what a run has made so far as snapshots, then the rest as it comes: what is open goes on without a
// START. Without a run's id it is the thread's running one.
func (h *handler) reattach(w http.ResponseWriter, r *http.Request) {
	text := h.body(w, r)
	if text == nil {
		return
	}
	var body struct {
		ThreadID string `json:"thread_id"`
		RunID    string `json:"run_id"`
	}
	if json.Unmarshal(text, &body) != nil || body.ThreadID == "" {
		refuse(w, http.StatusUnprocessableEntity, "The body must name a thread_id.")
		return
	}
	var l *log
	for _, each := range h.o.Store.thread(body.ThreadID) {
		if _, done, _ := each.after(0); each.runID == body.RunID || body.RunID == "" && !done {
			l = each
		}
	}
	if l == nil {
		refuse(w, http.StatusNotFound, "The thread has no such run.")
		return
	}
	if !h.returns(w, r, l.threadID) {
		return
	}
	out := agui.NewWriter(w)
	defer h.keepAlive(out)()
	made := state.New(nil, l.state)
	var last agui.Event // of what the run has told so far
	live := false
	pipeline := agui.NewPipeline(agui.Options{
		ThreadID: l.threadID, RunID: l.runID, Known: made,
		Emit: func(e agui.Event) bool {
			if live {
				return out.Write(e) == nil
			}
			if e.EventType() == agui.TypeRunStarted {
				return out.Write(e) == nil
			}
			made.Apply(e, nil, nil)
			last = e
			return true
		},
	})
	past, _, _ := l.after(0)
	for _, e := range past {
		_ = pipeline.Push(e.Common().Raw)
	}
	live = true
	if writeSnapshots(out, made, l.state) != nil {
		return
	}
	if last != nil && (last.EventType() == agui.TypeRunFinished || last.EventType() == agui.TypeRunError) {
		_ = out.Write(last)
		return
	}
	l.each(r.Context(), len(past), func(_ int, e agui.Event) bool { return pipeline.Push(e.Common().Raw) == nil })
}

// writeSnapshots writes a store's messages, and its state where it differs from what it was.
func writeSnapshots(out *agui.Writer, made *state.Store, before agui.JSON) error {
	var messages []agui.JSON
	for _, m := range made.ThreadMessages() {
		messages = append(messages, m.Raw)
	}
	e, err := agui.NewMessagesSnapshot("[" + string(join(messages)) + "]")
	if err == nil {
		err = out.Write(e)
	}
	if now := string(made.AppendState(nil)); err == nil && state.Diff(before, now) != "[]" {
		var s agui.Event
		if s, err = agui.NewStateSnapshot(now); err == nil {
			err = out.Write(s)
		}
	}
	return err
}

// load gives a thread as one JSON object: the messages of the runs that have ended and those that the running one was
// asked with, the running one, the questions that are open, and the state at that moment.
func (h *handler) load(w http.ResponseWriter, r *http.Request, threadID string) {
	if !h.returns(w, r, threadID) {
		return
	}
	type run struct {
		RunID   string            `json:"runId"`
		Pending []json.RawMessage `json:"pending,omitempty"`
	}
	var body struct {
		Messages   []json.RawMessage `json:"messages"`
		ActiveRun  *run              `json:"activeRun"`
		Interrupts *run              `json:"interrupts"`
		State      json.RawMessage   `json:"state,omitempty"`
	}
	body.Messages = []json.RawMessage{}
	thread := state.New(nil, "")
	thread.Joining() // what earlier runs asked is answered
	for _, l := range h.o.Store.thread(threadID) {
		asked, err := agui.ParseMessages("["+string(join(l.asked))+"]", "messages", agui.InputOptions{})
		if err == nil {
			for _, m := range asked {
				thread.AddMessage(m, nil)
			}
		}
		thread.SetState(l.state, nil)
		events, done, _ := l.after(0)
		if !done {
			body.ActiveRun = &run{RunID: l.runID}
			break
		}
		pipeline := agui.NewPipeline(agui.Options{
			ThreadID: l.threadID, RunID: l.runID, Known: thread,
			Emit: func(e agui.Event) bool { thread.Apply(e, nil, nil); return true },
		})
		for _, e := range events {
			_ = pipeline.Push(e.Common().Raw)
		}
		body.Interrupts = nil
		if open := thread.Interrupts(); len(open) > 0 {
			body.Interrupts = &run{RunID: l.runID}
			for _, i := range open {
				body.Interrupts.Pending = append(body.Interrupts.Pending, json.RawMessage(i.Raw))
			}
		}
	}
	if len(h.o.Store.thread(threadID)) > 0 {
		body.State = json.RawMessage(thread.AppendState(nil))
	}
	for _, m := range thread.ThreadMessages() {
		body.Messages = append(body.Messages, json.RawMessage(m.Raw))
	}
	answer(w, http.StatusOK, body)
}

// stop ends the thread's run; with {"runId": ...} only that one, so that a late stop does not hit the next run.
func (h *handler) stop(w http.ResponseWriter, r *http.Request, threadID string) {
	var body struct {
		RunID string `json:"runId"`
	}
	text := h.body(w, r)
	if text == nil {
		return
	}
	if len(text) > 0 && json.Unmarshal(text, &body) != nil {
		refuse(w, http.StatusUnprocessableEntity, "The body must be JSON: {\"runId\": \"...\"}, or nothing.")
		return
	}
	if !h.returns(w, r, threadID) {
		return
	}
	stopped := false
	for _, l := range h.o.Store.thread(threadID) {
		if body.RunID == "" || body.RunID == l.runID {
			stopped = l.stop() || stopped
		}
	}
	answer(w, http.StatusOK, map[string]bool{"stopped": stopped})
}

// cancel ends the run of that id.
func (h *handler) cancel(w http.ResponseWriter, r *http.Request, runID string) {
	l := h.o.Store.find(runID)
	if l == nil {
		refuse(w, http.StatusNotFound, "There is no run of this id any more.")
		return
	}
	if h.returns(w, r, l.threadID) {
		answer(w, http.StatusOK, map[string]bool{"stopped": l.stop()})
	}
}

// stop ends the run, and reports whether it was under way.
func (l *log) stop() bool {
	if _, done, _ := l.after(0); done {
		return false
	}
	l.cancel(errStopped)
	return true
}
