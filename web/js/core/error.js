"use strict";

/** @typedef {import("../agui.d.ts").AGUIErrorCode} Code */
/** @typedef {import("../agui.d.ts").AGUIErrorFields} Fields */

/** The fields that an error may carry besides its code and message. */
const FIELDS = /** @type {const} */ (["status", "payload", "event", "url", "retryAfter", "lastEventId"]);

/**
 * What ends or refuses a run, or a failed start. `code` says which kind of trouble it is, `message` is one plain
 * sentence for a person; the other fields are there only where they say something.
 */
export class AGUIError extends Error {
  /**
   * @param {Code} code
   * @param {string} message
   * @param {Fields & {cause?: unknown}} [fields]
   */
  constructor(code, message, fields = {}) {
    super(message, "cause" in fields ? { cause: fields.cause } : undefined);
    /** @type {Code} */
    this.code = code;
    /** @type {any} */
    const self = this;
    for (const name of FIELDS) {
      if (fields[name] !== undefined) self[name] = fields[name];
    }
  }
}
Object.defineProperty(AGUIError.prototype, "name", { value: "AGUIError", configurable: true, writable: true });

/** What connecting gives to an agent that cannot connect. */
export class AGUIConnectNotImplementedError extends AGUIError {
  constructor() {
    super("bad_input", "This agent has no connect(): there is no run that it could join.");
  }
}
Object.defineProperty(AGUIConnectNotImplementedError.prototype, "name", {
  value: "AGUIConnectNotImplementedError", configurable: true, writable: true,
});

/**
 * Makes the error that Go described.
 * @param {Fields & {code: string, message: string}} failure
 * @param {unknown} [cause]
 */
export function errorFrom(failure, cause) {
  return new AGUIError(/** @type {Code} */ (failure.code), failure.message, cause === undefined ? failure
    : { ...failure, cause });
}

/**
 * An error of our own making about something that was thrown.
 * @param {unknown} thrown
 * @param {Code} code
 * @param {string} what the sentence before the thrown thing's own text
 * @param {Fields} [fields]
 */
export function because(thrown, code, what, fields = {}) {
  const text = say(thrown);
  return new AGUIError(code, text ? `${what}: ${text}` : what, { ...fields, cause: thrown });
}

/**
 * Whether something that was thrown is an error of ours already; never throws itself.
 * @param {unknown} thrown
 * @returns {thrown is AGUIError}
 */
export function isOurs(thrown) {
  try {
    return thrown instanceof AGUIError;
  } catch {
    return false; // a proxy of the page's
  }
}

/**
 * The text of anything that was thrown; never throws itself.
 * @param {unknown} thrown
 * @returns {string}
 */
export function say(thrown) {
  try {
    if (thrown instanceof Error && thrown.message) return String(thrown.message);
    return thrown === undefined ? "" : String(thrown);
  } catch {
    return "";
  }
}

/**
 * Hands an error to the page as an uncaught one, without stopping anything: what a handler threw, or an error that
 * nobody handles.
 * @param {unknown} error
 */
export function report(error) {
  try {
    if (typeof globalThis.reportError === "function") {
      globalThis.reportError(error);
      return;
    }
    console.error(error);
  } catch {
    // A page may have replaced both; there is nobody left to tell.
  }
}

/**
 * Calls a function of the page's; what it throws is reported and goes no further.
 * @param {Function} f
 * @param {unknown} self
 * @param {unknown[]} args
 */
export function guarded(f, self, ...args) {
  try {
    return Reflect.apply(f, self, args);
  } catch (thrown) {
    report(thrown);
    return undefined;
  }
}
