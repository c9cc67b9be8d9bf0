//go:build lean

package jsonpatch

import (
	"bytes"
	"slices"

	"aguiwasm/agui/rawjson"

	"github.com/evanphx/json-patch/v5/internal/json"
)

func unmarshal(data []byte, into any) error { return json.UnmarshalValid(data, into) }

// The JSON package is told of this one's types; it has no reflect to find out.
func init() {
	json.Decode = decode
	json.Encode = encode
}

func decode(text string, into any) (bool, error) {
	kind := rawjson.KindOf(text)
	switch v := into.(type) {
	case **partialDoc:
		if kind == rawjson.Null {
			*v = nil
			return true, nil
		}
		*v = &partialDoc{}
		return true, (*v).UnmarshalJSON([]byte(text))
	case **partialArray:
		if kind == rawjson.Null {
			*v = nil
			return true, nil
		}
		*v = &partialArray{}
		return true, (*v).UnmarshalJSON([]byte(text))
	case *map[string]*lazyNode:
		if kind == rawjson.Null {
			*v = nil
			return true, nil
		}
		if kind != rawjson.Object {
			return true, json.ErrType
		}
		*v = map[string]*lazyNode{}
		for key, value := range rawjson.Members(text) {
			(*v)[json.Unquote(string(key))] = nodeOf(value)
		}
	case *[]*lazyNode:
		if kind == rawjson.Null {
			*v = nil
			return true, nil
		}
		if kind != rawjson.Array {
			return true, json.ErrType
		}
		*v = []*lazyNode{}
		for _, value := range rawjson.Elements(text) {
			*v = append(*v, nodeOf(value))
		}
	case *Patch:
		return true, decodePatch(text, kind, v)
	default:
		return false, nil
	}
	return true, nil
}

func nodeOf(value string) *lazyNode {
	if value == "null" {
		return nil
	}
	return newLazyNode(newRawMessage([]byte(value)))
}

func decodePatch(text string, kind rawjson.Kind, v *Patch) (err error) {
	*v = nil
	if kind == rawjson.Null {
		return nil
	}
	if kind != rawjson.Array {
		return json.ErrType
	}
	*v = Patch{}
	for _, element := range rawjson.Elements(text) {
		var op Operation
		switch rawjson.KindOf(element) {
		case rawjson.Object:
			op = Operation{}
			for key, value := range rawjson.Members(element) {
				var raw *json.RawMessage
				if value != "null" {
					raw = newRawMessage([]byte(value))
				}
				op[json.Unquote(string(key))] = raw
			}
		case rawjson.Null:
		default:
			err = json.ErrType
		}
		*v = append(*v, op)
	}
	return err
}

func encode(dst *bytes.Buffer, v any, escape bool) (bool, error) {
	null := false
	switch v := v.(type) {
	case *lazyNode:
		null = v == nil
	case *partialDoc:
		null = v == nil
	case *partialArray:
		null = v == nil
	case []*lazyNode:
		return true, list(dst, '[', ']', len(v), func(i int) error { return json.Append(dst, v[i], escape) })
	case Operation:
		if null = v == nil; null {
			break
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return true, list(dst, '{', '}', len(keys), func(i int) error {
			json.AppendString(dst, keys[i], escape)
			dst.WriteByte(':')
			return json.Append(dst, v[keys[i]], escape)
		})
	}
	if null {
		dst.WriteString("null")
	}
	return null, nil
}

func list(dst *bytes.Buffer, open, end byte, n int, item func(int) error) error {
	dst.WriteByte(open)
	for i := range n {
		if i > 0 {
			dst.WriteByte(',')
		}
		if err := item(i); err != nil {
			return err
		}
	}
	dst.WriteByte(end)
	return nil
}
