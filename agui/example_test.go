package agui_test

import (
	"errors"
	"fmt"
	"strings"

	"aguiwasm/agui"
)

func ExampleDecode() {
	ev, err := agui.Decode(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"caf\u00e9"}`, agui.DecodeOptions{})
	if err != nil {
		panic(err)
	}
	content := ev.(*agui.TextMessageContent)
	fmt.Println(content.MessageID, content.Delta, content.Delta.Decode())

	_, err = agui.Decode(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":5}`, agui.DecodeOptions{})
	fmt.Println(strings.ReplaceAll(err.Error(), ": ", ":\n  "))
	// Output:
	// m1 "caf\u00e9" café
	// bad_event:
	//   TEXT_MESSAGE_CONTENT.delta must be a string, but is a number (5):
	//   {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":5}
}

// Chunks come out as whole sequences, and lenient mode mends what a server left open.
func ExamplePipeline() {
	p := agui.NewPipeline(agui.Options{
		Emit: func(ev agui.Event) bool { fmt.Println(ev.Common().Raw); return true },
		Warn: func(w agui.Warning) { fmt.Println(w.Code, w.Message) },
	})
	for _, data := range []string{
		`{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"Hel"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"lo"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m1"}`,
		`{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`,
	} {
		if err := p.Push(data); err != nil {
			panic(err)
		}
	}
	fmt.Println(p.End())
	// Output:
	// {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}
	// {"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}
	// {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hel"}
	// {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"lo"}
	// {"type":"TEXT_MESSAGE_END","messageId":"m1"}
	// repaired TEXT_MESSAGE_END names the text message "m1", which is not open: the END was dropped (rule end-open)
	// {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
	// <nil>
}

// Strict mode is for people who build agents.
func ExampleOptions_strict() {
	p := agui.NewPipeline(agui.Options{Strict: true})
	err := p.Push(`{"type":"TEXT_MESSAGE_START","messageId":"m1"}`)
	fmt.Println(errors.Is(err, &agui.Error{Code: agui.CodeProtocol}))
	fmt.Println(err)
	// Output:
	// true
	// protocol: TEXT_MESSAGE_START came first, but the first event is RUN_STARTED or RUN_ERROR
}

func ExampleParseInput() {
	in, err := agui.ParseInput(`{"threadId":"t1","runId":"r1","messages":[{"role":"user","content":"Hi"}]}`,
		agui.InputOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(in.AppendBody(nil, "", "")))

	_, err = agui.ParseInput(`{"messages":[{"id":"1","role":"user","content":7}]}`, agui.InputOptions{})
	fmt.Println(err)
	// Output:
	// {"threadId":"t1","runId":"r1","protocolVersion":"1.0","state":{},"messages":[{"id":"id-1","role":"user","content":"Hi"}],"tools":[],"context":[],"forwardedProps":{}}
	// bad_input: messages[0].content must be a string or an array of parts, but is a number (7)
}
