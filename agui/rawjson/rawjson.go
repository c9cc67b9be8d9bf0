// Package rawjson reads JSON text as it came: it checks it without recursion, finds members and elements, and
// turns strings into Go strings and back without losing half surrogates.
//
// But for [Check] and [Index.Parse], every function takes text that was checked before: on other text it does not
// panic, but what it answers means nothing. Values that come back are slices of the text, without white space around
// them.
//
// encoding/json serves here for nothing: it matches keys without regard to case, turns half of a surrogate
// pair into U+FFFD, rounds numbers, and is slow in WebAssembly.
package rawjson

// MaxDepth is the deepest nesting that the runtime takes: [[]] has depth 2.
const MaxDepth = 1000

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds; None is no value ("").
const (
	None Kind = iota
	Null
	Bool
	Number
	Str
	Array
	Object
)

// String names the kind with its article, for a person: "a string".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case Str:
		return "a string"
	case Array:
		return "an array"
	case Object:
		return "an object"
	}
	return "nothing"
}

// KindOf tells the kind of a value by its first byte; the value has no white space before it.
func KindOf(value string) Kind {
	if value == "" {
		return None
	}
	switch value[0] {
	case '"':
		return Str
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Member is one member of an object.
type Member struct {
	Key   String
	Value string
}

// skipSpace gives the index of the first byte at or after i that is not white space.
func skipSpace(s string, i int) int {
	for i < len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// skipString gives the index after the string that begins at i, in checked text.
func skipString(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(s)
}

// structural says of each byte what it does to the nesting.
var structural = [256]uint8{'"': quote, '{': opens, '[': opens, '}': closes, ']': closes}

const (
	quote = 1 + iota
	opens
	closes
)

// skipValue gives the index after the value that begins at i, in checked text.
func skipValue(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch s[i] {
	case '"':
		return skipString(s, i)
	case '{', '[':
		for depth := 0; i < len(s); {
			switch class := &structural; class[s[i]] {
			case 0:
				i++
			case quote:
				for i++; i < len(s) && s[i] != '"'; i++ {
					if s[i] == '\\' {
						i++
					}
				}
				i++
			case opens:
				depth++
				i++
			case closes:
				i++
				if depth--; depth == 0 {
					return i
				}
			}
		}
		return len(s)
	}
	for i < len(s) {
		switch s[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}
