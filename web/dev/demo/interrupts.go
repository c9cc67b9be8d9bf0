package demo

import (
	"encoding/json"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/agui/server"
)

// interrupt ends the run with questions and remembers them for the thread.
func (t *talk) interrupt(questions ...server.Interrupt) error {
	var open []openInterrupt
	for _, q := range questions {
		id, err := t.Interrupt(q)
		if err != nil {
			return err
		}
		open = append(open, openInterrupt{id, q.ToolCallID})
	}
	t.threads.set(t.in.ThreadID, open)
	return nil
}

func (t *talk) deletion() server.Interrupt {
	return server.Interrupt{
		Reason: "tool_call", ToolCallID: t.call("", "delete_files", obj{"path": "logs/2023", "files": 1204}),
		Message: "Delete 1,204 files in logs/2023?",
		ResponseSchema: obj{"type": "object", "properties": obj{
			"approved": obj{"type": "boolean", "title": "Delete them"},
			"note":     obj{"type": "string", "title": "A note"},
		}, "required": []string{"approved"}},
		Metadata: obj{"risk": "high"},
	}
}

func question() server.Interrupt {
	return server.Interrupt{
		Reason: "input_required", Message: "Where shall the parcel go?",
		ResponseSchema: obj{"type": "object", "properties": obj{
			"street":  obj{"type": "string", "title": "Street"},
			"city":    obj{"type": "string", "title": "City"},
			"country": obj{"type": "string", "title": "Country", "enum": []string{"Portugal", "Spain", "France"}},
			"express": obj{"type": "boolean", "title": "Express"},
			"floor":   obj{"type": "integer", "title": "Floor", "minimum": 0},
		}, "required": []string{"street", "city"}},
	}
}

func approve(t *talk) error {
	t.text("I can delete the old logs. That needs your approval.")
	return t.interrupt(t.deletion())
}

func ask(t *talk) error {
	t.text("I need an address.")
	return t.interrupt(question())
}

func confirm(t *talk) error {
	t.text("A table for two at eight.")
	return t.interrupt(server.Interrupt{Reason: "confirmation", Message: "Book a table for two at 20:00?"})
}

func several(t *talk) error {
	t.text("Two things before I go on.")
	return t.interrupt(t.deletion(), question())
}

// resumed goes on after the interrupts of a thread were answered: all of them, in one run.
var resumed = &scenario{Scenario: Scenario{Name: "resume", Title: "After an interrupt"}, run: func(t *talk) error {
	open := t.threads.take(t.in.ThreadID)
	answers := map[string]agui.ResumeEntry{}
	for _, e := range t.in.Resume {
		answers[e.InterruptID] = e
	}
	for _, o := range open {
		if _, ok := answers[o.id]; !ok {
			t.threads.set(t.in.ThreadID, open)
			return &agui.Error{Code: "unanswered_interrupt", Message: "the interrupt " + o.id + " is not answered"}
		}
	}
	if len(answers) > len(open) {
		return &agui.Error{Code: "unknown_interrupt", Message: "an answer is to no open interrupt"}
	}
	var said []string
	for _, o := range open {
		said = append(said, t.settle(o, answers[o.id]))
	}
	t.text(strings.Join(said, " "))
	return t.Result(obj{"answered": len(open)})
}}

// settle acts on one answer and says what came of it.
func (t *talk) settle(o openInterrupt, e agui.ResumeEntry) string {
	payload, answered := rawjson.Get(e.Raw, "payload")
	if o.toolCallID != "" {
		var p struct{ Approved *bool }
		// a bare "resolved" approves
		yes := json.Unmarshal([]byte(payload), &p) != nil || p.Approved == nil || *p.Approved
		if e.Status == "cancelled" || !yes {
			t.answer(o.toolCallID, "The person refused.")
			return "I leave the files where they are."
		}
		t.pause(500)
		t.answer(o.toolCallID, `{"deleted": 1204}`)
		return "The files are deleted."
	}
	switch {
	case e.Status == "cancelled":
		return "Then not."
	case !answered || payload == "null":
		return "Done, as you confirmed."
	}
	return "Thank you. I noted: `" + payload + "`."
}
