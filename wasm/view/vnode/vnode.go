// Package vnode describes what the page shall show, as a tree of plain values. What a component wants is a new tree;
// what the page gets is the difference (see package view). Nothing here knows HTML text: a tree holds element names and
// attributes that our own code chose, and texts, which can come from anybody.
package vnode

import "strings"

// Node is an element, or a text where Tag is "". A Node that was handed out is never changed: the same pointer in the
// next tree means that nothing under it changed.
type Node struct {
	Tag   string
	Text  string // a text's text
	Key   string // tells siblings apart when they move; "" is told apart by its place
	Class string
	Attrs []Attr
	Kids  []*Node
	// Sealed says that nothing under it will change: another Node in its place replaces it whole. A Node may be sealed,
	// and lose its Kids, after it was handed out.
	Sealed bool
}

// Attr is one attribute. Addresses in values are checked by whoever makes them.
type Attr struct{ Name, Value string }

// specs remembers what the texts given to [El] say: there are as many as our code has.
var specs = map[string]*Node{}

// El makes an element as spec says: its tag, classes after dots, then attributes as name=value, as in
// "div.note.small dir=auto hidden=". A spec is always a constant of our code, so its parts need no care.
//
//go:noinline
func El(spec string, kids ...*Node) *Node {
	n := make1(spec)
	n.Kids = compact(kids)
	return n
}

// T makes an element that holds a text; "" leaves it empty.
//
//go:noinline
func T(spec, text string) *Node {
	n := make1(spec)
	if text != "" {
		n.Kids = []*Node{{Text: text}}
	}
	return n
}

// Make makes an element whose tag or classes are chosen at run time.
//
//go:noinline
func Make(tag, class string, kids ...*Node) *Node {
	return &Node{Tag: tag, Class: class, Kids: compact(kids)}
}

func make1(spec string) *Node {
	n := specs[spec]
	if n == nil {
		words := strings.Split(spec, " ")
		names := strings.Split(words[0], ".")
		n = &Node{Tag: names[0], Class: strings.Join(names[1:], " ")}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			n.Attrs = append(n.Attrs, Attr{name, value})
		}
		specs[spec] = n
	}
	return &Node{Tag: n.Tag, Class: n.Class, Attrs: n.Attrs[:len(n.Attrs):len(n.Attrs)]}
}

// Text makes a text; "" gives nil.
//
//go:noinline
func Text(s string) *Node {
	if s == "" {
		return nil
	}
	return &Node{Text: s}
}

// At adds one attribute, and gives n.
//
//go:noinline
func (n *Node) At(name, value string) *Node {
	n.Attrs = append(n.Attrs, Attr{name, value})
	return n
}

// With adds attributes, given as names and values in turn, and gives n.
//
//go:noinline
func (n *Node) With(pairs ...string) *Node {
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Attrs = append(n.Attrs, Attr{pairs[i], pairs[i+1]})
	}
	return n
}

// If adds one attribute where on is true, and gives n.
//
//go:noinline
func (n *Node) If(on bool, name, value string) *Node {
	if on {
		n.Attrs = append(n.Attrs, Attr{name, value})
	}
	return n
}

// Keyed sets the key, and gives n.
//
//go:noinline
func (n *Node) Keyed(key string) *Node {
	n.Key = key
	return n
}

// Add appends children, leaving out nil ones, and gives n.
//
//go:noinline
func (n *Node) Add(kids ...*Node) *Node {
	n.Kids = append(n.Kids, compact(kids)...)
	return n
}

// Attr gives an attribute's value.
func (n *Node) Attr(name string) (string, bool) {
	for _, a := range n.Attrs {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

//go:noinline
func compact(kids []*Node) []*Node {
	out := kids[:0:0]
	for _, k := range kids {
		if k != nil {
			out = append(out, k)
		}
	}
	return out
}
