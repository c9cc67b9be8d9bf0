"use strict";

import { AGUIError } from "./error.js";

/**
 * What a browser must have (the versions that do are in web/docs/hosting.md). Asked before the first use, so that an
 * older browser is told by its lack and not by whatever fails first. What is only used where it is there is not in
 * these lists, nor what the script needs to begin at all (TextEncoder, AbortController): browsers have had it for
 * longer than the syntax.
 */

/** The smallest module with what Go's compiler uses: bulk memory, saturating conversions, sign extension. */
const MODULE = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 5, 3, 1, 0, 1,
  10, 26, 1, 24, 0, 0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 10, 0, 0, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 2, 0xc0, 11];

/** @typedef {[name: string, there: () => unknown][]} Needs what, and whether it is there */

/** @type {Needs} */
const RUNTIME = [
  ["WebAssembly", () => typeof WebAssembly === "object"],
  ["WebAssembly's bulk memory operations", () => WebAssembly.validate(new Uint8Array(MODULE))],
  ["BigInt", () => typeof BigInt === "function"],
  ["Object.hasOwn", () => Object.hasOwn],
  ["Array.prototype.at", () => Array.prototype.at],
  ["String.prototype.replaceAll", () => String.prototype.replaceAll],
  ["ReadableStream", () => typeof ReadableStream === "function"],
  ["Headers", () => typeof Headers === "function"],
  ["crypto.getRandomValues", () => globalThis.crypto?.getRandomValues],
];

/**
 * @param {Needs} needs
 * @param {string} what needs them
 * @param {{url?: string}} [fields]
 */
export function ask(needs, what, fields) {
  const missing = [];
  for (const [name, there] of needs) {
    let has;
    try {
      has = there();
    } catch {
      has = false; // it hangs on something that is missing itself
    }
    if (!has) missing.push(name);
  }
  if (missing.length > 0) {
    throw new AGUIError("load_failed", `This browser is too old for ${what}: it has no ${missing.join(", no ")}.`,
      fields);
  }
}

/** Throws load_failed where this browser cannot run agui.wasm. @param {{url?: string}} fields */
export const needsOfRuntime = (fields) => ask(RUNTIME, "agui.wasm", fields);
