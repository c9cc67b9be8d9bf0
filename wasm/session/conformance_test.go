package session

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/sse"
	"aguiwasm/state"
)

// testCase is one case of testdata/conformance/cases.json, or one of the recordings that the demo agent replays.
type testCase struct {
	Name, Kind, Verify string
	Input              struct {
		Messages json.RawMessage
		State    json.RawMessage
	}
	Response struct {
		Status      int
		ContentType string
		Body        *string
		Cut         any
	}
	Expect struct {
		Outcome    any
		Messages   []any
		State      any
		StateText  string
		Types      []string
		Events     []any
		Warnings   []string
		Error      map[string]any
		Interrupts []string
	}
}

func loadCases(t *testing.T) []testCase {
	t.Helper()
	var cases []testCase
	text, err := os.ReadFile("testdata/conformance/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// result is what a run came to.
type result struct {
	*mirror
	outcome         string
	messages, state string
}

// play runs a case with its body cut as cut says: 0 is whole, 1 every byte, any other number seeds random cuts.
func play(t *testing.T, c *testCase, mode Mode, cut uint64) result {
	t.Helper()
	messages, initial := "[]", "{}"
	if c.Input.Messages != nil {
		messages = string(c.Input.Messages)
	}
	if c.Input.State != nil {
		initial = string(c.Input.State)
	}
	in, err := agui.ParseInput(fmt.Sprintf(`{"threadId":"t1","runId":"r1","messages":%s,"state":%s}`, messages,
		initial), agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store := state.New(in.Messages, in.State)
	m := newMirror(parse(t, string(store.AppendMessages(nil))), parse(t, string(store.AppendState(nil))))
	s := New(Config{Mode: mode, Strict: c.Verify == "strict", ThreadID: "t1", RunID: "r1", Store: store,
		Deliver: func(b []byte) {
			if err := m.take(b); err != nil {
				t.Fatal(err)
			}
		}})
	defer s.Stop()
	body := ""
	if c.Response.Body != nil {
		body = *c.Response.Body
	}
	step := func() {
		for m.asked && !m.done && m.fail == nil {
			m.asked = false
			s.Step(true)
		}
	}
	r := Response{Status: c.Response.Status, ContentType: c.Response.ContentType}
	switch sse.Judge(r.Status, r.ContentType) {
	case sse.Look:
		s.Look()
		fallthrough
	case sse.Stream:
		for _, chunk := range cuts(body, cut) {
			s.Push([]byte(chunk))
			step()
		}
		s.End()
		step()
	default:
		s.Fail(Refuse(r, body))
	}
	res := result{mirror: m, messages: string(store.AppendMessages(nil)), state: string(store.AppendState(nil))}
	switch {
	case m.done:
		res.outcome = "complete"
	case m.fail != nil:
		res.outcome = m.fail.Code
	default:
		t.Fatal("the run did not end")
	}
	return res
}

func cuts(body string, cut uint64) (chunks []string) {
	r := rand.New(rand.NewPCG(cut, cut))
	for body != "" {
		n := len(body)
		switch cut {
		case 0:
		case 1:
			n = 1
		default:
			n = min(n, 1+r.IntN(60))
		}
		chunks = append(chunks, body[:n])
		body = body[n:]
	}
	return chunks
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(marked(text)), &v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return v
}

// like reports whether got is as want says: "*" stands for any string in an id.
func like(want, got any, key string) bool {
	if want == "*" && (key == "id" || strings.HasSuffix(key, "Id")) {
		_, ok := got.(string)
		return ok
	}
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for k, w := range want {
			if g, ok := got[k]; !ok || !like(w, g, k) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for i := range want {
			if !like(want[i], got[i], key) {
				return false
			}
		}
		return true
	}
	if text, ok := got.(string); ok {
		got = joined(text)
	}
	return reflect.DeepEqual(want, got)
}

func show(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func check(t *testing.T, c *testCase, got result) {
	t.Helper()
	switch want := c.Expect.Outcome.(type) {
	case string:
		if got.outcome != want {
			t.Errorf("outcome %s, want %s (%+v)", got.outcome, want, got.fail)
		}
	case []any:
		if !slices.Contains(want, any(got.outcome)) {
			t.Errorf("outcome %s, want one of %v", got.outcome, want)
		}
	}
	root := got.root.(map[string]any)
	if c.Expect.Messages != nil && !like(any(c.Expect.Messages), root["messages"], "") {
		t.Errorf("messages\n got %s\nwant %s", show(root["messages"]), show(c.Expect.Messages))
	}
	if c.Expect.StateText != "" {
		if got.state != c.Expect.StateText {
			t.Errorf("state\n got %s\nwant %s", got.state, c.Expect.StateText)
		}
	} else if !like(c.Expect.State, root["state"], "") {
		t.Errorf("state\n got %s\nwant %s", show(root["state"]), show(c.Expect.State))
	}
	if c.Expect.Types != nil && !slices.Equal(got.types, c.Expect.Types) {
		t.Errorf("types\n got %s\nwant %s", got.types, c.Expect.Types)
	}
	if c.Expect.Events != nil {
		var events []any
		for _, raw := range got.raw {
			events = append(events, parse(t, string(raw)))
		}
		if len(events) != len(c.Expect.Events) {
			t.Errorf("events\n got %s\nwant %s", show(events), show(c.Expect.Events))
		} else {
			for i, w := range c.Expect.Events {
				g, w := events[i].(map[string]any), w.(map[string]any)
				if _, given := w["role"]; g["type"] == "TEXT_MESSAGE_START" && g["role"] == "assistant" && !given {
					delete(g, "role")
				}
				if !like(w, g, "") {
					t.Errorf("event %d\n got %s\nwant %s", i, show(g), show(w))
				}
			}
		}
	}
	if c.Response.Status < 400 {
		codes := map[string]bool{}
		for _, w := range got.warn {
			codes[w.Code] = true
		}
		want := map[string]bool{}
		for _, w := range c.Expect.Warnings {
			want[w] = true
		}
		if !reflect.DeepEqual(codes, want) {
			t.Errorf("warnings %v, want %v: %+v", codes, want, got.warn)
		}
	}
	for field, want := range c.Expect.Error {
		have := map[string]any{"payload": nil, "event": nil, "status": nil}
		if got.fail != nil {
			have = map[string]any{"payload": got.fail.Payload, "event": got.fail.Event,
				"status": float64(got.fail.Status)}
		}
		if !like(want, have[field], field) {
			t.Errorf("error's %s is %s, want %s", field, show(have[field]), show(want))
		}
	}
	if c.Expect.Interrupts != nil {
		ids := []string{}
		for _, i := range root["interrupts"].([]any) {
			ids = append(ids, i.(map[string]any)["id"].(string))
		}
		if !slices.Equal(ids, c.Expect.Interrupts) {
			t.Errorf("interrupts %v, want %v", ids, c.Expect.Interrupts)
		}
	}
	if !reflect.DeepEqual(parse(t, got.messages), root["messages"]) {
		t.Errorf("the mirror's messages are not the store's\nmirror %s\n store %s", show(root["messages"]),
			got.messages)
	}
	if !reflect.DeepEqual(parse(t, got.state), root["state"]) {
		t.Errorf("the mirror's state is not the store's\nmirror %s\n store %s", show(root["state"]), got.state)
	}
}

// everyWay plays a case in each mode and grouping: they must all come to the same.
func everyWay(t *testing.T, c *testCase) {
	for _, way := range []struct {
		name string
		mode Mode
		cut  uint64
	}{{"whole", Fast, 0}, {"byte by byte", Fast, 1}, {"random cuts", Fast, 7}, {"stepped, whole", Stepped, 0},
		{"stepped, byte by byte", Stepped, 1}} {
		t.Run(way.name, func(t *testing.T) { check(t, c, play(t, c, way.mode, way.cut)) })
	}
}

func TestConformance(t *testing.T) {
	cases := loadCases(t)
	if len(cases) < 200 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Kind+"/"+c.Name, func(t *testing.T) { everyWay(t, &c) })
	}
}

func TestTraces(t *testing.T) {
	files, err := filepath.Glob("../../web/dev/demo/testdata/traces/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d recordings (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c testCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(file, err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) { everyWay(t, &c) })
	}
}
