"use strict";

import { report } from "../core/error.js";

/**
 * Tools that run in the page: what they are. How a call of one runs is in handlers.js.
 */

/**
 * A call that Go found for the page to answer. One with an error cannot be run; interrupt is what its result answers,
 * where that is not a tool message.
 * @typedef {{id: string, name: string, arguments: string, message: string, error?: string, interrupt?: string}} Call
 */

/**
 * Checks the tools option.
 * @param {any} tools
 * @returns {any[]}
 */
export function checkTools(tools) {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw new TypeError("tools must be an array");
  const names = new Set();
  for (const [i, tool] of tools.entries()) {
    if (typeof tool !== "object" || tool === null) throw new TypeError(`tools[${i}] must be an object`);
    if (typeof tool.name !== "string" || tool.name === "") throw new TypeError(`tools[${i}].name must be a string`);
    for (const name of ["handler", "available"]) {
      if (tool[name] !== undefined && typeof tool[name] !== "function") {
        throw new TypeError(`tools[${i}].${name} must be a function`);
      }
    }
    const { timeoutMs, needsApproval, webmcp } = tool;
    if (webmcp !== undefined && typeof webmcp !== "boolean" && (typeof webmcp !== "object" || webmcp === null)) {
      throw new TypeError(`tools[${i}].webmcp must be a boolean or an object`);
    }
    if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
      throw new TypeError(`tools[${i}].timeoutMs must be a number of milliseconds above 0`);
    }
    if (needsApproval !== undefined && !["boolean", "function"].includes(typeof needsApproval)) {
      throw new TypeError(`tools[${i}].needsApproval must be a boolean or a function`);
    }
    schemaOf(tool.parameters, `tools[${i}].parameters`);
    if (names.has(tool.name)) throw new TypeError(`tools[${i}].name: there are two tools ${JSON.stringify(tool.name)}`);
    names.add(tool.name);
  }
  return [...tools];
}

/**
 * @param {() => unknown} f of the page's
 * @param {boolean} otherwise where it throws
 */
export function truth(f, otherwise) {
  try {
    return Boolean(f());
  } catch (thrown) {
    report(thrown);
    return otherwise;
  }
}

/**
 * Whether a person is asked before a call's handler runs. A question that throws asks.
 * @param {Call} call
 * @param {any[]} tools
 */
export function needsApproval(call, tools) {
  const wanted = tools.find((tool) => tool.name === call.name)?.needsApproval;
  if (call.error !== undefined || !wanted) return false;
  return wanted === true || truth(() => wanted(JSON.parse(call.arguments)), true);
}

/** Libraries name the method differently. */
const WRITERS = ["toJSONSchema", "toJsonSchema"];
/** What schema objects gave, once each. @type {WeakMap<object, any>} */
const schemas = new WeakMap();

/**
 * The JSON Schema of a tool's parameters: they are one, or an object of a schema library that gives one.
 * @param {any} parameters
 * @param {string} name how messages call it
 */
export function schemaOf(parameters, name) {
  if (parameters === undefined || parameters === null) return undefined;
  if (typeof parameters === "boolean") return parameters;
  const known = schemas.get(parameters);
  if (known !== undefined) return known;
  const standard = parameters["~standard"];
  const writer = WRITERS.find((each) => typeof parameters[each] === "function");
  let schema = parameters;
  if (typeof standard?.jsonSchema?.input === "function") schema = standard.jsonSchema.input(
    { target: "draft-2020-12" });
  else if (writer !== undefined) schema = parameters[writer]();
  const mute = schema === parameters && standard !== undefined;
  if (mute || typeof schema !== "object" || schema === null || Array.isArray(schema) || !isJSON(schema, 0)) {
    throw new TypeError(
      `${name} must be a JSON Schema, or a schema object that gives one by ~standard.jsonSchema or toJSONSchema()`);
  }
  if (schema === parameters) return parameters;
  const { "~standard": _standard, ...plain } = schema;
  schemas.set(parameters, plain);
  return plain;
}

/**
 * Whether a value is what JSON says of it.
 * @param {any} value
 * @param {number} depth
 * @returns {boolean}
 */
function isJSON(value, depth) {
  if (typeof value !== "object" || value === null) {
    return value === undefined || value === null || ["string", "boolean"].includes(typeof value) ||
      Number.isFinite(value);
  }
  if (depth > 500) return false;
  if (Array.isArray(value)) return value.every((each) => each !== undefined && isJSON(each, depth + 1));
  const above = Object.getPrototypeOf(value);
  // A plain object of another frame has that frame's Object.prototype.
  if (above !== null && Object.getPrototypeOf(above) !== null) return false;
  return Object.keys(value).every((key) => (depth === 0 && key === "~standard") || isJSON(value[key], depth + 1));
}

/**
 * A result as a message's content: a string as it is, content parts as they are, anything else as its JSON text.
 * @param {any} result
 */
export function resultContent(result) {
  if (typeof result === "string") return result;
  if (Array.isArray(result) && result.length > 0 && result.every(isPart)) return result;
  if (result === undefined) return "";
  const text = JSON.stringify(result);
  if (text === undefined) throw new TypeError(`The tool's result is a ${typeof result}, which JSON cannot say`);
  return text;
}

/** The kinds of content part. */
const PARTS = ["text", "image", "audio", "video", "document"];

/** @param {any} part */
function isPart(part) {
  if (typeof part !== "object" || part === null || !PARTS.includes(part.type)) return false;
  return part.type === "text" ? typeof part.text === "string" : typeof part.source === "object" && part.source !== null;
}
