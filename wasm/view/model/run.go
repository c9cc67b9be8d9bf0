package model

import (
	"slices"
	"strings"

	"aguiwasm/agui/rawjson"
	"aguiwasm/state/thread"
)

// Run is what the agent is doing.
type Run struct {
	// Active says that a run goes on.
	Active bool
	// Steps are the open steps, oldest first.
	Steps []string
	// Subagents are those that this and earlier runs started, in order.
	Subagents []*Subagent
	// Interrupts are the questions that wait for an answer.
	Interrupts []Interrupt
	// Waiting are the tool calls that wait for an answer which nothing gives by itself (thread.Thread.Waiting).
	Waiting []string
	// Given are the calls that tools of the page have answered, whose answers go out with a person's.
	Given []string
	// Approvals are those of them whose handler runs once a person has approved.
	Approvals []string
	// Queue are the words that wait for the run's end.
	Queue []Queued
	// Line names the label that says how the run's connection stands, while it is away; "": it is there.
	Line string
	// Error ended the last run; nil: none did.
	Error *Failure
	// Changed counts changes of anything here.
	Changed uint64

	open      map[string]bool // messages and tool calls that more may come to
	calls     map[string]bool // tool calls that began in this run
	begun     bool            // its start was seen, so calls holds all of them
	justEnded bool

	// What an event's id means, where the page knows it by another (state.Store): the page's ids of one of the wire's,
	// and back.
	pages map[string][]string
	wires map[string]string
}

// Subagent is an agent at work for another.
type Subagent struct {
	ID, Name, Description string
	Parent                string // another's ID, or ""
	Status                Status
	Error                 string
}

// Status is the state of a subagent or a tool call.
type Status uint8

// The states.
const (
	Preparing Status = iota // a tool call's arguments are still coming
	Running
	Done
	Failed
	Waiting   // for a person or for the page
	Stopped   // the run ended before it did
	Declined  // a tool call that a person did not approve
	Dismissed // one that a person left without an answer
)

// Queued are words that a person sent while the agent worked.
type Queued struct{ ID, Text string }

// Failure is what ended a run.
type Failure struct{ Code, Message string }

// Interrupt is one question of an agent to a person.
type Interrupt struct {
	ID, Reason, Message, ToolCallID, ExpiresAt string
	Schema                                     string // raw JSON, or ""
}

// Event takes one event as raw JSON and gives the ids of messages and tool calls that look different now. Events that
// do not matter here change nothing.
func (r *Run) Event(event string) []string {
	if rawjson.KindOf(event) != rawjson.Object {
		return nil
	}
	var ix rawjson.Index
	ix.Read(event)
	if r.open == nil {
		r.open, r.calls = map[string]bool{}, map[string]bool{}
	}
	switch str(&ix, "type") {
	case "RUN_STARTED":
		if !r.Active {
			r.Active = true
			r.Steps = nil
			clear(r.open)
		}
		clear(r.calls)
		r.begun = true
		r.Error = nil
	case "RUN_FINISHED", "RUN_ERROR":
		return r.end()
	case "STEP_STARTED":
		r.Steps = append(r.Steps, str(&ix, "stepName"))
	case "STEP_FINISHED":
		r.closeStep(str(&ix, "stepName"))
	case "SUBAGENT_STARTED":
		s := r.subagent(str(&ix, "subagentRunId"))
		s.Name, s.Description = str(&ix, "name"), str(&ix, "description")
		s.Parent = str(&ix, "parentSubagentRunId")
		s.Status = Running
	case "SUBAGENT_FINISHED":
		s := r.subagent(str(&ix, "subagentRunId"))
		s.Status = Done
		if o, _ := ix.Get("outcome"); member(o, "type") == "suspended" {
			s.Status = Waiting
		}
	case "SUBAGENT_ERROR":
		s := r.subagent(str(&ix, "subagentRunId"))
		s.Status, s.Error = Failed, str(&ix, "message")
	case "TEXT_MESSAGE_START", "REASONING_MESSAGE_START":
		return r.set(str(&ix, "messageId"), true)
	case "TEXT_MESSAGE_END", "REASONING_MESSAGE_END":
		return r.set(str(&ix, "messageId"), false)
	case "TOOL_CALL_START":
		r.calls[str(&ix, "toolCallId")] = true
		return r.set(str(&ix, "toolCallId"), true)
	case "TOOL_CALL_END":
		return r.set(str(&ix, "toolCallId"), false)
	default:
		return nil
	}
	r.Changed++
	return nil
}

// Open reports whether more may come to a message or tool call.
func (r *Run) Open(id string) bool {
	wire, ok := r.wire(id)
	return ok && r.Active && r.open[wire]
}

// wire gives the id by which events mean what the page knows under id. It reports false where they mean another now.
func (r *Run) wire(id string) (string, bool) {
	if wire, ok := r.wires[id]; ok {
		return wire, true
	}
	return id, len(r.pages[id]) == 0
}

// alias takes what the ids of events mean now, and gives the ids that look different.
func (r *Run) alias(ix *rawjson.Index) (touched []string) {
	aliases, ok := ix.Get("aliases")
	if !ok {
		return nil
	}
	changed := func() {
		for page, wire := range r.wires {
			touched = append(touched, page, wire)
		}
	}
	changed()
	r.pages, r.wires = map[string][]string{}, map[string]string{}
	if rawjson.KindOf(aliases) == rawjson.Object {
		for key, value := range rawjson.Members(aliases) {
			if _, wire, ok := strings.Cut(key.Decode(), ":"); ok {
				page := decode(value)
				r.wires[page] = wire
				r.pages[wire] = append(r.pages[wire], page)
			}
		}
	}
	changed()
	return touched
}

// Subagent gives the subagent of that id, or nil.
func (r *Run) Subagent(id string) *Subagent {
	for _, s := range r.Subagents {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func (r *Run) subagent(id string) *Subagent {
	if s := r.Subagent(id); s != nil {
		return s
	}
	s := &Subagent{ID: id}
	r.Subagents = append(r.Subagents, s)
	return s
}

func (r *Run) set(id string, open bool) []string {
	if r.open[id] == open {
		return nil
	}
	if open {
		r.open[id] = true
	} else {
		delete(r.open, id)
	}
	r.Changed++
	return append([]string{id}, r.pages[id]...)
}

func (r *Run) closeStep(name string) {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if r.Steps[i] == name {
			r.Steps = append(r.Steps[:i:i], r.Steps[i+1:]...)
			return
		}
	}
}

func (r *Run) end() (touched []string) {
	if !r.Active {
		return nil
	}
	r.Active, r.begun, r.justEnded = false, false, true
	r.Steps = nil
	for id := range r.open {
		touched = append(append(touched, id), r.pages[id]...)
	}
	clear(r.open)
	for _, s := range r.Subagents {
		if s.Status == Running {
			s.Status = Stopped
		}
	}
	r.Changed++
	return touched
}

// state takes over what the agent itself says of its run, and gives the ids of tool calls that look different now.
func (r *Run) state(ix *rawjson.Index) (touched []string) {
	switch v, _ := ix.Get("running"); v {
	case "true":
		if !r.Active {
			r.Active = true
			r.Error = nil
			r.Changed++
		}
	case "false":
		touched = r.end()
	}
	if v, ok := ix.Get("interrupts"); ok {
		for _, i := range r.Interrupts {
			touched = append(touched, i.ToolCallID)
		}
		r.Interrupts = nil
		for _, e := range Elements(v) {
			if rawjson.KindOf(e) != rawjson.Object {
				continue
			}
			i := Interrupt{ID: member(e, "id"), Reason: member(e, "reason"), Message: member(e, "message"),
				ToolCallID: member(e, "toolCallId"), ExpiresAt: member(e, "expiresAt")}
			i.Schema, _ = rawjson.Get(e, "responseSchema")
			r.Interrupts = append(r.Interrupts, i)
			touched = append(touched, i.ToolCallID)
		}
		r.Changed++
	}
	for name, list := range map[string]*[]string{"waiting": &r.Waiting, "given": &r.Given, "approvals": &r.Approvals} {
		v, ok := ix.Get(name)
		if !ok {
			continue
		}
		touched = append(touched, *list...)
		*list = nil
		for _, e := range Elements(v) {
			*list = append(*list, decode(e))
		}
		touched = append(touched, *list...)
		r.Changed++
	}
	if v, ok := ix.Get("queue"); ok {
		r.Queue = nil
		for _, e := range Elements(v) {
			r.Queue = append(r.Queue, Queued{member(e, "id"), member(e, "text")})
		}
		r.Changed++
	}
	if _, ok := ix.Get("line"); ok {
		r.Line = str(ix, "line")
		r.Changed++
	}
	if v, ok := ix.Get("error"); ok {
		r.Error = nil
		if rawjson.KindOf(v) == rawjson.Object {
			r.Error = &Failure{member(v, "code"), member(v, "message")}
		}
		r.Changed++
	}
	return touched
}

// Decide keeps what a person decided about a tool call: its result alone does not say whether it ever ran.
func (c *Conversation) Decide(callID string, approved bool) {
	switch {
	case approved:
		delete(c.declined, callID)
	case c.declined == nil:
		c.declined = map[string]bool{callID: true}
	default:
		c.declined[callID] = true
	}
}

// CallStatus tells in what state a tool call is.
func (c *Conversation) CallStatus(call *Call) Status {
	if m := c.results[call.ID]; m != nil {
		switch {
		case m.Error == thread.Dismissed:
			return Dismissed
		case m.Error != "":
			return Failed
		case c.declined[call.ID]:
			return Declined
		}
		return Done
	}
	for _, i := range c.Run.Interrupts {
		if i.ToolCallID == call.ID {
			return Waiting
		}
	}
	switch {
	case slices.Contains(c.Run.Given, call.ID):
		return Done
	case slices.Contains(c.Run.Waiting, call.ID):
		return Waiting
	case c.Run.Open(call.ID):
		return Preparing
	case !c.Run.Active:
	case !c.Run.begun:
		return Running
	default:
		if wire, ok := c.Run.wire(call.ID); ok && c.Run.calls[wire] {
			return Running
		}
	}
	return Stopped
}
