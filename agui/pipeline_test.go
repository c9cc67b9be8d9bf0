package agui

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func codes(warnings []Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, string(w.Code))
	}
	return out
}

func TestOutcome(t *testing.T) {
	const failed = `{"type":"RUN_ERROR","message":"bo\u006fm","code":"x"}`
	tests := []struct {
		name       string
		in         []string
		want       Code
		message    string
		event      string
		terminal   bool
		runErrored bool
		warnings   []string
	}{
		{name: "complete", in: []string{startedData, finishedData}, terminal: true},
		{name: "nothing came", want: CodeIncompleteStream, message: "the stream ended before the run did"},
		{name: "no end", in: []string{startedData}, want: CodeIncompleteStream},
		{name: "no end, and an event was dropped",
			in:   []string{startedData, `{"type":"STATE_SNAPSHOT"}`, `{"type":"STEP_STARTED"}`},
			want: CodeIncompleteStream, event: `{"type":"STEP_STARTED"}`, warnings: []string{"bad_event", "bad_event"}},
		{name: "a failed run", in: []string{startedData, failed}, want: CodeRunError, message: "boom", event: failed,
			terminal: true, runErrored: true},
		{name: "RUN_ERROR alone", in: []string{failed}, want: CodeRunError, message: "boom", event: failed,
			terminal: true, runErrored: true},
		{name: "RUN_ERROR after RUN_FINISHED", in: []string{startedData, finishedData, failed}, want: CodeRunError,
			event: failed, terminal: true, runErrored: true},
		{name: "a run after a failed one", in: []string{startedData, failed, startedData, finishedData},
			terminal: true},
		{name: "a run after a failed one has no end", in: []string{startedData, failed, startedData},
			want: CodeIncompleteStream},
		{name: "a failed run after another", in: []string{startedData, finishedData, startedData, failed},
			want: CodeRunError, event: failed, terminal: true, runErrored: true},
		{name: "no JSON", in: []string{startedData, `nonsense`}, want: CodeBadEvent},
		{name: "no JSON after the end", in: []string{startedData, finishedData, `nonsense`}, terminal: true,
			warnings: []string{"bad_event"}},
		{name: "malformed text after the end",
			in: []string{startedData, finishedData, `{"type":"TEXT_MESSAGE_START","messageId":5}`}, terminal: true,
			warnings: []string{"bad_event"}},
		{name: "an odd event after the end is taken",
			in:       []string{startedData, finishedData, `{"type":"STEP_STARTED","stepName":"a","timestamp":"x"}`},
			warnings: []string{"repaired", "odd_field"}},
		{name: "an odd event after an error is only dropped",
			in:   []string{startedData, failed, `{"type":"STEP_STARTED","stepName":"a","timestamp":"x"}`},
			want: CodeRunError, event: failed, terminal: true, runErrored: true, warnings: []string{"repaired"}},
		{name: "what comes late ends again",
			in: []string{startedData, finishedData, `{"type":"STEP_STARTED","stepName":"a"}`,
				`{"type":"STEP_FINISHED","stepName":"a"}`, finishedData}, terminal: true,
			warnings: []string{"repaired"}},
		{name: "the server's own error", in: []string{startedData, `{"type":"error","errorText":"quota"}`},
			want: CodeIncompleteStream, message: "quota", event: `{"type":"error","errorText":"quota"}`,
			warnings: []string{"unknown_event"}},
		{name: "the server's own error in a nested message",
			in: []string{startedData, `{"type":"error","error":{"a":1},"detail":"no key"}`}, want: CodeIncompleteStream,
			message: "no key", event: `{"type":"error","error":{"a":1},"detail":"no key"}`,
			warnings: []string{"unknown_event"}},
		{name: "a retired part after the end",
			in: []string{startedData, finishedData,
				`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[{"type":"binary","mimeType":"a/b","id":"x"}]}]}`}, warnings: []string{"repaired", "legacy_shape"}},
		{name: "one notice for all retired parts",
			in: []string{startedData,
				`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[{"type":"binary","mimeType":"a/b","id":"x"},{"type":"binary","mimeType":"a/b","id":"y"}]}]}`,
				`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"binary","mimeType":"a/b","id":"x"}]}`, finishedData}, terminal: true, warnings: []string{"legacy_shape"}},
		{name: "unknown events are outside the rules",
			in: []string{`{"type":"A"}`, startedData, `{"type":"A"}`, `{"type":"B"}`, finishedData,
				`{"type":"A"}`},
			terminal: true, warnings: []string{"unknown_event", "unknown_event"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var warnings []Warning
			p := NewPipeline(Options{Warn: func(w Warning) { warnings = append(warnings, w) }})
			var err error
			for _, d := range tt.in {
				if err = p.Push(d); err != nil {
					break
				}
			}
			if p.Terminal() != tt.terminal || p.ranIntoError() != tt.runErrored {
				t.Errorf("Terminal %v, RUN_ERROR %v", p.Terminal(), p.ranIntoError())
			}
			if end := p.End(); err == nil {
				err = end
			} else if end != err {
				t.Errorf("End gives %v after %v", end, err)
			}
			var e *Error
			if errors.As(err, &e); CodeOf(err) != tt.want || e != nil &&
				(!strings.Contains(e.Message, tt.message) || e.Event != tt.event) {
				t.Errorf("got %+v, want %s", e, tt.want)
			}
			if !slices.Equal(codes(warnings), tt.warnings) {
				t.Errorf("warnings %v", warnings)
			}
		})
	}
}

func TestPushAfterAnError(t *testing.T) {
	n := 0
	p := NewPipeline(Options{Strict: true, Emit: func(Event) bool { n++; return true }})
	first := p.Push(`{"type":"STEP_STARTED","stepName":"a"}`)
	if CodeOf(first) != CodeProtocol || p.Push(startedData) != first || n != 0 {
		t.Errorf("got %v, %d events", first, n)
	}
}

func TestEmitEndsThePipeline(t *testing.T) {
	var got []Event
	warned := 0
	p := NewPipeline(Options{Emit: func(ev Event) bool { got = append(got, ev); return len(got) < 3 }, Warn: func(
		Warning) {
		warned++
	}})
	for _, d := range []string{startedData, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}`, `nonsense`,
		`{"type":"X"}`, finishedData} {
		if err := p.Push(d); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"RUN_STARTED", "TEXT_START m", "TEXT_CONTENT m+a"}; !slices.Equal(summary(got), want) ||
		warned != 0 {
		t.Errorf("got %q, %d warnings", summary(got), warned)
	}
}

func TestDecodeOnly(t *testing.T) {
	var got []Event
	p := NewPipeline(Options{DecodeOnly: true, Strict: true,
		Emit: func(ev Event) bool { got = append(got, ev); return true },
		Warn: func(w Warning) { t.Errorf("warned: %v", w) }})
	in := []string{`{"type":"TEXT_MESSAGE_CHUNK","delta":"a"}`, `{"type":"THINKING_START"}`, finishedData,
		`{"type":"STEP_STARTED"}`, `{"type":"STEP_STARTED","stepName":"a","timestamp":"x"}`}
	for _, d := range in {
		if err := p.Push(d); err != nil {
			t.Fatal(err)
		}
	}
	for i, ev := range got {
		if ev.Common().Raw != in[i] {
			t.Errorf("event %d is %s", i, ev.Common().Raw)
		}
	}
	if _, ok := got[0].(*TextMessageChunk); !ok || len(got) != len(in) {
		t.Errorf("got %q", summary(got))
	}
	if _, ok := got[3].(*Unknown); !ok {
		t.Errorf("a malformed event came as %T", got[3])
	}
	if err := p.End(); err != nil {
		t.Error(err)
	}
	if err := p.Push(`5`); CodeOf(err) != CodeBadEvent {
		t.Error(err)
	}
}

// Retired events become whole reasoning under ids made here; the notice comes once.
func TestThinking(t *testing.T) {
	tests := []struct {
		name string
		in   []string
		raw  []string // what comes between RUN_STARTED and RUN_FINISHED
	}{
		{"a span and a message", events(`THINKING_START "title":"plan"`,
			`THINKING_TEXT_MESSAGE_START "role":"x","messageId":"mine"`,
			`THINKING_TEXT_MESSAGE_CONTENT "delta":"a","metadata":{"k":1}`, `THINKING_TEXT_MESSAGE_END`,
			`THINKING_END`), []string{
			`{"type":"REASONING_START","messageId":"id-1","title":"plan"}`,
			`{"type":"REASONING_MESSAGE_START","messageId":"id-2","role":"reasoning"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"id-2","delta":"a","metadata":{"k":1}}`,
			`{"type":"REASONING_MESSAGE_END","messageId":"id-2"}`,
			`{"type":"REASONING_END","messageId":"id-1"}`}},
		{"content without a start", events(`THINKING_TEXT_MESSAGE_CONTENT "delta":"a","subagentRunId":"s"`,
			`THINKING_TEXT_MESSAGE_CONTENT "delta":"b"`, `THINKING_TEXT_MESSAGE_END`,
			`THINKING_TEXT_MESSAGE_CONTENT "delta":"c"`, `THINKING_TEXT_MESSAGE_END`), []string{
			`{"type":"REASONING_MESSAGE_START","messageId":"id-1","role":"reasoning","subagentRunId":"s"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"id-1","delta":"a","subagentRunId":"s"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"id-1","delta":"b"}`,
			`{"type":"REASONING_MESSAGE_END","messageId":"id-1"}`,
			`{"type":"REASONING_MESSAGE_START","messageId":"id-2","role":"reasoning"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"id-2","delta":"c"}`,
			`{"type":"REASONING_MESSAGE_END","messageId":"id-2"}`}},
		{"content after the server itself ended the message",
			events(`THINKING_TEXT_MESSAGE_START`, `REASONING_MESSAGE_END "messageId":"id-1"`,
				`THINKING_TEXT_MESSAGE_CONTENT "delta":"a"`, `THINKING_TEXT_MESSAGE_END`), []string{
				`{"type":"REASONING_MESSAGE_START","messageId":"id-1","role":"reasoning"}`,
				`{"type":"REASONING_MESSAGE_END","messageId":"id-1"}`,
				`{"type":"REASONING_MESSAGE_START","messageId":"id-2","role":"reasoning"}`,
				`{"type":"REASONING_MESSAGE_CONTENT","messageId":"id-2","delta":"a"}`,
				`{"type":"REASONING_MESSAGE_END","messageId":"id-2"}`}},
		{"beside a message with an empty id",
			events(`REASONING_MESSAGE_START "messageId":"","role":"reasoning"`,
				`THINKING_TEXT_MESSAGE_CONTENT "delta":"a"`, `THINKING_TEXT_MESSAGE_END`,
				`REASONING_MESSAGE_END "messageId":""`), []string{
				`{"type":"REASONING_MESSAGE_START","messageId":"","role":"reasoning"}`,
				`{"type":"REASONING_MESSAGE_START","messageId":"id-1","role":"reasoning"}`,
				`{"type":"REASONING_MESSAGE_CONTENT","messageId":"id-1","delta":"a"}`,
				`{"type":"REASONING_MESSAGE_END","messageId":"id-1"}`,
				`{"type":"REASONING_MESSAGE_END","messageId":""}`}},
		{"a retired event closes the chunks",
			events(`TEXT_MESSAGE_CHUNK "messageId":"m"`, `THINKING_START`, `THINKING_END`), []string{
				`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
				`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
				`{"type":"REASONING_START","messageId":"id-1"}`,
				`{"type":"REASONING_END","messageId":"id-1"}`}},
	}
	for _, tt := range tests {
		for _, strict := range []bool{true, false} {
			r := run(strict, newTalk(), append(append([]string{startedData}, tt.in...), finishedData)...)
			var raw []string
			for _, ev := range r.events {
				raw = append(raw, ev.Common().Raw)
			}
			if r.err != nil || len(raw) < 2 || !slices.Equal(raw[1:len(raw)-1], tt.raw) ||
				!slices.Equal(codes(r.warnings), []string{"legacy_shape"}) {
				t.Errorf("%s (strict %v): %v %v\n%s", tt.name, strict, r.err, r.warnings, strings.Join(raw, "\n"))
			}
		}
	}
	// A start while one is open gets a new id, and the first stays open.
	r := run(false, newTalk(), append(
		append([]string{startedData}, events(`THINKING_START`, `THINKING_START`, `THINKING_END`)...), finishedData)...)
	if want := []string{"RUN_STARTED", "REASONING_START id-1", "REASONING_START id-2", "REASONING_END id-2",
		"REASONING_END id-1", "RUN_FINISHED"}; !slices.Equal(summary(r.events), want) ||
		!slices.Equal(codes(r.warnings), []string{"legacy_shape", "repaired"}) {
		t.Errorf("got %q %v", summary(r.events), r.warnings)
	}
	// An end without a start breaks a rule.
	if r := run(true, newTalk(), startedData, `{"type":"THINKING_END"}`); CodeOf(r.err) != CodeProtocol {
		t.Errorf("got %v", r.err)
	}
	if r := run(false, newTalk(), startedData, `{"type":"THINKING_TEXT_MESSAGE_END"}`, finishedData); r.err != nil ||
		len(r.events) != 2 || !slices.Equal(codes(r.warnings), []string{"legacy_shape", "repaired"}) {
		t.Errorf("got %v %v", r.err, r.warnings)
	}
	// The next run begins anew.
	r = run(false, newTalk(), startedData, `{"type":"THINKING_TEXT_MESSAGE_START"}`, finishedData, startedData,
		`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}`, `{"type":"THINKING_TEXT_MESSAGE_END"}`, finishedData)
	if want := []string{"THOUGHT_START id-2", "THOUGHT_CONTENT id-2+a", "THOUGHT_END id-2"}; len(r.events) < 9 ||
		!slices.Equal(summary(r.events)[5:8], want) {
		t.Errorf("got %q", summary(r.events))
	}
}

// Section 5, in both modes: what chunks become.
func TestChunks(t *testing.T) {
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{"text", events(`TEXT_MESSAGE_CHUNK "messageId":"m","delta":"a","timestamp":1`,
			`TEXT_MESSAGE_CHUNK "delta":"b"`, `TEXT_MESSAGE_CHUNK "messageId":"m","role":"assistant","delta":""`),
			[]string{"TEXT_START m", "TEXT_CONTENT m+a", "TEXT_CONTENT m+b", "TEXT_CONTENT m+", "TEXT_END m"}},
		{"another id", events(`TEXT_MESSAGE_CHUNK "messageId":"m"`, `TEXT_MESSAGE_CHUNK "messageId":"n"`),
			[]string{"TEXT_START m", "TEXT_END m", "TEXT_START n", "TEXT_END n"}},
		{"another kind", events(`TEXT_MESSAGE_CHUNK "messageId":"m"`, `REASONING_MESSAGE_CHUNK "messageId":"m"`,
			`TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f"`),
			[]string{"TEXT_START m", "TEXT_END m", "THOUGHT_START m", "THOUGHT_END m", "CALL_START c", "CALL_END c"}},
		{"back to a call", events(`TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f","delta":"1"`,
			`TEXT_MESSAGE_CHUNK "messageId":"m"`, `TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f","delta":"2"`),
			[]string{"CALL_START c", "CALL_ARGS c+1", "CALL_END c", "TEXT_START m", "TEXT_END m", "CALL_START c again",
				"CALL_ARGS c+2", "CALL_END c"}},
		{"a call of the history is no return",
			events(
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]`, `TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f"`), []string{"MESSAGES_SNAPSHOT", "CALL_START c", "CALL_END c"}},
		{"lanes", events(`TEXT_MESSAGE_CHUNK "messageId":"m","subagentRunId":"s"`,
			`TEXT_MESSAGE_CHUNK "messageId":"n","subagentRunId":""`, `TEXT_MESSAGE_CHUNK "messageId":"p"`,
			`TEXT_MESSAGE_CHUNK "delta":"a","subagentRunId":"s"`, `TEXT_MESSAGE_CHUNK "delta":"b","subagentRunId":""`,
			`TEXT_MESSAGE_CHUNK "delta":"c"`),
			[]string{"TEXT_START m of s", "TEXT_START n of ", "TEXT_START p", "TEXT_CONTENT m+a of s",
				"TEXT_CONTENT n+b of ", "TEXT_CONTENT p+c", "TEXT_END m of s", "TEXT_END n of ", "TEXT_END p"}},
		{"the only open stream of the kind",
			events(`TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f","subagentRunId":"s"`,
				`TEXT_MESSAGE_CHUNK "messageId":"m"`, `TOOL_CALL_CHUNK "delta":"1"`),
			[]string{"CALL_START c of s", "TEXT_START m", "CALL_ARGS c+1 of s", "CALL_END c of s", "TEXT_END m"}},
		{"only metadata", events(`REASONING_MESSAGE_CHUNK "messageId":"z","metadata":{"k":1}`,
			`REASONING_MESSAGE_CHUNK "metadata":{"k":2}`, `REASONING_MESSAGE_CHUNK "rawEvent":0`,
			`REASONING_MESSAGE_CHUNK "later":1`),
			[]string{"THOUGHT_START z", "THOUGHT_CONTENT z+", "THOUGHT_CONTENT z+", "THOUGHT_END z"}},
		{"what closes nothing", events(`TEXT_MESSAGE_CHUNK "messageId":"m"`, `RAW "event":1`,
			`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"P","content":{}`,
			`ACTIVITY_DELTA "messageId":"p","activityType":"P","patch":[]`,
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"m","encryptedValue":"e"`,
			`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`, `SUBAGENT_FINISHED "subagentRunId":"s"`,
			`STEP_STARTED "stepName":"a","subagentRunId":"t"`, `STEP_FINISHED "stepName":"a","subagentRunId":"t"`,
			`TEXT_MESSAGE_CHUNK "delta":"a"`),
			[]string{"TEXT_START m", "RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE",
				"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "STEP_STARTED of t", "STEP_FINISHED of t", "TEXT_CONTENT m+a",
				"TEXT_END m"}},
		{"a subagent's end closes its stream",
			events(`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`,
				`TEXT_MESSAGE_CHUNK "messageId":"m","subagentRunId":"s"`, `TEXT_MESSAGE_CHUNK "messageId":"n"`,
				`SUBAGENT_ERROR "subagentRunId":"s","message":"x"`, `TEXT_MESSAGE_CHUNK "delta":"a"`),
			[]string{"SUBAGENT_STARTED", "TEXT_START m of s", "TEXT_START n", "TEXT_END m of s", "SUBAGENT_ERROR",
				"TEXT_CONTENT n+a", "TEXT_END n"}},
	}
	for _, closer := range []string{`STATE_SNAPSHOT "snapshot":1`, `STATE_DELTA "delta":[]`,
		`CUSTOM "name":"n","value":1`, `TOOL_CALL_RESULT "messageId":"r","toolCallId":"c","content":""`,
		`MESSAGES_SNAPSHOT "messages":[]`} {
		typ, _, _ := strings.Cut(closer, " ")
		tests = append(tests, struct {
			name string
			in   []string
			want []string
		}{typ + " closes", events(`TEXT_MESSAGE_CHUNK "messageId":"m"`, closer),
			[]string{"TEXT_START m", "TEXT_END m", strings.Replace(typ, "TOOL_CALL_", "CALL_", 1)}})
	}
	for _, tt := range tests {
		for _, strict := range []bool{true, false} {
			r := run(strict, newTalk(), append(append([]string{startedData}, tt.in...), finishedData)...)
			got := summary(r.events)
			if r.err != nil || len(r.warnings) > 0 || len(got) < 2 || !slices.Equal(got[1:len(got)-1], tt.want) {
				t.Errorf("%s (strict %v): %v %v\n%q", tt.name, strict, r.err, r.warnings, got)
			}
		}
	}
}

func TestChunkJSON(t *testing.T) {
	r := run(true, newTalk(), append(append([]string{startedData}, events(
		`TEXT_MESSAGE_CHUNK "messageId":"\ud83d","role":"user","name":"n","delta":"\ude00","rawEvent":{"x":1},"subagentRunId":"s","metadata":{"k":1},"later":[1],"toolCallId":"c"`,
		`REASONING_MESSAGE_CHUNK "messageId":"z","role":"user","subagentRunId":"s"`,
		`TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f","parentMessageId":"p","delta":"1"`,
	)...), finishedData)...)
	want := []string{startedData,
		`{"type":"TEXT_MESSAGE_START","messageId":"\ud83d","role":"user","name":"n","subagentRunId":"s","metadata":{"k":1}}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"\ud83d","delta":"\ude00","subagentRunId":"s","metadata":{"k":1},"rawEvent":{"x":1},"later":[1],"toolCallId":"c"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"\ud83d","subagentRunId":"s"}`,
		`{"type":"REASONING_MESSAGE_START","messageId":"z","role":"reasoning","subagentRunId":"s"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"p"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"1"}`,
		`{"type":"REASONING_MESSAGE_END","messageId":"z","subagentRunId":"s"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
		finishedData}
	for i, ev := range r.events {
		if i < len(want) && ev.Common().Raw != want[i] {
			t.Errorf("got  %s\nwant %s", ev.Common().Raw, want[i])
		}
	}
	if r.err != nil || len(r.events) != len(want) {
		t.Errorf("%v, %d events", r.err, len(r.events))
	}
}

// What is allowed stays silent in both modes.
func TestAllowed(t *testing.T) {
	for name, in := range map[string][]string{
		"one id as text, reasoning, span and call": events(`TEXT_MESSAGE_START "messageId":"x"`,
			`REASONING_START "messageId":"x"`, `REASONING_MESSAGE_START "messageId":"x","role":"reasoning"`,
			`TOOL_CALL_START "toolCallId":"x","toolCallName":"f"`,
			`TEXT_MESSAGE_END "messageId":"x"`, `REASONING_MESSAGE_END "messageId":"x"`,
			`REASONING_END "messageId":"x"`, `TOOL_CALL_END "toolCallId":"x"`),
		"an untagged restart keeps the owner": events(`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"s"`,
			`TEXT_MESSAGE_END "messageId":"m"`, `TEXT_MESSAGE_START "messageId":"m"`,
			`TEXT_MESSAGE_END "messageId":"m","subagentRunId":"s"`),
		"a result has its own owner": events(
			`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","subagentRunId":"s"`, `TOOL_CALL_END "toolCallId":"c"`,
			`TOOL_CALL_RESULT "messageId":"r","toolCallId":"c","content":"","subagentRunId":"t"`,
			`TEXT_MESSAGE_START "messageId":"r","subagentRunId":"t"`, `TEXT_MESSAGE_END "messageId":"r"`),
		"a snapshot sets owners anew": events(`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"s"`,
			`TEXT_MESSAGE_END "messageId":"m"`,
			`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","subagentRunId":"t"}]`,
			`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"t"`, `TEXT_MESSAGE_END "messageId":"m"`),
		"an encrypted value of an unknown id": events(
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"q","encryptedValue":"e","subagentRunId":"t"`),
		"a child of an ended subagent": events(`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`,
			`SUBAGENT_FINISHED "subagentRunId":"s"`,
			`SUBAGENT_STARTED "subagentRunId":"t","name":"n","parentSubagentRunId":"s"`,
			`SUBAGENT_FINISHED "subagentRunId":"t"`),
		"steps of two owners": events(`STEP_STARTED "stepName":"a"`, `STEP_STARTED "stepName":"a","subagentRunId":""`,
			`STEP_FINISHED "stepName":"a"`, `STEP_FINISHED "stepName":"a","subagentRunId":""`),
	} {
		for _, strict := range []bool{true, false} {
			// Twice, for the second run must know nothing of the first.
			data := append(append([]string{startedData}, in...), finishedData)
			r := run(strict, newTalk(), append(data, data...)...)
			if r.err != nil || len(r.warnings) > 0 || len(r.events) != 2*len(data) {
				t.Errorf("%s (strict %v): %v %v %q", name, strict, r.err, r.warnings, summary(r.events))
			}
		}
	}
}
