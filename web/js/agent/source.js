"use strict";

import { called } from "./internals.js";

/**
 * Where a run's events come from, if that is not the default transport's request: middleware, or a subclass's run().
 */

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */
/** @typedef {import("./middleware.js").Next} Next */

/**
 * Gives the function that makes a run's events, if the default transport's request does not.
 * @param {AgentInternals} internals
 * @param {any} agent
 * @returns {((input: any) => any) | null}
 */
export function sourceOf(internals, agent) {
  if (internals.middlewares.length === 0 && agent.run === internals.transport) return null;
  const own = { run: (/** @type {any} */ input) => called(agent, "run", () => agent.run(input)) };
  const first = internals.middlewares.length > 0 ? chain(agent, [...internals.middlewares]) : own;
  return (input) => first.run(input);
}

/**
 * The chain of middlewares before an agent.
 * @param {any} agent
 * @param {readonly any[]} middlewares
 * @returns {Next}
 */
function chain(agent, middlewares) {
  return middlewares.reduceRight((next, middleware) => ({
    run: (/** @type {any} */ input) => middleware.run(input, next),
    get messages() {
      return next.messages;
    },
    get state() {
      return next.state;
    },
  }), agent);
}
