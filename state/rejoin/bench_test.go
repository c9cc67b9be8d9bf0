package rejoin

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// long is a response of n text events in pieces as a network gives them, each event with an id.
func long(n int) (pieces [][]byte) {
	var b strings.Builder
	events := make([]string, 0, n+4)
	events = append(events, begun, opened)
	for i := range n {
		events = append(events, fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"word%d "}`, i))
	}
	for i, e := range append(events, closed, finished) {
		fmt.Fprintf(&b, "id: %d\ndata: %s\n\n", i, e)
	}
	for text := b.String(); text != ""; {
		k := min(len(text), 16<<10)
		pieces, text = append(pieces, []byte(text[:k])), text[k:]
	}
	return pieces
}

// applies makes what events are handed to.
func applies(live *state.Store) *agui.Pipeline {
	return agui.NewPipeline(agui.Options{Known: live, ReuseEvents: true, Emit: func(e agui.Event) bool {
		live.Apply(e, nil, nil)
		return true
	}})
}

// BenchmarkPlacing measures what placing adds to each of 10,000 events: on the run's first connection, and where a
// further one tells all of them again; "none" is without it.
func BenchmarkPlacing(b *testing.B) {
	pieces := long(10_000)
	for _, name := range []string{"sse-id", "copilotkit"} {
		for _, legs := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", name, legs), func(b *testing.B) {
				d, _ := Named(name)
				b.ReportAllocs()
				for b.Loop() {
					live := state.New(nil, "")
					pipe := applies(live)
					r := NewRun(Options{Dialect: d, ThreadID: "t1", RunID: "r1", Live: live,
						Emit: func(o Out) { _ = pipe.Push(o.Data) }})
					for range legs {
						r.Begin(d.Shape)
						for _, p := range pieces {
							r.Write(p)
						}
					}
				}
			})
		}
	}
	b.Run("none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			pipe := applies(state.New(nil, ""))
			var in reader
			for _, p := range pieces {
				in.write(p, func(f frame) { _ = pipe.Push(f.data) })
			}
		}
	})
}
