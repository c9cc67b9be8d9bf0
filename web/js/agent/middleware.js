"use strict";

import { Execution } from "../core/execution.js";
import { Mirror } from "../core/mirror.js";
import { observableOf } from "../api/observable.js";

/**
 * Middleware stands around an agent's run: it gets the input and the next one in the chain, and gives the events.
 * Events come in and go out as an Observable of ours or of RxJS, or any other source that a run can read (feed.js).
 */

/**
 * @typedef {object} Next the rest of the chain
 * @property {(input: any) => any} run
 * @property {readonly any[]} messages
 * @property {any} state
 */

/**
 * Makes the classes for a page's runtime.
 * @param {import("../core/runtime.js").Runtime} runtime
 */
export function makeMiddleware(runtime) {
  class Middleware {
    /**
     * @param {any} _input
     * @param {Next} _next
     * @returns {any}
     */
    run(_input, _next) {
      throw new Error("A middleware must have a method run(input, next)");
    }

    /**
     * Runs the next one and gives whole events: chunks are expanded, retired shapes translated.
     * @param {any} input
     * @param {Next} next
     * @returns {import("../api/observable.js").Observable}
     */
    runNext(input, next) {
      return observableOf((receiver, pull) => followed(input, next, receiver, pull, (event) => event));
    }

    /**
     * As runNext, but gives {event, messages, state}, with the snapshots as they are after the event.
     * @param {any} input
     * @param {Next} next
     * @returns {import("../api/observable.js").Observable}
     */
    runNextWithState(input, next) {
      return observableOf((receiver, pull) => followed(input, next, receiver, pull, (event, mirror) => ({
        event, messages: mirror.get("messages"), state: mirror.get("state"),
      })));
    }
  }

  /**
   * @param {any} input
   * @param {Next} next
   * @param {import("../api/observable.js").Receiver} receiver
   * @param {boolean} pull
   * @param {(event: any, mirror: Mirror) => any} map
   */
  function followed(input, next, receiver, pull, map) {
    const text = JSON.stringify(input);
    const { messages = [], state = {} } = JSON.parse(text);
    const mirror = new Mirror({ messages, state });
    return new Execution({
      runtime,
      mirror,
      mode: "fast",
      prepare: () => ({ input: text }),
      warn: () => {}, // the run around it warns of the same
      source: () => next.run(input),
    }, { ...receiver, event: (event) => receiver.event(map(event, mirror)) }, pull);
  }

  class FunctionMiddleware extends Middleware {
    #run;

    /** @param {(input: any, next: Next) => any} run */
    constructor(run) {
      super();
      if (typeof run !== "function") throw new TypeError("FunctionMiddleware needs a function");
      this.#run = run;
    }

    /**
     * @param {any} input
     * @param {Next} next
     */
    run(input, next) {
      return this.#run(input, next);
    }
  }

  return { Middleware, FunctionMiddleware };
}
