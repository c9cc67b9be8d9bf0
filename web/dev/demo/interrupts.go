package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// interrupt ends the run with questions and remembers them for the thread.
func (t *talk) interrupt(questions ...obj) end {
	var open []openInterrupt
	for _, q := range questions {
		toolCallID, _ := q["toolCallId"].(string)
		open = append(open, openInterrupt{q["id"].(string), t.scenario.Name, toolCallID})
	}
	if t.threads != nil {
		t.threads.set(t.in.threadID, open)
	}
	return end{outcome: obj{"type": "interrupt", "interrupts": questions}}
}

func (t *talk) deletion() obj {
	c := t.call("delete_files", obj{"path": "logs/2023", "files": 1204})
	return obj{
		"id": t.id("i"), "reason": "tool_call", "toolCallId": c,
		"message": "Delete 1,204 files in logs/2023?",
		"responseSchema": obj{"type": "object", "properties": obj{
			"approved": obj{"type": "boolean", "title": "Delete them"},
			"note":     obj{"type": "string", "title": "A note"},
		}, "required": []string{"approved"}},
		"metadata": obj{"risk": "high"},
	}
}

func (t *talk) question() obj {
	return obj{
		"id": t.id("i"), "reason": "input_required",
		"message": "Where shall the parcel go?",
		"responseSchema": obj{"type": "object", "properties": obj{
			"street":  obj{"type": "string", "title": "Street"},
			"city":    obj{"type": "string", "title": "City"},
			"country": obj{"type": "string", "title": "Country", "enum": []string{"Portugal", "Spain", "France"}},
			"express": obj{"type": "boolean", "title": "Express"},
			"floor":   obj{"type": "integer", "title": "Floor", "minimum": 0},
		}, "required": []string{"street", "city"}},
	}
}

func approve(t *talk) end {
	t.text("I can delete the old logs. That needs your approval.")
	return t.interrupt(t.deletion())
}

func ask(t *talk) end {
	t.text("I need an address.")
	return t.interrupt(t.question())
}

func confirm(t *talk) end {
	t.text("A table for two at eight.")
	return t.interrupt(obj{"id": t.id("i"), "reason": "confirmation", "message": "Book a table for two at 20:00?"})
}

func several(t *talk) end {
	t.text("Two things before I go on.")
	return t.interrupt(t.deletion(), t.question())
}

// resumed goes on after the interrupts of a thread were answered: all of them, in one run.
var resumed = &scenario{Scenario: Scenario{Name: "resume", Title: "After an interrupt"}, run: func(t *talk) end {
	refuse := func(code, format string, args ...any) end {
		t.send("RUN_ERROR", "message", fmt.Sprintf(format, args...), "code", code)
		return end{said: true}
	}
	var open []openInterrupt
	if t.threads != nil {
		open = t.threads.take(t.in.threadID)
	}
	answers := map[string]resumeEntry{}
	for _, e := range t.in.resume {
		answers[e.interruptID] = e
	}
	for _, o := range open {
		if _, ok := answers[o.id]; !ok {
			t.threads.set(t.in.threadID, open)
			return refuse("unanswered_interrupt", "the interrupt %s is not answered", o.id)
		}
	}
	known := map[string]bool{}
	for _, o := range open {
		known[o.id] = true
	}
	for _, e := range t.in.resume {
		if !known[e.interruptID] {
			return refuse("unknown_interrupt", "there is no open interrupt %s", e.interruptID)
		}
	}
	var said []string
	for _, o := range open {
		said = append(said, t.settle(o, answers[o.id]))
	}
	t.text(strings.Join(said, " "))
	return end{result: obj{"answered": len(open)}}
}}

// settle acts on one answer and says what came of it.
func (t *talk) settle(o openInterrupt, e resumeEntry) string {
	if o.toolCallID != "" {
		var p struct{ Approved *bool }
		yes := json.Unmarshal(e.payload, &p) != nil || p.Approved == nil || *p.Approved // a bare "resolved" approves
		if e.status == "cancelled" || !yes {
			t.answer(o.toolCallID, "The person refused.")
			return "I leave the files where they are."
		}
		t.pause(500)
		t.answer(o.toolCallID, `{"deleted": 1204}`)
		return "The files are deleted."
	}
	if e.status == "cancelled" {
		return "Then not."
	}
	if isNull(e.payload) {
		return "Done, as you confirmed."
	}
	return "Thank you. I noted: `" + string(e.payload) + "`."
}
