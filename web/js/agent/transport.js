"use strict";

import { changed } from "./points.js";
import { called, inside } from "./internals.js";
import { isDefault, requestHeaders } from "../core/headers.js";
import { pairs } from "../api/options.js";
import { request, settle } from "../api/run.js";

/**
 * An HttpAgent's requests.
 */

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */

/** How long a run that was stopped on the server has for its end to come, in ms. */
const STOPPED = 1000;

/**
 * Describes a request for Go.
 * @param {AgentInternals} internals
 * @param {any} agent
 * @param {any} input
 * @param {Function} native the agent's fetch, if the page gave none
 * @returns {Promise<import("../core/execution.js").Options>}
 */
export async function describe(internals, agent, input, native) {
  const { url, headers, agentId } = agent;
  /** @type {Record<string, any>} */
  const given = { ...internals.options, url };
  if (typeof headers === "function" || Object.keys(headers ?? {}).length > 0) given.headers = headers;
  if (agent.fetch && agent.fetch !== native) given.fetch = agent.fetch;
  const settings = settle(internals.runtime, given, "HttpAgent");
  if (internals.looks() || changed.has(input)) settings.fetch = customised(agent, input, settings.fetch);
  const described = await request(settings, "");
  return settings.reconnect && agentId !== internals.madeId ? { ...described, agentId } : described;
}

/**
 * Stops the run on the server, then ends it here, unless it has ended by itself by then.
 * @param {AgentInternals} internals
 * @returns {Promise<boolean>} false: the server was not asked, or did not stop it; nothing has changed
 */
export async function stop(internals) {
  const { run } = internals;
  const asked = run?.stopping;
  if (!run || !asked) return false;
  const { headers, fetch: custom, credentials } = await internals.request({});
  const init = {
    method: "POST", headers: Object.fromEntries(headers ?? []), body: asked.body, credentials, redirect: "error",
    leg: true,
  };
  const response = await (custom ?? globalThis.fetch)(asked.url, init);
  if (!response.ok || (await response.json().catch(() => null))?.stopped === false) return false;
  let late;
  await Promise.race([run.over(), new Promise((resolve) => { late = setTimeout(resolve, STOPPED); })]);
  clearTimeout(late);
  run.abort();
  return true;
}

/**
 * A fetch function that sends what a subclass's requestInit made of the request.
 * @param {any} agent
 * @param {any} input
 * @param {Function} [send]
 */
function customised(agent, input, send) {
  return (/** @type {string} */ url, /** @type {any} */ init) => {
    const own = { ...called(agent, "requestInit", () => agent.requestInit(input)) };
    if (init.leg) { // a further connection of the run: what is asked for is Go's
      own.method = init.method;
      own.body = undefined;
    }
    const headers = new Headers(init.headers);
    for (const pair of pairs(own.headers)) {
      // super.requestInit does not know what a headers function gave: its default does not replace that.
      if (isDefault(pair)) continue;
      try {
        headers.set(...pair);
      } catch {
        // Not the browser's words: they may hold the value, and that may be a secret.
        throw new TypeError(
          "requestInit gave a header whose name or value holds a character that HTTP does not allow there");
      }
    }
    // The body that Go made says the same with every number as it came, so only another one replaces it.
    const same = own.body === undefined || (own.body === JSON.stringify(input) && !changed.has(input));
    const body = same ? init.body : own.body;
    return (send ?? globalThis.fetch)(url, {
      ...init, ...own, headers: new Headers(requestHeaders([...headers], inside(agent).options.accept)), body,
      signal: init.signal,
    });
  };
}
