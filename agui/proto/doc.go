// Package proto reads the protocol's second encoding, application/vnd.ag-ui.event+proto, in pure Go: it cuts a body
// into messages ([Frames]) and turns each message into the JSON text of the same event ([AppendEvent]). From there on
// an event is as if it had come as JSON, so that every rule, repair and snapshot has one home.
//
// A body is a row of messages, each after its length in four bytes, most significant first. A message is the protobuf
// message ag_ui.Event of the protocol 1.0: one of 31 kinds of events, each with a BaseEvent. The package reads the
// wire format itself, about a hundred lines: google.golang.org/protobuf/encoding/protowire brings fmt and reflect,
// 370 KB of WebAssembly.
//
// What the encoding cannot carry never comes: undefined shapes of known fields, an absent string where the schema has
// no presence for it (it reads as ""), an unknown event's name. What it has beside JSON: numbers that JSON lacks
// (NaN, infinities) are a fault, 64-bit integers are written in full, text that is not UTF-8 is read as the WHATWG
// Encoding standard does.
package proto

// ContentType is the media type of the encoding.
const ContentType = "application/vnd.ag-ui.event+proto"
