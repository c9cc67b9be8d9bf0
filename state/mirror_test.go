package state

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
)

// mirror carries changes out on a plain tree, as the page's does. It knows no protocol and no JSON Patch: that it
// equals the store after every event proves the changes.
type mirror struct {
	root obj
}

type (
	obj map[string]any
	arr struct{ v []any }
	// body is a string's escaped body, so that halves of surrogate pairs meet again.
	body string
	// lit is a number, true, false or null.
	lit string
)

func newMirror(s *Store) *mirror { return &mirror{root: parseTree(string(s.AppendTree(nil))).(obj)} }

func parseTree(raw string) any {
	switch rawjson.KindOf(raw) {
	case rawjson.Object:
		o := obj{}
		for k, v := range rawjson.Members(raw) {
			o[k.Decode()] = parseTree(v)
		}
		return o
	case rawjson.Array:
		a := &arr{}
		for _, v := range rawjson.Elements(raw) {
			a.v = append(a.v, parseTree(v))
		}
		return a
	case rawjson.Str:
		return body(rawjson.String(raw).Body())
	}
	return lit(raw)
}

// show renders a tree in one spelling.
func show(v any) string {
	switch v := v.(type) {
	case obj:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		var b strings.Builder
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Quote(k) + ":" + show(v[k]))
		}
		return b.String() + "}"
	case *arr:
		var b strings.Builder
		b.WriteByte('[')
		for i, e := range v.v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(show(e))
		}
		return b.String() + "]"
	case body:
		return strconv.Quote(rawjson.String(`"` + string(v) + `"`).Decode())
	}
	return string(v.(lit))
}

func copyTree(v any) any {
	switch v := v.(type) {
	case obj:
		n := obj{}
		for k, e := range v {
			n[k] = copyTree(e)
		}
		return n
	case *arr:
		n := &arr{}
		for _, e := range v.v {
			n.v = append(n.v, copyTree(e))
		}
		return n
	}
	return v
}

func get(v any, path []Step) any {
	for _, s := range path {
		if s.IsIndex {
			v = v.(*arr).v[s.Index]
			continue
		}
		e, ok := v.(obj)[s.Key]
		if !ok {
			panic(fmt.Sprintf("no member %q", s.Key))
		}
		v = e
	}
	return v
}

func (m *mirror) set(path []Step, v any, insert bool) {
	parent, last := get(m.root, path[:len(path)-1]), path[len(path)-1]
	if !last.IsIndex {
		parent.(obj)[last.Key] = v
		return
	}
	a := parent.(*arr)
	if !insert {
		a.v[last.Index] = v
		return
	}
	a.v = append(a.v[:last.Index:last.Index], append([]any{v}, a.v[last.Index:]...)...)
}

func (m *mirror) remove(path []Step) any {
	parent, last := get(m.root, path[:len(path)-1]), path[len(path)-1]
	if !last.IsIndex {
		v, ok := parent.(obj)[last.Key]
		if !ok {
			panic("nothing to remove at " + last.Key)
		}
		delete(parent.(obj), last.Key)
		return v
	}
	a := parent.(*arr)
	v := a.v[last.Index]
	a.v = append(a.v[:last.Index:last.Index], a.v[last.Index+1:]...)
	return v
}

func (m *mirror) apply(c *Changes, event string) {
	for i := range c.Len() {
		ch := c.At(i)
		var v any
		switch {
		case ch.Ref != nil:
			v = get(parseTree(event), ch.Ref)
		case ch.Op != Remove && ch.Op != Move && ch.Op != Copy:
			v = parseTree(ch.Value)
		}
		last := ch.Path[len(ch.Path)-1]
		switch ch.Op {
		case Assign:
			m.set(ch.Path, v, false)
		case Insert:
			m.set(ch.Path, v, true)
		case Remove:
			m.remove(ch.Path)
		case Append:
			old := body("")
			parent := get(m.root, ch.Path[:len(ch.Path)-1]).(obj)
			if b, ok := parent[last.Key].(body); ok {
				old = b
			}
			parent[last.Key] = old + v.(body)
		case Move:
			v = m.remove(ch.From)
			m.set(ch.Path, v, last.IsIndex)
		case Copy:
			m.set(ch.Path, copyTree(get(m.root, ch.From)), last.IsIndex)
		case Arrange:
			old := get(m.root, ch.Path).(*arr)
			n := &arr{}
			for _, e := range v.(*arr).v {
				if one, ok := e.(*arr); ok {
					n.v = append(n.v, one.v[0])
					continue
				}
				at, err := strconv.Atoi(string(e.(lit)))
				if err != nil {
					panic(err)
				}
				n.v = append(n.v, old.v[at])
			}
			m.set(ch.Path, n, false)
		}
	}
}

// check compares the mirror with the store.
func (m *mirror) check(t *testing.T, s *Store, event string) {
	t.Helper()
	text := string(s.AppendTree(nil))
	if err := rawjson.Check(text, 3000); err != nil {
		t.Fatalf("after %s the tree is no JSON: %v\n%s", event, err, text)
	}
	if got, want := show(m.root), show(parseTree(text)); got != want {
		t.Fatalf("after %s\nthe mirror has %s\nthe store has  %s", event, got, want)
	}
}
