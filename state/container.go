package state

import (
	"maps"

	"aguiwasm/agui/rawjson"
)

// container is an opened object or array.
type container struct {
	owner   *owner
	array   bool
	elems   list[value]
	members list[member]
	index   index
	// gone counts the removed members that still stand in members.
	gone int
	// size is the length of the text, blanks of the text that it was read from included.
	size int
	// depth is how many levels it nests; 0 is not known.
	depth int
}

// member is an object's member. A removed one has no quoted key.
type member struct {
	quoted rawjson.String
	key    string
	val    value
}

// child gives the i-th child to change.
func (c *container) child(i int) *value {
	if c.array {
		return c.elems.own(i, c.owner)
	}
	return &c.members.own(i, c.owner).val
}

// read gives the i-th child to read, and the owner of what it opens into: none where its place is shared.
func (c *container) read(i int) (v *value, o *owner) {
	mine := true
	if c.array {
		v, mine = c.elems.at(i, c.owner)
	} else {
		var m *member
		m, mine = c.members.at(i, c.owner)
		v = &m.val
	}
	if !mine {
		return v, nil
	}
	return v, c.owner
}

// find gives the place of the member, or -1.
func (c *container) find(key string) int {
	if c.index.all != nil {
		return c.index.find(key)
	}
	n := 0
	for items := range c.members.pieces {
		for i := range items {
			if m := &items[i]; m.key == key && m.quoted != "" {
				return n + i
			}
		}
		n += len(items)
	}
	return -1
}

// push adds a new member at the end.
func (c *container) push(quoted rawjson.String, key string, v value) {
	c.members.push(member{quoted, key, v}, c.owner)
	n := c.members.len()
	if c.index.all == nil {
		if n < indexFrom {
			return
		}
		c.reindex()
		return
	}
	c.index.set(key, n-1)
}

// reindex makes the index anew.
func (c *container) reindex() {
	c.index = index{all: make(map[string]int, 2*c.members.len())}
	n := 0
	for items := range c.members.pieces {
		for i := range items {
			if items[i].quoted != "" {
				c.index.all[items[i].key] = n + i
			}
		}
		n += len(items)
	}
}

// pop takes the last member away again.
func (c *container) pop() {
	n := c.members.len() - 1
	if c.index.all != nil {
		m, _ := c.members.at(n, c.owner)
		c.index.set(m.key, -1)
	}
	c.members.remove(n, c.owner)
}

// drop marks a member as removed; its place stays until compact, so that it can be taken back.
func (c *container) drop(i int) (quoted rawjson.String) {
	m := c.members.own(i, c.owner)
	if c.index.all != nil {
		c.index.set(m.key, -1)
	}
	quoted = m.quoted
	m.quoted, m.val = "", value{}
	c.gone++
	return quoted
}

// undrop takes drop back.
func (c *container) undrop(i int, quoted rawjson.String, v value) {
	m := c.members.own(i, c.owner)
	m.quoted, m.val = quoted, v
	c.gone--
	if c.index.all != nil {
		c.index.set(m.key, i)
	}
}

// compact removes the places of removed members.
func (c *container) compact() {
	kept := make([]member, 0, c.members.len()-c.gone)
	for items := range c.members.pieces {
		for i := range items {
			if items[i].quoted != "" {
				kept = append(kept, items[i])
			}
		}
	}
	c.members, c.gone = list[member]{flat: kept}, 0
	if c.index.all != nil {
		c.reindex()
	}
}

// clone copies the container for a new owner. Its children stay shared.
func (c *container) clone(o *owner) *container {
	n := &container{owner: o, array: c.array, gone: c.gone, size: c.size, depth: c.depth}
	if c.array {
		n.elems = c.elems.clone()
		return n
	}
	n.members = c.members.clone()
	n.index = c.index.share()
	return n
}

// index finds an object's members by key; the zero value is none. Copies share the large map and keep what they change
// in a small one of their own, so that a copy does not cost the whole object.
type index struct {
	all    map[string]int
	shared bool
	own    map[string]int // what differs from all; -1 is gone
}

// ownLimit is how much an index keeps beside the shared map.
const ownLimit = 128

func (x *index) find(key string) int {
	if x.own != nil {
		if i, ok := x.own[key]; ok {
			return i
		}
	}
	if i, ok := x.all[key]; ok {
		return i
	}
	return -1
}

// set notes a member's place; -1 is none.
func (x *index) set(key string, i int) {
	if x.shared && len(x.own) < ownLimit {
		if x.own == nil {
			x.own = make(map[string]int)
		}
		x.own[key] = i
		return
	}
	if x.shared {
		own := x.own
		*x = index{all: maps.Clone(x.all)}
		for k, i := range own {
			x.set(k, i)
		}
	}
	if i < 0 {
		delete(x.all, key)
		return
	}
	x.all[key] = i
}

func (x *index) share() index {
	if x.all == nil {
		return index{}
	}
	x.shared = true
	return index{all: x.all, shared: true, own: maps.Clone(x.own)}
}
