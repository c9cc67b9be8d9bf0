package ui

import (
	"strings"

	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// actions shows what a person can do with a message: edit their own, have an answer made again, show another version.
// nil: nothing.
func (u *UI) actions(m *model.Message) *Node {
	if !u.Chat.Actions || !m.Acts && m.Fork.Count == 0 || u.Editing == m.ID {
		return nil
	}
	row := El("div.acts part=message-actions")
	if m.Acts && m.Role == "user" {
		row.Add(button("act", u.label("edit"), "rewrite", m.ID))
	} else if m.Acts {
		row.Add(button("act", u.label("regenerate"), "again", m.ID))
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
	return row
}

// editor shows a person's message as it is changed: its words; what else it holds stays.
func (u *UI) editor(m *model.Message) *Node {
	words := m.Text
	for _, p := range m.Parts {
		if p.Kind == "text" && words != "" {
			words += "\n\n"
		}
		if p.Kind == "text" {
			words += p.Text
		}
	}
	return El("div.rewrite", T("textarea.rewrite-text rows=3 dir=auto", words).
		With("data-rewrite", m.ID, "aria-label", u.label("message")),
		El("div.row", button("primary", u.label("send"), "rewritten", m.ID),
			button("", u.label("cancel"), "unwrite", m.ID)))
}
