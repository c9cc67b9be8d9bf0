// Package sse turns a response into the data of its server-sent events, in pure Go: it judges the status and the
// content type ([Judge], [Sniff]), cuts the body's bytes into whole frames ([Frames]) and lets go-sse parse them
// ([Events]).
//
// sse.Read looks at a frame from its start at each read, and gives up its buffer only when a frame is whole. Frames is
// why that costs nothing here: go-sse sees whole frames alone.
package sse

import (
	"io"
	"iter"
	"math"
	"strings"

	gosse "github.com/tmaxmax/go-sse"
)

// Source fills the frames that [Events] reads.
type Source interface {
	// Wait waits (it may give way to its caller) until a frame is whole and not read. It reports false at the end.
	Wait() bool
}

// Events yields each event that carries data. An event whose data is empty, blank or "[DONE]" is passed over: some
// servers send these as a keep-alive or as an end mark. lastEventID is as the WHATWG standard keeps it.
func Events(source Source, frames *Frames) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r := &reader{source: source, frames: frames, yield: yield}
		// The limit is Frames' to keep: one here as well would count differently.
		for e, err := range gosse.Read(r, &gosse.ReadConfig{MaxEventSize: math.MaxInt32}) {
			if r.stopped {
				return
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			r.lastEventID = e.LastEventID
			if !carriesData(e.Data) {
				continue
			}
			if !yield(Event{Name: e.Type, Data: e.Data, LastEventID: e.LastEventID}, nil) {
				return
			}
		}
	}
}

// Event is one server-sent event.
type Event struct {
	// Name is the value of its field "event", or "".
	Name        string
	Data        string
	LastEventID string
}

// reader gives go-sse the frames. It asks for more when it has yielded what it had, so that a long line of data may
// pass it by in its place: the parser would look at each of its bytes three times more.
type reader struct {
	source      Source
	frames      *Frames
	yield       func(Event, error) bool
	lastEventID string
	stopped     bool // yield has had enough
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	for !r.stopped {
		if data, ok := r.frames.longLine(); ok {
			r.stopped = carriesData(data) && !r.yield(Event{Data: data, LastEventID: r.lastEventID}, nil)
		} else if n := r.frames.Read(p); n > 0 {
			return n, nil
		} else if !r.source.Wait() {
			break
		}
	}
	return 0, io.EOF
}

func carriesData(data string) bool {
	if len(data) > 64 {
		return true
	}
	data = strings.TrimSpace(data)
	return data != "" && data != "[DONE]"
}
