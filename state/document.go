package state

import (
	"unsafe"

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
	// peeked are containers of closed texts that are long and looked into in places that views share. Nobody changes
	// them.
	peeked map[text]*container
	from   []Step
	plans  *planner
	trail  []*container // what encloses the value that the operation at hand changes, and those before it (see grow)
	bounds
}

// View is an immutable view of a document at one moment. It shares what the document did not change since.
// The zero value is null.
type View struct {
	root   value
	bounds bounds
}

// value is one JSON value: text, or an opened container.
type value struct {
	raw string
	c   *container
}

// owner is an identity. (It has a size, so that each has an address of its own.)
type owner struct{ _ byte }

// NewDocument makes a document of checked JSON text; "" is null. For text of unknown origin see [ParseDocument].
func NewDocument(raw string) *Document {
	if raw == "" {
		raw = "null"
	}
	return &Document{root: value{raw: raw}, owner: new(owner), bounds: bounds{received: len(raw)}}
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
	d.owner, d.peeked = new(owner), nil
	return View{d.root, d.bounds}
}

// Restore makes the document what it was when the view was taken, in constant time. The view stays good.
func (d *Document) Restore(v View) {
	d.owner, d.peeked = new(owner), nil
	d.root, d.bounds = v.root, v.bounds
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

// Get gives the text of the value at an RFC 6901 pointer. It changes nothing: several goroutines may read one view,
// while another one changes the document that it was taken from.
func (v View) Get(pointer string) (raw string, ok bool) {
	tokens, reason := parsePointer(pointer)
	if reason != "" {
		return "", false
	}
	at := v.root
	if at.c == nil && at.raw == "" {
		at.raw = "null"
	}
	for _, t := range tokens {
		c := at.open(nil) // at is a copy
		if c == nil {
			return "", false
		}
		i, reason := c.resolve(t)
		if reason != "" {
			return "", false
		}
		child, _ := c.read(i)
		at = *child
	}
	return at.String(), true
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

// setMember assigns a member of the root object, or makes the root such an object if it is none. It reports whether the
// value changed.
func (d *Document) setMember(quoted rawjson.String, raw string) bool {
	c := d.root.open(d.owner)
	if c == nil || c.array {
		c = &container{owner: d.owner, size: 2}
		d.root = value{c: c}
	}
	if c.owner != d.owner {
		c = c.clone(d.owner)
		d.root = value{c: c}
	}
	d.received += len(raw)
	c.depth = 0
	key := quoted.Decode()
	if i := c.find(key); i >= 0 {
		old := c.child(i)
		if old.c == nil && old.raw == raw {
			return false
		}
		c.size += len(raw) - old.size()
		*old = value{raw: raw}
		return true
	}
	c.push(quoted, key, value{raw: raw})
	c.size += len(quoted) + len(raw) + 2
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
		n := 0
		for items := range v.c.elems.pieces {
			for i := range items {
				if n++; n > 1 {
					dst = append(dst, ',')
				}
				dst = items[i].appendJSON(dst)
			}
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	first := true
	for items := range v.c.members.pieces {
		for i := range items {
			m := &items[i]
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
		c := &container{owner: o, array: true, size: len(v.raw)}
		for _, e := range rawjson.Elements(v.raw) {
			c.elems.push(value{raw: e}, o)
		}
		v.raw, v.c = "", c
	case rawjson.Object:
		c := &container{owner: o, size: len(v.raw)}
		for quoted, e := range rawjson.Members(v.raw) {
			key := quoted.Decode()
			if i := c.find(key); i >= 0 {
				c.child(i).raw = e
				continue
			}
			c.push(quoted, key, value{raw: e})
		}
		v.raw, v.c = "", c
	}
	return v.c
}

// text is where a text lies in memory.
type text struct {
	at     *byte
	length int
}

// keepPeeked is how many containers a document keeps of texts that it looked into.
const keepPeeked = 64

// peek gives the container of a closed value without opening the value; nil for a scalar. Long ones it remembers until
// the next snapshot, so that a text which is looked into again and again is read once.
func (d *Document) peek(v *value) *container {
	k := text{unsafe.StringData(v.raw), len(v.raw)}
	if c := d.peeked[k]; c != nil {
		return c
	}
	copied := *v
	c := copied.open(nil)
	if c != nil && k.length > openFrom {
		if d.peeked == nil || len(d.peeked) == keepPeeked {
			d.peeked = make(map[text]*container)
		}
		d.peeked[k] = c
	}
	return c
}
