package ui

import (
	"strings"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// Draft is a person's answer to an interrupt, before all of them are sent together.
type Draft struct {
	Done     bool
	Status   string // resolved or cancelled
	Payload  string // raw JSON, or ""
	Editing  bool   // the arguments of a tool call are being edited
	Problems []model.Problem
	BadEdit  bool
}

// Draft gives the draft of an interrupt.
func (u *UI) Draft(id string) *Draft {
	if u.drafts == nil {
		u.drafts = map[string]*Draft{}
	}
	d := u.drafts[id]
	if d == nil {
		d = &Draft{}
		u.drafts[id] = d
	}
	return d
}

// Sent forgets the drafts, but for what was decided about tool calls.
func (u *UI) Sent() {
	for i := range u.Chat.Run.Interrupts {
		in := &u.Chat.Run.Interrupts[i]
		if in.ToolCallID != "" && KindOf(in) == Approval {
			u.Chat.Decide(in.ToolCallID, approves(in, u.Draft(in.ID)))
		}
	}
	u.drafts, u.forms = nil, nil
	u.sent = map[string]bool{}
	for _, in := range u.Chat.Run.Interrupts {
		u.sent[in.ID] = true
	}
}

// approves reports whether an answer lets a tool call run.
func approves(in *model.Interrupt, d *Draft) bool {
	name, yes := Verdict(in)
	verdict, _ := rawjson.Get(d.Payload, name)
	no := "false"
	if !yes {
		no = "true"
	}
	return d.Status == "resolved" && d.Payload != "false" && verdict != no
}

// Answers gives the entries of a resume once every interrupt is answered, as raw JSON; "" before.
func (u *UI) Answers() string {
	var b strings.Builder
	b.WriteByte('[')
	for _, in := range u.asked() {
		d := u.Draft(in.ID)
		if !d.Done {
			return ""
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		members := []rawjson.Member{
			{Key: `"interruptId"`, Value: string(rawjson.Quote(in.ID))},
			{Key: `"status"`, Value: string(rawjson.Quote(d.Status))},
		}
		if d.Payload != "" {
			members = append(members, rawjson.Member{Key: `"payload"`, Value: d.Payload})
		}
		b.Write(rawjson.AppendObject(nil, members))
	}
	b.WriteByte(']')
	return b.String()
}

// Kind says how an interrupt is asked.
type Kind uint8

// The kinds of cards.
const (
	Confirm  Kind = iota // yes or no
	Approval             // of a tool call: approve, edit or reject
	Ask                  // a form
)

// KindOf decides it: by the reason where the protocol knows it, else by what there is.
func KindOf(in *model.Interrupt) Kind {
	switch in.Reason {
	case "confirmation":
		return Confirm
	case "tool_call":
		return Approval
	case "input_required":
		return Ask
	}
	switch {
	case in.Schema != "":
		return Ask
	case in.ToolCallID != "":
		return Approval
	}
	return Confirm
}

// Form gives the controls of an interrupt's card. A yes or no is answered by buttons and a tool call's arguments by an
// editor, so those properties are no controls.
func (u *UI) Form(in *model.Interrupt) *model.Form {
	if f := u.forms[in.ID]; f != nil {
		return f
	}
	if u.forms == nil {
		u.forms = map[string]*model.Form{}
	}
	f := &model.Form{}
	switch {
	case in.Schema != "":
		*f = model.NewForm(in.Schema)
	case KindOf(in) == Ask:
		*f = model.Form{Fields: []model.Field{{Input: model.LongText, Required: true}}}
	}
	if KindOf(in) != Ask {
		yes, _ := Verdict(in)
		edit := editName(in)
		var rest []model.Field
		for _, field := range f.Fields {
			if f.Object && field.Name != yes && field.Name != edit {
				rest = append(rest, field)
			}
		}
		f.Fields = rest
		f.Object = true
	}
	u.forms[in.ID] = f
	return f
}

// Verdict gives the property that holds the yes or no, and its value for a yes: that of "reject" is false. The property
// is the schema's, or "approved" where there is no schema. "" means that the payload itself is the yes or no.
func Verdict(in *model.Interrupt) (name string, yes bool) {
	if in.Schema == "" {
		return "approved", true
	}
	f := model.NewForm(in.Schema)
	if !f.Object {
		if len(f.Fields) == 1 && f.Fields[0].Input == model.CheckInput {
			return "", true
		}
		return "approved", true
	}
	best, score := "", 0
	for _, field := range f.Fields {
		if field.Input != model.CheckInput {
			continue
		}
		n := 1
		if field.Required {
			n = 2
		}
		switch sense(field.Name) {
		case 1:
			n += 4
		case -1:
			n += 2
		}
		if n > score {
			best, score = field.Name, n
		}
	}
	if best == "" {
		return "approved", true
	}
	return best, sense(best) >= 0
}

// sense says what a true under that name means: 1 is a yes, -1 a no, 0 is not known.
func sense(name string) int {
	said, turned := 0, 1
	for _, word := range strings.Fields(strings.ToLower(humanize(name))) {
		switch word {
		case "approved", "approve", "approves", "approval", "confirmed", "confirm", "accepted", "accept", "allow",
			"allowed", "ok",
			"okay", "yes", "agree", "agreed", "proceed", "permit", "permitted", "grant", "granted", "consent":
			said = 1
		case "reject", "rejected", "rejection", "rejects", "deny", "denied", "decline", "declined", "refuse", "refused",
			"disallow", "disallowed", "disapprove", "disapproved", "cancel", "cancelled", "canceled", "abort",
			"aborted",
			"block", "blocked", "veto", "forbid", "forbidden", "no", "stop", "skip", "skipped", "dismiss", "dismissed",
			"disagree", "unapproved", "unconfirmed", "abandon", "revoke", "discard":
			said = -1
		case "not", "dont", "don't", "never":
			turned = -turned
		}
	}
	return said * turned
}

// editName gives the property that takes edited arguments.
func editName(in *model.Interrupt) string {
	props, _ := rawjson.Get(in.Schema, "properties")
	for _, m := range model.Members(props) {
		name := m.Key.Decode()
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "editedargs", "editedarguments", "args", "arguments", "toolargs", "toolinput":
			return name
		}
	}
	return "editedArgs"
}

// Decide makes the payload of a yes or no, with the edited arguments if there are any, and the form's own answer.
func Decide(in *model.Interrupt, yes bool, edited, form string) string {
	name, approving := Verdict(in)
	value := "false"
	if yes == approving {
		value = "true"
	}
	if name == "" {
		return value
	}
	members := []rawjson.Member{{Key: rawjson.Quote(name), Value: value}}
	if edited != "" {
		members = append(members, rawjson.Member{Key: rawjson.Quote(editName(in)), Value: edited})
	}
	return string(rawjson.AppendObject(nil, append(members, model.Members(form)...)))
}

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
