package agui

import (
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
)

// seeds are streams, one event a line, that fuzzing starts from.
var seeds = []string{
	startedData + "\n" + `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" +
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ud83d"}` + "\n" +
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n" + finishedData,
	startedData + "\n" +
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"f","parentMessageId":"m","delta":"{}","metadata":{"k":1}}` + "\n" + `{"type":"TOOL_CALL_CHUNK","delta":"1","subagentRunId":"s"}` + "\n" + `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"binary","mimeType":"image/png","data":"A"}]}` + "\n" + finishedData,
	`{"type":"THINKING_START"}` + "\n" + `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}` + "\n" +
		`{"type":"THINKING_END"}` + "\n" + `{"type":"RUN_ERROR","message":"m","code":5}`,
	`{"type":"RUN_STARTED","threadId":1,"input":{"messages":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]},{}]}}` + "\n" + `{"type":"REASONING_START","messageId":"z"}` + "\n" + `{"type":"REASONING_MESSAGE_CHUNK","messageId":"z"}` + "\n" + `{"type":"STEP_STARTED","stepName":"a"}` + "\n" + `{"type":"RUN_FINISHED","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","message":null}]},"usage":[{"inputTokens":-1}]}`,
	`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[{"type":"image","source":{"type":"url","value":"u","mimeType":null}},{"type":"x"}],"subagentRunId":null},5]}` + "\n" + `{"type":"ACTIVITY_SNAPSHOT","messageId":"p","activityType":"P","content":{},"replace":false}` + "\n" + `{"type":"ACTIVITY_DELTA","messageId":"p","activityType":"P","patch":[]}` + "\n" + `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}` + "\n" + `{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":{"type":"suspended","interruptIds":["i"]}}` + "\n" + `{"type":"FUTURE"}`,
	`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"e"}` + "\n" +
		`{"type":"RAW","event":null}` + "\n" + `{"type":"CUSTOM","name":"n","value":1,"timestamp":1.5}` + "\n" +
		`{"type":"STATE_DELTA","delta":[]}` + "\n" + `nonsense`,
}

func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		for _, line := range strings.Split(s, "\n") {
			f.Add(line)
		}
	}
	f.Add(`{"type":"CUSTOM","name":"n","value":` + strings.Repeat("[", 1000))
	f.Fuzz(func(t *testing.T, data string) {
		strict, strictErr := Decode(data, DecodeOptions{Strict: true})
		ev, err := Decode(data, DecodeOptions{Warn: func(w Warning) {
			if w.Event != data || w.Message == "" {
				t.Fatalf("the warning is %+v", w)
			}
		}})
		if err != nil {
			if strictErr == nil {
				t.Fatalf("lenient mode refuses what strict mode takes: %v", err)
			}
			if CodeOf(err) != CodeBadEvent || ev != nil {
				t.Fatalf("got %v, %v", ev, err)
			}
			return
		}
		if strictErr == nil && strict.EventType() != ev.EventType() {
			t.Fatal("the modes differ in the type")
		}
		if ev.Common().Raw != data {
			t.Fatalf("Raw is %q", ev.Common().Raw)
		}
		switch e := ev.(type) {
		case *MessagesSnapshot:
			checkMessages(t, e.Messages)
		case *RunStarted:
			checkMessages(t, e.InputMessages)
		case *ToolCallResult:
			checkJSON(t, e.Content)
		case *RunFinished:
			for _, v := range []JSON{e.Outcome.Raw, e.Usage, e.Result} {
				if v != "" {
					checkJSON(t, v)
				}
			}
		}
	})
}

func checkJSON(t *testing.T, v JSON) {
	if err := rawjson.Check(v, 0); err != nil {
		t.Fatalf("%q: %v", v, err)
	}
}

func checkMessages(t *testing.T, messages []Message) {
	for _, m := range messages {
		checkJSON(t, m.Raw)
		// What was read must be read again, the same and unchanged.
		again, err := ParseMessages("["+m.Raw+"]", "messages", InputOptions{})
		if err != nil || again[0].ID != m.ID || again[0].Role != m.Role || again[0].Raw != rawjson.Compact(m.Raw) {
			t.Fatalf("%q comes again as %+v, %v", m.Raw, again, err)
		}
	}
}

// FuzzStream takes any text, an event a line.
func FuzzStream(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) { bothModes(t, strings.Split(stream, "\n")) })
}

// FuzzPipeline takes any sequence of well-formed events: each byte of the program picks one, of few ids and owners.
func FuzzPipeline(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05"))
	for i := range 40 {
		program := make([]byte, 60)
		for j := range program {
			program[j] = byte((i*31 + j*(i+7)) % 251)
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		var data []string
		for i := 0; i+1 < len(program); i += 2 {
			data = append(data, eventOf(program[i], program[i+1]))
		}
		bothModes(t, data)
	})
}

func bothModes(t *testing.T, data []string) {
	for _, strict := range []bool{true, false} {
		r := run(strict, newTalk(), data...)
		if !strict && CodeOf(r.err) == CodeProtocol {
			t.Fatalf("lenient mode ends in protocol: %v", r.err)
		}
		checkStream(t, r)
	}
}

// eventOf makes an event of a template and of what fills it.
func eventOf(template, fill byte) string {
	s := templates[int(template)%len(templates)]
	s = strings.ReplaceAll(s, "ID", []string{"a", "b"}[fill&1])
	s = strings.ReplaceAll(s, "P", []string{"a", "b"}[fill>>1&1])
	tag := []string{"", "", `,"subagentRunId":"s"`, `,"subagentRunId":"t"`}[fill>>2&3]
	extra := []string{"", "", `,"metadata":{"k":1}`, `,"rawEvent":1`}[fill>>4&3]
	return `{"type":"` + s + tag + extra + "}"
}

var templates = []string{
	`RUN_STARTED","threadId":"t","runId":"r"`, `RUN_FINISHED","threadId":"t","runId":"r"`, `RUN_ERROR","message":"m"`,
	`RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"ID","role":"assistant","toolCalls":[{"id":"P","type":"function","function":{"name":"f","arguments":""}}]}]}`,
	`TEXT_MESSAGE_START","messageId":"ID"`, `TEXT_MESSAGE_CONTENT","messageId":"ID","delta":"x"`,
	`TEXT_MESSAGE_END","messageId":"ID"`,
	`TEXT_MESSAGE_CHUNK","messageId":"ID","delta":"x"`, `TEXT_MESSAGE_CHUNK","delta":"x"`,
	`TEXT_MESSAGE_CHUNK","messageId":"ID","role":"user"`, `TEXT_MESSAGE_CHUNK"`,
	`TOOL_CALL_START","toolCallId":"ID","toolCallName":"f"`,
	`TOOL_CALL_START","toolCallId":"ID","toolCallName":"f","parentMessageId":"P"`,
	`TOOL_CALL_ARGS","toolCallId":"ID","delta":"x"`, `TOOL_CALL_END","toolCallId":"ID"`,
	`TOOL_CALL_CHUNK","toolCallId":"ID","toolCallName":"f","delta":"x"`,
	`TOOL_CALL_CHUNK","toolCallId":"ID","delta":"x"`, `TOOL_CALL_CHUNK","toolCallName":"g"`,
	`TOOL_CALL_CHUNK","delta":"x"`,
	`TOOL_CALL_RESULT","messageId":"ID","toolCallId":"P","content":"x"`,
	`REASONING_START","messageId":"ID"`, `REASONING_END","messageId":"ID"`,
	`REASONING_MESSAGE_START","messageId":"ID","role":"reasoning"`,
	`REASONING_MESSAGE_CONTENT","messageId":"ID","delta":"x"`, `REASONING_MESSAGE_END","messageId":"ID"`,
	`REASONING_MESSAGE_CHUNK","messageId":"ID","delta":"x"`, `REASONING_MESSAGE_CHUNK"`,
	`REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"ID","encryptedValue":"e"`,
	`REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"ID","encryptedValue":"e"`,
	`THINKING_START"`, `THINKING_END"`, `THINKING_TEXT_MESSAGE_START"`, `THINKING_TEXT_MESSAGE_CONTENT","delta":"x"`,
	`THINKING_TEXT_MESSAGE_END"`,
	`STEP_STARTED","stepName":"ID"`, `STEP_FINISHED","stepName":"ID"`,
	`SUBAGENT_STARTED","subagentRunId":"s","name":"n"`, `SUBAGENT_FINISHED","subagentRunId":"s"`,
	`SUBAGENT_STARTED","name":"n","parentSubagentRunId":"s"`,
	`STATE_SNAPSHOT","snapshot":null`, `CUSTOM","name":"n","value":1`, `RAW","event":1`, `FUTURE"`,
	`STEP_STARTED","stepName":5`,
	`MESSAGES_SNAPSHOT","messages":[{"id":"ID","role":"user","content":"q"},{"id":"P","role":"reasoning","content":""}]`, `MESSAGES_SNAPSHOT","messages":[]`,
	`ACTIVITY_SNAPSHOT","messageId":"ID","activityType":"A","content":{}`,
	`ACTIVITY_DELTA","messageId":"ID","activityType":"A","patch":[]`,
}

// checkStream asks of what a pipeline emitted what every stream must hold, whatever came in.
func checkStream(t *testing.T, r ran) {
	open := map[string]bool{}
	started := false
	for i, ev := range r.events {
		checkJSON(t, ev.Common().Raw)
		typ, _ := rawjson.Get(strings.TrimSpace(ev.Common().Raw), "type")
		if rawjson.String(typ).Decode() != string(ev.EventType()) {
			t.Fatalf("event %d is %s, its JSON is %s", i, ev.EventType(), ev.Common().Raw)
		}
		start, end, content := "", "", ""
		switch e := ev.(type) {
		case *Unknown:
			continue
		case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
			t.Fatalf("event %d is a chunk", i)
		case *RunStarted:
			started = true
		case *TextMessageStart:
			start = "text " + e.MessageID
		case *TextMessageContent:
			content = "text " + e.MessageID
		case *TextMessageEnd:
			end = "text " + e.MessageID
		case *ReasoningMessageStart:
			start = "reasoning " + e.MessageID
		case *ReasoningMessageContent:
			content = "reasoning " + e.MessageID
		case *ReasoningMessageEnd:
			end = "reasoning " + e.MessageID
		case *ReasoningStart:
			start = "span " + e.MessageID
		case *ReasoningEnd:
			end = "span " + e.MessageID
		case *ToolCallStart:
			start = "call " + e.ToolCallID
		case *ToolCallEnd:
			end = "call " + e.ToolCallID
		case *RunFinished:
			if len(open) > 0 {
				t.Fatalf("RUN_FINISHED while %v is open", open)
			}
		case *RunError:
			open = map[string]bool{}
			continue
		}
		switch {
		case !started:
			t.Fatalf("event %d is %s, before RUN_STARTED", i, ev.EventType())
		case start != "" && open[start]:
			t.Fatalf("%s starts twice", start)
		case start != "":
			open[start] = true
		case end != "" && !open[end], content != "" && !open[content]:
			t.Fatalf("%s%s is not open", end, content)
		case end != "":
			delete(open, end)
		}
	}
}

func FuzzInput(f *testing.F) {
	f.Add(
		`{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","description":"d","parameters":null}],"x":1}`)
	f.Add(
		`{"threadId":"\ud83d","state":null,"resume":[{"interruptId":"i","status":"resolved"}],"context":[{"description":"d","value":"v"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		in, err := ParseInput(text, InputOptions{})
		if err != nil {
			return
		}
		body := string(in.AppendBody(nil, "", ""))
		checkJSON(t, body)
		again, err := ParseInput(body, InputOptions{})
		if err != nil {
			t.Fatalf("the body %s is refused: %v", body, err)
		}
		if b := string(again.AppendBody(nil, "", "")); b != body {
			t.Fatalf("the body changes from\n%s to\n%s", body, b)
		}
	})
}
