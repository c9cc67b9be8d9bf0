"use strict";

// The entry of the part "agent": what the runs of an agent need. It comes while the WebAssembly does.

export { follow } from "./follow.js";
export { describe, stop } from "./transport.js";
