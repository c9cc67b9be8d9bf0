package state

import (
	"strings"
	"sync"
	"testing"

	"aguiwasm/agui"
)

// TestViewGet: a view's values are those of the document at its moment, opened or not.
func TestViewGet(t *testing.T) {
	d := NewDocument(`{"a":{"b":[1,{"c":"x"}],"":0},"m~n":{"o/p":null},"a2":1}`)
	if err := d.Patch(`[{"op":"test","path":"/a/b/0","value":1}]`); err != nil {
		t.Fatal(err)
	}
	v := d.Snapshot()
	if err := d.Patch(`[{"op":"replace","path":"/a/b/1/c","value":"y"},{"op":"remove","path":"/m~0n"}]`); err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"": `{"a":{"b":[1,{"c":"x"}],"":0},"m~n":{"o/p":null},"a2":1}`, "/a/b": `[1,{"c":"x"}]`, "/a/b/1/c": `"x"`,
		"/a/":        "0",
		"/m~0n/o~1p": "null", "/a2": "1",
	} {
		if got, ok := v.Get(pointer); !ok || got != want {
			t.Errorf("%q: %s (%v), not %s", pointer, got, ok, want)
		}
	}
	for _, pointer := range []string{"a", "/b", "/a/b/2", "/a/b/-", "/a2/x", "/m~0n/o~1p/x"} {
		if got, ok := v.Get(pointer); ok {
			t.Errorf("%q: %s", pointer, got)
		}
	}
	if got, ok := (View{}).Get(""); !ok || got != "null" {
		t.Errorf("the zero view: %q (%v)", got, ok)
	}
}

// TestSnapshotsAreReadDuringChanges: with -race. Other goroutines read snapshots while events change the store, with
// every operation that looks into what it does not change.
func TestSnapshotsAreReadDuringChanges(t *testing.T) {
	long := `"` + strings.Repeat("x", openFrom) + `"`
	store := New(checkedMessages(t, `[{"id":"m","role":"assistant","content":"hi","toolCalls":[
		{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},
		{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},
		{"id":"a","role":"activity","activityType":"plan","content":{"deep":{"list":[1,2,`+long+`]}}}]`),
		`{"big":{"in":{"x":[1,2,3],"long":`+long+`}},"list":[{"n":1},{"n":2,"long":`+long+`}],"to":{}}`)
	events := []agui.Event{
		&agui.StateDelta{Delta: `[{"op":"test","path":"/big","value":{"in":{"x":[1,2,3],"long":` + long + `}}}]`},
		&agui.StateDelta{Delta: `[{"op":"test","path":"/big","value":{}}]`},
		&agui.StateDelta{Delta: `[{"op":"copy","from":"/big/in","path":"/to/copy"}]`},
		&agui.StateDelta{Delta: `[{"op":"move","from":"/list/1","path":"/list/0"}]`},
		&agui.StateDelta{Delta: `[{"op":"test","path":"/list/1/n","value":1},{"op":"replace","path":"/list/1/n","value":1}]`},
		&agui.ActivityDelta{MessageID: "a", ActivityType: "plan",
			Patch: `[{"op":"test","path":"/deep/list/0","value":1}]`},
		&agui.TextMessageStart{MessageID: "m", Role: agui.RoleAssistant},
		&agui.TextMessageContent{MessageID: "m", Delta: `"more"`},
		&agui.TextMessageEnd{MessageID: "m"},
	}
	store.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"}, nil, nil)
	var readers sync.WaitGroup
	for range 3 {
		for _, e := range events {
			snapshot := store.Snapshot()
			want := string(snapshot.State().AppendJSON(nil))
			readers.Add(1)
			go func() {
				defer readers.Done()
				for range 20 {
					if got := string(snapshot.State().AppendJSON(nil)); got != want {
						t.Errorf("the state became %s", got)
					}
					snapshot.State().Get("/big/in/x/1")
					snapshot.State().Get("/list/0/long")
					for m := range snapshot.Messages() {
						m.AppendJSON(nil)
						m.Field("content")
						for i := range m.Calls() {
							m.Call(i).Arguments()
						}
					}
				}
			}()
			store.Apply(e, nil, nil)
		}
	}
	readers.Wait()
}

// checkedMessages parses a list of messages.
func checkedMessages(t *testing.T, text string) []agui.Message {
	t.Helper()
	list, err := agui.ParseMessages(text, "messages", agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
