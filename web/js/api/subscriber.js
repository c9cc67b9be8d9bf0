"use strict";

import { report } from "../core/error.js";
import { Mirror } from "../core/mirror.js";

/** @typedef {import("./observable.js").Receiver} Receiver */
/** @typedef {import("./observable.js").Execution} Execution */

/**
 * What a subscriber function calls. The methods need no `this`; what comes after the end is passed over, but for an
 * error, which is reported.
 * @typedef {object} Observer
 * @property {(value: any) => void} next
 * @property {(error: unknown) => void} error
 * @property {() => void} complete
 * @property {boolean} closed
 */

/** Runs a subscriber function for one subscription, at once, as Observables of every library do. */
export class SubscriberExecution {
  closed = false;
  /** There are no snapshots: these are the empty ones. */
  mirror = new Mirror();
  #subscriber;
  #receiver;
  #pull;
  #wanted = 0;
  /** What waits to be asked for, the end included. @type {(() => void)[]} */
  #waiting = [];
  /** The source has ended; what waits is told first. */
  #ended = false;
  /** @type {unknown} */
  #teardown;

  /**
   * @param {(observer: Observer) => unknown} subscriber
   * @param {Receiver} receiver
   * @param {boolean} pull tells values only as far as want() asks for them
   */
  constructor(subscriber, receiver, pull) {
    this.#subscriber = subscriber;
    this.#receiver = receiver;
    this.#pull = pull;
  }

  begin() {
    const self = this;
    /** @type {Observer} */
    const observer = {
      next: (value) => {
        if (!self.#ended) self.#tell(() => self.#receiver.event(value));
      },
      error: (error) => {
        if (self.#ended) report(error);
        else self.#end(() => self.#receiver.error(error));
      },
      complete: () => {
        if (!self.#ended) self.#end(() => self.#receiver.complete());
      },
      get closed() {
        return self.#ended || self.#left();
      },
    };
    try {
      const subscriber = this.#subscriber;
      const teardown = subscriber(observer);
      if (teardown !== undefined && teardown !== null && teardownOf(teardown) === undefined) {
        throw new TypeError("A subscriber function gives nothing, a function, or an object with unsubscribe");
      }
      this.#teardown = teardown;
    } catch (thrown) {
      observer.error(thrown);
    }
    if (this.#ended) this.#clean();
  }

  /** Such a source may give values without end inside subscribe: only this stops it. */
  #left() {
    try {
      return this.#receiver.left?.() === true;
    } catch {
      return false; // a getter of the page's
    }
  }

  /** @param {() => void} tell */
  #tell(tell) {
    if (!this.#pull) return tell();
    this.#waiting.push(tell);
    this.#give();
  }

  /** @param {() => void} tell */
  #end(tell) {
    this.#ended = true;
    this.#tell(() => {
      this.closed = true;
      tell();
    });
    this.#clean();
  }

  #give() {
    // The end is told to whoever waits: it answers every question that is open.
    while (this.#wanted > 0 && this.#waiting.length > 0) {
      this.#wanted--;
      this.#waiting.shift()?.();
    }
  }

  want() {
    this.#wanted++;
    this.#give();
  }

  cancel() {
    this.closed = this.#ended = true;
    this.#waiting = [];
    this.#clean();
  }

  /** Calls what the function left to be called, once. */
  #clean() {
    const teardown = this.#teardown;
    this.#teardown = undefined;
    try {
      teardownOf(teardown)?.call(teardown);
    } catch (thrown) {
      report(thrown);
    }
  }
}

/** @param {any} given @returns {Function | undefined} */
function teardownOf(given) {
  if (typeof given === "function") return given;
  return typeof given?.unsubscribe === "function" ? given.unsubscribe : undefined;
}
