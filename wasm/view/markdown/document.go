package markdown

import (
	"math"
	"strings"
)

// Doc is a document that grows. The zero value is an empty open one.
type Doc struct {
	text   string // everything so far
	done   []*Node
	from   int // where the unfinished rest begins in text
	rest   []*Node
	closed bool
	stale  bool // rest is not read yet
	limit  int  // how many nodes there may be; 0: any number
	used   int  // how many done has
	cut    bool // the limit left something out
}

// Append adds text to the end.
func (d *Doc) Append(s string) {
	if s == "" {
		return
	}
	d.text += s
	d.stale = true
}

// Set makes the whole text s. Where s only continues the text so far, finished blocks stay as they are.
func (d *Doc) Set(s string) {
	if strings.HasPrefix(s, d.text) {
		if len(s) > len(d.text) {
			d.text = s
			d.stale = true
		}
		return
	}
	*d = Doc{text: s, closed: d.closed, stale: true, limit: d.limit}
}

// Close says that no more text comes (or, with false, that more may come after all): nothing is held back any more
// and what has not ended is text.
func (d *Doc) Close(closed bool) {
	if d.closed != closed {
		d.closed = closed
		d.stale = true
	}
}

// Text gives the whole text.
func (d *Doc) Text() string { return d.text }

// Blocks gives the top-level blocks. The first n are finished: their pointers stay the same until [Doc.Set] is given
// another text. The slice is valid until the next change.
func (d *Doc) Blocks() (blocks []*Node, n int) {
	if d.stale && !d.cut {
		d.stale = false
		d.read()
	}
	return append(d.done[:len(d.done):len(d.done)], d.rest...), len(d.done)
}

// Limit sets how many nodes there may be, about; 0 is any number. What is beyond is left out, and text that comes then
// is not even read, until the limit is raised.
func (d *Doc) Limit(n int) {
	if n > d.limit && d.cut {
		d.cut, d.stale = false, true
	}
	d.limit = n
}

// Cut reports whether the limit left something out of what [Doc.Blocks] gave last.
func (d *Doc) Cut() bool { return d.cut }

// read reads the rest and finishes what can be finished: every block after which another one began on a whole line.
func (d *Doc) read() {
	src := d.text[d.from:]
	p := &parser{src: src}
	p.run(!d.closed)
	tops := p.root.children
	end := strings.LastIndexAny(src, "\n\r") + 1 // lines before this are whole
	keep := 0
	for i := 1; i < len(tops); i++ {
		if tops[i].from < end {
			keep = i
		}
	}
	left := math.MaxInt
	if d.limit > 0 {
		left = max(d.limit-d.used, 1)
	}
	before := left
	d.rest = d.rest[:0]
	for i, b := range tops {
		if d.cut = left <= 0; d.cut {
			break
		}
		n := b.node(!d.closed && i == len(tops)-1, &left)
		if i < keep && left > 0 {
			d.done = append(d.done, n)
			d.used += before - left
			before = left
		} else {
			if i <= keep { // what is left out of this one comes when it is read again
				d.from += b.from
			}
			d.rest = append(d.rest, n)
		}
	}
	d.cut = left <= 0
}

// Parse reads a whole text.
func Parse(text string) []*Node {
	var d Doc
	d.Set(text)
	d.Close(true)
	blocks, _ := d.Blocks()
	return blocks
}
