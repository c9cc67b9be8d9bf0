package thread

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
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
		{"one answered", []string{asking("m", call("c1", "f", "{}"), call("c2", "f", "{}")), result("c1"), a("a")}, "c2"},
		{"a person went on, nobody answered", []string{asking("m", call("c1", "f", "{}")), u("u")}, "c1"},
		{"left behind", []string{asking("m", call("c1", "f", "{}")), u("u"), a("a"), asking("m2", call("c2", "f", "{}"))}, "c2"},
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
			k.apply(t, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c1"}]}}`)
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
	list := []agui.Interrupt{{ID: "i1", Reason: "tool_call", Raw: `{"id":"i1","reason":"tool_call","toolCallId":"c3"}`}, {ID: "i2", Reason: "confirmation", Raw: `{"id":"i2"}`}}
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
	for i, c := range []struct{ want, end string }{{"i1:cancelled i2:cancelled ", ""}, {"i1:cancelled i2:cancelled ", failed}, {"", succeeded}} {
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
	p.Said, p.Known = true, func(name string) bool { return name == "ask" }
	k.begin(t, p)
	if got := k.ids(); got != "m c1:closed u" {
		t.Errorf("sends %s", got)
	}
	if text := string(k.s.Message(1).AppendJSON(nil)); !strings.Contains(text, `"content":"dismissed","error":"dismissed"`) {
		t.Errorf("the call is told %s", text)
	}
	// An interrupt is not answered with a person's calls open beside it.
	k = newTalk()
	k.add(t, asking("m", call("c1", "ask", "{}")))
	k.s.SetInterrupts([]agui.Interrupt{{ID: "i", Raw: `{"id":"i"}`}}, nil)
	p = params("r")
	p.Input.Resume, p.Asks = []agui.ResumeEntry{{InterruptID: "i", Status: "resolved", Raw: `{"interruptId":"i","status":"resolved"}`}}, func(string) bool { return true }
	_, err := k.Begin(p)
	refused(t, err, "c1")
}

func TestAnswersThatASnapshotLacksStand(t *testing.T) {
	k := newTalk()
	k.add(t, asking("m", call("c1", "f", "{}"), call("c2", "f", "{}")), result("c2"))
	if n := k.Restate(parse(t, result("c1"), result("c2"), result("gone")), nil); n != 2 || k.ids() != "m qc2 qc1" {
		t.Errorf("%d stand: %s", n, k.ids())
	}
}

// page drives a thread as the page does: answers are placed at once, a run follows where the thread says so.
type page struct {
	*talk
	t       *testing.T
	r       *rand.Rand
	n       int
	running bool
	given   []string // answered by a person in the run at hand
	handed  []string // calls that a handler has
	log     []string
}

func known(name string) bool  { return name == "ask" || name == "page" }
func person(name string) bool { return name == "ask" }
func handled(name string) bool {
	return name == "page"
}

func (p *page) id(kind string) string { p.n++; return fmt.Sprintf("%s%d", kind, p.n) }

// request begins a run. What it sends must not hold a call open that a person or the page could have answered.
func (p *page) request(said bool) {
	p.t.Helper()
	in := params(p.id("r"))
	in.Said, in.Known, in.Asks = said, known, person
	if p.running {
		if _, err := p.Begin(in); err == nil {
			p.t.Fatalf("two runs at once: %v", p.log)
		}
		return
	}
	p.begin(p.t, in)
	p.running, p.given, p.handed = true, nil, nil
	unanswered := unansweredCalls(p.s)
	for i := range p.s.Len() {
		m := p.s.Message(i)
		for j := range m.Calls() {
			if c := m.Call(j); unanswered[c.ID()] && known(c.Name()) {
				p.t.Fatalf("the request holds %s (%s) open: %v", c.ID(), c.Name(), p.log)
			}
		}
	}
	p.apply(p.t, started)
	for range p.r.Intn(4) {
		id := p.id("c")
		name := []string{"ask", "page", "ask"}[p.r.Intn(3)]
		for _, e := range calling(id, name, "{}") {
			p.apply(p.t, strings.Replace(e, `"a"`, `"m`+id+`"`, 1))
		}
	}
}

func (p *page) answer(id string) {
	if !unansweredCalls(p.s)[id] {
		return // it has its answer, or is gone: a late one goes nowhere
	}
	p.s.AddToolResult(parse(p.t, result(id))[0], nil)
	if p.running {
		p.given = append(p.given, id)
	} else if len(p.handed) == 0 && p.Follows(Answers{Persons: []string{id}, Known: known}) {
		p.request(false)
	}
}

// over ends the run; handlers answer now, later, or are stopped before.
func (p *page) over(failing bool) {
	if !p.running {
		return
	}
	p.running = false
	if !failing {
		p.apply(p.t, `{"type":"TEXT_MESSAGE_START","messageId":"`+p.id("a")+`","role":"assistant"}`, succeeded)
	}
	calls, err := p.Finish(Ending{Failed: failing, Handled: handled, Limit: -1})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, c := range calls {
		if slices.Contains(p.handed, c.ID) {
			p.t.Fatalf("%s runs twice: %v", c.ID, p.log)
		}
		p.handed = append(p.handed, c.ID)
	}
	if len(p.handed) > 0 {
		return
	}
	if !failing && p.Follows(Answers{Persons: p.given, Known: known}) {
		p.request(false)
	}
}

func (p *page) handlers() {
	if len(p.handed) == 0 {
		return
	}
	for _, id := range p.handed {
		if unansweredCalls(p.s)[id] {
			p.s.AddToolResult(parse(p.t, result(id))[0], nil)
		}
	}
	p.handed = nil
	if p.Follows(Answers{Handlers: true, Persons: p.given, Known: known}) {
		p.request(false)
	}
}

func (p *page) step() {
	var calls []string
	for i := range p.s.Len() {
		for j := range p.s.Message(i).Calls() {
			calls = append(calls, p.s.Message(i).Call(j).ID())
		}
	}
	what := p.r.Intn(10)
	p.log = append(p.log, fmt.Sprint(what))
	switch what {
	case 0, 1:
		if len(p.handed) == 0 { // refused while handlers run
			if !p.running {
				p.add(p.t, fmt.Sprintf(said, p.id("u")))
			}
			p.request(true)
		}
	case 2, 3, 4: // also one that has its answer, or was cut off
		if len(calls) > 0 {
			p.answer(calls[p.r.Intn(len(calls))])
		}
	case 5:
		if err := p.Dismiss("", p.newID, nil); err == nil && p.running {
			p.t.Fatal("a dismissal during a run")
		}
	case 6: // an abort, of the stream or of the handlers
		p.over(true)
		p.handed = nil
	case 7, 8:
		p.over(false)
		if p.r.Intn(2) == 0 {
			p.handlers()
		}
	case 9: // a reload: what the page has stored is all that there is
		p.over(true)
		p.handed = nil
		stored := p.s.ThreadMessages()
		p.s = state.New(stored, "")
		p.Thread = New("t", p.s)
	}
	answers := map[string]int{}
	for i := range p.s.Len() {
		if m := p.s.Message(i); m.Role() == agui.RoleTool {
			if answers[m.ToolCallID()]++; answers[m.ToolCallID()] > 1 {
				p.t.Fatalf("%s is answered twice: %v", m.ToolCallID(), p.log)
			}
		}
	}
}

func (p *page) newID() string { return p.id("d") }

func TestRandomScriptsOfPeople(t *testing.T) {
	for seed := range int64(1000) {
		p := &page{talk: newTalk(), t: t, r: rand.New(rand.NewSource(seed))}
		for range 30 {
			p.step()
		}
		// Whatever happened, a person can go on, and then every call has its one answer.
		p.over(true)
		p.handed = nil
		p.add(t, fmt.Sprintf(said, p.id("u")))
		p.request(true)
	}
}
