package rawjson

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// String is a JSON string as it came, quotes included; "" is absent.
type String string

// Decode gives the text in WTF-8: UTF-8 in which half of a surrogate pair stands as its three bytes.
// Without an escape it shares the memory of s.
func (s String) Decode() string {
	body := s.Body()
	if strings.IndexByte(body, '\\') < 0 {
		return body
	}
	return unescape(body)
}

// Body gives the text between the quotes, escapes as they came.
func (s String) Body() string {
	if len(s) < 2 {
		return ""
	}
	return string(s[1 : len(s)-1])
}

// StringEnd gives the index after the string that begins at i, or -1 where none that JSON allows stands there.
func StringEnd(text string, i int) int {
	if i >= len(text) || text[i] != '"' {
		return -1
	}
	c := checker{s: text}
	return c.str(i)
}

// Offset gives the index at which part, a slice of text, begins in it.
func Offset(text, part string) int {
	return int(uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(text))))
}

// Is reports whether the decoded text is text.
func (s String) Is(text string) bool {
	body := s.Body()
	if strings.IndexByte(body, '\\') < 0 {
		return body == text
	}
	return unescape(body) == text
}

// unescape decodes the text between the quotes.
func unescape(body string) string {
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		c := body[i]
		if c != '\\' {
			j := strings.IndexByte(body[i:], '\\')
			if j < 0 {
				return string(append(out, body[i:]...))
			}
			out = append(out, body[i:i+j]...)
			i += j
			continue
		}
		if i+1 >= len(body) {
			break
		}
		i += 2
		switch c := body[i-1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hex4(body, i)
			i += 4
			if r >= 0xD800 && r < 0xDC00 && i+1 < len(body) && body[i] == '\\' && body[i+1] == 'u' {
				if low := hex4(body, i+2); low >= 0xDC00 && low < 0xE000 {
					r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
					i += 6
				}
			}
			out = appendWTF8(out, r)
		default: // a quote, a backslash, a slash
			out = append(out, c)
		}
	}
	return string(out)
}

// hex4 reads four hexadecimal digits; what is none counts as 0.
func hex4(s string, i int) rune {
	var r rune
	for j := i; j < i+4; j++ {
		r <<= 4
		if j < len(s) {
			r |= rune(hexValue(s[j]) & 15)
		}
	}
	return r
}

// hexValue gives the value of a hexadecimal digit, or 255.
func hexValue(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// appendWTF8 appends r as UTF-8, half a surrogate pair as its three bytes.
func appendWTF8(dst []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// Quote makes a JSON string of WTF-8 text: half surrogates become \udXXX, bytes that are no WTF-8 become U+FFFD.
func Quote(s string) String {
	return String(AppendQuote(make([]byte, 0, len(s)+2), s))
}

const hexDigits = "0123456789abcdef"

// AppendQuote appends s as a JSON string, quotes included. See [Quote].
func AppendQuote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < 0x80 {
			i++
			continue
		}
		if c < 0x80 {
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			start = i
			continue
		}
		if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		if half := surrogateAt(s, i); half != 0 {
			dst = append(dst, '\\', 'u', 'd', hexDigits[half>>8&15], hexDigits[half>>4&15], hexDigits[half&15])
			i += 3
		} else {
			dst = append(dst, "\uFFFD"...)
			i++
		}
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Join puts two pieces of WTF-8 text together: halves of a surrogate pair that meet become the one character that they
// are.
func Join(a, b string) string {
	if HalfAtEnd(a) == 3 {
		if low := surrogateAt(b, 0); low >= 0xDC00 {
			high := surrogateAt(a, len(a)-3)
			return a[:len(a)-3] + string(0x10000+(high-0xD800)<<10+(low-0xDC00)) + b[3:]
		}
	}
	return a + b
}

// HalfAtEnd gives the length in bytes of the first half of a surrogate pair that WTF-8 text ends with: 3, or 0 where it
// ends otherwise.
func HalfAtEnd(s string) int {
	if n := len(s) - 3; n >= 0 {
		if r := surrogateAt(s, n); r != 0 && r < 0xDC00 {
			return 3
		}
	}
	return 0
}

// surrogateAt gives the half surrogate whose three bytes stand at i, or 0.
func surrogateAt(s string, i int) rune {
	if i+2 < len(s) && s[i] == 0xED && s[i+1] >= 0xA0 && s[i+1] < 0xC0 && s[i+2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F)
	}
	return 0
}
