package agui

import (
	"strings"
	"testing"
)

func TestParseInput(t *testing.T) {
	const whole = `{"threadId":"t","runId":"r","parentRunId":"p","protocolVersion":"2","state":{"n":9007199254740993},"messages":[{"id":"1","role":"user","content":"\ud83d","later":null},{"id":"a","role":"activity","activityType":"P","content":{}}],` +
		`"tools":[{"name":"f","description":"d","parameters":{"a":1.0},"x":1}],"context":[{"description":"d","value":"v"}],"forwardedProps":{"k":null},"resume":[{"interruptId":"i","status":"resolved","payload":{"b":null}}],"later":1,"more":null}`
	tests := []struct{ name, in, want string }{
		{"nothing", `{}`, `{"threadId":"id-1","runId":"id-2","protocolVersion":"1.0","state":{},"messages":[],"tools":[],"context":[],"forwardedProps":{}}`},
		{"null is absent", ` { "threadId" : null, "runId":null,"parentRunId":null,"protocolVersion":null,"messages":null,"tools":null,"context":null,"forwardedProps":null,"resume":null } `,
			`{"threadId":"id-1","runId":"id-2","protocolVersion":"1.0","state":{},"messages":[],"tools":[],"context":[],"forwardedProps":{}}`},
		{"a state may be null", `{"threadId":"t","runId":"r","state":null}`, `{"threadId":"t","runId":"r","protocolVersion":"1.0","state":null,"messages":[],"tools":[],"context":[],"forwardedProps":{}}`},
		{"all is kept, activities are not sent", whole, strings.Replace(whole, `,{"id":"a","role":"activity","activityType":"P","content":{}}`, "", 1)},
		{"ids of messages, nulls, retired parts", `{"threadId":"t","runId":"r","messages":[{"role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA"}],"name":null},{"id":null,"role":"assistant","subagentRunId":null,"content":null}],"tools":[{"name":"f","description":"d","parameters":null}],"resume":[{"interruptId":"i","status":"cancelled","payload":null,"metadata":null}]}`,
			`{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{},"messages":[{"id":"id-1","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/png"}}]},{"id":"id-2","role":"assistant"}],"tools":[{"name":"f","description":"d"}],"context":[],"forwardedProps":{},"resume":[{"interruptId":"i","status":"cancelled"}]}`},
		{"the last of duplicate keys", `{"threadId":5,"threadId":"t","runId":"r","messages":5,"messages":[]}`, `{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{},"messages":[],"tools":[],"context":[],"forwardedProps":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			legacy := 0
			in, err := ParseInput(tt.in, InputOptions{Warn: func(w Warning) { legacy++ }})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(in.AppendBody(nil, "", "")); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if want := strings.Count(tt.in, "binary"); legacy != want {
				t.Errorf("%d warnings, want %d", legacy, want)
			}
		})
	}
}

func TestParseInputRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`{`:                 "the input must be JSON: expected a quoted key",
		`[]`:                "the input must be an object, but is an array",
		`{"threadId":5}`:    "threadId must be a string, but is a number (5)",
		`{"runId":{}}`:      "runId must be a string, but is an object",
		`{"parentRunId":1}`: "parentRunId must be a string",
		`{"messages":{}}`:   "messages must be an array, but is an object",
		`{"messages":[1]}`:  "messages[0] must be a message object, but is a number (1)",
		`{"messages":[{"role":"user","content":"a"},{"id":"1","role":"robot","content":"a"}]}`:                   `messages[1].role must be "developer", "system", "user", "assistant", "tool", "reasoning" or "activity", but is a string ("robot")`,
		`{"messages":[{"id":1,"role":"user","content":"a"}]}`:                                                    "messages[0].id must be a string, but is a number (1)",
		`{"messages":[{"role":"user"}]}`:                                                                         "messages[0].content must be a string or an array of parts, but is missing",
		`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`:                                             "messages[0].content[0].text must be a string, but is missing",
		`{"messages":[{"role":"tool","content":"x"}]}`:                                                           "messages[0].toolCallId must be a string",
		`{"messages":[{"role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f"}}]}]}`: "messages[0].toolCalls[0].function.arguments must be a string, but is missing",
		`{"tools":[{"name":"f"}]}`:                                                                               "tools[0].description must be a string, but is missing",
		`{"tools":{}}`:                                                                                           "tools must be an array",
		`{"context":[{"description":"d"}]}`:                                                                      "context[0].value must be a string, but is missing",
		`{"context":[1]}`:                                                                                        "context[0] must be a context object",
		`{"resume":[{"interruptId":"i","status":"done"}]}`:                                                       `resume[0].status must be "resolved" or "cancelled", but is a string ("done")`,
		`{"resume":[{"status":"resolved"}]}`:                                                                     "resume[0].interruptId must be a string, but is missing",
		`{"resume":"x"}`:                                                                                         "resume must be an array",
		`{"state":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`:                                "nested deeper than 1000 levels",
	} {
		in, err := ParseInput(in, InputOptions{})
		if CodeOf(err) != CodeBadInput || in != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestAppendBodyWithTheStoresOwn(t *testing.T) {
	in, err := ParseInput(`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"old"}],"state":1}`, InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := string(in.AppendBody([]byte("x"), `[{"id":"a","role":"activity"},{"id":"2","role":"user","content":"new"},{"role":"\u0061ctivity"},{"id":"3"}]`, `{"a":1e2}`))
	if want := `x{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{"a":1e2},"messages":[{"id":"2","role":"user","content":"new"},{"id":"3"}],"tools":[],"context":[],"forwardedProps":{}}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestParseMessages(t *testing.T) {
	n := 0
	messages, err := ParseMessages(`[{"role":"user","content":"a"},{"id":"x","role":"assistant"}]`, "initialMessages",
		InputOptions{NewID: func() string { n++; return "made" }})
	if err != nil || len(messages) != 2 || messages[0].ID != "made" ||
		messages[0].Raw != `{"id":"made","role":"user","content":"a"}` || messages[1].At != 1 || n != 1 {
		t.Errorf("got %+v, %v", messages, err)
	}
	for in, want := range map[string]string{
		`{}`: "initialMessages must be an array", `[{"role":"user"}]`: "initialMessages[0].content must be",
		`[`: "initialMessages must be JSON",
	} {
		if _, err := ParseMessages(in, "initialMessages", InputOptions{}); CodeOf(err) != CodeBadInput ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", in, err)
		}
	}
}
