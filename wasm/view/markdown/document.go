package markdown

import "strings"

// Doc is a document that grows. The zero value is an empty open one.
type Doc struct {
	text   string // everything so far
	done   []*Node
	from   int // where the unfinished rest begins in text
	rest   []*Node
	closed bool
	stale  bool // rest is not read yet
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
	*d = Doc{text: s, closed: d.closed, stale: true}
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
	if d.stale {
		d.stale = false
		d.read()
	}
	return append(d.done[:len(d.done):len(d.done)], d.rest...), len(d.done)
}

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
	for _, b := range tops[:keep] {
		d.done = append(d.done, b.node(false))
	}
	d.rest = d.rest[:0]
	for i, b := range tops[keep:] {
		d.rest = append(d.rest, b.node(!d.closed && keep+i == len(tops)-1))
	}
	if keep > 0 {
		d.from += tops[keep].from
	}
}

// Parse reads a whole text.
func Parse(text string) []*Node {
	var d Doc
	d.Set(text)
	d.Close(true)
	blocks, _ := d.Blocks()
	return blocks
}
