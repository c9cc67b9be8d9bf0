package ui

import (
	"strings"

	"aguiwasm/web/view/model"
	. "aguiwasm/web/view/vnode"
)

// Status shows what the agent is doing, or what ended its run; nil: nothing.
func (u *UI) Status() *Node {
	run := &u.Chat.Run
	if run.Active {
		words := u.label("working")
		if n := len(run.Steps); n > 0 {
			words = short(humanize(run.Steps[n-1]), 120)
			if n > 1 {
				words = short(humanize(run.Steps[n-2]), 60) + " › " + words
			}
		}
		return El("div", "status", dots(), El("span", "", Text(words)).With("dir", "auto")).With("part", "status")
	}
	if run.Error == nil {
		return nil
	}
	words := u.label(model.ErrorWords(run.Error.Code))
	box := El("div", "error", El("p", "error-words", Text(words))).With("part", "error", "role", "alert")
	if detail := strings.TrimSpace(run.Error.Message); detail != "" && detail != words {
		box.Add(El("p", "error-detail", Text(short(detail, 600))).With("dir", "auto"))
	}
	return box.Add(button("retry", u.label("retry"), "retry", "").With("part", "retry-button"))
}

// Empty shows what stands there before the first message.
func (u *UI) Empty() *Node {
	return El("p", "empty", Text(u.label("empty"))).With("part", "empty")
}

// Attachment is a file that waits to be sent.
type Attachment struct {
	ID, Name, Kind, Preview string
}

// Attachments shows the files that wait to be sent, and what was wrong with others.
func (u *UI) Attachments(files []Attachment, problem string) *Node {
	n := El("div", "attachments").With("part", "attachments")
	if len(files) > 0 {
		list := El("ul", "files").With("aria-label", u.label("attachments"))
		for _, f := range files {
			item := El("li", "file")
			if f.Preview != "" {
				item.Add(El("img", "thumb").With("alt", "", "src", f.Preview))
			}
			item.Add(El("span", "file-name", Text(short(f.Name, 40))).With("dir", "auto"),
				El("button", "icon", Text("×")).With("type", "button", "data-do", "detach", "data-id", f.ID,
					"aria-label", u.Labels.Fill("remove", f.Name)))
			list.Add(item.Keyed(f.ID))
		}
		n.Add(list)
	}
	if problem != "" {
		n.Add(El("p", "problem", Text(problem)).With("role", "alert", "dir", "auto"))
	}
	return n
}

// Frame is what is around the messages.
type Frame struct {
	Entries []*model.Entry
	Limit   int // how many of the last entries are shown; see [UI.List]
	Behind  bool
	Files   []Attachment
	Problem string
	Text    bool // something is written
	Drop    bool // files hang over the view
	Attach  bool // files may be sent
	Lang    string
}

// Root shows everything. Elements that package view looks for have the classes log, list, input, picker and live.
func (u *UI) Root(f *Frame) *Node {
	run := &u.Chat.Run
	column := El("div", "column")
	cards := u.Cards()
	status := u.Status()
	if len(f.Entries) == 0 && cards == nil && status == nil {
		column.Add(u.Empty().Keyed("empty"))
	}
	column.Add(u.List(f.Entries, f.Limit).Keyed("list"))
	if cards != nil {
		column.Add(cards.Keyed("cards"))
	}
	if status != nil {
		column.Add(status.Keyed("status"))
	}
	log := El("div", "log", column).With("part", "log", "tabindex", "0", "role", "log", "aria-live", "off", "aria-label", u.label("conversation"))
	jump := El("div", "jump-place")
	if f.Behind {
		jump.Add(button("jump", u.label("newMessages"), "jump", "").With("part", "jump-button", "title", u.label("jump")))
	}
	root := El("div", "chat", log, jump, u.composer(f, run.Active, cards != nil),
		El("div", "live").With("role", "status", "aria-live", "polite", "aria-atomic", "false")).
		With("part", "chat", "role", "region", "aria-label", u.label("chat")).
		If(f.Lang != "", "lang", f.Lang)
	if f.Drop {
		root.Class += " dropping"
		root.Add(El("div", "drop", Text(u.label("drop"))).With("aria-hidden", "true").Keyed("drop"))
	}
	return root
}

// composer shows where one writes. While a question waits for its answer it is disabled: the next run has to bring that
// answer. While the agent works one may write on, and the button stops it.
func (u *UI) composer(f *Frame, active, asked bool) *Node {
	hint := u.label("placeholder")
	if asked {
		hint = u.label("answerFirst")
	}
	input := El("textarea", "input").
		With("part", "input", "rows", "1", "dir", "auto", "enterkeyhint", "send", "placeholder", hint, "aria-label", u.label("message")).
		If(asked, "disabled", "")
	send := El("button", "send", Text(u.label("send"))).With("type", "button", "data-do", "send", "part", "button send-button").
		If(asked || (!f.Text && len(f.Files) == 0), "disabled", "")
	if active {
		send = El("button", "send stop", Text(u.label("stop"))).With("type", "button", "data-do", "stop", "part", "button stop-button")
	}
	box := El("div", "box")
	if f.Attach {
		box.Add(El("button", "icon attach", Text("+")).
			With("type", "button", "data-do", "attach", "part", "attach-button", "aria-label", u.label("attach"), "title", u.label("attach")).
			If(asked, "disabled", ""))
	}
	box.Add(input, send)
	form := El("form", "composer").With("part", "composer")
	if len(f.Files) > 0 || f.Problem != "" {
		form.Add(u.Attachments(f.Files, f.Problem).Keyed("files"))
	}
	form.Add(box.Keyed("box"))
	if f.Attach {
		form.Add(El("input", "picker").With("type", "file", "multiple", "", "hidden", "", "tabindex", "-1", "aria-hidden", "true").Keyed("picker"))
	}
	return form
}
