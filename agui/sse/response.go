package sse

import (
	"bytes"
	"strings"
)

// Verdict says what to do with a response.
type Verdict int

// The verdicts.
const (
	// Stream: the body is an event stream.
	Stream Verdict = iota
	// Look: the type says nothing; the body's beginning decides ([Sniff]).
	Look
	// BadType: the body is something else; an empty one is an incomplete stream all the same.
	BadType
	// BadStatus: the server refused the request.
	BadStatus
	// Empty: there is no body by definition (204, 205).
	Empty
	// Protobuf: the body is a row of messages in the protocol's second encoding (package proto).
	Protobuf
)

// Judge says what to do with a response, by its status and its Content-Type ("" where absent).
func Judge(status int, contentType string) Verdict {
	if status < 200 || status > 299 {
		return BadStatus
	}
	if status == 204 || status == 205 {
		return Empty
	}
	switch essence(contentType) {
	case "text/event-stream":
		return Stream
	case "application/vnd.ag-ui.event+proto":
		return Protobuf
	case "", "text/plain", "application/octet-stream":
		return Look
	}
	return BadType
}

// IsJSON reports whether a Content-Type names JSON (application/json, or any type with the suffix +json).
func IsJSON(contentType string) bool {
	e := essence(contentType)
	return e == "application/json" || e == "text/json" || strings.HasSuffix(e, "+json")
}

// essence gives the type without its parameters, in lower case.
func essence(contentType string) string {
	e, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(e))
}

// Beginning is what Sniff knows of a body's beginning so far.
type Beginning int

// What a body's beginning can be.
const (
	Undecided Beginning = iota
	IsStream
	NoStream
)

var fields = [][]byte{[]byte("data"), []byte("event"), []byte("id"), []byte("retry")}

// Sniff says whether a body whose type says nothing begins like an event stream: after a byte order mark and blank
// lines a field name and then ":" or a line end, or a comment.
func Sniff(start []byte) Beginning {
	bom := []byte("\xEF\xBB\xBF")
	if len(start) < len(bom) && bytes.HasPrefix(bom, start) {
		return Undecided
	}
	start = bytes.TrimLeft(bytes.TrimPrefix(start, bom), "\r\n")
	if len(start) == 0 {
		return Undecided
	}
	if start[0] == ':' {
		return IsStream
	}
	for _, name := range fields {
		if len(start) <= len(name) {
			if bytes.HasPrefix(name, start) {
				return Undecided
			}
			continue
		}
		if c := start[len(name)]; bytes.HasPrefix(start, name) && (c == ':' || c == '\n' || c == '\r') {
			return IsStream
		}
	}
	return NoStream
}
