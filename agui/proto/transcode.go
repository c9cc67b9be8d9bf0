package proto

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// Fault says why a message gives no event.
type Fault struct {
	// Type is the type of the event where the message names one that is known, or "".
	Type string
	// Reason goes on after "the event": "is no protobuf message".
	Reason string
	// Unknown says that the message is well-formed and holds an event that this version does not know. Its name is
	// not on the wire.
	Unknown bool
	// TooDeep says that a value is nested deeper than [rawjson.MaxDepth].
	TooDeep bool
}

// Error implements error.
func (f *Fault) Error() string { return "the event " + f.Reason }

// AppendEvent appends the JSON text of the event that a message holds, on one line. On a fault it gives dst as it
// was.
//
// Dropped counts content parts of kinds that this version does not know and that therefore have no name: they are
// left out.
func AppendEvent(dst []byte, message []byte) (json []byte, dropped int, fault *Fault) {
	e, body, fault := open(message)
	if fault != nil {
		return dst, 0, fault
	}
	w := writer{dst: append(dst, `{"type":"`...), event: e}
	w.dst = append(append(w.dst, e.typ...), '"')
	if w.members(e.of, body); w.fault != nil {
		w.fault.Type = e.typ
		return dst, 0, w.fault
	}
	return append(w.dst, '}'), w.dropped, nil
}

var malformed = Fault{Reason: "is no protobuf message of the protocol"}

// open finds the one event in an envelope.
func open(message []byte) (*event, parts, *Fault) {
	r := wireReader{b: message}
	var e *event
	var body parts
	future := false
	for {
		f, ok := r.next()
		if !ok {
			break
		}
		if int(f.number) > len(envelope) {
			// Fields beside the events are a later version's, as protobuf has it; alone they are its events.
			future = future || f.wire == bytes && wellFormed(f.b)
			continue
		}
		arm := &envelope[f.number-1]
		if f.wire != bytes || e != nil && e != arm {
			return nil, body, &Fault{Reason: "holds more than one kind of event, or one that cannot be read"}
		}
		e = arm
		body.add(f.b)
	}
	switch {
	case r.bad:
		f := malformed
		return nil, body, &f
	case e != nil:
		return e, body, nil
	case future:
		return nil, body, &Fault{Reason: "is of a kind that this version does not know", Unknown: true}
	}
	return nil, body, &Fault{Reason: "is a message without an event"}
}

// writer writes a message as the members of a JSON object.
type writer struct {
	dst     []byte
	event   *event
	depth   int
	dropped int
	fault   *Fault
}

func (w *writer) fail(reason string) {
	if w.fault == nil {
		w.fault = &Fault{Reason: reason}
	}
}

// slot is what a message holds of one field.
type slot struct {
	set  bool
	n    uint64
	b    []byte   // of a scalar the last; of a message that occurs once the first piece
	rows [][]byte // the other pieces; or all of what may occur often
}

func (s *slot) msg() parts { return parts{first: s.b, more: s.rows, set: s.set} }

// wireOf gives the wire type of a kind.
func wireOf(k kind) uint8 {
	switch k {
	case integer, boolean, operation:
		return varint
	}
	return bytes
}

// read sorts a message's fields. A field of another wire type than the schema's is unknown; of scalars the last
// counts.
func (w *writer) read(of schema, body parts, into *[most + 1]slot) {
	for s := body.scan(); ; {
		f, ok := w.next(&s)
		if !ok {
			return
		}
		if int(f.number) > len(of) || f.wire != wireOf(of[f.number-1].kind) {
			continue
		}
		at := &into[f.number]
		first := !at.set
		at.set = true
		switch of[f.number-1].kind {
		case integer, boolean, operation:
			at.n = f.n
		case texts, list, array, contentParts, inOutcome, idsInOutcome:
			at.rows = append(at.rows, f.b)
		case value, object, one, base, activity, arms:
			if first {
				at.b = f.b
			} else {
				at.rows = append(at.rows, f.b)
			}
		default:
			at.b = f.b
		}
	}
}

// members writes a message's members after what stands in the object.
func (w *writer) members(of schema, body parts) {
	var slots [most + 1]slot
	w.read(of, body, &slots)
	for i := range of {
		if w.fault != nil {
			return
		}
		w.member(of, i, &slots)
	}
}

func (w *writer) member(of schema, i int, slots *[most + 1]slot) {
	m, at := &of[i], &slots[i+1]
	switch m.kind {
	case text:
		w.text(m.name, at.b)
	case optional:
		if at.set {
			w.text(m.name, at.b)
		}
	case integer:
		if at.set {
			w.name(m.name)
			w.dst = strconv.AppendInt(w.dst, int64(at.n), 10)
		}
	case boolean:
		if at.set {
			w.name(m.name)
			w.dst = strconv.AppendBool(w.dst, at.n != 0)
		}
	case operation:
		w.name(m.name)
		w.operation(int32(at.n))
	case value:
		if at.set {
			from := len(w.dst)
			w.name(m.name)
			if !w.value(at.msg()) {
				w.dst = w.dst[:from]
			}
		}
	case object:
		if at.set {
			w.name(m.name)
			w.object(at.msg())
		}
	case one:
		if at.set {
			w.name(m.name)
			w.dst = append(w.dst, '{')
			w.members(*m.of, at.msg())
			w.dst = append(w.dst, '}')
		}
	case texts, list, array:
		if at.set || m.kind == array {
			w.list(m, at.rows)
		}
	case base:
		w.base(at)
	case content:
		w.content(of, slots)
	case outcome:
		w.outcome(of, string(at.b), slots)
	case inOutcome, idsInOutcome:
		if len(slots[w.outcomeAt(of)].b) == 0 && at.set { // without an outcome they stand on their own
			w.list(m, at.rows)
		}
	case arms:
		if at.set {
			w.name(m.name)
			w.source(m.of, at.msg())
		}
	}
}

// name begins a member.
func (w *writer) name(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(append(append(w.dst, '"'), name...), '"', ':')
}

func (w *writer) text(name string, b []byte) {
	w.name(name)
	w.quote(b)
}

func (w *writer) quote(b []byte) { w.dst = rawjson.AppendQuote(w.dst, validText(b)) }

// list writes messages or strings as an array.
func (w *writer) list(m *member, rows [][]byte) {
	w.name(m.name)
	w.dst = append(w.dst, '[')
	for i, row := range rows {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		if m.of == nil {
			w.quote(row)
			continue
		}
		w.dst = append(w.dst, '{')
		w.members(*m.of, parts{first: row, set: true})
		w.dst = append(w.dst, '}')
	}
	w.dst = append(w.dst, ']')
}

// base writes what every event may have. The envelope's arm has named the type: a base of another one is malformed.
func (w *writer) base(at *slot) {
	if !at.set {
		w.fail("has no base event")
		return
	}
	var slots [most + 1]slot
	w.read(baseEvent, at.msg(), &slots)
	if w.fault == nil && int32(slots[1].n) != w.event.number {
		w.fail("is named otherwise by its base event")
		return
	}
	for i := range baseEvent {
		if i > 0 {
			w.member(baseEvent, i, &slots)
		}
	}
}

var operations = [...]string{"add", "remove", "replace", "move", "copy", "test"}

// operation writes the name of a JSON Patch operation. One that this version does not know has only its number: it
// goes on as that, and fails as an unknown operation does.
func (w *writer) operation(n int32) {
	w.dst = append(w.dst, '"')
	if n >= 0 && int(n) < len(operations) {
		w.dst = append(w.dst, operations[n]...)
	} else {
		w.dst = strconv.AppendInt(w.dst, int64(n), 10)
	}
	w.dst = append(w.dst, '"')
}

// outcomeAt gives the field number of the outcome.
func (w *writer) outcomeAt(of schema) int {
	for i := range of {
		if of[i].kind == outcome {
			return i + 1
		}
	}
	return 0
}

// outcome writes the outcome with what belongs to it. An interrupt always has its list.
func (w *writer) outcome(of schema, typ string, slots *[most + 1]slot) {
	if typ == "" {
		return
	}
	w.name("outcome")
	w.dst = append(w.dst, '{')
	w.text("type", []byte(typ))
	for i := range of {
		at := &slots[i+1]
		switch {
		case of[i].kind == inOutcome && (at.set || typ == "interrupt"), of[i].kind == idsInOutcome && at.set:
			w.list(&of[i], at.rows)
		}
	}
	w.dst = append(w.dst, '}')
}
