"use strict";

// What an agent of the reference has besides ours. The classes are ours, so that an agent is the same in both modules.

import { AbstractAgent, HttpAgent } from "aguiwasm";
import { inside } from "../agent/internals.js";
import { createDebugLogger, resolveDebugLogger } from "./debug.js";
import { settle } from "./messages.js";
import { leavable, leave } from "./detach.js";
import { downgrades, Versionless } from "./downgrade.js";
import { staged } from "./stages.js";

/** The newest release of the reference whose agents need nothing translated. */
const NEWEST = "1.0.0";

/** The agents that code besides the run said to be running. @type {WeakSet<object>} */
const said = new WeakSet();
/** The loggers that agents were given. @type {WeakMap<object, any>} */
const loggers = new WeakMap();
/** The agents whose ceiling is being asked for. @type {WeakSet<object>} */
const asking = new WeakSet();

/** @type {any} */
const prototype = AbstractAgent.prototype;

/**
 * Finds what a subclass says that its agent speaks at most.
 * @param {any} agent
 * @param {string} asked the name by which it was asked for
 * @returns {string}
 */
function ceiling(agent, asked) {
  if (asking.has(agent)) return NEWEST;
  const owner = (/** @type {string} */ name) => {
    for (let at = agent; at && at !== prototype; at = Object.getPrototypeOf(at)) {
      if (Object.hasOwn(at, name)) return true;
    }
    return false;
  };
  const other = asked === "maxVersion" ? "maxProtocolVersion" : "maxVersion";
  if (owner(asked) || !owner(other)) return NEWEST; // by super
  asking.add(agent);
  try {
    return agent[other];
  } finally {
    asking.delete(agent);
  }
}

/** @param {any} agent */
function lower(agent) {
  const { middlewares } = inside(agent);
  if (middlewares.some((each) => each instanceof Versionless)) return;
  middlewares.unshift(...downgrades(agent.maxProtocolVersion));
}

/** @param {any} response */
async function json(response) {
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
  return response.json();
}

/** @type {Record<string, PropertyDescriptor & ThisType<any>>} */
const members = {
  isRunning: {
    get() {
      return inside(this).run !== null || said.has(this);
    },
    // A run of somebody else's making says so itself.
    set(running) {
      if (running) said.add(this);
      else said.delete(this);
      inside(this).changes.mark();
    },
  },
  debugLogger: {
    get() {
      const { debug } = inside(this);
      if (!loggers.has(debug)) loggers.set(debug, createDebugLogger(debug));
      return loggers.get(debug);
    },
    set(given) {
      const logger = resolveDebugLogger(given);
      const debug = {
        enabled: logger?.enabled ?? false, events: logger?.eventsEnabled ?? false,
        lifecycle: logger?.lifecycleEnabled ?? false, verbose: logger?.verbose ?? false,
      };
      inside(this).debug = Object.defineProperty(debug, "logger", { value: logger });
      loggers.set(debug, logger);
    },
  },
  maxProtocolVersion: {
    get() {
      return ceiling(this, "maxProtocolVersion");
    },
  },
  maxVersion: {
    get() {
      return ceiling(this, "maxVersion");
    },
  },
  /** Leaves a run that code besides ours made, as it asks to be left. */
  detachActiveRun: {
    value: detaching(prototype.detachActiveRun),
    writable: true,
  },
  /** Drops the connection, as in agui.mjs. */
  detach: { value: prototype.detachActiveRun, writable: true },
  runAgent: { value: running(prototype.runAgent), writable: true },
  addMessage: { value: settled(prototype.addMessage), writable: true },
  addMessages: { value: settled(prototype.addMessages), writable: true },
  clone: { value: settled(prototype.clone), writable: true },
  connectAgent: { value: running(prototype.connectAgent), writable: true },
};

/** @param {Function} own */
function running(own) {
  return /** @this {any} @param {any[]} args */ async function (...args) {
    lower(this);
    leavable(this);
    staged(this);
    settle(this);
    try {
      return await own.apply(this, args);
    } finally {
      said.delete(this);
    }
  };
}

/** @param {Function} own */
function settled(own) {
  return /** @this {any} @param {any[]} args */ function (...args) {
    settle(this);
    return own.apply(this, args);
  };
}

/** @param {Function} own */
function detaching(own) {
  return /** @this {any} */ async function () {
    const { activeRunDetach$: detach, activeRunCompletionPromise: over } = this;
    if (inside(this).run === null && detach) {
      detach.next();
      detach.complete();
      await over;
      return;
    }
    leave(this);
    await own.call(this);
  };
}

for (const name of Object.keys(members)) {
  Object.defineProperty(prototype, name, { configurable: true, ...members[name] });
}

Object.defineProperty(HttpAgent.prototype, "getCapabilities", {
  configurable: true,
  writable: true,
  /**
   * Asks the server what its agent can do: GET of the agent's address with /capabilities behind it, or of a CopilotKit
   * runtime's /info. Rejects where the server does not say it.
   * @this {any}
   */
  async value() {
    const whole = new URL(this.url, globalThis.document?.baseURI ?? globalThis.location?.href);
    const { pathname, search } = whole;
    const at = (/** @type {string} */ path) => new URL(path + search, whole).href;
    const { headers, fetch: custom, credentials } = await inside(this).request({});
    const sent = new Headers(headers);
    sent.delete("content-type");
    sent.set("accept", "application/json");
    const init = { method: "GET", credentials, headers: sent };
    const get = (/** @type {string} */ url) => (custom ?? globalThis.fetch)(url, init).then(json);
    const runtime = /^(.*)\/agent\/([^/]+)\/run$/.exec(pathname);
    if (!runtime) return get(at(`${pathname.replace(/\/$/, "")}/capabilities`));
    const { agents } = await get(at(`${runtime[1]}/info`));
    return agents?.[decodeURIComponent(runtime[2])]?.capabilities ?? {};
  },
});
