package batch

import (
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// Failure is the error that ends a run, with what the wire knew of it. It becomes JavaScript's AGUIError; a field that
// is empty is left out there.
type Failure struct {
	Code    agui.Code
	Message string
	// Event is the event at fault, raw.
	Event agui.JSON
	// Status is the HTTP status.
	Status int
	// Payload is the body, or its start: raw JSON where it is JSON, else a JSON string.
	Payload agui.JSON
	// URL is where the request went.
	URL string
	// RetryAfter is how many seconds the server asks to wait; it counts where HasRetryAfter.
	RetryAfter    float64
	HasRetryAfter bool
	// LastEventID is the last SSE id that the stream gave.
	LastEventID string
}

// FailureOf makes a Failure of any error; one that is no [agui.Error] is internal.
func FailureOf(err error) *Failure {
	if e, ok := err.(*agui.Error); ok {
		return &Failure{Code: e.Code, Message: e.Message, Event: e.Event}
	}
	return &Failure{Code: agui.CodeInternal, Message: err.Error()}
}

// AppendJSON appends the failure as a JSON object.
func (f *Failure) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = rawjson.AppendQuote(dst, string(f.Code))
	dst = append(dst, `,"message":`...)
	message := f.Message
	if f.Code != agui.CodeRunError { // an agent's own words stay
		message = sentence(message)
	}
	dst = rawjson.AppendQuote(dst, message)
	if f.Event != "" {
		dst = append(append(dst, `,"event":`...), f.Event...)
	}
	if f.Status != 0 {
		dst = append(dst, `,"status":`...)
		dst = strconv.AppendInt(dst, int64(f.Status), 10)
	}
	if f.Payload != "" {
		dst = append(append(dst, `,"payload":`...), f.Payload...)
	}
	if f.URL != "" {
		dst = append(dst, `,"url":`...)
		dst = rawjson.AppendQuote(dst, f.URL)
	}
	if f.HasRetryAfter {
		dst = append(dst, `,"retryAfter":`...)
		dst = strconv.AppendFloat(dst, f.RetryAfter, 'f', -1, 64)
	}
	if f.LastEventID != "" {
		dst = append(dst, `,"lastEventId":`...)
		dst = rawjson.AppendQuote(dst, f.LastEventID)
	}
	return append(dst, '}')
}

// sentence makes a sentence of a message: it begins with a capital, and a field that it begins with is called one.
func sentence(message string) string {
	if message == "" || message[0] < 'a' || message[0] > 'z' {
		return message
	}
	path, _, found := strings.Cut(message, " must be ")
	if found && path != "it" && !strings.ContainsAny(path, " \t\r\n") && isPath(path) {
		return "The field " + message
	}
	return string(message[0]-'a'+'A') + message[1:]
}

// isPath reports whether a text is a word, or a word with a path behind it.
func isPath(text string) bool {
	for _, c := range text {
		if c == '.' || c == '[' {
			return true
		}
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// PayloadOf gives a body as a payload: as it is where it is whole JSON of a kind that structures data (or of any kind
// where isJSON says so), else as a JSON string. An empty body gives "".
func PayloadOf(body string, isJSON bool) agui.JSON {
	if body == "" {
		return ""
	}
	if rawjson.Check(body, rawjson.MaxDepth) == nil {
		if k := rawjson.KindOf(body); isJSON || k == rawjson.Object || k == rawjson.Array {
			return body
		}
	}
	return string(rawjson.Quote(body))
}
