package thread

import (
	"errors"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// talk is a thread and its store, as a run drives them.
type talk struct {
	*Thread
	s *state.Store
}

func newTalk() *talk {
	s := state.New(nil, "")
	return &talk{New("t", s), s}
}

// add puts messages at the end.
func (k *talk) add(t *testing.T, raws ...string) {
	t.Helper()
	for _, m := range parse(t, raws...) {
		k.s.AddMessage(m, nil)
	}
}

func parse(t *testing.T, raws ...string) []agui.Message {
	t.Helper()
	list, err := agui.ParseMessages("["+strings.Join(raws, ",")+"]", "messages", agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// apply lets events happen.
func (k *talk) apply(t *testing.T, events ...string) {
	t.Helper()
	for _, text := range events {
		e, err := agui.Decode(text, agui.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k.s.Apply(e, nil, nil)
		k.Observe(e, nil)
	}
}

const (
	started   = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	succeeded = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	failed    = `{"type":"RUN_ERROR","message":"no"}`
)

func interrupted(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, `{"id":"`+id+`","reason":"confirmation"}`)
	}
	return `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[` +
		strings.Join(list, ",") + `]}}`
}

// calling gives the events of one tool call.
func calling(id, name, args string) []string {
	return []string{
		`{"type":"TOOL_CALL_START","toolCallId":"` + id + `","toolCallName":"` + name + `","parentMessageId":"a"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"` + id + `","delta":` + string(rawjson.Quote(args)) + `}`,
		`{"type":"TOOL_CALL_END","toolCallId":"` + id + `"}`,
	}
}

func (k *talk) begin(t *testing.T, p Params) Prepared {
	t.Helper()
	prepared, err := k.Begin(p)
	if err != nil {
		t.Fatal(err)
	}
	return prepared
}

// sends lists the ids that a run sends.
func (k *talk) sends(p Prepared) string {
	var out []string
	for i := range k.s.Len() {
		if p.Send == nil || p.Send[i] {
			out = append(out, k.s.Message(i).ID())
		}
	}
	return strings.Join(out, " ")
}

func (k *talk) finish(t *testing.T) []Call {
	t.Helper()
	calls, err := k.Finish(Ending{Handled: func(string) bool { return true }, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

func (k *talk) ids() string { return k.sends(Prepared{}) }

func call(id, name, args string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` +
		string(rawjson.Quote(args)) + `}}`
}

func asking(id string, calls ...string) string {
	return `{"id":"` + id + `","role":"assistant","toolCalls":[` + strings.Join(calls, ",") + `]}`
}

func params(runID string) Params {
	return Params{Input: &agui.Input{RunID: runID, ForwardedProps: "{}"}}
}

func refused(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, &agui.Error{Code: agui.CodeBadInput}) {
		t.Fatalf("got %v, want bad_input", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not name %q", err, p)
		}
	}
}

func TestOneRunAtATime(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	_, err := k.Begin(params("r2"))
	refused(t, err, "under way")
	k.finish(t)
	k.begin(t, params("r2"))
}

func TestHistoryNewSendsWhatTheAgentHasNotHad(t *testing.T) {
	k := newTalk()
	k.History = HistoryNew
	k.add(t, `{"id":"u1","role":"user","content":"a"}`)
	if got := k.sends(k.begin(t, params("r1"))); got != "u1" {
		t.Errorf("first run sends %q", got)
	}
	k.apply(t, started)
	k.apply(t, calling("c1", "f", "{}")...)
	k.apply(t, calling("c2", "g", "{}")...)
	k.apply(t, `{"type":"TOOL_CALL_RESULT","messageId":"q2","toolCallId":"c2","content":"server's"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"a2"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a2","delta":"text"}`, succeeded)
	k.finish(t)

	// The page answers c1 and the person goes on: the new ones, the call they answer and its other result.
	k.s.AddToolResult(parse(t, `{"id":"q1","role":"tool","toolCallId":"c1","content":"mine"}`)[0], nil)
	k.add(t, `{"id":"u2","role":"user","content":"b"}`)
	if got := k.sends(k.begin(t, params("r2"))); got != "a q1 q2 u2" {
		t.Errorf("second run sends %q", got)
	}
	// It fails, so nothing of it counts as had.
	k.apply(t, started, `{"type":"TEXT_MESSAGE_START","messageId":"a3"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a3","delta":"par"}`, failed)
	k.finish(t)
	if got := k.sends(k.begin(t, params("r3"))); got != "a q1 q2 u2 a3" {
		t.Errorf("after a failed run it sends %q", got)
	}
	k.apply(t, started, succeeded)
	k.finish(t)
	if got := k.sends(k.begin(t, params("r4"))); got != "" {
		t.Errorf("with nothing new it sends %q", got)
	}
	k.finish(t)

	// What was set to the same is the same.
	k.s.SetMessages(k.s.ThreadMessages(), nil)
	if got := k.sends(k.begin(t, params("r5"))); got != "" {
		t.Errorf("after no edit it sends %q", got)
	}
	k.finish(t)
	// The person changed the first message: no run is kept, so the agent gets the whole.
	list := k.s.ThreadMessages()
	list[0] = parse(t, `{"id":"u1","role":"user","content":"changed"}`)[0]
	k.s.SetMessages(list, nil)
	if p := k.begin(t, params("r6")); p.Send != nil || p.Input.ParentRunID != "" {
		t.Errorf("after an edit it sends %v to %s", p.Send, p.Input.ParentRunID)
	}
	k.finish(t)
	// Another thread of the agent's has had nothing.
	k.Rename("t2")
	if p := k.begin(t, params("r7")); p.Send != nil || p.Input.ThreadID != "t2" {
		t.Errorf("a renamed thread sends %v as %s", p.Send, p.Input.ThreadID)
	}
}

func TestHistoryFullSendsAll(t *testing.T) {
	k := newTalk()
	k.add(t, `{"id":"u1","role":"user","content":"a"}`)
	k.begin(t, params("r1"))
	k.apply(t, started, succeeded)
	k.finish(t)
	if p := k.begin(t, params("r2")); p.Send != nil {
		t.Errorf("sends %v", p.Send)
	}
}

func TestCallsThatThePageAnswers(t *testing.T) {
	list := func(lists ...[]string) (out []string) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	pending := func(ids string) []string {
		return []string{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":[` + ids + `]}}`}
	}
	end := []string{succeeded}
	cut := []string{
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"a"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}`,
	}
	for _, tc := range []struct {
		name   string
		before string // a message that stood there
		events []string
		want   string
	}{
		{"whole and unanswered", "", list(calling("c1", "f", `{"x":1}`), end), `c1 f {"x":1} a`},
		{"no arguments are none", "", list(calling("c1", "f", ""), end), "c1 f {} a"},
		{"white space is none", "", list(calling("c1", "f", " \n"), end), "c1 f {} a"},
		{"answered", "", list(calling("c1", "f", "{}"),
			[]string{`{"type":"TOOL_CALL_RESULT","messageId":"q","toolCallId":"c1","content":""}`}, end), ""},
		{"one of two is pending", "", list(calling("c1", "f", "{}"), calling("c2", "f", "{}"), pending(`"c2"`)),
			"c2 f {} a"},
		{"an empty list names none", "", list(calling("c1", "f", "{}"), pending(``)), "c1 f {} a"},
		{"pending and unknown", "", pending(`"c9"`), ""},
		{"pending from an earlier run", asking("b", call("c0", "f", "{}")), pending(`"c0"`), "c0 f {} b"},
		{"of an earlier run and not named", asking("b", call("c0", "f", "{}")), end, ""},
		{"of a tool without handler", "", list(calling("c1", "other", "{}"), end), ""},
		{"cut off", "", list(calling("c1", "f", `{"x":`), end),
			`c1 f {"x": a (the arguments are not valid JSON: expected a value, got the end of the text at byte 5)`},
		{"cut off, of a tool without handler", "", list(calling("c1", "other", `{"x":`), end), ""},
		{"an array", "", list(calling("c1", "f", `[1]`), end), "c1 f [1] a (the arguments must be a JSON object)"},
		{"null", "", list(calling("c1", "f", `null`), end), "c1 f null a (the arguments must be a JSON object)"},
		{"two values", "", list(calling("c1", "f", `{}{}`), end),
			"c1 f {}{} a (the arguments are not valid JSON: expected the end of the text, got '{' at byte 2)"},
		{"never ended", "", list(cut, end), ""},
		{"after an interrupt", "", list(calling("c1", "f", `{}`), []string{interrupted("i")}), ""},
		{"after a cancelled run", "", list(calling("c1", "f", `{}`),
			[]string{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`}), ""},
		{"after a failed run", "", list(calling("c1", "f", `{}`), []string{failed}), ""},
		{"after an aborted run", "", calling("c1", "f", `{}`), ""},
		{"several, in order", "", list(calling("c2", "f", `{}`), calling("c1", "f", `{}`), end),
			"c2 f {} a, c1 f {} a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newTalk()
			if tc.before != "" {
				k.add(t, tc.before)
			}
			k.begin(t, params("r1"))
			k.apply(t, started)
			k.apply(t, tc.events...)
			calls, err := k.Finish(Ending{Handled: func(name string) bool { return name == "f" }, Limit: -1})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range calls {
				text := c.ID + " " + c.Name + " " + c.Arguments + " " + c.Message
				if c.Error != "" {
					text += " (" + c.Error + ")"
				}
				got = append(got, text)
			}
			if s := strings.Join(got, ", "); s != tc.want {
				t.Errorf("got %q, want %q", s, tc.want)
			}
		})
	}
}

func TestACallThatTheRuntimeEndedIsNotRun(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, started, `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f"}`)
	e := &agui.ToolCallEnd{ToolCallID: "c1", Incomplete: true}
	k.s.Apply(e, nil, nil)
	k.Observe(e, nil)
	k.apply(t, succeeded)
	if calls := k.finish(t); calls != nil {
		t.Errorf("runs %v", calls)
	}
}

func TestToolRoundsAreLimited(t *testing.T) {
	for _, tc := range []struct {
		round, limit int
		ok           bool
	}{{0, -1, true}, {9, -1, true}, {10, -1, false}, {0, 0, false}, {1, 2, true}, {2, 2, false}} {
		k := newTalk()
		k.begin(t, params("r1"))
		k.apply(t, started)
		k.apply(t, calling("c1", "f", "{}")...)
		k.apply(t, succeeded)
		_, err := k.Finish(Ending{Handled: func(string) bool { return true }, Round: tc.round, Limit: tc.limit})
		if (err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc, err)
		}
		if err != nil {
			refused(t, err, "maxToolRounds")
		}
	}
}

func TestResumeIsChecked(t *testing.T) {
	const noon = 1772366400000 // 2026-03-01T12:00:00Z
	open := []agui.Interrupt{{ID: "i1", Raw: "1"}, {ID: "i2", ExpiresAt: "2026-03-01T11:00:00Z", Raw: "2"},
		{ID: "i3", ExpiresAt: "whenever", Raw: "3"}}
	for _, tc := range []struct {
		name   string
		resume string // id:status ...
		want   []string
	}{
		{"all answered", "i1:resolved i2:cancelled i3:resolved", nil},
		{"none", "", []string{"3 pending interrupts", "i1, i2, i3"}},
		{"one missing", "i1:resolved i2:cancelled", []string{"1 pending interrupt ", "i3"}},
		{"expired", "i1:resolved i2:resolved i3:resolved", []string{"i2 (at 2026-03-01T11:00:00Z)", "cancelled"}},
		{"unknown", "i1:resolved i2:cancelled i3:resolved i9:resolved", []string{"i9"}},
		{"twice", "i1:resolved i2:cancelled i3:resolved i1:cancelled", []string{"more than once", "i1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newTalk()
			k.s.SetInterrupts(open, nil)
			p := params("r")
			p.Now = noon
			p.Input.Resume = entries(tc.resume)
			_, err := k.Begin(p)
			if tc.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				// A request that fails loses none.
				k.finish(t)
				if len(k.s.Interrupts()) != 3 {
					t.Error("the interrupts are gone")
				}
				return
			}
			refused(t, err, tc.want...)
			if k.Running() {
				t.Error("the refused run counts as begun")
			}
		})
	}
	if _, err := newTalk().
		Begin(Params{Input: &agui.Input{ForwardedProps: "{}", Resume: entries("x:resolved")}}); err != nil {
		t.Errorf("an answer to what an earlier page was asked: %v", err)
	}
}

func entries(list string) (out []agui.ResumeEntry) {
	for _, e := range strings.Fields(list) {
		id, status, _ := strings.Cut(e, ":")
		out = append(out, agui.ResumeEntry{InterruptID: id, Status: status,
			Raw: `{"interruptId":"` + id + `","status":"` + status + `","payload":{"of":"` + id + `"}}`})
	}
	return out
}

func TestOlderInterrupts(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, started, `{"type":"CUSTOM","name":"something","value":1}`,
		`{"type":"CUSTOM","name":"on_interrupt","value":"{\"question\":\"Go on?\"}"}`, succeeded)
	want :=
		`{"id":"on_interrupt-1","reason":"input_required","message":"Go on?","metadata":{"name":"on_interrupt","value":{"question":"Go on?"}}}`
	if open := k.s.Interrupts(); len(open) != 1 || open[0].Raw != want {
		t.Fatalf("got %v", open)
	}
	k.finish(t)

	_, err := k.Begin(params("r2"))
	refused(t, err, "on_interrupt-1")

	// Answered as any other.
	p := params("r2")
	p.Input.ForwardedProps = `{"a":1,"command":{"b":2}}`
	p.Input.Resume = entries("on_interrupt-1:resolved")
	got := k.begin(t, p).Input
	if got.ForwardedProps != `{"a":1,"command":{"b":2,"resume":{"of":"on_interrupt-1"}}}` || got.Resume != nil {
		t.Errorf("sends %s and %v", got.ForwardedProps, got.Resume)
	}
	// The next question gets an id of its own; two in one run are answered together.
	k.apply(t, started, `{"type":"CUSTOM","name":"on_interrupt","value":"Sure?"}`,
		`{"type":"CUSTOM","name":"on_interrupt","value":{"n":1}}`, succeeded)
	k.finish(t)
	if open := k.s.Interrupts(); len(open) != 2 || open[0].ID != "on_interrupt-2" ||
		!strings.Contains(open[0].Raw, `"message":"Sure?"`) || strings.Contains(open[1].Raw, `"message"`) {
		t.Fatalf("got %v", open)
	}
	p = params("r3")
	p.Input.Resume = entries("on_interrupt-3:cancelled on_interrupt-2:resolved")
	if got := k.begin(t, p).
		Input.ForwardedProps; got != `{"command":{"resume":[{"of":"on_interrupt-2"},{"status":"cancelled"}]}}` {
		t.Errorf("sends %s", got)
	}
	k.finish(t)

	// Answered by hand, as pages of that dialect do.
	p = params("r4")
	p.Input.ForwardedProps = `{"command":{"resume":true}}`
	if got := k.begin(t, p).Input.ForwardedProps; got != p.Input.ForwardedProps {
		t.Errorf("sends %s", got)
	}
	k.apply(t, started, succeeded)
	k.finish(t)
	k.begin(t, params("r5"))
}

func TestTheChangeOfAnOlderInterruptIsRecorded(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	var ch state.Changes
	k.Observe(&agui.Custom{Name: "on_interrupt", Value: `"?"`}, &ch)
	k.Observe(&agui.RunFinished{}, &ch)
	if ch.Len() != 1 || ch.At(0).Path[0].Key != "interrupts" {
		t.Errorf("recorded %d changes", ch.Len())
	}
}

func TestOutcomeWinsOverTheOlderDialect(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, started, `{"type":"CUSTOM","name":"on_interrupt","value":"?"}`, interrupted("i1"))
	k.finish(t)
	if open := k.s.Interrupts(); len(open) != 1 || open[0].ID != "i1" {
		t.Errorf("got %v", open)
	}
	p := params("r2")
	p.Input.Resume = entries("i1:resolved")
	if in := k.begin(t, p).Input; len(in.Resume) != 1 || in.ForwardedProps != "{}" {
		t.Errorf("sends %v and %s", in.Resume, in.ForwardedProps)
	}
}

func TestBranch(t *testing.T) {
	k := newTalk()
	k.History = HistoryNew
	for _, n := range []string{"1", "2", "3"} {
		k.add(t, `{"id":"u`+n+`","role":"user","content":""}`)
		k.begin(t, params("r"+n))
		k.apply(t, started, `{"type":"TEXT_MESSAGE_START","messageId":"a`+n+`"}`,
			`{"type":"STATE_SNAPSHOT","snapshot":{"n":`+n+`.0}}`, succeeded)
		k.finish(t)
	}
	branch := func(from *talk, run string) *talk {
		th, err := from.Branch(run)
		if err != nil {
			t.Fatal(err)
		}
		return &talk{th, th.Store()}
	}
	b := branch(k, "r2")
	if got := b.ids() + " " + string(b.s.AppendState(nil)); got != `u1 a1 u2 a2 {"n":2.0}` {
		t.Errorf("the branch holds %q", got)
	}
	b.add(t, `{"id":"other","role":"user","content":""}`)
	p := b.begin(t, params("r4"))
	if p.Input.ParentRunID != `"r2"` || p.Input.ThreadID != "t" || b.sends(p) != "other" {
		t.Errorf("the branch sends %+v and %s", p.Input, b.sends(p))
	}
	b.apply(t, started, succeeded)
	b.finish(t)
	if p := b.begin(t, params("r5")); p.Input.ParentRunID != "" {
		t.Errorf("the branch's second run names %s", p.Input.ParentRunID)
	}
	// The first thread is as it was, and a branch knows the runs before it but not those after.
	if got := k.ids() + " " + string(k.s.AppendState(nil)); got != `u1 a1 u2 a2 u3 a3 {"n":3.0}` {
		t.Errorf("the thread holds %q", got)
	}
	branch(b, "r1")
	_, err := b.Branch("r3")
	refused(t, err, `"r3"`)
	_, err = k.Branch("nope")
	refused(t, err, `"nope"`)
	// The parent that somebody gives wins.
	b = branch(k, "r1")
	q := params("r6")
	q.Input.ParentRunID = `"r0"`
	if p := b.begin(t, q); p.Input.ParentRunID != `"r0"` {
		t.Errorf("names %s", p.Input.ParentRunID)
	}
}

func TestBranchKeepsItsInterrupts(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, started, `{"type":"CUSTOM","name":"on_interrupt","value":"?"}`, succeeded)
	k.finish(t)
	p := params("r2")
	p.Input.Resume = entries("on_interrupt-1:resolved")
	k.begin(t, p)
	k.apply(t, started, succeeded)
	k.finish(t)
	b, err := k.Branch("r1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Begin(params("r3"))
	refused(t, err, "on_interrupt-1")
	q := params("r3")
	q.Input.Resume = entries("on_interrupt-1:resolved")
	prepared, err := b.Begin(q)
	if err != nil || !strings.Contains(prepared.Input.ForwardedProps, "resume") {
		t.Errorf("%v %v", prepared, err)
	}
}

func TestBranchFromARunThatWasAborted(t *testing.T) {
	k := newTalk()
	k.add(t, `{"id":"u1","role":"user","content":""}`)
	k.begin(t, params("r1"))
	k.apply(t, started, `{"type":"TEXT_MESSAGE_START","messageId":"a1"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a1","delta":"par"}`)
	k.finish(t)
	k.add(t, `{"id":"u2","role":"user","content":""}`)
	b, err := k.Branch("r1")
	if err != nil {
		t.Fatal(err)
	}
	if got := (&talk{b, b.Store()}).ids(); got != "u1 a1" {
		t.Errorf("the branch holds %q", got)
	}
}

func TestCloneGoesItsOwnWay(t *testing.T) {
	k := newTalk()
	k.add(t, `{"id":"u1","role":"user","content":""}`)
	k.begin(t, params("r1"))
	k.apply(t, started, succeeded)
	k.finish(t)
	th := k.Clone()
	c := &talk{th, th.Store()}
	c.add(t, `{"id":"u2","role":"user","content":""}`)
	c.begin(t, params("r2"))
	if k.Running() || k.ids() != "u1" || c.ids() != "u1 u2" {
		t.Errorf("the two are not apart: %q, %q", k.ids(), c.ids())
	}
	if _, err := c.Branch("r1"); err != nil {
		t.Error(err)
	}
}
