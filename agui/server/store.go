package server

import (
	"context"
	"errors"
	"strings"
	"sync"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
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
	asked           []agui.JSON // the input's messages that the thread's kept runs do not have, in order
	state           agui.JSON   // the input's
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
	known := s.known(in.ThreadID) // what has just been forgotten is not: this run was asked with it
	for _, m := range in.Messages {
		if !known[m.ID] {
			l.asked = append(l.asked, strings.Clone(m.Raw))
			l.bytes += int64(len(m.Raw))
		}
	}
	l.state = strings.Clone(in.State)
	l.bytes += int64(len(l.state))
	s.bytes += l.bytes
	return l, nil
}

// known gives the ids of the messages that a thread's kept runs have: those that they were asked with, and those that
// they made.
func (s *Store) known(threadID string) map[string]bool {
	ids := map[string]bool{}
	for _, l := range s.runs {
		if l.threadID != threadID {
			continue
		}
		for _, m := range l.asked {
			id, _ := rawjson.Get(m, "id")
			ids[rawjson.String(id).Decode()] = true
		}
		for _, e := range l.events {
			switch e := e.(type) {
			case *agui.TextMessageStart:
				ids[e.MessageID] = true
			case *agui.TextMessageChunk:
				if e.MessageID != nil {
					ids[*e.MessageID] = true
				}
			case *agui.ReasoningMessageStart:
				ids[e.MessageID] = true
			case *agui.ToolCallStart:
				if e.ParentMessageID != nil {
					ids[*e.ParentMessageID] = true
				} else {
					ids[e.ToolCallID] = true // the message that holds it has its id
				}
			case *agui.ToolCallResult:
				ids[e.MessageID] = true
			case *agui.ActivitySnapshot:
				ids[e.MessageID] = true
			}
		}
	}
	return ids
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
