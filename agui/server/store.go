package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"aguiwasm/agui"
)

// Store keeps runs in memory: a run goes on when its client has gone, and the client finds it again by the ids of its
// events. It is safe for concurrent use, and may serve several handlers whose runs' ids do not meet.
//
// It is bounded: the oldest runs that have ended go first. A run that goes on is never forgotten, and ends when it has
// said more than MaxRunBytes.
type Store struct {
	// MaxRuns is how many runs are kept; 0 means 1,000.
	MaxRuns int
	// MaxBytes is how many bytes of events are kept in all; 0 means 256 MiB.
	MaxBytes int64
	// MaxRunBytes is how many bytes of events one run may have; 0 means 64 MiB.
	MaxRunBytes int64

	mu    sync.Mutex
	runs  []*log // in the order in which they began
	bytes int64
}

var (
	errBusy     = errors.New("a run is under way in this thread")
	errKnown    = errors.New("a run of this id has begun before; name its last event to come back to it")
	errTooLarge = errors.New("the run has said more than its store keeps")
	errStopped  = errors.New("the run was stopped")
)

// log is one run's events.
type log struct {
	store           *Store
	threadID, runID string
	ctx             context.Context
	cancel          context.CancelCauseFunc
	events          []agui.Event
	bytes           int64
	done            bool
	more            chan struct{} // closed when there is more, and made anew
}

func or(n, otherwise int64) int64 {
	if n > 0 {
		return n
	}
	return otherwise
}

func (s *Store) begin(ctx context.Context, in *agui.Input) (*log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.runs {
		if l.runID == in.RunID {
			return nil, errKnown
		}
		if l.threadID == in.ThreadID && !l.done {
			return nil, errBusy
		}
	}
	l := &log{store: s, threadID: in.ThreadID, runID: in.RunID, more: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(ctx)) // its values stay
	s.runs = append(s.runs, l)
	s.forget()
	return l, nil
}

// forget drops ended runs, the oldest first, until the rest is within the bounds.
func (s *Store) forget() {
	kept := s.runs[:0]
	excess := int64(len(s.runs)) - or(int64(s.MaxRuns), 1000)
	for _, l := range s.runs {
		if l.done && (excess > 0 || s.bytes > or(s.MaxBytes, 256<<20)) {
			excess--
			s.bytes -= l.bytes
			continue
		}
		kept = append(kept, l)
	}
	clear(s.runs[len(kept):])
	s.runs = kept
}

func (s *Store) find(runID string) *log {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.runs {
		if l.runID == runID {
			return l
		}
	}
	return nil
}

func (s *Store) thread(threadID string) []*log {
	s.mu.Lock()
	defer s.mu.Unlock()
	var logs []*log
	for _, l := range s.runs {
		if l.threadID == threadID {
			logs = append(logs, l)
		}
	}
	return logs
}

// add keeps one event.
func (l *log) add(e agui.Event) error {
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	n := int64(len(e.Common().Raw))
	if l.bytes+n > or(s.MaxRunBytes, 64<<20) && e.EventType() != agui.TypeRunError {
		return errTooLarge
	}
	l.events = append(l.events, e)
	l.bytes += n
	s.bytes += n
	l.wake()
	return nil
}

// end says that the run has told all.
func (l *log) end() {
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	l.done = true
	l.cancel(nil)
	l.wake()
	s.forget()
}

func (l *log) wake() {
	close(l.more)
	l.more = make(chan struct{})
}

// after gives the events from the n-th on, whether they are all, and what tells of more.
func (l *log) after(n int) (events []agui.Event, done bool, more <-chan struct{}) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return l.events[min(n, len(l.events)):], l.done, l.more
}

// cursorOf gives the id of a run's n-th event.
func cursorOf(runID string, n int) string { return url.QueryEscape(runID) + ":" + strconv.Itoa(n) }

// follow sends a run's events from the n-th on, and goes on until it has ended or the client has gone.
func (h *handler) follow(w http.ResponseWriter, r *http.Request, l *log, n int) {
	out := agui.NewWriter(w)
	defer h.keepAlive(out)()
	h.send(r.Context(), out, l, n)
}

func (h *handler) send(ctx context.Context, out *agui.Writer, l *log, n int) bool {
	for {
		events, done, more := l.after(n)
		for _, e := range events {
			if out.WriteID(cursorOf(l.runID, n), e) != nil {
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
		if !h.send(r.Context(), out, l, 0) {
			return
		}
	}
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
		if _, done, _ := l.after(0); !done && (body.RunID == "" || body.RunID == l.runID) {
			l.cancel(errStopped)
			stopped = true
		}
	}
	answer(w, http.StatusOK, map[string]bool{"stopped": stopped})
}
