package agui

import "aguiwasm/agui/rawjson"

// stencil is the last decoded event, where it carried a delta. A stream repeats the same text but for the delta, and an
// event that fits is the one before with another delta: it need not be taken apart again.
type stencil struct {
	// on says that an event may be changed into the one after it.
	on bool

	ev            Event
	delta         *Text  // the event's
	before, after string // what stands around the delta's string
}

// stencilLimit is the size in bytes of the largest event that is kept: its whole text stays as long as events fit.
const stencilLimit = 64 << 10

// set keeps a decoded event's shape. delta is its delta as it stands in data.
func (s *stencil) set(ev Event, data, delta string) {
	if !s.on || len(data) > stencilLimit {
		return
	}
	switch e := ev.(type) {
	case *TextMessageContent:
		s.delta = &e.Delta
	case *ToolCallArgs:
		s.delta = &e.Delta
	case *ReasoningMessageContent:
		s.delta = &e.Delta
	case *TextMessageChunk:
		s.delta = &e.Delta
	case *ToolCallChunk:
		s.delta = &e.Delta
	case *ReasoningMessageChunk:
		s.delta = &e.Delta
	default:
		return
	}
	at := rawjson.Offset(data, delta)
	s.ev, s.before, s.after = ev, data[:at], data[at+len(delta):]
}

// fit gives the event of data if nothing but the delta is new in it, or nil.
func (s *stencil) fit(data string) Event {
	from, to := len(s.before), len(data)-len(s.after)
	if s.ev == nil || to < from || data[:from] != s.before || data[to:] != s.after ||
		rawjson.StringEnd(data, from) != to {
		return nil
	}
	s.ev.Common().Raw, *s.delta = data, Text(data[from:to])
	return s.ev
}
