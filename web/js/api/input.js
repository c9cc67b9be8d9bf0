"use strict";

import { because } from "../core/error.js";
import { uuid } from "../core/ids.js";

/**
 * The input of a run: checked, copied and completed at the call. Only kinds are checked here; what the protocol alone
 * can judge (a message's fields, unanswered interrupts) is Go's.
 */

/** @typedef {import("../agui.d.ts").RunInput} RunInput */

/** What kind each field of a RunAgentInput must be; absent and null are the same. */
const KINDS = /** @type {const} */ ({
  threadId: "string",
  runId: "string",
  parentRunId: "string",
  protocolVersion: "string",
  messages: "list",
  tools: "list",
  context: "list",
  resume: "list",
});

/** A copied input: plain JSON that belongs to us. */
export class Input {
  /** The fields without runId, completed. @type {Record<string, any>} */
  fields;
  /** The caller's runId; without one each subscribe makes its own. @type {string | undefined} */
  runId;
  #rest = "";

  /** @param {unknown} given */
  constructor(given) {
    const fields = copy(checked(given));
    for (const name of Object.keys(KINDS)) {
      if (fields[name] === null) delete fields[name];
    }
    if (fields.forwardedProps === null) delete fields.forwardedProps;
    this.runId = fields.runId;
    delete fields.runId;
    for (const message of fields.messages ?? []) {
      // A message's toJSON may have made something else of it; Go says so.
      if (typeof message === "object" && message !== null) message.id ??= uuid();
    }
    this.fields = {
      threadId: uuid(), protocolVersion: "1.0", state: {}, messages: [], tools: [], context: [], forwardedProps: {},
      ...fields,
    };
  }

  /** The input as JSON text, for one request. */
  text() {
    try {
      this.#rest ||= JSON.stringify(this.fields).slice(1);
    } catch (thrown) {
      // It could be copied at the call, but here the stack is fuller: a nesting near the engine's limit.
      throw because(thrown, "bad_input", "The input is nested too deep to be sent");
    }
    return `{"runId":${JSON.stringify(this.runId ?? uuid())},${this.#rest}`;
  }
}

/**
 * Checks the kinds of an input's fields.
 * @param {any} input
 */
function checked(input) {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new TypeError(`run: the input must be an object, not ${kindOf(input)}`);
  }
  if (typeof input.toJSON === "function") input = input.toJSON(""); // what JSON.stringify would copy
  if (typeof input !== "object" || input === null) throw new TypeError("run: the input's toJSON gives no object");
  for (const [name, kind] of Object.entries(KINDS)) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    if (kind === "string" ? typeof value !== "string" : !Array.isArray(value)) {
      throw new TypeError(
        `run: input.${name} must be ${kind === "list" ? "an array" : "a string"}, not ${kindOf(value)}`);
    }
    if (kind === "string") continue;
    /** @type {any[]} */ (value).forEach((item, i) => {
      if (typeof item !== "object" || item === null || Array.isArray(item)) {
        throw new TypeError(`run: input.${name}[${i}] must be an object, not ${kindOf(item)}`);
      }
    });
  }
  return input;
}

/**
 * Names a value's kind for a person.
 * @param {unknown} value
 */
export function kindOf(value) {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
}

/**
 * Copies a value as JSON does.
 * @param {Record<string, any>} value
 * @param {string} [name] how messages call it
 * @returns {Record<string, any>}
 */
export function copy(value, name = "input") {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (thrown) {
    throw new TypeError(
      `${name} cannot be written as JSON: ${trouble(value, name) ?? /** @type {any} */ (thrown)?.message}`, {
      cause: thrown,
    });
  }
}

/**
 * Finds what JSON cannot hold: a BigInt, a cycle, or too deep a nesting.
 * @param {unknown} root
 * @param {string} name
 * @returns {string | undefined}
 */
function trouble(root, name) {
  /** @type {{value: any, path: string, above: Set<object>}[]} */
  const open = [{ value: root, path: name, above: new Set() }];
  for (let look = open.pop(), n = 0; look && n < 1e6; look = open.pop(), n++) {
    const { value, path, above } = look;
    if (typeof value === "bigint") return `${path} is a BigInt`;
    if (typeof value !== "object" || value === null) continue;
    if (above.has(value)) return `${path} is a cycle`;
    if (above.size >= 1000) return `it is nested deeper than 1,000 levels (${path.slice(0, 80)}…)`;
    const below = new Set(above).add(value);
    try {
      for (const key of Object.keys(value)) {
        open.push({
          value: value[key], path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, above: below,
        });
      }
    } catch {
      // A getter that throws: its own message says what it is.
    }
  }
  return undefined;
}
