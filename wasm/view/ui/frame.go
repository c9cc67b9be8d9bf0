package ui

import (
	"strings"

	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// Status shows what the agent is doing, or what ended its run; nil: nothing.
func (u *UI) Status() *Node {
	run := &u.Chat.Run
	if run.Active && run.Line != "" {
		return El("div.status part=status", dots(), T("span dir=auto", u.label(run.Line)))
	}
	if run.Active {
		words := u.label("working")
		if n := len(run.Steps); n > 0 {
			words = short(humanize(run.Steps[n-1]), 120)
			if n > 1 {
				words = short(humanize(run.Steps[n-2]), 60) + " › " + words
			}
		}
		return El("div.status part=status", dots(), T("span dir=auto", words))
	}
	if run.Error == nil {
		return nil
	}
	words := u.label(model.ErrorWords(run.Error.Code))
	box := El("div.error part=error role=alert", T("p.error-words", words))
	if detail := strings.TrimSpace(run.Error.Message); detail != "" && detail != words {
		box.Add(T("p.error-detail dir=auto", short(detail, 600)))
	}
	switch code := model.ErrorWords(run.Error.Code); code {
	case "lostError", "busyError":
		return box.Add(T("p.error-detail", u.label("workTwice")), El("div.row",
			button("retry", u.label("reconnect"), "reconnect", "").At("part", "reconnect-button"),
			button("retry", u.label("sendAgain"), "retry", "").At("part", "retry-button")))
	}
	return box.Add(button("retry", u.label("retry"), "retry", "").At("part", "retry-button"))
}

// Empty shows what stands there before the first message.
func (u *UI) Empty() *Node {
	return T("p.empty part=empty", u.label("empty"))
}

// Attachment is a file that waits to be sent.
type Attachment struct {
	ID, Name, Kind, Preview string
}

// Attachments shows the files that wait to be sent, and what was wrong with others.
func (u *UI) Attachments(files []Attachment, problem string) *Node {
	n := El("div.attachments part=attachments")
	if len(files) > 0 {
		list := El("ul.files").At("aria-label", u.label("attachments"))
		for _, f := range files {
			item := El("li.file")
			if f.Preview != "" {
				item.Add(El("img.thumb alt=").At("src", f.Preview))
			}
			item.Add(T("span.file-name dir=auto", short(f.Name, 40)), T("button.icon type=button data-do=detach", "×").
				With("data-id", f.ID,
					"aria-label", u.Labels.Fill("remove", f.Name)))
			list.Add(item.Keyed(f.ID))
		}
		n.Add(list)
	}
	if problem != "" {
		n.Add(T("p.problem role=alert dir=auto", problem))
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
	Text    bool   // something is written
	Drop    bool   // files hang over the view
	Attach  bool   // files may be sent
	Accept  string // which, as a file input has it; "" is all
	Lang    string
}

// queued shows the words that wait for the run's end; each can be taken back.
func (u *UI) queued() *Node {
	list := El("ul.files.queue").At("aria-label", u.label("queued"))
	for _, q := range u.Chat.Run.Queue {
		list.Add(El("li.file", T("span.file-name dir=auto", short(q.Text, 200)),
			T("button.icon type=button data-do=unqueue", "×").With("data-id", q.ID,
				"aria-label", u.Labels.Fill("remove", short(q.Text, 40)))).Keyed(q.ID))
	}
	return list
}

// places are empty for what the script's half draws around the conversation, and have the slots before and after for
// the page's own elements. Sealed: nothing looks into them.
var places = map[string]*Node{
	"head":  {Tag: "div", Class: "head", Sealed: true},
	"start": {Tag: "div", Class: "start", Sealed: true, Kids: []*Node{El("slot name=before")}},
	"after": {Tag: "div", Class: "after", Sealed: true, Kids: []*Node{El("slot name=after")}},
	"tools": {Tag: "div", Class: "tools", Sealed: true},
	"foot":  {Tag: "div", Class: "foot", Sealed: true},
}

// Root shows everything. Elements that package view looks for have the classes log, list, input, picker and live.
func (u *UI) Root(f *Frame) *Node {
	run := &u.Chat.Run
	column := El("div.column", places["start"])
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
	column.Add(places["after"])
	log := El("div.log part=log tabindex=0 role=log aria-live=off", column).At("aria-label", u.label("conversation"))
	jump := El("div.jump-place")
	if f.Behind {
		jump.Add(button("jump", u.label("newMessages"), "jump", "").
			With("part", "jump-button", "title", u.label("jump")))
	}
	root := El("div.chat part=chat role=region", places["head"], log, jump, u.composer(f, run.Active, cards != nil),
		places["foot"],
		El("div.live role=status aria-live=polite aria-atomic=false")).At("aria-label", u.label("chat")).
		If(f.Lang != "", "lang", f.Lang)
	if f.Drop {
		root.Class += " dropping"
		root.Add(T("div.drop aria-hidden=true", u.label("drop")).Keyed("drop"))
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
	input := El("textarea.input part=input rows=1 dir=auto enterkeyhint=send").
		With("placeholder", hint, "aria-label", u.label("message")).
		If(asked, "disabled", "")
	send := T("button.send type=button data-do=send", u.label("send")).At("part", "button send-button").
		If(asked || (!f.Text && len(f.Files) == 0), "disabled", "")
	var stop *Node
	if active {
		stop = T("button.send.stop type=button data-do=stop", u.label("stop")).At("part", "button stop-button")
		if !f.Text && len(f.Files) == 0 {
			send = nil // nothing to send: the one button stops
		}
	}
	box := El("div.box")
	if f.Attach {
		box.Add(T("button.icon.attach type=button data-do=attach part=attach-button", "+").
			With("aria-label", u.label("attach"), "title", u.label("attach")).
			If(asked, "disabled", ""))
	}
	box.Add(input, places["tools"], send, stop)
	form := El("form.composer part=composer")
	if len(f.Files) > 0 || f.Problem != "" {
		form.Add(u.Attachments(f.Files, f.Problem).Keyed("files"))
	}
	if len(u.Chat.Run.Queue) > 0 {
		form.Add(u.queued().Keyed("queue"))
	}
	form.Add(box.Keyed("box"))
	if f.Attach {
		form.Add(El("input.picker type=file multiple= hidden= tabindex=-1 aria-hidden=true").
			If(f.Accept != "", "accept", f.Accept).Keyed("picker"))
	}
	return form
}
