// Package rejoin makes one stream of events out of the several connections that a run may need: it places what a second
// connection sends, drops what was handed out before, and says what the end of a connection means.
//
//	bytes of a leg -> Run.Write -> placed events -> the run's own pipeline
//
// A leg is one response of one run: the first answers the POST that started the run, each further one a request that
// reads. The [Run] stands before the protocol's pipeline, so the pipeline and the store see one continuous stream,
// whatever broke.
//
// A [Dialect] says how a server lets a client come back. There are three shapes:
//
//   - [ByCursor]: the server goes on after a cursor. Events are placed by the cursor alone.
//   - [ByReplay]: the server sends the run (or the thread's runs) again, perhaps compacted. Events are placed by
//     meaning: how many characters of which message, which call, which custom event were handed out before.
//   - [BySnapshot]: the server sends the messages that it has, perhaps only this run's, then the rest of the stream.
//
// [Line] holds the states, the waits and the limits: when to try again, and when to give up. It reads no clock and sets
// no timer; who uses it does.
//
// Nothing here is safe for concurrent use, nothing panics on any input, and nothing sends a request.
package rejoin
