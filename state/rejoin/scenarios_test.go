package rejoin

import (
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// sseLeg writes frames: "id|data", or data alone.
func sseLeg(frames ...string) string {
	var b strings.Builder
	for _, f := range frames {
		if id, data, ok := strings.Cut(f, "|"); ok && !strings.HasPrefix(f, "{") {
			b.WriteString("id: " + id + "\n")
			f = data
		}
		if f != "" {
			b.WriteString("data: " + f + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

const (
	begun    = `{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}`
	opened   = `{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}`
	hel      = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hel"}`
	lo       = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"lo"}`
	closed   = `{"type":"TEXT_MESSAGE_END","messageId":"m1"}`
	finished = `{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`
)

// TestCursorScenarios holds those of the re-attach scenarios that a cursor decides.
func TestCursorScenarios(t *testing.T) {
	first := sseLeg("a|"+begun, "b|"+opened, "c|"+hel)
	for _, c := range []struct {
		name, dialect string
		legs          []string // the last one ends well where it ends in "$"
		want          Verdict
		text          string
	}{
		{"3: cut before the first byte", "sse-id", []string{""}, Verdict{Code: CodeNotResumable}, ""},
		{"3: no cursors at all", "sse-id", []string{sseLeg(begun, opened, hel)}, Verdict{Code: CodeNotResumable},
			"Hel"},
		{"4: cut after the last event", "sse-id", []string{first + sseLeg("d|"+closed, "e|"+finished)},
			Verdict{Ended: true}, "Hel"},
		{"5: a clean end without a terminal", "sse-id", []string{first + "$"}, Verdict{Again: true}, "Hel"},
		{"6: the last event is repeated", "sse-id", []string{first, sseLeg("c|"+hel, "d|"+lo, "e|"+finished)},
			Verdict{Ended: true}, "Hello"},
		{"7: all is repeated", "sse-id", []string{first, first + sseLeg("d|"+lo, "e|"+finished)}, Verdict{Ended: true},
			"Hello"},
		{"9: an empty id resets", "sse-id", []string{first + "id:\ndata: " + lo + "\n\n"},
			Verdict{Code: CodeNotResumable}, "Hello"},
		{"10: an id alone moves the cursor", "sse-id", []string{first + sseLeg("d|"), sseLeg("d|"+lo, "e|"+finished)},
			Verdict{Ended: true}, "Hel"},
		{"11: one id twice on the first leg", "sse-id", []string{first + sseLeg("c|"+lo, "e|"+finished)},
			Verdict{Ended: true}, "Hello"},
		{"12: a leg without cursors", "sse-id", []string{first, sseLeg(lo, finished) + "$"}, Verdict{Code: CodeRefused},
			"Hel"},
		{"13: started anew, without cursors", "sse-id", []string{first, sseLeg(begun, opened, hel, lo, finished)},
			Verdict{Code: CodeRefused}, "Hel"},
		{"13: started anew, under new cursors", "sse-id", []string{first, sseLeg("x|"+begun, "y|"+opened, "z|"+hel)},
			Verdict{Code: CodeRefused}, "Hel"},
		{"13: started anew, under the same cursors", "sse-id",
			[]string{first, sseLeg("a|"+begun, "b|"+strings.Replace(opened, "m1", "m9", 1))},
			Verdict{Code: CodeRefused}, "Hel"},
		{"15: the transport's abort", "sse-id",
			[]string{first + sseLeg(`{"type":"RUN_ERROR","message":"aborted","code":"abort"}`)}, Verdict{Again: true},
			"Hel"},
		{"15: the run's own", "sse-id",
			[]string{first + sseLeg(`d|{"type":"RUN_ERROR","message":"aborted","code":"abort"}`)}, Verdict{Ended: true},
			"Hel"},
		{"20: expired", "tanstack", []string{first, sseLeg(`{"type":"RUN_ERROR","message":"unknown run"}`)},
			Verdict{Code: CodeGone}, "Hel"},
		{"21: a tool loop, cut between its turns", "tanstack", []string{
			first + sseLeg("d|"+closed, "e|"+strings.TrimSuffix(finished, "}")+`,"finishReason":"tool_calls"}`),
			sseLeg("f|"+begun, "g|"+opened, "h|"+lo, "i|"+closed, "j|"+finished) + "$"}, Verdict{Ended: true}, "lo"},
		{"21: the same, said in tanstack's metadata", "tanstack", []string{
			first + sseLeg("d|"+closed, "e|"+strings.TrimSuffix(finished, "}")+
				`,"metadata":{"tanstack":{"finishReason":"tool_calls"}}}`),
			sseLeg("g|"+opened, "h|"+lo, "i|"+closed, "j|"+finished) + "$"}, Verdict{Ended: true}, "lo"},
		{"a response of several runs, cut in the third", "sse-id", []string{
			first + sseLeg("d|"+closed, "e|"+finished, "f|"+strings.Replace(begun, "r1", "r2", 1),
				"g|"+strings.Replace(finished, "r1", "r2", 1)),
			sseLeg("h|"+strings.Replace(begun, "r1", "r3", 1), "i|"+opened),
			sseLeg("j|"+lo, "k|"+closed, "l|"+strings.Replace(finished, "r1", "r3", 1)) + "$"},
			Verdict{Ended: true}, "lo"},
		{"24: the run's id was dropped", "tanstack",
			[]string{first, sseLeg("x:0|" + strings.Replace(begun, "r1", "r9", 1))}, Verdict{Code: CodeRefused}, "Hel"},
		{"58: a second RUN_STARTED on a leg", "sse-id",
			[]string{first, sseLeg("c|"+hel, "d|"+begun, "e|"+lo, "f|"+finished)}, Verdict{Ended: true}, "Hello"},
		{"2: the end of a frame is missing", "sse-id", []string{first + "id: d\ndata: " + lo + "\n$",
			sseLeg("d|"+lo, "e|"+finished)}, Verdict{Ended: true}, "Hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _ := Named(c.dialect)
			p := newPage(d, false, nil)
			var v Verdict
			for _, body := range c.legs {
				body, clean := strings.CutSuffix(body, "$")
				v = p.leg(ByCursor, body, clean)
			}
			v.Progress, v.Retry = false, 0
			if v != c.want {
				t.Errorf("got %+v, want %+v", v, c.want)
			}
			text := ""
			if m, ok := p.store.Find("m1"); ok {
				text = m.Text()
			}
			if !strings.HasSuffix(text, c.text) || c.text != "lo" && text != c.text {
				t.Errorf("text %q, want %q", text, c.text)
			}
		})
	}
}

func TestReplayScenarios(t *testing.T) {
	user :=
		`{"type":"RUN_STARTED","threadId":"t1","runId":"r1","input":{"messages":[{"id":"other","role":"user","content":"q"}]}}`
	mine := func() *state.Store {
		in, err := agui.Decode(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"q"}]}`,
			agui.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return state.New(in.(*agui.MessagesSnapshot).Messages, `{"list":[]}`)
	}
	custom := `{"type":"CUSTOM","name":"x","value":1}`
	add := `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/-","value":1}]}`
	past := sseLeg(`{"type":"RUN_STARTED","threadId":"t1","runId":"r0"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m0","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m0","delta":"old"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m0"}`, `{"type":"RUN_ERROR","message":"no"}`)
	for _, c := range []struct{ name, first, second, want, state string }{
		{"25: the run goes on", sseLeg(user, add, opened, hel), sseLeg(user, add, opened, hel, lo, closed, finished),
			"q|Hello|", "1"},
		{"26: it has finished: one delta", sseLeg(user, add, opened, hel),
			sseLeg(user, opened, strings.Replace(hel, "Hel", "Hello", 1), closed,
				`{"type":"STATE_SNAPSHOT","snapshot":{"list":[1]}}`, finished), "q|Hello|", "1"},
		{"27: past runs, one failed", sseLeg(user, add, opened, hel),
			past + sseLeg(user, add, opened, hel, lo, closed, finished), "old|q|Hello|", "1"},
		{"28: a custom event behind its message", sseLeg(user, add, opened, hel, custom),
			sseLeg(user, add, opened, hel, lo, closed, custom, finished), "q|Hello|", "1"},
		{"32: the end without ids", sseLeg(user, add, opened, hel),
			sseLeg(user, add, opened, hel, closed, `{"type":"RUN_FINISHED"}`), "q|Hel|", "1"},
		{"57: our message under another id", sseLeg(user, add, opened),
			sseLeg(strings.Replace(user, "other", "third", 1), add, opened, hel, closed, finished), "q|Hel|", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(&copilotkit, false, mine())
			p.leg(ByReplay, c.first, false)
			v := p.leg(ByReplay, c.second, true)
			var got strings.Builder
			for i := range p.store.Len() {
				got.WriteString(p.store.Message(i).Text() + "|")
			}
			if !v.Ended || got.String() != c.want {
				t.Errorf("%+v: got %q, want %q", v, got.String(), c.want)
			}
			if s := string(p.store.AppendState(nil)); s != `{"list":[`+c.state+`]}` {
				t.Errorf("state %s", s)
			}
			if n := strings.Count(strings.Join(p.events, "\n"), custom); n != strings.Count(c.first, custom) {
				t.Errorf("the custom event was handed out %d times", n)
			}
			if n := strings.Count(strings.Join(p.events, "\n"), "RUN_STARTED"); n != 1 {
				t.Errorf("%d runs began", n)
			}
		})
	}
}

func TestSnapshotScenarios(t *testing.T) {
	ask := `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":"q"}]}`
	for _, c := range []struct{ name, second, want string }{
		{"36: a part, and a tail without its START",
			sseLeg(begun, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"assistant","content":"Hel"}]}`,
				lo, closed, finished), "q|Hello|"},
		{"37: new ids", strings.ReplaceAll(
			sseLeg(begun, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"assistant","content":"Hel"}]}`,
				lo, closed, finished), "m1", "n7"), "q|Hello|"},
		{"38: nothing", sseLeg(begun, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`, finished), "q|Hel|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(&agno, false, nil)
			p.leg(BySnapshot, sseLeg(begun, ask, opened, hel), false)
			v := p.leg(BySnapshot, c.second, true)
			var got strings.Builder
			for i := range p.store.Len() {
				got.WriteString(p.store.Message(i).Text() + "|")
			}
			if !v.Ended || got.String() != c.want {
				t.Errorf("%+v: got %q, want %q", v, got.String(), c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	var l Line
	l.Begin(1)
	for range 10 { // 16: progress refills
		l.New(100)
		l.Cut(200, "network", -1, 1)
		if l.State != Reconnecting || l.NextAt != 200 {
			t.Fatalf("%+v", l)
		}
	}
	now := 200.0 // 17: flapping ends, but not within a minute
	for i := 0; l.State != Lost && i < 100; i++ {
		now = l.NextAt
		l.Begin(now)
		l.Cut(now+5, "network", -1, 1)
	}
	if l.Code != CodeNoProgress || now < 60_000 || now > 90_000 {
		t.Errorf("lost with %q after %v ms", l.Code, now)
	}
	l = Line{}
	l.Begin(1)
	l.Cut(2, "http_status", 30_000, 0) // 18
	if l.NextAt < 30_002 {
		t.Errorf("the server's wait counts for nothing: %v", l.NextAt)
	}
	if again, _ := l.Refused(401); !again { // 19
		t.Error("a 401 is asked once more")
	}
	if again, code := l.Refused(401); again || code != agui.CodeHTTPStatus {
		t.Error("a second 401 is final")
	}
	l = Line{Hidden: true} // 52
	l.Begin(1)
	for range 50 {
		l.Cut(2, "network", -1, 1)
	}
	if l.Attempt != 0 || l.State != Reconnecting {
		t.Errorf("a hidden page used up %d attempts", l.Attempt)
	}
}

// TestFiniteReplays, scenario 39: a server that tells what a running run has, closes what is open and ends, is asked
// again, and its pieces are one text; where it never goes on, the line is lost.
func TestFiniteReplays(t *testing.T) {
	p := newPage(&copilotkit, false, nil)
	p.leg(ByReplay, sseLeg(begun, opened, hel), false)
	whole := "Hello world, and more"
	for n := 3; n <= len(whole); n += 4 {
		told := strings.Replace(hel, "Hel", whole[:n], 1)
		if v := p.leg(ByReplay, sseLeg(begun, opened, told, closed), true); !v.Again || !v.Progress {
			t.Fatalf("told %q: %+v", whole[:n], v)
		}
		if m, _ := p.store.Find("m1"); m.Text() != whole[:n] {
			t.Fatalf("told %q, it has %q", whole[:n], m.Text())
		}
	}
	told := strings.Replace(hel, "Hel", whole, 1)
	if v := p.leg(ByReplay, sseLeg(begun, opened, told, closed, finished), true); !v.Ended {
		t.Fatalf("%+v", v)
	}
	if m, _ := p.store.Find("m1"); m.Text() != whole || p.text["{116 m1}"] != whole {
		t.Errorf("text %q, deltas %q", m.Text(), p.text)
	}

	legs := legsOf(&copilotkit)
	legs.First(1)
	legs.Take(2, []byte(sseLeg(begun, opened, hel)), 0)
	act, now, asked := legs.Over(3, false, "network", 0), 3.0, 0
	for ; act == Wait && asked < 100; asked++ {
		now = max(now, legs.Line.NextAt)
		if _, ok := legs.Next(now); !ok {
			t.Fatal("no request")
		}
		legs.Take(now+5, []byte(sseLeg(begun, opened, hel, closed)), 0)
		act = legs.Over(now+10, true, "", 0.9)
	}
	if act != GiveUp || legs.Line.Code != CodeNoProgress || asked < ceiling || now < leastTime {
		t.Errorf("act %d, %q after %d requests and %v ms", act, legs.Line.Code, asked, now)
	}
}

// legsOf makes a run on a page of its own.
func legsOf(d *Dialect) *Legs {
	p := newPage(d, false, nil)
	o := p.run.o
	o.ThreadID, o.RunID = "t1", "r1"
	return NewLegs(o, Context{URL: "http://agent.test/agent/a/run", Body: "{}"})
}

// TestUnknownThreads, scenario 38 on CopilotKit's routes: a server that answers for a thread which it does not know
// with an empty snapshot, under the run's own id, wipes nothing and is no success.
func TestUnknownThreads(t *testing.T) {
	empty := `{"type":"MESSAGES_SNAPSHOT","messages":[]}`
	for _, run := range []string{"r1", "other"} {
		p := newPage(&copilotkit, false, nil)
		p.leg(ByReplay, sseLeg(begun, opened, hel), false)
		v := p.leg(ByReplay, strings.ReplaceAll(sseLeg(begun, empty, finished), "r1", run), true)
		if m, ok := p.store.Find("m1"); !ok || m.Text() != "Hel" || v.Ended || run == "r1" && v.Code != CodeGone {
			t.Errorf("%s: %+v, %s", run, v, p.tree())
		}
		p = newPage(&copilotkit, true, nil)
		p.run.o.Live.Apply(mustDecode(t, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"q"}]}`),
			nil, nil)
		v = p.leg(ByReplay, strings.ReplaceAll(sseLeg(begun, empty, finished), "r1", run), true)
		if !v.Ended || p.store.Len() != 1 {
			t.Errorf("joining, %s: %+v, %s", run, v, p.tree())
		}
	}
}

func mustDecode(t *testing.T, data string) agui.Event {
	t.Helper()
	e, err := agui.Decode(data, agui.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestHeartbeatsAlone, scenario 66: an agent that thinks for ten minutes is there, however slow its heartbeats are.
func TestHeartbeatsAlone(t *testing.T) {
	for _, pace := range []float64{1000, 15_000, 60_000} {
		legs := legsOf(&sseID)
		legs.First(1)
		legs.Take(2, []byte(sseLeg("a|"+begun)), 0)
		now := 2.0
		for beat := now + pace; now < 600_000; now += 2000 {
			if now >= beat {
				beat += pace
				if act := legs.Take(now, []byte(":\n\n"), 0); act != Go {
					t.Fatalf("every %v ms: act %d", pace, act)
				}
			}
			if legs.Tick(now) || legs.Line.State != Connected {
				t.Fatalf("every %v ms: given up after %v ms, %s", pace, now, legs.Line.State)
			}
		}
		stale := false
		for end := now + 3*pace + watchLeast; !stale && now < end; now += 2000 {
			stale = legs.Tick(now)
		}
		if !stale {
			t.Errorf("every %v ms: silence is not seen", pace)
		}
	}
}

// To WebKit a body that breaks off in front of its first byte ends well: what told nothing is believed the third time.
func TestReplaysThatTellNothing(t *testing.T) {
	d, _ := Named("copilotkit")
	p := newPage(d, false, nil)
	whole := sseLeg(begun, opened, hel)
	for i, c := range []struct {
		body  string
		clean bool
		want  Verdict
	}{
		{whole, false, Verdict{Again: true}},
		{"", true, Verdict{Again: true}},
		{"", true, Verdict{Again: true}},
		{"", false, Verdict{Again: true}},
		{"", true, Verdict{Again: true}},
		{whole, true, Verdict{Again: true}},
		{": nothing\n\n", true, Verdict{Again: true}},
		{"", true, Verdict{Again: true}},
		{"", true, Verdict{Code: CodeGone}},
	} {
		v := p.leg(ByReplay, c.body, c.clean)
		if v.Progress, v.Retry = false, 0; v != c.want {
			t.Errorf("leg %d: %+v, want %+v", i+1, v, c.want)
		}
	}
}
