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

// params are those of a run of the page's.
func (p *page) params(said bool) Params {
	in := params(p.id("r"))
	in.Said, in.Known, in.Asks = said, known, person
	return in
}

// request begins a run. What it sends must not hold a call open that a person or the page could have answered.
func (p *page) request(said bool) { p.start(p.params(said)) }

func (p *page) start(in Params) {
	p.t.Helper()
	if p.running {
		if _, err := p.Begin(in); err == nil {
			p.t.Fatalf("two runs at once: %v", p.log)
		}
		return
	}
	p.sent(p.begin(p.t, in))
	p.running, p.given, p.handed = true, nil, nil
	p.apply(p.t, started)
	for range p.r.Intn(4) {
		id := p.id("c")
		name := []string{"ask", "page", "ask", "server"}[p.r.Intn(4)]
		for _, e := range calling(id, name, "{}") {
			p.apply(p.t, strings.Replace(e, `"a"`, `"m`+id+`"`, 1))
		}
	}
}

// sent checks a request: each call of a tool that the page knows has one answer in it, be it the answer to the question
// that is about it, and each of the server's own at most one.
func (p *page) sent(prepared Prepared) {
	p.t.Helper()
	answers := map[string]int{}
	for i := range p.s.Len() {
		if m := p.s.Message(i); m.Role() == agui.RoleTool && (prepared.Send == nil || prepared.Send[i]) {
			answers[m.ToolCallID()]++
		}
	}
	for _, a := range prepared.answers {
		answers[a.call] = max(answers[a.call], 1)
	}
	for i := range p.s.Len() {
		m := p.s.Message(i)
		for j := range m.Calls() {
			c := m.Call(j)
			if n := answers[c.ID()]; n > 1 || n == 0 && known(c.Name()) {
				p.t.Fatalf("the request holds %d answers to %s (%s): %v", n, c.ID(), c.Name(), p.log)
			}
		}
	}
}

// late is what a server brings of calls that are over: the result of one that somebody else has answered, or that was
// cut off; or the conversation as it was before a person's answer.
func (p *page) late(calls []string) {
	if !p.running || len(calls) == 0 {
		return
	}
	id := calls[p.r.Intn(len(calls))]
	if p.r.Intn(3) > 0 {
		p.apply(p.t, `{"type":"TOOL_CALL_RESULT","messageId":"`+p.id("s")+`","toolCallId":"`+id+`","content":"late"}`)
		return
	}
	var list []string
	if len(p.given) > 0 {
		id = p.given[p.r.Intn(len(p.given))]
	} else {
		id = "" // the whole of it
	}
	for i := range p.s.Len() {
		if m := p.s.Message(i); m.Role() != agui.RoleTool || m.ToolCallID() != id {
			list = append(list, string(m.AppendJSON(nil)))
		}
	}
	p.apply(p.t, `{"type":"MESSAGES_SNAPSHOT","messages":[`+strings.Join(list, ",")+`]}`)
}

func (p *page) answer(id string) {
	if !unansweredCalls(p.s)[id] || slices.ContainsFunc(p.questions(), func(i agui.Interrupt) bool {
		return callOf(i) == id
	}) {
		return // it has its answer, or is gone: a late one goes nowhere; or a question is about it
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
	if calls := p.calls(); !failing && p.r.Intn(4) == 0 {
		question := `{"id":"` + p.id("i") + `","reason":"confirmation"}`
		if open := unansweredCalls(p.s); len(calls) > 0 && open[calls[len(calls)-1]] && p.r.Intn(2) == 0 {
			question = about(p.id("i"), calls[len(calls)-1])
		}
		p.apply(p.t, asks("r", question))
	} else if !failing {
		p.apply(p.t, `{"type":"TEXT_MESSAGE_START","messageId":"`+p.id("a")+`","role":"assistant"}`, succeeded)
		if p.r.Intn(3) == 0 {
			p.late(p.calls()) // behind the run's end
		}
	}
	p.running = false
	calls, err := p.Finish(Ending{Failed: failing, Handled: handled, Limit: -1})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, id := range p.given {
		p.Restate(parse(p.t, result(id)), nil)
	}
	for _, c := range calls {
		if !unansweredCalls(p.s)[c.ID] {
			p.t.Fatalf("a handler answers %s again: %v", c.ID, p.log)
		}
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

// resume answers what is asked, by yes or no. Handlers of calls beside it run before, and may be stopped.
func (p *page) resume() {
	open := p.s.Interrupts()
	if p.running || len(p.handed) > 0 || len(open) == 0 {
		return
	}
	in := p.params(false)
	for _, i := range open {
		in.Input.Resume = append(in.Input.Resume, entries(i.ID+[]string{":resolved", ":cancelled"}[p.r.Intn(2)])...)
	}
	if ids := p.beside(in); len(ids) > 0 {
		_, err := p.Begin(in)
		refused(p.t, err, ids[0])
		return
	}
	for _, c := range p.Beside(in, handled) {
		if p.r.Intn(5) == 0 {
			return // stopped
		}
		p.s.AddToolResult(parse(p.t, result(c.ID))[0], nil)
	}
	p.start(in)
}

// thinkAgain edits a message, has an answer made again, or shows a version.
func (p *page) thinkAgain() {
	var err error
	again := true
	switch what := p.r.Intn(3); {
	case what == 0:
		var said []string
		for i := range p.s.Len() {
			if m := p.s.Message(i); m.Role() == agui.RoleUser {
				said = append(said, m.ID())
			}
		}
		if len(said) == 0 {
			return
		}
		if err = p.Edit(said[p.r.Intn(len(said))], nil); err == nil {
			p.add(p.t, fmt.Sprintf(`{"id":"%s","role":"user","content":"y"}`, p.id("u")))
		}
	case what == 1 && p.s.Len() > 0:
		err = p.Regenerate("", nil)
	case len(p.Forks()) > 0:
		again = false
		f := p.Forks()[0]
		err = p.Show(f.Before, p.r.Intn(f.Count), nil)
	default:
		return
	}
	if (err == nil) == p.running {
		p.t.Fatalf("running %v: %v: %v", p.running, err, p.log)
	}
	if p.handed = nil; err == nil && again {
		p.request(true)
	}
}

func (p *page) calls() (ids []string) {
	for i := range p.s.Len() {
		for j := range p.s.Message(i).Calls() {
			ids = append(ids, p.s.Message(i).Call(j).ID())
		}
	}
	return ids
}

func (p *page) step() {
	calls := p.calls()
	what := p.r.Intn(16)
	p.log = append(p.log, fmt.Sprint(what))
	switch what {
	case 0, 1:
		if len(p.handed) > 0 {
			return // refused while handlers run
		}
		if !p.running && len(p.s.Interrupts()) > 0 {
			_, err := p.Begin(p.params(true))
			refused(p.t, err, "waits for an answer")
			return
		}
		if !p.running {
			p.add(p.t, fmt.Sprintf(said, p.id("u")))
		}
		p.request(true)
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
		stored, open := p.s.ThreadMessages(), p.s.Interrupts()
		p.s = state.New(stored, "")
		p.s.SetInterrupts(open, nil)
		p.Thread = New("t", p.s)
	case 10, 11:
		p.late(calls)
	case 12, 13:
		p.resume()
	case 14, 15:
		p.thinkAgain()
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
		if err := p.Dismiss("", p.newID, nil); err != nil {
			t.Fatal(err)
		}
		p.add(t, fmt.Sprintf(said, p.id("u")))
		p.request(true)
	}
}
