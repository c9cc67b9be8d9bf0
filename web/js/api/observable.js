"use strict";

import { report } from "../core/error.js";
import { Lifted, pipe } from "./lift.js";
import { live } from "../core/live.js";
import { ROOTS } from "../core/mirror.js";
import { SubscriberExecution } from "./subscriber.js";

/** @typedef {import("../core/mirror.js").Mirror} Mirror */
/** @typedef {import("../agui.d.ts").AGUIError} AGUIError */

/**
 * What an execution tells. Of error and complete one comes, once, and nothing after it.
 * @typedef {object} Receiver
 * @property {(event: any, names?: string[]) => void} event names: with an agent's run that ends, what it is remembered
 *   by
 * @property {(error: unknown) => void} error
 * @property {() => void} complete
 * @property {boolean} [deaf] nobody sees the events: what is only for those who look into them may be left out
 * @property {() => boolean} [left] whoever listens has had enough, and could not unsubscribe yet
 */

/**
 * One subscription at work: a request, or whatever else gives events.
 * @typedef {object} Execution
 * @property {Mirror} mirror the snapshots, as of the event told last
 * @property {boolean} closed ended or cancelled
 * @property {() => void} begin starts it; until then nothing is held and nothing is sent
 * @property {() => void} cancel ends it silently; idempotent
 * @property {() => void} want a pulled execution tells one more event
 */

/**
 * Makes an execution. A pulled one tells events only as far as it is asked.
 * @typedef {(receiver: Receiver, pull: boolean) => Execution} Start
 */

/** Reads a live field. */
const read = Symbol("read");

/**
 * Makes an Observable of executions: the runtime's own way.
 * @type {(start: Start, signal?: AbortSignal) => Observable} signal: ends every subscription
 */
export let observableOf;

/** A cold source of events: of a run, each subscribe is one request. */
export class Observable {
  /** @type {Start} */
  #start;
  /** @type {AbortSignal | undefined} */
  #signal;

  static {
    observableOf = (start, signal) => {
      const made = new Observable(() => {});
      made.#start = start;
      made.#signal = signal;
      return made;
    };
  }

  /** @param {(observer: import("./subscriber.js").Observer) => unknown} subscriber called at each subscribe */
  constructor(subscriber) {
    if (typeof subscriber !== "function") throw new TypeError("new Observable: the subscriber must be a function");
    this.#start = (receiver, pull) => new SubscriberExecution(subscriber, receiver, pull);
    // RxJS and others look for this symbol if something on the page defined it.
    const symbol = /** @type {any} */ (Symbol).observable;
    if (typeof symbol === "symbol" && !(symbol in this)) {
      Object.defineProperty(this, symbol, { value: () => this, configurable: true });
    }
  }

  /**
   * Starts a run: nothing is called before this returns. Calls the subscriber function of any other.
   * @param {unknown} [observer] an object with next, error and complete, each optional; or the function for next
   * @param {unknown} [second] the function for error; or {signal}
   * @param {unknown} [third] the function for complete
   */
  subscribe(observer, second, third) {
    const { target, plain, signal } = subscriber(observer, second, third);
    return new Subscription(this.#start, target, plain, [this.#signal, signal]);
  }

  [Symbol.asyncIterator]() {
    return new EventIterator(this.#start, this.#signal);
  }

  /** Vue and Alpine make no proxy of what is no plain object by its name. */
  get [Symbol.toStringTag]() {
    return "Observable";
  }

  "@@observable"() {
    return this;
  }

  /**
   * Calls functions one after the other, each with what the one before gave: RxJS's operators, or any other.
   * @param {((source: any) => any)[]} operators
   */
  pipe(...operators) {
    return pipe(this, operators);
  }

  /** For RxJS's operators. @param {any} operator */
  lift(operator) {
    return new Lifted(this, operator);
  }
}

/**
 * Sorts out the three forms of subscribe.
 * @param {unknown} observer
 * @param {unknown} second
 * @param {unknown} third
 * @returns {{target: any, plain: boolean, signal: AbortSignal | undefined}} plain: functions, which have no this
 */
function subscriber(observer, second, third) {
  let signal;
  if (typeof second === "object" && second !== null) {
    signal = signalOf(second);
    second = undefined;
  }
  for (const [name, f] of [["error", second], ["complete", third]]) {
    if (f !== undefined && f !== null && typeof f !== "function") {
      throw new TypeError(`subscribe: ${name} must be a function`);
    }
  }
  if (typeof observer === "object" && observer !== null) return { target: observer, plain: false, signal };
  if (observer !== undefined && observer !== null && typeof observer !== "function") {
    throw new TypeError("subscribe: the observer must be an object or a function");
  }
  return { target: { next: observer, error: second, complete: third }, plain: true, signal };
}

/** @param {object} options */
function signalOf(options) {
  const signal = /** @type {any} */ (options).signal;
  if (signal === undefined || signal === null) return undefined;
  return checkSignal(signal, "subscribe: signal");
}

/**
 * @param {any} signal
 * @param {string} name
 * @returns {AbortSignal}
 */
export function checkSignal(signal, name) {
  if (typeof signal !== "object" || signal === null || typeof signal.aborted !== "boolean" ||
      typeof signal.addEventListener !== "function" || typeof signal.removeEventListener !== "function") {
    throw new TypeError(`${name} must be an AbortSignal`);
  }
  return signal;
}

/**
 * Ends an execution when a signal aborts.
 * @param {(AbortSignal | undefined)[]} signals
 * @param {() => void} stop
 * @returns {(() => void) | null} takes the listeners away; null: a signal has aborted already
 */
function listen(signals, stop) {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.some((signal) => signal.aborted)) return null;
  for (const signal of given) signal.addEventListener("abort", stop, { once: true });
  live.callbacks += given.length;
  return () => {
    for (const signal of given) signal.removeEventListener("abort", stop);
    live.callbacks -= given.length;
  };
}

/** @param {string} name */
function notCallable(name) {
  return new TypeError(`subscribe: the observer's ${name} must be a function`);
}

/** The handle of one run. Its live fields show the snapshots as of the event that was handed out last. */
export class Subscription {
  #execution;
  #target;
  #plain;
  #release;

  /**
   * @param {Start} start
   * @param {any} target the observer; its methods are looked up when they are called
   * @param {boolean} plain the methods are called without a this
   * @param {(AbortSignal | undefined)[]} signals
   */
  constructor(start, target, plain, signals) {
    this.#target = target;
    this.#plain = plain;
    this.#execution = start({
      deaf: !("next" in target) || (plain && typeof target.next !== "function"),
      event: (event) => this.#next(event),
      error: (error) => {
        this.#free();
        if (!this.#tell("error", error)) report(error);
      },
      complete: () => {
        this.#free();
        this.#tell("complete");
      },
      left: () => target.closed === true, // RxJS's subscribers say so
    }, false);
    this.#release = listen(signals, () => this.unsubscribe());
    if (this.#release) this.#execution.begin();
    else this.#execution.cancel();
  }

  get [Symbol.toStringTag]() {
    return "Subscription";
  }

  /** The hot one of #tell. @param {unknown} event */
  #next(event) {
    const target = this.#target;
    try {
      const f = target.next;
      if (f === undefined || f === null) return;
      if (typeof f !== "function") throw notCallable("next");
      if (this.#plain) f(event);
      else f.call(target, event);
    } catch (thrown) {
      report(thrown);
    }
  }

  /**
   * Calls a method of the observer's, if there is one. What it throws is reported.
   * @param {"next" | "error" | "complete"} name
   * @param {unknown[]} args
   */
  #tell(name, ...args) {
    const target = this.#target;
    try {
      const f = target[name];
      if (f === undefined || f === null) return false;
      if (typeof f !== "function") throw notCallable(name);
      // An observer's methods have the observer as this, plain functions have none.
      if (this.#plain) f(...args);
      else f.apply(target, args);
    } catch (thrown) {
      report(thrown);
    }
    return true;
  }

  #free() {
    this.#release?.();
    this.#release = null;
  }

  /** Ends the run silently and aborts its request. Idempotent. */
  unsubscribe() {
    this.#free();
    this.#execution.cancel();
  }

  get closed() {
    return this.#execution.closed;
  }

  /** @param {typeof ROOTS[number]} name */
  [read](name) {
    return this.#execution.mirror.get(name);
  }
}

/**
 * Gives events to `for await`. The request starts with the first next(); return() (a break) cancels it. The fields are
 * those of the subscription, as of the event given last.
 */
export class EventIterator {
  #execution;
  #signals;
  /** @type {{resolve: (result: IteratorResult<any>) => void, reject: (error: unknown) => void}[]} */
  #waiting = [];
  #begun = false;
  /** @type {(() => void) | null} */
  #release = null;

  /**
   * @param {Start} start
   * @param {AbortSignal | undefined} signal
   */
  constructor(start, signal) {
    this.#signals = [signal];
    this.#execution = start({
      event: (event) => this.#waiting.shift()?.resolve({ value: event, done: false }),
      error: (error) => {
        this.#waiting.shift()?.reject(error);
        this.#end();
      },
      complete: () => this.#end(),
    }, true);
  }

  #end() {
    this.#release?.();
    this.#release = null;
    this.#execution.cancel();
    for (const { resolve } of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
  }

  /** @returns {Promise<IteratorResult<any>>} */
  next() {
    if (!this.#begun) {
      this.#begun = true;
      this.#release = listen(this.#signals, () => this.#end());
      if (this.#release) this.#execution.begin();
      else this.#end();
    }
    if (this.#execution.closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#execution.want();
    });
  }

  /**
   * Cancels the run.
   * @param {unknown} [value]
   * @returns {Promise<IteratorResult<any>>}
   */
  return(value) {
    this.#begun = true;
    this.#end();
    return Promise.resolve({ value, done: true });
  }

  /**
   * Cancels the run.
   * @param {unknown} [error]
   * @returns {Promise<IteratorResult<any>>}
   */
  throw(error) {
    this.#begun = true;
    this.#end();
    return Promise.reject(error);
  }

  get closed() {
    return this.#execution.closed;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @param {typeof ROOTS[number]} name */
  [read](name) {
    return this.#execution.mirror.get(name);
  }
}

for (const { prototype } of [Subscription, EventIterator]) {
  for (const name of ROOTS) {
    Object.defineProperty(prototype, name, {
      get() {
        return this[read](name);
      },
      enumerable: true,
      configurable: true,
    });
  }
}

/** @type {any} */
const symbols = Symbol;
if (symbols.dispose) {
  Object.defineProperty(Subscription.prototype, symbols.dispose, {
    value: Subscription.prototype.unsubscribe, configurable: true, writable: true,
  });
}
if (symbols.asyncDispose) {
  Object.defineProperty(EventIterator.prototype, symbols.asyncDispose, {
    /** @this {EventIterator} */
    async value() {
      await this.return();
    },
    configurable: true,
    writable: true,
  });
}

