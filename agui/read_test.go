package agui_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"aguiwasm/agui"
)

const wholeRun = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n" +
	"id: 1\ndata: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"\u00e9\"}\n\n" +
	"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"

func readAll(body io.Reader, o agui.Options) (types string, err error) {
	for e, failure := range agui.Read(body, o) {
		if failure != nil {
			return types, failure
		}
		types += string(e.EventType()) + " "
	}
	return types, nil
}

func TestRead(t *testing.T) {
	const all = "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED "
	broken := errors.New("reset")
	tests := []struct {
		name  string
		body  io.Reader
		o     agui.Options
		types string
		code  agui.Code
	}{
		{"whole", strings.NewReader(wholeRun), agui.Options{}, all, ""},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(wholeRun)), agui.Options{}, all, ""},
		{"data with the error", iotest.DataErrReader(strings.NewReader(wholeRun)), agui.Options{}, all, ""},
		{"no last blank line", strings.NewReader(strings.TrimSuffix(wholeRun, "\n\n")), agui.Options{}, all, ""},
		{"cut in the last event", strings.NewReader(wholeRun[:len(wholeRun)-8]), agui.Options{},
			"RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT ", agui.CodeIncompleteStream},
		{"empty", strings.NewReader(""), agui.Options{}, "", agui.CodeIncompleteStream},
		{"broken in the run", io.MultiReader(strings.NewReader(wholeRun[:70]), iotest.ErrReader(broken)),
			agui.Options{}, "RUN_STARTED ", agui.CodeNetwork},
		{"broken after the run", io.MultiReader(strings.NewReader(wholeRun), iotest.ErrReader(broken)), agui.Options{},
			all, ""},
		{"too large", strings.NewReader(wholeRun), agui.Options{MaxEventBytes: 60}, "RUN_STARTED ",
			agui.CodeEventTooLarge},
		{"malformed", strings.NewReader("data: x\n\n"), agui.Options{}, "", agui.CodeBadEvent},
		{"against the rules", strings.NewReader("data: {\"type\":\"STEP_FINISHED\",\"stepName\":\"s\"}\n\n"),
			agui.Options{Strict: true}, "", agui.CodeProtocol},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			types, err := readAll(tt.body, tt.o)
			if types != tt.types || agui.CodeOf(err) != tt.code {
				t.Errorf("got %q, %v", types, err)
			}
			if tt.code == agui.CodeNetwork && !errors.Is(err, broken) {
				t.Error("the cause is lost")
			}
		})
	}
}

// The loop may be left at any event: nothing is read or yielded after it.
func TestReadStops(t *testing.T) {
	for stop := 1; stop <= 5; stop++ {
		n := 0
		for range agui.Read(strings.NewReader(wholeRun), agui.Options{}) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d events after %d", n, stop)
		}
	}
}

func TestReadTellsIDs(t *testing.T) {
	var ids []string
	if _, err := readAll(strings.NewReader(wholeRun),
		agui.Options{SeenID: func(id string) { ids = append(ids, id) }}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(ids); got != "[ 1 1]" {
		t.Error(got)
	}
}

// Each kind of event is made, written and read again as what it was.
func TestConstructors(t *testing.T) {
	made := []func() (agui.Event, error){
		func() (agui.Event, error) { return agui.NewRunStarted("t", "r", agui.WithText("parentRunId", "p")) },
		func() (agui.Event, error) {
			return agui.NewRunFinished("t", "r", agui.With("outcome", `{"type":"cancelled"}`))
		},
		func() (agui.Event, error) { return agui.NewRunError("no", agui.WithText("code", "c")) },
		func() (agui.Event, error) { return agui.NewStepStarted("s") },
		func() (agui.Event, error) { return agui.NewStepFinished("s") },
		func() (agui.Event, error) { return agui.NewTextMessageStart("m", agui.RoleAssistant) },
		func() (agui.Event, error) { return agui.NewTextMessageContent("m", "a\n\"\u2028\xff") },
		func() (agui.Event, error) { return agui.NewTextMessageEnd("m", agui.WithSubagent("sub")) },
		func() (agui.Event, error) { return agui.NewTextMessageChunk(agui.WithText("messageId", "m")) },
		func() (agui.Event, error) { return agui.NewToolCallStart("c", "f") },
		func() (agui.Event, error) { return agui.NewToolCallArgs("c", "{") },
		func() (agui.Event, error) { return agui.NewToolCallEnd("c") },
		func() (agui.Event, error) { return agui.NewToolCallChunk(agui.WithText("toolCallId", "c")) },
		func() (agui.Event, error) { return agui.NewToolCallResult("m", "c", "ok") },
		func() (agui.Event, error) { return agui.NewStateSnapshot(`null`) },
		func() (agui.Event, error) { return agui.NewStateDelta(`[]`) },
		func() (agui.Event, error) { return agui.NewMessagesSnapshot(`[]`) },
		func() (agui.Event, error) { return agui.NewActivitySnapshot("a", "search", `{}`) },
		func() (agui.Event, error) { return agui.NewActivityDelta("a", "search", `[]`) },
		func() (agui.Event, error) { return agui.NewReasoningStart("s") },
		func() (agui.Event, error) { return agui.NewReasoningEnd("s") },
		func() (agui.Event, error) { return agui.NewReasoningMessageStart("m") },
		func() (agui.Event, error) { return agui.NewReasoningMessageContent("m", "hm") },
		func() (agui.Event, error) { return agui.NewReasoningMessageEnd("m") },
		func() (agui.Event, error) { return agui.NewReasoningMessageChunk(agui.WithText("messageId", "m")) },
		func() (agui.Event, error) { return agui.NewReasoningEncryptedValue("message", "m", "x") },
		func() (agui.Event, error) { return agui.NewSubagentStarted("s", "helper") },
		func() (agui.Event, error) { return agui.NewSubagentFinished("s", agui.With("result", `1`)) },
		func() (agui.Event, error) { return agui.NewSubagentError("s", "no") },
		func() (agui.Event, error) { return agui.NewRaw(`{"a":1}`, agui.WithText("source", "x")) },
		func() (agui.Event, error) { return agui.NewCustom("c", `[1, 2]`, agui.With("timestamp", `5`)) },
	}
	seen := map[agui.Type]bool{}
	for _, f := range made {
		e, err := f()
		if err != nil {
			t.Fatal(err)
		}
		seen[e.EventType()] = true
		raw := string(e.Common().AppendJSON(nil))
		again, err := agui.Decode(raw, agui.DecodeOptions{Strict: true})
		if err != nil || again.EventType() != e.EventType() {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if all := agui.Types(); len(seen) != len(all) {
		t.Errorf("%d of %d types", len(seen), len(all))
	}
}

func TestConstructorsMakeNothingMalformed(t *testing.T) {
	faults := map[string]func() error{
		"role":     func() error { _, err := agui.NewTextMessageStart("m", "tool"); return err },
		"snapshot": func() error { _, err := agui.NewStateSnapshot("{"); return err },
		"delta":    func() error { _, err := agui.NewStateDelta(`{}`); return err },
		"content":  func() error { _, err := agui.NewActivitySnapshot("a", "b", `[]`); return err },
		"metadata": func() error { _, err := agui.NewStepStarted("s", agui.With("metadata", `1`)); return err },
		"name": func() error {
			_, err :=
				agui.NewToolCallStart("c", "f", agui.With("toolCallName", `5`))
			return err
		},
		"subtype": func() error { _, err := agui.NewReasoningEncryptedValue("other", "m", "v"); return err },
		"interrupts": func() error {
			_, err := agui.NewRunFinished("t", "r", agui.With("outcome", `{"type":"interrupt","interrupts":[{}]}`))
			return err
		},
	}
	for field, f := range faults {
		if err := f(); agui.CodeOf(err) != agui.CodeBadEvent || !strings.Contains(err.Error(), field) &&
			field != "name" {
			t.Errorf("%s: %v", field, err)
		}
	}
	if e, err := agui.NewCustom("c", `1`, agui.WithText("type", "RAW")); err != nil ||
		e.Raw != `{"type":"CUSTOM","name":"c","value":1}` {
		t.Errorf("%v, %v", e, err)
	}
}

func TestWriterEndsHonestly(t *testing.T) {
	recorder := httptest.NewRecorder()
	w := agui.NewWriter(recorder)
	_ = w.Comment("two\nlines")
	if err := w.Write(must(agui.NewRunStarted("t", "r"))); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteID("a\nb", must(agui.NewStepStarted("s"))); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("an id with a line end: %v", err)
	}
	if err := w.Write(&agui.Custom{}); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("an event without text: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Comment("late"); !errors.Is(err, agui.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if got := recorder.Header().Get("Content-Type"); got != "text/event-stream" {
		t.Error(got)
	}
	types, err := readAll(recorder.Body, agui.Options{})
	if types != "RUN_STARTED RUN_ERROR " || agui.CodeOf(err) != agui.CodeRunError {
		t.Errorf("%q, %v", types, err)
	}
}

func must(e agui.Event, err error) agui.Event {
	if err != nil {
		panic(err)
	}
	return e
}

// Reading an answer over HTTP.
func ExampleRead() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := agui.NewWriter(w)
		defer out.Close()
		for _, e := range []agui.Event{
			must(agui.NewRunStarted("t", "r")),
			must(agui.NewTextMessageChunk(agui.WithText("messageId", "m"), agui.WithText("delta", "Hello"))),
			must(agui.NewRunFinished("t", "r")),
		} {
			if out.Write(e) != nil {
				return
			}
		}
	}))
	defer site.Close()

	response, err := http.Post(site.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	for event, err := range agui.Read(response.Body, agui.Options{}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.EventType())
	}
	// Output:
	// RUN_STARTED
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}
