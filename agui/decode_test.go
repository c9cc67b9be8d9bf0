package agui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each row is an event with one field that is not as it should be, and what comes of it: "" passes in silence, "odd"
// passes with a warning odd_field, "skipped" passes with a warning bad_event, "legacy" with a notice before it, "bad"
// is refused; the words are in the error or warning.
func TestFields(t *testing.T) {
	const text = `"type":"TEXT_MESSAGE_START","messageId":"m"`
	const input = `"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[]`
	message := func(m string) string {
		return `"type":"MESSAGES_SNAPSHOT","messages":[{"id":"ok","role":"user","content":"q"},` + m + `]`
	}
	outcome := func(o string) string { return `"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":` + o }
	tests := []struct{ in, strict, lenient, words string }{
		// What every event may carry.
		{text, "", "", ""},
		{text + `,"timestamp":1`, "", "", ""},
		{text + `,"timestamp":1e3`, "", "", ""},
		{text + `,"timestamp":null`, "", "", ""},
		{text + `,"timestamp":1.5`, "bad", "odd",
			"TEXT_MESSAGE_START.timestamp must be an integer, but is a number (1.5)"},
		{text + `,"timestamp":9007199254740993`, "bad", "odd", "timestamp must be an integer"},
		{text + `,"timestamp":"1"`, "bad", "odd", `but is a string ("1")`},
		{text + `,"metadata":null`, "", "", ""},
		{text + `,"metadata":[]`, "bad", "bad", "metadata must be an object, but is an array"},
		{text + `,"rawEvent":null`, "", "", ""},
		{text + `,"subagentRunId":null`, "bad", "odd", "subagentRunId must be a string or absent, but is null"},
		{text + `,"subagentRunId":5`, "bad", "bad", "subagentRunId must be a string, but is a number (5)"},
		{`"type":"RUN_FINISHED","threadId":"t","runId":"r","subagentRunId":5`, "", "", ""},
		// Text.
		{`"type":"TEXT_MESSAGE_START"`, "bad", "bad", "messageId must be a string, but is missing"},
		{`"type":"TEXT_MESSAGE_START","MessageId":"m"`, "bad", "bad", "messageId must be a string, but is missing"},
		{`"type":"TEXT_MESSAGE_START","messageId":null`, "bad", "bad", "messageId must be a string, but is null"},
		{text + `,"role":"tool"`, "bad", "odd", `role must be "developer", "system", "assistant" or "user"`},
		{text + `,"role":5`, "bad", "odd", "role must be"},
		{text + `,"role":null`, "", "", ""},
		{text + `,"name":5`, "bad", "bad", "name must be a string"},
		{`"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":""`, "", "", ""},
		{`"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":null`, "bad", "bad",
			"delta must be a string, but is null"},
		{`"type":"TEXT_MESSAGE_END","messageId":1`, "bad", "bad", "messageId"},
		{`"type":"TEXT_MESSAGE_CHUNK","messageId":null,"role":null,"name":null,"delta":null`, "", "", ""},
		{`"type":"TEXT_MESSAGE_CHUNK","role":"robot"`, "bad", "odd", "role"},
		{`"type":"TEXT_MESSAGE_CHUNK","messageId":1`, "bad", "bad", "messageId"},
		{`"type":"TEXT_MESSAGE_CHUNK","delta":[]`, "bad", "bad", "delta"},
		// Tool calls.
		{`"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":null`, "", "", ""},
		{`"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":null`, "bad", "bad", "toolCallName"},
		{`"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":1`, "bad", "bad",
			"parentMessageId"},
		{`"type":"TOOL_CALL_ARGS","toolCallId":"c"`, "bad", "bad", "delta"},
		{`"type":"TOOL_CALL_END"`, "bad", "bad", "toolCallId"},
		{`"type":"TOOL_CALL_CHUNK","toolCallName":1`, "bad", "bad", "toolCallName"},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"x","role":"tool"`, "", "", ""},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"x","role":"assistant"`, "bad", "odd",
			`role must be "tool"`},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":{"a":1}`, "bad", "odd",
			"content must be a string or an array of parts, but is an object"},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":null`, "bad", "bad", "content"},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"text"}]`, "bad", "bad",
			"content[0].text must be a string, but is missing"},
		{`"type":"TOOL_CALL_RESULT","toolCallId":"c","content":"x"`, "bad", "bad", "messageId"},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"binary","mimeType":5,"data":5}]`, "", "", ""},
		{`"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"binary","mimeType":"a/b","data":5}]`, "", "", ""},
		// Reasoning.
		{`"type":"REASONING_START"`, "bad", "bad", "messageId"},
		{`"type":"REASONING_MESSAGE_START","messageId":"z","role":"reasoning"`, "", "", ""},
		{`"type":"REASONING_MESSAGE_START","messageId":"z"`, "bad", "odd", `role must be "reasoning", but is missing`},
		{`"type":"REASONING_MESSAGE_START","messageId":"z","role":"assistant"`, "bad", "odd", `("assistant")`},
		{`"type":"REASONING_MESSAGE_CONTENT","messageId":"z","delta":{}`, "bad", "bad",
			"delta must be a string, but is an object"},
		{`"type":"REASONING_MESSAGE_CHUNK","messageId":null`, "", "", ""},
		{`"type":"REASONING_ENCRYPTED_VALUE","subtype":"other","entityId":"e","encryptedValue":"v"`, "bad", "bad",
			`subtype must be "tool-call" or "message"`},
		{`"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","encryptedValue":"v"`, "bad", "bad", "entityId"},
		// Runs.
		{`"type":"RUN_STARTED"`, "bad", "odd", "RUN_STARTED.threadId must be a string, but is missing"},
		{`"type":"RUN_STARTED","threadId":"t","runId":7`, "bad", "odd", "runId"},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","parentRunId":null,"protocolVersion":null,"input":null`, "",
			"", ""},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","parentRunId":7`, "bad", "odd", "parentRunId"},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":7`, "", "", ""},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","input":"x"`, "bad", "odd", "input must be an object"},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r"}`, "bad", "odd",
			"input.messages must be an array, but is missing"},
		{input +
			`,"tools":null,"context":null,"resume":null,"state":null,"forwardedProps":null,"protocolVersion":null}`, "",
			"", ""},
		{input + `,"tools":[{"name":"f"}]}`, "bad", "odd", "input.tools[0].description must be a string"},
		{input + `,"tools":[{"name":"f","description":"d","parameters":null,"metadata":null}]}`, "", "", ""},
		{input + `,"context":[{"description":"d","value":1}]}`, "bad", "odd", "input.context[0].value"},
		{input + `,"resume":[{"interruptId":"i","status":"maybe"}]}`, "bad", "odd",
			`input.resume[0].status must be "resolved" or "cancelled"`},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user"}]}`, "bad", "odd", "input.messages[0].content must be"},
		{`"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"robot"}]}`, "odd", "odd", "input.messages[0].role must be"},
		{`"type":"RUN_FINISHED"`, "bad", "odd", "threadId"},
		{outcome(`null`) + `,"usage":null,"result":null`, "", "", ""},
		{outcome(`"success"`), "bad", "odd", "outcome must be an object"},
		{outcome(`{"type":"paused"}`), "odd", "odd", `outcome.type must be "success", "interrupt" or "cancelled"`},
		{outcome(`{}`), "odd", "odd", "outcome.type"},
		{outcome(`{"type":"success","pendingToolCallIds":null}`), "", "", ""},
		{outcome(`{"type":"success","pendingToolCallIds":["c",1]}`), "bad", "bad",
			"outcome.pendingToolCallIds[1] must be a string"},
		{outcome(`{"type":"interrupt"}`), "bad", "bad", "outcome.interrupts must be an array"},
		{outcome(`{"type":"interrupt","interrupts":[]}`), "bad", "odd",
			"outcome.interrupts must be an array of at least one interrupt"},
		{outcome(`{"type":"interrupt","interrupts":[{"id":"i"}]}`), "bad", "odd", "outcome.interrupts[0].reason"},
		{outcome(`{"type":"interrupt","interrupts":[{"id":"i","reason":"r","responseSchema":1}]}`), "bad", "bad",
			"outcome.interrupts[0].responseSchema must be an object"},
		{outcome(`{"type":"interrupt","interrupts":[{"id":"i","reason":"r","subagentRunId":null}]}`), "bad", "odd",
			"outcome.interrupts[0].subagentRunId"},
		{outcome(`{"type":"cancelled"}`), "", "", ""},
		{outcome(`null`) + `,"usage":{}`, "bad", "odd", "usage must be an array"},
		{outcome(`null`) + `,"usage":[{"inputTokens":-1}]`, "bad", "odd",
			"usage[0].inputTokens must be a whole number"},
		{outcome(`null`) + `,"usage":[{"model":1}]`, "bad", "odd", "usage[0].model"},
		{`"type":"RUN_ERROR","message":"m","code":null`, "", "", ""},
		{`"type":"RUN_ERROR","message":"m","code":500`, "bad", "odd", "code must be a string"},
		{`"type":"RUN_ERROR","message":"m","code":{}`, "bad", "bad", "code must be a string"},
		{`"type":"RUN_ERROR","message":"m","usage":1`, "bad", "odd", "usage"},
		{`"type":"RUN_ERROR"`, "bad", "bad", "message must be a string, but is missing"},
		// Steps, state, activities.
		{`"type":"STEP_STARTED","stepName":1`, "bad", "bad", "stepName"},
		{`"type":"STEP_FINISHED"`, "bad", "bad", "stepName"},
		{`"type":"STATE_SNAPSHOT","snapshot":null`, "", "", ""},
		{`"type":"STATE_SNAPSHOT"`, "bad", "bad", "snapshot must be a JSON value, but is missing"},
		{`"type":"STATE_DELTA","delta":{}`, "bad", "bad", "delta must be an array of JSON Patch operations"},
		{`"type":"STATE_DELTA","delta":[{"op":"zap"},5]`, "", "", ""},
		{`"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"P","content":{},"replace":null`, "", "", ""},
		{`"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"P","content":[]`, "bad", "bad",
			"content must be an object"},
		{`"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"P","content":{},"replace":1`, "bad", "bad",
			"replace must be a boolean"},
		{`"type":"ACTIVITY_DELTA","messageId":"p","activityType":"P","patch":null`, "bad", "bad", "patch"},
		{`"type":"ACTIVITY_DELTA","messageId":"p","patch":[]`, "bad", "bad", "activityType"},
		// Subagents.
		{`"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n","description":null,"parentSubagentRunId":null,"parentToolCallId":null,"parentMessageId":null`, "", "", ""},
		{`"type":"SUBAGENT_STARTED","subagentRunId":null,"name":"n"`, "bad", "bad", "subagentRunId"},
		{`"type":"SUBAGENT_STARTED","subagentRunId":"s"`, "bad", "bad", "name"},
		{`"type":"SUBAGENT_FINISHED","subagentRunId":"s","result":null,"outcome":{"type":"suspended","interruptIds":null}`, "", "", ""},
		{`"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":[1]}`, "bad",
			"bad", "outcome.interruptIds[0]"},
		{`"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"gone"}`, "odd", "odd", "outcome.type"},
		{`"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":1`, "bad", "odd", "outcome must be an object"},
		{`"type":"SUBAGENT_ERROR","subagentRunId":"s","message":"m","code":5`, "bad", "bad", "code"},
		// The rest.
		{`"type":"RAW","event":null,"source":null`, "", "", ""},
		{`"type":"RAW"`, "bad", "bad", "event must be a JSON value"},
		{`"type":"RAW","event":1,"source":1`, "bad", "bad", "source"},
		{`"type":"CUSTOM","name":"n","value":null`, "", "", ""},
		{`"type":"CUSTOM","value":null`, "bad", "bad", "name"},
		{`"type":"CUSTOM","name":"n"`, "bad", "bad", "value"},
		{`"type":"FUTURE","messageId":5`, "", "", ""},
		// Messages of a snapshot.
		{`"type":"MESSAGES_SNAPSHOT","messages":{}`, "bad", "bad", "messages must be an array"},
		{message(`5`), "bad", "skipped", "messages[1] must be a message object"},
		{message(`{"id":"x","role":"robot"}`), "skipped", "skipped", "messages[1].role must be"},
		{message(`{"id":"x"}`), "skipped", "skipped", "messages[1].role must be"},
		{message(`{"role":"user","content":"q"}`), "bad", "skipped", "messages[1].id must be a string, but is missing"},
		{message(`{"id":"x","role":"user","content":null}`), "bad", "skipped",
			"messages[1].content must be a string or an array of parts, but is null"},
		{message(`{"id":"x","role":"user","content":"q","name":1}`), "bad", "skipped", "messages[1].name"},
		{message(`{"id":"x","role":"user","content":"q","subagentRunId":null}`), "bad", "odd",
			"messages[1].subagentRunId"},
		{message(`{"role":"user","content":"q","subagentRunId":null}`), "bad", "skipped", "messages[1].id"},
		{message(`{"id":"x","role":"user","content":"q","metadata":1}`), "bad", "skipped", "messages[1].metadata"},
		{message(`{"id":"x","role":"user","content":[{"type":"image","source":{"type":"data","value":"A"}}]}`), "bad",
			"skipped", "messages[1].content[0].source.mimeType"},
		{message(`{"id":"x","role":"user","content":[{"type":"image","source":"u"}]}`), "bad", "skipped",
			"messages[1].content[0].source must be an object"},
		{message(
			`{"id":"x","role":"user","content":[{"type":"image","source":{"type":"cloud"}},{"type":"hologram"},{}]}`),
			"", "", ""},
		{message(`{"id":"x","role":"user","content":[{"type":"binary","mimeType":"a/b","data":5}]}`), "bad", "legacy",
			"messages[1].content[0].data must be a string"},
		{message(`{"id":"x","role":"user","content":["q"]}`), "bad", "skipped",
			"messages[1].content[0] must be a part object"},
		{message(`{"id":"x","role":"system","content":[]}`), "bad", "skipped", "messages[1].content must be a string"},
		{message(`{"id":"x","role":"assistant"}`), "", "", ""},
		{message(
			`{"id":"x","role":"assistant","content":null,"toolCalls":null,"name":null,"encryptedValue":null,"metadata":null}`), "", "", ""},
		{message(`{"id":"x","role":"assistant","content":5}`), "bad", "skipped", "messages[1].content"},
		{message(`{"id":"x","role":"assistant","toolCalls":{}}`), "bad", "skipped",
			"messages[1].toolCalls must be an array"},
		{message(`{"id":"x","role":"assistant","toolCalls":[{"id":"c","function":{"name":"f","arguments":""}}]}`),
			"bad", "skipped", `messages[1].toolCalls[0].type must be "function"`},
		{message(
			`{"id":"x","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]}`), "bad", "skipped", "messages[1].toolCalls[0].function.arguments must be a string, but is an object"},
		{message(`{"id":"x","role":"tool","content":"q"}`), "bad", "skipped", "messages[1].toolCallId"},
		{message(`{"id":"x","role":"tool","content":"q","toolCallId":"c","error":1}`), "bad", "skipped",
			"messages[1].error"},
		{message(`{"id":"x","role":"reasoning"}`), "bad", "skipped", "messages[1].content"},
		{message(`{"id":"x","role":"activity","activityType":"P","content":"q"}`), "bad", "skipped",
			"messages[1].content must be an object"},
		{message(`{"id":"x","role":"activity","content":{}}`), "bad", "skipped", "messages[1].activityType"},
	}
	for _, tt := range tests {
		for _, strict := range []bool{true, false} {
			want := tt.lenient
			if strict {
				want = tt.strict
			}
			t.Run(fmt.Sprintf("%v/%s", strict, tt.in), func(t *testing.T) {
				var warnings []Warning
				ev, err := Decode("{"+tt.in+"}",
					DecodeOptions{Strict: strict, Warn: func(w Warning) { warnings = append(warnings, w) }})
				got, message := "", ""
				switch {
				case err != nil:
					got, message = "bad", err.(*Error).Message
					if err.(*Error).Code != CodeBadEvent || ev != nil || err.(*Error).Event != "{"+tt.in+"}" {
						t.Errorf("got %v, %#v", ev, err)
					}
				case len(warnings) > 0 && warnings[0].Code == WarnOddField:
					got, message = "odd", warnings[0].Message
				case len(warnings) > 0 && warnings[0].Code == WarnBadEvent:
					got, message = "skipped", warnings[0].Message
				case len(warnings) > 1 && warnings[0].Code == WarnLegacyShape:
					got, message = "legacy", warnings[1].Message
				}
				if got != want {
					t.Fatalf("got %q (%s), want %q", got, message, want)
				}
				if got != "" && !strings.Contains(message, tt.words) {
					t.Errorf("the message is %q, want %q in it", message, tt.words)
				}
				if err == nil && ev.Common().Raw != "{"+tt.in+"}" {
					t.Errorf("Raw is %s", ev.Common().Raw)
				}
			})
		}
	}
}

func TestDecodeRefusesWhatIsNoEvent(t *testing.T) {
	for in, want := range map[string]string{
		``:            "the event is no JSON: expected a value, got the end of the text at byte 0: ",
		`{"type":"A"`: "the event is no JSON: expected a comma or a closing brace",
		`null`:        "the event must be a JSON object, but is null: null",
		`[]`:          "the event must be a JSON object, but is an array: []",
		`{}`:          "the event's type must be a string that names it, but is missing: {}",
		`{"type":5}`:  "the event's type must be a string that names it, but is a number (5)",
		`{"type":""}`: "the event's type must be a string that names it, but is a string",
		`{"type":"CUSTOM","name":"n","value":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) +
			`}`: "the event is nested deeper than 1000 levels",
		`{"type":"CUSTOM","name":5,"value":"` + strings.Repeat("ü", 5000) +
			`"}`: "CUSTOM.name must be a string, but is a number (5)",
	} {
		_, err := Decode(in, DecodeOptions{})
		if CodeOf(err) != CodeBadEvent || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", in, err, want)
		}
		if n := utf8.RuneCountInString(err.Error()); n > 400 {
			t.Errorf("%.40s: the message has %d characters", in, n)
		}
		if !utf8.ValidString(err.Error()) {
			t.Errorf("%.40s: the excerpt cuts a character", in)
		}
	}
}

func TestDecodeValues(t *testing.T) {
	s := "s1"
	parent := "m"
	base := func(typ Type, raw string) Base { return Base{Type: typ, Raw: raw} }
	tests := []struct {
		in   string
		want Event
	}{
		// Of duplicate keys the last counts, escapes in keys and types are decoded, half surrogates and numbers stay.
		{`{"type":"STEP_STARTED","stepName":"a","\u0074ype":"TEXT_MESSAGE_\u0043ONTENT","messageId":"x","messageId":"\ud83d","delta":"\ud83d"}`,
			&TextMessageContent{Base: base(TypeTextMessageContent, ""), MessageID: "\xed\xa0\xbd", Delta: `"\ud83d"`}},
		{`{"type":"TEXT_MESSAGE_START","messageId":"m","timestamp":1,"metadata":{"n":9007199254740993},"rawEvent":[null],"subagentRunId":"s1"}`,
			&TextMessageStart{Base: Base{Type: TypeTextMessageStart, Timestamp: "1", Metadata: `{"n":9007199254740993}`,
				RawEvent: `[null]`, SubagentRunID: &s}, MessageID: "m", Role: RoleAssistant}},
		{`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}`,
			&ToolCallStart{Base: base(TypeToolCallStart, ""), ToolCallID: "c", ToolCallName: `"f"`,
				ParentMessageID: &parent}},
		{`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":{"a":[1, 2]}}`,
			&ToolCallResult{Base: base(TypeToolCallResult, ""), MessageID: "r", ToolCallID: "c",
				Content: `"{\"a\":[1, 2]}"`}},
		{`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"text","text":"a","id":null}]}`,
			&ToolCallResult{Base: base(TypeToolCallResult, ""), MessageID: "r", ToolCallID: "c",
				Content: `[{"type":"text","text":"a"}]`}},
		{`{"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"P","content":{"a":null},"replace":false}`,
			&ActivitySnapshot{Base: base(TypeActivitySnapshot, ""), MessageID: "p", ActivityType: `"P"`,
				Content: `{"a":null}`}},
		{`{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"n","parentMessageId":"m"}`,
			&SubagentStarted{Base: Base{Type: TypeSubagentStarted, SubagentRunID: &s}, ID: "s1", Name: `"n"`,
				ParentMessageID: &parent}},
		{`{"type":"RUN_ERROR","message":"m","code":500,"usage":[{"model":null,"inputTokens":1}]}`,
			&RunError{Base: base(TypeRunError, ""), Message: `"m"`, Code: "500", Usage: `[{"inputTokens":1}]`}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":0,"outcome":{"type":"success","pendingToolCallIds":[]}}`,
			&RunFinished{Base: base(TypeRunFinished, ""), ThreadID: "t", RunID: "r", Result: "0",
				Outcome: Outcome{Kind: "success", Raw: `{"type":"success","pendingToolCallIds":[]}`}}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","message":null,"expiresAt":"2030-01-01T00:00:00Z","later":null}]}}`,
			&RunFinished{Base: base(TypeRunFinished, ""), ThreadID: "t", RunID: "r", Outcome: Outcome{Kind: "interrupt",
				Raw: `{"type":"interrupt","interrupts":[{"id":"i","reason":"r","expiresAt":"2030-01-01T00:00:00Z","later":null}]}`,
				Interrupts: []Interrupt{{ID: "i", Reason: "r", ExpiresAt: "2030-01-01T00:00:00Z",
					Raw: `{"id":"i","reason":"r","expiresAt":"2030-01-01T00:00:00Z","later":null}`}}}}},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":"done"}`,
			&RunFinished{Base: base(TypeRunFinished, ""), ThreadID: "t", RunID: "r", Outcome: Outcome{Raw: `"done"`}}},
		{`{"type":"FUTURE","messageId":5}`, &Unknown{base("FUTURE", "")}},
		{`{"type":"THINKING_START"}`, &Unknown{base("THINKING_START", "")}},
	}
	for _, tt := range tests {
		tt.want.Common().Raw = tt.in
		got, err := Decode(tt.in, DecodeOptions{})
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s\ngot  %#v, %v\nwant %#v", tt.in, got, err, tt.want)
		}
	}
}

func TestSnapshotMessages(t *testing.T) {
	tests := []struct {
		name, in, want string
		asCame         bool
	}{
		{"as it came", `{ "id":"m", "role":"user", "content":"q", "later":null }`,
			`{ "id":"m", "role":"user", "content":"q", "later":null }`, true},
		{"nulls out",
			`{"id":"m","role":"assistant","content":null,"name":null,"metadata":null,"toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"metadata":null,"x":null}]}`,
			`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"x":null}]}`, false},
		{"a null that an earlier duplicate has", `{"id":"m","role":"user","content":"q","name":null,"name":"n"}`,
			`{"id":"m","role":"user","content":"q","name":null,"name":"n"}`, true},
		{"a null that a later duplicate has", `{"id":"m","role":"user","content":"q","name":"n","name":null}`,
			`{"id":"m","role":"user","content":"q"}`, false},
		{"nulls inside data stay",
			`{"id":"m","role":"activity","activityType":"P","content":{"a":null},"metadata":{"b":null}}`,
			`{"id":"m","role":"activity","activityType":"P","content":{"a":null},"metadata":{"b":null}}`, true},
		{"nulls in parts and sources",
			`{"id":"m","role":"user","content":[{"type":"image","id":null,"metadata":null,"source":{"type":"file","value":"v","provider":null,"mimeType":null}}]}`,
			`{"id":"m","role":"user","content":[{"type":"image","source":{"type":"file","value":"v"}}]}`, false},
		{"a binary part with data",
			`{"id":"m","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA","url":"u","filename":"f","id":"i"}]}`,
			`{"id":"m","role":"user","content":[{"type":"image","id":"i","source":{"type":"data","value":"AA","mimeType":"image/png"},"metadata":{"filename":"f"}}]}`, false},
		{"a binary part with a url",
			`{"id":"m","role":"tool","toolCallId":"c","content":[{"type":"binary","mimeType":"text/csv","data":null,"url":"u","metadata":{"k":1},"filename":"f","later":1}]}`,
			`{"id":"m","role":"tool","toolCallId":"c","content":[{"type":"document","source":{"type":"url","value":"u","mimeType":"text/csv"},"metadata":{"k":1,"filename":"f"},"later":1}]}`, false},
		{"a binary part with empty data and an odd id",
			`{"id":"m","role":"user","content":[{"type":"binary","mimeType":"video/x","id":5,"data":"","url":"u"}]}`,
			`{"id":"m","role":"user","content":[{"type":"video","source":{"type":"url","value":"u","mimeType":"video/x"}}]}`, false},
		{"a binary part with only an id",
			`{"id":"m","role":"user","content":[{"type":"binary","mimeType":"audio/wav","id":"f1"}]}`,
			`{"id":"m","role":"user","content":[{"type":"binary","mimeType":"audio/wav","id":"f1"}]}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			legacy := 0
			ev, err := Decode(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"x","role":"robot"},`+tt.in+`]}`,
				DecodeOptions{Strict: true, Warn: func(w Warning) {
					if w.Code == WarnLegacyShape {
						legacy++
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			m := ev.(*MessagesSnapshot).Messages
			if len(m) != 1 || m[0].Raw != tt.want || m[0].AsCame != tt.asCame || m[0].At != 1 {
				t.Errorf("got %+v", m)
			}
			if want := strings.Count(tt.in, "binary"); legacy != want {
				t.Errorf("%d warnings of a legacy shape, want %d", legacy, want)
			}
		})
	}
	ev,
		err :=
		Decode(
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"role":"reasoning"},{"id":"m","role":"tool","toolCallId":"c","content":"x","subagentRunId":"s"},{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"1"}}]}]}`, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := ev.(*MessagesSnapshot)
	if !e.HasReasoning || e.HasActivity || len(e.Messages) != 2 || e.Messages[0].ToolCallID != "c" ||
		*e.Messages[0].SubagentRunID != "s" || e.Messages[1].ToolCalls[0].Arguments != `"1"` {
		t.Errorf("got %+v", e)
	}
}
