package state

import "slices"

// chunkSize is the largest number of items that a list keeps in one piece when it is changed inside or shared.
const chunkSize = 512

// list is a sequence of items that is cheap to change anywhere and cheap to copy.
//
// A short list, and a long one that only grew at its end, is one slice. A long one becomes chunks when an item goes in
// or out before its end, or when it is copied: a copy shares the chunks, and each side copies one when it changes it.
// So an insert or a remove costs one chunk, wherever it is, and not the rest of the list.
type list[T any] struct {
	flat   []T // all items while chunks is nil
	chunks []chunk[T]
	n      int // the number of items in chunks
}

// chunk is a piece of a long list. Only the list whose owner it has may change it.
type chunk[T any] struct {
	items []T
	owner *owner
}

func (l *list[T]) len() int {
	if l.chunks == nil {
		return len(l.flat)
	}
	return l.n
}

// locate gives the chunk of the i-th item and its place there. It looks from the nearer end.
func (l *list[T]) locate(i int) (at, in int) {
	if i <= l.n/2 {
		for i >= len(l.chunks[at].items) {
			i -= len(l.chunks[at].items)
			at++
		}
		return at, i
	}
	left := l.n
	for at = len(l.chunks) - 1; ; at-- {
		if left -= len(l.chunks[at].items); i >= left {
			return at, i - left
		}
	}
}

// at gives the i-th item to read. mine reports whether its place belongs to this list alone.
func (l *list[T]) at(i int, o *owner) (item *T, mine bool) {
	if l.chunks == nil {
		return &l.flat[i], true
	}
	at, in := l.locate(i)
	c := &l.chunks[at]
	return &c.items[in], c.owner == o
}

// own gives the i-th item to change, for the list's owner.
func (l *list[T]) own(i int, o *owner) *T {
	if l.chunks == nil {
		return &l.flat[i]
	}
	at, in := l.locate(i)
	l.take(at, o)
	return &l.chunks[at].items[in]
}

// take makes a chunk the owner's.
func (l *list[T]) take(at int, o *owner) {
	if c := &l.chunks[at]; c.owner != o {
		c.items, c.owner = append(make([]T, 0, len(c.items)+1), c.items...), o
	}
}

// split cuts one slice into chunks of the owner; nil makes them shared.
func (l *list[T]) split(o *owner) {
	l.n = len(l.flat)
	l.chunks = make([]chunk[T], 0, l.n/chunkSize+2)
	for rest := l.flat; len(rest) > 0; {
		k := min(chunkSize, len(rest))
		l.chunks = append(l.chunks, chunk[T]{rest[:k:k], o})
		rest = rest[k:]
	}
	l.flat = nil
}

// push adds an item at the end.
func (l *list[T]) push(item T, o *owner) {
	if l.chunks == nil {
		l.flat = append(l.flat, item)
		return
	}
	l.insert(l.n, item, o)
}

// insert puts an item before the i-th.
func (l *list[T]) insert(i int, item T, o *owner) {
	if l.chunks == nil {
		if i == len(l.flat) || len(l.flat) <= chunkSize {
			l.flat = slices.Insert(l.flat, i, item)
			return
		}
		l.split(o)
	}
	if len(l.chunks) == 0 {
		l.chunks, l.n = nil, 0
		l.flat = append(l.flat, item)
		return
	}
	at, in := len(l.chunks)-1, 0
	if i == l.n {
		in = len(l.chunks[at].items)
	} else {
		at, in = l.locate(i)
	}
	if c := &l.chunks[at]; len(c.items) >= chunkSize {
		// A full chunk becomes two. At its ends it stays nearly whole, so that a list that grows there has full chunks.
		half := len(c.items) / 2
		if in == len(c.items) {
			half = in
		} else if in == 0 {
			half = 0
		}
		second := chunk[T]{append(make([]T, 0, chunkSize), c.items[half:]...), o}
		first := chunk[T]{append(make([]T, 0, chunkSize), c.items[:half]...), o}
		l.chunks[at] = first
		l.chunks = slices.Insert(l.chunks, at+1, second)
		if in > half || in == half && half > 0 {
			at, in = at+1, in-half
		}
	}
	l.take(at, o)
	l.chunks[at].items = slices.Insert(l.chunks[at].items, in, item)
	l.n++
}

// remove takes the i-th item away.
func (l *list[T]) remove(i int, o *owner) {
	if l.chunks == nil {
		if i == len(l.flat)-1 || len(l.flat) <= chunkSize {
			l.flat = slices.Delete(l.flat, i, i+1)
			return
		}
		l.split(o)
	}
	at, in := l.locate(i)
	l.take(at, o)
	c := &l.chunks[at]
	c.items = slices.Delete(c.items, in, in+1)
	l.n--
	switch {
	case len(c.items) == 0:
		l.chunks = slices.Delete(l.chunks, at, at+1)
	case len(c.items) < chunkSize/4 && at+1 < len(l.chunks) && len(c.items)+len(l.chunks[at+1].items) <= chunkSize/2:
		c.items = append(c.items, l.chunks[at+1].items...)
		l.chunks = slices.Delete(l.chunks, at+1, at+2)
	}
	if l.n == 0 {
		*l = list[T]{}
	}
}

// clone gives a list with the same items. The chunks stay shared; a short list is copied.
func (l *list[T]) clone() list[T] {
	if l.chunks == nil {
		if len(l.flat) <= chunkSize {
			return list[T]{flat: slices.Clone(l.flat)}
		}
		n := list[T]{flat: l.flat}
		n.split(nil)
		return n
	}
	return list[T]{chunks: slices.Clone(l.chunks), n: l.n}
}

// pieces gives the items in order, piece by piece.
func (l *list[T]) pieces(yield func([]T) bool) {
	if l.chunks == nil {
		yield(l.flat)
		return
	}
	for i := range l.chunks {
		if !yield(l.chunks[i].items) {
			return
		}
	}
}

// cursor walks a list in order.
type cursor[T any] struct {
	list   *list[T]
	at, in int
}

// next gives the next item to read; nil is the end.
func (c *cursor[T]) next() *T {
	l := c.list
	if l.chunks == nil {
		if c.in == len(l.flat) {
			return nil
		}
		c.in++
		return &l.flat[c.in-1]
	}
	for c.at < len(l.chunks) && c.in == len(l.chunks[c.at].items) {
		c.at, c.in = c.at+1, 0
	}
	if c.at == len(l.chunks) {
		return nil
	}
	c.in++
	return &l.chunks[c.at].items[c.in-1]
}
