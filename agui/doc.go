// Package agui is AG-UI 1.0 in Go: events, messages and inputs, and the rules of a stream of events. It has no
// JavaScript and no network, and serves any Go program: [Read] reads the events of a response's body, the constructors
// (NewTextMessageContent, ...) make events, [Writer] writes them. Package agui/client asks agents over HTTP, and
// package agui/server is one. The only goroutine is that of [Writer.KeepAlive].
//
// # How data passes
//
// A [Pipeline] takes the data of one event after the other, as a server sent it, and emits typed [Event] values:
//
//	Push(data)   one pass checks the JSON and finds its members   rawjson.Index
//	decode       members into a typed event                       decode.go, build.go, message.go, part.go, outcome.go
//	judge        does an event count here at all?                 pipeline.go
//	twin         THINKING_* into REASONING_*                      legacy.go
//	expand       *_CHUNK into START, CONTENT, END                 expand.go
//	verify       the sequence rules and their repairs             rules.go (the table), verify.go and what it calls
//	Emit(event)
//
// In strict mode a breach of a rule, or a malformed field, ends the run with an [*Error]; in lenient mode it is
// repaired, with a [Warning]. Either way everything before it was emitted. Lenient mode never ends in the code
// "protocol".
//
// [Decode] is the first step alone, and [Read] all of them over a body. [ParseInput] checks what a program wants to
// send,
// [Input.AppendBody] writes the request, and [DecodeInput] checks what a server gets.
//
// The law that all of it follows is PROTOCOL.md beside this file; "section 6" in a comment is a section of it.
//
// # Raw text
//
// Everything that is only handed on stays the server's text ([JSON], [Text]): numbers beyond 2^53, half surrogates, the
// order of members and unknown properties survive. It is a slice of the event's data and shares its memory. Ids are
// decoded, in WTF-8: UTF-8 in which half a surrogate pair stands as its three bytes.
// Base.Raw is the event as the server sent it, also where a field of it is null, odd, or passed over in the typed
// value; only where the runtime made the event (chunks, retired events, repairs) is it made anew.
//
// # Caveats
//
//   - Keys are matched with regard to case; of duplicate keys the last counts, as in JSON.parse.
//   - Null in an optional field is the same as absent, at any depth of events, messages and parts. Data whose shape is
//     the application's (state, activity content, metadata, result, arguments, RAW.event, CUSTOM.value, ...) is not
//     looked into.
//   - Nesting deeper than 1,000 levels is refused before anything else looks at an event.
//   - A Pipeline serves one response and one goroutine.
package agui
