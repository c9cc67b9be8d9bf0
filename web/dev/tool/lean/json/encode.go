//go:build go1.23

package json

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
)

// RedirectMarshaler is a value that names another one to encode in its place.
type RedirectMarshaler interface{ RedirectMarshalJSON() (any, error) }

// TrustMarshaler is a value that writes itself.
type TrustMarshaler interface{ TrustMarshalJSON(*bytes.Buffer) error }

// Encode encodes the types of the package that uses this one; ok is false for any other type.
var Encode func(dst *bytes.Buffer, v any, escape bool) (ok bool, err error)

// Marshal encodes a value, with <, > and & escaped.
func Marshal(v any) ([]byte, error) { return MarshalEscaped(v, true) }

// MarshalEscaped encodes a value; escape tells whether <, > and &, U+2028 and U+2029 are escaped.
func MarshalEscaped(v any, escape bool) ([]byte, error) {
	var dst bytes.Buffer
	if err := Append(&dst, v, escape); err != nil {
		return nil, err
	}
	return dst.Bytes(), nil
}

// Append is MarshalEscaped into a buffer.
func Append(dst *bytes.Buffer, v any, escape bool) error {
	if ok, err := Encode(dst, v, escape); ok {
		return err
	}
	switch v := v.(type) {
	case TrustMarshaler:
		return v.TrustMarshalJSON(dst)
	case RedirectMarshaler:
		next, err := v.RedirectMarshalJSON()
		if err != nil {
			return err
		}
		return Append(dst, next, escape)
	case string:
		AppendString(dst, v, escape)
	case *RawMessage:
		if v == nil || *v == nil {
			dst.WriteString("null")
			break
		}
		text := rawjson.Compact(string(*v))
		if escape {
			text = htmlEscape(text)
		}
		dst.WriteString(text)
	default:
		dst.WriteString("null")
	}
	return nil
}

// Compact appends src without white space between its tokens.
func Compact(dst *bytes.Buffer, src []byte) error {
	if err := rawjson.Check(string(src), maxDepth); err != nil {
		return err
	}
	dst.WriteString(rawjson.Compact(trim(string(src))))
	return nil
}

// Indent appends src with each member and element on a line of its own.
func Indent(dst *bytes.Buffer, src []byte, prefix, indent string) error {
	if err := rawjson.Check(string(src), maxDepth); err != nil {
		return err
	}
	text, depth := rawjson.Compact(trim(string(src))), 0
	line := func() {
		dst.WriteByte('\n')
		dst.WriteString(prefix)
		for range depth {
			dst.WriteString(indent)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := rawjson.StringEnd(text, i)
			dst.WriteString(text[i:end])
			i = end - 1
		case '{', '[':
			dst.WriteByte(c)
			if i+1 < len(text) && text[i+1] == c+2 {
				dst.WriteByte(text[i+1])
				i++
				break
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			dst.WriteByte(c)
		case ',':
			dst.WriteByte(c)
			line()
		case ':':
			dst.WriteString(": ")
		default:
			dst.WriteByte(c)
		}
	}
	return nil
}

const hex = "0123456789abcdef"

// AppendString writes a string of JSON.
func AppendString(dst *bytes.Buffer, s string, escape bool) {
	dst.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst.WriteByte('\\')
			dst.WriteByte(byte(r))
		case r == '\n':
			dst.WriteString(`\n`)
		case r == '\r':
			dst.WriteString(`\r`)
		case r == '\t':
			dst.WriteString(`\t`)
		case r < ' ' || escape && (r == '<' || r == '>' || r == '&'):
			dst.WriteString(`\u00`)
			dst.WriteByte(hex[r>>4])
			dst.WriteByte(hex[r&15])
		case r == '\u2028' || r == '\u2029':
			dst.WriteString(`\u202`)
			dst.WriteByte(hex[r&15])
		case r == utf8.RuneError:
			dst.WriteString("\ufffd")
		default:
			dst.WriteRune(r)
		}
	}
	dst.WriteByte('"')
}

var escaper = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)

func htmlEscape(text string) string { return escaper.Replace(text) }
