"use strict";

/**
 * How a run's connection stands.
 * @typedef {object} Connection
 * @property {"idle" | "connecting" | "connected" | "reconnecting" | "lost"} state
 * @property {number} attempt attempts since the last progress
 * @property {number | null} nextAt when the next attempt is made, on performance.now()'s clock; null: not while the
 *   page is offline
 * @property {string} [reason]
 * @property {string} [code]
 */

/** @type {Connection} */
export const IDLE = Object.freeze({ state: "idle", attempt: 0, nextAt: null });
