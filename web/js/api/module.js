"use strict";

// The entry of agui.mjs: the names of `agui` as exports.

import { shared } from "./api.js";

/** @returns {string | undefined} */
function beside() {
  try {
    // This very form lets bundlers find the file.
    return new URL("agui.wasm", import.meta.url).href;
  } catch {
    return undefined;
  }
}

const { runtime, api } = shared({ wasmUrl: beside() });

export const {
  version, protocolVersion, configure, run, mount, isKnownEvent, AGUIError, Observable, debug,
  HttpAgent, AbstractAgent, Middleware, FunctionMiddleware,
} = api;
export let ready = runtime.promise;
runtime.watch((renewed) => {
  ready = renewed;
});
export default api;
