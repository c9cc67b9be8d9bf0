// Package client talks to an AG-UI agent over HTTP.
//
// A [Client] makes single runs: [Client.Run] posts an input and yields the events as they come, checked and put in order by
// package agui. A [Conversation] is what most programs want: it keeps the messages and the state, sends the whole history or only
// what is new, answers tool calls with functions of the program, holds open questions (interrupts) until they are answered, and
// branches from earlier runs. It is the same state/thread that the browser's agents use.
//
//	conversation := client.NewConversation(&client.Client{URL: url}, client.Options{System: "Be brief."})
//	for event, err := range conversation.Send(ctx, "Hello") {
//		if err != nil {
//			return err // an *agui.Error
//		}
//		if text, ok := event.(*agui.TextMessageContent); ok {
//			fmt.Print(text.Delta.Decode())
//		}
//	}
//
// Cancelling the context is the one way to stop a run; so is leaving the loop. Errors are [*agui.Error] values with the codes
// of package agui.
package client
