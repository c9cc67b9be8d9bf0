// Package client talks to an AG-UI agent over HTTP.
//
// A [Client] makes single runs: [Client.Run] posts an input and yields the events as they come, checked and put in
// order by package agui. A [Conversation] is what most programs want: it keeps the messages and the state, sends the
// whole history or only what is new, answers tool calls with functions of the program, holds open questions
// (interrupts) until they are answered, and branches from earlier runs. It is the same state/thread that the browser's
// agents use.
//
//	conversation, err := client.NewConversation(&client.Client{URL: url}, client.Options{System: "Be brief."})
//	...
//	for event, err := range conversation.Send(ctx, "Hello") {
//		if err != nil {
//			return err // an *agui.Error
//		}
//		if text, ok := event.(*agui.TextMessageContent); ok {
//			fmt.Print(text.Delta.Decode())
//		}
//	}
//
// With [Options].Reconnect a run whose connection broke is read to its end (package state/rejoin), where its server
// keeps runs; [Conversation.Join] reads a thread that others wrote to, and [Conversation.Stop] ends a run on the
// server.
//
// Cancelling the context is the one way to stop reading a run; so is leaving the loop. Errors are [*agui.Error] values
// with the codes of package agui, and of package rejoin where a run could not be read to its end.
package client
