package model

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// Conversation is the conversation as the view shows it: the messages in order, what they answer, and the run.
type Conversation struct {
	Run Run
	// More says that messages are missing which the next Apply brings: a long history comes in pieces.
	More bool
	// Actions says that messages have actions; Forks are the places with several versions.
	Actions bool
	Forks   []Fork
	// Layout changes when other messages are there, or in another order, or with other owners.
	Layout uint64

	order    []*Message
	byID     map[string]*Message
	results  map[string]*Message // by tool call id
	calls    map[string]*Message // by tool call id, the message that makes it
	declined map[string]bool     // tool call ids, see Decide
	halves   map[string]string   // by message id, how it was left without an end
	version  uint64
}

// Messages gives the messages in order; not to be changed.
func (c *Conversation) Messages() []*Message { return c.order }

// Result gives the tool message that answers a call, or nil.
func (c *Conversation) Result(callID string) *Message { return c.results[callID] }

// Apply takes what happened since the last time, as one JSON object:
//
//	ids       string[]: the messages' ids in order; absent where that did not change
//	front     string[]: the ids of messages before all others, instead of ids
//	set       Message[]: the new and changed messages, each before or together with the ids or front that name it
//	append    [id, text][]: text that was added to a message
//	aliases   {"TEXT_MESSAGE:m": "m:2", ...}: what events mean by an id that the page knows under another; absent
//	          where that did not change
//	events    the run's, step's, subagent's and START and END events, in order (see [Run.Event])
//	running   boolean
//	interrupts  Interrupt[]: those that a person answers; absent where they did not change
//	given     string[]: calls of the other ones, which tools of the page have answered
//	waiting   string[]: the tool calls that wait for an answer; absent where that did not change
//	approvals string[]: those of them that a person may approve, so that their handler runs; absent likewise
//	queue     {id, text}[]: the words that wait for the run's end; absent where that did not change
//	forks     {before, shown, count}[]: the places with more than one version; absent where that did not change
//	line      the label of how the run's connection stands, or ""
//	halves    {id: "stopped" or "brokeOff"}: the messages that have no end; absent where that did not change
//	error     {code, message} or null; absent where it did not change
//	more      true: messages are missing, among those that ids names or before all others; the rest comes next
//
// Text that is no such object changes nothing and gives false.
func (c *Conversation) Apply(text string) bool {
	var ix rawjson.Index
	if kind, err := ix.Parse(text, 0); err != nil || kind != rawjson.Object {
		return false
	}
	if c.byID == nil {
		c.byID, c.results, c.calls = map[string]*Message{}, map[string]*Message{}, map[string]*Message{}
	}
	get := func(key string) string { v, _ := ix.Get(key); return v }
	for _, v := range Elements(get("set")) {
		if rawjson.KindOf(v) == rawjson.Object {
			c.set(ReadMessage(v))
		}
	}
	if ids := get("ids"); rawjson.KindOf(ids) == rawjson.Array {
		c.arrange(ids)
	} else if front := get("front"); rawjson.KindOf(front) == rawjson.Array {
		c.prepend(front)
	}
	for _, v := range Elements(get("append")) {
		c.append(v)
	}
	for _, id := range c.Run.alias(&ix) {
		c.touch(id)
	}
	for _, v := range Elements(get("events")) {
		for _, id := range c.Run.Event(v) {
			c.touch(id)
		}
	}
	c.More = get("more") == "true"
	for _, id := range c.Run.state(&ix) {
		c.touch(id)
	}
	if forks, ok := ix.Get("forks"); ok {
		c.Forks = nil
		for _, f := range Elements(forks) {
			shown, _ := rawjson.Get(f, "shown")
			count, _ := rawjson.Get(f, "count")
			n, _ := strconv.Atoi(shown)
			all, _ := strconv.Atoi(count)
			c.Forks = append(c.Forks, Fork{member(f, "before"), n, all})
		}
	}
	if halves, ok := ix.Get("halves"); ok {
		c.halve(halves)
	}
	c.open()
	if c.Actions {
		c.thoughts()
	}
	return true
}

// halve marks the messages that have no end, and no others.
func (c *Conversation) halve(halves string) {
	left := map[string]string{}
	for _, h := range Members(halves) {
		left[h.Key.Decode()] = decode(h.Value)
	}
	for _, m := range c.order {
		if how := left[m.ID]; how != m.Half {
			m.Half = how
			m.Version = c.next()
		}
	}
	c.halves = left
}

func (c *Conversation) next() uint64 {
	c.version++
	return c.version
}

func (c *Conversation) set(m Message) {
	m.Version = c.next()
	old := c.byID[m.ID]
	if old == nil {
		old = &Message{}
		c.byID[m.ID] = old
		c.Layout++
	} else if old.Role != m.Role || old.Owner != m.Owner || len(old.Calls) != len(m.Calls) {
		c.Layout++
	}
	m.Row, m.Acts, m.Fork, m.Half = old.Row, old.Acts, old.Fork, c.halves[m.ID]
	*old = m
	for _, call := range m.Calls {
		if c.calls[call.ID] == nil {
			c.calls[call.ID] = old
		}
	}
	if m.Role == "tool" {
		c.results[m.ToolCallID] = old
		c.touchCall(m.ToolCallID)
	}
}

// arrange takes the order anew and forgets messages that it does not name.
func (c *Conversation) arrange(ids string) {
	var order []*Message
	keep := map[string]*Message{}
	for _, v := range Elements(ids) {
		id := decode(v)
		if m := c.byID[id]; m != nil && keep[id] == nil {
			keep[id] = m
			order = append(order, m)
		}
	}
	c.order, c.byID = order, keep
	c.index()
}

// prepend puts messages before all others.
func (c *Conversation) prepend(ids string) {
	var order []*Message
	placed := map[string]bool{}
	for _, v := range Elements(ids) {
		id := decode(v)
		if m := c.byID[id]; m != nil && !placed[id] {
			placed[id] = true
			order = append(order, m)
		}
	}
	c.order = append(order, c.order...)
	c.index()
}

// index finds the calls and their results in the order that is new.
func (c *Conversation) index() {
	clear(c.results)
	clear(c.calls)
	for _, m := range c.order {
		for _, call := range m.Calls {
			c.calls[call.ID] = m
		}
		if m.Role == "tool" {
			c.results[m.ToolCallID] = m
		}
	}
	c.Layout++
}

func (c *Conversation) append(pair string) {
	var id string
	for i, v := range Elements(pair) {
		if i == 0 {
			id = decode(v)
		} else if m := c.byID[id]; m != nil && i == 1 {
			m.Text = rawjson.Join(m.Text, decode(v))
			m.Version = c.next()
		}
	}
}

// Redraw lets messages be shown anew.
func (c *Conversation) Redraw(ids ...string) {
	for _, id := range ids {
		c.touch(id)
	}
}

// touch makes a message's version new, so that it is shown again; id may be a tool call's.
func (c *Conversation) touch(id string) {
	if m := c.byID[id]; m != nil {
		m.Version = c.next()
		return
	}
	c.touchCall(id)
}

func (c *Conversation) touchCall(id string) {
	if m := c.calls[id]; m != nil {
		m.Version = c.next()
	}
}

// open marks the messages that more may come to. When the run ends every message that was open changes, as do those
// whose calls the end leaves without an answer.
func (c *Conversation) open() {
	ended := c.Run.justEnded
	c.Run.justEnded = false
	for _, m := range c.order {
		if open := c.Run.Open(m.ID); open != m.Open {
			m.Open = open
			m.Version = c.next()
		}
		if ended {
			for _, call := range m.Calls {
				if c.results[call.ID] == nil {
					m.Version = c.next()
					break
				}
			}
		}
	}
}
