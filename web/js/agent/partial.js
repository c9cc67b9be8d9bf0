"use strict";

/** @typedef {import("../core/instance.js").Instance} Instance */

/**
 * Reads unfinished tool arguments as far as they go; {} where they are not yet an object. Go reads them
 * (state.Complete), the whole text each time, so it is asked only where somebody looks.
 * @param {Instance | null} instance null: there is no program to ask
 * @param {string} text
 * @returns {Record<string, any>}
 */
export function partialObject(instance, text) {
  const answer = instance?.call("thread", "complete", 0, JSON.stringify({ text }));
  return typeof answer === "string" ? JSON.parse(answer).value ?? {} : {};
}
