"use strict";

import { Middleware } from "aguiwasm";

/** Leaves out the calls of tools that are not allowed, and their results. Other events pass. */
export class FilterToolCallsMiddleware extends Middleware {
  #passes;

  /** @param {{allowedToolCalls?: readonly string[], disallowedToolCalls?: readonly string[]}} config one of the two */
  constructor({ allowedToolCalls, disallowedToolCalls }) {
    super();
    if (allowedToolCalls && disallowedToolCalls) {
      throw new Error("Cannot specify both allowedToolCalls and disallowedToolCalls");
    }
    if (!allowedToolCalls && !disallowedToolCalls) {
      throw new Error("Must specify either allowedToolCalls or disallowedToolCalls");
    }
    const names = new Set(allowedToolCalls ?? disallowedToolCalls);
    this.#passes = (/** @type {string} */ name) => names.has(name) === Boolean(allowedToolCalls);
  }

  /**
   * @param {any} input
   * @param {any} next
   * @returns {any}
   */
  run(input, next) {
    const events = this.runNext(input, next);
    return {
      /** @param {any} observer */
      subscribe: (observer) => {
        /** The calls that are left out, of this subscription and run. @type {Set<string>} */
        const out = new Set();
        return events.subscribe({
          next: (/** @type {any} */ event) => {
            if (event.type === "RUN_STARTED") out.clear();
            if (event.type === "TOOL_CALL_START") {
              if (this.#passes(event.toolCallName)) out.delete(event.toolCallId);
              else out.add(event.toolCallId);
            }
            if (!event.type.startsWith("TOOL_CALL_") || !out.has(event.toolCallId)) observer.next(event);
          },
          error: (/** @type {any} */ error) => observer.error(error),
          complete: () => observer.complete(),
        });
      },
    };
  }
}
