"use strict";

import { Single } from "./single.js";
import { guarded, report } from "../core/error.js";

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
  /** @type {Single | null} */
  #single = null;

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
  }

  /** The terminal event has come, and nothing behind it: the response is about to end. */
  get ending() {
    return this.#single?.ending === true;
  }

  /** The request that stops it on the server, where that can be stopped. */
  get stopping() {
    return this.#single?.stopping ?? null;
  }

  /** Resolves when it is over: the next request waits for the end of this one's response. */
  async over() {
    await this.done.catch(() => {});
  }

  /**
   * @param {Params} params
   * @returns {Promise<{result: any, newMessages: any[], outcome: Outcome}>}
   */
  async go(params) {
    const inner = this.#inner;
    const { conversation } = inner;
    const before = new Set(conversation.messages.map((message) => message.id));
    const onAbort = () => this.abort();
    this.controller.signal.addEventListener("abort", onAbort, { once: true });
    if (this.controller.signal.aborted) this.abort();
    try {
      /** @type {Params | null} */
      let next = params;
      /** @type {End} */
      let end = { outcome: "aborted", calls: [] };
      for (let round = 0; next !== null && !this.aborted;) {
        const now = /** @type {Params} */ (next);
        next = null;
        this.#single = new Single(this.#agent, inner, this, this.#subscriber, this.#tools, now, round);
        const { end: ended, answers } = await this.#single.promise;
        end = ended;
        if (this.aborted) break;
        /** @type {any[]} */
        let entries = [];
        if (answers) {
          const given = await answers;
          if (given === null || this.aborted) break;
          entries = given.filter((each) => each.interruptId !== undefined);
          const messages = given.filter((each) => each.interruptId === undefined);
          if (messages.length > 0) inner.place(messages);
          round++;
        }
        if (end.outcome === "interrupt" && conversation.interrupts.length > 0) { // a hook may have kept them out
          const resume = await this.#ask(entries);
          if (resume && !this.aborted) next = { ...now, runId: undefined, parentRunId: undefined, resume };
          else inner.held = entries;
        } else if (answers) {
          next = { ...now, runId: undefined, parentRunId: undefined, resume: undefined };
        }
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
    this.#single?.abort();
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
