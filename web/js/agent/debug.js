"use strict";

/**
 * @typedef {object} DebugConfig
 * @property {boolean} enabled
 * @property {boolean} events
 * @property {boolean} lifecycle
 * @property {boolean} verbose
 * @property {any} [logger] one of the page's, which writes what there is (compat/debug.js)
 * @property {(event: any) => void} [stages] writes what became of an event before it is applied (compat/stages.js)
 */

/**
 * Spells out a debug option. `true` is everything; an object leaves out what it sets to false, and is brief unless it
 * says verbose.
 * @param {any} debug
 * @returns {DebugConfig}
 */
export function debugConfig(debug) {
  if (!debug) return { enabled: false, events: false, lifecycle: false, verbose: false };
  if (debug === true) return { enabled: true, events: true, lifecycle: true, verbose: true };
  const events = debug.events ?? true;
  const lifecycle = debug.lifecycle ?? true;
  return { enabled: Boolean(events || lifecycle), events, lifecycle, verbose: debug.verbose ?? false };
}
