package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

func ExampleHandler() {
	handler := server.Handler(func(_ context.Context, in *agui.Input, run *server.Run) error {
		return run.Text("You said: " + server.LastText(in))
	}, server.Options{})
	site := httptest.NewServer(handler)
	defer site.Close()

	conversation, err := client.NewConversation(&client.Client{URL: site.URL}, client.Options{})
	if err != nil {
		panic(err)
	}
	for event, err := range conversation.Send(context.Background(), "Hello") {
		if err != nil {
			panic(err)
		}
		if text, ok := event.(*agui.TextMessageContent); ok {
			fmt.Println(text.Delta.Decode())
		}
	}
	// Output: You said: Hello
}

// The state is set as a whole or by member; what goes out is what differs. What is left open is closed.
func ExampleRun_SetStateKey() {
	site := httptest.NewServer(server.Handler(func(_ context.Context, _ *agui.Input, run *server.Run) error {
		_, err := run.Message().WriteString("I plan. ")
		return errors.Join(err,
			run.SetStateKey("plan", []string{"fly"}),
			run.SetStateKey("plan", []string{"fly", "sleep"}),
		)
	}, server.Options{}))
	defer site.Close()
	response, err := http.Post(site.URL, "application/json",
		strings.NewReader(`{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}`))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	for line := range strings.Lines(string(body)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			fmt.Print(data)
		}
	}
	// Output:
	// {"type":"RUN_STARTED","threadId":"t","runId":"r"}
	// {"type":"TEXT_MESSAGE_START","messageId":"r-1","role":"assistant"}
	// {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-1","delta":"I plan. "}
	// {"type":"STATE_DELTA","delta":[{"op":"add","path":"/plan","value":["fly"]}]}
	// {"type":"STATE_DELTA","delta":[{"op":"add","path":"/plan/1","value":"sleep"}]}
	// {"type":"TEXT_MESSAGE_END","messageId":"r-1"}
	// {"type":"RUN_FINISHED","threadId":"t","runId":"r"}
}
