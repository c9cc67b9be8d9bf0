package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

// weather is an agent that asks the client's tool, and a person before it books.
func weather(_ context.Context, in *agui.Input, run *server.Run) error {
	switch last := in.Messages[len(in.Messages)-1]; {
	case len(in.Resume) > 0:
		return run.Text("Booked.")
	case last.Role == agui.RoleTool:
		return run.Text("You will need an umbrella.")
	case server.LastText(in) == "Book a table":
		_, err := run.Interrupt(server.Interrupt{ID: "q1", Reason: "confirmation", Message: "For tonight?"})
		return err
	}
	_, err := run.ToolCall("weather", map[string]string{"city": "Porto"})
	return err
}

// A conversation keeps messages and state, calls the program's tools, and holds questions until they are answered.
func Example() {
	site := httptest.NewServer(server.Handler(weather, server.Options{}))
	defer site.Close()

	conversation, err := client.NewConversation(&client.Client{URL: site.URL}, client.Options{
		Tools: []client.Tool{{
			Name: "weather", Description: "The weather of a city",
			Parameters: `{"type":"object","properties":{"city":{"type":"string"}}}`,
			Call: func(_ context.Context, arguments json.RawMessage) (string, error) {
				fmt.Println("called with", string(arguments))
				return "rain", nil
			},
		}},
	})
	if err != nil {
		panic(err)
	}
	for event, err := range conversation.Send(context.Background(), "What do I need in Porto?") {
		if err != nil {
			panic(err)
		}
		if text, ok := event.(*agui.TextMessageContent); ok {
			fmt.Println(text.Delta.Decode())
		}
	}
	// Output:
	// called with {"city":"Porto"}
	// You will need an umbrella.
}

// Questions stay open until all of them are answered.
func ExampleConversation_Resume() {
	site := httptest.NewServer(server.Handler(weather, server.Options{}))
	defer site.Close()
	conversation, err := client.NewConversation(&client.Client{URL: site.URL}, client.Options{})
	if err != nil {
		panic(err)
	}
	for _, err := range conversation.Send(context.Background(), "Book a table") {
		if err != nil {
			panic(err)
		}
	}
	var answers []agui.ResumeEntry
	for _, question := range conversation.Interrupts() {
		fmt.Println("asked:", question.ID)
		answer, err := client.Resolve(question.ID, map[string]bool{"approved": true})
		if err != nil {
			panic(err)
		}
		answers = append(answers, answer)
	}
	for event, err := range conversation.Resume(context.Background(), answers...) {
		if err != nil {
			panic(err)
		}
		if text, ok := event.(*agui.TextMessageContent); ok {
			fmt.Println(text.Delta.Decode())
		}
	}
	// Output:
	// asked: q1
	// Booked.
}

// Run makes a single run; nothing is kept.
func ExampleClient_Run() {
	site := httptest.NewServer(server.Handler(weather, server.Options{}))
	defer site.Close()
	c := &client.Client{URL: site.URL, Strict: true}
	messages, err := agui.ParseMessages(`[{"id":"1","role":"user","content":"Book a table"}]`, "messages",
		agui.InputOptions{})
	if err != nil {
		panic(err)
	}
	for event, err := range c.Run(context.Background(), &agui.Input{ThreadID: "t", RunID: "r", Messages: messages}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.EventType())
	}
	// Output:
	// RUN_STARTED
	// RUN_FINISHED
}
