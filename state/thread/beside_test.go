package thread

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui"
)

// What a request that answers an interrupt does with calls that the interrupt does not name.
func TestCallsBesideAnInterrupt(t *testing.T) {
	answer := func(status, payload string) agui.ResumeEntry {
		return agui.ResumeEntry{InterruptID: "i", Status: status,
			Raw: `{"interruptId":"i","status":"` + status + `","payload":` + payload + `}`}
	}
	yes := answer("resolved", `{"approved":true,"remember":false}`)
	for _, c := range []struct {
		name    string
		calls   string // the tools that the agent called
		answer  agui.ResumeEntry
		command string // the answer in the older dialect instead
		runs    string // the handlers that run before
		sends   string
		refuses string
	}{
		{name: "a handler's", calls: "page", answer: yes, runs: "c1", sends: "u a qc1"},
		{name: "several", calls: "page server page", answer: yes, runs: "c1 c3", sends: "u a qc1 qc3"},
		{name: "words", calls: "page", answer: answer("resolved", `"no idea"`), runs: "c1", sends: "u a qc1"},
		{name: "nothing said", calls: "page", answer: answer("resolved", "null"), runs: "c1", sends: "u a qc1"},
		{name: "cancelled", calls: "page", answer: answer("cancelled", "null"), sends: "u a c1:closed"},
		{name: "no", calls: "page", answer: answer("resolved", "false"), sends: "u a c1:closed"},
		{name: "no by a name", calls: "page", answer: answer("resolved", `{"confirmed": false,"note":"true"}`),
			sends: "u a c1:closed"},
		{name: "the server's own", calls: "server", answer: yes, sends: "u a"},
		{name: "a person's", calls: "page ask", answer: yes, refuses: "c2"},
		{name: "another answer", calls: "page", answer: agui.ResumeEntry{InterruptID: "x", Status: "resolved"},
			refuses: "i"},
		{name: "the older dialect", calls: "page", command: `{"command":{"resume":"yes"}}`, runs: "c1", sends: "u a qc1"},
		{name: "no in it", calls: "page", command: `{"command":{"resume":false}}`, sends: "u a c1:closed"},
		{name: "a person's in it", calls: "ask", command: `{"command":{"resume":"yes"}}`, refuses: "c1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTalk()
			k.add(t, fmt.Sprintf(said, "u"))
			k.begin(t, params("r1"))
			k.apply(t, started)
			for i, name := range strings.Fields(c.calls) {
				k.apply(t, calling(fmt.Sprintf("c%d", i+1), name, "{}")...)
			}
			if c.command != "" {
				k.apply(t, `{"type":"CUSTOM","name":"on_interrupt","value":"go on?"}`, succeeded)
			} else {
				k.apply(t, interrupted("i"))
			}
			if calls, err := k.Finish(Ending{Handled: handled, Limit: -1}); err != nil || len(calls) > 0 {
				t.Fatalf("runs %v beside a question (%v)", calls, err)
			}
			p := params("r2")
			p.Known, p.Asks = known, person
			if p.Input.ForwardedProps = c.command; c.command == "" {
				p.Input.ForwardedProps, p.Input.Resume = "{}", []agui.ResumeEntry{c.answer}
			}
			var runs []string
			for _, call := range k.Beside(p, handled) {
				runs = append(runs, call.ID)
				k.s.AddToolResult(parse(t, result(call.ID))[0], nil)
			}
			if got := strings.Join(runs, " "); got != c.runs {
				t.Errorf("runs %q, want %q", got, c.runs)
			}
			if c.refuses != "" {
				_, err := k.Begin(p)
				refused(t, err, c.refuses)
				return
			}
			if got := k.sends(k.begin(t, p)); got != c.sends {
				t.Errorf("sends %q, want %q", got, c.sends)
			}
		})
	}
}

// A handler that is stopped before it has answered leaves its call cut off, and the request that comes later says so.
func TestAHandlerBesideAnInterruptIsStopped(t *testing.T) {
	k := newTalk()
	k.begin(t, params("r1"))
	k.apply(t, started)
	k.apply(t, calling("c1", "page", "{}")...)
	k.apply(t, interrupted("i"))
	k.finish(t)
	p := params("r2")
	p.Known, p.Asks, p.Input.Resume = known, person, entries("i:resolved")
	if calls := k.Beside(p, handled); len(calls) != 1 || k.waits() != "" {
		t.Errorf("runs %v, and %q wait", calls, k.waits())
	}
	k.begin(t, p)
	if k.Beside(p, handled) != nil {
		t.Error("handlers run during a run")
	}
	if text := string(k.s.Message(1).AppendJSON(nil)); !strings.Contains(text, `"content":"not finished"`) {
		t.Errorf("the call is told %s", text)
	}
}
