package state

import "aguiwasm/agui/rawjson"

// equal reports whether the value equals checked text, as RFC 6902 section 4.6 has it. It costs what the text is long, not
// what the value would be: a value whose parts are shared may be far longer as text than in memory, so it is never written out.
func (v *value) equal(raw string) bool {
	if v.c == nil && len(v.raw) > openFrom && len(v.raw) > 2*len(raw) {
		v.open(nil) // a long text is not read anew for each short one that it is compared with
	}
	if v.c == nil {
		return v.raw == raw || rawjson.Equal(v.raw, raw)
	}
	c := v.c
	if c.array {
		if rawjson.KindOf(raw) != rawjson.Array {
			return false
		}
		walk := cursor[value]{list: &c.elems}
		for _, e := range rawjson.Elements(raw) {
			if child := walk.next(); child == nil || !child.equal(e) {
				return false
			}
		}
		return walk.next() == nil
	}
	if rawjson.KindOf(raw) != rawjson.Object {
		return false
	}
	return c.equalMembers(raw)
}

// equalMembers compares an object with the text of one. Mostly the members stand in the same order; that is found out first,
// so that no member is compared twice (twice at each level would be without end).
func (c *container) equalMembers(raw string) bool {
	names := c.standing()
	for name := range rawjson.Members(raw) {
		if m := names(); m == nil || !name.Is(m.key) {
			return c.equalAnyOrder(raw)
		}
	}
	if names() != nil {
		return false
	}
	values := c.standing()
	for _, e := range rawjson.Members(raw) {
		if !values().val.equal(e) {
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
func (c *container) equalAnyOrder(raw string) bool {
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
		if child, _ := c.read(i); !child.equal(e) {
			return false
		}
	}
	return true
}
