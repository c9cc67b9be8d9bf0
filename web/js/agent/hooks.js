"use strict";

import { report } from "../core/error.js";

/**
 * The subscribers of an agent, told of what happened. What only a run asks them about is in steps.js.
 */

/**
 * What the hooks need of an agent.
 * @typedef {object} HookContext
 * @property {any} agent
 * @property {() => readonly any[]} messages
 * @property {() => any} state
 * @property {() => Record<string, string> | undefined} aliases the page's ids, where events mean them by other ones
 * @property {(text: string) => Record<string, any>} partial reads unfinished tool arguments as far as they go
 * @property {(mutation: {messages?: any, state?: any}) => void} mutate takes what a hook returned
 */

export class Hooks {
  subscribers;
  host;
  /** The run's input, for the hooks. @type {any} */
  input;

  /**
   * @param {readonly any[]} subscribers
   * @param {HookContext} host
   */
  constructor(subscribers, host) {
    this.subscribers = subscribers;
    this.host = host;
  }

  get size() {
    return this.subscribers.length;
  }

  /** @param {string} name */
  has(name) {
    return this.subscribers.some((each) => hookOf(each, name) !== undefined);
  }

  /**
   * Calls a hook that returns nothing, one subscriber after another.
   * @param {string} name
   * @param {object} [extra]
   * @returns {void | Promise<void>}
   */
  tell(name, extra) {
    if (!this.has(name)) return;
    return each(this.subscribers, (subscriber) => {
      const hook = hookOf(subscriber, name);
      if (hook === undefined) return undefined;
      const { agent } = this.host;
      const params = { ...extra, messages: this.host.messages(), state: this.host.state(), agent };
      return hook.call(subscriber, this.input === undefined ? params : { ...params, input: this.input });
    }, () => false);
  }
}

/**
 * Looks a subscriber's hook up. A getter that throws counts as none: it must not end the run.
 * @param {any} subscriber
 * @param {string} name
 * @returns {Function | undefined}
 */
export function hookOf(subscriber, name) {
  try {
    const hook = subscriber[name];
    return typeof hook === "function" ? hook : undefined;
  } catch (thrown) {
    report(thrown);
    return undefined;
  }
}

/**
 * Calls f for each subscriber in turn, and waits where one is async. What it throws is reported.
 * @param {readonly any[]} list
 * @param {(subscriber: any) => unknown} f
 * @param {(answer: unknown) => boolean} take whether the answer ends it
 * @param {number} [from]
 * @returns {void | Promise<void>}
 */
export function each(list, f, take, from = 0) {
  for (let i = from; i < list.length; i++) {
    let answer;
    try {
      answer = f(list[i]);
      if (!isThenable(answer)) {
        if (take(answer)) return;
        continue;
      }
    } catch (thrown) {
      report(thrown);
      continue;
    }
    return Promise.resolve(answer).then(take).catch((thrown) => {
      report(thrown);
      return false;
    }).then((ends) => {
      if (!ends) return each(list, f, take, i + 1);
    });
  }
}

/** @param {any} value */
export function isThenable(value) {
  return typeof value === "object" && value !== null && typeof value.then === "function";
}
