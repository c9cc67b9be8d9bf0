package agui

import "aguiwasm/agui/rawjson"

// stencil is the last decoded event, where it carried a delta. A stream repeats the same text but for the delta, and an event
// that fits is the one before with another delta: it need not be taken apart again.
type stencil struct {
	// reuse changes the event itself instead of copying it.
	reuse bool

	ev            Event
	before, after string // what stands around the delta's string
}

// stencilLimit is the size in bytes of the largest event that is kept: its whole text stays as long as events fit.
const stencilLimit = 64 << 10

// set keeps a decoded event's shape. delta is its delta as it stands in data.
func (s *stencil) set(ev Event, data, delta string) {
	if len(data) > stencilLimit {
		return
	}
	at := rawjson.Offset(data, delta)
	s.ev, s.before, s.after = ev, data[:at], data[at+len(delta):]
}

// fit gives the event of data if nothing but the delta is new in it, or nil.
func (s *stencil) fit(data string) Event {
	from, to := len(s.before), len(data)-len(s.after)
	if s.ev == nil || to < from || data[:from] != s.before || data[to:] != s.after || rawjson.StringEnd(data, from) != to {
		return nil
	}
	raw, delta := data, Text(data[from:to])
	switch e := s.ev.(type) {
	case *TextMessageContent:
		e = another(s, e)
		e.Raw, e.Delta = raw, delta
		return e
	case *ToolCallArgs:
		e = another(s, e)
		e.Raw, e.Delta = raw, delta
		return e
	case *ReasoningMessageContent:
		e = another(s, e)
		e.Raw, e.Delta = raw, delta
		return e
	case *TextMessageChunk:
		e = another(s, e)
		e.Raw, e.Delta = raw, delta
		return e
	case *ToolCallChunk:
		e = another(s, e)
		e.Raw, e.Delta = raw, delta
		return e
	case *ReasoningMessageChunk:
		e = another(s, e)
		e.Raw, e.Delta = raw, delta
		return e
	}
	return nil
}

func another[E any](s *stencil, e *E) *E {
	if s.reuse {
		return e
	}
	c := *e
	return &c
}
