package state

import "aguiwasm/agui/rawjson"

// equal reports whether a value of the document equals checked text, as RFC 6902 section 4.6 has it. It costs what the
// text is long, not what the value would be: a value whose parts are shared may be far longer as text than in memory,
// so it is never written out.
func (d *Document) equal(v *value, raw string) bool {
	c := v.c
	if c == nil && len(v.raw) > openFrom && len(v.raw) > 2*len(raw) {
		c = d.peek(v) // a long text is not read anew for each short one that it is compared with
	}
	if c == nil {
		return v.raw == raw || rawjson.Equal(v.raw, raw)
	}
	if c.array {
		if rawjson.KindOf(raw) != rawjson.Array {
			return false
		}
		walk := cursor[value]{list: &c.elems}
		for _, e := range rawjson.Elements(raw) {
			if child := walk.next(); child == nil || !d.equal(child, e) {
				return false
			}
		}
		return walk.next() == nil
	}
	if rawjson.KindOf(raw) != rawjson.Object {
		return false
	}
	return d.equalMembers(c, raw)
}

// equalMembers compares an object with the text of one. Mostly the members stand in the same order; that is found out
// first, so that no member is compared twice (twice at each level would be without end).
func (d *Document) equalMembers(c *container, raw string) bool {
	names := c.standing()
	for name := range rawjson.Members(raw) {
		if m := names(); m == nil || !name.Is(m.key) {
			return d.equalAnyOrder(c, raw)
		}
	}
	if names() != nil {
		return false
	}
	values := c.standing()
	for _, e := range rawjson.Members(raw) {
		if !d.equal(&values().val, e) {
			return false
		}
	}
	return true
}

// standing gives the members that were not removed, one after the other, and then nil.
func (c *container) standing() func() *member {
	walk := cursor[member]{list: &c.members}
	return func() *member {
		m := walk.next()
		for m != nil && m.quoted == "" {
			m = walk.next()
		}
		return m
	}
}

// equalAnyOrder compares members in another order, or with duplicate keys, of which the last one counts.
func (d *Document) equalAnyOrder(c *container, raw string) bool {
	last := map[string]string{}
	for name, e := range rawjson.Members(raw) {
		last[name.Decode()] = e
	}
	if len(last) != c.members.len()-c.gone {
		return false
	}
	for name, e := range last {
		i := c.find(name)
		if i < 0 {
			return false
		}
		if child, _ := c.read(i); !d.equal(child, e) {
			return false
		}
	}
	return true
}
