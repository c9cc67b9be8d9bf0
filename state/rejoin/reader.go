package rejoin

import (
	"strings"

	"aguiwasm/agui/sse"
)

// frame is one server-sent event as it came. Unlike a WHATWG parser's, it knows whether the id is its own.
type frame struct {
	data, id, event       string
	hasData, hasID, retry bool
	wait                  int // retry's milliseconds
}

// reader cuts a leg's bytes into frames.
type reader struct {
	frames sse.Frames
	begun  bool
}

func (r *reader) reset(max int) { *r = reader{frames: sse.Frames{Max: max}} }

// write takes bytes and gives each frame that they complete. It reports false where a frame is too large.
func (r *reader) write(chunk []byte, take func(frame)) bool {
	ok := r.frames.Write(chunk)
	r.drain(take)
	return ok
}

// end gives the last frame of a body that ended without its blank line. The last line of it may be cut.
func (r *reader) end(take func(frame)) {
	if r.frames.End() {
		r.drain(take)
	}
}

func (r *reader) drain(take func(frame)) {
	for text, ok := r.frames.Next(); ok; text, ok = r.frames.Next() {
		f := parse(string(text), !r.begun)
		r.begun = true
		take(f)
	}
}

// parse reads a frame's fields (WHATWG HTML, section 9.2.6).
func parse(text string, first bool) (f frame) {
	if first {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			if f.hasData {
				f.data += "\n"
			}
			f.data, f.hasData = f.data+value, true
		case "id":
			if strings.IndexByte(value, 0) < 0 {
				f.id, f.hasID = value, true
			}
		case "event":
			f.event = value
		case "retry":
			if n, ok := digits(value); ok {
				f.wait, f.retry = n, true
			}
		}
	}
	if len(f.data) <= 64 {
		if d := strings.TrimSpace(f.data); d == "" || d == "[DONE]" {
			f.hasData = false
		}
	}
	return f
}

func digits(s string) (n int, ok bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}
