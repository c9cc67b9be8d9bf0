//go:build js && wasm

package view

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	"aguiwasm/wasm/view/ui"
	"aguiwasm/wasm/view/vnode"
)

const (
	// firstRows is how many of the last entries are shown in the first frame, and moreRows how many earlier ones come
	// at a time.
	firstRows = 12
	moreRows  = 4
	// budget is how long one frame may work, in ms, before the rest waits for the next one.
	budget = 5.0
)

// View is one chat in the page.
type View struct {
	src      Source
	ui       *ui.UI
	chat     model.Conversation
	speech   model.Speech
	line     string // what was said of the run's connection
	frame    ui.Frame
	host     *dom.BasicElement
	root     *dom.BasicElement // the shadow root
	log      *dom.BasicElement
	live     *dom.BasicElement
	input    *dom.BasicElement
	document js.Value
	page     *patcher
	tree     *mounted
	layout   uint64

	script  js.Value // the script's half
	tick    js.Func  // an animation frame
	handle  js.Func  // an event
	waiting js.Value // the frame that was asked for; undefined: none

	scroll    scroll
	draws     []draw
	broken    map[string]bool // places that the page failed to draw
	remote    bool            // media is fetched unasked
	allowed   map[string]bool // addresses that a click allowed
	tools     map[string]bool
	actions   map[string]bool
	codes     map[string]bool // the languages of code that the page draws
	math      bool            // the page draws formulas
	composing bool
	runSeen   uint64
	first     bool // the first pull: what is there already is not read out
	asked     bool // questions were shown in the last frame
	dead      bool
}

// draw is what the page has to draw: a tool call or an activity as it stands, a formula or code as its text.
type draw struct{ kind, name, id, status string }

// open builds an empty view in host's shadow root, which the script has dressed. It takes over the frame that the
// script drew before the program came.
func open(host js.Value, src Source, script, options js.Value) *View {
	v := &View{
		src: src, script: script, host: wrap(host), document: host.Get("ownerDocument"),
		broken: map[string]bool{}, allowed: map[string]bool{}, tools: names(options.Get("tools")),
		actions: names(options.Get("activities")), codes: names(options.Get("codes")),
		math: options.Get("math").Truthy(), remote: options.Get("remoteImages").Truthy(), first: true,
	}
	lang := text(options.Get("lang"))
	acts := names(options.Get("actions"))
	v.chat.Actions = len(acts) > 0 || text(options.Get("own")) != "{}"
	v.frame = ui.Frame{Limit: firstRows, Attach: options.Get("attach").Truthy(), Lang: lang}
	v.ui = &ui.UI{
		Labels: model.LabelsFor(lang, labels(options.Get("labels"))), Chat: &v.chat, Blob: src.Blob, Acts: acts,
		Draws:  v.drawsOf,
		Remote: func(url string) bool { return v.remote || v.allowed[url] }, Custom: v.custom, Host: v.hostOf,
		Expired: expired, When: v.when,
	}
	for _, a := range model.Members(text(options.Get("own"))) {
		v.ui.Own = append(v.ui.Own, ui.Action{Label: a.Key.Decode(), Role: rawjson.String(a.Value).Decode()})
	}
	v.page = newPatcher(v.document)
	v.root = wrap(host.Get("shadowRoot"))
	v.build(v.ui.Root(&v.frame))
	v.tick = js.FuncOf(func(js.Value, []js.Value) any {
		v.guard(v.render)
		return nil
	})
	if v.input.Get("value").String() != "" {
		v.written()
	}
	return v
}

func (v *View) find(selector string) *dom.BasicElement {
	return wrap(v.root.Call("querySelector", selector))
}

// close takes the view out of the page and releases what it holds.
func (v *View) close() {
	if v.dead {
		return
	}
	v.dead = true
	v.unlisten()
	if v.waiting.Truthy() {
		js.Global().Call("cancelAnimationFrame", v.waiting)
	}
	v.tick.Release()
	v.tree.dom.Remove()
	v.tree, v.ui = nil, nil
}

// later asks for a frame, once.
func (v *View) later() {
	if v.dead || v.waiting.Truthy() {
		return
	}
	v.waiting = js.Global().Call("requestAnimationFrame", v.tick)
}

// render is one frame: it takes what happened and changes the page where it differs.
func (v *View) render() {
	v.waiting = js.Undefined()
	if v.dead {
		return
	}
	start := now()
	news := false
	if text := v.src.Pull(); text != "" {
		news = v.chat.Apply(text)
	}
	if v.layout != v.chat.Layout || v.chat.Run.Changed != v.seenRun() {
		v.layout = v.chat.Layout
		v.frame.Entries = v.chat.Timeline()
	}
	if v.first {
		v.first = v.chat.More
		for _, m := range v.chat.Messages() {
			v.speech.Known(m.ID, m.Shown())
		}
	}
	v.ui.Grow()
	v.patch()
	for v.frame.Limit < len(v.frame.Entries) && now()-start < budget {
		v.frame.Limit += moreRows
		v.patch()
	}
	if v.frame.Limit < len(v.frame.Entries) || v.chat.More {
		v.later()
	} else {
		if v.ui.Grows() {
			v.later()
		}
		v.frame.Limit = max(v.frame.Limit, len(v.frame.Entries)+firstRows) // those that come are shown at once
	}
	v.scroll.after(v, news)
	v.focus()
	if news {
		v.speak()
	}
	if line := v.chat.Run.Line; line != v.line {
		if v.line = line; line != "" {
			v.announce(v.ui.Labels.Fill(line, ""))
		}
	}
}

// patch brings the page up to the model, and lets the page draw its own places.
func (v *View) patch() {
	v.change(v.ui.Root(&v.frame))
	for _, d := range v.draws {
		if !v.src.Draw(d.kind, d.name, d.id, d.status) {
			v.broken[d.kind+d.id] = true
			v.ui.Redraw()
			v.later()
		}
	}
	v.draws = v.draws[:0]
}

// change makes the page show n. Where that fails, because something else took elements of ours away, all is made anew.
func (v *View) change(n *vnode.Node) {
	defer func() {
		if r := recover(); r != nil {
			report(r)
			v.ui.Anew()
			v.build(v.ui.Root(&v.frame))
		}
	}()
	v.tree = v.page.update(v.root, v.tree, n)
}

// build makes the page's tree, the first time of what stands there already.
func (v *View) build(n *vnode.Node) {
	early := v.root.Get("firstElementChild")
	if v.log != nil {
		v.unlisten()
		early = js.Null()
	}
	if v.tree = v.page.adopt(early, n); !early.Equal(v.tree.dom.Value) {
		v.root.Call("replaceChildren", v.tree.dom.Value)
	}
	v.log, v.live, v.input = v.find(".log"), v.find(".live"), v.find(".input")
	v.listen()
}

// custom reports whether the page draws this itself, and notes that it has to.
func (v *View) custom(kind, name, id string, status model.Status) bool {
	list := v.tools
	if kind == "activity" {
		list = v.actions
	}
	if !list[name] || v.broken[kind+id] {
		return false
	}
	v.draws = append(v.draws, draw{kind, name, id,
		[...]string{"preparing", "running", "done", "failed", "waiting", "stopped", "declined", "dismissed"}[status]})
	return true
}

// drawsOf reports whether the page draws this piece of a text itself, and notes that it has to.
func (v *View) drawsOf(kind, name, id, text string) bool {
	if on := kind == "math" && v.math || kind == "code" && v.codes[name]; !on || v.broken[kind+id] {
		return false
	}
	v.draws = append(v.draws, draw{kind, name, id, text})
	return true
}

// speak puts finished sentences into the live region.
func (v *View) speak() {
	list := v.chat.Messages()
	for _, m := range list[max(0, len(list)-20):] {
		if m.Role != "assistant" || m.Text == "" {
			continue
		}
		if said := v.speech.Next(m.ID, m.Shown(), m.Open); said != "" {
			v.announce(said)
		}
	}
}

// maxLive is how many sentences stay in the live region.
const maxLive = 12

func (v *View) announce(said string) {
	p := wrap(v.page.createElement.Invoke("p"))
	p.SetTextContent(valid(said))
	appendTo(v.live, p)
	if v.live.Get("childElementCount").Int() > maxLive {
		v.live.Get("firstElementChild").Call("remove")
	}
}

// focus keeps the keyboard where the person needs it: questions that come take it from the composer, and give it back.
func (v *View) focus() {
	asked := len(v.chat.Run.Interrupts) > 0 && !v.chat.Run.Active
	if asked == v.asked {
		return
	}
	v.asked = asked
	active := v.root.Get("activeElement")
	lost := !active.Truthy() && v.hadFocus()
	if !asked {
		v.scroll.follow(v)
		if lost {
			focusOn(v.input.Value)
		}
		return
	}
	first := v.root.Call("querySelector", ".card")
	if !first.Truthy() {
		return
	}
	v.scroll.show(v, first)
	// To the card, not into it: an Enter that was meant for the composer must not say yes.
	if lost || active.Equal(v.input.Value) {
		focusOn(first)
	}
}

// hadFocus reports whether nothing in the page holds the focus: it was in what is disabled or gone now.
func (v *View) hadFocus() bool {
	active := ofDocument(v.document, "activeElement")
	return !active.Truthy() || active.Equal(v.host.Value) || active.Equal(ofDocument(v.document, "body"))
}

func focusOn(el js.Value) { el.Call("focus", map[string]any{"preventScroll": true}) }

func (v *View) seenRun() uint64 {
	seen := v.runSeen
	v.runSeen = v.chat.Run.Changed
	return seen
}

// guard runs f and reports what it panics with, which is most often an exception of the page's: the view goes on.
func (v *View) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			report(r)
		}
	}()
	f()
}
