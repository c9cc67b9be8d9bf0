"use strict";

// The entry of agui.mjs: the names of `agui` as exports.

import { call } from "../core/dom.js";
import { shared } from "./api.js";

/** The files beside this one: this very form lets bundlers find each. @type {Record<string, () => URL>} */
const FILES = {
  wasm: () => new URL("agui.wasm", import.meta.url),
  agent: () => new URL("agui.agent.js", import.meta.url),
  line: () => new URL("agui.line.js", import.meta.url),
  replay: () => new URL("agui.replay.js", import.meta.url),
  persist: () => new URL("agui.persist.js", import.meta.url),
  webmcp: () => new URL("agui.webmcp.js", import.meta.url),
  layout: () => new URL("agui.layout.js", import.meta.url),
  around: () => new URL("agui.around.js", import.meta.url),
  element: () => new URL("agui.element.js", import.meta.url),
  versions: () => new URL("agui.versions.js", import.meta.url),
  chat: () => new URL("agui.chat.js", import.meta.url),
};

/** @param {string} name */
function beside(name) {
  try {
    return FILES[name]().href;
  } catch {
    return undefined;
  }
}

const { runtime, api } = shared({
  wasmUrl: beside("wasm"),
  partUrl: beside,
  // A module cannot see its own tag: the page's nonce is that of any script that has one.
  get nonce() {
    return globalThis.document && call(document, "querySelector", "script[nonce]")?.nonce;
  },
  crossOrigin: "anonymous",
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
