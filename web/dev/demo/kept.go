package demo

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/tmaxmax/go-sse"
)

// maxKept bounds the runs that the agent keeps for clients that come back; the oldest goes first.
const maxKept = 200

// kept holds runs that go on when their client has gone. The zero value is ready to use.
type kept struct {
	mu   sync.Mutex
	runs []*keptRun
}

// keptRun is one run's events; it takes what a talk sends.
type keptRun struct {
	thread, id string
	mu         sync.Mutex
	events     []string
	done       bool
	more       chan struct{}
	cancel     context.CancelFunc
}

func (k *keptRun) Send(m *sse.Message) error {
	text := m.String()
	k.mu.Lock()
	defer k.mu.Unlock()
	for line := range strings.Lines(text) {
		if data, ok := strings.CutPrefix(line, "data: "); ok { // an event of the demo is one line
			k.events = append(k.events, strings.TrimSuffix(data, "\n"))
		}
	}
	close(k.more)
	k.more = make(chan struct{})
	return nil
}

func (k *keptRun) Flush() error { return nil }

func (k *keptRun) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done = true
	close(k.more)
	k.more = make(chan struct{})
}

func (k *kept) find(match func(*keptRun) bool) (found []*keptRun) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, run := range k.runs {
		if match(run) {
			found = append(found, run)
		}
	}
	return found
}

// follow sends a run's events from the n-th on, and those that come.
func (k *keptRun) follow(w http.ResponseWriter, r *http.Request, n int, ids bool) bool {
	for {
		k.mu.Lock()
		events, done, more := k.events[min(n, len(k.events)):], k.done, k.more
		k.mu.Unlock()
		for _, e := range events {
			id := ""
			if ids {
				id = "id: " + k.id + ":" + strconv.Itoa(n) + "\n"
			}
			n++
			if _, err := io.WriteString(w, id+"data: "+e+"\n\n"); err != nil {
				return false
			}
		}
		_ = http.NewResponseController(w).Flush()
		if done && len(events) == 0 {
			return true
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return false
		}
	}
}

// keep answers a run, or a request that comes back to one, as the dialect does: sse-id, tanstack or copilotkit. It reports false
// where the request is none of the dialect's.
func (h *Handler) keep(w http.ResponseWriter, r *http.Request, body []byte, speed float64) bool {
	dialect, query := r.URL.Query().Get("dialect"), r.URL.Query()
	cursor := r.Header.Get("Last-Event-ID")
	if r.Method == http.MethodGet {
		cursor = query.Get("offset")
		runs := h.kept.find(func(k *keptRun) bool { return k.id == query.Get("runId") })
		if dialect != "tanstack" || cursor == "" || len(runs) == 0 {
			answerJSON(w, http.StatusNotFound, map[string]any{"detail": "no run to read: name runId and offset"})
			return true
		}
		stream(w)
		runs[0].follow(w, r, after(cursor), true)
		return true
	}
	var call struct {
		Method string
		Params struct{ ThreadID string }
		Body   json.RawMessage
	}
	if dialect == "copilotkit" && json.Unmarshal(body, &call) == nil && call.Method != "" {
		var in struct{ ThreadID, RunID string }
		_ = json.Unmarshal(call.Body, &in)
		if call.Method == "agent/stop" {
			stopped := false
			for _, k := range h.kept.find(func(k *keptRun) bool { return k.thread == call.Params.ThreadID && (in.RunID == "" || in.RunID == k.id) }) {
				k.mu.Lock()
				stopped = stopped || !k.done
				k.mu.Unlock()
				k.cancel()
			}
			answerJSON(w, http.StatusOK, map[string]any{"stopped": stopped})
			return true
		}
		stream(w)
		for _, k := range h.kept.find(func(k *keptRun) bool { return k.thread == in.ThreadID }) {
			if !k.follow(w, r, 0, false) {
				break
			}
		}
		return true
	}
	in, faults := parseInput(body)
	if len(faults) > 0 {
		return false
	}
	if cursor != "" {
		if runs := h.kept.find(func(k *keptRun) bool { return k.id == in.runID }); len(runs) > 0 {
			stream(w)
			runs[0].follow(w, r, after(cursor), true)
			return true
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	k := &keptRun{thread: in.threadID, id: in.runID, more: make(chan struct{}), cancel: cancel}
	h.kept.mu.Lock()
	if h.kept.runs = append(h.kept.runs, k); len(h.kept.runs) > maxKept {
		h.kept.runs[0].cancel()
		h.kept.runs = h.kept.runs[1:]
	}
	h.kept.mu.Unlock()
	t := newTalk(ctx, k, in, choose(in), speed)
	t.threads = &h.threads
	go func() {
		defer cancel()
		defer k.end()
		if err := t.play(); err != nil && ctx.Err() != nil {
			t.err = nil
			t.send("RUN_FINISHED", "threadId", in.threadID, "runId", in.runID, "outcome", obj{"type": "cancelled"})
		}
	}()
	stream(w)
	k.follow(w, r, 0, dialect != "copilotkit")
	return true
}

func stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// after gives the index behind a cursor; -1 is the start.
func after(cursor string) int {
	n, err := strconv.Atoi(cursor[strings.LastIndexByte(cursor, ':')+1:])
	if err != nil {
		return 0
	}
	return n + 1
}
