package proto

import (
	"math"
	"strconv"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
)

// The fields of google.protobuf.Value, whose last one counts.
const (
	nullValue = 1 + iota
	numberValue
	stringValue
	boolValue
	structValue
	listValue
)

var valueWires = [...]uint8{
	nullValue: varint, numberValue: fixed64, stringValue: bytes, boolValue: varint, structValue: bytes,
	listValue: bytes,
}

// value writes a google.protobuf.Value as JSON. It reports false, and writes nothing, where it has none.
func (w *writer) value(body parts) (written bool) {
	var last field
	var msg parts
	for s := body.scan(); ; {
		f, ok := w.next(&s)
		if !ok {
			break
		}
		if f.number > listValue || f.wire != valueWires[f.number] {
			continue
		}
		if f.number != last.number {
			msg = parts{}
		}
		last = f
		if f.number >= structValue {
			msg.add(f.b)
		}
	}
	switch last.number {
	case nullValue:
		w.dst = append(w.dst, "null"...)
	case numberValue:
		w.number(math.Float64frombits(last.n))
	case stringValue:
		w.quote(last.b)
	case boolValue:
		w.dst = strconv.AppendBool(w.dst, last.n != 0)
	case structValue:
		w.object(msg)
	case listValue:
		w.values(msg)
	default:
		return false
	}
	return true
}

// next gives a message's next field; where its bytes are no message, that is the fault.
func (w *writer) next(s *scanner) (field, bool) {
	f, ok := s.next()
	if !ok && s.r.bad {
		w.fail(malformed.Reason)
	}
	return f, ok
}

// deeper counts a level of nesting; false: it is one too many.
func (w *writer) deeper() bool {
	if w.depth++; w.depth > rawjson.MaxDepth {
		w.fail("is nested deeper than " + strconv.Itoa(rawjson.MaxDepth) + " levels")
		w.fault.TooDeep = true
	}
	return w.fault == nil
}

// object writes a google.protobuf.Struct. Of a name that comes twice the last value counts, as in JSON.
func (w *writer) object(body parts) {
	w.dst = append(w.dst, '{')
	if w.deeper() {
		for s := body.scan(); ; {
			f, ok := w.next(&s)
			if !ok {
				break
			}
			if f.number == 1 && f.wire == bytes {
				w.entry(f.b)
			}
		}
	}
	w.depth--
	w.dst = append(w.dst, '}')
}

// entry writes one member of a Struct; without a value it is none.
func (w *writer) entry(b []byte) {
	var key []byte
	var v parts
	r := wireReader{b: b}
	for {
		f, ok := r.next()
		if !ok {
			break
		}
		switch {
		case f.wire != bytes:
		case f.number == 1:
			key = f.b
		case f.number == 2:
			v.add(f.b)
		}
	}
	if r.bad {
		w.fail(malformed.Reason)
	}
	if w.fault != nil {
		return
	}
	from := len(w.dst)
	if w.dst[from-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.quote(key)
	w.dst = append(w.dst, ':')
	if !w.value(v) {
		w.dst = w.dst[:from]
	}
}

// values writes a google.protobuf.ListValue. An element without a value keeps its place as null.
func (w *writer) values(body parts) {
	w.dst = append(w.dst, '[')
	if w.deeper() {
		first := true
		for s := body.scan(); ; {
			f, ok := w.next(&s)
			if !ok {
				break
			}
			if f.number != 1 || f.wire != bytes {
				continue
			}
			if !first {
				w.dst = append(w.dst, ',')
			}
			first = false
			if !w.value(parts{first: f.b, set: true}) {
				w.dst = append(w.dst, "null"...)
			}
		}
	}
	w.depth--
	w.dst = append(w.dst, ']')
}

// number writes a double as JavaScript writes it.
func (w *writer) number(n float64) {
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		w.fail("holds a number that JSON does not have (NaN or an infinity)")
	case n == math.Trunc(n) && math.Abs(n) < 1e15 && (n != 0 || !math.Signbit(n)):
		w.dst = strconv.AppendInt(w.dst, int64(n), 10)
	case math.Abs(n) >= 1e21 || math.Abs(n) < 1e-6 && n != 0:
		w.dst = strconv.AppendFloat(w.dst, n, 'e', -1, 64)
	default:
		w.dst = strconv.AppendFloat(w.dst, n, 'f', -1, 64)
	}
}

// validText gives text with what is no UTF-8 replaced as the WHATWG Encoding standard's decoder does.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string(rawjson.AppendValid(nil, b))
}
