package ui

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Slot names the place where the page draws something itself.
func Slot(kind, id string) string { return "agui-" + kind + "-" + id }

// call shows a tool call: its name and state in one line, arguments and result inside. It is open while it works.
func (u *UI) call(c *model.Call) *Node {
	status := u.Chat.CallStatus(c)
	if u.Custom("tool", c.Name, c.ID, status) {
		u.making.drawn = true
		return El("slot.custom").At("name", Slot("tool", c.ID)).Keyed("c" + c.ID)
	}
	arguments := c.Arguments
	if status == model.Preparing { // half a surrogate pair at the end waits for the other half
		arguments = arguments[:len(arguments)-rawjson.HalfAtEnd(arguments)]
	}
	head := El("summary.tool-head", T("span.tool-name dir=auto", c.Name),
		T("span.tool-brief aria-hidden=true dir=ltr", brief(arguments)), u.status(status))
	body := El("div.tool-body")
	if strings.TrimSpace(arguments) != "" {
		body.Add(T("div.cap", u.label("arguments")), u.arguments(arguments, status == model.Preparing))
	}
	if r := u.Chat.Result(c.ID); r != nil {
		word := "result"
		if r.Error != "" {
			word = "error"
		}
		body.Add(T("div.cap", u.label(word)), u.result(r, true))
	}
	if slices.Contains(u.Chat.Run.Waiting, c.ID) {
		row := El("div.row")
		if slices.Contains(u.Chat.Run.Approvals, c.ID) {
			body.Add(T("p.note", u.label("approval")))
			row.Add(button("primary", u.label("approve"), "allow", c.ID), button("", u.label("reject"), "forbid", c.ID))
		}
		body.Add(row.Add(button("", u.label("dismiss"), "leave", c.ID)))
	}
	open := status == model.Waiting || status == model.Preparing || status == model.Running || status == model.Failed
	tool := Make("details", "tool "+[...]string{"busy", "busy", "done", "failed", "waiting", "stopped", "declined",
		"dismissed"}[status], head, body).
		If(open, "open", "").At("part", "tool")
	n := El("div.call", tool).Keyed("c" + c.ID)
	// A picture or a sound is what the call was for: it does not hide inside.
	if r := u.Chat.Result(c.ID); r != nil && r.Parts != nil {
		n.Add(u.parts(media(r.Parts))...)
	}
	return n
}

// arguments shows arguments as data, or as text while they are no JSON yet.
func (u *UI) arguments(text string, partial bool) *Node {
	t := strings.TrimSpace(text)
	if !partial && rawjson.Check(t, 0) == nil {
		return u.data(t)
	}
	return El("pre.raw dir=ltr tabindex=0", T("code", u.short(text, maxText)))
}

// result shows a tool's result: JSON as data, else text; parts that can be seen or heard stand outside the box.
func (u *UI) result(m *model.Message, inCall bool) *Node {
	out := El("div.result")
	if m.Error != "" {
		out.Add(T("p.problem dir=auto", m.Error))
	}
	if text := strings.TrimSpace(m.Text); text != "" && text != m.Error {
		if k := rawjson.KindOf(text); (k == rawjson.Object || k == rawjson.Array) && rawjson.Check(text, 0) == nil {
			out.Add(u.data(text))
		} else {
			out.Add(T("div.plain dir=auto", short(m.Text, 20*maxText)))
		}
	}
	shown := m.Parts
	if inCall {
		shown = nil
		for _, p := range m.Parts {
			if p.Kind == "text" || p.Kind == "document" {
				shown = append(shown, p)
			}
		}
	}
	out.Add(u.parts(shown)...)
	if len(out.Kids) == 0 {
		out.Add(T("span.nothing", u.label("empty value")))
	}
	return out
}

func media(parts []model.Part) []model.Part {
	var out []model.Part
	for _, p := range parts {
		if p.Kind != "text" && p.Kind != "document" {
			out = append(out, p)
		}
	}
	return out
}

// brief gives the start of the arguments for the one line.
func brief(arguments string) string {
	s := strings.TrimSpace(arguments)
	if s == "{}" {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, short(s, 80))
}

// activity shows an activity: by the page's own renderer, or as data.
func (u *UI) activity(m *model.Message) *Node {
	n := El("article.msg.activity").With("part", "message activity", "aria-label", u.label("activity"))
	if u.Custom("activity", m.ActivityType, m.ID, model.Done) {
		u.making.drawn = true
		return n.Add(El("slot.custom").At("name", Slot("activity", m.ID)))
	}
	return n.Add(T("div.activity-head dir=auto", humanize(m.ActivityType)), El("div.activity-body", u.data(m.Content)))
}
