package rejoin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// page is what a run's events go into: the pipeline and the store of a page.
type page struct {
	pipe   *agui.Pipeline
	store  *state.Store
	events []string
	text   map[string]string // what the deltas of each message add up to
	warn   []string
	run    *Run
}

func newPage(d *Dialect, join bool, store *state.Store) *page { return newPageOf(d, join, store, "r1") }

func newPageOf(d *Dialect, join bool, store *state.Store, runID string) *page {
	p := &page{store: store, text: map[string]string{}}
	if p.store == nil {
		p.store = state.New(nil, `{"mine":1}`)
	}
	p.pipe = agui.NewPipeline(agui.Options{ThreadID: "t1", RunID: "r1", Known: p.store, Emit: func(ev agui.Event) bool {
		p.store.Apply(ev, nil, nil)
		p.events = append(p.events, ev.Common().Raw)
		if e, s, delta := meaningOf(ev); s == grows {
			p.text[fmt.Sprint(e)] += delta
		}
		return true
	}, Warn: func(w agui.Warning) { p.warn = append(p.warn, string(w.Code)+": "+w.Message) }})
	p.run = NewRun(Options{Dialect: d, ThreadID: "t1", RunID: runID, Live: p.store, Join: join,
		Emit: func(o Out) { _ = p.pipe.Push(o.Data) },
		Warn: func(w agui.Warning) { p.warn = append(p.warn, string(w.Code)) }})
	return p
}

// leg gives a run a leg's bytes.
func (p *page) leg(shape Shape, body string, clean bool) Verdict {
	p.run.Begin(shape)
	p.run.Write([]byte(body))
	return p.run.End(clean)
}

// ends counts the runs that have ended.
func (p *page) ends() (n int) {
	for _, e := range p.events {
		if terminal(agui.Type(member(e, "type"))) {
			n++
		}
	}
	return n
}

func (p *page) tree() string {
	var v any
	if err := json.Unmarshal(p.store.AppendTree(nil), &v); err != nil {
		panic(err)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// recordings gives the events' data of each recorded response.
func recordings(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../web/dev/demo/testdata/traces/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	list := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Response struct{ Body string } }
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		var events []string
		var in reader
		take := func(f frame) {
			if f.hasData {
				events = append(events, f.data)
			}
		}
		in.write([]byte(r.Response.Body), take)
		in.end(take)
		if len(events) > 0 {
			list[strings.TrimSuffix(filepath.Base(file), ".json")] = events
		}
	}
	return list
}

// answered gives the run's id in a recording.
func answered(events []string) string {
	for _, e := range events {
		if member(e, "type") == "RUN_STARTED" {
			return member(e, "runId")
		}
	}
	return "r1"
}

// serve writes the events after the first n as a dialect does.
func serve(name string, events []string, n int) string {
	var b strings.Builder
	for i, e := range events[n:] {
		i += n
		switch name {
		case "sse-id", "tanstack":
			fmt.Fprintf(&b, "id: run:%d\n", i)
		case "agno":
			e = strings.TrimSuffix(strings.TrimSpace(e), "}") +
				fmt.Sprintf(`,"metadata":{"agnoBackground":{"eventIndex":%d,"subIndex":%d}}}`, i/3, i%3)
		}
		b.WriteString("data: " + strings.ReplaceAll(e, "\n", "\ndata: ") + "\n\n")
	}
	return b.String()
}

// stride gives how far apart the cuts are: every byte of a short stream, some of a long one; all of every one with
// AGUI_CHAOS=all.
func stride(n int) int {
	if os.Getenv("AGUI_CHAOS") == "all" || n < 600 && !testing.Short() {
		return 1
	}
	if testing.Short() {
		return n/40 | 1
	}
	return n/150 | 1
}

func TestEveryCutOfEveryRecording(t *testing.T) {
	for name, events := range recordings(t) {
		for _, dialect := range []string{"sse-id", "tanstack", "agno", "copilotkit", "reattach"} {
			t.Run(name+"/"+dialect, func(t *testing.T) { cutEverywhere(t, dialect, events) })
		}
	}
}

func cutEverywhere(t *testing.T, dialect string, events []string) {
	d, _ := Named(dialect)
	if dialect == "reattach" {
		d = &agno
	}
	if dialect == "agno" && strings.Contains(strings.Join(events, ""), `"metadata"`) {
		t.Skip("the recording has metadata of its own: one key would stand twice")
	}
	if dialect == "reattach" && strings.Contains(strings.Join(events, ""), "MESSAGES_SNAPSHOT") {
		t.Skip("the recorded server takes messages away; from a part of a thread nothing is taken away")
	}
	body := serve(dialect, events, 0)
	shape := d.Shape
	if dialect == "reattach" {
		shape = BySnapshot
	}
	whole := newPage(d, false, nil)
	if v := whole.leg(shape, body, true); !v.Ended {
		t.Skip("the recorded run does not end")
	}
	want := whole.tree()
	for cut := 0; cut <= len(body); cut += stride(len(body)) {
		p := newPage(d, false, nil)
		v := p.leg(shape, body[:cut], false)
		if cut == 0 || v.Code == CodeNotResumable {
			if p.run.Cursor() != "" {
				t.Fatalf("cut at %d: not resumable with a cursor", cut)
			}
			continue
		}
		if v.Ended {
			if p.ends() == 1 && whole.ends() > 1 {
				continue // behind the first run nothing says that the response had more
			}
			if got := p.tree(); got != want {
				t.Fatalf("cut at %d: ended early\n got %s\nwant %s", cut, got, want)
			}
			continue
		}
		if !v.Again {
			t.Fatalf("cut at %d: %+v", cut, v)
		}
		if len(p.events) == 0 && shape != ByCursor {
			continue // nothing came: the server may not know the run
		}
		switch dialect {
		case "copilotkit":
			v = p.leg(shape, body, true)
		case "reattach":
			v = p.leg(shape, reattached(events, cut*len(events)/len(body)), true)
		default:
			v = p.leg(shape, serve(dialect, events, served(dialect, events, p.run.Cursor())), true)
		}
		if !v.Ended {
			t.Fatalf("cut at %d: the second leg: %+v", cut, v)
		}
		got, want := p.tree(), want
		if dialect == "reattach" { // what the server left out of its snapshot (an outcome's calls) is not asked
			got, want = textsOf(p.store), textsOf(whole.store)
		}
		if got != want {
			t.Fatalf("cut at %d\n got %s\nwant %s\nevents %s", cut, got, want, strings.Join(p.events, "\n"))
		}
		if shape == ByCursor && strings.Join(p.events, "\n") != strings.Join(whole.events, "\n") {
			t.Fatalf("cut at %d: other events\n got %s\nwant %s", cut, strings.Join(p.events, "\n"),
				strings.Join(whole.events, "\n"))
		}
		if shape == ByReplay && fmt.Sprint(p.text) != fmt.Sprint(whole.text) {
			t.Fatalf("cut at %d: other deltas\n got %v\nwant %v", cut, p.text, whole.text)
		}
	}
}

// served finds the first event after a cursor.
func served(dialect string, events []string, cursor string) int {
	for i := range events {
		c := fmt.Sprintf("run:%d", i)
		if dialect == "agno" {
			c = fmt.Sprintf("%d,%d", i/3, i%3)
		}
		if c == cursor {
			return i + 1
		}
	}
	return 0
}

// textsOf gives the messages' texts, calls and results in order.
func textsOf(s *state.Store) string {
	var b strings.Builder
	for i := range s.Len() {
		m := s.Message(i)
		fmt.Fprintf(&b, "%s %s %q", m.Role(), m.ID(), m.Text())
		for c := range m.Calls() {
			fmt.Fprintf(&b, " %s(%s)", m.Call(c).Name(), m.Call(c).Arguments())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestChaos cuts at random several times a run, repeats what came before, and stalls; AGUI_CHAOS=all makes 100,000
// runs, AGUI_CHAOS_SEED says from which seed on.
func TestChaos(t *testing.T) {
	runs, from := uint64(2000), uint64(0)
	if os.Getenv("AGUI_CHAOS") == "all" {
		runs = 100_000
	}
	if text := os.Getenv("AGUI_CHAOS_SEED"); text != "" {
		if _, err := fmt.Sscan(text, &from); err != nil {
			t.Fatal(err)
		}
	}
	all := recordings(t)
	var names []string
	for name, events := range all {
		if n := len(serve("", events, 0)); n < 6000 {
			names = append(names, name)
		}
	}
	trees, ends := map[string]string{}, map[string]int{}
	for seed := from; seed < from+runs; seed++ {
		r := rand.New(rand.NewPCG(seed, 17))
		name := names[int(seed)%len(names)]
		dialect := []string{"sse-id", "tanstack", "agno", "copilotkit", "reattach"}[r.IntN(5)]
		events := all[name]
		if dialect == "reattach" {
			reattachAtRandom(t, seed, r, name, events)
			continue
		}
		if dialect == "agno" && strings.Contains(strings.Join(events, ""), `"metadata"`) {
			continue
		}
		d, _ := Named(dialect)
		key := name + dialect
		if trees[key] == "" {
			p := newPage(d, false, nil)
			if !p.leg(d.Shape, serve(dialect, events, 0), true).Ended {
				trees[key] = "-"
			} else {
				trees[key], ends[key] = p.tree(), p.ends()
			}
		}
		if trees[key] == "-" {
			continue
		}
		p := newPageOf(d, false, nil, answered(events))
		var v Verdict
		for leg := 0; leg < 200; leg++ {
			from := 0
			if leg > 0 && d.Shape == ByCursor {
				from = max(0, served(dialect, events, p.run.Cursor())-r.IntN(4))
				if r.IntN(5) == 0 {
					from = 0
				}
			}
			body, clean := serve(dialect, events, from), true
			if r.IntN(4) > 0 {
				body, clean = body[:r.IntN(len(body)+1)], false
			}
			p.run.Begin(d.Shape)
			for rest := body; rest != ""; {
				n := 1 + r.IntN(len(rest))
				p.run.Write([]byte(rest[:n]))
				rest = rest[n:]
				if r.IntN(3) == 0 {
					p.run.Quiet()
				}
			}
			if v = p.run.End(clean); !v.Again {
				break
			}
		}
		if v.Code == CodeNotResumable {
			continue
		}
		if v.Ended && p.ends() == 1 && ends[key] > 1 {
			continue // behind the first run nothing says that the response had more
		}
		if !v.Ended || p.tree() != trees[key] {
			t.Fatalf("seed %d, %s, %s: %+v\n got %s\nwant %s", seed, name, dialect, v, p.tree(), trees[key])
		}
	}
}
