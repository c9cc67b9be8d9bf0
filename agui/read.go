package agui

import (
	"io"
	"iter"
	"strconv"

	"aguiwasm/agui/proto"
	"aguiwasm/agui/rawjson"
	"aguiwasm/agui/sse"
)

// DefaultMaxEventBytes is the greatest size of one event unless the caller says otherwise: 16 MiB.
const DefaultMaxEventBytes = 16 << 20

// Read reads the body of a response, a stream of server-sent events (or of protobuf messages, where o.ContentType says
// so), and yields its events in order: decoded, chunks expanded, the sequence rules asked (sections 4 to 8). o says
// how; o.Emit and o.ReuseEvents are not used. Each event is a value of its own, and it is applied (to a state.Store
// that o.Known may be, say) before the next one is asked for.
//
// The last pair of a stream that did not end well is a nil Event with an [*Error]: what the server said (run_error),
// what the stream lacks (incomplete_stream), a malformed event (bad_event, protocol), one over o.MaxEventBytes
// (event_too_large), or what reading failed with (network, with the cause). A failure of the body after the run's end
// is no error. Everything received before was yielded. Breaking out of the loop stops reading; closing the body is the
// caller's.
func Read(body io.Reader, o Options) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r := &bodyReader{body: body, max: o.MaxEventBytes}
		if r.max <= 0 {
			r.max = DefaultMaxEventBytes
		}
		r.frames.Max = r.max
		going := true
		o.ReuseEvents, o.Emit = false, func(e Event) bool {
			going = going && yield(e, nil)
			return going
		}
		p := NewPipeline(o)
		var err error
		if sse.Judge(200, o.ContentType) == sse.Protobuf {
			err = r.messages(p, &going)
		} else {
			err = r.each(p, o.SeenID, &going)
		}
		switch {
		case !going:
		case err != nil && CodeOf(err) == r.network && p.Terminal():
			// The run had ended; what became of the connection then says nothing of it.
			if err := p.End(); err != nil && going {
				yield(nil, err)
			}
		case err != nil:
			yield(nil, err)
		default:
			if err := p.End(); err != nil && going {
				yield(nil, err)
			}
		}
	}
}

// bodyReader gives go-sse the bytes of whole frames.
type bodyReader struct {
	body    io.Reader
	frames  sse.Frames
	max     int
	piece   [32 << 10]byte
	failure *Error // what ended the body
	network Code
	ended   bool
	tail    bool // the last event, which had no blank line, is being read
}

// each pushes the data of each event; it gives what ended the stream early.
func (r *bodyReader) each(p *Pipeline, seen func(string), going *bool) error {
	for e, err := range sse.Events(r, &r.frames) {
		if err != nil {
			return &Error{Code: CodeInternal, Message: "The event stream could not be parsed: " + err.Error(),
				Cause: err}
		}
		if r.tail && rawjson.Check(e.Data, rawjson.MaxDepth) != nil {
			break // cut off in the middle of an event
		}
		if e.Name == "error" && !p.ServerError(e.Data) {
			continue
		}
		if err := p.Push(e.Data); err != nil {
			return err
		}
		if !*going {
			return nil
		}
		if seen != nil {
			seen(e.LastEventID)
		}
	}
	if r.failure != nil {
		return r.failure
	}
	return nil
}

// messages pushes each message of a protobuf body; it gives what ended the body early.
func (r *bodyReader) messages(p *Pipeline, going *bool) error {
	frames := proto.Frames{Max: r.max}
	for {
		n, err := r.body.Read(r.piece[:])
		fits := frames.Write(r.piece[:n])
		for message, ok := frames.Next(); ok; message, ok = frames.Next() {
			if err := p.PushProto(message); err != nil {
				return err
			}
			if !*going {
				return nil
			}
		}
		switch {
		case !fits:
			return r.tooLarge()
		case err == io.EOF:
			return nil // half a message does not count: whether the run has ended says all
		case err != nil:
			r.network = CodeNetwork
			return broke(err)
		}
	}
}

func (r *bodyReader) tooLarge() *Error {
	return &Error{Code: CodeEventTooLarge, Message: "An event is larger than the " + strconv.Itoa(r.max) +
		" bytes that are allowed."}
}

func broke(err error) *Error {
	return &Error{Code: CodeNetwork, Message: "The connection broke while the response was read: " + err.Error(),
		Cause: err}
}

// Wait implements [sse.Source].
func (r *bodyReader) Wait() bool {
	for !r.frames.Whole() {
		if r.ended {
			return false
		}
		n, err := r.body.Read(r.piece[:])
		if n > 0 && !r.frames.Write(r.piece[:n]) {
			r.ended = true // the frames before it still count
			r.failure = r.tooLarge()
			continue
		}
		switch err {
		case nil:
		case io.EOF:
			r.ended = true
			r.tail = r.frames.End()
		default:
			r.ended, r.network = true, CodeNetwork
			r.failure = broke(err)
		}
	}
	return true
}
