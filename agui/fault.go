package agui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
)

// excerptLimit is the most characters of an event that an error message shows.
const excerptLimit = 200

// fault says which field is malformed, what came and what was expected.
type fault struct {
	path string // such as messages[2].content
	got  JSON   // what came; "" is nothing
	want string // such as "a string"
	// unknownRole says that a message's role is none that the protocol knows (section 8 passes such a message over).
	unknownRole bool
	// lost says that what is malformed can be left out of the list it stands in, and the rest stands (section 6).
	lost bool
}

// under puts the fault below a parent: "messages[2]" + "content".
func (f *fault) under(parent string) *fault {
	if f != nil {
		switch {
		case f.path == "":
			f.path = parent
		case f.path[0] == '[':
			f.path = parent + f.path
		default:
			f.path = parent + "." + f.path
		}
	}
	return f
}

// at puts the fault into an array's element: [2] + "content".
func (f *fault) at(i int) *fault {
	if f != nil {
		f.under("[" + strconv.Itoa(i) + "]")
	}
	return f
}

// text tells the fault in one clause: `delta must be a string, but is a number (5)`.
func (f *fault) text() string {
	path := f.path
	if path == "" {
		path = "it"
	}
	if f.got == "" {
		return path + " must be " + f.want + ", but is missing"
	}
	kind := rawjson.KindOf(f.got)
	s := path + " must be " + f.want + ", but is " + kind.String()
	switch kind {
	case rawjson.Number, rawjson.Bool, rawjson.Str:
		s += " (" + excerpt(f.got, 40) + ")"
	}
	return s
}

// excerpt gives the start of text, at most n characters.
func excerpt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	i := 0
	for count := 0; i < len(text); count++ {
		if count == n-1 {
			if utf8.RuneCountInString(text[i:]) > 1 {
				return text[:i] + "…"
			}
			return text
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text
}

// badEvent makes the error for an event that is malformed. what is a clause such as fault.text gives.
func badEvent(what, data string) *Error {
	return &Error{Code: CodeBadEvent, Message: what + ": " + excerpt(data, excerptLimit-50), Event: eventJSON(data)}
}

// eventJSON gives data where it is JSON that may be handed on as the event at fault, or "".
func eventJSON(data string) JSON {
	if rawjson.Check(data, rawjson.MaxDepth) != nil {
		return ""
	}
	return strings.TrimSpace(data)
}

// oneOf lists values for a message: "developer", "system" or "user".
func oneOf(values ...string) string {
	var b strings.Builder
	for i, v := range values {
		switch {
		case i == 0:
		case i == len(values)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(v))
	}
	return b.String()
}

// The checks of a field's kind. In each, null counts as absent (section 8).

func absent(v JSON) bool { return v == "" || v == "null" }

func requireString(v JSON, path string) *fault {
	if rawjson.KindOf(v) != rawjson.Str {
		return &fault{path: path, got: v, want: "a string"}
	}
	return nil
}

func optionalString(v JSON, path string) *fault {
	if absent(v) {
		return nil
	}
	return requireString(v, path)
}

func optionalObject(v JSON, path string) *fault {
	if absent(v) || rawjson.KindOf(v) == rawjson.Object {
		return nil
	}
	return &fault{path: path, got: v, want: "an object"}
}

// firstFault gives the first fault that is one.
func firstFault(faults ...*fault) *fault {
	for _, f := range faults {
		if f != nil {
			return f
		}
	}
	return nil
}

// maxSafe is the largest integer that JavaScript holds exactly.
const maxSafe = 1<<53 - 1

// isInteger reports whether v is a number whose value is an integer that JavaScript holds exactly (1e3 and 1.0 are).
func isInteger(v JSON) bool {
	if rawjson.KindOf(v) != rawjson.Number {
		return false
	}
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		return n >= -maxSafe && n <= maxSafe
	}
	x, err := strconv.ParseFloat(v, 64)
	return err == nil && x >= -maxSafe && x <= maxSafe && x == float64(int64(x))
}
