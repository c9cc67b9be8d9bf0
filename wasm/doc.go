// Command wasm is agui.wasm, the browser's side of the runtime: what JavaScript calls and what calls JavaScript. It
// holds no rule of the protocol; the path of an event is sse, session, agui, state and batch, all of them pure Go. See
// web/docs/architecture.md.
package main

// Version is the product's version; the build sets it, and the script checks that it is its own.
var Version = "dev"
