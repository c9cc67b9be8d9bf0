"use strict";

import { debugConfig } from "./debug.js";
import { checkTools } from "./tools.js";
import { copy, kindOf } from "../api/input.js";
import { checkSignal } from "../api/observable.js";

/**
 * What the constructor and runAgent are given, checked: the wrong kind of a thing is a TypeError at the call.
 */

/** Config members that are options of the run's request. */
const OPTIONS = ["credentials", "requestInit", "verify", "maxEventBytes", "keepRaw", "accept", "idleTimeoutMs",
  "onWarning", "reconnect"];

/**
 * Config members that are one of some words.
 * @type {["whileRunning" | "resumeRunId" | "unanswered", string[]][]}
 */
const CHOICES = [["whileRunning", ["refuse", "queue", "interrupt"]], ["resumeRunId", ["new", "same"]],
  ["unanswered", ["keep", "close"]]];

/**
 * @param {import("./internals.js").AgentInternals} internals
 * @param {any} config
 */
export function configure(internals, config) {
  internals.debug = debugConfig(config.debug);
  internals.tools = checkTools(config.tools);
  internals.onInterrupt = aFunction(config.onInterrupt, "onInterrupt");
  internals.onPendingTool = aFunction(config.onPendingTool, "onPendingTool");
  if (config.maxToolRounds !== undefined && config.maxToolRounds !== null) {
    internals.maxToolRounds = checkRounds(config.maxToolRounds);
  }
  if (config.keepRuns !== undefined && config.keepRuns !== null) {
    internals.conversation.keepRuns = checkKept(config.keepRuns);
  }
  for (const [name] of CHOICES) internals[name] = choice(name, config[name]) ?? internals[name];
  if (config.history !== undefined && config.history !== null) {
    internals.conversation.history = checkHistory(config.history);
  }
  internals.options = optionsOf(config);
}

/** @param {any} config */
export function optionsOf(config) {
  return Object.fromEntries(OPTIONS.filter((name) => config[name] !== undefined && config[name] !== null)
    .map((name) => [name, config[name]]));
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {string | undefined}
 */
export function text(value, name) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new TypeError(`${name} must be a string, not ${kindOf(value)}`);
  return value;
}

/**
 * @param {any} f
 * @param {string} name
 * @returns {Function | undefined}
 */
export function aFunction(f, name) {
  if (f === undefined || f === null) return undefined;
  if (typeof f !== "function") throw new TypeError(`${name} must be a function, not ${kindOf(f)}`);
  return f;
}

/**
 * @param {string} name
 * @param {any} value
 */
export function choice(name, value) {
  const [, values] = /** @type {[string, string[]]} */ (CHOICES.find(([each]) => each === name));
  if (value === undefined || value === null) return undefined;
  if (!values.includes(value)) {
    throw new TypeError(`${name} must be ${values.map((each) => JSON.stringify(each)).join(" or ")}`);
  }
  return value;
}

/** @param {any} where @returns {any} */
export function checkPersist(where) {
  if (!where || where === "session" || where === "local" || (where.load && where.save && where.remove)) return where;
  throw new TypeError('persist must be "session", "local" or a store');
}

/**
 * The thread that was kept last.
 * @param {any} where
 * @param {string | null} pointer under which name it is remembered
 * @returns {string | null}
 */
export function latest(where, pointer) {
  try {
    return pointer && /** @type {any} */ (globalThis)[`${where}Storage`].getItem(pointer);
  } catch {
    return null; // the browser forbids it
  }
}

/** @param {any} history */
export function checkHistory(history) {
  if (history !== "full" && history !== "new") throw new TypeError('history must be "full" or "new"');
  return history;
}

/** @param {any} rounds */
export function checkRounds(rounds) {
  if (!Number.isInteger(rounds) || rounds < 0) throw new TypeError("maxToolRounds must be a whole number from 0");
  return rounds;
}

/** @param {any} count */
export function checkKept(count) {
  if (!Number.isSafeInteger(count) || count < 0) throw new TypeError("keepRuns must be a whole number from 0");
  return count;
}

/**
 * Checks what runAgent was given and copies it.
 * @param {any} given
 * @returns {{params: import("./run.js").Params, tools: any[], controller: AbortController}}
 */
export function checkParameters(given) {
  if (typeof given !== "object") {
    throw new TypeError(`runAgent: the parameters must be an object, not ${kindOf(given)}`);
  }
  const { runId, parentRunId, context, forwardedProps, resume, abortController } = given;
  for (const [name, list] of Object.entries({ context, resume })) {
    if (list !== undefined && list !== null && !Array.isArray(list)) {
      throw new TypeError(`runAgent: ${name} must be an array, not ${kindOf(list)}`);
    }
  }
  if (abortController !== undefined && abortController !== null) {
    if (typeof abortController.abort !== "function") {
      throw new TypeError(`runAgent: abortController must be an AbortController, not ${kindOf(abortController)}`);
    }
    checkSignal(abortController.signal, "runAgent: abortController.signal");
  }
  const params = copy({
    runId: text(runId, "runAgent: runId") || undefined,
    parentRunId: text(parentRunId, "runAgent: parentRunId"),
    context: context ?? undefined, forwardedProps: forwardedProps ?? undefined, resume: resume ?? undefined,
  }, "runAgent: the parameters");
  return { params, tools: checkTools(given.tools), controller: abortController ?? new AbortController() };
}
