package ui

import (
	"strings"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// Cards shows the questions that wait for an answer; nil: there are none.
func (u *UI) Cards() *Node {
	list := u.Chat.Run.Interrupts
	if len(list) == 0 || u.Chat.Run.Active {
		return nil
	}
	n := El("section.cards part=cards").At("aria-label", u.label("question"))
	done := 0
	asked := u.asked()
	for i, in := range asked {
		if u.Draft(in.ID).Done {
			done++
		}
		n.Add(u.card(in, i))
	}
	if len(asked) > 1 {
		words := strings.ReplaceAll(u.Labels.Fill("answered", itoa(done)), "{all}", itoa(len(asked)))
		n.Add(T("p.note role=status", words).Keyed("count"))
	}
	return n
}

// asked gives the interrupts, the first of each id: an answer names the id, so one answers all that have it, and one
// card shows them all.
func (u *UI) asked() []*model.Interrupt {
	list := u.Chat.Run.Interrupts
	out := make([]*model.Interrupt, 0, len(list))
	seen := map[string]bool{}
	for i := range list {
		if !seen[list[i].ID] {
			seen[list[i].ID] = true
			out = append(out, &list[i])
		}
	}
	return out
}

// also gives the other interrupts of the same id.
func (u *UI) also(in *model.Interrupt) []*model.Interrupt {
	var out []*model.Interrupt
	for i := range u.Chat.Run.Interrupts {
		if other := &u.Chat.Run.Interrupts[i]; other.ID == in.ID && other != in {
			out = append(out, other)
		}
	}
	return out
}

// card shows one question. at is its place among them: ids of elements are made of it, as an interrupt's own id may
// hold what separates ids.
func (u *UI) card(in *model.Interrupt, at int) *Node {
	d := u.Draft(in.ID)
	kind := KindOf(in)
	title := in.Message
	if title == "" {
		title = u.label([...]string{"question", "approval", "question"}[kind])
	}
	id := "card-" + itoa(at)
	card := El("form.card part=card novalidate= tabindex=-1", T("h3.card-title dir=auto", title).At("id", id)).
		With("aria-labelledby", id, "data-id", in.ID).Keyed(in.ID)
	if d.Done {
		card.Class += " answered"
		word := "done"
		if d.Status == "cancelled" {
			word = "cancel"
		}
		return card.Add(T("p.note", u.label(word)), El("div.row", button("", u.label("edit"), "reopen", in.ID)))
	}
	leave := button("", u.label("dismiss"), "leave", in.ID)
	if u.sent[in.ID] && u.Chat.Run.Error != nil {
		card.Add(T("p.problem", u.label("refused")), El("div.row", button("primary", u.label("retry"), "retry", "")))
	}
	if in.ExpiresAt != "" {
		if u.Expired(in.ExpiresAt) {
			return card.Add(T("p.problem", u.label("expired")), El("div.row", leave))
		}
		card.Add(T("p.note", u.Labels.Fill("expires", u.When(in.ExpiresAt))))
	}
	if kind == Approval {
		card.Add(u.subject(in, d, at))
	}
	for _, other := range u.also(in) {
		card.Add(T("p dir=auto", other.Message))
		if other.ToolCallID != in.ToolCallID {
			card.Add(u.subject(other, &Draft{}, at))
		}
	}
	form := u.Form(in)
	for i := range form.Fields {
		card.Add(u.field(at, i, &form.Fields[i], d))
	}
	row := El("div.row")
	switch {
	case kind == Confirm:
		row.Add(button("primary", u.label("yes"), "yes", in.ID), button("", u.label("no"), "no", in.ID))
	case kind == Approval:
		row.Add(button("primary", u.label("approve"), "yes", in.ID))
		if !d.Editing && u.argumentsOf(in) != "" {
			row.Add(button("", u.label("edit"), "edit", in.ID))
		}
		row.Add(button("danger", u.label("reject"), "no", in.ID))
	default:
		submit := button("primary", u.label("submit"), "submit", in.ID)
		for i := range submit.Attrs {
			if submit.Attrs[i].Name == "type" {
				submit.Attrs[i].Value = "submit"
			}
		}
		row.Add(submit, button("", u.label("cancel"), "cancel", in.ID))
	}
	return card.Add(row.Add(leave))
}

// subject shows what is to be approved.
func (u *UI) subject(in *model.Interrupt, d *Draft, at int) *Node {
	name, arguments := u.callOf(in)
	if name == "" && arguments == "" {
		return nil
	}
	n := El("div.subject", T("div.tool-name dir=auto", name))
	if !d.Editing {
		if strings.TrimSpace(arguments) != "" {
			n.Add(u.whole(arguments))
		}
		return n
	}
	id := "edit-" + itoa(at)
	n.Add(T("label.cap", u.label("editArguments")).At("for", id),
		T("textarea.editor rows=6 spellcheck=false dir=ltr", indent(arguments)).
			With("id", id, "data-edit", in.ID).
			If(d.BadEdit, "aria-invalid", "true").If(d.BadEdit, "aria-describedby", id+"-problem"))
	if d.BadEdit {
		n.Add(T("p.problem role=alert", u.label("invalidJSON")).At("id", id+"-problem"))
	}
	return n
}

// whole shows arguments in full: what a person lets happen must not hide behind a limit. Where the structured view has
// left something out, the text stands under it.
func (u *UI) whole(arguments string) *Node {
	u.cut = false
	n := u.arguments(arguments, false)
	if !u.cut {
		return n
	}
	return El("div", n, El("pre.raw.whole dir=ltr tabindex=0", T("code", indent(arguments))))
}

func (u *UI) callOf(in *model.Interrupt) (name, arguments string) {
	for _, m := range u.Chat.Messages() {
		for _, c := range m.Calls {
			if c.ID == in.ToolCallID {
				return c.Name, c.Arguments
			}
		}
	}
	return "", ""
}

func (u *UI) argumentsOf(in *model.Interrupt) string {
	_, arguments := u.callOf(in)
	return arguments
}

// field shows one control of a form with its label, description and problem.
func (u *UI) field(at, i int, f *model.Field, d *Draft) *Node {
	id := "field-" + itoa(at) + "-" + itoa(i)
	title := f.Title
	if title == "" {
		title = humanize(f.Name)
	}
	if title == "" {
		title = u.label("answer")
	}
	problem := ""
	for _, p := range d.Problems {
		if p.Field == i {
			problem = u.label(p.Label)
		}
	}
	var c, some *Node
	switch f.Input {
	case model.CheckInput:
		c = El("input type=checkbox").If(f.Default == "true", "checked", "")
	case model.ChoiceInput:
		if len(f.Choices) > model.MaxChoices {
			list := El("datalist").At("id", id+"-some")
			for _, choice := range f.Choices[:maxEntries] {
				list.Add(El("option").At("value", choice.Title))
			}
			some = list
			title := ""
			for _, choice := range f.Choices {
				if f.Default != "" && choice.Value == f.Default {
					title = choice.Title
				}
			}
			c = El("input type=text dir=auto").With("list", id+"-some", "value", title)
			break
		}
		c = El("select", T("option value=", u.label("choose")))
		for j, choice := range f.Choices {
			c.Add(T("option", choice.Title).At("value", itoa(j)).
				If(f.Default != "" && choice.Value == f.Default, "selected", ""))
		}
	case model.LongText:
		c = T("textarea rows=3 dir=auto", f.Default)
	case model.JSONInput:
		c = T("textarea.editor rows=5 spellcheck=false dir=ltr", indent(f.Default))
	case model.NumberInput, model.IntegerInput:
		// A text with a numeric keyboard: a number input hides what was typed from us when it is no number.
		c = El("input type=text inputmode=decimal").At("value", f.Default)
	default:
		c = El("input dir=auto").With("type", f.Type, "value", f.Default)
	}
	c.With("id", id, "name", id, "data-field", itoa(i)).
		If(f.Required && f.Input != model.CheckInput, "aria-required", "true")
	described := ""
	if f.Description != "" {
		described = id + "-about"
	}
	if problem != "" {
		c.At("aria-invalid", "true")
		described = strings.TrimSpace(described + " " + id + "-problem")
	}
	c.If(described != "", "aria-describedby", described)
	label := T("label dir=auto", title).At("for", id)
	if f.Required && f.Input != model.CheckInput {
		label.Add(T("span.must aria-hidden=true", " *"))
	}
	box := El("div.field").Keyed("f" + itoa(i))
	if f.Input == model.CheckInput {
		box.Class += " check-field"
		box.Add(c, label)
	} else {
		box.Add(label, c, some)
	}
	if f.Description != "" {
		box.Add(T("p.note dir=auto", f.Description).At("id", id+"-about"))
	}
	if problem != "" {
		box.Add(T("p.problem role=alert", problem).At("id", id+"-problem"))
	}
	return box
}

// indent lays JSON out over lines; other text stays as it is.
func indent(text string) string {
	t := strings.TrimSpace(text)
	if rawjson.Check(t, 0) != nil {
		return text
	}
	t = rawjson.Compact(t)
	var b strings.Builder
	depth := 0
	line := func() {
		b.WriteByte('\n')
		for i := 0; i < min(depth, 20); i++ {
			b.WriteString("  ")
		}
	}
	inString := false
	for i := 0; i < len(t); i++ {
		c := t[i]
		if inString {
			b.WriteByte(c)
			if c == '\\' && i+1 < len(t) {
				i++
				b.WriteByte(t[i])
			} else if c == '"' {
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
			b.WriteByte(c)
		case '{', '[':
			b.WriteByte(c)
			if i+1 < len(t) && (t[i+1] == '}' || t[i+1] == ']') {
				i++
				b.WriteByte(t[i])
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			b.WriteByte(c)
		case ',':
			b.WriteByte(c)
			line()
		case ':':
			b.WriteString(": ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
