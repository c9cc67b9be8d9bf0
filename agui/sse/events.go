// Package sse turns a response into the data of its server-sent events, in pure Go: it judges the status and the content
// type ([Judge], [Sniff]), cuts the body's bytes into whole frames ([Frames]) and lets go-sse parse them ([Events]).
//
// sse.Read looks at a frame from its start at each read, and gives up its buffer only when a frame is whole. Frames is why
// that costs nothing here: go-sse sees whole frames alone.
package sse

import (
	"io"
	"iter"
	"math"
	"strings"

	gosse "github.com/tmaxmax/go-sse"
)

// Source gives [Events] its bytes.
type Source interface {
	// Read is an io.Reader's; it may wait (give way to its caller) until a frame is whole, and gives io.EOF at the end.
	Read(p []byte) (int, error)
}

// Events yields each event that carries data. An event whose data is empty, blank or "[DONE]" is passed over: some servers
// send these as a keep-alive or as an end mark. lastEventID is as the WHATWG standard keeps it.
func Events(source Source) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		// The limit is Frames' to keep: one here as well would count differently.
		for e, err := range gosse.Read(reader{source}, &gosse.ReadConfig{MaxEventSize: math.MaxInt32}) {
			if err != nil {
				yield(Event{}, err)
				return
			}
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

type reader struct{ Source }

var _ io.Reader = reader{}

func carriesData(data string) bool {
	if len(data) > 64 {
		return true
	}
	data = strings.TrimSpace(data)
	return data != "" && data != "[DONE]"
}
