package session

import (
	"slices"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
	"aguiwasm/wasm/batch"
)

const (
	started  = `data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}` + "\n\n"
	finished = `data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}` + "\n\n"
	opened   = `data: {"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n\n"
	hello    = `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"hello"}` + "\n\n"
	closed   = `data: {"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n\n"
)

// begin makes a session whose batches go to a mirror.
func begin(t *testing.T, cfg Config) (*Session, *mirror) {
	t.Helper()
	m := newMirror([]any{}, map[string]any{})
	if cfg.Mode != Raw {
		cfg.Store = state.New(nil, "{}")
	}
	cfg.ThreadID, cfg.RunID = "t1", "r1"
	cfg.Deliver = func(b []byte) {
		if err := m.take(b); err != nil {
			t.Fatal(err)
		}
	}
	s := New(cfg)
	t.Cleanup(s.Stop)
	return s, m
}

func (m *mirror) code() string {
	switch {
	case m.done:
		return "complete"
	case m.fail != nil:
		return m.fail.Code
	}
	return "open"
}

func (m *mirror) text() string {
	messages := m.root.(map[string]any)["messages"].([]any)
	if len(messages) == 0 {
		return ""
	}
	return messages[0].(map[string]any)["content"].(string)
}

func TestEventsAreDeliveredWhenTheirBlankLineComes(t *testing.T) {
	s, m := begin(t, Config{})
	s.Push([]byte(started + opened + strings.TrimSuffix(hello, "\n")))
	if want := []string{"RUN_STARTED", "TEXT_MESSAGE_START"}; !slices.Equal(m.types, want) {
		t.Fatalf("before the blank line: %v", m.types)
	}
	s.Push([]byte("\n"))
	if m.text() != "hello" {
		t.Fatalf("after the blank line: %q", m.text())
	}
}

func TestFlags(t *testing.T) {
	s, m := begin(t, Config{})
	if f := s.Push([]byte(started)); f != 0 {
		t.Errorf("in a run: %b", f)
	}
	if f := s.Push([]byte(finished)); f != Terminal {
		t.Errorf("after RUN_FINISHED: %b", f)
	}
	if f := s.Push([]byte(strings.ReplaceAll(started, "r1", "r2"))); f != 0 {
		t.Errorf("in the next run: %b", f)
	}
	if f := s.Push([]byte(strings.ReplaceAll(finished, "r1", "r2"))); f != Terminal || m.code() != "open" {
		t.Errorf("after the next RUN_FINISHED: %b, %s", f, m.code())
	}
	if f := s.Close(); f != Over || m.code() != "complete" {
		t.Errorf("after the linger: %b, %s", f, m.code())
	}
	if f := s.Push([]byte(started)); f != Over {
		t.Errorf("after the end: %b", f)
	}
}

func TestABrokenConnection(t *testing.T) {
	network := &batch.Failure{Code: agui.CodeNetwork, Message: "the connection broke"}
	s, m := begin(t, Config{})
	s.Push([]byte("id: 7\n" + started + opened + hello + hello[:20]))
	s.Fail(network)
	if m.code() != "network" || m.text() != "hello" || m.fail.LastEventID != "7" {
		t.Errorf("in a run: %s, %q, last id %q", m.code(), m.text(), m.fail.LastEventID)
	}
	s, m = begin(t, Config{})
	s.Push([]byte(started + opened + hello + closed + finished))
	s.Fail(network)
	if m.code() != "complete" {
		t.Errorf("after RUN_FINISHED: %s", m.code())
	}
	s, m = begin(t, Config{})
	s.Push([]byte(started + `data: {"type":"RUN_ERROR","message":"no"}` + "\n\n"))
	s.Fail(network)
	if m.code() != "run_error" {
		t.Errorf("after RUN_ERROR: %s", m.code())
	}
}

func TestAnEventThatIsTooLarge(t *testing.T) {
	for _, mode := range []Mode{Fast, Stepped} {
		s, m := begin(t, Config{MaxEventBytes: 200, Mode: mode})
		f := s.Push([]byte(started + opened + hello + `data: {"type":"CUSTOM","name":"` + strings.Repeat("x", 300)))
		for f&Asking != 0 {
			f = s.Step(true)
		}
		if f != Over || m.code() != "event_too_large" || m.text() != "hello" || len(m.types) != 3 {
			t.Errorf("mode %d: %b, %s, %q, %v", mode, f, m.code(), m.text(), m.types)
		}
	}
}

func TestTheLastEventWithoutItsBlankLine(t *testing.T) {
	for _, c := range []struct{ name, tail, want string }{
		{"whole", strings.TrimRight(finished, "\n"), "complete"},
		{"whole, with one line end", strings.TrimSuffix(finished, "\n"), "complete"},
		{"cut off", finished[:30], "incomplete_stream"},
		{"cut off in its field name", "dat", "incomplete_stream"},
	} {
		for _, mode := range []Mode{Fast, Stepped} {
			s, m := begin(t, Config{Mode: mode})
			f := s.Push([]byte(started + c.tail))
			for f&Asking != 0 {
				f = s.Step(true)
			}
			for f = s.End(); f&Asking != 0; {
				f = s.Step(true)
			}
			if m.code() != c.want {
				t.Errorf("%s, mode %d: %s", c.name, mode, m.code())
			}
		}
	}
	s, m := begin(t, Config{})
	s.Push([]byte(started + finished[:30]))
	s.Fail(&batch.Failure{Code: agui.CodeNetwork, Message: "the connection broke"})
	if len(m.types) != 1 {
		t.Errorf("a broken connection completed an event: %v", m.types)
	}
}

func TestLookFirst(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"an event stream", "\uFEFF\n" + started + finished, "complete"},
		{"JSON", `{"detail":"no"}`, "bad_content_type"},
		{"HTML", "<!doctype html><p>no", "bad_content_type"},
		{"a field name alone", "data", "bad_content_type"},
		{"nothing", "", "incomplete_stream"},
		{"blank lines", "\n\r\n\n", "incomplete_stream"},
		{"blank lines without end", strings.Repeat("\n", 2*MaxErrorBody), "bad_content_type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, chunk := range []int{1, 1 << 20} {
				s, m := begin(t, Config{})
				s.Look()
				for part := range slices.Chunk([]byte(c.body), chunk) {
					s.Push(part)
				}
				s.End()
				if m.code() != c.want {
					t.Errorf("chunks of %d: %s", chunk, m.code())
				}
			}
		})
	}
	s, m := begin(t, Config{})
	s.Look()
	s.Push([]byte(`{"detail":`))
	if f := s.Push([]byte(`"no"}`)); f != Terminal || m.code() != "open" {
		t.Errorf("while the body's start is collected: %b, %s", f, m.code())
	}
	s.Close()
	if p, ok := m.fail.Payload.(map[string]any); !ok || p["detail"] != "no" {
		t.Errorf("the payload is %v", m.fail.Payload)
	}
}

func TestStepsAskAndSkip(t *testing.T) {
	s, m := begin(t, Config{Mode: Stepped})
	f := s.Push([]byte(started + opened + hello + strings.Replace(hello, "hello", "skipped", 1) + closed + finished))
	asked := 0
	for f&Asking != 0 {
		asked++
		if len(m.types) != asked {
			t.Fatalf("asked %d times, saw %v", asked, m.types)
		}
		f = s.Step(asked != 4)
	}
	s.End()
	if m.text() != "hello" || asked != 6 || m.code() != "complete" {
		t.Errorf("%q after %d questions, %s", m.text(), asked, m.code())
	}
}

// What is known only when the stream is over (calls that only this client ever knew are gone) is told before the end.
func TestTheEndOfAResponseIsTold(t *testing.T) {
	late := finished + `data: {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}` +
		"\n\n" +
		`data: {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"x"}]}` + "\n\n" +
		`data: {"type":"TOOL_CALL_END","toolCallId":"c"}` + "\n\n"
	for _, mode := range []Mode{Fast, Stepped} {
		for name, end := range map[string]func(*Session) Flags{
			"at its end": (*Session).End, "while it lingers": (*Session).Close,
			"for a failure": func(s *Session) Flags {
				return s.Fail(
					&batch.Failure{Code: agui.CodeInternal, Message: "no"})
			},
		} {
			s, m := begin(t, Config{Mode: mode})
			for f := s.Push([]byte(started + late)); f&Asking != 0; {
				f = s.Step(true)
			}
			first := func() map[string]any { return m.root.(map[string]any)["messages"].([]any)[0].(map[string]any) }
			if first()["toolCalls"] == nil || len(m.root.(map[string]any)["pendingToolCallIds"].([]any)) != 1 {
				t.Fatalf("%s: before it %v", name, m.root)
			}
			end(s)
			if first()["toolCalls"] != nil || first()["content"] != "x" ||
				len(m.root.(map[string]any)["pendingToolCallIds"].([]any)) != 0 || m.code() == "open" {
				t.Errorf("%s: behind it %v", name, m.root)
			}
		}
	}
}

func TestRawModeDecodesOnly(t *testing.T) {
	s, m := begin(t, Config{Mode: Raw})
	s.Push([]byte(hello + `data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}` + "\n\n" +
		`data: {"type":"THINKING_START"}` + "\n\n" + finished))
	s.End()
	if want := []string{"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK", "THINKING_START",
		"RUN_FINISHED"}; !slices.Equal(m.types, want) || m.code() != "complete" {
		t.Errorf("%v, %s", m.types, m.code())
	}
}

func TestStopIsSilent(t *testing.T) {
	s, m := begin(t, Config{})
	s.Push([]byte(started + opened))
	s.Stop()
	if f := s.Push([]byte(hello + finished)); f != Over || m.code() != "open" || len(m.types) != 2 {
		t.Errorf("%b, %s, %v", f, m.code(), m.types)
	}
	s.Stop()
	s.End()
	s.Close()
	if m.code() != "open" {
		t.Error("the end was told after Stop")
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		r       Response
		body    string
		code    agui.Code
		payload string
	}{
		{Response{Status: 401, ContentType: "application/json"}, `{"detail":"token expired"}`, agui.CodeHTTPStatus,
			`{"detail":"token expired"}`},
		{Response{Status: 429, ContentType: "application/problem+json"}, `{"title":"slow down"}`, agui.CodeHTTPStatus,
			`{"title":"slow down"}`},
		{Response{Status: 500, ContentType: "text/html"}, "<h1>x</h1>", agui.CodeHTTPStatus, `"<h1>x</h1>"`},
		{Response{Status: 500, ContentType: "application/json"}, "{broken", agui.CodeHTTPStatus, `"{broken"`},
		{Response{Status: 503}, "", agui.CodeHTTPStatus, ""},
		{Response{Status: 200, ContentType: "text/html"}, "<html>", agui.CodeBadContentType, `"<html>"`},
		{Response{Status: 200, ContentType: "application/json"}, `{"a":1}`, agui.CodeBadContentType, `{"a":1}`},
		{Response{Status: 200, ContentType: "application/json"}, "", agui.CodeIncompleteStream, ""},
		{Response{Status: 204}, "", agui.CodeIncompleteStream, ""},
	} {
		f := Refuse(c.r, c.body)
		if f.Code != c.code || f.Payload != c.payload || f.Status != c.r.Status || f.Message == "" {
			t.Errorf("%+v %q: got %+v", c.r, c.body, f)
		}
	}
}
