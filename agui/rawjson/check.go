package rawjson

import (
	"math/bits"
	"strconv"
)

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
	bits    []uint64 // which of the open containers are objects, for each 64 of them
}

func (c *checker) fail(at int, wanted string) int {
	c.at, c.wanted = at, wanted
	return -1
}

func (c *checker) error() error {
	if c.tooDeep {
		return &SyntaxError{Offset: c.at, Message: "nested deeper than " + strconv.Itoa(c.max) + " levels",
			TooDeep: true}
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
		for i+8 <= len(s) && notPlain(word(s, i)) == 0 {
			i += 8
		}
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

// scalar checks a value that is not a container.
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
// It walks without recursion: nesting is the sender's to choose, the stack is ours. Nearly every byte of a stream
// passes here, so that strings, whole numbers and literals are read by words of eight bytes, without a call; what is
// not that plain, and the last bytes of the text, the other methods check.
func (c *checker) value(i, depth int) int {
	s := c.s
	if i >= len(s) || s[i] != '{' && s[i] != '[' {
		return c.scalar(i)
	}
	outer := depth
	last := len(s) - 8 // where the last whole word begins
	open := uint64(0)  // the containers that are open here, the innermost lowest: 1 is an object
	key := false       // the name of an object's next member begins at i
	for {
		if i > last {
			if key {
				if i = c.key(i); i < 0 {
					return -1
				}
				key = false
			}
			if i >= len(s) || s[i] != '{' && s[i] != '[' {
				if i = c.scalar(i); i < 0 {
					return -1
				}
				goto ended
			}
		} else if key {
			w := word(s, i)
			// The name's own quote is the first byte; the last one is looked at in any case.
			at := bits.TrailingZeros64(notPlain(w)&^0x80|1<<63) &^ 7
			if byte(w) == '"' && uint16(w>>(at&63)) == '"'|':'<<8 {
				i += at>>3 + 2
			} else if i = c.key(i); i < 0 {
				return -1
			}
			key = false
			if i < len(s) && s[i] <= ' ' {
				i = skipSpace(s, i)
			}
			if i > last {
				continue
			}
		}
		switch b := s[i]; {
		case b == '"':
			from := i
			special := uint64(0)
			for i++; i <= last; i += 8 {
				if special = notPlain(word(s, i)); special != 0 {
					break
				}
			}
			if i += bits.TrailingZeros64(special) >> 3; special != 0 && s[i] == '"' {
				i++
			} else if i = c.str(from); i < 0 {
				return -1
			}
		case b == '{' || b == '[':
			if depth++; depth > c.max {
				c.tooDeep = true
				return c.fail(i, "")
			}
			inner := b == '{'
			if i++; i < len(s) && s[i] <= ' ' {
				i = skipSpace(s, i)
			}
			if i < len(s) && (inner && s[i] == '}' || !inner && s[i] == ']') {
				depth--
				i++
			} else {
				if open <<= 1; inner {
					open |= 1
				}
				if (depth-outer)&63 == 63 {
					c.bits = append(c.bits[:(depth-outer)>>6], open)
				}
				key = inner
				continue
			}
		default:
			w := word(s, i)
			if n := bits.TrailingZeros64(notDigit(w)) >> 3; n > 0 && n < 8 && (n == 1 || b != '0') &&
				w>>(8*n)&0xff != '.' && w>>(8*n)&0xdf != 'E' {
				i += n
			} else if uint32(w) == 't'|'r'<<8|'u'<<16|'e'<<24 || uint32(w) == 'n'|'u'<<8|'l'<<16|'l'<<24 {
				i += 4
			} else if i = c.scalar(i); i < 0 {
				return -1
			}
		}
	ended:
		// A value has ended before i: a comma, or the end of what holds it.
		for {
			if depth == outer {
				return i
			}
			if i < len(s) && s[i] <= ' ' {
				i = skipSpace(s, i)
			}
			if i < len(s) && s[i] == ',' {
				if i++; i < len(s) && s[i] <= ' ' {
					i = skipSpace(s, i)
				}
				key = open&1 != 0
				break
			}
			// '}' is 32 behind ']'.
			if i >= len(s) || s[i] != ']'+byte(open&1)<<5 {
				if open&1 != 0 {
					return c.fail(i, "a comma or a closing brace")
				}
				return c.fail(i, "a comma or a closing bracket")
			}
			i++
			if open >>= 1; (depth-outer)&63 == 0 {
				open = c.bits[(depth-outer)>>6-1]
			}
			depth--
		}
	}
}

// One bit for each of the eight bytes of a word: the lowest, and the highest.
const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// notPlain sets the high bit of the first byte of w that does not stand for itself inside a string; what it says of
// bytes behind that one counts for nothing. 0 means that all eight do.
func notPlain(w uint64) uint64 {
	quote, escape := w^('"'*lows), w^('\\'*lows)
	return ((w-' '*lows)&^w | (quote-lows)&^quote | (escape-lows)&^escape) & highs
}

// notDigit sets the high bit of each byte of w that is not a decimal digit.
func notDigit(w uint64) uint64 {
	x := w ^ ('0' * lows)
	return ((x&^highs + (0x80-10)*lows) | x) & highs
}

// key checks a member's name and colon, and gives the index of its value.
func (c *checker) key(i int) int {
	if i >= len(c.s) || c.s[i] != '"' {
		return c.fail(i, "a quoted key")
	}
	if i = c.str(i); i < 0 {
		return -1
	}
	if i = c.colon(i); i < 0 {
		return -1
	}
	return skipSpace(c.s, i)
}

// colon checks the colon behind a member's name.
func (c *checker) colon(i int) int {
	i = skipSpace(c.s, i)
	if i >= len(c.s) || c.s[i] != ':' {
		return c.fail(i, "a colon")
	}
	return i + 1
}
