package thread

import (
	"slices"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// Calls may stand beside a question that names none of them. An agent that is told the answer goes on with all of its
// conversation, and a provider takes none in which a call has no result. So each call of the page's has one before that
// request goes out: a person's by the person, whom the request waits for; a handler's by the handler. The handler waits
// for the answer, as the question may be about its call: what a person refuses does not run.

// Beside gives the waiting calls of tools with a handler that run before a request which answers interrupts. There are
// none where an answer refuses, and none where the request may not begin. All others of the tools that p.Known names
// are closed by the request.
func (t *Thread) Beside(p Params, handled func(name string) bool) []Call {
	open, in := t.questions(), p.Input
	command := hasCommand(in.ForwardedProps)
	if t.run != nil || !command && len(in.Resume) == 0 || slices.ContainsFunc(in.Resume, refuses) ||
		command && saysNo(commandOf(in.ForwardedProps)) {
		return nil
	}
	entries := in.Resume
	if !command {
		entries = t.cancelled(entries)
	}
	if checkResume(open, t.older, entries, command, p.Now) != nil || len(t.beside(p)) > 0 {
		return nil
	}
	return t.hand(t.waiting(handled))
}

// beside names the waiting calls that a person answers and that stand in the way of a request which answers interrupts.
func (t *Thread) beside(p Params) (ids []string) {
	if len(p.Input.Resume) == 0 && !hasCommand(p.Input.ForwardedProps) || p.Said || p.Asks == nil {
		return nil
	}
	for _, c := range t.waiting(p.Asks) {
		ids = append(ids, c.ID)
	}
	return ids
}

// refuses reports whether an answer says no: it is cancelled, or its payload does.
func refuses(e agui.ResumeEntry) bool {
	payload, _ := rawjson.Get(e.Raw, "payload")
	return e.Status == "cancelled" || saysNo(payload)
}

// saysNo reports whether an answer is false, or holds a false and no true, whatever an agent calls them.
func saysNo(payload string) bool {
	if rawjson.KindOf(payload) != rawjson.Object {
		return payload == "false"
	}
	yes, no := false, false
	for _, value := range rawjson.Members(payload) {
		yes, no = yes || value == "true", no || value == "false"
	}
	return no && !yes
}
