package rawjson

import "strconv"

// SyntaxError tells where and why text is no JSON.
type SyntaxError struct {
	Offset  int    // in bytes
	Message string // such as "expected a colon, got 'x'"
	// TooDeep says that the nesting is deeper than allowed (the text may be JSON otherwise).
	TooDeep bool
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Message + " at byte " + strconv.Itoa(e.Offset) }

// Check reports whether text is one whole JSON value (RFC 8259) that nests at most maxDepth deep; 0 is [MaxDepth].
// The error is a [*SyntaxError]. Bytes that are no UTF-8 pass inside strings.
func Check(text string, maxDepth int) error {
	if maxDepth <= 0 {
		maxDepth = MaxDepth
	}
	c := checker{s: text, max: maxDepth}
	end := c.value(skipSpace(text, 0), 0)
	if end >= 0 {
		end = c.whole(end)
	}
	if end < 0 {
		return c.error()
	}
	return nil
}

// checker checks one text. Its methods give the index after what they checked, or -1 after they noted a fault.
type checker struct {
	s   string
	max int

	at      int    // where the fault is
	wanted  string // what was expected there
	tooDeep bool
	bits    []uint64 // which of the open containers are objects, beyond the first 64
}

func (c *checker) fail(at int, wanted string) int {
	c.at, c.wanted = at, wanted
	return -1
}

func (c *checker) error() error {
	if c.tooDeep {
		return &SyntaxError{Offset: c.at, Message: "nested deeper than " + strconv.Itoa(c.max) + " levels", TooDeep: true}
	}
	got := "the end of the text"
	if c.at < len(c.s) {
		got = strconv.QuoteRuneToASCII(rune(c.s[c.at]))
		if c.s[c.at] >= 0x80 {
			got = "byte 0x" + strconv.FormatUint(uint64(c.s[c.at]), 16)
		}
	}
	return &SyntaxError{Offset: c.at, Message: "expected " + c.wanted + ", got " + got}
}

// whole checks that only white space follows.
func (c *checker) whole(i int) int {
	if i = skipSpace(c.s, i); i < len(c.s) {
		return c.fail(i, "the end of the text")
	}
	return i
}

// plain marks the bytes that stand for themselves inside a string.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i != '"' && i != '\\'
	}
	return t
}()

// str checks the string whose opening quote is at i.
func (c *checker) str(i int) int {
	s := c.s
	i++
	for {
		for i < len(s) && plain[s[i]] {
			i++
		}
		if i >= len(s) {
			return c.fail(i, "a closing quote")
		}
		if s[i] == '"' {
			return i + 1
		}
		if s[i] != '\\' {
			return c.fail(i, "no control character in a string")
		}
		if i+1 >= len(s) {
			return c.fail(i+1, "the rest of an escape")
		}
		switch s[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			for j := i + 2; j < i+6; j++ {
				if j >= len(s) || hexValue(s[j]) == 255 {
					return c.fail(j, "four hexadecimal digits")
				}
			}
			i += 6
		default:
			return c.fail(i+1, "an escape that JSON knows")
		}
	}
}

// number checks the number that begins at i.
func (c *checker) number(i int) int {
	s := c.s
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case i < len(s) && s[i] >= '1' && s[i] <= '9':
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	default:
		return c.fail(i, "a value")
	}
	if i < len(s) && s[i] == '.' {
		i++
		if i >= len(s) || !isDigit(s[i]) {
			return c.fail(i, "a digit")
		}
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if i >= len(s) || !isDigit(s[i]) {
			return c.fail(i, "a digit")
		}
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	return i
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// scalar checks a value that is no container.
func (c *checker) scalar(i int) int {
	if i >= len(c.s) {
		return c.fail(i, "a value")
	}
	switch c.s[i] {
	case '"':
		return c.str(i)
	case 't':
		return c.literal(i, "true")
	case 'f':
		return c.literal(i, "false")
	case 'n':
		return c.literal(i, "null")
	}
	return c.number(i)
}

func (c *checker) literal(i int, word string) int {
	for j := 0; j < len(word); j++ {
		if i+j >= len(c.s) || c.s[i+j] != word[j] {
			return c.fail(i+j, word)
		}
	}
	return i + len(word)
}

// value checks the value that begins at i; depth containers are open around it.
// It walks without recursion: nesting is the sender's to choose, the stack is ours.
func (c *checker) value(i, depth int) int {
	s := c.s
	if i >= len(s) || s[i] != '{' && s[i] != '[' {
		return c.scalar(i)
	}
	outer := depth
	for {
		// A value begins at i.
		if i < len(s) && (s[i] == '{' || s[i] == '[') {
			object := s[i] == '{'
			if depth++; depth > c.max {
				c.tooDeep = true
				return c.fail(i, "")
			}
			i = skipSpace(s, i+1)
			if i < len(s) && (object && s[i] == '}' || !object && s[i] == ']') {
				depth--
				i++
			} else {
				c.push(depth-outer, object)
				if object {
					if i = c.key(i); i < 0 {
						return -1
					}
				}
				continue
			}
		} else if i = c.scalar(i); i < 0 {
			return -1
		}
		// A value has ended before i: a comma, or the end of what holds it.
		for {
			if depth == outer {
				return i
			}
			i = skipSpace(s, i)
			object := c.isObject(depth - outer)
			if i < len(s) && s[i] == ',' {
				i = skipSpace(s, i+1)
				if object {
					if i = c.key(i); i < 0 {
						return -1
					}
				}
				break
			}
			if i >= len(s) || object && s[i] != '}' || !object && s[i] != ']' {
				if object {
					return c.fail(i, "a comma or a closing brace")
				}
				return c.fail(i, "a comma or a closing bracket")
			}
			depth--
			i++
		}
	}
}

// key checks a member's name and colon, and gives the index of its value.
func (c *checker) key(i int) int {
	if i >= len(c.s) || c.s[i] != '"' {
		return c.fail(i, "a quoted key")
	}
	if i = c.str(i); i < 0 {
		return -1
	}
	i = skipSpace(c.s, i)
	if i >= len(c.s) || c.s[i] != ':' {
		return c.fail(i, "a colon")
	}
	return skipSpace(c.s, i+1)
}

func (c *checker) push(level int, object bool) {
	word, bit := level>>6, uint64(1)<<(level&63)
	for len(c.bits) <= word {
		c.bits = append(c.bits, 0)
	}
	if object {
		c.bits[word] |= bit
	} else {
		c.bits[word] &^= bit
	}
}

func (c *checker) isObject(level int) bool { return c.bits[level>>6]&(1<<(level&63)) != 0 }
