"use strict";

import { guarded } from "../core/error.js";

/**
 * Tells the page what happens in a chat, as events at what mount gave: ready, send, message, tool, interrupt, error,
 * threadchange. Each is a CustomEvent; its detail has what agui.d.ts says (ChatEventMap).
 */
export class Told {
  #to;
  #agent;
  #onError;
  #heard;
  #thread;
  /** Errors that were told: a run's failure comes from its hook and from what began it. @type {WeakSet<object>} */
  #known = new WeakSet();

  /**
   * @param {EventTarget} to
   * @param {any} agent
   * @param {any} onError
   */
  constructor(to, agent, onError) {
    this.#to = to;
    this.#agent = agent;
    this.#onError = onError;
    this.#thread = agent.threadId;
    this.#heard = agent.subscribe({
      onNewMessage: (/** @type {any} */ { message }) => this.tell("message", { message }),
      onNewToolCall: (/** @type {any} */ { toolCall }) => this.tell("tool", { toolCall }),
      onRunFinalized: () => {
        const { pendingInterrupts: interrupts } = agent;
        if (interrupts.length > 0) this.tell("interrupt", { interrupts });
      },
      onRunFailed: (/** @type {any} */ { error }) => this.fail(error),
    });
  }

  /**
   * @param {string} name
   * @param {object} [detail]
   */
  tell(name, detail = {}) {
    this.#to.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** @param {any} error */
  fail(error) {
    if (this.#known.has(error)) return;
    if (Object(error) === error) this.#known.add(error);
    if (this.#onError) guarded(this.#onError, undefined, error);
    this.tell("error", { error });
  }

  /** The agent changed. */
  changed() {
    const { threadId } = this.#agent;
    if (threadId === this.#thread) return;
    this.#thread = threadId;
    this.tell("threadchange", { threadId });
  }

  end() {
    this.#heard.unsubscribe();
  }
}
