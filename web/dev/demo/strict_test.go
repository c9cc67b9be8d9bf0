package demo

import (
	"bytes"
	"testing"

	"github.com/tmaxmax/go-sse"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// TestStrict sends each scenario's stream through the strict rules and into a store: the agent itself breaks none of
// them, no patch fails, and nothing needs a warning.
func TestStrict(t *testing.T) {
	url := serve(t)
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			a := post(t, url, runInput(s.Prompt, nil))
			store := state.New(nil, "{}")
			warn := func(w agui.Warning) { t.Errorf("%s: %s: %s", w.Code, w.Message, w.Event) }
			p := agui.NewPipeline(agui.Options{
				Strict: true, ThreadID: "t1", RunID: "r1", Known: store, Warn: warn,
				Emit: func(e agui.Event) bool {
					var ch state.Changes
					store.Apply(e, &ch, warn)
					return true
				},
			})
			for e, err := range sse.Read(bytes.NewReader([]byte(a.body)), &sse.ReadConfig{MaxEventSize: 1 << 24}) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Data == "" {
					continue
				}
				if err := p.Push(e.Data); err != nil {
					t.Fatal(err)
				}
			}
			want := map[string]agui.Code{"error": agui.CodeRunError, "cut": agui.CodeIncompleteStream}[s.Name]
			if got := agui.CodeOf(p.End()); got != want {
				t.Errorf("ends with %q, not %q", got, want)
			}
		})
	}
}
