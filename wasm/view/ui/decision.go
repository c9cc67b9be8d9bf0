package ui

import (
	"strings"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
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
