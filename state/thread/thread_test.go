package thread

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// memory is a store that holds what a test puts in.
type memory struct {
	messages   []agui.Message
	interrupts []agui.Interrupt
	pending    []string
	forks      int
}

func (m *memory) ThreadMessages() []agui.Message      { return m.messages }
func (m *memory) Interrupts() []agui.Interrupt        { return m.interrupts }
func (m *memory) SetInterrupts(list []agui.Interrupt) { m.interrupts = list }
func (m *memory) PendingToolCallIDs() []string        { return m.pending }
func (m *memory) Fork() Store {
	m.forks++
	return &memory{messages: slices.Clone(m.messages), interrupts: m.interrupts, pending: m.pending}
}

func (m *memory) add(raws ...string) {
	for _, raw := range raws {
		m.messages = append(m.messages, message(raw))
	}
}

func message(raw string) agui.Message {
	get := func(obj, key string) string {
		v, _ := rawjson.Get(obj, key)
		if rawjson.KindOf(v) == rawjson.Str {
			return rawjson.String(v).Decode()
		}
		return v
	}
	m := agui.Message{ID: get(raw, "id"), Role: agui.Role(get(raw, "role")), ToolCallID: get(raw, "toolCallId"), Raw: raw}
	calls, _ := rawjson.Get(raw, "toolCalls")
	for _, c := range rawjson.Elements(calls) {
		f, _ := rawjson.Get(c, "function")
		name, _ := rawjson.Get(f, "name")
		args, _ := rawjson.Get(f, "arguments")
		m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: get(c, "id"), Name: agui.Text(name), Arguments: agui.Text(args), Raw: c})
	}
	return m
}

func call(id, name, args string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + string(rawjson.Quote(args)) + `}}`
}

func asking(id string, calls ...string) string {
	return `{"id":"` + id + `","role":"assistant","toolCalls":[` + strings.Join(calls, ",") + `]}`
}

func params(runID string) Params {
	return Params{Input: &agui.Input{RunID: runID, ForwardedProps: "{}"}}
}

func begin(t *testing.T, th *Thread, p Params) Prepared {
	t.Helper()
	prepared, err := th.Begin(p)
	if err != nil {
		t.Fatal(err)
	}
	return prepared
}

func refused(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, &agui.Error{Code: agui.BadInput}) {
		t.Fatalf("got %v, want bad_input", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not name %q", err, p)
		}
	}
}

func finished(kind string) *agui.RunFinished {
	return &agui.RunFinished{Outcome: agui.Outcome{Kind: kind}}
}

func all(string) bool { return true }

func TestOneRunAtATime(t *testing.T) {
	th := New("t", &memory{})
	begin(t, th, params("r1"))
	_, err := th.Begin(params("r2"))
	refused(t, err, "under way")
	if _, err := th.Finish(all, 0, -1); err != nil {
		t.Fatal(err)
	}
	begin(t, th, params("r2"))
}

func ids(messages []agui.Message, send []bool) string {
	var out []string
	for i, m := range messages {
		if send == nil || send[i] {
			out = append(out, m.ID)
		}
	}
	return strings.Join(out, " ")
}

func TestHistoryNewSendsWhatTheAgentHasNotHad(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	th.History = HistoryNew
	s.add(`{"id":"u1","role":"user","content":"a"}`)
	if got := ids(s.messages, begin(t, th, params("r1")).Send); got != "u1" {
		t.Errorf("first run sends %q", got)
	}
	s.add(asking("a1", call("c1", "f", "{}"), call("c2", "g", "{}")), `{"id":"q2","role":"tool","toolCallId":"c2","content":"server's"}`, `{"id":"a2","role":"assistant","content":"text"}`)
	th.Observe(finished(""))
	th.Finish(all, 0, -1)

	// The page answers c1 and the person goes on: the new ones, the call they answer and its other result.
	s.messages = slices.Insert(s.messages, 3, message(`{"id":"q1","role":"tool","toolCallId":"c1","content":"mine"}`))
	s.add(`{"id":"u2","role":"user","content":"b"}`)
	if got := ids(s.messages, begin(t, th, params("r2")).Send); got != "a1 q2 q1 u2" {
		t.Errorf("second run sends %q", got)
	}
	// It fails, so nothing of it counts as had.
	s.add(`{"id":"a3","role":"assistant","content":"par"}`)
	th.Observe(&agui.RunError{})
	th.Finish(all, 0, -1)
	if got := ids(s.messages, begin(t, th, params("r3")).Send); got != "a1 q2 q1 u2 a3" {
		t.Errorf("after a failed run it sends %q", got)
	}
	th.Observe(finished("success"))
	th.Finish(all, 0, -1)

	// What the person changed goes again, under the same id.
	s.messages[0] = message(`{"id":"u1","role":"user","content":"changed"}`)
	if got := ids(s.messages, begin(t, th, params("r4")).Send); got != "u1" {
		t.Errorf("after an edit it sends %q", got)
	}
	th.Finish(all, 0, -1)
	// Another thread of the agent's has had nothing.
	th.Rename("t2")
	if p := begin(t, th, params("r5")); p.Send != nil || p.Input.ThreadID != "t2" {
		t.Errorf("a renamed thread sends %v as %s", p.Send, p.Input.ThreadID)
	}
}

func TestHistoryFullSendsAll(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	s.add(`{"id":"u1","role":"user","content":"a"}`)
	begin(t, th, params("r1"))
	th.Observe(finished(""))
	th.Finish(all, 0, -1)
	if p := begin(t, th, params("r2")); p.Send != nil {
		t.Errorf("sends %v", p.Send)
	}
}

func TestCallsThatThePageAnswers(t *testing.T) {
	for _, tc := range []struct {
		name     string
		messages []string
		events   []agui.Event
		pending  []string
		end      agui.Event
		want     string
	}{
		{"whole and unanswered", []string{asking("a", call("c1", "f", `{"x":1}`))}, nil, []string{"c1"}, finished(""), `c1 f {"x":1} a`},
		{"no arguments are none", []string{asking("a", call("c1", "f", ""))}, nil, []string{"c1"}, finished(""), "c1 f {} a"},
		{"white space is none", []string{asking("a", call("c1", "f", " \n"))}, nil, []string{"c1"}, finished(""), "c1 f {} a"},
		{"answered", []string{asking("a", call("c1", "f", "{}")), `{"id":"q","role":"tool","toolCallId":"c1","content":""}`}, nil, []string{"c1"}, finished(""), ""},
		{"not pending", []string{asking("a", call("c1", "f", "{}"), call("c2", "f", "{}"))}, nil, []string{"c2"}, finished("success"), "c2 f {} a"},
		{"pending and unknown", nil, nil, []string{"c9"}, finished(""), ""},
		{"of a tool without handler", []string{asking("a", call("c1", "other", "{}"))}, nil, []string{"c1"}, finished(""), ""},
		{"cut off", []string{asking("a", call("c1", "f", `{"x":`))}, nil, []string{"c1"}, finished(""), ""},
		{"an array", []string{asking("a", call("c1", "f", `[1]`))}, nil, []string{"c1"}, finished(""), ""},
		{"null", []string{asking("a", call("c1", "f", `null`))}, nil, []string{"c1"}, finished(""), ""},
		{"two values", []string{asking("a", call("c1", "f", `{}{}`))}, nil, []string{"c1"}, finished(""), ""},
		{"never ended", []string{asking("a", call("c1", "f", `{}`))}, []agui.Event{&agui.ToolCallStart{ToolCallID: "c1"}}, []string{"c1"}, finished(""), ""},
		{"ended by the runtime", []string{asking("a", call("c1", "f", `{}`))}, []agui.Event{&agui.ToolCallStart{ToolCallID: "c1"}, &agui.ToolCallEnd{ToolCallID: "c1", Incomplete: true}}, []string{"c1"}, finished(""), ""},
		{"started and ended", []string{asking("a", call("c1", "f", `{}`))}, []agui.Event{&agui.ToolCallStart{ToolCallID: "c1"}, &agui.ToolCallEnd{ToolCallID: "c1"}}, []string{"c1"}, finished(""), "c1 f {} a"},
		{"after an interrupt", []string{asking("a", call("c1", "f", `{}`))}, nil, []string{"c1"}, finished("interrupt"), ""},
		{"after a cancelled run", []string{asking("a", call("c1", "f", `{}`))}, nil, []string{"c1"}, finished("cancelled"), ""},
		{"after a failed run", []string{asking("a", call("c1", "f", `{}`))}, nil, []string{"c1"}, &agui.RunError{}, ""},
		{"after an aborted run", []string{asking("a", call("c1", "f", `{}`))}, nil, []string{"c1"}, nil, ""},
		{"in the conversation's order", []string{asking("a", call("c1", "f", `{}`)), asking("b", call("c2", "f", `{}`))}, nil, []string{"c2", "c1"}, finished(""), "c1 f {} a, c2 f {} b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &memory{}
			th := New("t", s)
			begin(t, th, params("r1"))
			s.add(tc.messages...)
			s.pending = tc.pending
			for _, e := range tc.events {
				th.Observe(e)
			}
			if tc.end != nil {
				if f, ok := tc.end.(*agui.RunFinished); ok && f.Outcome.Kind == "interrupt" {
					s.interrupts = []agui.Interrupt{{ID: "i"}}
				}
				th.Observe(tc.end)
			}
			calls, err := th.Finish(func(name string) bool { return name == "f" }, 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range calls {
				got = append(got, c.ID+" "+c.Name+" "+c.Arguments+" "+c.Message)
			}
			if s := strings.Join(got, ", "); s != tc.want {
				t.Errorf("got %q, want %q", s, tc.want)
			}
		})
	}
}

func TestWhatComesAfterTheEndBelongsToNobody(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	begin(t, th, params("r1"))
	s.add(asking("a", call("c1", "f", `{}`)))
	s.pending = []string{"c1"}
	th.Observe(finished(""))
	// Another run in the same stream, seen before the page heard of the first one's end.
	s.pending = nil
	th.Observe(&agui.RunStarted{})
	th.Observe(&agui.Custom{Name: "on_interrupt", Value: `"?"`})
	th.Observe(finished(""))
	calls, _ := th.Finish(all, 0, -1)
	if len(calls) != 1 || len(s.interrupts) != 0 {
		t.Errorf("calls %v, interrupts %v", calls, s.interrupts)
	}
}

func TestToolRoundsAreLimited(t *testing.T) {
	for _, tc := range []struct {
		round, limit int
		ok           bool
	}{{0, -1, true}, {9, -1, true}, {10, -1, false}, {0, 0, false}, {1, 2, true}, {2, 2, false}} {
		s := &memory{}
		th := New("t", s)
		begin(t, th, params("r1"))
		s.add(asking("a", call("c1", "f", `{}`)))
		s.pending = []string{"c1"}
		th.Observe(finished(""))
		_, err := th.Finish(all, tc.round, tc.limit)
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
	open := []agui.Interrupt{{ID: "i1"}, {ID: "i2", ExpiresAt: "2026-03-01T11:00:00Z"}, {ID: "i3", ExpiresAt: "whenever"}}
	for _, tc := range []struct {
		name   string
		resume string // id:status ...
		want   []string
	}{
		{"all answered", "i1:resolved i2:cancelled i3:resolved", nil},
		{"none", "", []string{"3 interrupts", "i1, i2, i3"}},
		{"one missing", "i1:resolved i2:cancelled", []string{"1 interrupt ", "i3"}},
		{"expired", "i1:resolved i2:resolved i3:resolved", []string{"i2 (at 2026-03-01T11:00:00Z)", "cancelled"}},
		{"unknown", "i1:resolved i2:cancelled i3:resolved i9:resolved", []string{"i9"}},
		{"twice", "i1:resolved i2:cancelled i3:resolved i1:cancelled", []string{"more than once", "i1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &memory{interrupts: open}
			th := New("t", s)
			p := params("r")
			p.Now = noon
			p.Input.Resume = entries(tc.resume)
			_, err := th.Begin(p)
			if tc.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				// A request that fails loses none.
				th.Finish(all, 0, -1)
				if len(s.interrupts) != 3 {
					t.Error("the interrupts are gone")
				}
				return
			}
			refused(t, err, tc.want...)
			if th.Running() {
				t.Error("the refused run counts as begun")
			}
		})
	}
	if _, err := New("t", &memory{}).Begin(Params{Input: &agui.Input{ForwardedProps: "{}", Resume: entries("x:resolved")}}); err != nil {
		t.Errorf("an answer to what an earlier page was asked: %v", err)
	}
}

func entries(list string) (out []agui.ResumeEntry) {
	for _, e := range strings.Fields(list) {
		id, status, _ := strings.Cut(e, ":")
		out = append(out, agui.ResumeEntry{InterruptID: id, Status: status, Raw: `{"interruptId":"` + id + `","status":"` + status + `","payload":{"of":"` + id + `"}}`})
	}
	return out
}

func TestOlderInterrupts(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	begin(t, th, params("r1"))
	th.Observe(&agui.Custom{Name: "something", Value: "1"})
	th.Observe(&agui.Custom{Name: "on_interrupt", Value: `"{\"question\":\"Go on?\"}"`})
	th.Observe(finished(""))
	want := `{"id":"on_interrupt-1","reason":"input_required","message":"Go on?","metadata":{"name":"on_interrupt","value":{"question":"Go on?"}}}`
	if len(s.interrupts) != 1 || s.interrupts[0].Raw != want {
		t.Fatalf("got %v", s.interrupts)
	}
	th.Finish(all, 0, -1)

	_, err := th.Begin(params("r2"))
	refused(t, err, "on_interrupt-1")

	// Answered as any other.
	p := params("r2")
	p.Input.ForwardedProps = `{"a":1,"command":{"b":2}}`
	p.Input.Resume = entries("on_interrupt-1:resolved")
	got := begin(t, th, p).Input
	if got.ForwardedProps != `{"a":1,"command":{"b":2,"resume":{"of":"on_interrupt-1"}}}` || got.Resume != nil {
		t.Errorf("sends %s and %v", got.ForwardedProps, got.Resume)
	}
	// The next question gets an id of its own; two in one run are answered together.
	th.Observe(&agui.Custom{Name: "on_interrupt", Value: `"Sure?"`})
	th.Observe(&agui.Custom{Name: "on_interrupt", Value: `{"n":1}`})
	s.interrupts = nil // as the store does it
	th.Observe(finished("success"))
	th.Finish(all, 0, -1)
	if len(s.interrupts) != 2 || s.interrupts[0].ID != "on_interrupt-2" || !strings.Contains(s.interrupts[0].Raw, `"message":"Sure?"`) || strings.Contains(s.interrupts[1].Raw, `"message"`) {
		t.Fatalf("got %v", s.interrupts)
	}
	p = params("r3")
	p.Input.Resume = entries("on_interrupt-3:cancelled on_interrupt-2:resolved")
	if got := begin(t, th, p).Input.ForwardedProps; got != `{"command":{"resume":[{"of":"on_interrupt-2"},{"status":"cancelled"}]}}` {
		t.Errorf("sends %s", got)
	}
	th.Finish(all, 0, -1)

	// Answered by hand, as pages of that dialect do.
	p = params("r4")
	p.Input.ForwardedProps = `{"command":{"resume":true}}`
	if got := begin(t, th, p).Input.ForwardedProps; got != p.Input.ForwardedProps {
		t.Errorf("sends %s", got)
	}
	s.interrupts = nil // as the store does it
	th.Observe(finished(""))
	th.Finish(all, 0, -1)
	begin(t, th, params("r5"))
}

func TestOutcomeWinsOverTheOlderDialect(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	begin(t, th, params("r1"))
	th.Observe(&agui.Custom{Name: "on_interrupt", Value: `"?"`})
	s.interrupts = []agui.Interrupt{{ID: "i1"}}
	th.Observe(finished("interrupt"))
	th.Finish(all, 0, -1)
	if len(s.interrupts) != 1 || s.interrupts[0].ID != "i1" {
		t.Errorf("got %v", s.interrupts)
	}
	p := params("r2")
	p.Input.Resume = entries("i1:resolved")
	if in := begin(t, th, p).Input; len(in.Resume) != 1 || in.ForwardedProps != "{}" {
		t.Errorf("sends %v and %s", in.Resume, in.ForwardedProps)
	}
}

func TestBranch(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	th.History = HistoryNew
	for i, text := range []string{"one", "two", "three"} {
		s.add(`{"id":"u` + text + `","role":"user","content":""}`)
		begin(t, th, params("r"+string(rune('1'+i))))
		s.add(`{"id":"a` + text + `","role":"assistant","content":"` + text + `"}`)
		th.Observe(finished(""))
		th.Finish(all, 0, -1)
	}
	b, store, err := th.Branch("r2")
	if err != nil {
		t.Fatal(err)
	}
	bs := store.(*memory)
	if got := ids(bs.messages, nil); got != "uone aone utwo atwo" {
		t.Errorf("the branch holds %q", got)
	}
	bs.add(`{"id":"other","role":"user","content":""}`)
	p := begin(t, b, params("r4"))
	if p.Input.ParentRunID != `"r2"` || p.Input.ThreadID != "t" || ids(bs.messages, p.Send) != "other" {
		t.Errorf("the branch sends %+v and %s", p.Input, ids(bs.messages, p.Send))
	}
	b.Observe(finished(""))
	b.Finish(all, 0, -1)
	if p := begin(t, b, params("r5")); p.Input.ParentRunID != "" {
		t.Errorf("the branch's second run names %s", p.Input.ParentRunID)
	}
	// The first thread is as it was, and a branch knows the runs before it but not those after.
	if got := ids(s.messages, nil); got != "uone aone utwo atwo uthree athree" {
		t.Errorf("the thread holds %q", got)
	}
	if _, _, err := b.Branch("r1"); err != nil {
		t.Error(err)
	}
	_, _, err = b.Branch("r3")
	refused(t, err, `"r3"`)
	_, _, err = th.Branch("nope")
	refused(t, err, `"nope"`)
	// The parent that somebody gives wins.
	b, _, _ = th.Branch("r1")
	q := params("r6")
	q.Input.ParentRunID = `"r0"`
	if p := begin(t, b, q); p.Input.ParentRunID != `"r0"` {
		t.Errorf("names %s", p.Input.ParentRunID)
	}
}

func TestBranchFromARunThatFailed(t *testing.T) {
	s := &memory{}
	th := New("t", s)
	s.add(`{"id":"u1","role":"user","content":""}`)
	begin(t, th, params("r1"))
	s.add(`{"id":"a1","role":"assistant","content":"par"}`)
	th.Finish(all, 0, -1) // aborted
	s.add(`{"id":"u2","role":"user","content":""}`)
	_, store, err := th.Branch("r1")
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(store.(*memory).messages, nil); got != "u1 a1" {
		t.Errorf("the branch holds %q", got)
	}
}
