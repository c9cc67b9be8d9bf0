package rejoin

import (
	"bytes"
	"iter"

	"aguiwasm/agui"
	"aguiwasm/agui/proto"
	"aguiwasm/agui/rawjson"
)

// Messages makes frames of an event stream out of the pieces of a leg's body in the protocol's protobuf encoding, for
// [Legs.Take]: one place puts both in order. Each call takes the body's next bytes and gives the frames that they
// complete, one at a time. The encoding has no ids, so its events have cursors only where a dialect keeps them in the
// events.
func (r *Run) Messages() func([]byte) iter.Seq[[]byte] {
	frames, told := proto.Frames{Max: r.o.MaxEventBytes}, false
	return func(p []byte) iter.Seq[[]byte] {
		return func(yield func([]byte) bool) {
			fits := frames.Write(p)
			for message, ok := frames.Next(); ok; message, ok = frames.Next() {
				data, _, fault := proto.AppendEvent([]byte("data: "), message)
				if fault != nil && fault.Unknown {
					if !told {
						told = true
						r.o.Warn(agui.Warning{Code: agui.WarnUnknownEvent,
							Message: fault.Error() + "; it was passed over: the encoding does not tell its name"})
					}
					continue
				}
				if fault != nil {
					// malformed: the rules say what becomes of it
					data = []byte("data: " + string(rawjson.Quote(fault.Error())))
				}
				if !yield(append(data, "\n\n"...)) {
					return
				}
			}
			if !fits {
				yield(bytes.Repeat([]byte("x"), r.o.MaxEventBytes+1)) // the limit is judged where all are
			}
		}
	}
}
