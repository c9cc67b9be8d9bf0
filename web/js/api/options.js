"use strict";

import { member } from "../core/dom.js";
import { because, guarded } from "../core/error.js";
import { kindOf } from "./input.js";
import { checkSignal } from "./observable.js";

/** @typedef {import("../agui.d.ts").RunOptions} RunOptions */
/** @typedef {import("../agui.d.ts").Configuration} Configuration */
/** @typedef {import("../agui.d.ts").Warning} Warning */

/** @type {(value: any, name: string) => void} */
const aFunction = (value, name) => {
  if (typeof value !== "function") throw wrong(name, "a function", value);
};

/** @type {(value: any, name: string) => void} */
const aCount = (value, name) => {
  if (typeof value !== "number" || !(value > 0)) throw wrong(name, "a number greater than 0", value);
};

/**
 * @param {string} name
 * @param {string} right
 * @param {unknown} value
 */
function wrong(name, right, value) {
  const said = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : kindOf(value);
  return new TypeError(`${name} must be ${right}, not ${said}`);
}

/** How servers let a client come back to a run (state/rejoin). */
const DIALECTS = ["sse-id", "tanstack", "agno", "copilotkit", "hydrate"];

/**
 * What kind each option must be. Absent, undefined and null are the same: the default.
 * @type {Record<string, (value: any, name: string) => void>}
 */
const CHECKS = {
  url: (value, name) => void address(value, name),
  headers: (value, name) => {
    if (typeof value === "function") return;
    if (typeof value !== "object") throw wrong(name, "an object or a function", value);
    try {
      pairs(value);
    } catch (thrown) {
      throw new TypeError(`${name}: ${/** @type {Error} */ (thrown).message}`);
    }
  },
  credentials: (value, name) => {
    if (value !== "omit" && value !== "same-origin" && value !== "include") {
      throw wrong(name, '"omit", "same-origin" or "include"', value);
    }
  },
  requestInit: (value, name) => {
    if (typeof value !== "object" || Array.isArray(value)) throw wrong(name, "an object", value);
    if (value.headers) CHECKS.headers(value.headers, `${name}.headers`);
    if (value.signal) checkSignal(value.signal, `${name}.signal`);
  },
  fetch: aFunction,
  signal: checkSignal,
  verify: (value, name) => {
    if (value !== "lenient" && value !== "strict") throw wrong(name, '"lenient" or "strict"', value);
  },
  maxEventBytes: aCount,
  keepRaw: (value, name) => {
    if (typeof value !== "boolean") throw wrong(name, "true or false", value);
  },
  accept: (value, name) => {
    if (value !== "sse" && value !== "proto") throw wrong(name, '"sse" or "proto"', value);
  },
  idleTimeoutMs: aCount,
  onWarning: aFunction,
  reconnect: (value, name) => {
    if (value === false || DIALECTS.includes(value)) return;
    if (typeof value !== "object" || typeof value.attach !== "function") {
      throw wrong(name,
        `false, ${DIALECTS.map((each) => JSON.stringify(each)).join(", ")} or an adapter with a function attach`,
        value);
    }
  },
  onConnectionChanged: aFunction,
  wasmUrl: (value, name) => void address(value, name),
  partsUrl: (value, name) => void address(value, name),
  wasmModule: (value, name) => {
    if (typeof value !== "object") throw wrong(name, "a WebAssembly.Module", value);
  },
  wasmIntegrity: (value, name) => {
    if (typeof value !== "string") throw wrong(name, "a string", value);
  },
};

export const RUN_OPTIONS = ["url", "headers", "credentials", "requestInit", "fetch", "signal", "verify",
  "maxEventBytes", "keepRaw", "accept", "idleTimeoutMs", "onWarning", "reconnect", "onConnectionChanged"];
export const CONFIGURATION = ["url", "headers", "credentials", "requestInit", "fetch", "keepRaw", "accept", "onWarning",
  "wasmUrl", "wasmModule", "wasmIntegrity", "partsUrl"];

/**
 * Checks options and copies them. Throws a TypeError that names the option.
 * @param {any} options
 * @param {string[]} names
 * @param {string} caller
 * @returns {Record<string, any>}
 */
export function checkOptions(options, names, caller) {
  /** @type {Record<string, any>} */
  const taken = {};
  if (options === undefined || options === null) return taken;
  if (typeof options !== "object" || Array.isArray(options)) {
    throw wrong(`${caller}: the options`, "an object", options);
  }
  for (const name of names) {
    const value = options[name];
    if (value === undefined || value === null) continue;
    CHECKS[name](value, `${caller}: ${name}`);
    taken[name] = value;
  }
  if (taken.requestInit) {
    // The request has headers and a signal of ours; those given here serve where the options name none.
    const { headers, signal, ...rest } = taken.requestInit;
    taken.requestInit = rest;
    if (headers) taken.headers ??= headers;
    if (signal) taken.signal ??= signal;
  }
  if (taken.headers && typeof taken.headers !== "function") taken.headers = pairs(taken.headers);
  return taken;
}

/**
 * Checks a URL and gives it absolute, against the page's.
 * @param {any} value
 * @param {string} name
 * @returns {string}
 */
export function address(value, name) {
  if (typeof value !== "string" && !(typeof value === "object" && value !== null && typeof value.href === "string")) {
    throw wrong(name, "a string or a URL", value);
  }
  try {
    return new URL(String(value), base()).href;
  } catch {
    throw new TypeError(`${name} is no valid URL: ${JSON.stringify(String(value).slice(0, 200))}`);
  }
}

/** What relative URLs are relative to. */
export function base() {
  return member(globalThis.document, "baseURI") ?? globalThis.location?.href;
}

/**
 * Reads headers of any kind: a Headers object, pairs, or a plain object, whose undefined and null members are left out.
 * Throws where a name or a value is no text.
 * @param {any} headers
 * @returns {[string, string][]}
 */
export function pairs(headers) {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== "object") throw new TypeError(`headers must be an object, not ${kindOf(headers)}`);
  const list = typeof headers[Symbol.iterator] === "function" ? [...headers] : Object.entries(headers);
  /** @type {[string, string][]} */
  const result = [];
  for (const pair of list) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") {
      throw new TypeError("headers in a list must be pairs of a name and a value");
    }
    const [name, value] = pair;
    if (value === undefined || value === null) continue;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
      throw new TypeError(`The header ${name} must be a string, not ${kindOf(value)}`);
    }
    result.push([name, String(value)]);
  }
  return result;
}

/**
 * Asks for a run's headers. What goes wrong in the page's function ends that run with bad_input.
 * @param {any} headers
 * @returns {Promise<[string, string][]>}
 */
export async function resolveHeaders(headers) {
  if (typeof headers !== "function") return headers ?? [];
  let given;
  try {
    given = await headers();
  } catch (thrown) {
    throw because(thrown, "bad_input", "The headers function failed");
  }
  try {
    return pairs(given);
  } catch (thrown) {
    throw because(thrown, "bad_input", "The headers function gave no headers");
  }
}

/**
 * Makes the function that takes a run's warnings.
 * @param {((warning: Warning) => void) | undefined} onWarning
 * @returns {(warning: any) => void}
 */
export function warner(onWarning) {
  if (onWarning) return (warning) => void guarded(onWarning, undefined, warning);
  /** @type {Set<string>} */
  const told = new Set();
  return ({ code, message, event }) => {
    if (told.has(code)) return;
    told.add(code);
    console.warn(`agui: ${code}: ${message}`, ...(event === null || event === undefined ? [] : [event]));
  };
}

