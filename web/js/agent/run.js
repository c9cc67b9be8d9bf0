"use strict";

import { alive } from "./inner.js";
import { checkParameters } from "./config.js";
import { Round } from "./round.js";
import { answer } from "./tools.js";
import { AGUIError, guarded, report } from "../core/error.js";
import { uuid } from "../core/ids.js";

/** @typedef {import("./inner.js").Inner} Inner */

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

/**
 * One runAgent: a run, and the runs that follow from it by itself, because tools of the page answered or interrupts were
 * answered at once.
 */
export class AgentRun {
  aborted = false;
  controller;
  /** Settles as runAgent's promise does. @type {Promise<any>} */
  done = Promise.resolve();
  #agent;
  /** @type {Inner} */
  #inner;
  #subscriber;
  #tools;
  /** @type {Round | null} */
  #round = null;
  /** Answers that persons gave since the request: their tool messages, and whether a run is to follow. @type {{message: any, run: boolean}[]} */
  given = [];
  /** The calls whose answers by persons ask for a run. @type {string[]} */
  #asked = [];
  #threadId;

  /**
   * @param {any} agent
   * @param {Inner} inner
   * @param {any[]} tools
   * @param {any} subscriber
   * @param {AbortController} controller
   */
  constructor(agent, inner, tools, subscriber, controller) {
    this.#agent = agent;
    this.#inner = inner;
    this.#tools = tools;
    this.#subscriber = subscriber;
    this.controller = controller;
    this.#threadId = agent.threadId;
  }

  /** The terminal event has come, and nothing behind it: the response is about to end. */
  get ending() {
    return this.#round?.ending === true;
  }

  /** The request that stops it on the server, where that can be stopped. */
  get stopping() {
    return this.#round?.stopping ?? null;
  }

  /** Resolves when it is over: the next request waits for the end of this one's response. */
  async over() {
    await this.done.catch(() => {});
  }

  /** The tools as they are now: of two with one name the run's own counts. */
  get tools() {
    const own = new Set(this.#tools.map((tool) => tool.name));
    return [...this.#inner.tools.filter((tool) => !own.has(tool.name)), ...this.#tools];
  }

  /**
   * Takes what persons answered since the request.
   * @param {number} standing how many of the answers stand
   */
  taken(standing) {
    if (standing > 0) this.#asked.push(...this.given.filter(({ run }) => run).map(({ message }) => message.toolCallId));
    this.given = [];
  }

  /**
   * Whether another run follows from the answers.
   * @param {boolean} handlers whether handlers have answered
   * @param {any[]} tools
   */
  follows(handlers, tools) {
    const { instance } = this.#inner.conversation;
    return (handlers || this.#asked.length > 0) && instance !== null && this.#inner.follows(instance, handlers, this.#asked, tools);
  }

  /** The thread is another one now: nothing that was asked for the former one goes into it. */
  get #moved() {
    return this.aborted || this.#agent.threadId !== this.#threadId;
  }

  /**
   * Puts what handlers gave into the conversation: each call has one answer, and one whose call is gone goes nowhere.
   * @param {Promise<any[] | null>} answers
   * @returns {Promise<any[] | null>} the answers to interrupts; null: it is too late for all of them
   */
  async #place(answers) {
    const given = await answers;
    if (given === null || this.#moved) return null;
    const { messages } = this.#inner.conversation;
    const wanted = new Set(messages.flatMap((message) => message.toolCalls ?? []).map((/** @type {any} */ { id }) => id));
    for (const message of messages) if (message.role === "tool") wanted.delete(message.toolCallId);
    const place = given.filter((each) => each.interruptId === undefined && wanted.has(each.toolCallId));
    if (place.length > 0) this.#inner.place(place);
    this.taken(this.given.length);
    return given.filter((each) => each.interruptId !== undefined);
  }

  /**
   * @param {Params} params
   * @param {(() => any[]) | undefined} [first] gives calls to answer before the first request
   * @returns {Promise<{result: any, newMessages: any[], outcome: Outcome} | null>}
   */
  async go(params, first) {
    const inner = this.#inner;
    const { conversation } = inner;
    const before = new Set(conversation.messages.map((message) => message.id));
    const onAbort = () => this.abort();
    this.controller.signal.addEventListener("abort", onAbort, { once: true });
    if (this.controller.signal.aborted) this.abort();
    try {
      /** @type {Params | null} */
      let next = first ? null : params;
      /** @type {End} */
      let end = { outcome: this.aborted || !first ? "aborted" : undefined, calls: [] };
      let rounds = 0;
      if (first && !this.aborted) {
        const calls = first();
        if (calls.length === 0) return null;
        const { tools } = this;
        const answers = answer(calls, tools, { agent: this.#agent, signal: this.controller.signal, id: uuid });
        if (await this.#place(answers) && this.follows(true, tools)) next = params;
      }
      while (next !== null && !this.aborted) {
        const now = /** @type {Params} */ (next);
        next = null;
        this.#asked = [];
        const { tools } = this;
        this.#round = new Round(this.#agent, inner, this, this.#subscriber, tools, now, rounds);
        const { end: ended, answers } = await this.#round.promise;
        end = ended;
        if (this.aborted) break;
        /** @type {any[]} */
        let entries = [];
        if (answers) {
          const given = await this.#place(answers);
          if (given === null) break;
          entries = given;
        }
        if (end.outcome === "interrupt" && conversation.interrupts.length > 0) { // a hook may have kept them out
          const resume = await this.#ask(entries);
          if (resume && !this.aborted) next = { ...now, runId: undefined, parentRunId: undefined, said: undefined, join: undefined, resume };
          else inner.held = entries;
        } else if (inner.run === this && this.follows(answers !== null, tools)) {
          next = { ...now, runId: undefined, parentRunId: undefined, said: undefined, join: undefined, resume: undefined };
        }
        rounds = this.#asked.length > 0 ? 0 : rounds + 1;
      }
      return {
        result: end.result,
        newMessages: conversation.messages.filter((message) => !before.has(message.id)),
        outcome: this.aborted ? "aborted" : end.outcome,
      };
    } finally {
      this.controller.signal.removeEventListener("abort", onAbort);
      inner.leave(this);
    }
  }

  /** Ends it now: the request is aborted, what came is kept, and another run may begin at once. */
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    guarded(() => this.controller.abort(), undefined);
    this.#round?.abort();
    this.#inner.leave(this);
  }

  /**
   * Asks onInterrupt about each open interrupt that is not answered yet.
   * @param {any[]} entries answers that are there
   * @returns {Promise<any[] | null>} null: not all are answered
   */
  async #ask(entries) {
    const { conversation, onInterrupt } = this.#inner;
    const { signal } = this.controller;
    const open = conversation.interrupts.filter(({ id }) => !entries.some(({ interruptId }) => interruptId === id));
    if (open.length === 0) return entries;
    if (!onInterrupt) return null;
    let stop = () => {};
    const stopped = new Promise((resolve) => {
      stop = () => resolve(null);
      signal.addEventListener("abort", stop, { once: true });
    });
    const answers = await Promise.race([stopped, Promise.all(open.map(async (interrupt) => {
      try {
        const given = await /** @type {Function} */ (onInterrupt)(interrupt, { agent: this.#agent, signal });
        if (given === undefined || given === null) return null;
        if (typeof given !== "object" || (given.status !== "resolved" && given.status !== "cancelled")) {
          throw new TypeError('onInterrupt must give nothing, or {status: "resolved", payload} or {status: "cancelled"}');
        }
        return { ...given, interruptId: interrupt.id };
      } catch (thrown) {
        report(thrown);
        return null;
      }
    }))]);
    signal.removeEventListener("abort", stop);
    return Array.isArray(answers) && !answers.includes(null) ? [...entries, ...answers] : null;
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
  const inner = alive(agent);
  const { said } = inner;
  inner.said = false;
  const { params, tools, controller } = checkParameters(parameters ?? {});
  if (subscriber !== undefined && subscriber !== null && typeof subscriber !== "object") throw new TypeError("runAgent: the subscriber must be an object with hooks");
  if (inner.run?.ending) await inner.run.over();
  if (inner.run !== null) throw new AGUIError("bad_input", "A run of this agent is under way; call abortRun() first.");
  agent.agentId ??= inner.madeId = uuid();
  const run = new AgentRun(agent, inner, tools, subscriber ?? undefined, controller);
  inner.run = run;
  if ("abortController" in agent) agent.abortController = controller;
  inner.changes.mark();
  run.done = run.go({ ...params, said, join }, first);
  return run.done;
}
