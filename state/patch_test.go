package state

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"aguiwasm/agui/rawjson"
)

func doc(t testing.TB, text string) *Document {
	t.Helper()
	d, err := ParseDocument(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func TestPatch(t *testing.T) {
	tests := []struct{ name, doc, patch, want string }{
		{"add a member", `{"a":1}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{"add over a member keeps its place", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{"add in the middle", `[1,3]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2,3]`},
		{"add at the end by its index", `[1]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2]`},
		{"add at the end by -", `[1]`, `[{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{"- is an ordinary key of an object", `{}`, `[{"op":"add","path":"/-","value":2}]`, `{"-":2}`},
		{"an index is an ordinary key of an object", `{"0":1}`,
			`[{"op":"replace","path":"/0","value":2},{"op":"add","path":"/01","value":3}]`, `{"0":2,"01":3}`},
		{"the empty key", `{"":1}`, `[{"op":"replace","path":"/","value":2}]`, `{"":2}`},
		{"the empty key twice", `{"":{"":1}}`, `[{"op":"remove","path":"//"}]`, `{"":{}}`},
		{"escapes are decoded once", `{"~1":1,"/":2}`, `[{"op":"remove","path":"/~01"}]`, `{"/":2}`},
		{"remove keeps the order", `{"a":1,"b":2,"c":3}`, `[{"op":"remove","path":"/b"}]`, `{"a":1,"c":3}`},
		{"remove and add goes to the end", `{"a":1,"b":2}`,
			`[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":3}]`, `{"b":2,"a":3}`},
		{"replace the root", `{"a":1}`, `[{"op":"replace","path":"","value":[1]}]`, `[1]`},
		{"add at the root", `3`, `[{"op":"add","path":"","value":null}]`, `null`},
		{"a null document is replaced", `null`,
			`[{"op":"replace","path":"","value":{"a":1}},{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{"a scalar document is tested", `"x"`, `[{"op":"test","path":"","value":"x"}]`, `"x"`},
		{"move between", `{"a":{"x":1},"b":[]}`, `[{"op":"move","from":"/a/x","path":"/b/0"}]`, `{"a":{},"b":[1]}`},
		{"move onto itself", `{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1,"b":2}`},
		{"move to the root", `{"a":[1]}`, `[{"op":"move","from":"/a","path":""}]`, `[1]`},
		{"move onto its own parent", `{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":1}`},
		{"move in an array counts without it", `["a","b","c"]`, `[{"op":"move","from":"/0","path":"/2"}]`,
			`["b","c","a"]`},
		{"copy is on its own", `{"a":{"x":1}}`,
			`[{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/a/x","value":2}]`,
			`{"a":{"x":2},"b":{"x":1}}`},
		{"copy of something opened is on its own", `{"a":{"x":1}}`,
			`[{"op":"replace","path":"/a/x","value":2},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/y","value":3},{"op":"add","path":"/a/z","value":4}]`, `{"a":{"x":2,"z":4},"b":{"x":2,"y":3}}`},
		{"copy the root into itself", `{"a":1}`,
			`[{"op":"copy","from":"","path":"/b"},{"op":"add","path":"/b/c","value":2}]`, `{"a":1,"b":{"a":1,"c":2}}`},
		{"test numbers by value", `{"n":10}`,
			`[{"op":"test","path":"/n","value":1e1},{"op":"test","path":"/n","value":10.0}]`, `{"n":10}`},
		{"test large numbers exactly", `[9007199254740993]`, `[{"op":"test","path":"/0","value":9007199254740993}]`,
			`[9007199254740993]`},
		{"test what was opened", `{"a":{"b":[1]}}`,
			`[{"op":"add","path":"/a/b/-","value":2},{"op":"test","path":"","value":{"a":{"b":[1,2]}}}]`,
			`{"a":{"b":[1,2]}}`},
		{"a member named as an own key of objects", `{}`,
			`[{"op":"add","path":"/__proto__","value":{}},{"op":"add","path":"/__proto__/x","value":1},{"op":"add","path":"/constructor","value":2}]`, `{"__proto__":{"x":1},"constructor":2}`},
		{"no operation", `[1]`, `[]`, `[1]`},
		{"members that mean nothing", `{"a":1}`, `[{"op":"remove","path":"/a","value":7,"from":3,"x":[]}]`, `{}`},
		{"of duplicate members of an operation the last counts", `{}`,
			`[{"op":"remove","op":"add","path":"/x","path":"/a","value":1,"value":2}]`, `{"a":2}`},
		{"keys are compared decoded", `{"\u0061":1}`, `[{"op":"replace","path":"/a","value":2}]`, `{"\u0061":2}`},
		{"pointers are decoded", `{"a":1}`, `[{"op":"replace","path":"/\u0061","value":2}]`, `{"a":2}`},
		{"half a surrogate pair in a key", `{"\ud83d":1,"\ude80":2}`, `[{"op":"remove","path":"/\ud83d"}]`,
			`{"\ude80":2}`},
		{"half a surrogate pair in a new key", `{}`, `[{"op":"add","path":"/\ud83d","value":1}]`, `{"\ud83d":1}`},
		{"what is not touched stays byte for byte", `{"n":1.50e+2,"s":"\u00e9\ud83d\/", "o":{ "b" : [1 , 2] },"t":1}`,
			`[{"op":"replace","path":"/t","value":12345678901234567890.10}]`,
			`{"n":1.50e+2,"s":"\u00e9\ud83d\/","o":{ "b" : [1 , 2] },"t":12345678901234567890.10}`},
		{"of duplicate keys the last counts, at the first's place", `{"a":1,"b":2,"a":3}`,
			`[{"op":"test","path":"/a","value":3},{"op":"add","path":"/c","value":4}]`, `{"a":3,"b":2,"c":4}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := doc(t, tt.doc)
			if err := d.Patch(tt.patch); err != nil {
				t.Fatal(err)
			}
			if got := d.String(); got != tt.want {
				t.Errorf("%s on %s\n got %s\nwant %s", tt.patch, tt.doc, got, tt.want)
			}
		})
	}
}

func TestPatchRefused(t *testing.T) {
	deep := strings.Repeat("[", 990) + strings.Repeat("]", 990)
	tests := []struct {
		name, doc, patch string
		index            int
		path, reason     string
	}{
		{"not a list", `{}`, `{"op":"remove"}`, -1, "", "not a list"},
		{"not JSON", `{}`, `[`, -1, "", "not JSON"},
		{"nested too deep", `{}`, strings.Repeat("[", 20000), -1, "", "not JSON"},
		{"an operation that is no object", `{}`, `[{"op":"add","path":"/a","value":1},3]`, 1, "", "not an object"},
		{"an operation that is null", `{}`, `[null]`, 0, "", "not an object"},
		{"no op", `{}`, `[{"path":"/a"}]`, 0, "/a", "no op"},
		{"an unknown op", `{}`, `[{"op":"merge","path":"/a","value":1}]`, 0, "/a", "unknown"},
		{"an op in another case", `{"a":1}`, `[{"op":"Remove","path":"/a"}]`, 0, "/a", "unknown"},
		{"an op that is a number", `{}`, `[{"op":1,"path":"/a"}]`, 0, "/a", "unknown"},
		{"a key in another case", `{"a":1}`, `[{"op":"remove","Path":"/a"}]`, 0, "", "no path"},
		{"no path", `{}`, `[{"op":"remove"}]`, 0, "", "no path"},
		{"a path that is null", `{}`, `[{"op":"remove","path":null}]`, 0, "", "not a string"},
		{"a path that is a number", `{}`, `[{"op":"add","path":1,"value":1}]`, 0, "", "not a string"},
		{"a path without a slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`, 0, "a", "slash"},
		{"a path with a bare tilde", `{"~":1}`, `[{"op":"remove","path":"/~"}]`, 0, "/~", "~"},
		{"a path with ~2", `{"~2":1}`, `[{"op":"remove","path":"/~2"}]`, 0, "/~2", "~"},
		{"add without a value", `{}`, `[{"op":"add","path":"/a"}]`, 0, "/a", "no value"},
		{"replace without a value", `{"a":1}`, `[{"op":"replace","path":"/a"}]`, 0, "/a", "no value"},
		{"test without a value", `{"a":null}`, `[{"op":"test","path":"/a"}]`, 0, "/a", "no value"},
		{"move without from", `{}`, `[{"op":"move","path":"/a"}]`, 0, "/a", "no from"},
		{"copy with a from that is null", `{}`, `[{"op":"copy","path":"/a","from":null}]`, 0, "/a", "not a string"},
		{"a from without a slash", `{"a":1}`, `[{"op":"copy","path":"/b","from":"a"}]`, 0, "/b", "from"},
		{"remove the root", `{"a":1}`, `[{"op":"remove","path":""}]`, 0, "", "root"},
		{"move the root", `{"a":1}`, `[{"op":"move","from":"","path":"/b"}]`, 0, "/b", "into itself"},
		{"move into itself", `{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, 0, "/a/b", "into itself"},
		{"remove what is not there", `{}`, `[{"op":"remove","path":"/a"}]`, 0, "/a", "no member"},
		{"replace what is not there", `{}`, `[{"op":"replace","path":"/a","value":1}]`, 0, "/a", "no member"},
		{"test what is not there against null", `{}`, `[{"op":"test","path":"/a","value":null}]`, 0, "/a", "no member"},
		{"add without a parent", `{}`, `[{"op":"add","path":"/a/b","value":1}]`, 0, "/a/b", "no member"},
		{"add under a scalar", `{"a":1}`, `[{"op":"add","path":"/a/b","value":1}]`, 0, "/a/b", "neither"},
		{"add under a scalar document", `null`, `[{"op":"add","path":"/a","value":1}]`, 0, "/a", "neither"},
		{"a negative index", `[1]`, `[{"op":"remove","path":"/-1"}]`, 0, "/-1", "not an array index"},
		{"an index with a zero before it", `[1,2]`, `[{"op":"remove","path":"/01"}]`, 0, "/01", "not an array index"},
		{"an index with a plus", `[1,2]`, `[{"op":"remove","path":"/+1"}]`, 0, "/+1", "not an array index"},
		{"an index that is a word", `[1,2]`, `[{"op":"add","path":"/x","value":1}]`, 0, "/x", "not an array index"},
		{"an index that is empty", `[1,2]`, `[{"op":"add","path":"/","value":1}]`, 0, "/", "not an array index"},
		{"an index past the end", `[1]`, `[{"op":"add","path":"/2","value":1}]`, 0, "/2", "past the end"},
		{"a huge index", `[1]`, `[{"op":"add","path":"/99999999999999999999","value":1}]`, 0, "/99999999999999999999",
			"past the end"},
		{"remove -", `[1]`, `[{"op":"remove","path":"/-"}]`, 0, "/-", "after the last"},
		{"replace -", `[1]`, `[{"op":"replace","path":"/-","value":1}]`, 0, "/-", "after the last"},
		{"test -", `[1]`, `[{"op":"test","path":"/-","value":1}]`, 0, "/-", "after the last"},
		{"through -", `[[1]]`, `[{"op":"add","path":"/-/0","value":1}]`, 0, "/-/0", "after the last"},
		{"copy what is not there", `{}`, `[{"op":"copy","from":"/x","path":"/a"}]`, 0, "/a",
			"from: there is no member"},
		{"a failed test", `{"a":1}`, `[{"op":"test","path":"/a","value":2}]`, 0, "/a", "another"},
		{"a test of large numbers", `[9007199254740993]`, `[{"op":"test","path":"/0","value":9007199254740992}]`, 0,
			"/0", "another"},
		{"the third operation", `{"a":1}`,
			`[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/a"},{"op":"remove","path":"/c"}]`, 2, "/c",
			"no member"},
		{"a malformed operation after good ones", `{"a":1}`,
			`[{"op":"add","path":"/b","value":1},{"op":"add","path":"/c"}]`, 1, "/c", "no value"},
		{"a document that would nest too deep", `{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":{"j":1}}}}}}}}}}`,
			`[{"op":"add","path":"/a/b/c/d/e/f/g/h/i/j","value":` + deep + `}]`, 0, "/a/b/c/d/e/f/g/h/i/j", "too deep"},
		{"a copy that would nest too deep",
			`{"a":` + deep + `,"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{}}}}}}}}}}}`,
			`[{"op":"copy","from":"/a","path":"/b/b/b/b/b/b/b/b/b/b/c"}]`, 0, "/b/b/b/b/b/b/b/b/b/b/c", "too deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := doc(t, tt.doc)
			err := d.Patch(tt.patch)
			var pe *PatchError
			if !errors.As(err, &pe) {
				t.Fatalf("got %v (%s), want a PatchError", err, d)
			}
			if pe.Index != tt.index || pe.Path != tt.path || !strings.Contains(pe.Reason, tt.reason) {
				t.Errorf("got %d %q %q, want %d %q %q", pe.Index, pe.Path, pe.Reason, tt.index, tt.path, tt.reason)
			}
			if !rawjson.Equal(d.String(), tt.doc) {
				t.Errorf("the refused patch left %s of %s", d, tt.doc)
			}
			// The same again: refusing must not depend on what was remembered.
			if again := d.Patch(tt.patch); again == nil || again.Error() != err.Error() {
				t.Errorf("the second time: %v, the first: %v", again, err)
			}
		})
	}
}

func TestCopiesAreBounded(t *testing.T) {
	bomb := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`,{"op":"copy","from":"","path":"/a` + strconv.Itoa(i) + `"}`)
		}
		return "[" + b.String()[1:] + "]"
	}
	d := doc(t, `{"x":"0123456789"}`)
	var refused *PatchError
	if err := d.Patch(bomb(500)); !errors.As(err, &refused) || refused.Index < 15 || refused.Index > 25 ||
		!strings.Contains(refused.Reason, "16 MB") {
		t.Fatalf("a patch that doubles 500 times: %v", err)
	}
	if got := d.String(); got != `{"x":"0123456789"}` {
		t.Errorf("the document is %.100s", got)
	}
	// The limit is on one patch, and counts all of its copies.
	d = doc(t, `{"x":"`+strings.Repeat("y", 5<<20)+`"}`)
	two := `[{"op":"copy","from":"/x","path":"/y"},{"op":"copy","from":"/x","path":"/z"}`
	for range 2 {
		if err := d.Patch(two + "]"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Patch(two + `,{"op":"copy","from":"","path":"/w"}]`); !errors.As(err, &refused) || refused.Index != 2 {
		t.Errorf("25 MB in one patch: %v", err)
	}
}

// evanphx/json-patch departs from RFC 6902 here; the RFC wins.
func TestWhereEvanphxIsNotTheRFC(t *testing.T) {
	tests := []struct{ name, doc, patch, want string }{
		{"a negative index", `[1,2]`, `[{"op":"remove","path":"/-1"}]`, ""},
		{"a test of a missing member against null", `{}`, `[{"op":"test","path":"/a","value":null}]`, ""},
		{"a test without a value", `{"a":null}`, `[{"op":"test","path":"/a"}]`, ""},
		{"a null document", `null`, `[{"op":"test","path":"","value":null},{"op":"replace","path":"","value":{"a":1}}]`,
			`{"a":1}`},
		{"a scalar for the root", `{}`, `[{"op":"replace","path":"","value":1}]`, `1`},
		{"a scalar document", `1`, `[{"op":"replace","path":"","value":{"a":1}}]`, `{"a":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := jsonpatch.DecodePatch([]byte(tt.patch))
			if err != nil {
				t.Fatal(err)
			}
			theirs := ""
			if out, err := p.Apply([]byte(tt.doc)); err == nil {
				theirs = string(out)
			}
			ours := ""
			d := doc(t, tt.doc)
			if d.Patch(tt.patch) == nil {
				ours = d.String()
			}
			if ours != tt.want {
				t.Errorf("ours is %q, want %q", ours, tt.want)
			}
			if theirs == tt.want {
				t.Errorf("evanphx follows the RFC here now: %q", theirs)
			}
		})
	}
}

func TestFailedPatchRestoresTheText(t *testing.T) {
	// Byte for byte, members in their order: also where a map and removed members are at work.
	var b strings.Builder
	b.WriteByte('{')
	for i := range 40 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(rawjson.Quote("k"+string(rune('A'+i)))) + `:[0,1,2]`)
	}
	b.WriteByte('}')
	text := b.String()
	d := doc(t, text)
	patch :=
		`[{"op":"remove","path":"/kA"},{"op":"add","path":"/kA","value":1},{"op":"move","from":"/kC/1","path":"/kD/-"},{"op":"copy","from":"/kD","path":"/kE/0"},` +
			`{"op":"replace","path":"/kB","value":2},{"op":"add","path":"/new","value":{}},{"op":"add","path":"/new/x","value":{}},{"op":"add","path":"/kE/0/0","value":9},{"op":"remove","path":"/kE/1"},{"op":"test","path":"/kB","value":3}]`
	if d.Patch(patch) == nil {
		t.Fatal("want a failure")
	}
	if d.String() != text {
		t.Errorf("\n got %s\nwant %s", d, text)
	}
	if err := d.Patch(strings.Replace(patch, `,{"op":"test","path":"/kB","value":3}`, "", 1)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.String(), `{"kB":2,"kC":[0,2],"kD":[0,1,2,1],"kE":[[9,0,1,2,1],1,2],`) ||
		!strings.HasSuffix(d.String(), `,"kA":1,"new":{"x":{}}}`) {
		t.Errorf("got %s", d)
	}
}

func TestSnapshotsStay(t *testing.T) {
	d := doc(t, `{"a":{"b":[1,{"c":2}]},"d":{"e":1}}`)
	var views []View
	var texts []string
	for _, p := range []string{
		`[{"op":"add","path":"/a/b/1/x","value":1}]`,
		`[{"op":"remove","path":"/a/b/0"}]`,
		`[{"op":"copy","from":"/a","path":"/d/f"}]`,
		`[{"op":"add","path":"/d/f/b/-","value":3},{"op":"move","from":"/a/b/0","path":"/d/g"}]`,
		`[{"op":"test","path":"/d/e","value":1},{"op":"replace","path":"/d/g/c","value":0},{"op":"remove","path":"/nothing"}]`,
		`[{"op":"replace","path":"","value":7}]`,
	} {
		views, texts = append(views, d.Snapshot()), append(texts, d.String())
		_ = d.Patch(p)
	}
	for i, v := range views {
		if v.String() != texts[i] {
			t.Errorf("view %d is %s, was %s", i, v, texts[i])
		}
	}
	// A view can be gone on from, twice, without the two meeting.
	x, y := views[3].Document(), views[3].Document()
	if err := x.Patch(`[{"op":"add","path":"/a/b/0/c","value":"x"}]`); err != nil {
		t.Fatal(err)
	}
	if err := y.Patch(`[{"op":"add","path":"/a/b/0/c","value":"y"}]`); err != nil {
		t.Fatal(err)
	}
	if views[3].String() != texts[3] || x.String() == y.String() {
		t.Errorf("%s, %s, %s", views[3], x, y)
	}
	d.Restore(views[0])
	if d.String() != texts[0] {
		t.Errorf("restored to %s", d)
	}
}

// model applies a patch to plain Go values, as the RFCs are written: the slow way.
func model(doc any, patch []any) (any, bool) {
	for _, p := range patch {
		op, ok := p.(map[string]any)
		if !ok {
			return nil, false
		}
		path, ok := op["path"].(string)
		if !ok {
			return nil, false
		}
		tokens, ok := modelPointer(path)
		if !ok {
			return nil, false
		}
		value, hasValue := op["value"]
		var from []string
		switch op["op"] {
		case "move", "copy":
			f, isString := op["from"].(string)
			if !isString {
				return nil, false
			}
			if from, ok = modelPointer(f); !ok {
				return nil, false
			}
		case "add", "replace", "test":
			if !hasValue {
				return nil, false
			}
		case "remove":
		default:
			return nil, false
		}
		switch op["op"] {
		case "add":
			doc, ok = modelAdd(doc, tokens, value)
		case "remove":
			doc, ok = modelRemove(doc, tokens)
		case "replace":
			if _, ok = modelGet(doc, tokens); ok {
				if len(tokens) == 0 {
					doc = value
				} else {
					doc = modelSet(doc, tokens, value)
				}
			}
		case "test":
			var v any
			v, ok = modelGet(doc, tokens)
			ok = ok && modelEqual(v, value)
		case "copy":
			var v any
			if v, ok = modelGet(doc, from); ok {
				doc, ok = modelAdd(doc, tokens, v)
			}
		case "move":
			if len(tokens) > len(from) && reflect.DeepEqual(tokens[:len(from)], from) {
				return nil, false
			}
			var v any
			if v, ok = modelGet(doc, from); ok && !reflect.DeepEqual(tokens, from) {
				if doc, ok = modelRemove(doc, from); ok {
					doc, ok = modelAdd(doc, tokens, v)
				} else if len(tokens) == 0 {
					doc, ok = v, true
				}
			}
		}
		if !ok {
			return nil, false
		}
	}
	return doc, true
}

func modelPointer(p string) ([]string, bool) {
	if p == "" {
		return []string{}, true
	}
	if p[0] != '/' || strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(p), "~") {
		return nil, false
	}
	tokens := strings.Split(p[1:], "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens, true
}

func modelIndex(t string, n int) (int, bool) {
	if t == "0" {
		return 0, n > 0
	}
	if t == "" || t[0] == '0' || len(t) > 6 {
		return 0, false
	}
	i := 0
	for _, c := range t {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, i < n
}

func modelGet(doc any, tokens []string) (any, bool) {
	for _, t := range tokens {
		switch d := doc.(type) {
		case map[string]any:
			v, ok := d[t]
			if !ok {
				return nil, false
			}
			doc = v
		case []any:
			i, ok := modelIndex(t, len(d))
			if !ok {
				return nil, false
			}
			doc = d[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// modelSet gives doc with the value at the path, which exists but for the last token in an object. Everything is
// copied.
func modelSet(doc any, tokens []string, v any) any {
	if len(tokens) == 0 {
		return v
	}
	switch d := doc.(type) {
	case map[string]any:
		n := map[string]any{}
		for k, e := range d {
			n[k] = e
		}
		n[tokens[0]] = modelSet(d[tokens[0]], tokens[1:], v)
		return n
	case []any:
		n := append([]any{}, d...)
		i, _ := modelIndex(tokens[0], len(d))
		n[i] = modelSet(d[i], tokens[1:], v)
		return n
	}
	return doc
}

func modelAdd(doc any, tokens []string, v any) (any, bool) {
	if len(tokens) == 0 {
		return v, true
	}
	parentPath, last := tokens[:len(tokens)-1], tokens[len(tokens)-1]
	parent, ok := modelGet(doc, parentPath)
	if !ok {
		return nil, false
	}
	switch p := parent.(type) {
	case map[string]any:
		return modelSet(doc, tokens, v), true
	case []any:
		i := len(p)
		if last != "-" {
			if i, ok = modelIndex(last, len(p)+1); !ok {
				return nil, false
			}
		}
		n := append([]any{}, p[:i]...)
		n = append(append(n, v), p[i:]...)
		return modelSet(doc, parentPath, n), true
	}
	return nil, false
}

func modelRemove(doc any, tokens []string) (any, bool) {
	if len(tokens) == 0 {
		return nil, false
	}
	if _, ok := modelGet(doc, tokens); !ok {
		return nil, false
	}
	parentPath, last := tokens[:len(tokens)-1], tokens[len(tokens)-1]
	parent, _ := modelGet(doc, parentPath)
	switch p := parent.(type) {
	case map[string]any:
		n := map[string]any{}
		for k, e := range p {
			if k != last {
				n[k] = e
			}
		}
		return modelSet(doc, parentPath, n), true
	case []any:
		i, _ := modelIndex(last, len(p))
		n := append([]any{}, p[:i]...)
		return modelSet(doc, parentPath, append(n, p[i+1:]...)), true
	}
	return nil, false
}

func modelEqual(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return rawjson.Equal(string(x), string(y))
}

func plain(text string) (v any, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

// FuzzPatch compares patches with the model, and with evanphx where that follows the RFC.
func FuzzPatch(f *testing.F) {
	docs := []string{`{"a":{"b":[1,2,{"c":null}]},"":0,"~":{"/":[]}}`, `[[],{},"x",1]`, `null`, `"s"`, `{"a":1,"a":2}`}
	patches := []string{
		`[{"op":"add","path":"/a/b/1","value":{"x":[1]}},{"op":"move","from":"/a/b/1","path":"/z"},{"op":"copy","from":"/z","path":"/a/b/-"},{"op":"add","path":"/z/x/0","value":3}]`,
		`[{"op":"test","path":"/a/b/0","value":1},{"op":"remove","path":"/a/b/2/c"},{"op":"replace","path":"/~0/~1","value":1}]`,
		`[{"op":"replace","path":"","value":[]},{"op":"add","path":"/-","value":1},{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]`,
		`[{"op":"copy","from":"","path":"/a"},{"op":"move","from":"/a/a","path":""}]`,
		`[{"op":"remove","path":"/-1"}]`,
		`[{"op":"add"}]`,
	}
	for _, d := range docs {
		for _, p := range patches {
			f.Add(d, p)
		}
	}
	f.Fuzz(func(t *testing.T, docText, patchText string) {
		if rawjson.Check(docText, 100) != nil || rawjson.Check(patchText, 100) != nil ||
			len(docText)+len(patchText) > 4000 {
			return
		}
		if strings.Contains(strings.ToLower(docText+patchText), `\ud`) {
			return // encoding/json and evanphx turn half a surrogate pair into U+FFFD
		}
		d := doc(t, docText)
		before := d.Snapshot()
		beforeText := d.String()
		var ch Changes
		m := &mirror{root: obj{"state": parseTree(docText)}}
		perr := d.patch(patchText, len(patchText), &ch, stateBase, nil)
		after := d.String()
		if before.String() != beforeText {
			t.Fatalf("the view changed from %s to %s", beforeText, before)
		}
		if err := rawjson.Check(after, 0); err != nil {
			t.Fatalf("%s: %v", after, err)
		}
		m.apply(&ch, "")
		if got, want := show(m.root["state"]), show(parseTree(after)); got != want {
			t.Fatalf("%s on %s\nthe mirror has %s\nthe document   %s", patchText, docText, got, want)
		}
		if perr != nil && !rawjson.Equal(after, beforeText) {
			t.Fatalf("the refused patch left %s of %s", after, beforeText)
		}
		dv, _ := plain(docText)
		pv, _ := plain(patchText)
		list, isList := pv.([]any)
		want, ok := any(nil), false
		if isList {
			want, ok = model(dv, list)
		}
		if ok != (perr == nil) {
			t.Fatalf("%s on %s: the model says %v, we say %v", patchText, docText, ok, perr)
		}
		if ok && !modelEqual(want, mustPlain(t, after)) {
			t.Fatalf("%s on %s: %s, the model has %v", patchText, docText, after, want)
		}
		compareEvanphx(t, docText, patchText, list, ok, after)
	})
}

func mustPlain(t *testing.T, text string) any {
	v, ok := plain(text)
	if !ok {
		t.Fatalf("no JSON: %s", text)
	}
	return v
}

// compareEvanphx asks the oracle, but for what it is known to do otherwise.
func compareEvanphx(t *testing.T, docText, patchText string, list []any, ok bool, after string) {
	if k := rawjson.KindOf(strings.TrimSpace(docText)); k != rawjson.Object && k != rawjson.Array {
		return // it refuses null and scalar documents
	}
	for _, p := range list {
		op, isObject := p.(map[string]any)
		if !isObject {
			return
		}
		for _, name := range []string{"path", "from"} {
			s, _ := op[name].(string)
			if s == "" || strings.Contains(s, "-") || strings.ContainsAny(s, "+~") || strings.Contains(s, "/0") ||
				s[0] != '/' || strings.HasSuffix(s, "/") {
				// the root, negative and zero-led indices, signs, bare tildes, pointers without a slash, empty keys
				return
			}
		}
		if v, has := op["value"]; op["op"] == "test" && (!has || v == nil || numbers(v)) {
			return // a missing member equals null there, and numbers are compared by their spelling
		}
		if op["op"] == "move" || op["op"] == "copy" {
			return // its move into itself and copies of null differ from the RFC
		}
	}
	p, err := jsonpatch.DecodePatch([]byte(patchText))
	if err != nil {
		if ok {
			t.Fatalf("%s: evanphx refuses it: %v", patchText, err)
		}
		return
	}
	o := jsonpatch.NewApplyOptions()
	o.SupportNegativeIndices = false
	out, err := p.ApplyWithOptions([]byte(docText), o)
	if (err == nil) != ok {
		t.Fatalf("%s on %s: evanphx says %v, we %v (%s)", patchText, docText, err, ok, after)
	}
	if err == nil && !modelEqual(mustPlain(t, string(out)), mustPlain(t, after)) {
		t.Fatalf("%s on %s: evanphx has %s, we %s", patchText, docText, out, after)
	}
}

func numbers(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return true
	case []any:
		for _, e := range v {
			if numbers(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if e == nil || numbers(e) {
				return true
			}
		}
	}
	return false
}
