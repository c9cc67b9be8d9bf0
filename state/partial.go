package state

// Complete gives the best parse of the beginning of a JSON value, such as tool arguments so far: open strings, arrays
// and objects are closed; half an escape, half a surrogate pair, half a literal, a number inside them that may go on,
// and a key without its value are left out. The result is always valid JSON, or "" while there is nothing of a value
// yet. A whole value comes back as it is. What is broken further in ends the parse there: what came before stands.
// Nesting counts to 1,000; deeper parts are left out. Time is linear in the text, and nothing recurses.
func Complete(prefix string) string {
	c := completer{text: prefix}
	return c.run()
}

// completer goes through the text once and remembers where it could be cut and closed.
type completer struct {
	text string
	// open holds the closing brackets of what is open.
	open []byte
}

// The states between tokens.
const (
	wantValue    = iota // a value must come
	wantFirst           // in an array: a value or the end
	wantKeyFirst        // in an object: a key or the end
	wantKey             // in an object after a comma: a key
	wantColon           // after a key
	wantNext            // in a container: a comma or the end
	wantNothingMore
)

func (c *completer) run() string {
	s := c.text
	state := wantValue
	good := 0     // the text up to here, closed with open, is a valid value
	goodOpen := 0 // how many brackets were open there
	tail := ""    // what must stand between the text and the brackets
	have := false // there is something of a value
	mark := func(i int) { good, goodOpen, tail, have = i, len(c.open), "", true }
	finish := func() string {
		if !have {
			return ""
		}
		if goodOpen == 0 && tail == "" && good == len(s) {
			return s
		}
		out := make([]byte, 0, good+len(tail)+goodOpen)
		out = append(out, s[:good]...)
		out = append(out, tail...)
		for i := goodOpen - 1; i >= 0; i-- {
			out = append(out, c.open[i])
		}
		return string(out)
	}
	after := func() {
		if len(c.open) == 0 {
			state = wantNothingMore
		} else {
			state = wantNext
		}
	}
	for i := 0; i < len(s); {
		ch := s[i]
		if ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' {
			i++
			if state == wantNothingMore {
				good = i
			}
			continue
		}
		switch {
		case state == wantNothingMore:
			return finish()
		case (ch == ']' || ch == '}') &&
			(state == wantNext || ch == ']' && state == wantFirst || ch == '}' && state == wantKeyFirst):
			n := len(c.open) - 1
			if c.open[n] != ch {
				return finish()
			}
			// The bracket that stood for the open container is now the text's own; goodOpen may still name it.
			c.open = c.open[:n]
			i++
			mark(i)
			after()
		case state == wantNext:
			if ch != ',' {
				return finish()
			}
			i++
			if c.open[len(c.open)-1] == ']' {
				state = wantValue
			} else {
				state = wantKey
			}
		case state == wantColon:
			if ch != ':' {
				return finish()
			}
			i++
			state = wantValue
		case state == wantKeyFirst || state == wantKey:
			end, whole, _ := stringEnd(s, i)
			if ch != '"' || !whole {
				return finish()
			}
			i, state = end, wantColon
		case ch == '"':
			end, whole, closeAt := stringEnd(s, i)
			if !whole {
				good, goodOpen, tail, have = closeAt, len(c.open), `"`, true
				return finish()
			}
			i = end
			mark(i)
			after()
		case ch == '[' || ch == '{':
			if len(c.open) == partialDepth {
				return finish()
			}
			if ch == '[' {
				c.open = append(c.open, ']')
				state = wantFirst
			} else {
				c.open = append(c.open, '}')
				state = wantKeyFirst
			}
			i++
			mark(i)
		case ch == 't' || ch == 'f' || ch == 'n':
			word := "true"
			if ch == 'f' {
				word = "false"
			} else if ch == 'n' {
				word = "null"
			}
			if len(s)-i < len(word) || s[i:i+len(word)] != word {
				return finish()
			}
			i += len(word)
			mark(i)
			after()
		default:
			end, goodEnd := numberEnd(s, i)
			if goodEnd == i || end == len(s) && len(c.open) > 0 {
				return finish() // more digits may come, and an amount of 1 is not an amount of 1000
			}
			good, goodOpen, tail, have = goodEnd, len(c.open), "", true
			if goodEnd != end {
				return finish()
			}
			i = end
			after()
		}
	}
	return finish()
}

// partialDepth bounds what Complete opens.
const partialDepth = 1000

// stringEnd goes through the string that begins at i. whole tells whether its closing quote is there, end is the place
// after it; closeAt is where a cut string can be closed: before half an escape, half a surrogate pair or half a
// character. A string with a control character or a bad escape ends there too.
func stringEnd(s string, i int) (end int, whole bool, closeAt int) {
	i++
	for i < len(s) {
		switch b := s[i]; {
		case b == '"':
			return i + 1, true, i
		case b < 0x20:
			return i, false, i
		case b != '\\':
			i++
		default:
			n := escapeLen(s, i)
			if n == 0 {
				return i, false, i
			}
			if high(s[i : i+n]) {
				// A pair is whole or left out while it could still become one.
				rest := s[i+n:]
				if len(rest) < 6 && (rest == "" || rest[0] == '\\' && (len(rest) == 1 || rest[1] == 'u')) {
					return i, false, i
				}
			}
			i += n
		}
	}
	return i, false, wholeRunes(s)
}

// wholeRunes gives the length of s without the half of a character that it ends in, if any.
func wholeRunes(s string) int {
	for n := 1; n <= 3 && n <= len(s); n++ {
		b := s[len(s)-n]
		if b < 0x80 {
			break
		}
		if b >= 0xC0 {
			if b >= 0xF0 && n < 4 || b >= 0xE0 && n < 3 || n < 2 {
				return len(s) - n
			}
			break
		}
	}
	return len(s)
}

// escapeLen gives the length of the escape at i, or 0 where it is cut or none.
func escapeLen(s string, i int) int {
	if len(s)-i < 2 {
		return 0
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s)-i < 6 {
			return 0
		}
		for _, b := range []byte(s[i+2 : i+6]) {
			if !(b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// high reports whether an escape is the first half of a surrogate pair.
func high(e string) bool {
	return len(e) == 6 && (e[2] == 'd' || e[2] == 'D') &&
		(e[3] == '8' || e[3] == '9' || e[3]|0x20 == 'a' || e[3]|0x20 == 'b')
}

// numberEnd goes through the number that begins at i: end is where its characters end, good where it is valid last (i
// if never).
func numberEnd(s string, i int) (end, good int) {
	good = i
	j := i
	if j < len(s) && s[j] == '-' {
		j++
	}
	digits := func() bool {
		from := j
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		return j > from
	}
	if j < len(s) && s[j] == '0' {
		j++
	} else if !digits() {
		return j, good
	}
	good = j
	if j < len(s) && s[j] == '.' {
		j++
		if !digits() {
			return j, good
		}
		good = j
	}
	if j < len(s) && (s[j] == 'e' || s[j] == 'E') {
		j++
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if !digits() {
			return j, good
		}
		good = j
	}
	return j, good
}
