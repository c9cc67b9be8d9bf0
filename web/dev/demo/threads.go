package demo

import "sync"

// maxThreads bounds what the agent remembers.
const maxThreads = 1000

// threads remembers the interrupts that each thread has open. The zero value is ready to use.
type threads struct {
	mu    sync.Mutex
	open  map[string][]openInterrupt
	order []string // oldest first
}

// openInterrupt is a question that a run ended with.
type openInterrupt struct {
	id, toolCallID string
}

// set replaces what a thread has open.
func (t *threads) set(thread string, open []openInterrupt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[string][]openInterrupt{}
	}
	if _, known := t.open[thread]; known {
		for i, name := range t.order {
			if name == thread {
				t.order = append(t.order[:i], t.order[i+1:]...)
				break
			}
		}
		delete(t.open, thread)
	}
	if len(open) == 0 {
		return
	}
	t.open[thread] = open
	t.order = append(t.order, thread)
	if len(t.order) > maxThreads {
		delete(t.open, t.order[0])
		t.order = t.order[1:]
	}
}

// of gives what a thread has open.
func (t *threads) of(thread string) []openInterrupt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[thread]
}

// take gives what a thread has open and forgets it.
func (t *threads) take(thread string) []openInterrupt {
	open := t.of(thread)
	if open != nil {
		t.set(thread, nil)
	}
	return open
}
