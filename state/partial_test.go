package state

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"aguiwasm/agui/rawjson"
)

func TestComplete(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"only space", " \n", ""},
		{"an object", "{", "{}"},
		{"half a key", `{"a`, `{}`},
		{"a key", `{"a"`, `{}`},
		{"a key and its colon", `{"a":`, `{}`},
		{"half a string", `{"a":"x`, `{"a":"x"}`},
		{"an empty string", `{"a":"`, `{"a":""}`},
		{"a comma", `{"a":"x",`, `{"a":"x"}`},
		{"the second key", `{"a":"x","b`, `{"a":"x"}`},
		{"half an escape", `{"a":"x\`, `{"a":"x"}`},
		{"half a long escape", `{"a":"x\u00e`, `{"a":"x"}`},
		{"a whole escape", `{"a":"x\u00e9`, `{"a":"x\u00e9"}`},
		{"half a surrogate pair", `{"a":"x\ud83d`, `{"a":"x"}`},
		{"half a surrogate pair and a bit", `{"a":"x\ud83d\u`, `{"a":"x"}`},
		{"a whole surrogate pair", `{"a":"x\ud83d\ude80`, `{"a":"x\ud83d\ude80"}`},
		{"half a pair that stays one", `{"a":"x\ud83dy`, `{"a":"x\ud83dy"}`},
		{"half a character", "{\"a\":\"x\xc3", `{"a":"x"}`},
		{"half a literal", `{"a":tr`, `{}`},
		{"a literal", `{"a":true`, `{"a":true}`},
		{"half a literal in a list", `[true,fal`, `[true]`},
		{"a number that may go on", `{"a":12`, `{}`},
		{"a number that ended", `{"a":12,`, `{"a":12}`},
		{"a number and space", `[12 `, `[12]`},
		{"half a number", `[1,2.`, `[1]`},
		{"a number on its own", `12`, `12`},
		{"half a number on its own", `12.`, `12`},
		{"only a sign", `-`, ``},
		{"nested", `{"a":[1,{"b":[`, `{"a":[1,{"b":[]}]}`},
		{"closed inside", `{"a":[1]`, `{"a":[1]}`},
		{"whole", ` {"a": [1] } `, ` {"a": [1] } `},
		{"something behind", `{"a":1} x`, `{"a":1} `},
		{"broken further in", `{"a":1,"b":?`, `{"a":1}`},
		{"the wrong bracket", `{"a":[1}`, `{"a":[1]}`},
		{"no JSON", `hello`, ``},
		{"a bad escape", `["a\x`, `["a"]`},
		{"a line end in a string", "[\"a\nb", `["a"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Complete(tt.in); got != tt.want {
				t.Errorf("Complete(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// grows reports whether a later parse keeps what an earlier one had: strings and lists may go on, members may come.
func grows(early, late any) bool {
	switch e := early.(type) {
	case obj:
		l, ok := late.(obj)
		if !ok {
			return false
		}
		for k, v := range e {
			if w, ok := l[k]; !ok || !grows(v, w) {
				return false
			}
		}
		return true
	case *arr:
		l, ok := late.(*arr)
		if !ok || len(l.v) < len(e.v) {
			return false
		}
		for i := range e.v {
			if !grows(e.v[i], l.v[i]) {
				return false
			}
		}
		return true
	case body:
		l, ok := late.(body)
		return ok && strings.HasPrefix(string(l), string(e))
	}
	return show(early) == show(late)
}

// TestCompleteEveryPrefix: the parse of every prefix is valid, keeps what the one before had, and ends as the whole.
func TestCompleteEveryPrefix(t *testing.T) {
	docs := []string{
		`{"q":"caf\u00e9 \ud83d\ude80 é🚀","n":-1.5e+3,"l":[true,false,null,[],{},[[1],{"a":{"b":"c"}}]],"":"\\\"\/"}`,
		` [ 1 , "a" , { "b" : [ ] } ] `,
		`{"a":{"b":{"c":[{"d":"e"},{"f":0}]}}}`,
	}
	for seed := range uint64(300) {
		v := randomValue(rand.New(rand.NewPCG(seed, 3)), 5)
		if k := rawjson.KindOf(v); k == rawjson.Object || k == rawjson.Array {
			docs = append(docs, v)
		}
	}
	for _, d := range docs {
		var last any
		for i := range len(d) + 1 {
			got := Complete(d[:i])
			if got == "" {
				if last != nil {
					t.Fatalf("%q: the parse vanished", d[:i])
				}
				continue
			}
			if err := rawjson.Check(got, 0); err != nil {
				t.Fatalf("Complete(%q) = %q: %v", d[:i], got, err)
			}
			v := parseTree(strings.TrimSpace(got))
			if last != nil && !grows(last, v) {
				t.Fatalf("Complete(%q) = %q lost something of %q", d[:i], got, show(last))
			}
			last = v
		}
		if got := Complete(d); strings.TrimSpace(got) != strings.TrimSpace(d) {
			t.Errorf("Complete(%q) = %q", d, got)
		}
	}
}

func TestCompleteDeepAndLong(t *testing.T) {
	if got := Complete(strings.Repeat("[", 100000)); rawjson.Check(got, 0) != nil || len(got) != 2000 {
		t.Errorf("deep: %d bytes", len(got))
	}
	time1, time2 := timeComplete(1<<20), timeComplete(4<<20)
	if time2 > 40*time1+50*time.Millisecond {
		t.Errorf("not linear: %v, and %v for four times as much", time1, time2)
	}
}

func timeComplete(n int) time.Duration {
	text := `{"a":[` + strings.Repeat(`{"k":"some text"},`, n/18)
	start := time.Now()
	Complete(text)
	return time.Since(start)
}

func FuzzComplete(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\ud83d`, `[tru`, `{"a":1}x`, `"\u00`, "\x80", `[-`, `{"a" :{}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Complete(s)
		if got == "" {
			return
		}
		if err := rawjson.Check(got, 0); err != nil {
			t.Fatalf("Complete(%q) = %q: %v", s, got, err)
		}
		if rawjson.Check(s, 0) == nil && got != s {
			t.Fatalf("Complete(%q) = %q, which was whole", s, got)
		}
	})
}
