"use strict";

import { contentOf } from "./files.js";
import { freeze } from "../core/mirror.js";
import { uuid } from "../core/ids.js";

/**
 * A person's second thoughts: a message is edited, an answer made again, a former version shown. What is cut, which
 * state comes back and what the next run goes on from, Go says (state/thread/versions.go). A part: it loads at the
 * first edit.
 */

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */
/** @typedef {{before: string, shown: number, count: number}} Fork */

/** @type {readonly Fork[]} */
const NONE = Object.freeze([]);

/** How many changes of the versions outlive the program. */
const JOURNAL = 100;

export class Versions {
  #agent;
  /** @type {AgentInternals} */
  #internals;
  /** @type {readonly Fork[]} */
  #forks = NONE;
  /** What they were told of. @type {any[]} */
  #of = [];
  /** What was told of messages since. @type {Map<string, any>} */
  #told = new Map();
  /**
   * Each change, and what the page's side was before it: a program that died takes the versions along, and they are
   * made of these again.
   * @type {any[]}
   */
  #journal = [];

  /**
   * @param {any} agent
   * @param {AgentInternals} internals
   */
  constructor(agent, internals) {
    this.#agent = agent;
    this.#internals = internals;
    internals.conversation.renew = () => this.#renew();
  }

  /**
   * Those of an agent that begins as this one.
   * @param {any} agent
   * @param {AgentInternals} internals
   */
  of(agent, internals) {
    const twin = new Versions(agent, internals);
    twin.#journal = [...this.#journal];
    twin.#forks = this.#forks;
    return twin;
  }

  /**
   * Replaces a person's message and runs the agent.
   * @param {any} messageId
   * @param {any} content
   * @param {any} parameters
   * @param {any} subscriber
   */
  async edit(messageId, content, parameters, subscriber) {
    if (typeof messageId !== "string") throw new TypeError("edit needs the id of a person's message");
    if (content === undefined || content === null) throw new TypeError("edit needs the message's new content");
    const whole = await contentOf(content, () => this.#internals.part(), "edit");
    return this.#idle(parameters, (instance) => {
      const old = this.#internals.conversation.messages.find((message) => message.id === messageId);
      this.#change(instance, "edit", { id: messageId });
      this.#internals.add([{ ...old, id: uuid(), content: whole }]);
      return this.#run(parameters, subscriber);
    });
  }

  /**
   * Takes an answer out and runs the agent.
   * @param {any} messageId
   * @param {any} parameters
   * @param {any} subscriber
   */
  async regenerate(messageId, parameters, subscriber) {
    if (messageId !== undefined && messageId !== null && typeof messageId !== "string") {
      throw new TypeError("regenerate needs a message's id, or nothing");
    }
    return this.#idle(parameters, (instance) => {
      this.#change(instance, "regenerate", { id: messageId ?? "" });
      return this.#run(parameters, subscriber);
    });
  }

  /**
   * Shows a version.
   * @param {string} before the id of the message in front of it; "" is the start
   * @param {number} version
   */
  async show(before, version) {
    await this.#idle({}, async (instance) => this.#change(instance, "show", { before, version }));
  }

  /** The places with more than one version; while events stream those of the run's beginning. */
  get forks() {
    const { conversation } = this.#internals;
    const { instance, messages } = conversation;
    if (conversation.execution !== null || (this.#of[0] === instance && this.#of[1] === messages)) return this.#forks;
    if (!instance) return this.#forks; // the program died, and the next one has them when it is there
    let forks;
    try {
      conversation.sync(instance);
      ({ forks } = conversation.ask("forks", {}));
    } catch {
      return this.#forks; // a message of the page's is malformed: the next run says so
    }
    if (forks.length === 0) this.#journal = [];
    this.#told.clear();
    this.#of = [instance, conversation.messages];
    if (JSON.stringify(forks) !== JSON.stringify(this.#forks)) this.#forks = freeze(forks);
    return this.#forks;
  }

  /**
   * The versions at a message.
   * @param {string} messageId
   */
  at(messageId) {
    const { conversation, runtime } = this.#internals;
    if (!conversation.instance && runtime.current) conversation.sync(runtime.current);
    runtime.load(); // it may have died
    if (this.forks.length === 0) return [];
    if (!conversation.instance) return this.#told.get(messageId) ?? [];
    const { before, shown, versions } = conversation.ask("versions", { id: messageId });
    const { messages } = conversation;
    const from = messages.findIndex((message) => message.id === before) + 1;
    const told = versions.map((/** @type {any[]} */ list, /** @type {number} */ n) => Object.freeze({
      shown: n === shown,
      messages: n === shown ? messages.slice(from) : freeze(list),
      show: () => this.show(before, n),
    }));
    this.#told.set(messageId, told);
    return told;
  }

  /**
   * Does something when no run is under way, which ends one where that is wanted.
   * @param {any} parameters
   * @param {(instance: import("../core/instance.js").Instance) => Promise<any>} f
   */
  async #idle(parameters, f) {
    const internals = this.#internals;
    const instance = await internals.runtime.instance();
    if (internals.run?.ending) await internals.run.over();
    const how = parameters?.whileRunning ?? internals.whileRunning;
    if (internals.run !== null && how === "interrupt") return internals.instead(() => f(instance));
    internals.idle();
    return f(instance);
  }

  /**
   * The page's side.
   * @param {string} [run] what the next run goes on from, where nothing else is said
   */
  #now(run) {
    const { messages, state, interrupts, parent } = this.#internals.conversation;
    return { threadId: this.#agent.threadId, parentRunId: parent ?? run, messages, state, interrupts };
  }

  /** Makes the versions again, in a thread that was made anew. */
  #renew() {
    if (this.#journal.length === 0) return;
    for (const args of [...this.#journal, this.#now()]) {
      try {
        this.#internals.conversation.ask("redo", args);
      } catch {
        // It was about a version that is too old to be remembered.
      }
    }
  }

  /**
   * @param {import("../core/instance.js").Instance} instance
   * @param {string} op
   * @param {any} args
   */
  #change(instance, op, args) {
    const internals = this.#internals;
    const { conversation } = internals;
    conversation.sync(instance);
    const { messages, state } = conversation;
    const now = this.#now(conversation.past.at(-1)?.names[0]);
    conversation.parent = conversation.change(op, args).parentRunId || undefined;
    this.#journal = [...this.#journal.slice(1 - JOURNAL), { ...now, op, ...args }];
    internals.held = [];
    this.#of = [];
    internals.changes.now();
    if (conversation.messages !== messages) void internals.hooks().tell("onMessagesChanged");
    if (conversation.state !== state) void internals.hooks().tell("onStateChanged");
  }

  /**
   * @param {any} parameters
   * @param {any} subscriber
   */
  #run(parameters, subscriber) {
    const internals = this.#internals;
    internals.said = true;
    const over = this.#agent.runAgent(parameters, subscriber);
    internals.said = false;
    return over;
  }
}
