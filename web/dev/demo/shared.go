package demo

import (
	"fmt"

	"aguiwasm/agui"
	"aguiwasm/agui/server"
)

func planned(t *talk) error {
	t.text("I make a plan. Watch the shared state.")
	type step struct {
		Text   string `json:"text"`
		Status string `json:"status"`
	}
	var p struct {
		Title string `json:"title"`
		Done  int    `json:"done"`
		Steps []step `json:"steps"`
	}
	p.Title, p.Steps = "A week in Lisbon", []step{}
	t.keep(t.SetStateKey("plan", p))
	for _, name := range []string{"Find a flight", "Book a room", "Mark three museums", "Reserve a table", "Pack"} {
		t.pause(220)
		p.Steps = append(p.Steps, step{name, "pending"})
		t.keep(t.SetStateKey("plan", p))
	}
	for i := range p.Steps {
		t.pause(250)
		p.Steps[i].Status = "running"
		t.keep(t.SetStateKey("plan", p))
		t.pause(350)
		p.Steps[i].Status, p.Done = "done", i+1
		t.keep(t.SetStateKey("plan", p))
	}
	t.text("The plan is done.")
	return nil
}

func table(t *talk) error {
	t.text("A table of 200 rows, then 120 changes.")
	type row struct {
		ID     string `json:"id"`
		Price  int    `json:"price"`
		Change int    `json:"change"`
		Volume int    `json:"volume"`
	}
	var v struct {
		Rows []row `json:"rows"`
		Tick int   `json:"tick"` // the last line of the page's tree
	}
	for i := range 200 {
		v.Rows = append(v.Rows, row{fmt.Sprintf("S%03d", i), 1000 + t.rand.IntN(9000), 0, t.rand.IntN(100000)})
	}
	t.keep(t.SetStateKey("table", v))
	for v.Tick = 1; v.Tick <= 120 && t.err == nil; v.Tick++ {
		t.pause(60)
		for range 1 + t.rand.IntN(3) {
			r := &v.Rows[t.rand.IntN(200)]
			r.Change = t.rand.IntN(101) - 50
			r.Price += r.Change
		}
		t.keep(t.SetStateKey("table", v))
	}
	t.text("Those were 120 changes.")
	return nil
}

func activity(t *talk) error {
	type museum struct {
		Title string `json:"title"`
		Score int    `json:"score"`
	}
	var v struct {
		Query    string   `json:"query"`
		Progress int      `json:"progress"`
		Found    []museum `json:"found"`
	}
	v.Query, v.Found = "museums in Lisbon", []museum{}
	id, err := t.Activity("", "search", v)
	t.keep(err)
	for i, name := range []string{"Gulbenkian", "MAAT", "Azulejo", "Berardo", "Carmo"} {
		t.pause(350)
		v.Found, v.Progress = append(v.Found, museum{name, 99 - 7*i - t.rand.IntN(5)}), 20*(i+1)
		_, err := t.Activity(id, "search", v)
		t.keep(err)
	}
	t.text("I found five museums.")
	return nil
}

// subagents lets two helpers work at the same time, their events mixed.
func subagents(t *talk) error {
	t.text("I give the work to two helpers.")
	parent := t.ID()
	c := t.call(parent, "delegate", obj{"to": []string{"researcher", "writer"}})
	type helper struct {
		*talk
		message *server.Message
		pieces  []string
	}
	var helpers []*helper
	for _, h := range [][2]string{
		{"researcher", "I read four reports on tides and list the two that agree."},
		{"writer", "I outline the article: an opening, the data, a chart, and what remains open."},
	} {
		run, err := t.Subagent(h[0], agui.WithText("description", "The "+h[0]), agui.WithText("parentToolCallId", c),
			agui.WithText("parentMessageId", parent))
		if err != nil {
			return err
		}
		helpers = append(helpers, &helper{t.as(run), run.Message(), t.fragments(h[1])})
	}
	for len(helpers[0].pieces)+len(helpers[1].pieces) > 0 {
		h := helpers[t.rand.IntN(2)]
		if len(h.pieces) == 0 {
			continue
		}
		t.pause(40)
		_, err := h.message.WriteString(h.pieces[0])
		t.keep(err)
		h.pieces = h.pieces[1:]
	}
	for _, h := range helpers {
		t.keep(h.message.Close())
	}
	researcher, writer := helpers[0], helpers[1]
	search := researcher.call("", "read_reports", obj{"topic": "tides", "limit": 4})
	t.pause(400)
	researcher.answer(search, `["tides-2", "tides-4"]`)
	t.keep(researcher.Done(obj{"reports": 2}))
	checker, err := writer.Subagent("checker")
	if err != nil {
		return err
	}
	t.pause(300)
	t.keep(checker.Failed("the dictionary is not at hand", agui.WithText("code", "no_dictionary")))
	t.keep(writer.Done(obj{"sections": 4}))
	t.answer(c, "Both helpers are done.")
	t.text("Two reports agree, and the article has its outline. (The spelling was not checked: that helper failed.)")
	return nil
}
