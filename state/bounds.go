package state

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// A copy of what holds a copy doubles a document, though both places share one value: a few hundred bytes of operations
// would make a text that no memory holds. And what walks such a value as if it were written out would never end. So
// each container knows how long its text is and how deep it nests, and these are the limits.
const (
	// maxCopied is how many bytes of text the copies of one patch may copy, and how much longer than all that it was
	// made of a document's text may become by copies.
	maxCopied = 16 << 20
	// maxText is how long a patch may make a document's text.
	maxText = 64 << 20
	// maxSteps is how many places one patch may look at to find out how deep its values nest, beside the text that
	// came.
	maxSteps = 1 << 20
)

// bounds is what a document knows of its size.
type bounds struct {
	// received is the length of all text that the document was made of.
	received int
	// deepest is at least the number of levels that the document nests; 0 is not known.
	deepest int
	// copied and walked are what the patch at hand has spent of maxCopied and maxSteps.
	copied, walked int
}

// size is the length of the value's text.
func (v *value) size() int {
	if v.c == nil {
		return len(v.raw)
	}
	return v.c.size
}

// tooLong says why a document's text is too long after an operation, or gives "".
func (d *Document) tooLong(before int) string {
	size := d.root.size()
	switch {
	case size <= before || size <= maxCopied:
	case size > maxText:
		return "the document would be longer than " + strconv.Itoa(maxText>>20) + " MB as text"
	case size-maxCopied > d.received:
		return "the document would be more than " + strconv.Itoa(maxCopied>>20) + " MB longer than what it was made of"
	}
	return ""
}

// tooDeep says why the value, put where the path of so many tokens leads, would nest too deep, or gives "". from is how
// many tokens lead to where it stands now.
//
// A sum that is never too small decides mostly. Only where that comes to the limit does it look.
func (d *Document) tooDeep(v *value, tokens, from int) string {
	if d.deepest == 0 {
		d.deepest = d.root.levels(nil)
	}
	bound := tokens + max(d.deepest-from, 0)
	if bound > maxDepth {
		left := maxSteps - d.walked
		bound = tokens + v.levels(&left)
		if d.walked = maxSteps - left; left < 0 {
			return "it is too costly to find out how deep the document would nest"
		}
	}
	if bound > maxDepth {
		return "the document would nest too deep"
	}
	d.deepest = max(d.deepest, bound)
	return ""
}

// levels gives how deep the value nests: 0 for a scalar. Each container remembers it until something in it changes.
// left counts the places that are looked at; below 0 the answer is any.
func (v *value) levels(left *int) int {
	if v.c == nil {
		if left != nil {
			if *left -= len(v.raw)/16 + 1; *left < 0 {
				return 0
			}
		}
		return rawLevels(v.raw)
	}
	c := v.c
	if c.depth > 0 {
		return c.depth
	}
	if left != nil {
		if *left -= c.elems.len() + c.members.len() + 1; *left < 0 {
			return 0
		}
	}
	depth := 0
	for items := range c.elems.pieces {
		for i := range items {
			depth = max(depth, items[i].levels(left))
		}
	}
	for items := range c.members.pieces {
		for i := range items {
			depth = max(depth, items[i].val.levels(left))
		}
	}
	if left != nil && *left < 0 {
		return 0
	}
	c.depth = depth + 1
	return c.depth
}

// rawLevels gives how deep checked text nests.
func rawLevels(raw string) int {
	if k := rawjson.KindOf(raw); k != rawjson.Array && k != rawjson.Object {
		return 0
	}
	depth, most := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
			most = max(most, depth)
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
	return most
}
