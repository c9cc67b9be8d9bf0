"use strict";

// The entry of the part "agent": what the runs of an agent need, what people decide, and files. It comes
// while the WebAssembly does.

export { filePart } from "./blobs.js";
export { approve, dismiss, runPending } from "./decisions.js";
export { follow } from "./follow.js";
export { describe, stop } from "./transport.js";
