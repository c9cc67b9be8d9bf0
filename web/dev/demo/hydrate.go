package demo

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// hydrator stands before an agent and gives a thread as Microsoft's Agent Framework does: a POST without messages is
// answered with what the thread's last finished run left. A run whose client goes is stopped, and leaves nothing. The
// zero value is ready to use.
type hydrator struct {
	mu    sync.Mutex
	left  map[string]leftover
	order []string // oldest first
}

// leftover is a thread after its last finished run.
type leftover struct {
	messages, state, outcome agui.JSON
}

// serve answers a thread's hydration, or lets the agent answer a run and keeps what it left. questions are the agent's.
func (h *hydrator) serve(w http.ResponseWriter, r *http.Request, maxBody int64, agent http.Handler,
	questions *threads) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		answerJSON(w, http.StatusRequestEntityTooLarge, map[string]any{"error": err.Error()})
		return
	}
	var asked struct {
		ThreadID         string
		Messages, Resume []json.RawMessage
	}
	known := json.Unmarshal(body, &asked) == nil && asked.ThreadID != ""
	if known && len(asked.Messages) == 0 && len(asked.Resume) == 0 {
		h.tell(w, asked.ThreadID)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	before := questions.of(asked.ThreadID)
	said := &copying{ResponseWriter: w}
	agent.ServeHTTP(said, r)
	if in, err := agui.DecodeInput(string(body)); err == nil && !h.keep(in, said.bytes.Bytes()) {
		questions.set(asked.ThreadID, before) // the thread that is told still has them
	}
}

// tell sends a thread's hydration. A thread that is not known is a run without anything in it.
func (h *hydrator) tell(w http.ResponseWriter, threadID string) {
	h.mu.Lock()
	left, known := h.left[threadID]
	h.mu.Unlock()
	out := agui.NewWriter(w)
	defer out.Close()
	runID := "hydrated-" + threadID // one that no page has asked for
	write := func(e agui.Event, err error) {
		if err == nil {
			_ = out.Write(e)
		}
	}
	write(agui.NewRunStarted(threadID, runID))
	if known {
		write(agui.NewStateSnapshot(left.state))
		write(agui.NewMessagesSnapshot(left.messages))
	}
	if left.outcome != "" {
		write(agui.NewRunFinished(threadID, runID, agui.With("outcome", left.outcome)))
		return
	}
	write(agui.NewRunFinished(threadID, runID))
}

// keep reads what an answer said. It reports false for one that did not end with RUN_FINISHED, which leaves the thread
// as it was.
func (h *hydrator) keep(in *agui.Input, body []byte) bool {
	thread := state.New(in.Messages, in.State)
	left := leftover{}
	o := agui.Options{ThreadID: in.ThreadID, RunID: in.RunID, Known: thread}
	for e, err := range agui.Read(bytes.NewReader(body), o) {
		if err != nil {
			return false
		}
		thread.Apply(e, nil, nil)
		if end, ok := e.(*agui.RunFinished); ok && end.Outcome.Kind == "interrupt" {
			left.outcome = strings.Clone(end.Outcome.Raw)
		}
	}
	left.messages, left.state = string(thread.AppendMessagesForAgent(nil)), string(thread.AppendState(nil))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left == nil {
		h.left = map[string]leftover{}
	}
	if _, known := h.left[in.ThreadID]; !known {
		h.order = append(h.order, in.ThreadID)
	}
	h.left[in.ThreadID] = left
	if len(h.order) > maxKept {
		delete(h.left, h.order[0])
		h.order = h.order[1:]
	}
	return true
}

// copying keeps what was written beside writing it.
type copying struct {
	http.ResponseWriter
	bytes bytes.Buffer
}

// Write implements io.Writer.
func (c *copying) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes.Write(p[:n])
	return n, err
}

// FlushError lets events go out one by one.
func (c *copying) FlushError() error { return http.NewResponseController(c.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController reach what is below.
func (c *copying) Unwrap() http.ResponseWriter { return c.ResponseWriter }
