// Package ui says what the chat looks like: it turns what package model knows into trees of package vnode. Pure Go. No
// text of an agent's ever becomes an element, an attribute's name or an unchecked address here.
package ui

import (
	"aguiwasm/wasm/view/markdown"
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// UI makes the trees of one view. It remembers what it made, so that what did not change is the same pointer again.
type UI struct {
	Labels model.Labels
	Chat   *model.Conversation
	// Blob gives an address for data that the page holds, or "".
	Blob func(mime, base64 string) string
	// Remote reports whether media at that address may be fetched.
	Remote func(url string) bool
	// Host gives the host that an address leads to from the page, as the browser reads it, or "" for the page's own.
	Host func(url string) string
	// Custom reports whether the page draws tool calls (kind "tool") or activities ("activity") of that name itself. It
	// is asked whenever that message or call changed.
	Custom func(kind, name, id string, status model.Status) bool
	// Draws reports whether the page draws a formula (kind "math", name "inline" or "display") or code ("code", its
	// language) of a text itself. The id is the place's.
	Draws func(kind, name, id, text string) bool
	// Acts are the actions that messages have: copy, edit, regenerate, feedback.
	Acts map[string]bool
	// Own are those of the page.
	Own []Action
	// Editing is the person's message that is being changed, or "".
	Editing string
	// Expired reports whether an ISO 8601 time has passed.
	Expired func(at string) bool
	// When says such a time for a person.
	When func(at string) string

	rated map[string]string // what a person thinks of answers, by message id: good or bad
	// cut says that something was left out of a value since it was set to false.
	cut     bool
	grows   bool // a row does
	making  *row // the one that is being made
	places  int  // how many places its text has so far that the page may draw
	settled bool // what is being made of a text is not at its growing end
	drafts  map[string]*Draft
	forms   map[string]*model.Form
	sent    map[string]bool // the interrupts whose answers were sent last
}

// row is a message's tree as it was last made.
type row struct {
	id      string
	version uint64
	node    *Node
	text    text
	waits   bool // for a click that loads media
	drawn   bool // by the page, in part
	listed  bool // node is in the page, or will be before the next List
	grows   bool // more of it comes in the next frames
	portion portion
}

// lively is how many of the last entries may still change in part. Earlier ones are sealed: should one change after
// all, it is made anew as a whole. So a long history costs no memory but the messages themselves.
const lively = 24

func (u *UI) label(name string) string { return u.Labels.Get(name) }

// Anew makes everything anew: what was sealed is no longer in the page.
func (u *UI) Anew() {
	for _, m := range u.Chat.Messages() {
		m.Row = nil
	}
}

// Loaded makes the messages anew that wait for media, as some may be fetched now.
func (u *UI) Loaded() { u.again(func(r *row) bool { return r.waits }) }

// Redraw makes the messages anew that the page draws in part.
func (u *UI) Redraw() { u.again(func(r *row) bool { return r.drawn }) }

func (u *UI) again(which func(*row) bool) {
	for _, m := range u.Chat.Messages() {
		if r, ok := m.Row.(*row); ok && which(r) {
			r.version = 0
			r.text = text{}
		}
	}
}

// List gives the conversation's column: the last limit entries.
func (u *UI) List(entries []*model.Entry, limit int) *Node {
	list := El("div.list part=messages")
	if from := len(entries) - limit; from > 0 {
		entries = entries[from:]
	}
	list.Kids = make([]*Node, len(entries))
	for i, e := range entries {
		list.Kids[i] = u.entry(e)
		if i < len(entries)-lively && e.Message != nil {
			u.seal(e.Message)
		}
	}
	return list
}

// seal seals a message that the page shows: one that List gives for the first time must still be put there.
func (u *UI) seal(m *model.Message) {
	r := m.Row.(*row)
	switch {
	case m.Open || r.node.Sealed || r.grows:
	case !r.listed:
		r.listed = true
	default:
		r.node.Sealed, r.node.Kids = true, nil
		r.text = text{}
	}
}

func (u *UI) entry(e *model.Entry) *Node {
	if e.Message == nil {
		return u.group(e)
	}
	return u.message(e.Message)
}

// group shows what a subagent did.
func (u *UI) group(e *model.Entry) *Node {
	name := u.label("subagent")
	var status *Node
	var failure *Node
	about := ""
	if a := e.Agent; a != nil {
		if a.Name != "" {
			name = a.Name
		}
		about = a.Description
		status = u.status(a.Status)
		if a.Status == model.Failed && a.Error != "" {
			failure = T("p.problem dir=auto", a.Error)
		}
	}
	head := El("header.group-head", T("span.group-name dir=auto", name), status)
	body := El("div.group-body")
	if about != "" {
		body.Add(T("p.about dir=auto", about))
	}
	for _, k := range e.Kids {
		body.Add(u.entry(k))
	}
	return El("section.group part=subagent", head, body.Add(failure)).At("aria-label", name).Keyed(e.Key)
}

// message shows one message, from what was made of it before if it did not change.
func (u *UI) message(m *model.Message) *Node {
	r, ok := m.Row.(*row)
	if !ok {
		r = &row{id: m.ID}
		m.Row = r
	}
	if r.node != nil && r.version == m.Version {
		return r.node
	}
	r.version = m.Version
	r.waits, r.drawn, r.listed, r.grows = false, false, false, false
	r.portion.begin()
	u.making = r
	switch m.Role {
	case "user":
		r.node = u.user(m)
	case "reasoning":
		r.node = u.reasoning(m, r)
	case "activity":
		r.node = u.activity(m)
	case "tool":
		r.node = u.orphan(m)
	default:
		r.node = u.assistant(m, r)
	}
	if u.Editing == m.ID && m.Role == "user" {
		r.node = El("article.msg.editing", u.editor(m)).At("aria-label", u.label("you"))
	}
	if m.Half != "" && !m.Open {
		r.node.Add(T("p.half part=half", u.label(m.Half)))
	}
	if acts := u.actions(m); acts != nil {
		r.node.Add(acts)
	}
	r.node.Key = "m" + m.ID
	return r.node
}

func (u *UI) user(m *model.Message) *Node {
	who := u.label("you")
	if m.Name != "" {
		who = m.Name
	}
	bubble := El("div.bubble part=user-bubble")
	if text := m.Shown(); text != "" {
		bubble.Add(T("div.plain dir=auto", text))
	}
	r := m.Row.(*row)
	parts, _ := r.portion.of(m)
	bubble.Add(u.parts(parts)...)
	u.rest(bubble, m, r)
	return El("article.msg.user", bubble).With("part", "message user-message", "aria-label", who)
}

func (u *UI) assistant(m *model.Message, r *row) *Node {
	who := u.label("assistant")
	if m.Name != "" {
		who = m.Name
	}
	n := El("article.msg.assistant").With("part", "message assistant-message", "aria-label", who)
	if m.Name != "" {
		n.Add(T("div.who dir=auto", m.Name))
	}
	if text := m.Shown(); text != "" {
		n.Add(r.text.node(u, text, m.Open, r))
	}
	parts, calls := r.portion.of(m)
	n.Add(u.parts(parts)...)
	for i := range calls {
		n.Add(u.call(&calls[i]))
	}
	u.rest(n, m, r)
	if len(n.Kids) == 0 && !m.Open {
		n.Class += " void"
	}
	return n
}

func (u *UI) reasoning(m *model.Message, r *row) *Node {
	word := "thought"
	if m.Open {
		word = "thinking"
	}
	body := El("div.reason-body")
	if text := m.Shown(); text != "" {
		body.Add(r.text.node(u, text, m.Open, r))
	}
	parts, _ := r.portion.of(m)
	body.Add(u.parts(parts)...)
	u.rest(body, m, r)
	summary := El("summary.reason-head", T("span", u.label(word)))
	if m.Open {
		summary.Add(dots())
	}
	return El("article.msg.reason", El("details", summary, body).If(m.Open, "open", "")).
		With("part", "message reasoning", "aria-label", u.label("reasoning"))
}

// orphan shows a tool message whose call is not in the conversation.
func (u *UI) orphan(m *model.Message) *Node {
	return El("article.msg.tool-result", u.result(m, false)).
		With("part", "message tool", "aria-label", u.label("result"))
}

// status shows the state of a subagent or a tool call.
func (u *UI) status(s model.Status) *Node {
	name := [...]string{"preparing", "running", "done", "failed", "waiting", "stopped", "declined", "dismissed"}[s]
	n := Make("span", "state "+name, Text(u.label(name)))
	if s == model.Running || s == model.Preparing {
		n.Add(dots())
	}
	return n
}

func dots() *Node {
	return El("span.dots aria-hidden=true", El("i"), El("i"), El("i"))
}

// button makes a button that does something: package view looks at data-do and data-id.
func button(class, label, do, id string) *Node {
	return Make("button", class, Text(label)).With("type", "button", "data-do", do, "data-id", id)
}

// text is a Markdown text that grows, and what was made of its finished blocks.
type text struct {
	doc   markdown.Doc
	done  []*Node
	first *markdown.Node
	// places is how many places for the page are in done.
	places int
}

func (t *text) node(u *UI, s string, open bool, r *row) *Node {
	t.doc.Set(s)
	t.doc.Close(!open)
	t.doc.Limit(r.portion.nodes)
	blocks, n := t.doc.Blocks()
	if len(blocks) > 0 && t.first != blocks[0] || n < len(t.done) {
		t.done, t.places = nil, 0
		t.first = nil
	}
	if n > 0 {
		t.first = blocks[0]
	}
	u.places, u.settled = t.places, true
	for i := len(t.done); i < n; i++ {
		b := u.block(blocks[i])
		b.Sealed = true
		t.done = append(t.done, b)
	}
	t.places = u.places
	out := El("div.md")
	out.Kids = append(out.Kids, t.done...)
	for i, b := range blocks[n:] {
		u.settled = !open || i < len(blocks)-n-1
		out.Kids = append(out.Kids, u.block(b))
	}
	r.portion.more = r.portion.more || t.doc.Cut()
	return out
}
