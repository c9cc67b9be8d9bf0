package state

import "aguiwasm/agui/rawjson"

// undo takes one step of a patch back.
type undo struct {
	kind   undoKind
	c      *container
	i      int
	quoted rawjson.String
	old    value
	// from and to are the part of the document's trail that grew, and grown is by how many bytes.
	from, to, grown int
}

type undoKind uint8

const (
	undoRoot   undoKind = iota // the root was old
	undoSet                    // the i-th child was old
	undoInsert                 // the i-th element was inserted
	undoDelete                 // the i-th element was old and was deleted
	undoPush                   // a member was added at the end
	undoDrop                   // the i-th member was old and was removed
)

func (d *Document) rollback() {
	for i := len(d.undo) - 1; i >= 0; i-- {
		u := &d.undo[i]
		for _, c := range d.trail[u.from:u.to] {
			c.size -= u.grown
			c.depth = 0
		}
		switch u.kind {
		case undoRoot:
			d.root = u.old
		case undoSet:
			*u.c.child(u.i) = u.old
		case undoInsert:
			u.c.elems.remove(u.i, u.c.owner)
		case undoDelete:
			u.c.elems.insert(u.i, u.old, u.c.owner)
		case undoPush:
			u.c.pop()
		case undoDrop:
			u.c.undrop(u.i, u.quoted, u.old)
		}
	}
	d.forget()
}

func (d *Document) commit() {
	for i := range d.undo {
		if u := &d.undo[i]; u.kind == undoDrop && u.c.gone >= indexFrom && u.c.gone > u.c.members.len()/2 {
			u.c.compact()
		}
	}
	d.forget()
}

// forget lets the steps go. Those of one huge patch do not stay in memory.
func (d *Document) forget() {
	if cap(d.undo) > 1024 || cap(d.trail) > 8192 {
		d.undo, d.trail = nil, nil
		return
	}
	clear(d.undo)
	clear(d.trail)
	d.undo, d.trail = d.undo[:0], d.trail[:0]
}

// did notes a step to take back. What it changed makes the containers of the trail since then grow by so many bytes of
// text.
func (d *Document) did(u undo, trail, grown int) {
	u.from, u.to, u.grown = trail, len(d.trail), grown
	for _, c := range d.trail[trail:] {
		c.size += grown
		c.depth = 0
	}
	d.undo = append(d.undo, u)
}
