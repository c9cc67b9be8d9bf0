// Package demo is an agent that shows the whole AG-UI protocol without a model behind it.
//
// [New] gives an http.Handler. A POST with a RunAgentInput is answered with a stream of events: words in the last
// user message choose what is shown (see [Scenarios]; "help" lists them), anything else is answered with text.
// The stream is seeded by those words: the same words and the same ids give the same events, byte for byte.
//
// Words come at a human pace. The query parameter or forwarded property "speed" multiplies it: 10 is ten times
// faster, "max" does not wait at all. The query parameter "replay" answers with a recorded run of a real server
// instead; [Recordings] lists them.
//
// It is an agent of package agui/server: a bad input is answered with 422 and {"error": ...}, which names the field.
// Pages of every origin may ask. The query parameter "dialect" lets clients come back to their runs: with sse-id,
// tanstack, agno or copilotkit the last 200 runs are kept, go on without their client and stop on request, as servers
// of those names do it; with hydrate a thread's last finished run leaves its messages, its state and its questions.
// Another word is refused with 400. "cut" breaks the line: after that many bytes of each response, or with "random"
// half of the responses somewhere in the middle. Else the agent keeps between runs the interrupts that a thread has
// open, of the last thousand threads, and nothing more.
package demo
