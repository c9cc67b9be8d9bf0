// Package server answers AG-UI over HTTP: [Handler] makes an http.Handler of a function that is an agent.
//
//	http.Handle("/agent", server.Handler(func(ctx context.Context, in *agui.Input, run *server.Run) error {
//		return run.Text("You said: " + server.LastText(in))
//	}, server.Options{}))
//
// # The way of a run
//
//	POST -> DecodeInput -> agent(ctx, input, run) -> Run -> agui.Pipeline (strict) -> agui.Writer -> the client
//
// What a [Run] sends passes the protocol's strict rules before it is written, so that no stream of a handler breaks
// them: an event that would is refused with an error, and ends the run. RUN_STARTED comes by itself, and so do the ENDs
// of what the function leaves open and the terminal event: RUN_FINISHED, or RUN_ERROR where the function gives an error
// or panics.
//
// A client that goes away cancels the function's context. With [Options].Store the run goes on instead, and clients can
// come back to it: see [Store].
package server
