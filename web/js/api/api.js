"use strict";

import { makeAgents, watch } from "../agent/agent.js";
import { call, member } from "../core/dom.js";
import { AGUIConnectNotImplementedError, AGUIError } from "../core/error.js";
import { rest, runs } from "../core/execution.js";
import { isKnownEvent } from "./known.js";
import { kit } from "../core/kit.js";
import { live } from "../core/live.js";
import { makeMiddleware } from "../agent/middleware.js";
import { makeMount } from "./mount.js";
import { Observable } from "./observable.js";
import { makeReplay } from "./replay.js";
import { makeRun } from "./run.js";
import { Runtime } from "../core/runtime.js";

/** @typedef {import("../core/runtime.js").Origin} Origin */

/**
 * The runtimes of a page by version, under globalThis[Symbol.for("agui.runtimes")]: agui.js and agui.mjs of one
 * version, or one of them loaded twice, share a runtime; another version has its own.
 */
const REGISTRY = Symbol.for("agui.runtimes");

/**
 * Gives the page's runtime of this version and its API.
 * @param {Origin} origin
 * @returns {{runtime: Runtime, api: ReturnType<typeof makeApi>}}
 */
export function shared(origin) {
  /** @type {any} */
  const page = globalThis;
  if (!page[REGISTRY]) Object.defineProperty(page, REGISTRY, { value: new Map() });
  let entry = page[REGISTRY].get(AGUI_VERSION);
  if (entry) {
    entry.runtime.adopt(origin);
  } else {
    const runtime = new Runtime(AGUI_VERSION, origin);
    entry = { runtime, api: makeApi(runtime), kit };
    page[REGISTRY].set(AGUI_VERSION, entry);
    preload(runtime);
  }
  return entry;
}

/**
 * Loads at DOMContentLoaded, if nothing has used the runtime by then. A script that comes after it, a worker and
 * Node.js load at the first use.
 * @param {Runtime} runtime
 */
function preload(runtime) {
  const { document } = globalThis;
  if (!document || member(document, "readyState") === "complete") return;
  const load = () => runtime.load();
  call(document, "addEventListener", "DOMContentLoaded", load, { once: true });
  globalThis.addEventListener("load", load, { once: true }); // DOMContentLoaded may be over already
}

/** @param {Runtime} runtime */
function makeApi(runtime) {
  const agents = makeAgents(runtime);
  return {
    version: AGUI_VERSION,
    protocolVersion: "1.0",
    /** Asking for it begins to load. */
    get ready() {
      return runtime.ready;
    },
    /** @param {unknown} options */
    configure: (options) => runtime.configure(options),
    run: makeRun(runtime),
    mount: makeMount(runtime, agents.HttpAgent, watch),
    replay: makeReplay(runtime, agents.HttpAgent),
    ...agents,
    ...makeMiddleware(runtime),
    /** Removes every thread that `persist` kept in this browser. */
    forgetAll: () => runtime.parts.load("persist").then((part) => part.forgetAll()),
    isKnownEvent,
    AGUIError,
    AGUIConnectNotImplementedError,
    Observable,
    /** Counts what is alive: runs; timers, readers and listeners of ours; bytes of the WebAssembly memory. */
    debug: () => (rest.end(), { runs: runs.size, callbacks: live.callbacks, wasmBytes: runtime.wasmBytes }),
  };
}
