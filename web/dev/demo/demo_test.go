package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tmaxmax/go-sse"
)

// event is one event as it came.
type event map[string]any

func (e event) kind() string { s, _ := e["type"].(string); return s }

// answer is what came back for a run.
type answer struct {
	status int
	header http.Header
	body   string
	events []event
	err    error // how the body ended, if not cleanly
}

func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(New(Options{Speed: -1}))
	t.Cleanup(server.Close)
	return server.URL
}

// input makes a run's body that asks words.
func runInput(words string, more map[string]any) map[string]any {
	in := map[string]any{
		"threadId": "t1", "runId": "r1", "state": map[string]any{}, "tools": []any{}, "context": []any{},
		"forwardedProps": map[string]any{},
		"messages":       []any{map[string]any{"id": "u1", "role": "user", "content": words}},
	}
	for key, value := range more {
		in[key] = value
	}
	return in
}

func post(t *testing.T, url string, in any) answer {
	t.Helper()
	body, ok := in.(string)
	if !ok {
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		body = string(raw)
	}
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode, header: response.Header, body: string(raw), err: err}
	if response.Header.Get("Content-Type") == "text/event-stream" {
		for e, err := range sse.Read(bytes.NewReader(raw), &sse.ReadConfig{MaxEventSize: 1 << 24}) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Data == "" {
				continue
			}
			var v event
			if err := json.Unmarshal([]byte(e.Data), &v); err != nil {
				t.Fatalf("%q: %v", e.Data, err)
			}
			a.events = append(a.events, v)
		}
	}
	return a
}

var comments = regexp.MustCompile(`(?m)^:.*\n\n?`)

func TestScenarios(t *testing.T) {
	url := serve(t)
	tools := []any{map[string]any{"name": "pick", "description": "", "parameters": map[string]any{
		"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "minimum": 3}},
	}}}
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			in := runInput(s.Prompt, map[string]any{"tools": tools})
			a := post(t, url, in)
			if a.status != 200 || len(a.events) < 3 {
				t.Fatalf("status %d, %d events", a.status, len(a.events))
			}
			if find(s.Prompt).Name != s.Name || find(s.Name).Name != s.Name {
				t.Errorf("the prompt chooses %s, the name %s", find(s.Prompt).Name, find(s.Name).Name)
			}
			if got := a.events[0].kind(); got != "RUN_STARTED" {
				t.Errorf("begins with %s", got)
			}
			want := map[string]string{"error": "RUN_ERROR", "cut": "TEXT_MESSAGE_CONTENT"}[s.Name]
			if want == "" {
				want = "RUN_FINISHED"
			}
			if got := a.events[len(a.events)-1].kind(); got != want {
				t.Errorf("ends with %s, not %s", got, want)
			}
			if (a.err != nil) != (s.Name == "cut") {
				t.Errorf("the body ended with %v", a.err)
			}
			// Comments keep a line alive by the clock, where the machine is busy.
			if again := post(t, url, in); comments.ReplaceAllString(again.body, "") != comments.ReplaceAllString(a.body,
				"") {
				t.Error("the same words gave another stream")
			}
		})
	}
}

// count tells how many events of a kind came.
func (a answer) count(kind string) (n int) {
	for _, e := range a.events {
		if e.kind() == kind {
			n++
		}
	}
	return n
}

// text joins the deltas of the events of a kind.
func (a answer) text(kind string) string {
	var b strings.Builder
	for _, e := range a.events {
		if e.kind() == kind {
			b.WriteString(e["delta"].(string))
		}
	}
	return b.String()
}

func TestShownParts(t *testing.T) {
	url := serve(t)
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		for _, e := range post(t, url, runInput(s.Prompt, nil)).events {
			seen[e.kind()] = true
		}
	}
	for _, kind := range strings.Fields(`RUN_STARTED RUN_FINISHED RUN_ERROR STEP_STARTED STEP_FINISHED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT
		TEXT_MESSAGE_END TEXT_MESSAGE_CHUNK TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_CHUNK TOOL_CALL_RESULT STATE_DELTA
		MESSAGES_SNAPSHOT ACTIVITY_SNAPSHOT ACTIVITY_DELTA REASONING_START REASONING_END REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT
		REASONING_MESSAGE_END REASONING_MESSAGE_CHUNK REASONING_ENCRYPTED_VALUE SUBAGENT_STARTED SUBAGENT_FINISHED SUBAGENT_ERROR RAW CUSTOM`) {
		if !seen[kind] {
			t.Errorf("no scenario shows %s", kind)
		}
	}
}

func TestWords(t *testing.T) {
	url := serve(t)
	if a := post(t, url, runInput("Good morning, 世界 <b>", nil)); !strings.Contains(a.text("TEXT_MESSAGE_CONTENT"),
		"“Good morning, 世界 <b>”") {
		t.Errorf("got %q", a.text("TEXT_MESSAGE_CONTENT"))
	}
	if a := post(t, url, runInput("", map[string]any{"messages": []any{}})); a.status != 200 ||
		a.count("RUN_FINISHED") != 1 {
		t.Errorf("no message: %d %s", a.status, a.body)
	}
	for words, want := range map[string]string{
		"use the page tools": "page-tool", "Tool, please": "tool", "toolbox": "echo", "做一个计划": "plan", "HELP": "help",
	} {
		if got := find(words).Name; got != want {
			t.Errorf("%q chooses %s, not %s", words, got, want)
		}
	}
	if a := post(t, url, runInput("flood", nil)); len(a.events) != floodEvents {
		t.Errorf("a flood of %d events", len(a.events))
	}
	if a := post(t, url, runInput("plan", map[string]any{"state": nil})); a.count("STATE_SNAPSHOT") != 1 ||
		a.count("STATE_DELTA") != 15 {
		t.Error("a state that is no object needs a snapshot")
	}
}

func TestBadInput(t *testing.T) {
	url := serve(t)
	for _, test := range []struct {
		name string
		in   any
		want string
	}{
		{"no JSON", "{", "JSON"},
		{"nothing in it", "{}", "threadId"},
		{"a part without source", runInput("x",
			map[string]any{"messages": []any{map[string]any{"id": "1", "role": "user",
				"content": []any{map[string]any{"type": "image"}}}}}), "messages[0].content[0].source"},
		{"a resume without status", runInput("x", map[string]any{"resume": []any{map[string]any{"interruptId": "i"}}}),
			"resume[0].status"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := post(t, url, test.in)
			if a.status != 422 || a.header.Get("Content-Type") != "application/json" ||
				!strings.Contains(a.body, test.want) || !strings.HasPrefix(a.body, `{"error":`) {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
	response, err := http.Post(url, "text/plain", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 415 {
		t.Errorf("text/plain: %d", response.StatusCode)
	}
	big := httptest.NewServer(New(Options{MaxBody: 10}))
	defer big.Close()
	if a := post(t, big.URL, runInput("x", nil)); a.status != 413 {
		t.Errorf("a large body: %d", a.status)
	}
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestAnyPageMayAsk(t *testing.T) {
	url := serve(t)
	r, _ := http.NewRequest("OPTIONS", url, nil)
	r.Header.Set("Origin", "https://page.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "x-mine")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	head := response.Header
	if response.StatusCode != 204 || head.Get("Access-Control-Allow-Origin") != "https://page.example" ||
		head.Get("Access-Control-Allow-Credentials") != "true" {
		t.Errorf("got %d %v", response.StatusCode, head)
	}
	for _, name := range []string{"content-type", "accept", "authorization", "x-mine"} {
		if !strings.Contains(head.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed", name)
		}
	}
	if a := post(t, url, "{"); a.header.Get("Access-Control-Allow-Origin") == "" {
		t.Error("a page cannot read the 422")
	}
}

func TestInterrupts(t *testing.T) {
	url := serve(t)
	interrupts := func(a answer) []any {
		outcome, _ := a.events[len(a.events)-1]["outcome"].(map[string]any)
		list, _ := outcome["interrupts"].([]any)
		return list
	}
	resume := func(run string, entries ...any) answer {
		return post(t, url, runInput("several", map[string]any{"runId": run, "resume": entries}))
	}
	entry := func(id any, status string, payload any) any {
		return map[string]any{"interruptId": id, "status": status, "payload": payload}
	}
	open := interrupts(post(t, url, runInput("several", nil)))
	if len(open) != 2 {
		t.Fatalf("got %v", open)
	}
	first, second := open[0].(map[string]any)["id"], open[1].(map[string]any)["id"]
	if a := resume("r2", entry(first, "resolved", nil)); a.events[len(a.events)-1]["code"] != "unanswered_interrupt" {
		t.Errorf("one answer of two: %s", a.body)
	}
	if a := resume("r3", entry(first, "cancelled", nil),
		entry(second, "resolved", map[string]any{"city": "Porto"})); a.count("RUN_FINISHED") != 1 ||
		!strings.Contains(a.text("TEXT_MESSAGE_CONTENT"), "Porto") || !strings.Contains(a.body, "refused") {
		t.Errorf("both answers: %s", a.body)
	}
	if a := resume("r4", entry(first, "resolved", nil),
		entry(second, "resolved", nil)); a.events[len(a.events)-1]["code"] != "unknown_interrupt" {
		t.Errorf("answered again: %s", a.body)
	}
	for scenario, reason := range map[string]string{"approve": "tool_call", "ask": "input_required",
		"confirm": "confirmation"} {
		open := interrupts(post(t, url, runInput(scenario, nil)))
		if len(open) != 1 || open[0].(map[string]any)["reason"] != reason {
			t.Fatalf("%s: %v", scenario, open)
		}
		a := post(t, url, runInput(scenario,
			map[string]any{"runId": "r2", "resume": []any{entry(open[0].(map[string]any)["id"], "resolved",
				map[string]any{"approved": true})}}))
		if a.count("RUN_FINISHED") != 1 || (a.count("TOOL_CALL_RESULT") == 1) != (scenario == "approve") {
			t.Errorf("%s resumed: %s", scenario, a.body)
		}
	}
	h := &Handler{}
	for i := range 3 * maxThreads {
		h.threads.set(strings.Repeat("x", i%2000), []openInterrupt{{}})
	}
	if len(h.threads.open) != maxThreads || len(h.threads.order) != maxThreads {
		t.Errorf("remembers %d threads, %d in order", len(h.threads.open), len(h.threads.order))
	}
}

func TestPageTools(t *testing.T) {
	url := serve(t)
	tools := []any{map[string]any{"name": "pick", "description": "", "parameters": map[string]any{
		"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "minimum": 30}},
	}}}
	a := post(t, url, runInput("page tools", map[string]any{"tools": tools}))
	outcome := a.events[len(a.events)-1]["outcome"].(map[string]any)
	pending := outcome["pendingToolCallIds"].([]any)
	var arguments struct{ N int }
	if err := json.Unmarshal([]byte(a.text("TOOL_CALL_ARGS")), &arguments); err != nil || arguments.N < 30 ||
		len(pending) != 1 {
		t.Fatalf("%v %s", err, a.body)
	}
	a = post(t, url, runInput("", map[string]any{"runId": "r2", "tools": tools, "messages": []any{
		map[string]any{"id": "u", "role": "user", "content": "page tools"},
		map[string]any{"id": "m", "role": "assistant",
			"toolCalls": []any{map[string]any{"id": pending[0], "type": "function",
				"function": map[string]any{"name": "pick", "arguments": "{}"}}}},
		map[string]any{"id": "q", "role": "tool", "toolCallId": pending[0], "content": "forty"},
	}}))
	if got := a.text("TEXT_MESSAGE_CONTENT"); !strings.Contains(got, "`pick` gave: forty") {
		t.Errorf("got %q", got)
	}
}

func TestReplay(t *testing.T) {
	url := serve(t)
	for _, name := range Recordings() {
		raw, err := traces.ReadFile("testdata/traces/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var recording struct{ Response struct{ Body string } }
		if err := json.Unmarshal(raw, &recording); err != nil {
			t.Fatal(err)
		}
		if a := post(t, url+"?replay="+name, runInput("x", nil)); a.body != recording.Response.Body {
			t.Errorf("%s: %d bytes of %d", name, len(a.body), len(recording.Response.Body))
		}
	}
	if a := post(t, url+"?replay=../demo", runInput("x", nil)); a.status != 404 {
		t.Errorf("an unknown recording: %d", a.status)
	}
}

func TestPace(t *testing.T) {
	server := httptest.NewServer(New(Options{}))
	defer server.Close()
	took := func(query string, forwarded any) time.Duration {
		start := time.Now()
		a := post(t, server.URL+query, runInput("confirm", map[string]any{"forwardedProps": forwarded}))
		if a.count("RUN_FINISHED") != 1 {
			t.Fatal(a.body)
		}
		return time.Since(start)
	}
	if d := took("", nil); d < 80*time.Millisecond {
		t.Errorf("the usual pace took %v", d)
	}
	if d := took("", map[string]any{"speed": "max"}); d > 60*time.Millisecond {
		t.Errorf("forwarded speed max took %v", d)
	}
	if d := took("?speed=1000", nil); d > 60*time.Millisecond {
		t.Errorf("speed 1000 took %v", d)
	}
}

// TestLeaving sees to it that a run ends when its reader has gone.
func TestLeaving(t *testing.T) {
	handler := New(Options{})
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	response, err := http.Post(server.URL, "application/json",
		strings.NewReader(mustJSON(runInput("slowly, text, slow", nil))))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		t.Error("the run goes on without a reader")
	}
}

func TestRecord(t *testing.T) {
	for _, s := range Scenarios() {
		r, err := Record(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(r.Response.Body, "\n\n"); n != len(r.Times) || n < 3 {
			t.Errorf("%s: %d frames, %d times", s.Name, n, len(r.Times))
		}
	}
	if _, err := Record("nothing"); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

// TestRecordFollows checks what a page without an agent needs after an interrupt and after a call of its tools.
func TestRecordFollows(t *testing.T) {
	for name, follows := range map[string]map[string]string{
		"text":      {},
		"approve":   {"resolved": "files are deleted", "cancelled": "I leave the files"},
		"ask":       {"resolved": "as you confirmed", "cancelled": "Then not"},
		"confirm":   {"resolved": "as you confirmed", "cancelled": "Then not"},
		"several":   {"resolved": "files are deleted. Done", "cancelled": "they are. Then not"},
		"page-tool": {"tool": "`set_accent_color` gave: done; `get_page_facts` gave: (the facts)"},
	} {
		r, err := Record(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.After) != len(follows) {
			t.Errorf("%s: %d runs may follow, want %d", name, len(r.After), len(follows))
		}
		for how, want := range follows {
			next := r.After[how]
			if next == nil {
				t.Errorf("%s: nothing follows %s", name, how)
				continue
			}
			if text := deltas(t, next.Response.Body); !strings.Contains(text, want) ||
				!strings.Contains(next.Response.Body, `"runId":"NEXT"`) {
				t.Errorf("%s, %s: %s", name, how, text)
			}
		}
	}
	if r, _ := Record("cut"); !r.Broken {
		t.Error("the recording of a broken connection does not break")
	}
	if r, _ := Record("text"); r.Broken {
		t.Error("the recording of a text breaks")
	}
}

// deltas joins the texts of a body.
func deltas(t *testing.T, body string) string {
	t.Helper()
	var text strings.Builder
	for line := range strings.SplitSeq(body, "\n") {
		var e struct{ Delta string }
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &e) == nil {
			text.WriteString(e.Delta)
		}
	}
	return text.String()
}
