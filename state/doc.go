// Package state keeps the snapshots of a conversation: its messages, the state it shares with the agent, and what its
// runs left.
//
// A [Store] takes one event at a time, in order and whole, as agui.Pipeline gives them, and does to the snapshots what
// section 7 of the protocol says. It records what changed in a [Changes]: resolved paths and values, or where a value
// stands inside the event, so that whoever keeps a copy (a page's mirror) can follow at the cost of the change, without
// knowing the protocol.
//
//	event -> Store.Apply -> Changes -> the mirror
//
// The rooms:
//
//   - [Document] is a JSON value kept as the text that it came as. A patch (RFC 6902) opens only the levels on its way;
//     the rest goes back to the agent byte for byte. It is the state, and an activity's content.
//   - [Text] is a string that grows without being copied: message text, tool arguments.
//   - [Complete] is the best parse of tool arguments that are still coming.
//   - [Store.Snapshot] and [Document.Snapshot] are views of a moment. Taking one is free; the first change after it
//     copies what it touches.
//
// Where one id of the wire names two messages, the page sees two ids and the agent one: see [Message.ID] and
// [Message.WireID].
//
// Patches are decoded and validated by github.com/evanphx/json-patch and applied here, for it would read and write the
// whole document each time. Where it is not RFC 6902 (negative indices, a test of what is missing against null,
// documents that are scalars), the RFC holds.
//
// Nothing here is safe for concurrent use, and nothing panics on any input. Raw JSON that is handed in was checked
// before, but where a function says that it checks.
package state
