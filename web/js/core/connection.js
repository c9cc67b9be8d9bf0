"use strict";

import { guarded } from "./error.js";

/**
 * How a run's connection stands.
 * @typedef {object} Connection
 * @property {"idle" | "connecting" | "connected" | "reconnecting" | "lost"} state
 * @property {number} attempt attempts since the last progress
 * @property {number | null} nextAt when the next attempt is made, on performance.now()'s clock; null: not while the page is offline
 * @property {string} [reason]
 * @property {string} [code]
 */

/** @type {Connection} */
export const IDLE = Object.freeze({ state: "idle", attempt: 0, nextAt: null });

/**
 * Calls a function of a page's adapter for Go: what it throws must not go through Go's frames.
 * @param {any} object
 * @param {string} name
 * @param {unknown[]} args
 */
export function guard(object, name, ...args) {
  return guarded(() => object[name](...args), undefined);
}
