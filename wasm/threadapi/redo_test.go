package threadapi

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
)

// side is what a page has of a thread, and its journal.
type side struct {
	messages, state string
	journal         []string
}

func (s *side) args(more string) string {
	return `{"threadId":"t","messages":` + s.messages + `,"state":` + s.state +
		`,"interrupts":[]` + more + `}`
}

// read takes over what a thread holds.
func (s *side) read(e *Entry) {
	s.messages = string(e.Store().AppendMessages(nil))
	s.state = string(e.Store().AppendState(nil))
}

// A thread that is made again of the page's journal answers as the one that died with its program.
func TestVersionsThatOutliveTheirThread(t *testing.T) {
	ids := func(list string) (out []string) {
		for _, m := range rawjson.Elements(list) {
			out = append(out, str(member(m, "id")))
		}
		return out
	}
	forks := 0
	for seed := range int64(300) {
		random := rand.New(rand.NewSource(seed))
		r := newRegistry()
		handles := []int{create(t, r, `{"messages":[],"state":{}}`)}
		// both does an operation to the thread, and to the one that was made again, which must answer alike.
		both := func(op, args string) string {
			t.Helper()
			answer := r.Do(op, handles[0], args)
			for _, h := range handles[1:] {
				if again := r.Do(op, h, args); again != answer {
					t.Fatalf("seed %d: %s %s: %s, and again %s", seed, op, args, answer, again)
				}
			}
			return answer
		}
		page := &side{}
		page.read(r.Get(handles[0]))
		for step := range 24 {
			have := ids(page.messages)
			op, args := "", ""
			switch what := random.Intn(6); {
			case what < 3 || len(have) == 0:
				list := []string{}
				for _, id := range have {
					list = append(list, string(rawjson.Quote(id)))
				}
				role := []string{"user", "assistant"}[random.Intn(2)]
				list = append(list, fmt.Sprintf(`{"id":"m%d","role":"%s","content":"x"}`, step, role))
				both("set", fmt.Sprintf(`{"messages":[%s],"state":{"n":%d}}`, strings.Join(list, ","), step))
			case what == 3:
				op, args = "edit", `"id":"`+have[random.Intn(len(have))]+`"`
			case what == 4:
				op, args = "regenerate", `"id":"`+have[random.Intn(len(have))]+`"`
			default:
				var list []string
				for _, f := range rawjson.Elements(member(both("forks", "{}"), "forks")) {
					list = append(list, f)
				}
				if len(list) == 0 {
					continue
				}
				f := list[random.Intn(len(list))]
				n := random.Intn(number(member(f, "count")))
				op, args = "show", fmt.Sprintf(`"before":%s,"version":%d`, member(f, "before"), n)
			}
			if op != "" {
				entry := page.args(`,"op":"` + op + `",` + args)
				if !strings.Contains(both(op, "{"+args+"}"), `"error"`) {
					page.journal = append(page.journal, entry)
				}
			}
			page.read(r.Get(handles[0]))
			if len(handles) == 1 && step > 4 && random.Intn(8) == 0 { // the program dies
				handles = append(handles, create(t, r, `{"messages":`+page.messages+`,"state":`+page.state+`}`))
				for _, entry := range append(page.journal, page.args("")) {
					do(t, r, "redo", handles[1], entry, `"ops"`)
				}
			}
			forks += strings.Count(both("forks", "{}"), "before")
			for _, id := range ids(page.messages) {
				both("versions", `{"id":"`+id+`"}`)
			}
			if len(handles) == 2 {
				holds(t, r.Get(handles[1]), page.messages, page.state)
			}
		}
	}
	if forks < 1000 {
		t.Errorf("the scripts made %d forks", forks)
	}
}

// A conversation that goes on from a run says so in its first request, which gives the thread its id.
func TestTheParentOfAThreadThatIsMadeAnew(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`],"state":{},"parentRunId":"r7"}`)
	args := func(id string) string {
		return `{"threadId":"` + id + `","runId":"r","tools":[],"context":[],"forwardedProps":{}}`
	}
	do(t, r, "prepare", h, args("t1"), `"parentRunId":"r7"`)
	if answer := r.Do("prepare", h, args("t2")); strings.Contains(answer, "parentRunId") {
		t.Errorf("another thread goes on from it: %s", answer)
	}
}
