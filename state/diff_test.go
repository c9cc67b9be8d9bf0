package state_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

func TestDiff(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"equal", `{"a":1.0}`, `{ "a": 1 }`, `[]`},
		{"another kind", `{"a":1}`, `[1]`, `[{"op":"replace","path":"","value":[1]}]`},
		{"members", `{"a":1,"b":2,"c":{"d":1}}`, `{"a":1,"c":{"d":2},"e":null}`,
			`[{"op":"remove","path":"/b"},{"op":"replace","path":"/c/d","value":2},{"op":"add","path":"/e","value":null}]`},
		{"keys to escape", `{}`, `{"a/b":1,"~":2,"":3}`,
			`[{"op":"add","path":"/a~1b","value":1},{"op":"add","path":"/~0","value":2},{"op":"add","path":"/","value":3}]`},
		{"append to an array", `[1,2]`, `[1,2,3]`, `[{"op":"add","path":"/2","value":3}]`},
		{"put into the middle", `[1,4]`, `[1,2,3,4]`,
			`[{"op":"add","path":"/1","value":2},{"op":"add","path":"/2","value":3}]`},
		{"take out of the middle", `[1,2,3,4]`, `[1,4]`, `[{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}]`},
		{"of duplicate keys the last", `{"a":1,"a":2}`, `{"a":2}`, `[]`},
		{"half a surrogate pair", `"\ud800"`, `"\ud801"`, `[{"op":"replace","path":"","value":"\ud801"}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := state.Diff(tt.from, tt.to); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func ExampleDiff() {
	fmt.Println(state.Diff(`{"step":1,"log":["a"]}`, `{"step":2,"log":["a","b"]}`))
	// Output: [{"op":"replace","path":"/step","value":2},{"op":"add","path":"/log/1","value":"b"}]
}

// FuzzDiff applies what Diff gives: the document must become the second value.
func FuzzDiff(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":[1,2,{"b":null}]}`, `{"a":[2,{"b":1},[]],"c":{}}`}, {`[1,2,3,4,5]`, `[5,4,3,2,1]`},
		{`null`, `{"a":{"a":{}}}`},
		{`{"~/":1}`, `{"~/":{"~0":2}}`}, {`[[],[[]]]`, `[[[]]]`}, {`{"\ud800":1}`, `{"\ud801":1}`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		if !utf8.ValidString(from+to) || rawjson.Check(from, 100) != nil || rawjson.Check(to, 100) != nil {
			t.Skip()
		}
		from, to = rawjson.Compact(from), rawjson.Compact(to)
		patch := state.Diff(from, to)
		d := state.NewDocument(from)
		if err := d.Patch(patch); err != nil {
			t.Fatalf("%s to %s: %s: %v", from, to, patch, err)
		}
		if got := d.String(); !rawjson.Equal(got, to) {
			t.Fatalf("%s to %s: %s gives %s", from, to, patch, got)
		}
	})
}
