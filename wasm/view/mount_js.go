//go:build js && wasm

package view

import (
	"syscall/js"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state/thread"
	"aguiwasm/wasm/view/model"
)

// scriptSource is the agent behind the script's half of the view (web/js/view/view.js).
type scriptSource struct{ script js.Value }

func (s scriptSource) Pull() string          { return text(s.script.Call("pull")) }
func (s scriptSource) Stop()                 { s.script.Call("stop") }
func (s scriptSource) Retry()                { s.script.Call("retry") }
func (s scriptSource) Reconnect()            { s.script.Call("reconnect") }
func (s scriptSource) Resume(entries string) { s.script.Call("resume", entries) }

func (s scriptSource) Unqueue(id string) { s.script.Call("unqueue", id) }
func (s scriptSource) Dismiss(id string) { s.script.Call("dismiss", id) }

func (s scriptSource) Approve(id string, yes bool) { s.script.Call("approve", id, yes) }

func (s scriptSource) Send(words string, files []string) {
	list := make([]any, len(files))
	for i, f := range files {
		list[i] = f
	}
	s.script.Call("send", words, list)
}

func (s scriptSource) Draw(kind, name, id, status string) bool {
	return s.script.Call("draw", kind, name, id, status).Truthy()
}

func (s scriptSource) Blob(mime, base64 string) string {
	return text(s.script.Call("blob", mime, base64))
}

var (
	views  = map[int]*View{}
	lastID int
)

// Register puts the view's functions on the host object that the script calls Go through:
//
//	viewOpen(host, script, options) id   draws a view in host\'s shadow root. A text is a failure
//	viewLabels() names                   the labels' names, a string[] as JSON
//	viewChanged(id, accept)              something changed: a frame will pull it. accept, if given: which files may be
//	                                     sent, as a file input has it; null is none
//	viewClose(id)                        takes it away
//
// options: lang, labels; tools, activities and codes (the names that the page draws itself), math, remoteImages,
// attach, actions.
func Register(host js.Value) {
	host.Set("viewOpen", js.FuncOf(func(_ js.Value, args []js.Value) (answer any) {
		defer func() {
			if r := recover(); r != nil {
				answer = say(r)
			}
		}()
		v := open(args[0], scriptSource{args[1]}, args[1], args[2])
		lastID++
		views[lastID] = v
		v.guard(v.render) // now: nothing is drawn between what stood there and the conversation
		return lastID
	}))
	host.Set("viewLabels", js.FuncOf(func(js.Value, []js.Value) any { return model.LabelNames() }))
	host.Set("viewChanged", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if v := views[args[0].Int()]; v != nil {
			if len(args) > 1 {
				v.frame.Attach, v.frame.Accept = !args[1].IsNull(), text(args[1])
			}
			v.guard(v.later)
		}
		return nil
	}))
	host.Set("viewClose", js.FuncOf(func(_ js.Value, args []js.Value) any {
		id := args[0].Int()
		if v := views[id]; v != nil {
			delete(views, id)
			v.guard(v.close)
		}
		return nil
	}))
}

// text gives a JavaScript string, or "".
func text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// names reads an array of strings.
func names(v js.Value) map[string]bool {
	out := map[string]bool{}
	if v.Truthy() {
		for i := range v.Length() {
			out[v.Index(i).String()] = true
		}
	}
	return out
}

// labels reads an object of strings, given as JSON text.
func labels(v js.Value) map[string]string {
	out := map[string]string{}
	for _, m := range model.Members(text(v)) {
		if rawjson.KindOf(m.Value) == rawjson.Str {
			out[m.Key.Decode()] = rawjson.String(m.Value).Decode()
		}
	}
	return out
}

func now() float64 { return js.Global().Get("performance").Call("now").Float() }

// expired reports whether an interrupt's expiresAt has passed, as the thread judges it when it is answered.
func expired(at string) bool {
	return thread.Expired(agui.Interrupt{ExpiresAt: at}, int64(js.Global().Get("Date").Call("now").Float()))
}

// when says an interrupt's expiresAt in the view's language and the reader's time zone.
func (v *View) when(at string) string {
	ms, ok := thread.ParseTime(at)
	if !ok {
		return at
	}
	t := js.Global().Get("Date").New(float64(ms))
	var lang any
	if v.frame.Lang != "" {
		lang = v.frame.Lang
	}
	return localTime(t, lang)
}

// hostOf gives the host that an address leads to from the page; "" is the page's own.
func (v *View) hostOf(address string) (host string) {
	defer func() {
		if recover() != nil {
			host = "?" // no address: nothing will be asked
		}
	}()
	base := ofDocument(v.document, "baseURI")
	host = js.Global().Get("URL").New(address, base).Get("host").String()
	if host == js.Global().Get("URL").New(base).Get("host").String() {
		return ""
	}
	return host
}

// localTime says a time as a language does, or, where the browser knows no such language, as the browser's.
func localTime(t js.Value, lang any) (said string) {
	defer func() {
		if recover() != nil {
			said = t.Call("toLocaleString").String()
		}
	}()
	return t.Call("toLocaleString", lang).String()
}

// ofDocument reads a member of a document past what its elements name: see web/js/core/dom.js.
func ofDocument(document js.Value, name string) js.Value {
	return js.Global().Get("Reflect").Call("get", js.Global().Get("Document").Get("prototype"), name, document)
}

func closest(el js.Value, selector string) js.Value {
	if !el.Truthy() || el.Get("closest").Type() != js.TypeFunction {
		return js.Null()
	}
	return el.Call("closest", selector)
}

// report hands what was panicked with to the page as an uncaught error.
func report(r any) {
	defer func() { _ = recover() }() // there is nobody left to tell
	if e, ok := r.(js.Error); ok {
		js.Global().Call("reportError", e.Value)
		return
	}
	js.Global().Call("reportError", js.Global().Get("Error").New("agui view: "+say(r)))
}

func say(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return "unknown"
}
