"use strict";

// What agui.js shares with its parts (parts.js): a part is built without these modules and gets these very names from the
// running script, so that there is one AGUIError and one queue on a page. What a part needs more of is named here. Only
// lists of names: the build reads them.

export { call, member } from "./dom.js";
export { AGUIError, because, guarded, isOurs, report, say } from "./error.js";
export { ask } from "./needs.js";
export { partialObject } from "../agent/partial.js";
export { renders } from "../agent/inner.js";
