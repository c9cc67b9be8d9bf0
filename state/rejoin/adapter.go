package rejoin

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
)

// Adapter makes a dialect of functions that somebody else has. said is {"shape": "cursor", "replay" or "snapshot",
// "has": [names of functions]}; call calls one of them, and gives "" where it gave nothing or failed:
//
//	cursor(data, id)  the event's cursor
//	compare(a, b)     a number below, above or equal to 0
//	attach, load, stop(context)  {"url", "method"?, "body"?, "headers"?: {name: value}, "shape"?}
//
// context is what [Context] has.
//
// attach is asked for each further connection, load for the first one of a join, stop for the request that ends the
// run.
func Adapter(said string, call func(name string, args ...string) string) *Dialect {
	shape, _ := rawjson.Get(said, "shape")
	names, _ := rawjson.Get(said, "has")
	var has []string
	for _, v := range rawjson.Elements(names) {
		has = append(has, str(v))
	}
	d := &Dialect{Name: "page", Shape: shapeOf(str(shape))}
	if d.Shape == ByCursor {
		d.Cursor = func(data, id string) (string, string) {
			if !slices.Contains(has, "cursor") {
				return id, data
			}
			return call("cursor", data, id), data
		}
	}
	if slices.Contains(has, "compare") {
		d.Compare = func(a, b string) int {
			n, _ := strconv.ParseFloat(call("compare", a, b), 64)
			switch {
			case n < 0:
				return -1
			case n > 0:
				return 1
			}
			return 0
		}
	}
	request := func(name string) func(Context) (Request, bool) {
		if !slices.Contains(has, name) {
			return nil
		}
		return func(c Context) (Request, bool) { return readRequest(call(name, c.json()), d.Shape) }
	}
	d.Attach, d.Load, d.Stop = request("attach"), request("load"), request("stop")
	return d
}

func shapeOf(name string) Shape {
	switch name {
	case "replay":
		return ByReplay
	case "snapshot":
		return BySnapshot
	}
	return ByCursor
}

func readRequest(text string, shape Shape) (Request, bool) {
	q := Request{Method: "GET", Shape: shape}
	for key, v := range rawjson.Members(text) {
		switch key.Decode() {
		case "url":
			q.URL = str(v)
		case "body":
			q.Body = str(v)
		case "method":
			if m := str(v); m != "" {
				q.Method = strings.ToUpper(m)
			}
		case "shape":
			if s := str(v); s != "" {
				q.Shape = shapeOf(s)
			}
		case "headers":
			for name, value := range rawjson.Members(v) {
				q.Headers = append(q.Headers, [2]string{name.Decode(), str(value)})
			}
		}
	}
	return q, q.URL != ""
}

// json writes what a request is made of; what is not known is null.
func (c Context) json() string {
	dst := []byte(`{"why":"` + [...]string{"cut", "reload", "join"}[c.Why] + `"`)
	for _, m := range [...][2]string{{"url", c.URL}, {"threadId", c.ThreadID}, {"body", c.Body}} {
		dst = rawjson.AppendQuote(append(dst, `,"`+m[0]+`":`...), m[1])
	}
	for _, m := range [...][2]string{{"runId", c.RunID}, {"cursor", c.Cursor}, {"agentId", c.AgentID}} {
		dst = append(dst, `,"`+m[0]+`":`...)
		if m[1] == "" {
			dst = append(dst, "null"...)
			continue
		}
		dst = rawjson.AppendQuote(dst, m[1])
	}
	return string(append(dst, '}'))
}

// str gives a string's text; anything else is "".
func str(v string) string {
	if rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	return rawjson.String(v).Decode()
}
