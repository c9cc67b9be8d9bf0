package ui

import (
	"strings"

	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// Rate notes what a person thinks of an answer, good or bad, and gives what stands now: the same word again takes it
// back, "".
func (u *UI) Rate(id, value string) string {
	if u.rated == nil {
		u.rated = map[string]string{}
	}
	if u.rated[id] == value {
		value = ""
	}
	u.rated[id] = value
	return value
}

// Action is a button of the page's own with messages.
type Action struct {
	Label string
	Role  string // whose messages have it; "" is everybody's
}

// actions shows what a person can do with a message: copy it, edit their own, have an answer made again, say what they
// think of it, show another version. nil: nothing.
func (u *UI) actions(m *model.Message) *Node {
	if !u.Chat.Actions || !m.Acts && m.Fork.Count == 0 || u.Editing == m.ID {
		return nil
	}
	row := El("div.acts part=message-actions")
	add := func(name, label, do string) *Node {
		if !m.Acts || !u.Acts[name] {
			return nil
		}
		b := button("act", u.label(label), do, m.ID)
		row.Add(b)
		return b
	}
	add("copy", "copy", "copyMessage")
	if m.Role == "user" {
		add("edit", "edit", "rewrite")
	} else {
		add("regenerate", "regenerate", "again")
		for _, value := range []string{"good", "bad"} {
			if b := add("feedback", value, value); b != nil {
				pressed := "false"
				if u.rated[m.ID] == value {
					pressed = "true"
				}
				b.At("aria-pressed", pressed)
			}
		}
	}
	for i, a := range u.Own {
		if m.Acts && (a.Role == "" || a.Role == m.Role) {
			row.Add(button("act", a.Label, "own", itoa(i)+" "+m.ID))
		}
	}
	if f := m.Fork; f.Count > 0 {
		turn := func(sign, name string, to int) *Node {
			return button("act", sign, "version", itoa(to)+" "+f.Before).At("aria-label", u.label(name)).
				If(to < 0 || to >= f.Count, "disabled", "")
		}
		words := strings.ReplaceAll(u.Labels.Fill("version", itoa(f.Shown+1)), "{all}", itoa(f.Count))
		row.Add(turn("‹", "previousVersion", f.Shown-1), T("span.act-count", itoa(f.Shown+1)+" / "+itoa(f.Count)).
			With("role", "img", "aria-label", words),
			turn("›", "nextVersion", f.Shown+1))
	}
	if len(row.Kids) == 0 {
		return nil
	}
	return row
}

// editor shows a person's message as it is changed: its words, which it needs where it holds nothing else; what else
// it holds stays.
func (u *UI) editor(m *model.Message) *Node {
	words, more := m.Text, false
	for _, p := range m.Parts {
		if p.Kind != "text" {
			more = true
			continue
		}
		if words != "" {
			words += "\n\n"
		}
		words += p.Text
	}
	return El("div.rewrite", T("textarea.rewrite-text rows=3 dir=auto", words).
		With("data-rewrite", m.ID, "aria-label", u.label("message")).If(!more, "required", ""),
		El("div.row", button("primary", u.label("send"), "rewritten", m.ID),
			button("", u.label("cancel"), "unwrite", m.ID)))
}
