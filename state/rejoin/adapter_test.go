package rejoin

import (
	"reflect"
	"strings"
	"testing"
)

func TestAdapter(t *testing.T) {
	answers := map[string]string{
		"cursor": "c1", "compare": "-0.5",
		"attach": `{"url":"/a","method":"post","body":"b","headers":{"X":"1","Y":2},"shape":"snapshot"}`,
		"load":   `{"method":"GET"}`,
	}
	var asked []string
	call := func(name string, args ...string) string {
		asked = append(asked, name+" "+strings.Join(args, " "))
		return answers[name]
	}
	d := Adapter(`{"shape":"cursor","has":["cursor","compare","attach","load"]}`, call)
	if cursor, data := d.Cursor("{}", "7"); cursor != "c1" || data != "{}" {
		t.Errorf("cursor %q, %q", cursor, data)
	}
	if n := d.Compare("a", "b"); n != -1 {
		t.Errorf("compare gave %d", n)
	}
	q, ok := d.Attach(Context{URL: "/u", ThreadID: "t\"", Cursor: "c", Why: Join})
	want := Request{Method: "POST", URL: "/a", Body: "b", Headers: [][2]string{{"X", "1"}, {"Y", ""}},
		Shape: BySnapshot}
	if !ok || !reflect.DeepEqual(q, want) {
		t.Errorf("attach %+v", q)
	}
	if _, ok := d.Load(Context{}); ok {
		t.Error("a request without a URL counts")
	}
	if d.Stop != nil {
		t.Error("stop is there")
	}
	if got :=
		asked[2]; got != `attach {"why":"join","url":"/u","threadId":"t\"","body":"","runId":null,"cursor":"c","agentId":null}` {
		t.Error(got)
	}
	// A frame's own id is the cursor where the page reads none; other shapes have none.
	if cursor, _ := Adapter(`{"has":["attach"]}`, call).Cursor("{}", "7"); cursor != "7" {
		t.Errorf("cursor %q", cursor)
	}
	if d := Adapter(`{"shape":"replay","has":["cursor","attach"]}`, call); d.Shape != ByReplay || d.Cursor != nil ||
		d.Compare != nil {
		t.Errorf("%+v", d)
	}
	// What a function did not give counts as nothing.
	answers = nil
	if q, ok := d.Attach(Context{}); ok {
		t.Errorf("%+v", q)
	}
	if d.Compare("a", "b") != 0 {
		t.Error("compare")
	}
}
