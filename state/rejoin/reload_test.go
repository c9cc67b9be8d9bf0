package rejoin

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

const openText = `{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}`

// reloaded makes the legs of a page that was loaded anew with what it kept.
func reloaded(t *testing.T, d *Dialect, kept string, at Point) (*page, *Legs) {
	t.Helper()
	in, err := agui.Decode(`{"type":"MESSAGES_SNAPSHOT","messages":[`+kept+`]}`, agui.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(d, true, state.New(in.(*agui.MessagesSnapshot).Messages, ""))
	l := NewLegs(Options{Dialect: d, ThreadID: "t1", RunID: "r1", Live: p.store, Join: true, At: at, Emit: func(o Out) {
		if err := p.pipe.Push(o.Data); err != nil {
			t.Error(err)
		}
	}}, Context{URL: "http://x/run", Body: `{"runId":"r1"}`})
	return p, l
}

func TestAPageThatWasLoadedAnewGoesOnBehindItsCursor(t *testing.T) {
	kept := `{"id":"u1","role":"user","content":"q"},{"id":"m1","role":"assistant","content":"Hel"}`
	for _, name := range []string{"sse-id", "tanstack"} {
		d, _ := Named(name)
		p, l := reloaded(t, d, kept, Point{Cursor: "c", ThreadID: "t1", RunID: "r1", Body: `{"runId":"r1"}`,
			Open: []string{openText}})
		q, ok := l.Next(1)
		if !ok || q.Method == "POST" && q.Body != `{"runId":"r1"}` || !strings.Contains(q.URL+headersOf(q), "c") {
			t.Fatalf("%s: %+v", name, q)
		}
		l.Take(2, []byte(sseLeg("c|"+hel, "d|"+lo, "e|"+closed, "f|"+finished)), 0)
		if act := l.Over(3, true, "", 0); act != End {
			t.Errorf("%s: %v", name, act)
		}
		if m, _ := p.store.Find("m1"); m.Text() != "Hello" || p.store.Len() != 2 {
			t.Errorf("%s: %q of %d", name, m.Text(), p.store.Len())
		}
		if len(p.warn) > 0 {
			t.Errorf("%s: %v", name, p.warn)
		}
	}
}

// headersOf gives a request's headers as one text.
func headersOf(q Request) (s string) {
	for _, h := range q.Headers {
		s += h[0] + ":" + h[1] + ";"
	}
	return s
}

func TestARunThatIsGoneAfterAReload(t *testing.T) {
	kept := `{"id":"u1","role":"user","content":"q"},{"id":"m1","role":"assistant","content":"Hel"}`
	d, _ := Named("tanstack")
	p, l := reloaded(t, d, kept, Point{Cursor: "c", ThreadID: "t1", RunID: "r1", Body: `{"runId":"r1"}`,
		Open: []string{openText}})
	l.Next(1)
	if act := l.Refused(2, 404, -1, 0); act != Wait {
		t.Fatalf("%v", act)
	}
	q, ok := l.Next(3)
	if !ok || !strings.Contains(q.URL, "threadId=t1") || !l.Loads() {
		t.Fatalf("%+v", q)
	}
	l.Take(4,
		[]byte(
			`{"messages":[{"id":"u1","role":"user","content":"q"},{"id":"m1","role":"assistant","content":"Hello there"}],"activeRun":null}`), 0)
	if act := l.Over(5, true, "", 0); act != End {
		t.Errorf("%v", act)
	}
	if m, _ := p.store.Find("m1"); m.Text() != "Hello there" {
		t.Errorf("%q", m.Text())
	}

	d, _ = Named("sse-id") // without a way to load the thread, what was kept stays
	p, l = reloaded(t, d, kept, Point{Cursor: "c", ThreadID: "t1", RunID: "r1", Body: `{}`})
	l.Next(1)
	if act := l.Refused(2, 410, -1, 0); act != GiveUp || l.Line.Code != CodeGone {
		t.Errorf("%v %v", act, l.Line.Code)
	}
	if m, _ := p.store.Find("m1"); m.Text() != "Hel" {
		t.Errorf("%q", m.Text())
	}
}

// TestAReloadAtEveryEventOfEveryRecording loads the page anew behind each event of each recording, with what it kept:
// what it has in the end is what a page has that saw it all.
func TestAReloadAtEveryEventOfEveryRecording(t *testing.T) {
	d, _ := Named("sse-id")
	for name, events := range recordings(t) {
		id := answered(events)
		whole := newPageOf(d, false, nil, id)
		whole.leg(ByCursor, serve("sse-id", events, 0), true)
		step := max(1, len(events)/60)
		for n := 1; n < len(events); n += step {
			old := newPageOf(d, false, nil, id)
			old.run.Begin(ByCursor)
			old.run.Write([]byte(strings.TrimSuffix(serve("sse-id", events, 0), serve("sse-id", events, n))))
			if old.pipe.Terminal() || strings.Contains(strings.Join(old.pipe.Open(), ""), `"id-`) {
				continue // a retired event's message has an id that was made: its rest would be a message of its own
			}
			if strings.HasPrefix(name, "strands.parallel") &&
				strings.Contains(strings.Join(events[:n], ""), `"MESSAGES_SNAPSHOT"`) {
				continue // its snapshot leaves out a call of its own: that only this page had it is not kept
			}
			p, l := reloadedFrom(t, d, old, id)
			if _, ok := l.Next(1); !ok {
				t.Fatalf("%s, %d: %v", name, n, l.Line.Code)
			}
			l.Take(2, []byte(serve("sse-id", events, n)), 0)
			l.Over(3, true, "", 0)
			if got, want := kept(t, p), kept(t, whole); got != want {
				t.Errorf("%s, behind event %d of %d (%s):\n%s\nwant\n%s", name, n, len(events), events[n-1], got, want)
			}
			if more := missing(p.warn, whole.warn); more != "" {
				t.Errorf("%s, behind event %d of %d: %s", name, n, len(events), more)
			}
		}
	}
}

var madeID = regexp.MustCompile(`"id-\d+"`)

// kept gives what a page keeps of a conversation in the end, and which of its calls wait.
func kept(t *testing.T, p *page) string {
	t.Helper()
	var tree struct {
		Messages, State, Interrupts, Outcome json.RawMessage
		PendingToolCallIDs                   []string
	}
	if err := json.Unmarshal([]byte(p.tree()), &tree); err != nil {
		t.Fatal(err)
	}
	waits := slices.DeleteFunc(tree.PendingToolCallIDs, func(id string) bool { return !p.store.HasToolCall(id) })
	all := string(tree.Messages) + string(tree.State) + string(tree.Interrupts) + string(tree.Outcome) +
		strings.Join(waits, ",")
	return madeID.ReplaceAllString(all, `"made"`)
}

// missing gives the first warning that the other page did not have.
func missing(warned, known []string) string {
	for _, w := range warned {
		if !slices.Contains(known, w) {
			return w
		}
	}
	return ""
}

// reloadedFrom makes the legs of a page that was loaded anew with what another page had.
func reloadedFrom(t *testing.T, d *Dialect, old *page, id string) (*page, *Legs) {
	t.Helper()
	var kept struct{ Messages, State json.RawMessage }
	if err := json.Unmarshal(old.store.AppendTree(nil), &kept); err != nil {
		t.Fatal(err)
	}
	messages, err := agui.ParseMessages(string(kept.Messages), "messages", agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	legs := &Legs{Run: old.run}
	at := ReadPoint(legs.Point(old.pipe.Open()))
	if at.Cursor == "" || at.RunID == "" {
		t.Fatal("no point")
	}
	at.Body = "{}"
	p := newPageOf(d, true, state.New(messages, string(kept.State)), id)
	l := NewLegs(Options{Dialect: d, ThreadID: "t1", RunID: id, Live: p.store, Join: true, At: at, Emit: func(o Out) {
		_ = p.pipe.Push(o.Data)
	}}, Context{URL: "http://x/run", Body: `{"runId":"r1"}`})
	return p, l
}
