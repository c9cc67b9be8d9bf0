package thread

import (
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

func startedAs(run string) string {
	return `{"type":"RUN_STARTED","threadId":"t","runId":"` + run + `"}`
}

func finishedAs(run, more string) string {
	return `{"type":"RUN_FINISHED","threadId":"t","runId":"` + run + `"` + more + `}`
}

const cancelled = `,"outcome":{"type":"cancelled"}`

func resultOf(call string) string {
	return `{"type":"TOOL_CALL_RESULT","messageId":"q-` + call + `","toolCallId":"` + call + `","content":"x"}`
}

// TestAResponseOfSeveralRuns: what the page must answer is judged when the response is over.
func TestAResponseOfSeveralRuns(t *testing.T) {
	answered :=
		`{"type":"RUN_STARTED","threadId":"t","runId":"s2","input":{"threadId":"t","runId":"s2","state":{},"messages":[` +
			`{"id":"q","role":"tool","toolCallId":"c1","content":"x"}],"tools":[],"context":[],"forwardedProps":{}}}`
	c := func(id string) []string { return calling(id, "f", "{}") }
	const holding = `{"id":"m","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for _, tc := range []struct {
		name   string
		events [][]string
		want   string // the calls
	}{
		{"a call of each run", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), startedAs("s2")}, c("c2"), {finishedAs("s2", "")}}, "c1 c2"},
		{"one id in both", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), startedAs("s2")}, c("c1"), {finishedAs("s2", "")}}, "c1"},
		{"answered by the next run", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), startedAs("s2"), resultOf("c1"), finishedAs("s2", "")}}, ""},
		{"answered between", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), resultOf("c1")}}, ""},
		{"answered by an input", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), answered, finishedAs("s2", "")}}, ""},
		{"answered by a snapshot, which another one behind the end takes back", [][]string{{startedAs("s1")}, c("c1"), {
			`{"type":"MESSAGES_SNAPSHOT","messages":[` + holding + `,{"id":"q","role":"tool","toolCallId":"c1","content":"x"}]}`, finishedAs("s1", ""),
			`{"type":"MESSAGES_SNAPSHOT","messages":[` + holding + `]}`}}, "c1"},
		{"a call that only we knew, behind the end", [][]string{{startedAs("s1"), finishedAs("s1", "")}, {c("c1")[0],
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":"x"}]}`, c("c1")[len(c("c1"))-1]}}, ""},
		{"asked behind the end", [][]string{{startedAs("s1"), finishedAs("s1", "")}, c("c1")}, "c1"},
		{"asked behind the end, with another end", [][]string{{startedAs("s1"), finishedAs("s1", "")}, c("c1"), {finishedAs("s1", "")}}, "c1"},
		{"then a run that fails", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), startedAs("s2"), failed}}, ""},
		{"after a run that failed", [][]string{{startedAs("s1")}, c("c1"), {failed, startedAs("s2")}, c("c2"), {finishedAs("s2", "")}}, "c2"},
		{"then a run that is cut", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), startedAs("s2")}}, ""},
		{"then a run that was cancelled", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", ""), startedAs("s2")}, c("c2"), {finishedAs("s2", cancelled)}}, "c1"},
		{"the first has an empty list of pending calls, which is no list", [][]string{{startedAs("s1")}, c("c1"), {finishedAs("s1", `,"outcome":{"type":"success","pendingToolCallIds":[]}`), startedAs("s2")}, c("c2"), {finishedAs("s2", "")}}, "c1 c2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newTalk()
			k.begin(t, params("r1"))
			for _, events := range tc.events {
				k.apply(t, events...)
			}
			var got []string
			for _, c := range k.finish(t) {
				got = append(got, c.ID)
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("got %q, want %q", s, tc.want)
			}
			if k.Running() {
				t.Error("it still runs")
			}
		})
	}
}

func TestTheNamesOfRuns(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	text := func(id string) string { return `{"type":"TEXT_MESSAGE_START","messageId":"` + id + `"}` }
	k.apply(t, startedAs("s1"), text("a"), finishedAs("x1", ""), startedAs("s2"), text("b"), finishedAs("r1", ""))
	k.finish(t)
	k.begin(t, params("r2"))
	k.apply(t, startedAs("s1"), text("c"), failed) // a server that calls every run alike
	k.finish(t)
	for _, tc := range []struct{ run, ids string }{
		{"r1", "a"}, {"x1", "a"}, {"s2", "a b"}, {"r2", "a b c"}, {"s1", "a b c"},
	} {
		b, err := k.Branch(tc.run)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&talk{b, b.Store()}).ids(); got != tc.ids {
			t.Errorf("the branch from %s holds %q, want %q", tc.run, got, tc.ids)
		}
		p, err := b.Prepare(params("r3"))
		if err != nil || p.Input.ParentRunID != agui.Text(`"`+tc.run+`"`) {
			t.Errorf("the branch from %s names %s (%v)", tc.run, p.Input.ParentRunID, err)
		}
	}
}

// TestReservedRuns: a thread that was made of what the caller kept takes none of the names that the caller knows.
func TestReservedRuns(t *testing.T) {
	k := newTalk()
	k.Reserve([]string{"s1"})
	for _, twin := range []*Thread{k.Thread, k.Clone()} {
		k := &talk{twin, twin.Store()}
		k.begin(t, params("r1"))
		k.apply(t, startedAs("s1"), finishedAs("s1", ""))
		k.finish(t)
		if _, err := k.Branch("s1"); err == nil {
			t.Error("a run took the name of one before it")
		}
		if _, err := k.Branch("r1"); err != nil {
			t.Error(err)
		}
	}
}

// tools lists the conversation's tool messages.
func (k *talk) tools() string {
	var out []string
	for i := range k.s.Len() {
		if m := k.s.Message(i); m.Role() == agui.RoleTool {
			out = append(out, string(m.AppendJSON(nil)))
		}
	}
	return strings.Join(out, " ")
}

func about(id, call string) string {
	return `{"id":"` + id + `","reason":"confirmation","toolCallId":"` + call + `"}`
}

func asks(run string, interrupts ...string) string {
	return finishedAs(run, `,"outcome":{"type":"interrupt","interrupts":[`+strings.Join(interrupts, ",")+`]}`)
}

func TestCallsThatNobodyWillAnswer(t *testing.T) {
	c := func(id string) []string { return calling(id, "f", "{}") }
	notFinished := func(ids ...string) string {
		var out []string
		for _, id := range ids {
			out = append(out, `{"id":"`+id+`:closed","role":"tool","toolCallId":"`+id+
				`","content":"not finished","error":"not finished"}`)
		}
		return strings.Join(out, " ")
	}
	closedWith := func(id, content string) string {
		return `{"id":"` + id + `:closed","role":"tool","toolCallId":"` + id + `","content":` + content + `}`
	}
	pending := func(ids string) string {
		return finishedAs("s", `,"outcome":{"type":"success","pendingToolCallIds":[`+ids+`]}`)
	}
	for _, tc := range []struct {
		name string
		// the events of each run; the resume of a run stands first in it where it begins with "resume "
		runs  [][]string
		close bool
		want  string
	}{
		{"an aborted run's", [][]string{append([]string{started}, c("c1")...)}, false, notFinished("c1")},
		{"an aborted run's, cut off", [][]string{append([]string{started}, c("c1")[:2]...)}, false, notFinished("c1")},
		{"a failed run's", [][]string{append(append([]string{started}, c("c1")...), failed)}, false, notFinished("c1")},
		{"a failed run's, answered", [][]string{append(append([]string{started}, c("c1")...), resultOf("c1"), failed)}, false,
			`{"id":"q-c1","role":"tool","toolCallId":"c1","content":"x"}`},
		{"two runs before", [][]string{append(append([]string{started}, c("c1")...), failed), {started, succeeded}}, false, notFinished("c1")},
		{"a cancelled run's", [][]string{append(append([]string{started}, c("c1")...), finishedAs("s", cancelled))}, false, notFinished("c1")},
		{"a run of the server's whose outcome nobody knows", [][]string{append(append([]string{started}, c("c1")...), finishedAs("s", `,"outcome":{"type":"new"}`))}, false, ""},
		{"the first run's of a response that fails", [][]string{append(append([]string{started}, c("c1")...), succeeded, started, failed)}, false, notFinished("c1")},
		{"the page's, which was stopped", [][]string{append(append([]string{started}, c("c1")...), succeeded)}, false, notFinished("c1")},
		{"somebody else's", [][]string{append(append([]string{started}, calling("c1", "other", "{}")...), succeeded)}, false, ""},
		{"somebody else's, closed", [][]string{append(append([]string{started}, calling("c1", "other", "{}")...), succeeded)}, true, notFinished("c1")},
		{"named as pending, closed", [][]string{append(append([]string{started}, calling("c1", "other", "{}")...), pending(`"c1"`))}, true, ""},
		{"named as pending, then aborted", [][]string{append(append(append([]string{started}, c("c1")...), pending(`"c1"`)), started)}, false, ""},
		{"an open interrupt's", [][]string{append(append([]string{started}, c("c1")...), asks("s", about("i1", "c1")))}, true, ""},
		{"an answered interrupt's", [][]string{append(append([]string{started}, c("c1")...), asks("s", about("i1", "c1"))), {"resume i1:resolved", started, succeeded}}, false, closedWith("c1", `"{\"of\":\"i1\"}"`)},
		{"an answered interrupt's, cancelled", [][]string{append(append([]string{started}, c("c1")...), asks("s", about("i1", "c1"))), {"resume i1:cancelled", started, succeeded}}, false, closedWith("c1", `"cancelled"`)},
		{"an answered interrupt's, with the server's result", [][]string{append(append([]string{started}, c("c1")...), asks("s", about("i1", "c1"))), {"resume i1:resolved", started, resultOf("c1"), succeeded}}, false,
			`{"id":"q-c1","role":"tool","toolCallId":"c1","content":"x"}`},
		{"an answered interrupt's whose resume failed", [][]string{append(append([]string{started}, c("c1")...), asks("s", about("i1", "c1"))), {"resume i1:resolved", started, failed}}, false, ""},
		{"an answered interrupt's that is named as pending", [][]string{append(append([]string{started}, c("c1")...), asks("s", about("i1", "c1"))), {"resume i1:resolved", started, pending(`"c1"`)}}, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newTalk()
			k.CloseUnanswered = tc.close
			for _, events := range tc.runs {
				p := params("r")
				if list, ok := strings.CutPrefix(events[0], "resume "); ok {
					p.Input.Resume, events = entries(list), events[1:]
				}
				k.begin(t, p)
				k.apply(t, events...)
				if _, err := k.Finish(
					Ending{Handled: func(name string) bool { return name == "f" }, Limit: -1}); err != nil {
					t.Fatal(err)
				}
			}
			before := k.tools()
			if strings.Contains(before, "closed") && len(tc.runs) == 1 {
				t.Errorf("closed before the next request: %s", before)
			}
			var ch state.Changes
			p := params("next")
			p.Changes = &ch
			for _, i := range k.s.Interrupts() {
				p.Input.Resume = append(p.Input.Resume, entries(i.ID+":resolved")...)
			}
			branch := k.Clone()
			k.begin(t, p)
			if got := k.tools(); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if (k.tools() != before) != (ch.Len() > 0) {
				t.Errorf("recorded %d changes", ch.Len())
			}
			// A copy knows it too.
			if _, err := branch.Prepare(p); err != nil {
				t.Fatal(err)
			}
			if got := (&talk{branch, branch.Store()}).tools(); got != tc.want {
				t.Errorf("a clone has %s", got)
			}
		})
	}
}

func TestABranchFromAnAbortedRunClosesItsCalls(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, append([]string{started}, calling("c1", "f", "{}")...)...)
	k.finish(t)
	k.begin(t, params("r2"))
	b, err := k.Branch("r1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Begin(params("r3")); err != nil {
		t.Fatal(err)
	}
	if got := (&talk{b, b.Store()}).tools(); !strings.Contains(got, "not finished") {
		t.Errorf("got %s", got)
	}
}

func TestARefusedRunClosesNothing(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, append([]string{started}, calling("c1", "f", "{}")...)...)
	k.finish(t)
	k.s.SetInterrupts([]agui.Interrupt{{ID: "i1", Raw: `{"id":"i1"}`}}, nil)
	if _, err := k.Begin(params("r2")); err == nil || k.tools() != "" {
		t.Errorf("%v, %s", err, k.tools())
	}
}

func TestAResumingRunNamesTheInterruptedOne(t *testing.T) {
	for _, tc := range []struct {
		name         string
		events       []string
		same         bool
		parent       string // that somebody gives
		run, parent2 string
	}{
		{"by our id", []string{startedAs("s1"), asks("s1", about("i1", "c"))}, false, "", "r2", `"r1"`},
		{"by our own id again", []string{startedAs("r1"), asks("r1", about("i1", "c"))}, true, "", "r1", ""},
		{"by the id of a later run", []string{startedAs("s1"), finishedAs("s1", ""), startedAs("s2"), asks("s2", about("i1", "c"))}, false, "", "r2", `"s2"`},
		{"by that again", []string{startedAs("s1"), finishedAs("s1", ""), startedAs("s2"), asks("s2", about("i1", "c"))}, true, "", "s2", ""},
		{"by what somebody gives", []string{startedAs("s1"), asks("s1", about("i1", "c"))}, false, `"mine"`, "r2", `"mine"`},
		{"in the older dialect", []string{startedAs("s1"), `{"type":"CUSTOM","name":"on_interrupt","value":"?"}`, finishedAs("s1", "")}, false, "", "r2", `"r1"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newTalk()
			k.begin(t, params("r1"))
			k.apply(t, tc.events...)
			k.finish(t)
			id := k.s.Interrupts()[0].ID
			for range 2 { // a resume that fails may be tried again
				p := params("r2")
				p.Input.ParentRunID, p.SameRunID = agui.Text(tc.parent), tc.same
				p.Input.Resume = entries(id + ":resolved")
				in := k.begin(t, p).Input
				if in.RunID != tc.run || string(in.ParentRunID) != tc.parent2 {
					t.Errorf("sends %s under %s, want %s under %s", in.RunID, in.ParentRunID, tc.run, tc.parent2)
				}
				k.apply(t, startedAs("s9"), failed)
				k.finish(t)
			}
		})
	}
	// An interrupt that the page remembered: nobody knows who asked it.
	k := newTalk()
	k.s.SetInterrupts([]agui.Interrupt{{ID: "i1", Raw: `{"id":"i1"}`}}, nil)
	p := params("r2")
	p.SameRunID, p.Input.Resume = true, entries("i1:resolved")
	if in := k.begin(t, p).Input; in.RunID != "r2" || in.ParentRunID != "" {
		t.Errorf("sends %s under %s", in.RunID, in.ParentRunID)
	}
}

func TestInterruptsThatThePageExecutes(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, startedAs("s1"))
	for _, id := range []string{"c1", "c2", "c3"} {
		k.apply(t, calling(id, map[string]string{"c1": "f", "c2": "f", "c3": "other"}[id], `{"x":1}`)...)
	}
	wants := func(id, call string) string {
		return `{"id":"` + id + `","reason":"tanstack:client_tool_execution","toolCallId":"` + call + `"}`
	}
	k.apply(t, asks("s1", wants("i1", "c1"), about("i2", "c2"), wants("i3", "c3"), wants("i4", "gone")))
	calls, err := k.Finish(Ending{Handled: func(name string) bool { return name == "f" }, Limit: -1})
	if err != nil || len(calls) != 1 || calls[0].ID != "c1" ||
		calls[0].Interrupt != "i1" || calls[0].Arguments != `{"x":1}` {
		t.Errorf("runs %v (%v)", calls, err)
	}
}

func TestHistoryNewAfterACut(t *testing.T) {
	talkOf := func(t *testing.T) *talk {
		k := newTalk()
		k.History = HistoryNew
		for _, n := range []string{"1", "2", "3"} {
			k.add(t, `{"id":"u`+n+`","role":"user","content":""}`)
			k.begin(t, params("r"+n))
			k.apply(t, startedAs("s"+n), `{"type":"TEXT_MESSAGE_START","messageId":"a`+n+`"}`, finishedAs("s"+n, ""))
			if n == "2" {
				k.apply(t, `{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"x","content":{}}`)
			}
			k.finish(t)
		}
		return k // u1 a1 u2 a2 act u3 a3
	}
	without := func(k *talk, ids ...string) (out []agui.Message) {
		for _, m := range k.s.ThreadMessages() {
			if !strings.Contains(strings.Join(ids, " ")+" ", m.ID+" ") {
				out = append(out, m)
			}
		}
		return out
	}
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, k *talk)
		parent string
		sends  string // "all": the whole
	}{
		{"nothing", func(*testing.T, *talk) {}, "", "new"},
		{"the last turn", func(_ *testing.T, k *talk) { k.s.SetMessages(without(k, "u3", "a3"), nil) }, `"r2"`, "new"},
		{"the last answer", func(_ *testing.T, k *talk) { k.s.SetMessages(without(k, "a3"), nil) }, `"r2"`, "u3 new"},
		{"a turn in the middle", func(_ *testing.T, k *talk) { k.s.SetMessages(without(k, "u2", "a2"), nil) }, `"r1"`, "u3 a3 new"},
		{"an activity", func(_ *testing.T, k *talk) { k.s.SetMessages(without(k, "act"), nil) }, "", "new"},
		{"the first", func(_ *testing.T, k *talk) { k.s.SetMessages(without(k, "u1"), nil) }, "", "all"},
		{"everything", func(_ *testing.T, k *talk) { k.s.SetMessages(nil, nil) }, "", "all"},
		{"an edit", func(t *testing.T, k *talk) {
			list := k.s.ThreadMessages()
			list[5] = parse(t, `{"id":"u3","role":"user","content":"changed"}`)[0]
			k.s.SetMessages(list, nil)
		}, `"r2"`, "u3 a3 new"},
		{"an order", func(_ *testing.T, k *talk) {
			list := k.s.ThreadMessages()
			list[2], list[3] = list[3], list[2]
			k.s.SetMessages(list, nil)
		}, `"r1"`, "a2 u2 u3 a3 new"},
		{"another thread", func(_ *testing.T, k *talk) { k.Rename("t2"); k.s.SetMessages(without(k, "u3", "a3"), nil) }, "", "all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := talkOf(t)
			tc.change(t, k)
			k.add(t, `{"id":"new","role":"user","content":""}`)
			p := k.begin(t, params("r4"))
			got := strings.ReplaceAll(k.sends(p), "act ", "") // marked or not, it is not sent
			if p.Send == nil {
				got = "all"
			}
			if got != tc.sends || string(p.Input.ParentRunID) != tc.parent {
				t.Errorf("sends %q under %s, want %q under %s", got, p.Input.ParentRunID, tc.sends, tc.parent)
			}
			// Once: after a run that finished the agent has it.
			k.apply(t, startedAs("s4"), finishedAs("s4", ""))
			k.finish(t)
			if p := k.begin(t, params("r5")); k.sends(p) != "" || p.Input.ParentRunID != "" {
				t.Errorf("then it sends %q under %s", k.sends(p), p.Input.ParentRunID)
			}
		})
	}
	// A parent that somebody names stays, and what that run has not had is sent.
	k := talkOf(t)
	p := params("r4")
	p.Input.ParentRunID = `"s1"`
	got := k.begin(t, p)
	if s := k.sends(got); got.Input.ParentRunID != `"s1"` || s != "u2 a2 act u3 a3" {
		t.Errorf("sends %q under %s", s, got.Input.ParentRunID)
	}
}

// A call whose id an earlier turn used is the page's to answer under its own id, and goes to the agent under the
// wire's.
func TestReusedCallIDs(t *testing.T) {
	thread := New("t", state.New(nil, ""))
	begin := func() {
		t.Helper()
		in, err := agui.ParseInput(`{"runId":"r"}`, agui.InputOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := thread.Begin(Params{Input: in}); err != nil {
			t.Fatal(err)
		}
	}
	turn := func(arguments string) []Call {
		t.Helper()
		begin()
		p := agui.NewPipeline(agui.Options{Known: thread.Store(), Emit: func(e agui.Event) bool {
			thread.Store().Apply(e, nil, nil)
			thread.Observe(e, nil)
			return true
		}})
		for _, data := range []string{
			`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"TOOL_CALL_START","toolCallId":"call_0","toolCallName":"f"}`,
			`{"type":"TOOL_CALL_ARGS","toolCallId":"call_0","delta":` + string(rawjson.Quote(arguments)) + `}`, `{"type":"TOOL_CALL_END","toolCallId":"call_0"}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
		} {
			if err := p.Push(data); err != nil {
				t.Fatal(err)
			}
		}
		calls, err := thread.Finish(Ending{Handled: func(string) bool { return true }, Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		return calls
	}
	add := func(message string) {
		t.Helper()
		list, err := agui.ParseMessages("["+message+"]", "messages", agui.InputOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if list[0].Role == agui.RoleTool {
			thread.Store().AddToolResult(list[0], nil)
		} else {
			thread.Store().AddMessage(list[0], nil)
		}
	}
	if calls := turn(`{"n":1}`); len(calls) != 1 || calls[0].ID != "call_0" {
		t.Fatalf("the first turn asks for %v", calls)
	}
	add(`{"id":"t1","role":"tool","toolCallId":"call_0","content":"one"}`)
	add(`{"id":"u2","role":"user","content":"again"}`)
	if calls := turn(`{"n":2}`); len(calls) != 1 || calls[0].ID != "call_0:2" || calls[0].Arguments != `{"n":2}` {
		t.Fatalf("the second turn asks for %v", calls)
	}
	add(`{"id":"t2","role":"tool","toolCallId":"call_0:2","content":"two"}`)
	const want = `[{"id":"call_0","role":"assistant","toolCalls":[{"id":"call_0","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}}]},` +
		`{"id":"t1","role":"tool","toolCallId":"call_0","content":"one"},{"id":"u2","role":"user","content":"again"},` +
		`{"id":"call_0:2","role":"assistant","toolCalls":[{"id":"call_0","type":"function","function":{"name":"f","arguments":"{\"n\":2}"}}]},` +
		`{"id":"t2","role":"tool","toolCallId":"call_0","content":"two"}]`
	if got := string(thread.Store().AppendMessagesForAgent(nil)); got != want {
		t.Errorf("the agent gets\n%s\nwant\n%s", got, want)
	}
}

func TestARunThatIsJoined(t *testing.T) {
	store := state.New(nil, "")
	th := New("t1", store)
	if err := th.Join(""); err != nil {
		t.Fatal(err)
	}
	if err := th.Join(""); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("a second one: %v", err)
	}
	if calls, err := th.Finish(Ending{Handled: func(string) bool { return true }}); err != nil ||
		calls != nil || th.Running() {
		t.Errorf("nothing ran: %v %v", calls, err)
	}
	if _, err := th.Branch(""); err == nil {
		t.Error("a run that never was is remembered")
	}
}
