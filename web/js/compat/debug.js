"use strict";

/** @typedef {{enabled: boolean, events: boolean, lifecycle: boolean, verbose: boolean}} Config */

/**
 * Spells out a debug option: `true` is everything; an object is brief unless it says verbose.
 * @param {any} debug
 * @returns {Config}
 */
export function resolveAgentDebugConfig(debug) {
  const all = debug === true;
  const { events = Boolean(debug), lifecycle = Boolean(debug), verbose = all } = Object(debug);
  return { enabled: Boolean(events || lifecycle), events, lifecycle, verbose };
}

/** Writes lines about events and about the life of a run to console.debug, as its config says. */
export class DebugLogger {
  #config;

  /** @param {Config} config */
  constructor(config) {
    this.#config = config;
  }

  get enabled() {
    return this.#config.enabled;
  }

  get eventsEnabled() {
    return this.#config.events;
  }

  get verbose() {
    return this.#config.verbose;
  }

  get lifecycleEnabled() {
    return this.#config.lifecycle;
  }

  /**
   * @param {string} stage
   * @param {string} label
   * @param {unknown} data what a verbose logger writes
   * @param {unknown} [summary] what any other writes; the data where it is absent
   */
  event(stage, label, data, summary) {
    if (!this.eventsEnabled) return;
    const whole = typeof data === "string" ? data : JSON.stringify(data);
    console.debug(`[${stage}] ${label}`, this.#config.verbose ? whole : summary ?? data);
  }

  /**
   * @param {string} stage
   * @param {string} label
   * @param {unknown} [data]
   */
  lifecycle(stage, label, data) {
    if (this.lifecycleEnabled) console.debug(`[${stage}] ${label}`, ...(data ? [data] : []));
  }
}

/** @param {Config} config @returns {DebugLogger | undefined} undefined: nothing is to be logged */
export function createDebugLogger(config) {
  return config.enabled ? new DebugLogger(config) : undefined;
}

/** @param {unknown} given a logger, or true for one that logs everything @returns {DebugLogger | undefined} */
export function resolveDebugLogger(given) {
  return given instanceof DebugLogger ? given : given === true ? new DebugLogger(resolveAgentDebugConfig(true))
    : undefined;
}
