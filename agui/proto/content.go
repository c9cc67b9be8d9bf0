package proto

// carriers finds which forms of content a message holds.
func carriers(of schema, slots *[most + 1]slot) (str, list, obj *slot, parts *schema) {
	none := &slots[0]
	str, list, obj = none, none, none
	for i := range of {
		switch of[i].kind {
		case content:
			str = &slots[i+1]
		case contentParts:
			list = &slots[i+1]
		case activity:
			obj = &slots[i+1]
		}
	}
	return str, list, obj, &part
}

// content writes the content of a message or of a tool's result. The wire has a field for each form of it, and the
// role says which may be there: a user's and a tool's are a string or parts, an activity's an object, the others' a
// string. More than one form at once is malformed, whatever the role. Of a role that this version does not know the
// form that came counts.
func (w *writer) content(of schema, slots *[most + 1]slot) {
	str, list, obj, kinds := carriers(of, slots)
	forms := 0
	for _, s := range [...]*slot{str, list, obj} {
		if s.set {
			forms++
		}
	}
	if forms > 1 {
		w.fail("has content in more than one form")
		return
	}
	inParts, inObject, known := true, false, true // a tool's result
	if obj != &slots[0] {
		switch string(slots[2].b) {
		case "user", "tool":
		case "activity":
			inParts, inObject = false, true
		case "developer", "system", "assistant", "reasoning":
			inParts = false
		default:
			known, inParts, inObject = false, list.set, obj.set
		}
	}
	switch {
	case known && (list.set && !inParts || obj.set && !inObject || str.set && inObject):
		w.fail("has content in a form that its role does not have")
	case str.set:
		w.text("content", str.b)
	case obj.set:
		w.name("content")
		w.object(obj.msg())
	case inParts: // an empty list does not show on the wire
		w.name("content")
		w.dst = append(w.dst, '[')
		for _, row := range list.rows {
			w.part(kinds, row)
		}
		w.dst = append(w.dst, ']')
	}
}

// part writes a content part, unless it is of a kind that is not known.
func (w *writer) part(kinds *schema, row []byte) {
	i, body := w.arm(*kinds, parts{first: row, set: true})
	from, dropped := len(w.dst), w.dropped
	if i < 0 {
		w.dropped++
		return
	}
	if w.dst[from-1] != '[' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '{')
	w.text("type", []byte((*kinds)[i].name))
	w.members(*(*kinds)[i].of, body)
	w.dst = append(w.dst, '}')
	if w.dropped != dropped { // its source
		w.dst = w.dst[:from]
	}
}

// source writes where a media part's bytes come from.
func (w *writer) source(kinds *schema, body parts) {
	i, body := w.arm(*kinds, body)
	w.dst = append(w.dst, '{')
	if i < 0 {
		w.dropped++
	} else {
		w.text("type", []byte((*kinds)[i].name))
		w.members(*(*kinds)[i].of, body)
	}
	w.dst = append(w.dst, '}')
}

// arm finds the one field of a message that is set; -1 is none that is known.
func (w *writer) arm(kinds schema, body parts) (i int, arm parts) {
	i = -1
	for s := body.scan(); ; {
		f, ok := w.next(&s)
		if !ok {
			return i, arm
		}
		if int(f.number) > len(kinds) || f.wire != bytes {
			continue
		}
		if at := int(f.number) - 1; i >= 0 && i != at {
			w.fail("has a content part of more than one kind")
			return i, arm
		} else {
			i = at
		}
		arm.add(f.b)
	}
}
