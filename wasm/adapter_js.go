//go:build js && wasm

package main

import (
	"strings"
	"syscall/js"

	"aguiwasm/state/rejoin"
)

// adapter makes a dialect of an object of the page's. What a function of it throws counts as nothing; the page's console has it.
func adapter(object js.Value) *rejoin.Dialect {
	d := &rejoin.Dialect{Name: "page", Shape: shapeOf(text(object.Get("shape")))}
	has := func(name string) bool { return object.Get(name).Type() == js.TypeFunction }
	if d.Shape == rejoin.ByCursor {
		d.Cursor = func(data, id string) (string, string) {
			if !has("cursor") {
				return id, data
			}
			cursor := call(object, "cursor", data, id)
			return text(cursor), data
		}
	}
	if has("compare") {
		d.Compare = func(a, b string) int { return int(number(call(object, "compare", a, b))) }
	}
	request := func(name string) func(rejoin.Context) (rejoin.Request, bool) {
		if !has(name) {
			return nil
		}
		return func(c rejoin.Context) (rejoin.Request, bool) {
			q := call(object, name, contextOf(c))
			if q.Type() != js.TypeObject || text(q.Get("url")) == "" {
				return rejoin.Request{}, false
			}
			out := rejoin.Request{Method: "GET", URL: text(q.Get("url")), Body: text(q.Get("body")), Shape: d.Shape}
			if m := text(q.Get("method")); m != "" {
				out.Method = strings.ToUpper(m)
			}
			if s := text(q.Get("shape")); s != "" {
				out.Shape = shapeOf(s)
			}
			if h := q.Get("headers"); h.Type() == js.TypeObject {
				keys := js.Global().Get("Object").Call("keys", h)
				for i := range keys.Length() {
					name := keys.Index(i).String()
					out.Headers = append(out.Headers, [2]string{name, text(h.Get(name))})
				}
			}
			return out, true
		}
	}
	d.Attach, d.Load, d.Stop = request("attach"), request("load"), request("stop")
	return d
}

func shapeOf(name string) rejoin.Shape {
	switch name {
	case "replay":
		return rejoin.ByReplay
	case "snapshot":
		return rejoin.BySnapshot
	}
	return rejoin.ByCursor
}

func contextOf(c rejoin.Context) js.Value {
	o := js.Global().Get("Object").New()
	o.Set("url", c.URL)
	o.Set("threadId", c.ThreadID)
	o.Set("body", c.Body)
	for key, value := range map[string]string{"runId": c.RunID, "cursor": c.Cursor, "agentId": c.AgentID} {
		if value == "" {
			o.Set(key, js.Null())
			continue
		}
		o.Set(key, value)
	}
	o.Set("why", [...]string{"cut", "reload", "join"}[c.Why])
	return o
}

// call calls a function of the page's. host.guard catches what it throws: an exception must not go through Go's frames.
func call(object js.Value, name string, args ...any) js.Value {
	return host.Call("guard", append([]any{object, name}, args...)...)
}
