//go:build go1.23

// Package json is the JSON that evanphx/json-patch needs of its internal/json, without reflect: what it decodes into
// and encodes is one of the types that [Decode] and [Encode] are told of, an interface of its own, a string or an
// interface value.
package json

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
)

// maxDepth is the nesting that encoding/json takes.
const maxDepth = 10000

// RawMessage is a value that was not decoded.
type RawMessage []byte

// Delim is a bracket or a brace.
type Delim rune

// Number is a number as it was written.
type Number string

// Unmarshaler is a value that decodes itself.
type Unmarshaler interface{ UnmarshalJSON([]byte) error }

// ErrType says that a value is not of the kind that its place takes.
var ErrType = errors.New("json: cannot unmarshal value into Go value")

// Decode decodes data into the types of the package that uses this one; ok is false for any other type.
var Decode func(data string, into any) (ok bool, err error)

// Valid tells whether data is one JSON value.
func Valid(data []byte) bool { return rawjson.Check(string(data), maxDepth) == nil }

// UnmarshalValid decodes a value that was checked before.
func UnmarshalValid(data []byte, into any) error {
	text := trim(string(data))
	switch v := into.(type) {
	case Unmarshaler:
		return v.UnmarshalJSON([]byte(text))
	case *string:
		return decodeString(text, v)
	case *any:
		*v = value(text)
		return nil
	}
	if ok, err := Decode(text, into); ok {
		return err
	}
	return ErrType
}

// UnmarshalValidWithKeys is UnmarshalValid for an object; it gives its keys in their order, one that stands twice
// twice.
func UnmarshalValidWithKeys(data []byte, into any) ([]string, error) {
	if err := UnmarshalValid(data, into); err != nil {
		return nil, err
	}
	var keys []string
	text := trim(string(data))
	if rawjson.KindOf(text) == rawjson.Object {
		for key := range rawjson.Members(text) {
			keys = append(keys, Unquote(string(key)))
		}
	}
	return keys, nil
}

func decodeString(text string, into *string) error {
	switch rawjson.KindOf(text) {
	case rawjson.Null:
	case rawjson.Str:
		*into = Unquote(text)
	default:
		return ErrType
	}
	return nil
}

// value decodes into an interface value, numbers as [Number].
func value(text string) any {
	switch rawjson.KindOf(text) {
	case rawjson.Object:
		object := map[string]any{}
		for key, v := range rawjson.Members(text) {
			object[Unquote(string(key))] = value(v)
		}
		return object
	case rawjson.Array:
		array := []any{}
		for _, v := range rawjson.Elements(text) {
			array = append(array, value(v))
		}
		return array
	case rawjson.Str:
		return Unquote(text)
	case rawjson.Number:
		return Number(text)
	case rawjson.Bool:
		return text == "true"
	}
	return nil
}

// Unquote decodes a string of JSON. Half a surrogate pair, and each byte that is not UTF-8, is U+FFFD.
func Unquote(text string) string {
	body := text[1 : len(text)-1]
	if strings.IndexByte(body, '\\') < 0 && utf8.ValidString(body) {
		return body
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			r, size := utf8.DecodeRuneInString(body[i:])
			out = utf8.AppendRune(out, r)
			i += size
			continue
		}
		if c := body[i+1]; c != 'u' {
			if at := strings.IndexByte("bfnrt", c); at >= 0 {
				c = "\b\f\n\r\t"[at]
			}
			out = append(out, c)
			i += 2
			continue
		}
		r := escaped(body[i:])
		i += 6
		if r >= 0xD800 && r < 0xDC00 {
			if low := escaped(body[i:]); low >= 0xDC00 && low < 0xE000 {
				r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
				i += 6
			}
		}
		out = utf8.AppendRune(out, r) // a half becomes U+FFFD
	}
	return string(out)
}

// escaped reads \uXXXX at the start of s; -1 where there is none.
func escaped(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

func trim(text string) string { return strings.Trim(text, " \t\r\n") }
