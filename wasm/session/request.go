package session

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/batch"
)

// Start is what JavaScript asks for when it begins a run. It comes as a line of JSON, with the run's input behind it.
type Start struct {
	// URL is where the request goes, Headers what it sends; Fetch says that there is one: other events come from the
	// page.
	URL     string
	Headers [][2]string
	Fetch   bool

	Mode            Mode
	Strict, DropRaw bool
	MaxEventBytes   int // 0: none was given
	// Thread is the handle of the conversation that the run belongs to; 0 is none.
	Thread int
	// Reconnect names a dialect, or is the raw JSON object that tells what the page's own adapter has; "" is neither.
	Reconnect, Adapter string
	AgentID            string
	Join               bool
	// At says where a run that is joined is gone on with, as JSON; "" is nowhere.
	At string
	// Input is the RunAgentInput, or a thread's parameters, as JSON.
	Input string
}

// ReadStart reads what JavaScript wrote. Its line is our own, so that nothing of it can be wrong.
func ReadStart(text string) (s Start) {
	line, input, _ := strings.Cut(text, "\n")
	s.Input = input
	for key, v := range rawjson.Members(line) {
		switch key.Decode() {
		case "url":
			s.URL = decoded(v)
		case "headers":
			s.Headers = ReadHeaders(v)
		case "fetch":
			s.Fetch = v == "true"
		case "mode":
			switch decoded(v) {
			case "raw":
				s.Mode = Raw
			case "stepped":
				s.Mode = Stepped
			}
		case "verify":
			s.Strict = decoded(v) == "strict"
		case "keepRaw":
			s.DropRaw = v == "false"
		case "maxEventBytes":
			// A limit below one byte is one of one byte: 0 would be the default.
			if n, err := strconv.ParseFloat(v, 64); err == nil && n > 0 {
				s.MaxEventBytes = int(min(max(n, 1), 1<<31))
			}
		case "thread":
			s.Thread, _ = strconv.Atoi(v)
		case "reconnect":
			if s.Reconnect = decoded(v); rawjson.KindOf(v) == rawjson.Object {
				s.Adapter = v
			}
		case "agentId":
			s.AgentID = decoded(v)
		case "join":
			s.Join = v == "true"
		case "at":
			s.At = v
		}
	}
	return s
}

// ReadHeaders reads an array of pairs.
func ReadHeaders(list string) (headers [][2]string) {
	for _, pair := range rawjson.Elements(list) {
		var h [2]string
		for i, part := range rawjson.Elements(pair) {
			if i < len(h) {
				h[i] = decoded(part)
			}
		}
		headers = append(headers, h)
	}
	return headers
}

// decoded gives a string's text; anything else is "".
func decoded(v string) string {
	if rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	return rawjson.String(v).Decode()
}

// Request is a request that JavaScript makes: its text is a line of JSON with all but the body, and the body behind it.
type Request struct {
	Method, URL string
	// Headers are all that are ours to say; a later one replaces an earlier one of its name.
	Headers [][2]string
	// Later marks another request of a run, which leads where the page did not send it itself.
	Later bool
}

// With gives a request more headers; one of a name that is there replaces it.
func (q *Request) With(headers [][2]string) {
	all := slices.Clone(q.Headers)
	for _, h := range headers {
		all = slices.DeleteFunc(all, func(old [2]string) bool { return strings.EqualFold(old[0], h[0]) })
		all = append(all, h)
	}
	q.Headers = all
}

// Fault says why a request with these headers cannot be made; nil: it can.
func (q *Request) Fault() *batch.Failure {
	for _, h := range q.Headers {
		if fault := HeaderFault(h[0], h[1]); fault != "" {
			return &batch.Failure{Code: agui.CodeBadInput, Message: "the request could not be made: " + fault,
				URL: q.URL}
		}
	}
	return nil
}

// Append appends the request's line; the body belongs behind it. A GET has no body, and says nothing of its type.
func (q *Request) Append(dst []byte) []byte {
	dst = rawjson.AppendQuote(append(dst, `{"method":`...), q.Method)
	dst = rawjson.AppendQuote(append(dst, `,"url":`...), q.URL)
	dst = append(dst, `,"headers":[`...)
	for _, h := range q.Headers {
		if q.Method == "GET" && strings.EqualFold(h[0], "Content-Type") {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuote(append(dst, '['), h[0])
		dst = rawjson.AppendQuote(append(dst, ','), h[1])
		dst = append(dst, ']')
	}
	dst = append(dst, ']')
	if q.Later {
		dst = append(dst, `,"later":true`...)
	}
	return append(dst, "}\n"...)
}
