"use strict";

// The entry of agui.node.mjs: agui.mjs for Node.js, whose fetch reads no files. The WebAssembly is read from the disk.

import { readFile } from "node:fs/promises";
import { shared } from "./api.js";
import { because } from "../core/error.js";

/**
 * A file as a response, so that one way of compiling serves both.
 * @param {string} url
 */
async function disk(url) {
  const bytes = await readFile(new URL(url)).catch((thrown) => {
    throw because(thrown, "load_failed", `${url} could not be read`, { url });
  });
  return new Response(bytes, { headers: { "content-type": "application/wasm" } });
}

const { runtime, api } = shared({
  wasmUrl: new URL("agui.wasm", import.meta.url).href,
  explicit: true,
  partUrl: (name) => new URL(`agui.${name}.js`, import.meta.url).href,
  disk,
});

export const {
  version, protocolVersion, configure, run, mount, replay, forgetAll, isKnownEvent, AGUIError,
  AGUIConnectNotImplementedError, Observable, debug,
  HttpAgent, AbstractAgent, Middleware, FunctionMiddleware,
} = api;
export let ready = runtime.promise;
runtime.watch((renewed) => {
  ready = renewed;
});
export default api;
