//go:build js && wasm

package view

import (
	"strings"
	"syscall/js"

	"honnef.co/go/js/dom/v2"

	"aguiwasm/wasm/view/vnode"
)

// mounted is a node of the tree with its counterpart in the page.
type mounted struct {
	node *vnode.Node
	dom  *dom.BasicElement // a text's too: it has what both have
	kids []*mounted        // nil under a sealed node
}

// wrap makes honnef's type of an element whose kind does not matter. Its own constructors ask for each of some sixty
// classes in turn, about 0.1 ms for an element.
func wrap(v js.Value) *dom.BasicElement {
	return &dom.BasicElement{BasicNode: &dom.BasicNode{Value: v}}
}

// appendTo is honnef's AppendChild without its argument of type Node: a type that once becomes that interface keeps all
// that honnef's methods can give, which is a quarter of what the view weighs.
func appendTo(parent, kid *dom.BasicElement) { parent.Call("appendChild", kid.Value) }

// patcher changes the page.
type patcher struct {
	createElement, createTextNode js.Value
}

func newPatcher(d js.Value) *patcher {
	bound := func(name string) js.Value { return ofDocument(d, name).Call("bind", d) }
	return &patcher{bound("createElement"), bound("createTextNode")}
}

// create makes a node and all that is under it.
func (p *patcher) create(n *vnode.Node) *mounted {
	if n.Tag == "" {
		return &mounted{n, wrap(p.createTextNode.Invoke(valid(n.Text))), nil}
	}
	m := &mounted{n, wrap(p.createElement.Invoke(n.Tag)), nil}
	if n.Class != "" {
		m.dom.SetClass(n.Class)
	}
	for _, a := range n.Attrs {
		m.dom.SetAttribute(a.Name, valid(a.Value))
	}
	if n.Sealed {
		p.fill(m.dom, n.Kids)
		return m
	}
	for _, k := range n.Kids {
		kid := p.create(k)
		appendTo(m.dom, kid.dom)
		m.kids = append(m.kids, kid)
	}
	return m
}

// adopt makes an element of the page show n, as far as it is one of n's kind; else it gives a new one. What the element
// holds beside its attributes and children stays: the words, the caret, the focus.
func (p *patcher) adopt(el js.Value, n *vnode.Node) *mounted {
	if n.Tag == "" || !el.Truthy() || text(el.Get("localName")) != n.Tag {
		return p.create(n)
	}
	m := &mounted{n, wrap(el), nil}
	if text(el.Get("className")) != n.Class {
		m.dom.SetClass(n.Class)
	}
	names := el.Call("getAttributeNames")
	for i := range names.Length() {
		name := names.Index(i).String()
		if _, ok := n.Attr(name); !ok && name != "class" {
			m.dom.RemoveAttribute(name)
		}
	}
	for _, a := range n.Attrs {
		if text(el.Call("getAttribute", a.Name)) != a.Value || a.Value == "" {
			m.dom.SetAttribute(a.Name, valid(a.Value))
		}
	}
	there := el.Get("firstChild")
	for _, k := range n.Kids {
		kid := p.adopt(there, k)
		m.kids = append(m.kids, kid)
		if there.Truthy() && there.Equal(kid.dom.Value) {
			there = there.Get("nextSibling")
		} else {
			el.Call("insertBefore", kid.dom.Value, there)
		}
	}
	for there.Truthy() {
		next := there.Get("nextSibling")
		there.Call("remove")
		there = next
	}
	return m
}

// fill puts nodes under an element that nobody will look into again.
func (p *patcher) fill(el *dom.BasicElement, kids []*vnode.Node) {
	if len(kids) == 1 && kids[0].Tag == "" {
		el.SetTextContent(valid(kids[0].Text))
		return
	}
	for _, k := range kids {
		if k.Tag == "" {
			appendTo(el, wrap(p.createTextNode.Invoke(valid(k.Text))))
			continue
		}
		kid := wrap(p.createElement.Invoke(k.Tag))
		if k.Class != "" {
			kid.SetClass(k.Class)
		}
		for _, a := range k.Attrs {
			kid.SetAttribute(a.Name, valid(a.Value))
		}
		p.fill(kid, k.Kids)
		appendTo(el, kid)
	}
}

// valid makes halves of surrogate pairs and other bytes that are no UTF-8 visible as U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// update makes m show n and gives what stands in its place then: m, or a new one that the caller's parent now holds.
func (p *patcher) update(parent *dom.BasicElement, m *mounted, n *vnode.Node) *mounted {
	if m.node == n {
		if n.Sealed {
			m.kids = nil
		}
		return m
	}
	old := m.node
	if old.Tag != n.Tag || old.Key != n.Key || old.Sealed {
		fresh := p.create(n)
		parent.Call("replaceChild", fresh.dom.Value, m.dom.Value)
		return fresh
	}
	m.node = n
	if n.Tag == "" {
		if more, ok := strings.CutPrefix(n.Text, old.Text); ok && old.Text != "" {
			if more != "" {
				m.dom.Call("appendData", valid(more))
			}
		} else {
			m.dom.SetNodeValue(valid(n.Text))
		}
		return m
	}
	if old.Class != n.Class {
		m.dom.SetClass(n.Class)
	}
	p.attrs(m.dom, old, n)
	p.kids(m, n.Kids)
	if n.Sealed {
		m.kids = nil
	}
	return m
}

func (p *patcher) attrs(el *dom.BasicElement, old, n *vnode.Node) {
	for _, a := range n.Attrs {
		if v, ok := old.Attr(a.Name); !ok || v != a.Value {
			el.SetAttribute(a.Name, valid(a.Value))
		}
	}
	for _, a := range old.Attrs {
		if _, ok := n.Attr(a.Name); !ok {
			el.RemoveAttribute(a.Name)
		}
	}
}

// kids makes m's children show list. Those with the same key and element stay; most often only the last one changes or
// one comes to the end.
func (p *patcher) kids(m *mounted, list []*vnode.Node) {
	old := m.kids
	same := func(a *mounted, b *vnode.Node) bool {
		return a.node == b || (a.node.Tag == b.Tag && a.node.Key == b.Key)
	}
	next := make([]*mounted, len(list))
	head := 0
	for head < len(old) && head < len(list) && same(old[head], list[head]) {
		next[head] = p.update(m.dom, old[head], list[head])
		head++
	}
	oldEnd, end := len(old), len(list)
	for oldEnd > head && end > head && same(old[oldEnd-1], list[end-1]) {
		oldEnd--
		end--
		next[end] = p.update(m.dom, old[oldEnd], list[end])
	}
	m.kids = next
	if head == oldEnd && head == end {
		return
	}
	// What is left in the middle is matched by key, or else made and removed.
	byKey := map[string]*mounted{}
	for _, o := range old[head:oldEnd] {
		if o.node.Key == "" || byKey[o.node.Key] != nil {
			m.dom.Call("removeChild", o.dom.Value)
			continue
		}
		byKey[o.node.Key] = o
	}
	before := js.Null()
	if end < len(list) {
		before = next[end].dom.Value
	}
	for i := end - 1; i >= head; i-- {
		n := list[i]
		if o := byKey[n.Key]; o != nil && n.Key != "" && o.node.Tag == n.Tag {
			delete(byKey, n.Key)
			next[i] = p.update(m.dom, o, n)
		} else {
			next[i] = p.create(n)
		}
		m.dom.Call("insertBefore", next[i].dom.Value, before)
		before = next[i].dom.Value
	}
	for _, o := range byKey {
		m.dom.Call("removeChild", o.dom.Value)
	}
}
