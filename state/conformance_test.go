package state

import (
	"os"
	"sort"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// runStream sends events (JSON texts) through a pipeline into the store, and checks the mirror after each.
func runStream(t *testing.T, s *Store, strict bool, events []string) (warnings []agui.Warning, err error) {
	t.Helper()
	m := newMirror(s)
	var ch Changes
	warn := func(w agui.Warning) { warnings = append(warnings, w) }
	p := agui.NewPipeline(agui.Options{
		Strict: strict, ThreadID: "t1", RunID: "r1", Known: s, Warn: warn,
		Emit: func(ev agui.Event) bool {
			ch.Reset()
			s.Apply(ev, &ch, warn)
			m.apply(&ch, ev.Common().Raw)
			m.check(t, s, ev.Common().Raw)
			return true
		},
	})
	for _, e := range events {
		if err := p.Push(e); err != nil {
			return warnings, err
		}
	}
	err = p.End() // may warn
	return warnings, err
}

// TestConformance runs the conformance cases that are not about the wire, without a wire.
func TestConformance(t *testing.T) {
	text, err := os.ReadFile("../wasm/session/testdata/conformance/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range rawjson.Elements(strings.TrimSpace(string(text))) {
		get := func(obj, key string) string { v, _ := rawjson.Get(obj, key); return v }
		str := func(raw string) string { return rawjson.String(raw).Decode() }
		kind, name := str(get(c, "kind")), str(get(c, "name"))
		response, expect, input := get(c, "response"), get(c, "expect"), get(c, "input")
		if kind == "sse" || kind == "http" {
			continue
		}
		ran++
		t.Run(kind+"/"+name, func(t *testing.T) {
			in, err := agui.ParseInput(`{"messages":`+or(get(input, "messages"), "[]")+`,"state":`+
				or(get(input, "state"), "{}")+`}`, agui.InputOptions{})
			if err != nil {
				t.Fatal(err)
			}
			s := New(in.Messages, in.State)
			var events []string
			for _, block := range strings.Split(str(get(response, "body")), "\n\n") {
				if data, ok := strings.CutPrefix(strings.TrimSpace(block), "data: "); ok {
					events = append(events, data)
				}
			}
			warnings, runErr := runStream(t, s, str(get(c, "verify")) == "strict", events)
			outcome := "complete"
			if runErr != nil {
				outcome = string(agui.CodeOf(runErr))
			}
			if want := get(expect, "outcome"); !strings.Contains(want, `"`+outcome+`"`) &&
				!(outcome == "complete" && strings.Contains(want, `"incomplete_stream"`)) &&
				!(outcome == "complete" && strings.Contains(want, "run_error")) {
				t.Errorf("outcome %s (%v), want %s", outcome, runErr, want)
			}
			if want := get(expect, "messages"); want != "" &&
				!match(parseTree(want), parseTree(string(s.AppendMessages(nil)))) {
				t.Errorf("messages\n got %s\nwant %s", s.AppendMessages(nil), want)
			}
			if want := get(expect, "state"); want != "" && !rawjson.Equal(want, string(s.AppendState(nil))) {
				t.Errorf("state %s, want %s", s.AppendState(nil), want)
			}
			if want := get(expect, "stateText"); want != "" && str(want) != string(s.AppendState(nil)) {
				t.Errorf("state %s, want %s", s.AppendState(nil), str(want))
			}
			if want := get(expect, "interrupts"); want != "" {
				var ids []string
				for _, i := range s.Interrupts() {
					ids = append(ids, string(rawjson.Quote(i.ID)))
				}
				if !rawjson.Equal(want, "["+strings.Join(ids, ",")+"]") {
					t.Errorf("interrupts %v, want %s", ids, want)
				}
			}
			got := map[string]bool{}
			for _, w := range warnings {
				got[string(w.Code)] = true
			}
			var codes []string
			for c := range got {
				codes = append(codes, `"`+c+`"`)
			}
			sort.Strings(codes)
			var want []string
			for _, w := range rawjson.Elements(or(get(expect, "warnings"), "[]")) {
				want = append(want, w)
			}
			sort.Strings(want)
			if strings.Join(codes, ",") != strings.Join(want, ",") {
				t.Errorf("warnings %v, want %v: %v", codes, want, warnings)
			}
		})
	}
	if ran < 150 {
		t.Errorf("only %d cases ran", ran)
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// match compares trees; an id "*" that is wanted matches any.
func match(want, got any) bool {
	switch w := want.(type) {
	case obj:
		g, ok := got.(obj)
		if !ok || len(g) != len(w) {
			return false
		}
		for k, v := range w {
			if v == body("*") && (k == "id" || strings.HasSuffix(k, "Id")) {
				if _, ok := g[k].(body); !ok {
					return false
				}
				continue
			}
			if e, ok := g[k]; !ok || !match(v, e) {
				return false
			}
		}
		return true
	case *arr:
		g, ok := got.(*arr)
		if !ok || len(g.v) != len(w.v) {
			return false
		}
		for i := range w.v {
			if !match(w.v[i], g.v[i]) {
				return false
			}
		}
		return true
	}
	return show(want) == show(got)
}
