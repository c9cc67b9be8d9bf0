package state

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func items[T any](l *list[T]) []T {
	out := []T{}
	for piece := range l.pieces {
		out = append(out, piece...)
	}
	return out
}

// A list holds what a slice would, and so does each of its copies, whoever changes.
func TestListIsASlice(t *testing.T) {
	type pair struct {
		l    list[int]
		want []int
		o    *owner
	}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := []*pair{{o: new(owner)}}
		for range int(seed) * 100 {
			all[0].l.push(len(all[0].want), all[0].o)
			all[0].want = append(all[0].want, len(all[0].want))
		}
		for step := range 3000 {
			p := all[r.IntN(len(all))]
			n := len(p.want)
			switch k := r.IntN(20); {
			case k == 0 && len(all) < 6:
				// Both go on under owners of their own, as after a copy in a document.
				p.o = new(owner)
				old := p.l
				p.l = old.clone()
				all = append(all, &pair{l: old.clone(), want: slices.Clone(p.want), o: new(owner)})
			case k < 10:
				i := r.IntN(n + 1)
				if k < 4 {
					i = k % 2 * n
				}
				p.l.insert(i, step, p.o)
				p.want = slices.Insert(p.want, i, step)
			case k < 14 && n > 0:
				i := r.IntN(n)
				if k < 12 {
					i = k % 2 * (n - 1)
				}
				p.l.remove(i, p.o)
				p.want = slices.Delete(p.want, i, i+1)
			case n > 0:
				i := r.IntN(n)
				*p.l.own(i, p.o) = -step
				p.want[i] = -step
			}
			if n := p.l.len(); n != len(p.want) {
				t.Fatalf("seed %d: %d items, want %d", seed, n, len(p.want))
			}
			if n := p.l.len(); n > 0 {
				i := r.IntN(n)
				if got, _ := p.l.at(i, p.o); *got != p.want[i] {
					t.Fatalf("seed %d: item %d is %d, want %d", seed, i, *got, p.want[i])
				}
			}
		}
		for i, p := range all {
			if got := items(&p.l); !slices.Equal(got, p.want) {
				t.Fatalf("seed %d: list %d differs", seed, i)
			}
			walk := cursor[int]{list: &p.l}
			for _, want := range p.want {
				if got := walk.next(); got == nil || *got != want {
					t.Fatalf("seed %d: the cursor of list %d differs", seed, i)
				}
			}
			if walk.next() != nil {
				t.Fatalf("seed %d: the cursor goes on", seed)
			}
		}
	}
}

// No change inside moves more than one piece, however long the list is.
func TestListKeepsToPieces(t *testing.T) {
	var l list[int]
	o := new(owner)
	for i := range 100_000 {
		l.insert(l.len()/(i%3+1), i, o)
	}
	for range 90_000 {
		l.remove(l.len()/3, o)
	}
	if l.chunks == nil {
		t.Fatal("one slice")
	}
	for i := range l.chunks {
		if n := len(l.chunks[i].items); n > chunkSize {
			t.Errorf("a piece of %d", n)
		}
	}
	if n := len(l.chunks); n > 10_000/chunkSize*8 {
		t.Errorf("%d pieces for 10,000 items", n)
	}
}

// A document with long arrays and wide objects is the same as one that begins anew from its text at each patch, before
// and after snapshots, copies and patches that fail.
func TestLongContainersAreTheSame(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"l":[0`)
	for i := range 1500 {
		b.WriteString("," + strconv.Itoa(i))
	}
	b.WriteString(`],"o":{"k":0`)
	for i := range 1500 {
		b.WriteString(`,"k` + strconv.Itoa(i) + `":[` + strconv.Itoa(i) + `]`)
	}
	b.WriteString(`}}`)
	r := rand.New(rand.NewPCG(7, 7))
	d := doc(t, b.String())
	views, texts := []View{}, []string{}
	at := func() string { return strconv.Itoa(r.IntN(1600)) }
	ops := []func() string{
		func() string { return `{"op":"add","path":"/l/` + at() + `","value":{"x":` + at() + `}}` },
		func() string { return `{"op":"remove","path":"/l/` + at() + `"}` },
		func() string { return `{"op":"replace","path":"/l/` + at() + `","value":[1]}` },
		func() string { return `{"op":"add","path":"/l/` + at() + `/x","value":` + at() + `}` },
		func() string { return `{"op":"add","path":"/o/k` + at() + `","value":` + at() + `}` },
		func() string { return `{"op":"remove","path":"/o/k` + at() + `"}` },
		func() string { return `{"op":"add","path":"/o/k` + at() + `/0","value":5}` },
		func() string { return `{"op":"move","from":"/l/` + at() + `","path":"/o/k` + at() + `"}` },
		func() string { return `{"op":"copy","from":"/o","path":"/p"}` },
		func() string { return `{"op":"copy","from":"/l","path":"/m"}` },
		func() string { return `{"op":"move","from":"/m","path":"/l"}` },
		func() string { return `{"op":"move","from":"/p","path":"/o"}` },
		func() string { return `{"op":"copy","from":"/l/` + at() + `","path":"/l/` + at() + `"}` },
	}
	applied := 0
	for step := range 400 {
		patch := "["
		for i := range 1 + r.IntN(4) {
			if i > 0 {
				patch += ","
			}
			patch += ops[r.IntN(len(ops))]()
		}
		patch += "]"
		before := d.String()
		plain := doc(t, before)
		err, want := d.Patch(patch), plain.Patch(patch)
		if (err == nil) != (want == nil) {
			t.Fatalf("step %d: %v, a new document: %v", step, err, want)
		}
		if err == nil {
			applied++
		}
		if got := d.String(); got != plain.String() {
			t.Fatalf("step %d: %s leaves another document", step, patch)
		}
		if got := d.String(); d.root.size() < len(got) || d.root.size() > len(got)+len(b.String()) {
			t.Fatalf("step %d: the size is %d, the text has %d", step, d.root.size(), len(got))
		}
		if step%50 == 0 {
			views, texts = append(views, d.Snapshot()), append(texts, d.String())
		}
	}
	if applied < 100 {
		t.Errorf("only %d patches applied", applied)
	}
	for i := range views {
		if views[i].String() != texts[i] {
			t.Errorf("view %d changed", i)
		}
	}
}
