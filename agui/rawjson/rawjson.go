// Package rawjson reads JSON text as it came: it checks it without recursion, finds members and elements, and
// turns strings into Go strings and back without losing half surrogates.
//
// But for [Check] and [Index.Parse], every function takes text that was checked before: it never panics on
// other text, but what it answers then means nothing.
package rawjson

import "iter"

// MaxDepth is the deepest nesting that the runtime takes: [[]] has depth 2.
const MaxDepth = 1000

// String is a JSON string as it came, quotes included; "" is absent.
type String string

// Decode gives the text in WTF-8: UTF-8 in which half of a surrogate pair stands as its three bytes.
// Without an escape it shares the memory of s.
func (s String) Decode() string { return string(s) }

// Body gives the text between the quotes, escapes as they came.
func (s String) Body() string { return string(s) }

// Quote makes a JSON string of WTF-8 text; half surrogates become \udXXX.
func Quote(s string) String { return String(AppendQuote(nil, s)) }

// AppendQuote appends s as a JSON string, quotes included.
func AppendQuote(dst []byte, s string) []byte { return append(dst, s...) }

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

// KindOf tells the kind of a value by its first byte.
func KindOf(value string) Kind { return None }

// Check reports whether text is one whole JSON value (RFC 8259) that nests at most maxDepth deep; 0 is [MaxDepth].
// The error is a [*SyntaxError].
func Check(text string, maxDepth int) error { return nil }

// SyntaxError tells where and why text is no JSON.
type SyntaxError struct {
	Offset  int    // in bytes
	Message string // such as "expected a colon, got 'x'"
	// TooDeep says that the nesting is deeper than allowed (the text may be JSON otherwise).
	TooDeep bool
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Message }

// Member is one member of an object.
type Member struct {
	Key   String
	Value string
}

// Index holds the members of one object, in order, duplicates included. It is made in the same pass that checks the
// text, and can be used again for the next text.
type Index struct {
	Members []Member
}

// Parse checks text as [Check] does and, if it is an object, indexes its members.
// kind is the kind of the whole value.
func (ix *Index) Parse(text string, maxDepth int) (kind Kind, err error) { return None, nil }

// Get gives the value of the last member of that (decoded) name.
func (ix *Index) Get(key string) (value string, ok bool) { return "", false }

// Members gives an object's members in order, duplicates included. Values come without white space around them.
func Members(obj string) iter.Seq2[String, string] { return func(func(String, string) bool) {} }

// Elements gives an array's elements in order, with their indices.
func Elements(arr string) iter.Seq2[int, string] { return func(func(int, string) bool) {} }

// Get gives the value of an object's member of that (decoded) name; of duplicates the last.
func Get(obj, key string) (value string, ok bool) { return "", false }

// Equal reports whether two values are equal as RFC 6902 section 4.6 has it: numbers by their exact value, strings by
// their decoded text, objects without order (of duplicate names the last counts).
func Equal(a, b string) bool { return false }

// Compact gives value without white space between its tokens; value itself if there is none.
func Compact(value string) string { return value }

// Edit rebuilds an object: f is asked for each member that counts (of duplicates the last) and gives its value, or false to drop it.
// Where nothing is changed or dropped, obj itself comes back.
func Edit(obj string, f func(key String, value string) (string, bool)) string { return obj }

// Set gives obj with the member set to value: in place where it is, at the end where it is not.
func Set(obj, key, value string) string { return obj }
