"use strict";

/** @typedef {import("./debug.js").DebugConfig} DebugConfig */

/**
 * Writes what happens to one event.
 * @param {DebugConfig} config
 * @param {string} label
 * @param {any} event
 * @param {object} summary
 */
export function logEvent(config, label, event, summary) {
  if (!config.events) return;
  if (config.logger) {
    config.stages?.(event);
    return config.logger.event("APPLY", label, event, { type: event.type, ...summary });
  }
  console.debug(`[APPLY] ${label}`, config.verbose ? JSON.stringify(event) : { type: event.type, ...summary });
}

/**
 * Writes what happens to a run.
 * @param {DebugConfig} config
 * @param {string} label
 * @param {object} details
 */
export function logLife(config, label, details) {
  if (config.logger) config.logger.lifecycle("LIFECYCLE", label, details);
  else if (config.enabled && config.lifecycle) console.debug(`[LIFECYCLE] ${label}`, details);
}
