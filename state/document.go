package state

import (
	"maps"
	"slices"

	"aguiwasm/agui/rawjson"
)

// maxDepth is the deepest nesting of a document; [[]] has depth 2. An event nests 1,000 deep at most and its
// envelope is one level.
const maxDepth = rawjson.MaxDepth - 1

// indexFrom is the number of members from which an object gets a map; below it a linear search is faster.
const indexFrom = 16

// Document is one JSON value, kept as the text that it came as and opened, level by level, only where a patch goes.
// What was not opened is given back byte for byte: numbers, escapes, the order of keys, halves of surrogate pairs.
//
// Of duplicate keys the last value counts, at the place of the first, as JSON.parse has it.
// A Document is not safe for concurrent use. The zero value is not ready; see [NewDocument] and [ParseDocument].
type Document struct {
	root value
	// owner marks the containers that only this document holds, so that they may change in place.
	owner *owner
	undo  []undo
	steps []Step // the resolved path of the operation at hand
	from  []Step
	plans *planner
	// copied is how many bytes of text the patch at hand has copied.
	copied int
}

// View is an immutable view of a document at one moment. It shares what the document did not change since.
// The zero value is null.
type View struct{ root value }

// value is one JSON value: text, or an opened container.
type value struct {
	raw string
	c   *container
}

// container is an opened object or array.
type container struct {
	owner   *owner
	array   bool
	elems   []value
	members []member
	// index finds members by key; nil for small objects. It may be shared with another container (then it is
	// copied before it changes).
	index  map[string]int
	shared bool
	// gone counts the removed members that still stand in members.
	gone int
}

// member is an object's member. A removed one has no quoted key.
type member struct {
	quoted rawjson.String
	key    string
	val    value
}

// owner is an identity. (It has a size, so that each has an address of its own.)
type owner struct{ _ byte }

// NewDocument makes a document of checked JSON text; "" is null. For text of unknown origin see [ParseDocument].
func NewDocument(raw string) *Document {
	if raw == "" {
		raw = "null"
	}
	return &Document{root: value{raw: raw}, owner: new(owner)}
}

// ParseDocument checks text (RFC 8259, at most 999 levels) and makes a document of it.
func ParseDocument(text string) (*Document, error) {
	if err := rawjson.Check(text, maxDepth); err != nil {
		return nil, err
	}
	return NewDocument(text), nil
}

// AppendJSON appends the document's text.
func (d *Document) AppendJSON(dst []byte) []byte { return d.root.appendJSON(dst) }

// String gives the document's text.
func (d *Document) String() string { return d.root.String() }

// Snapshot gives an immutable view, in constant time. The document's next changes copy the containers on their path.
func (d *Document) Snapshot() View {
	d.owner = new(owner)
	return View{d.root}
}

// Restore makes the document what it was when the view was taken, in constant time. The view stays good.
func (d *Document) Restore(v View) {
	d.owner = new(owner)
	d.root = v.root
	if d.root.c == nil && d.root.raw == "" {
		d.root.raw = "null"
	}
}

// Document gives a document of its own that begins as the view.
func (v View) Document() *Document {
	d := &Document{}
	d.Restore(v)
	return d
}

// AppendJSON appends the view's text.
func (v View) AppendJSON(dst []byte) []byte {
	if v.root.c == nil && v.root.raw == "" {
		return append(dst, "null"...)
	}
	return v.root.appendJSON(dst)
}

// String gives the view's text.
func (v View) String() string {
	if v.root.c == nil && v.root.raw == "" {
		return "null"
	}
	return v.root.String()
}

// Get gives the text of the value at an RFC 6901 pointer.
func (d *Document) Get(pointer string) (raw string, ok bool) {
	tokens, reason := parsePointer(pointer)
	if reason != "" {
		return "", false
	}
	v, _ := d.find(tokens)
	if v == nil {
		return "", false
	}
	return v.String(), true
}

// set assigns a member of the root object, or makes the root such an object if it is none. It reports whether the value changed.
func (d *Document) setMember(quoted rawjson.String, raw string) bool {
	c := d.root.open(d.owner)
	if c == nil || c.array {
		c = &container{owner: d.owner}
		d.root = value{c: c}
	}
	if c.owner != d.owner {
		c = c.clone(d.owner)
		d.root = value{c: c}
	}
	key := quoted.Decode()
	if i := c.find(key); i >= 0 {
		if old := &c.members[i].val; old.c == nil && old.raw == raw {
			return false
		}
		c.members[i].val = value{raw: raw}
		return true
	}
	c.push(quoted, key, value{raw: raw})
	return true
}

// String gives the value's text: its own where it was not opened.
func (v *value) String() string {
	if v.c == nil {
		return v.raw
	}
	return string(v.appendJSON(nil))
}

// appendJSON appends the value's text. What is open nests as deep as maxDepth at most, so that recursion is safe.
func (v *value) appendJSON(dst []byte) []byte {
	if v.c == nil {
		return append(dst, v.raw...)
	}
	if v.c.array {
		dst = append(dst, '[')
		for i := range v.c.elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.c.elems[i].appendJSON(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	first := true
	for i := range v.c.members {
		m := &v.c.members[i]
		if m.quoted == "" {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, m.quoted...)
		dst = append(dst, ':')
		dst = m.val.appendJSON(dst)
	}
	return append(dst, '}')
}

// open gives the value's container, reading one level of its text if it is still closed; nil for a scalar.
// The container belongs to the holder of what holds it, o: a view that shares the holder shares it too.
func (v *value) open(o *owner) *container {
	if v.c != nil {
		return v.c
	}
	switch rawjson.KindOf(v.raw) {
	case rawjson.Array:
		c := &container{owner: o, array: true}
		for _, e := range rawjson.Elements(v.raw) {
			c.elems = append(c.elems, value{raw: e})
		}
		v.raw, v.c = "", c
	case rawjson.Object:
		c := &container{owner: o}
		for quoted, e := range rawjson.Members(v.raw) {
			key := quoted.Decode()
			if i := c.find(key); i >= 0 {
				c.members[i].val = value{raw: e}
				continue
			}
			c.push(quoted, key, value{raw: e})
		}
		v.raw, v.c = "", c
	}
	return v.c
}

// find gives the place of the member, or -1.
func (c *container) find(key string) int {
	if c.index != nil {
		if i, ok := c.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range c.members {
		if m := &c.members[i]; m.key == key && m.quoted != "" {
			return i
		}
	}
	return -1
}

// push adds a new member at the end.
func (c *container) push(quoted rawjson.String, key string, v value) {
	c.members = append(c.members, member{quoted, key, v})
	n := len(c.members)
	if c.index == nil {
		if n < indexFrom {
			return
		}
		c.index = make(map[string]int, 2*n)
		for i := range c.members {
			if c.members[i].quoted != "" {
				c.index[c.members[i].key] = i
			}
		}
		return
	}
	c.ownIndex()
	c.index[key] = n - 1
}

// pop takes the last member away again.
func (c *container) pop() {
	n := len(c.members) - 1
	if c.index != nil {
		c.ownIndex()
		delete(c.index, c.members[n].key)
	}
	c.members[n] = member{}
	c.members = c.members[:n]
}

// drop marks a member as removed; its place stays until compact, so that it can be taken back.
func (c *container) drop(i int) {
	if c.index != nil {
		c.ownIndex()
		delete(c.index, c.members[i].key)
	}
	c.members[i].quoted = ""
	c.members[i].val = value{}
	c.gone++
}

// undrop takes drop back.
func (c *container) undrop(i int, quoted rawjson.String, v value) {
	c.members[i].quoted, c.members[i].val = quoted, v
	c.gone--
	if c.index != nil {
		c.ownIndex()
		c.index[c.members[i].key] = i
	}
}

func (c *container) ownIndex() {
	if c.shared {
		c.index, c.shared = maps.Clone(c.index), false
	}
}

// compact removes the places of removed members.
func (c *container) compact() {
	c.members = slices.DeleteFunc(c.members, func(m member) bool { return m.quoted == "" })
	c.gone = 0
	if c.index != nil {
		c.index, c.shared = make(map[string]int, len(c.members)), false
		for i := range c.members {
			c.index[c.members[i].key] = i
		}
	}
}

// clone copies the container for a new owner. Its children stay shared.
func (c *container) clone(o *owner) *container {
	n := &container{owner: o, array: c.array, gone: c.gone, index: c.index}
	if c.array {
		n.elems = slices.Clone(c.elems)
		return n
	}
	n.members = slices.Clone(c.members)
	if c.index != nil {
		c.shared, n.shared = true, true
	}
	return n
}

// equal reports whether the value equals checked text, as RFC 6902 section 4.6 has it, without putting open levels together again.
func (v *value) equal(raw string) bool {
	if v.c == nil {
		return v.raw == raw || rawjson.Equal(v.raw, raw)
	}
	n := 0
	if v.c.array {
		if rawjson.KindOf(raw) != rawjson.Array {
			return false
		}
		for i, e := range rawjson.Elements(raw) {
			if i >= len(v.c.elems) || !v.c.elems[i].equal(e) {
				return false
			}
			n++
		}
		return n == len(v.c.elems)
	}
	if rawjson.KindOf(raw) != rawjson.Object {
		return false
	}
	for name, e := range rawjson.Members(raw) {
		for n < len(v.c.members) && v.c.members[n].quoted == "" {
			n++
		}
		if n == len(v.c.members) || !name.Is(v.c.members[n].key) {
			return rawjson.Equal(v.String(), raw) // another order, or duplicates: the long way
		}
		if !v.c.members[n].val.equal(e) {
			last, _ := rawjson.Get(raw, v.c.members[n].key)
			return last != e && rawjson.Equal(v.String(), raw)
		}
		n++
	}
	for ; n < len(v.c.members); n++ {
		if v.c.members[n].quoted != "" {
			return false
		}
	}
	return true
}

// within gives what is left of a number of bytes when the value's text is taken from it. It stops looking once nothing is:
// what shares its parts may be far longer as text than in memory.
func (v *value) within(left int) int {
	if v.c == nil {
		return left - len(v.raw)
	}
	left -= 2
	for i := 0; i < len(v.c.elems) && left >= 0; i++ {
		left = v.c.elems[i].within(left - 1)
	}
	for i := 0; i < len(v.c.members) && left >= 0; i++ {
		left = v.c.members[i].val.within(left - len(v.c.members[i].quoted) - 2)
	}
	return left
}

// deeper reports whether the value nests deeper than limit levels.
func (v *value) deeper(limit int) bool {
	if v.c == nil {
		if len(v.raw)/2 <= limit {
			return false // each level has at least its two brackets
		}
		return rawDepthOver(v.raw, limit)
	}
	if limit <= 0 {
		return true
	}
	for i := range v.c.elems {
		if v.c.elems[i].deeper(limit - 1) {
			return true
		}
	}
	for i := range v.c.members {
		if v.c.members[i].val.deeper(limit - 1) {
			return true
		}
	}
	return false
}

// rawDepthOver reports whether checked text nests deeper than limit levels.
func rawDepthOver(raw string, limit int) bool {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		}
	}
	return false
}
