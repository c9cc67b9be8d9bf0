package thread

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui"
)

func (k *talk) waits() string {
	var ids []string
	for _, c := range k.Waiting() {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, " ")
}

func result(call string) string {
	return `{"id":"q` + call + `","role":"tool","toolCallId":"` + call + `","content":"x"}`
}

const said = `{"id":"%s","role":"user","content":"x"}`

func TestWaiting(t *testing.T) {
	u := func(id string) string { return fmt.Sprintf(said, id) }
	a := func(id string) string { return `{"id":"` + id + `","role":"assistant","content":"."}` }
	for _, c := range []struct {
		name string
		have []string
		want string
	}{
		{"unanswered", []string{u("u"), asking("m", call("c1", "f", "{}"), call("c2", "f", "{}"))}, "c1 c2"},
		{"one answered", []string{asking("m", call("c1", "f", "{}"), call("c2", "f", "{}")), result("c1"), a("a")},
			"c2"},
		{"a person went on, nobody answered", []string{asking("m", call("c1", "f", "{}")), u("u")}, "c1"},
		{"left behind", []string{asking("m", call("c1", "f", "{}")), u("u"), a("a"),
			asking("m2", call("c2", "f", "{}"))}, "c2"},
		{"nothing", nil, ""},
	} {
		k := newTalk()
		k.add(t, c.have...)
		if got := k.waits(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	end := func(k *talk, kind string) {
		switch kind {
		case "abort":
			if _, err := k.Finish(Ending{Failed: true}); err != nil {
				t.Fatal(err)
			}
			return
		case "interrupt":
			k.apply(t,
				`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c1"}]}}`)
		case "failed":
			k.apply(t, failed)
		default:
			k.apply(t, succeeded)
		}
		if _, err := k.Finish(Ending{Handled: func(name string) bool { return name == kind }, Limit: -1}); err != nil {
			t.Fatal(err)
		}
	}
	for kind, want := range map[string]string{"": "c1 c2", "page": "c2", "interrupt": "c2", "failed": "", "abort": ""} {
		k := newTalk()
		k.begin(t, params("r1"))
		k.apply(t, started)
		k.apply(t, calling("c1", "page", "{}")...)
		k.apply(t, calling("c2", "other", "{}")...)
		if got := k.waits(); got != "" {
			t.Errorf("%s: %q wait in the run", kind, got)
		}
		end(k, kind)
		if got := k.waits(); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

func TestFollows(t *testing.T) {
	known := func(name string) bool { return name == "ask" }
	for _, c := range []struct {
		name, have string
		by         Answers
		want       bool
	}{
		{"nobody answered", "", Answers{Known: known}, false},
		{"the last of all", "", Answers{Persons: []string{"c1"}}, true},
		{"another waits", call("c2", "x", "{}"), Answers{Persons: []string{"c1"}}, false},
		{"the server's own waits", call("c2", "x", "{}"), Answers{Persons: []string{"c1"}, Known: known}, true},
		{"a person's waits", call("c2", "ask", "{}"), Answers{Persons: []string{"c1"}, Known: known}, false},
		{"handlers, a person's waits", call("c2", "ask", "{}"), Answers{Handlers: true, Known: known}, false},
		{"handlers, the server's own waits", call("c2", "x", "{}"), Answers{Handlers: true, Known: known}, true},
	} {
		k := newTalk()
		calls := []string{call("c1", "ask", "{}")}
		if c.have != "" {
			calls = append(calls, c.have)
		}
		k.add(t, asking("m", calls...), result("c1"))
		if got := k.Follows(c.by); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	k := newTalk()
	k.s.SetInterrupts([]agui.Interrupt{{ID: "i"}}, nil)
	if k.Follows(Answers{Handlers: true}) {
		t.Error("a run follows while an interrupt is open")
	}
}

func TestDismiss(t *testing.T) {
	k := newTalk()
	k.add(t, asking("m", call("c1", "f", "{}"), call("c2", "f", "{}"), call("c3", "f", "{}")))
	list := []agui.Interrupt{{ID: "i1", Reason: "tool_call", Raw: `{"id":"i1","reason":"tool_call","toolCallId":"c3"}`},
		{ID: "i2", Reason: "confirmation", Raw: `{"id":"i2"}`}}
	k.s.SetInterrupts(list, nil)
	refused(t, k.Dismiss("nope", nil, nil), `"nope"`)
	for _, id := range []string{"c1", "c3"} {
		if err := k.Dismiss(id, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := k.waits() + "|" + k.ids(); got != "c2|m c1:closed" {
		t.Errorf("got %s", got)
	}
	if open := k.s.Interrupts(); len(open) != 1 || open[0].ID != "i2" {
		t.Errorf("open are %v", open)
	}
	if err := k.Dismiss("", nil, nil); err != nil {
		t.Fatal(err)
	}
	resume := func(p Prepared) (out string) {
		for _, e := range p.Input.Resume {
			out += e.InterruptID + ":" + e.Status + " "
		}
		return out
	}
	// A failure of the wire loses nothing; a refusal, and an end, do.
	for i, c := range []struct{ want, end string }{{"i1:cancelled i2:cancelled ", ""},
		{"i1:cancelled i2:cancelled ", failed}, {"", succeeded}} {
		p := k.begin(t, params(fmt.Sprintf("r%d", i)))
		if got := resume(p); got != c.want {
			t.Errorf("request %d carries %q", i, got)
		}
		if c.end != "" {
			k.apply(t, started, c.end)
		}
		_, _ = k.Finish(Ending{Failed: c.end == ""})
	}
	if got := k.ids(); got != "m c1:closed c2:closed c3:closed" {
		t.Errorf("the conversation is %s", got)
	}
	k.begin(t, params("r9"))
	refused(t, k.Dismiss("", nil, nil), "under way")
}

func TestAPersonWhoGoesOnLeavesTheCallsOfThePage(t *testing.T) {
	k := newTalk()
	k.add(t, asking("m", call("c1", "ask", "{}"), call("c2", "server", "{}")), fmt.Sprintf(said, "u"))
	p := params("r")
	p.Known = func(name string) bool { return name == "ask" }
	k.begin(t, p)
	if got := k.ids(); got != "m c1:closed u" {
		t.Errorf("sends %s", got)
	}
	if text := string(k.s.Message(1).AppendJSON(nil)); !strings.Contains(text,
		`"content":"dismissed","error":"dismissed"`) {
		t.Errorf("the call is told %s", text)
	}
	// An interrupt is not answered with a person's calls open beside it.
	k = newTalk()
	k.add(t, asking("m", call("c1", "ask", "{}")))
	k.s.SetInterrupts([]agui.Interrupt{{ID: "i", Raw: `{"id":"i"}`}}, nil)
	p = params("r")
	p.Input.Resume, p.Asks = []agui.ResumeEntry{{InterruptID: "i", Status: "resolved",
		Raw: `{"interruptId":"i","status":"resolved"}`}}, func(string) bool { return true }
	_, err := k.Begin(p)
	refused(t, err, "c1")
}

func TestAnswersThatASnapshotLacksStand(t *testing.T) {
	k := newTalk()
	k.add(t, asking("m", call("c1", "f", "{}"), call("c2", "f", "{}")), result("c2"))
	if n := k.Restate(parse(t, result("c1"), result("c2"), result("gone")), nil); n != 2 || k.ids() != "m qc1 qc2" {
		t.Errorf("%d stand: %s", n, k.ids())
	}
}

func TestACallIsSentWithOneResult(t *testing.T) {
	late := func(id, call string) string {
		return `{"type":"TOOL_CALL_RESULT","messageId":"` + id + `","toolCallId":"` + call + `","content":"late"}`
	}
	for _, history := range []History{HistoryFull, HistoryNew} {
		k := newTalk()
		k.History = history
		k.add(t, fmt.Sprintf(said, "u"))
		k.begin(t, params("r1"))
		k.apply(t, started)
		k.apply(t, calling("c1", "page", "{}")...)
		k.apply(t, calling("c2", "page", "{}")...)
		if _, err := k.Finish(Ending{Failed: true}); err != nil {
			t.Fatal(err)
		}
		if got := k.sends(k.begin(t, params("r2"))); got != "u a c1:closed c2:closed" {
			t.Errorf("%s: the second run sends %s", history, got)
		}
		k.apply(t, started, late("q1", "c1"), late("q1", "c1"), late("q2", "c2"), succeeded)
		k.finish(t)
		if got := k.ids(); got != "u a c1:closed c2:closed q1 q2" {
			t.Errorf("%s: the conversation is %s", history, got)
		}
		k.History = HistoryFull
		if got := k.sends(k.begin(t, params("r3"))); got != "u a q1 q2" {
			t.Errorf("%s: the third run sends %s", history, got)
		}
	}
	// A server that counts its ids from the start in each turn answers another call.
	k := newTalk()
	k.add(t, asking("m1", call("c", "f", "{}")), result("c"), fmt.Sprintf(said, "u"),
		asking("m2", call("c", "f", "{}")),
		strings.Replace(result("c"), `"qc"`, `"q2"`, 1))
	if got := k.sends(k.begin(t, params("r"))); got != "m1 qc u m2 q2" {
		t.Errorf("sends %s", got)
	}
}
