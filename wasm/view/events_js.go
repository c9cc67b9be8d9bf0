//go:build js && wasm

package view

import (
	"strconv"
	"strings"
	"syscall/js"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	"aguiwasm/wasm/view/ui"
)

// heard are the events of the whole view; one function hears them all.
var heard = []string{"click", "keydown", "input", "change", "submit", "paste", "dragenter", "dragover", "dragleave",
	"drop",
	"compositionstart", "compositionend"}

func (v *View) listen() {
	v.handle = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) > 0 && !v.dead {
			v.guard(func() { v.event(args[0]) })
		}
		return nil
	})
	for _, name := range heard {
		v.root.Call("addEventListener", name, v.handle)
	}
	v.log.Call("addEventListener", "scroll", v.handle, map[string]any{"passive": true})
}

func (v *View) unlisten() {
	for _, name := range heard {
		v.root.Call("removeEventListener", name, v.handle)
	}
	v.log.Call("removeEventListener", "scroll", v.handle)
	v.handle.Release()
}

func (v *View) event(e js.Value) {
	target := e.Get("target")
	if !v.owns(target) {
		return // of what the page draws in our slots: its forms, files and data- attributes are its own
	}
	switch e.Get("type").String() {
	case "scroll":
		v.scroll.scrolled(v)
	case "click":
		if b := closest(target, "[data-do]"); b.Truthy() && !b.Get("disabled").Truthy() {
			data := b.Get("dataset")
			if data.Get("do").String() == "submit" {
				e.Call("preventDefault") // a frame that may not send forms would not tell of a submit
			}
			v.do(data.Get("do").String(), text(data.Get("id")), b)
		}
	case "keydown":
		v.key(e, target)
	case "compositionstart":
		v.composing = true
	case "compositionend":
		v.composing = false
	case "input":
		if target.Equal(v.input.Value) {
			v.written()
		}
	case "change":
		if target.Get("className").String() == "picker" {
			v.attach(target.Get("files"))
			target.Set("value", "")
		}
	case "submit":
		e.Call("preventDefault")
		// A card's button was clicked, also by Enter. One without a button for that, a yes or no, is not answered by
		// Enter.
		if !closest(target, ".card").Truthy() {
			v.send()
		}
	case "paste":
		if files := e.Get("clipboardData").Get("files"); v.frame.Attach && files.Truthy() && files.Length() > 0 {
			e.Call("preventDefault")
			v.attach(files)
		}
	case "dragenter", "dragover":
		if v.frame.Attach && carriesFiles(e) {
			e.Call("preventDefault")
			v.dropping(true)
		}
	case "dragleave":
		if to := e.Get("relatedTarget"); !to.Truthy() || !v.root.Call("contains", to).Bool() {
			v.dropping(false)
		}
	case "drop":
		v.dropping(false)
		if v.frame.Attach && carriesFiles(e) {
			e.Call("preventDefault")
			v.attach(e.Get("dataTransfer").Get("files"))
			focusOn(v.input.Value)
		}
	}
}

// owns reports whether an element is one of the chat's own: not one that the page put into a slot.
func (v *View) owns(el js.Value) bool {
	return el.Truthy() && (el.Equal(v.root.Value) || v.root.Call("contains", el).Bool())
}

// carriesFiles reports whether files hang at the pointer, not text of the page's.
func carriesFiles(e js.Value) bool {
	t := e.Get("dataTransfer")
	return t.Truthy() && t.Get("types").Call("includes", "Files").Bool()
}

func (v *View) dropping(on bool) {
	if v.frame.Drop != on {
		v.frame.Drop = on
		v.later()
	}
}

// key sends at Enter: never at one that confirms a composition. isComposing says so, but Safari ends the composition
// before it tells of the key; then the key code is 229.
func (v *View) key(e, target js.Value) {
	if id := target.Get("dataset"); id.Truthy() && text(id.Get("rewrite")) != "" && !v.composing &&
		!e.Get("isComposing").Bool() {
		switch key := e.Get("key").String(); {
		case key == "Escape":
			v.do("unwrite", text(id.Get("rewrite")), target)
		case key == "Enter" && !e.Get("shiftKey").Bool() && e.Get("keyCode").Int() != 229:
			e.Call("preventDefault")
			v.do("rewritten", text(id.Get("rewrite")), target)
		}
		return
	}
	if !target.Equal(v.input.Value) {
		return
	}
	if e.Get("key").String() == "Escape" && v.chat.Run.Active && !v.composing && !e.Get("isComposing").Bool() {
		v.src.Stop()
		return
	}
	if e.Get("key").String() != "Enter" {
		return
	}
	if v.composing || e.Get("isComposing").Bool() || e.Get("keyCode").Int() == 229 {
		return
	}
	if e.Get("shiftKey").Bool() || e.Get("ctrlKey").Bool() || e.Get("altKey").Bool() || e.Get("metaKey").Bool() {
		return
	}
	e.Call("preventDefault")
	v.send()
}

// written hears that the words changed.
func (v *View) written() {
	has := strings.TrimSpace(v.input.Get("value").String()) != ""
	if has != v.frame.Text || v.frame.Problem != "" {
		v.frame.Text = has
		v.frame.Problem = ""
		v.later()
	}
	v.grow()
}

// grow fits the input to its words where the browser does not do so itself.
func (v *View) grow() {
	if fitsItself() {
		return
	}
	style := v.input.Get("style")
	style.Call("setProperty", "height", "auto")
	style.Call("setProperty", "height", strconv.Itoa(v.input.Get("scrollHeight").Int())+"px")
}

var fits = js.Undefined()

func fitsItself() bool {
	if fits.IsUndefined() {
		fits = js.ValueOf(js.Global().Get("CSS").Call("supports", "field-sizing", "content").Truthy())
	}
	return fits.Bool()
}

func (v *View) send() {
	words := v.input.Get("value").String()
	if v.asked || (strings.TrimSpace(words) == "" && len(v.frame.Files) == 0) {
		return
	}
	var ids []string
	for _, f := range v.frame.Files {
		ids = append(ids, f.ID)
	}
	v.input.Set("value", "")
	v.frame.Files, v.frame.Text, v.frame.Problem = nil, false, ""
	v.grow()
	v.scroll.jump(v)
	v.src.Send(words, ids)
	focusOn(v.input.Value)
}

// do does what a button says.
func (v *View) do(what, id string, at js.Value) {
	switch what {
	case "send":
		v.send()
	case "stop":
		v.src.Stop()
		focusOn(v.input.Value)
	case "retry":
		v.src.Retry()
		focusOn(v.input.Value)
	case "reconnect":
		v.src.Reconnect()
		focusOn(v.input.Value)
	case "unqueue":
		v.src.Unqueue(id)
		focusOn(v.input.Value)
	case "leave":
		v.src.Dismiss(id)
		focusOn(v.input.Value)
	case "allow", "forbid":
		v.src.Approve(id, what == "allow")
		focusOn(v.input.Value)
	case "rewrite", "unwrite":
		before := v.ui.Editing
		v.ui.Editing = ""
		if what == "rewrite" {
			v.ui.Editing = id
		}
		v.chat.Redraw(before, id)
		v.guard(v.render)
		if area := v.root.Call("querySelector", "[data-rewrite]"); area.Truthy() {
			focusOn(area)
			end := area.Get("textLength")
			area.Call("setSelectionRange", end, end) // one goes on behind one's words
		} else {
			focusOn(v.input.Value)
		}
	case "rewritten":
		area := v.root.Call("querySelector", "[data-rewrite]")
		words := area.Get("value").String()
		if strings.TrimSpace(words) == "" {
			words = ""
		}
		if words != "" || !area.Get("required").Bool() {
			v.ui.Editing = ""
			v.chat.Redraw(id)
			v.scroll.jump(v)
			v.script.Call("rewrite", id, words)
			focusOn(v.input.Value)
		}
	case "again":
		v.script.Call("again", id)
		focusOn(v.input.Value)
	case "version":
		n, before, _ := strings.Cut(id, " ")
		v.script.Call("version", before, n)
		focusOn(v.input.Value)
	case "jump":
		v.scroll.jump(v)
		focusOn(v.log.Value)
	case "copy":
		if code := closest(at, ".code"); code.Truthy() {
			l := v.ui.Labels
			v.script.Call("copy", at, code.Call("querySelector", "pre").Get("textContent"), l.Get("copy"),
				l.Get("copied"), l.Get("copyFailed"))
		}
	case "own":
		n, message, _ := strings.Cut(id, " ")
		v.script.Call("own", at, message, n)
	case "copyMessage":
		l := v.ui.Labels
		v.script.Call("copyMessage", at, id, l.Get("copy"), l.Get("copied"), l.Get("copyFailed"))
	case "good", "bad":
		v.script.Call("feedback", id, v.ui.Rate(id, what))
		v.chat.Redraw(id)
		v.later()
	case "load":
		v.allowed[id] = true
		v.ui.Loaded()
		v.later()
	case "more":
		v.ui.More(id)
		v.later()
	case "attach":
		v.find(".picker").Call("click")
	case "detach":
		v.script.Call("detach", id)
		for i, f := range v.frame.Files {
			if f.ID == id {
				v.frame.Files = append(v.frame.Files[:i:i], v.frame.Files[i+1:]...)
				break
			}
		}
		v.later()
		focusOn(v.input.Value)
	default:
		v.answer(what, id, at)
	}
}

// attach takes files, as far as the script's half does.
func (v *View) attach(files js.Value) {
	v.frame.Problem = ""
	for _, f := range model.Elements(text(v.script.Call("attach", files))) {
		get := func(key string) string {
			value, _ := rawjson.Get(f, key)
			if rawjson.KindOf(value) != rawjson.Str {
				return ""
			}
			return rawjson.String(value).Decode()
		}
		if problem := get("problem"); problem != "" {
			v.frame.Problem = v.ui.Labels.Fill(problem, get("name"))
			continue
		}
		v.frame.Files = append(v.frame.Files,
			ui.Attachment{ID: get("id"), Name: get("name"), Kind: get("kind"), Preview: get("preview")})
	}
	v.later()
}

// answer takes a decision about an interrupt; the last one sends them all.
func (v *View) answer(what, id string, at js.Value) {
	var in *model.Interrupt
	for i := range v.chat.Run.Interrupts {
		if v.chat.Run.Interrupts[i].ID == id {
			in = &v.chat.Run.Interrupts[i]
			break
		}
	}
	if in == nil || v.chat.Run.Active {
		return
	}
	d := v.ui.Draft(id)
	d.Problems, d.BadEdit = nil, false
	card := closest(at, ".card")
	settle := func(status, payload string) {
		d.Done, d.Status, d.Payload = true, status, payload
	}
	switch what {
	case "edit":
		d.Editing = true
	case "reopen":
		d.Done = false
	case "cancel":
		settle("cancelled", "")
	case "no":
		if in.Schema == "" {
			settle("cancelled", "")
			break
		}
		form, _ := v.ui.Form(in).Answer(v.values(card, in)) // what is said to a no is welcome but not needed
		settle("resolved", ui.Decide(in, false, "", form))
	case "yes":
		edited := ""
		if area := card.Call("querySelector", "textarea[data-edit]"); d.Editing && area.Truthy() {
			edited = strings.TrimSpace(area.Get("value").String())
			if rawjson.Check(edited, 0) != nil {
				d.BadEdit = true
				break
			}
		}
		form, problems := v.ui.Form(in).Answer(v.values(card, in))
		if d.Problems = problems; len(problems) == 0 {
			settle("resolved", ui.Decide(in, true, edited, form))
		}
	case "submit":
		if ui.KindOf(in) != ui.Ask {
			return
		}
		payload, problems := v.ui.Form(in).Answer(v.values(card, in))
		if d.Problems = problems; len(problems) == 0 {
			settle("resolved", payload)
		}
	default:
		return
	}
	v.later()
	if entries := v.ui.Answers(); entries != "" {
		v.ui.Sent()
		v.scroll.jump(v)
		v.src.Resume(entries)
		return
	}
	v.guard(v.render) // so that what is next can be found
	next :=
		".card:not(.answered) input, .card:not(.answered) select, .card:not(.answered) textarea, .card:not(.answered) button"
	switch {
	case d.Editing && what == "edit":
		next = "textarea[data-edit]"
	case len(d.Problems) > 0 || d.BadEdit:
		next = ".card [aria-invalid]"
	}
	if el := v.root.Call("querySelector", next); el.Truthy() {
		focusOn(el)
	}
}

// values reads what the controls of a card hold.
func (v *View) values(card js.Value, in *model.Interrupt) []string {
	form := v.ui.Form(in)
	out := make([]string, len(form.Fields))
	controls := card.Call("querySelectorAll", "[data-field]")
	for i := range min(controls.Length(), len(out)) {
		c := controls.Index(i)
		if form.Fields[i].Input == model.CheckInput {
			if c.Get("checked").Bool() {
				out[i] = "true"
			}
			continue
		}
		out[i] = c.Get("value").String()
	}
	return out
}
