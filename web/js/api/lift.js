"use strict";

import { report } from "../core/error.js";

/**
 * RxJS's operators on an Observable that is not RxJS's: they ask their source to `lift` them, and call what they are
 * given as a Subscriber. With this, `agent.run(input).pipe(map(...))` works without `from()`, and without RxJS in here.
 */

/** @typedef {{subscribe: (observer: any) => any}} Source */

/** An Observable with an operator behind it. */
export class Lifted {
  #source;
  #operator;

  /**
   * @param {Source} source
   * @param {any} operator
   */
  constructor(source, operator) {
    this.#source = source;
    this.#operator = operator;
    const symbol = /** @type {any} */ (Symbol).observable;
    if (typeof symbol === "symbol") Object.defineProperty(this, symbol, { value: () => this, configurable: true });
  }

  /** @param {any} operator */
  lift(operator) {
    return new Lifted(this, operator);
  }

  /** @param {((source: any) => any)[]} operators */
  pipe(...operators) {
    return pipe(this, operators);
  }

  /**
   * @param {any} [observer] an object, or the function for next
   * @param {any} [error]
   * @param {any} [complete]
   */
  subscribe(observer, error, complete) {
    const target = typeof observer === "object" && observer !== null ? observer : { next: observer, error, complete };
    const end = new Destination(target);
    try {
      end.add(this.#operator.call(end, this.#source));
    } catch (thrown) {
      end.error(thrown);
    }
    return end;
  }

  "@@observable"() {
    return this;
  }
}

/**
 * @param {any} source
 * @param {((source: any) => any)[]} operators
 * @returns {any}
 */
export function pipe(source, operators) {
  return operators.reduce((from, operator) => operator(from), source);
}

/** Where the events go in the end; what an operator takes for its Subscriber. */
class Destination {
  closed = false;
  #target;
  /** @type {Set<any>} */
  #parts = new Set();

  /** @param {any} target */
  constructor(target) {
    this.#target = target;
  }

  /** @param {unknown} value */
  next(value) {
    if (!this.closed) this.#tell("next", value);
  }

  /** @param {unknown} error */
  error(error) {
    if (this.closed) return;
    this.closed = true;
    if (!this.#tell("error", error)) report(error);
    this.#leave();
  }

  complete() {
    if (this.closed) return;
    this.closed = true;
    this.#tell("complete");
    this.#leave();
  }

  unsubscribe() {
    this.closed = true;
    this.#leave();
  }

  /** @param {any} part a subscription, or a function that ends something */
  add(part) {
    if (part === undefined || part === null || part === this) return;
    if (this.closed) end(part);
    else this.#parts.add(part);
  }

  /** @param {any} part */
  remove(part) {
    this.#parts.delete(part);
  }

  #leave() {
    const parts = [...this.#parts];
    this.#parts.clear();
    for (const part of parts) end(part);
  }

  /**
   * @param {string} name
   * @param {unknown[]} args
   */
  #tell(name, ...args) {
    const f = this.#target[name];
    if (typeof f !== "function") return false;
    try {
      f.apply(this.#target, args);
    } catch (thrown) {
      report(thrown);
    }
    return true;
  }
}

/** @param {any} part */
function end(part) {
  try {
    if (typeof part === "function") part();
    else part.unsubscribe?.();
  } catch (thrown) {
    report(thrown);
  }
}
