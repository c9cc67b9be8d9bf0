package rejoin

import (
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
)

// Shape says how the events of a leg are placed.
type Shape int

// The shapes.
const (
	// ByCursor: the server goes on after a cursor.
	ByCursor Shape = iota
	// ByReplay: the server sends the run, or the thread's runs, again.
	ByReplay
	// BySnapshot: the server sends the messages that it has, then the rest of the stream.
	BySnapshot
)

// Why says what a request is for.
type Why int

// The reasons.
const (
	// Cut: the connection of a run that this page reads broke.
	Cut Why = iota
	// Reload: the page was loaded anew and knows the run, perhaps with a cursor.
	Reload
	// Join: the page knows at most the thread.
	Join
)

// Context is what a dialect makes its requests of.
type Context struct {
	// URL is where the run's POST goes.
	URL string
	// ThreadID and RunID are those that the server answered, or else those that were asked. RunID may be "".
	ThreadID, RunID string
	// AgentID names the agent on the server, where the dialect needs it; "" is what the URL says.
	AgentID string
	// Cursor is the last event's that was handed out; "" is none.
	Cursor string
	// Body is the first request's, byte for byte; "" where this page sent none.
	Body string
	Why  Why
}

// Request is one that a dialect asks for. Headers come beside the run's own.
type Request struct {
	Method, URL, Body string
	Headers           [][2]string
	Shape             Shape
}

// Dialect is how a server lets a client come back to a run. Functions that are nil say: this server cannot.
type Dialect struct {
	Name  string
	Shape Shape
	// Cursor gives an event's cursor and the event's data without what belongs to the dialect alone. id is the frame's
	// own.
	Cursor func(data, id string) (cursor, clean string)
	// Compare orders two cursors of one run; nil: they are opaque.
	Compare func(a, b string) int
	// Same says that an event that is sent again has the same bytes, so that other bytes under a known cursor are
	// another run's.
	Same bool
	// GoesOn says of a terminal event that the run goes on after it.
	GoesOn func(data string) bool
	// First gives the headers and the body of the POST that starts a run.
	First func(c Context) (body string, headers [][2]string)
	// Attach gives the request that reads the rest of a run. It never gives one that could start a run.
	Attach func(c Context) (Request, bool)
	// Load gives the request that reads a thread.
	Load func(c Context) (Request, bool)
	// LoadsJSON says that Load's answer is one JSON object: {messages, activeRun, interrupts}.
	LoadsJSON bool
	// Stop gives the request that stops a run on the server.
	Stop func(c Context) (Request, bool)
}

// Named gives the dialect that the option reconnect names.
func Named(name string) (*Dialect, bool) {
	switch name {
	case "sse-id":
		return &sseID, true
	case "tanstack":
		return &tanstack, true
	case "agno":
		return &agno, true
	case "copilotkit":
		return &copilotkit, true
	case "hydrate":
		return &hydrate, true
	}
	return nil, false
}

func byID(data, id string) (string, string) { return id, data }

// sseID sends the first request again with Last-Event-ID; it is asked for by name, so that is the page's consent.
var sseID = Dialect{
	Name: "sse-id", Shape: ByCursor, Cursor: byID, Same: true, GoesOn: wantsTools,
	Attach: func(c Context) (Request, bool) {
		return Request{Method: "POST", URL: c.URL, Body: c.Body, Headers: [][2]string{{"Last-Event-ID", c.Cursor}}},
			c.Cursor != "" && c.Body != ""
	},
}

// wantsTools reports whether a RUN_FINISHED ends a turn of an agent's loop: it called tools of the server's, and goes
// on.
func wantsTools(data string) bool {
	outcome, _ := rawjson.Get(data, "outcome")
	if rawjson.KindOf(outcome) == rawjson.Object && member(outcome, "type") == "interrupt" {
		return false // the page's tools are asked, not the server's
	}
	own := data
	for _, key := range [...]string{"metadata", "tanstack"} {
		if own, _ = rawjson.Get(own, key); rawjson.KindOf(own) != rawjson.Object {
			return member(data, "finishReason") == "tool_calls"
		}
	}
	return member(own, "finishReason") == "tool_calls"
}

// tanstack comes back with GET, which never starts a run.
var tanstack = Dialect{
	Name: "tanstack", Shape: ByCursor, Cursor: byID, Same: true, GoesOn: wantsTools, LoadsJSON: true,
	First: func(c Context) (string, [][2]string) { return c.Body, [][2]string{{"X-Run-Id", c.RunID}} },
	Attach: func(c Context) (Request, bool) {
		offset := c.Cursor
		if offset == "" {
			offset = "-1"
		}
		return Request{Method: "GET", URL: withQuery(c.URL, "runId", c.RunID, "offset", offset)},
			c.RunID != "" && (c.Cursor != "" || c.Why != Cut)
	},
	Load: func(c Context) (Request, bool) {
		return Request{Method: "GET", URL: withQuery(c.URL, "threadId", c.ThreadID)}, c.ThreadID != ""
	},
}

// marker is the member of metadata and of forwardedProps that agno's background runs use.
const marker = "agnoBackground"

// Marked reports whether an event carries agno's marker: that is proof enough that its run can be read again.
func Marked(data string) bool {
	_, ok := agnoMarker(data)
	return ok
}

func agnoMarker(data string) (string, bool) {
	metadata, ok := rawjson.Get(data, "metadata")
	if !ok || rawjson.KindOf(metadata) != rawjson.Object {
		return "", false
	}
	m, ok := rawjson.Get(metadata, marker)
	return m, ok && rawjson.KindOf(m) == rawjson.Object
}

var agno = Dialect{
	Name: "agno", Shape: ByCursor,
	Cursor: func(data, _ string) (string, string) {
		m, ok := agnoMarker(data)
		if !ok {
			return "", data
		}
		event, _ := rawjson.Get(m, "eventIndex")
		sub, _ := rawjson.Get(m, "subIndex")
		clean := rawjson.Edit(data, func(key rawjson.String, value string) (string, bool) {
			if !key.Is("metadata") {
				return value, true
			}
			value = rawjson.Edit(value, func(key rawjson.String, v string) (string, bool) { return v, !key.Is(marker) })
			return value, value != "{}"
		})
		if _, ok := number(event); !ok {
			return "", clean
		}
		return event + "," + sub, clean
	},
	Compare: func(a, b string) int {
		a1, a2, _ := strings.Cut(a, ",")
		b1, b2, _ := strings.Cut(b, ",")
		if a1 != b1 {
			a2, b2 = a1, b1
		}
		x, _ := number(a2)
		y, _ := number(b2)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	},
	First: func(c Context) (string, [][2]string) { return withMarker(c.Body, `{"enabled":true}`), nil },
	Attach: func(c Context) (Request, bool) {
		if c.Cursor == "" || c.Body == "" {
			// Without the marker the same POST would run again; /reattach only reads.
			body := rawjson.Set(`{}`, "thread_id", quote(c.ThreadID))
			if c.RunID != "" {
				body = rawjson.Set(body, "run_id", quote(c.RunID))
			}
			return Request{Method: "POST", URL: under(c.URL, "reattach"), Body: body, Shape: BySnapshot},
				c.ThreadID != ""
		}
		event, sub, _ := strings.Cut(c.Cursor, ",")
		if sub == "" {
			sub = "0"
		}
		return Request{Method: "POST", URL: c.URL,
			Body: withMarker(c.Body, `{"enabled":true,"lastEventIndex":`+event+`,"lastSubIndex":`+sub+`}`)}, true
	},
	Stop: func(c Context) (Request, bool) {
		return Request{Method: "POST",
				URL: beside(c.URL, "agents/"+escape(c.AgentID)+"/runs/"+escape(c.RunID)+"/cancel")},
			c.AgentID != "" && c.RunID != ""
	},
}

func withMarker(body, value string) string {
	props, _ := rawjson.Get(body, "forwardedProps")
	if rawjson.KindOf(props) != rawjson.Object {
		props = "{}"
	}
	return rawjson.Set(body, "forwardedProps", rawjson.Set(props, marker, value))
}

// copilotkit reads a thread by POST /connect, which never starts a run.
var copilotkit = Dialect{
	Name: "copilotkit", Shape: ByReplay,
	Attach: connect,
	Load:   connect,
	Stop: func(c Context) (Request, bool) {
		body := "{}"
		if c.RunID != "" {
			body = rawjson.Set(body, "runId", quote(c.RunID)) // a late stop would kill the next run
		}
		base, agent, single := route(c)
		if single {
			params := rawjson.Set(rawjson.Set(`{}`, "agentId", quote(agent)), "threadId", quote(c.ThreadID))
			return Request{Method: "POST", URL: base, Body: `{"method":"agent/stop","params":` + params + `,"body":` +
				body + `}`}, true
		}
		return Request{Method: "POST", URL: base + "/agent/" + agent + "/stop/" + escape(c.ThreadID), Body: body},
			c.ThreadID != ""
	},
}

func connect(c Context) (Request, bool) {
	body := c.Body
	if body == "" {
		body = `{"threadId":` + quote(c.ThreadID) + `,"runId":` + quote(c.RunID) +
			`,"state":{},"messages":[],"tools":[],"context":[],"forwardedProps":{}}`
	}
	base, agent, single := route(c)
	if single {
		return Request{Method: "POST", URL: base, Shape: ByReplay,
			Body: `{"method":"agent/connect","params":{"agentId":` + quote(agent) + `},"body":` + body + `}`}, true
	}
	return Request{Method: "POST", URL: base + "/agent/" + agent + "/connect", Body: body, Shape: ByReplay}, true
}

// route takes a run's URL apart. single says that all calls go to one URL; agent is escaped unless it is.
func route(c Context) (base, agent string, single bool) {
	at, query, _ := strings.Cut(c.URL, "?")
	_ = query // a run's query is not the other routes'
	if rest, ok := strings.CutSuffix(at, "/run"); ok {
		if i := strings.LastIndex(rest, "/agent/"); i >= 0 {
			return rest[:i], rest[i+len("/agent/"):], false
		}
	}
	if c.AgentID == "" {
		return c.URL, "default", true
	}
	return c.URL, c.AgentID, true
}

// hydrate loads a thread by a POST without messages. Where a server does not know it, the same request runs the agent:
// it is asked only where the page named it, and never to come back to a run.
var hydrate = Dialect{
	Name: "hydrate", Shape: BySnapshot,
	Load: func(c Context) (Request, bool) {
		return Request{Method: "POST", URL: c.URL, Body: `{"threadId":` + quote(c.ThreadID) + `,"messages":[]}`,
				Shape: BySnapshot},
			c.ThreadID != ""
	},
}

func quote(s string) string { return string(rawjson.Quote(s)) }

func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func withQuery(address string, pairs ...string) string {
	address, fragment, has := strings.Cut(address, "#")
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	for i := 0; i < len(pairs); i += 2 {
		address += sep + pairs[i] + "=" + escape(pairs[i+1])
		sep = "&"
	}
	if has {
		address += "#" + fragment
	}
	return address
}

// under puts a step below the URL's path; beside puts steps in place of its last one.
func under(address, step string) string {
	path, query, has := strings.Cut(address, "?")
	path = strings.TrimSuffix(path, "/") + "/" + step
	if has {
		path += "?" + query
	}
	return path
}

func beside(address, steps string) string {
	path, _, _ := strings.Cut(address, "?")
	path = strings.TrimSuffix(path, "/")
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		path = path[:i]
	}
	return path + "/" + steps
}

// escape writes a text as one step of a URL's path or one value of its query (RFC 3986: all but unreserved characters).
func escape(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
