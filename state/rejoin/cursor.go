package rejoin

import "aguiwasm/agui"

// place takes a frame of a leg whose events have cursors.
func (r *Run) place(f frame) {
	if !f.hasData {
		if f.hasID {
			r.move(f.id, "") // an id alone moves the cursor, an empty one resets it
		}
		return
	}
	cursor, data := r.o.Dialect.Cursor(f.data, f.id)
	t := r.runType(data)
	o := Out{Data: data, ID: f.id, Event: f.event}
	again := r.leg > 1
	switch {
	case cursor != "":
		if again && r.known(cursor) {
			if h, ok := r.seen[sum(cursor)]; ok && r.o.Dialect.Same && h != 0 && h != sum(f.data) {
				r.code = CodeRefused // the run's log does not change: this is another run
			}
			r.placed++
			return
		}
		if again && t == agui.TypeRunStarted && r.anew() {
			r.code = CodeRefused
			return
		}
		r.placed++
		if again && t == agui.TypeRunStarted && r.active {
			r.move(cursor, f.data)
			return // the run has begun long ago
		}
	case f.hasID && r.o.Dialect.Name != agno.Name:
		r.cursor = "" // an empty id says that nothing can be read from here
	case r.cursor == "" && len(r.seen) == 0 && !again:
		// A stream without cursors, so far: nothing to place.
	case t == agui.TypeRunError && r.text("code") == "abort":
		r.broken = true // the transport's word for a cut
		return
	case again && t == agui.TypeRunError && r.first:
		r.code = CodeGone
		return
	case again && t == agui.TypeRunStarted:
		r.code = CodeRefused
		return
	case again && t == agui.TypeRunFinished && r.unplaced:
		r.code = CodeRefused // something is missing before it: this is not success
		return
	case again && t != agui.TypeRunFinished && t != agui.TypeRunError:
		r.unplaced = true
		return
	}
	if terminal(t) {
		// Never filtered, and never a cursor: but one that was handed out is not handed out again.
		if cursor != "" {
			r.seen[sum(cursor)] = sum(f.data)
		}
		if r.ended && again || r.ended && !r.active && r.leg == 1 && cursor != "" {
			return
		}
		if r.goesOn && cursor != "" || r.o.Dialect.GoesOn != nil && r.o.Dialect.GoesOn(data) {
			r.move(cursor, f.data)
		}
		r.hand(t, o)
		return
	}
	r.hand(t, o)
	if cursor != "" {
		r.move(cursor, f.data)
	}
}

// anew reports whether the RUN_STARTED that was parsed last says that the server has started the run again. A further
// run of the same response begins after a terminal event; one that opens a leg is believed only where more was to come.
func (r *Run) anew() bool {
	if r.active {
		return r.first || r.text("runId") != r.runID
	}
	return r.first && !r.goesOn
}

func terminal(t agui.Type) bool { return t == agui.TypeRunFinished || t == agui.TypeRunError }

// known reports whether an event with that cursor was handed out.
func (r *Run) known(cursor string) bool {
	if _, ok := r.seen[sum(cursor)]; ok {
		return true
	}
	return r.o.Dialect.Compare != nil && r.cursor != "" && cursor != "" && r.o.Dialect.Compare(cursor, r.cursor) <= 0
}

// move moves the cursor, never back where the dialect can tell.
func (r *Run) move(cursor, data string) {
	if cursor == "" {
		r.cursor = ""
		return
	}
	if data == "" {
		r.seen[sum(cursor)] = 0
	} else {
		r.seen[sum(cursor)] = sum(data)
	}
	if r.cursor == "" || r.o.Dialect.Compare == nil || r.o.Dialect.Compare(cursor, r.cursor) > 0 {
		r.cursor = cursor
	}
}

// sum is FNV-1a.
func sum(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
