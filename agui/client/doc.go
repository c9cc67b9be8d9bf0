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
// Cancelling the context, or leaving the loop, stops reading a run. Errors are [*agui.Error] values: errors.Is(err,
// &agui.Error{Code: agui.CodeNetwork}) asks for a kind, [agui.CodeOf] gives it, and [Status] the HTTP status.
// [Client.Run] lists the codes. Of a run that could not be read to its end with Reconnect they are
//
//	resume_gone     the server does not have the run any more
//	resume_refused  the server answered with something else than the run: it has started anew
//	no_progress     several connections in turn brought nothing new
//	not_resumable   the connection broke, and nothing that came said how to come back
//	busy            the thread has a run already
package client
