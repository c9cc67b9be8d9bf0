"use strict";

/**
 * The protected points of a run that a subclass overrides (compat/points.js); null: it does not.
 * @typedef {object} Points
 * @property {((parameters: any) => {parameters: any, members: any}) | null} prepare what it changed of the input:
 *   parameters of the run, and other members; undefined: taken out
 * @property {((input: any, subscribers: readonly any[]) => Promise<void>) | null} initialize
 * @property {((input: any, error: any, subscribers: readonly any[]) => Promise<void>) | null} fail rejects with what
 *   the run ends with; resolves where that is nothing
 * @property {((input: any, subscribers: readonly any[]) => Promise<void>) | null} finalize
 * @property {((input: any, subscribers: readonly any[]) => Application) | null} apply
 */

/**
 * Events go in; end waits for what they change.
 * @typedef {{event: (event: any) => void, end: () => Promise<void>}} Application
 */

/** Inputs that say otherwise than Go, which is what is sent then. @type {WeakSet<object>} */
export const changed = new WeakSet();

/** @param {any} agent @param {import("./internals.js").AgentInternals} internals @returns {Points | null} */
export function pointsOf(agent, internals) {
  return internals.runtime.parts.get("compat")?.pointsOf(agent) ?? null;
}

/**
 * Makes an input what an override of prepareRunAgentInput made of it.
 * @param {any} input
 * @param {Record<string, any>} members
 */
export function change(input, members) {
  for (const name of Object.keys(members)) {
    changed.add(input);
    if (members[name] === undefined) delete input[name];
    else input[name] = members[name];
  }
}
