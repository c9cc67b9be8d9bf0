package rejoin

import (
	"math/rand/v2"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// reattached is what a server with snapshots sends after n events.
func reattached(events []string, n int) string {
	past, rest := state.New(nil, ""), []string(nil)
	count := 0
	var start string
	pipe := agui.NewPipeline(agui.Options{Known: past, Emit: func(ev agui.Event) bool {
		raw := ev.Common().Raw
		if count <= n {
			past.Apply(ev, nil, nil)
			if ev.EventType() == agui.TypeRunStarted {
				start = raw
			}
		} else {
			rest = append(rest, raw)
		}
		return true
	}})
	for _, e := range events {
		_ = pipe.Push(e)
		count++
	}
	list := []string{}
	if start != "" {
		list = append(list, start)
	}
	list = append(list, `{"type":"MESSAGES_SNAPSHOT","messages":`+string(past.AppendMessagesForAgent(nil))+`}`,
		`{"type":"STATE_SNAPSHOT","snapshot":`+string(past.AppendState(nil))+`}`)
	if len(rest) == 0 {
		rest = events[len(events)-1:] // a run that has ended says so again
	}
	return serve("", append(list, rest...), 0)
}

// reattachAtRandom is a run of [TestChaos] whose server tells its messages as they are and then the rest, from where it
// is by then.
func reattachAtRandom(t *testing.T, seed uint64, r *rand.Rand, name string, events []string) {
	all := strings.Join(events, "")
	if strings.Contains(all, "MESSAGES_SNAPSHOT") {
		return // from a part of a thread nothing is taken away
	}
	body := serve("", events, 0)
	whole := newPageOf(&agno, false, nil, answered(events))
	if !whole.leg(BySnapshot, body, true).Ended || whole.ends() > 1 {
		return
	}
	p := newPageOf(&agno, false, nil, answered(events))
	body = body[:r.IntN(len(body)+1)]
	sent := strings.Count(body, "\n\n") // whole events that the server has sent
	v := p.leg(BySnapshot, body, false)
	if len(p.events) == 0 {
		return // nothing came: the server may not know the run
	}
	for leg := 0; leg < 200 && v.Again; leg++ {
		sent = min(len(events)-1, sent+r.IntN(4))
		body, clean := reattached(events, sent), leg > 50 || r.IntN(4) == 0
		if !clean {
			body = body[:r.IntN(len(body)+1)]
			sent = max(sent, sent+strings.Count(body, "\n\n")-3)
		}
		v = p.leg(BySnapshot, body, clean)
	}
	if got, want := textsOf(p.store), textsOf(whole.store); !v.Ended || got != want {
		t.Fatalf("seed %d, %s, reattach: %+v\n got %s\nwant %s", seed, name, v, got, want)
	}
}
