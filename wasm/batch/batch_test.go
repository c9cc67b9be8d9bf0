package batch

import (
	"encoding/json"
	"errors"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// started gives a store with one empty text message, and what makes the changes of one more delta.
func changesOf(t *testing.T, store *state.Store, events ...string) *state.Changes {
	t.Helper()
	changes := new(state.Changes)
	p := agui.NewPipeline(agui.Options{ThreadID: "t", RunID: "r", Known: store, Emit: func(e agui.Event) bool {
		changes.Reset()
		store.Apply(e, changes, nil)
		return true
	}})
	for _, e := range events {
		if err := p.Push(e); err != nil {
			t.Fatal(err)
		}
	}
	return changes
}

func TestBatch(t *testing.T) {
	store := state.New(nil, "{}")
	delta := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`
	text := changesOf(t, store, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`, delta)
	patch :=
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":[1]},{"op":"add","path":"/a/-","value":2},{"op":"copy","from":"/a/0","path":"/b"},{"op":"remove","path":"/a/0"}]}`
	b := New(new(Paths))
	if b.Take() != nil {
		t.Error("an empty batch is not nil")
	}
	b.Event(delta, text)
	b.Event(delta, text)
	b.Changes(new(state.Changes))
	b.Warning(agui.Warning{Code: agui.WarnRepaired, Message: `a "rule"`, Event: delta})
	b.Warning(agui.Warning{Code: agui.WarnOddField})
	b.Ask(delta)
	b.Error(&Failure{Code: agui.CodeHTTPStatus, Message: "no", Status: 429, Payload: `{"a":1}`, URL: "https://x.test/",
		RetryAfter: 1.5, HasRetryAfter: true, LastEventID: "\n", Event: delta})
	b.Done()
	want := `[[0,` + delta + `,[11,["messages",0,"content"],["delta"]]],` + delta + `,` +
		`[1,"repaired","a \"rule\"",` + delta + `],[1,"odd_field","",null],[4,` + delta + `],` +
		`[2,{"code":"http_status","message":"No","event":` + delta +
		`,"status":429,"payload":{"a":1},"url":"https://x.test/","retryAfter":1.5,"lastEventId":"\n"}],[3]]`
	if got := string(b.Take()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	b.Whole("state", "[1]")
	if got, want := string(b.Take()), `[[5,[0,["state"],[1]]]]`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	store = state.New(nil, "{}")
	b = New(new(Paths))
	b.Event(patch, changesOf(t, store, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, patch))
	got := string(b.Take())
	if want := `[[0,` + patch +
		`,[8,["state","a"],["delta",0,"value"],9,["state","a",1],["delta",1,"value"],5,["state","b"],["state","a",0],2,["state","a",0],0]]]`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestPathsAreRememberedAcrossBatches(t *testing.T) {
	store := state.New(nil, "{}")
	text := changesOf(t, store, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`)
	paths := new(Paths)
	one, two := New(paths), New(paths)
	one.Changes(text)
	two.Changes(text)
	one.Take()
	if got, want := string(two.Take()), `[[5,[11,0,["delta"]]]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	paths.Forget()
	two.Changes(text)
	if got, want := string(two.Take()), `[[5,[11,["messages",0,"content"],["delta"]]]]`; got != want {
		t.Errorf("after Forget: got %s, want %s", got, want)
	}
}

func TestFailureOf(t *testing.T) {
	if f := FailureOf(&agui.Error{Code: agui.CodeProtocol, Message: "m", Event: "{}"}); f.Code != agui.CodeProtocol ||
		f.Message != "m" || f.Event != "{}" {
		t.Errorf("%+v", f)
	}
	if f := FailureOf(errors.New("x")); f.Code != agui.CodeInternal || f.Message != "x" {
		t.Errorf("%+v", f)
	}
}

func TestPayloadOf(t *testing.T) {
	for _, c := range []struct {
		body   string
		isJSON bool
		want   string
	}{
		{"", true, ""}, {"7", true, "7"}, {"7", false, `"7"`}, {`{"a":1}`, false, `{"a":1}`}, {"[", true, `"["`},
		{"a\"b\x00", false, `"a\"b\u0000"`},
	} {
		got := PayloadOf(c.body, c.isJSON)
		if got != c.want || got != "" && !json.Valid([]byte(got)) {
			t.Errorf("%q: got %s, want %s", c.body, got, c.want)
		}
	}
}
