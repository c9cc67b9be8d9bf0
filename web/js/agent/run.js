"use strict";

import { alive } from "./internals.js";
import { checkParameters } from "./config.js";
import { guarded } from "../core/error.js";
import { uuid } from "../core/ids.js";

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */

/**
 * What a run takes from runAgent's caller, its kinds checked.
 * @typedef {object} Params
 * @property {string} [runId]
 * @property {string} [parentRunId]
 * @property {any[]} [tools] may have handlers
 * @property {any[]} [context]
 * @property {any} [forwardedProps]
 * @property {any[]} [resume]
 * @property {boolean} [said] a person goes on with new words
 * @property {Join} [join] reads what runs instead of starting a run
 */

/**
 * What of a thread is joined.
 * @typedef {object} Join
 * @property {(input: any) => any} [source] a subclass's connect(), which gives the events
 */

/** @typedef {"success" | "interrupt" | "cancelled" | "aborted" | undefined} Outcome */
/** @typedef {{outcome: Outcome, result?: any, calls: import("./tools.js").Call[]}} End */

/** One runAgent, as the page's calls meet it. Its requests are made in follow.js. */
export class AgentRun {
  aborted = false;
  #stop = () => {};
  /** Resolves when it is aborted. @type {Promise<undefined>} */
  #stopped = new Promise((resolve) => {
    this.#stop = () => resolve(undefined);
  });
  controller;
  /** Settles as runAgent's promise does. @type {Promise<any>} */
  done = Promise.resolve();
  agent;
  /** @type {AgentInternals} */
  internals;
  subscriber;
  #own;
  /** The request at hand. @type {import("./round.js").Round | null} */
  round = null;
  /**
   * Answers that persons gave since the request: their tool messages, and whether a run is to follow.
   * @type {{message: any, run: boolean}[]}
   */
  given = [];
  /** The calls whose answers by persons ask for a run. @type {string[]} */
  asked = [];
  threadId;

  /**
   * @param {any} agent
   * @param {AgentInternals} internals
   * @param {any[]} tools
   * @param {any} subscriber
   * @param {AbortController} controller
   */
  constructor(agent, internals, tools, subscriber, controller) {
    this.agent = agent;
    this.internals = internals;
    this.#own = tools;
    this.subscriber = subscriber;
    this.controller = controller;
    this.threadId = agent.threadId;
  }

  /** The terminal event has come, and nothing behind it: the response is about to end. */
  get ending() {
    return this.round?.ending === true;
  }

  /** The request that stops it on the server, where that can be stopped. */
  get stopping() {
    return this.round?.stopping ?? null;
  }

  /** Resolves when it is over: the next request waits for the end of this one's response. */
  async over() {
    await this.done.catch(() => {});
  }

  /** The tools as they are now: of two with one name the run's own counts. */
  get tools() {
    const own = new Set(this.#own.map((tool) => tool.name));
    return [...this.internals.tools.filter((tool) => !own.has(tool.name)), ...this.#own];
  }

  /**
   * Takes what persons answered since the request.
   * @param {number} standing how many of the answers stand
   */
  taken(standing) {
    if (standing > 0) this.asked.push(...this.given.filter(({ run }) => run).map(({ message }) => message.toolCallId));
    this.given = [];
  }

  /**
   * Whether another run follows from the answers.
   * @param {boolean} handlers whether handlers have answered
   * @param {any[]} tools
   */
  follows(handlers, tools) {
    const { instance } = this.internals.conversation;
    return (handlers || this.asked.length > 0) && instance !== null &&
      this.internals.follows(instance, handlers, this.asked, tools);
  }

  /**
   * @param {Params} params
   * @param {(() => any[]) | undefined} [first] gives calls to answer before the first request
   * @returns {Promise<{result: any, newMessages: any[], outcome: Outcome} | null>}
   */
  async go(params, first) {
    const { internals } = this;
    const { signal } = this.controller;
    const onAbort = () => this.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) this.abort();
    try {
      if (internals.kept) await Promise.race([internals.kept.then((keeper) => keeper?.fresh()), this.#stopped]);
      // What makes the requests comes with the WebAssembly, which a run waits for as well.
      const part = internals.runtime.parts.get("agent") ?? await Promise.race([internals.part(), this.#stopped]);
      return part ? await part.follow(this, params, first) : { result: undefined, newMessages: [], outcome: "aborted" };
    } finally {
      signal.removeEventListener("abort", onAbort);
      internals.leave(this);
    }
  }

  /** Ends it now: the request is aborted, what came is kept, and another run may begin at once. */
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    this.#stop();
    guarded(() => this.controller.abort(), undefined);
    this.round?.abort();
    this.internals.leave(this);
  }
}

/**
 * Begins a runAgent.
 * @param {any} agent
 * @param {any} parameters
 * @param {any} subscriber
 * @param {() => any[]} [first] gives calls to answer before the first request
 * @param {Join} [join]
 * @returns {Promise<any>}
 */
export async function startRun(agent, parameters, subscriber, first, join) {
  const internals = alive(agent);
  const { said } = internals;
  internals.said = false;
  const { params, tools, controller } = checkParameters(parameters ?? {});
  if (subscriber !== undefined && subscriber !== null && typeof subscriber !== "object") {
    throw new TypeError("runAgent: the subscriber must be an object with hooks");
  }
  if (internals.run?.ending) await internals.run.over();
  internals.idle();
  agent.agentId ??= internals.madeId = uuid();
  internals.runtime.load();
  const run = new AgentRun(agent, internals, tools, subscriber ?? undefined, controller);
  internals.run = run;
  if ("abortController" in agent) agent.abortController = controller;
  internals.changes.mark();
  run.done = run.go({ ...params, said, join }, first);
  return run.done;
}
