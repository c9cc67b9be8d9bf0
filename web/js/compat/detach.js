"use strict";

// What detachActiveRun leaves goes on: the request is read to its end, as servers stop a run whose client is gone.

import { inside } from "../agent/internals.js";
import { tapped } from "./stages.js";

/** The runs that were left. @type {WeakSet<object>} */
const left = new WeakSet();
/** What is wrapped already. @type {WeakSet<Function>} */
const wrapped = new WeakSet();

/**
 * Makes the requests of an agent's runs such as can be left.
 * @param {any} agent
 */
export function leavable(agent) {
  const internals = inside(agent);
  const describe = internals.request;
  if (wrapped.has(describe)) return;
  internals.request = async (input) => {
    const options = await describe(input);
    return options.url === undefined ? options : { ...options, fetch: sending(internals, options.fetch) };
  };
  wrapped.add(internals.request);
}

/** Leaves the run under way. @param {any} agent */
export function leave(agent) {
  const { run } = inside(agent);
  if (run) left.add(run);
}

/**
 * @param {import("../agent/internals.js").AgentInternals} internals
 * @param {Function} [send]
 */
function sending(internals, send) {
  const run = /** @type {any} */ (internals.run);
  return async (/** @type {string} */ url, /** @type {any} */ init) => {
    const own = new AbortController();
    const { signal } = init;
    const abort = () => {
      if (!left.has(run)) own.abort(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const response = await (send ?? globalThis.fetch)(url, { ...init, signal: own.signal });
    const body = response?.body;
    if (typeof body?.getReader !== "function") return response;
    const seen = tapped(internals, response);
    const getReader = () => {
      const reader = body.getReader();
      const read = seen ? async () => {
        const result = await reader.read();
        seen(result);
        return result;
      } : () => reader.read();
      const cancel = (/** @type {unknown} */ reason) => (left.has(run) ? drained(reader) : reader.cancel(reason));
      return { read, cancel };
    };
    return Object.defineProperty(response, "body", { value: { getReader }, configurable: true });
  };
}

/** @param {any} reader */
async function drained(reader) {
  while (!(await reader.read()).done);
}
