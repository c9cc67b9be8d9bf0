"use strict";

/**
 * @typedef {object} DebugConfig
 * @property {boolean} enabled
 * @property {boolean} events
 * @property {boolean} lifecycle
 * @property {boolean} verbose
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

/**
 * Writes what happens to one event.
 * @param {DebugConfig} config
 * @param {string} label
 * @param {any} event
 * @param {object} summary
 */
export function logEvent(config, label, event, summary) {
  if (!config.events) return;
  console.debug(`[APPLY] ${label}`, config.verbose ? JSON.stringify(event) : { type: event.type, ...summary });
}

/**
 * Writes what happens to a run.
 * @param {DebugConfig} config
 * @param {string} label
 * @param {object} details
 */
export function logLife(config, label, details) {
  if (config.lifecycle) console.debug(`[LIFECYCLE] ${label}`, details);
}
