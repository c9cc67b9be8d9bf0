package thread

import (
	"slices"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// closed is a call that nobody will answer any more, and what its tool message says.
type closed struct {
	call string
	// interrupt is the one whose answer content is; "" for a call that was cut off.
	interrupt string
	content   string
}

// notFinished is what a call that was cut off is told.
const notFinished = "not finished"

// answersOf pairs the calls that interrupts are about with their answers: the payload's JSON, or the status.
func answersOf(open []agui.Interrupt, entries []agui.ResumeEntry) (out []closed) {
	for _, e := range entries {
		n := indexOf(open, e.InterruptID)
		if n < 0 {
			continue
		}
		call := callOf(open[n])
		if call == "" {
			continue
		}
		content := e.Status
		if payload, ok := rawjson.Get(e.Raw, "payload"); ok && payload != "null" && e.Status != "cancelled" {
			content = payload
		}
		out = append(out, closed{call: call, interrupt: e.InterruptID, content: content})
	}
	return out
}

// callOf gives the id of the call that an interrupt is about, or "".
func callOf(i agui.Interrupt) string {
	id, ok := rawjson.Get(i.Raw, "toolCallId")
	if !ok || rawjson.KindOf(id) != rawjson.Str {
		return ""
	}
	return rawjson.String(id).Decode()
}

// settle notes, at the end of a run, which calls nobody will answer any more. calls are the page's: where the page is
// stopped before it has answered them, nobody does.
func (t *Thread) settle(r *run, open []agui.Interrupt, calls []Call) {
	t.closing = nil
	for _, a := range r.answers {
		if indexOf(open, a.interrupt) < 0 && indexOf(t.dropped, a.interrupt) < 0 {
			t.closing = append(t.closing, a)
		}
	}
	for _, id := range r.cut {
		t.closing = append(t.closing, closed{call: id, content: notFinished})
	}
	for _, c := range calls {
		if c.Interrupt == "" {
			t.closing = append(t.closing, closed{call: c.ID, content: notFinished})
		}
	}
	for i := len(t.past) - 1; i >= 0 && t.past[i].of == r; i-- {
		t.past[i].closing = t.closing
	}
}

// close gives the calls that nobody will answer any more their tool messages. A call that an outcome named as pending,
// or that an open interrupt is about, stays; but a person who goes on with other words, or who has answered what stood
// beside them, has left the calls of the page's own tools.
func (t *Thread) close(open []agui.Interrupt, p Params) {
	closing := slices.Clone(t.closing)
	left := map[string]bool{}
	if (p.Said || len(p.Input.Resume) > 0 || hasCommand(p.Input.ForwardedProps)) && p.Known != nil {
		for _, c := range t.waiting(p.Known) {
			left[c.ID] = true
			closing = append(closing, closed{call: c.ID, content: Dismissed})
		}
	}
	if t.CloseUnanswered {
		for i := range t.store.Len() {
			m := t.store.Message(i)
			for j := range m.Calls() {
				closing = append(closing, closed{call: m.Call(j).ID(), content: notFinished})
			}
		}
	}
	if len(closing) == 0 {
		return
	}
	unanswered := unansweredCalls(t.store)
	for _, i := range open {
		delete(unanswered, callOf(i))
	}
	for _, c := range closing {
		if !unanswered[c.call] || t.awaited[c.call] && !left[c.call] {
			continue
		}
		delete(unanswered, c.call)
		t.store.AddToolResult(toolMessage(c, p.NewID), p.Changes)
	}
}

// unansweredCalls names the calls of the conversation; true are those that have no tool message.
func unansweredCalls(store *state.Store) map[string]bool {
	calls := map[string]bool{}
	for i := range store.Len() {
		m := store.Message(i)
		for j := range m.Calls() {
			calls[m.Call(j).ID()] = true
		}
	}
	for i := range store.Len() {
		if m := store.Message(i); m.Role() == agui.RoleTool {
			if _, ok := calls[m.ToolCallID()]; ok {
				calls[m.ToolCallID()] = false
			}
		}
	}
	return calls
}

// toolMessage makes the tool message of a closed call. One that was cut off has failed.
func toolMessage(c closed, newID func() string) agui.Message {
	id := c.call + ":closed"
	if newID != nil {
		id = newID()
	}
	raw := rawjson.AppendQuote([]byte(`{"id":`), id)
	raw = rawjson.AppendQuote(append(raw, `,"role":"tool","toolCallId":`...), c.call)
	raw = rawjson.AppendQuote(append(raw, `,"content":`...), c.content)
	if c.interrupt == "" {
		raw = rawjson.AppendQuote(append(raw, `,"error":`...), c.content)
	}
	raw = append(raw, '}')
	return agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: c.call, Raw: string(raw)}
}
