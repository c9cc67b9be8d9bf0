package state

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

func doubling(n int, from, path string) string {
	ops := make([]string, n)
	for i := range ops {
		p := path
		if !strings.HasSuffix(path, "-") {
			p += strconv.Itoa(i)
		}
		ops[i] = `{"op":"copy","from":"` + from + `","path":"` + p + `"}`
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// The limit is the document's: patches of one copy each come to it too, and what is refused leaves the document as it
// was.
func TestTextOfADocumentIsBounded(t *testing.T) {
	for _, kind := range []string{"one patch each", "snapshots between", "a document of the view"} {
		d := doc(t, `{"a":["0123456789"]}`)
		var refused *PatchError
		for i := 0; ; i++ {
			if i > 60 {
				t.Fatalf("%s: %d bytes of text, and no end", kind, d.root.size())
			}
			switch kind {
			case "snapshots between":
				d.Snapshot()
			case "a document of the view":
				d = d.Snapshot().Document()
			}
			if err := d.Patch(doubling(1, "/a", "/a/-")); errors.As(err, &refused) {
				break
			}
		}
		text := d.String()
		if !strings.Contains(refused.Reason, "16 MB") || len(text) > 17<<20 || len(text) < 4<<20 {
			t.Errorf("%s: %v at %d bytes", kind, refused, len(text))
		}
		// There is room again once something is gone, and what came whole is not limited by what copies are.
		if err :=
			d.Patch(
				`[{"op":"remove","path":"/a/1"},{"op":"add","path":"/b","value":1},{"op":"copy","from":"/b","path":"/c"}]`); err != nil {
			t.Error(err)
		}
	}
	d := doc(t, `{"a":"`+strings.Repeat("x", 20<<20)+`"}`)
	if err := d.Patch(`[{"op":"add","path":"/b","value":"` + strings.Repeat("y", 20<<20) +
		`"},{"op":"copy","from":"","path":"/c"}]`); err == nil {
		t.Error("40 MB were copied")
	}
	for range 2 {
		if err := d.Patch(`[{"op":"add","path":"/d","value":"` + strings.Repeat("y", 20<<20) + `"}]`); err != nil {
			t.Fatal(err)
		}
	}
	var refused *PatchError
	if err := d.Patch(`[{"op":"add","path":"/e","value":"` + strings.Repeat("y", 30<<20) + `"}]`); !errors.As(err,
		&refused) || !strings.Contains(refused.Reason, "64 MB") {
		t.Errorf("70 MB: %v", err)
	}
}

// A value whose parts are shared is as long as they are together. Nothing looks at it so often.
func TestSharedValuesAreWalkedOnce(t *testing.T) {
	build := func(doc string, patch string) *Document {
		d := NewDocument(doc)
		if err := d.Patch(patch); err != nil {
			t.Fatal(err)
		}
		return d
	}
	containers := func(v *value) int {
		seen, n := map[*container]bool{}, 0
		var walk func(v *value)
		walk = func(v *value) {
			if v.c == nil || seen[v.c] {
				return
			}
			seen[v.c] = true
			n += v.c.elems.len() + v.c.members.len()
			for i := range v.c.elems.len() {
				child, _ := v.c.read(i)
				walk(child)
			}
			for i := range v.c.members.len() {
				child, _ := v.c.read(i)
				walk(child)
			}
		}
		walk(v)
		return n
	}
	d := build(`{"a":[1],"b":{}}`, doubling(20, "/a", "/a/-"))
	left := 1 << 30
	d.root.levels(&left)
	if seen := 1<<30 - left; seen > 4*containers(&d.root) {
		t.Errorf("%d places were looked at to find the depth of %d", seen, containers(&d.root))
	}
	moves := make([]string, 100)
	for i := range moves {
		moves[i] = `{"op":"move","from":"/a","path":"/b/c"}`
		if i%2 == 1 {
			moves[i] = `{"op":"move","from":"/b/c","path":"/a"}`
		}
	}
	if err := d.Patch("[" + strings.Join(moves, ",") + "]"); err != nil {
		t.Error(err)
	}
	if d.walked > 0 {
		t.Errorf("%d steps, though nothing nests deep", d.walked)
	}

	d = build(`{"o":{"x":1}}`, doubling(20, "/o", "/o/k"))
	for _, other := range []string{`{"zzz":1}`, `{"k0":{"x":2},"x":1}`, `[]`, `{"x":1,"x":1}`} {
		if err := d.Patch(`[{"op":"test","path":"/o","value":` + other + `}]`); err == nil {
			t.Errorf("it equals %s", other)
		}
	}
	if err :=
		d.Patch(`[{"op":"test","path":"/o/k2","value":{"k1":{"k0":{"x":1},"x":1},"k0":{"x":1},"x":1}}]`); err != nil {
		t.Error(err) // another order at two levels
	}
}

// At each level the members stand in another order: each is compared once all the same.
func TestEqualInAnotherOrder(t *testing.T) {
	deep, other, path := `1`, `1`, ""
	for range 60 {
		deep = `{"n":` + deep + `,"x":1,"y":2}`
		other = `{"n":` + other + `,"y":2,"x":1}`
		path += "/n"
	}
	d := doc(t, deep)
	if err := d.Patch(`[{"op":"replace","path":"` + path + `","value":2},{"op":"replace","path":"` + path +
		`","value":1}]`); err != nil {
		t.Fatal(err)
	}
	if err := d.Patch(`[{"op":"test","path":"","value":` + other + `}]`); err != nil {
		t.Error(err)
	}
}

// What nests as deep as it may is found out again and again, but not without end.
func TestDepthIsBounded(t *testing.T) {
	deep := strings.Repeat("[", 500) + strings.Repeat("]", 500)
	d := doc(t, `{"d":`+deep+`,"w":[`+strings.Repeat(deep[400:600]+",", 2000)+`1],"x":{"y":{"z":{}}}}`)
	patch := []string{}
	for i := range 200 {
		patch = append(patch, `{"op":"move","from":"/w","path":"/x/y/z/w"}`,
			`{"op":"move","from":"/x/y/z/w","path":"/w"}`,
			`{"op":"add","path":"/w/0","value":`+strconv.Itoa(i)+`}`)
	}
	patch = append(patch, `{"op":"copy","from":"/d","path":"/w/1/0/0"}`, `{"op":"remove","path":"/w/1/0/0"}`)
	if err := d.Patch("[" + strings.Join(patch, ",") + "]"); err != nil {
		t.Logf("refused: %v", err)
	}
	if d.walked > maxSteps+1<<16 {
		t.Errorf("%d steps", d.walked)
	}
	// And the limit itself holds, by copies alone.
	d = doc(t, `{"d":`+deep+`,"e":[]}`)
	for i := 0; ; i++ {
		if err :=
			d.Patch(`[{"op":"copy","from":"/d","path":"/e/0"},{"op":"copy","from":"/e","path":"/d"}]`); err != nil {
			if !strings.Contains(err.Error(), "too deep") || i != 498 {
				t.Errorf("after %d: %v", i, err)
			}
			break
		}
		if err := d.Patch(`[{"op":"replace","path":"/e","value":[]}]`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ParseDocument(d.String()); err != nil {
		t.Error(err)
	}
}
