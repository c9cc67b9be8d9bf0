package session

import (
	"bytes"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/sse"
	"aguiwasm/wasm/batch"
)

// Response is what a server answered, as far as it decides over the run.
type Response struct {
	Status      int
	ContentType string // "" where absent
	URL         string
	// RetryAfter is the Retry-After header in seconds; it counts where HasRetryAfter.
	RetryAfter    float64
	HasRetryAfter bool
}

// Refuse gives the failure for a response that carries no event stream, with the body's start (see [MaxErrorBody]): a
// refused status, a wrong content type, or no body at all.
func Refuse(r Response, body string) *batch.Failure {
	f := &batch.Failure{URL: r.URL, Status: r.Status}
	switch verdict := sse.Judge(r.Status, r.ContentType); {
	case verdict == sse.BadStatus:
		f.Code = agui.CodeHTTPStatus
		f.Message = "the server answered with status " + strconv.Itoa(r.Status)
		if words := agui.ServerWords(body, "error", "message", "detail", "errorText"); words != "" {
			f.Message += ": " + words
		}
		f.Payload = batch.PayloadOf(body, sse.IsJSON(r.ContentType))
		f.RetryAfter, f.HasRetryAfter = r.RetryAfter, r.HasRetryAfter
	case verdict == sse.Empty || blank([]byte(body)):
		f.Code = agui.CodeIncompleteStream
		f.Message = "the server answered without any event"
	default:
		f.Code = agui.CodeBadContentType
		f.Message = "expected an event stream (text/event-stream), got " + named(r.ContentType)
		f.Payload = batch.PayloadOf(body, sse.IsJSON(r.ContentType))
	}
	return f
}

// MaxErrorBody is how many bytes of a body are read for an error's payload.
const MaxErrorBody = 64 << 10

// notAStream is the failure for a body whose type says nothing and whose beginning is not an event stream.
func notAStream(start string) *batch.Failure {
	if len(start) > MaxErrorBody {
		start = start[:MaxErrorBody]
	}
	start = strings.ToValidUTF8(start, "\uFFFD")
	return &batch.Failure{
		Code:    agui.CodeBadContentType,
		Message: "expected an event stream (text/event-stream); the body's type does not say what it is, and it does not begin like one",
		Payload: batch.PayloadOf(start, false),
	}
}

func named(contentType string) string {
	if contentType == "" {
		return "no content type"
	}
	if len(contentType) > 200 {
		contentType = strings.ToValidUTF8(contentType[:200], "") + "…"
	}
	return contentType
}

// blank reports whether a body holds nothing but white space and a byte order mark.
func blank(body []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))) == 0
}

// size says a number of bytes for a person.
func size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + " MiB"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n) + " bytes"
}
