"use strict";

import { say } from "../core/error.js";

/**
 * Tools that run in the page.
 */

/**
 * A call that Go found for the page to answer. One with an error cannot be run; interrupt is what its result answers, where
 * that is not a tool message.
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
    if (tool.handler !== undefined && typeof tool.handler !== "function") throw new TypeError(`tools[${i}].handler must be a function`);
    if (names.has(tool.name)) throw new TypeError(`tools[${i}].name: there are two tools ${JSON.stringify(tool.name)}`);
    names.add(tool.name);
  }
  return [...tools];
}

/**
 * What the agent is told of the tools: everything but the handlers.
 * @param {any[]} tools
 */
export function described(tools) {
  return tools.map(({ handler, ...tool }) => tool);
}

/**
 * Runs the handlers of calls side by side and makes a tool message, or the answer to the call's interrupt, of each result, in the calls'
 * order. A handler gets the parsed arguments and {toolCall, signal, agent}; what it throws becomes the message's error. Gives
 * null when the signal aborts, and at once: what a handler does after that is its own affair.
 * @param {Call[]} calls
 * @param {any[]} tools
 * @param {{agent: any, signal: AbortSignal, id: () => string}} context
 * @returns {Promise<any[] | null>}
 */
export async function answer(calls, tools, { agent, signal, id }) {
  const results = calls.map(async (call) => {
    const toolCall = Object.freeze({
      id: call.id, type: "function", function: Object.freeze({ name: call.name, arguments: call.arguments }),
    });
    const message = { id: id(), role: "tool", toolCallId: call.id };
    const entry = { interruptId: call.interrupt, status: "resolved" };
    try {
      if (call.error !== undefined) throw new SyntaxError(call.error);
      const tool = tools.find((each) => each.name === call.name);
      const result = await tool.handler(JSON.parse(call.arguments), { toolCall, signal, agent });
      if (call.interrupt !== undefined) return { ...entry, payload: payloadOf(result) };
      return { ...message, content: contentOf(result) };
    } catch (thrown) {
      const error = say(thrown) || "the tool failed";
      if (call.interrupt !== undefined) return { ...entry, payload: { error } };
      return { ...message, content: error, error };
    }
  });
  let stop = () => {};
  const aborted = new Promise((resolve) => {
    stop = () => resolve(null);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  const messages = await Promise.race([Promise.all(results), aborted]);
  signal.removeEventListener("abort", stop);
  return /** @type {any} */ (messages);
}

/**
 * A result as a message's content: a string as it is, content parts as they are, anything else as its JSON text.
 * @param {any} result
 */
function contentOf(result) {
  if (typeof result === "string") return result;
  if (Array.isArray(result) && result.length > 0 && result.every(isPart)) return result;
  if (result === undefined) return "";
  const text = JSON.stringify(result);
  if (text === undefined) throw new TypeError(`the tool's result is a ${typeof result}, which JSON cannot say`);
  return text;
}

/**
 * A result as an interrupt's answer: any JSON.
 * @param {any} result
 */
function payloadOf(result) {
  if (result === undefined) return null;
  const text = JSON.stringify(result);
  if (text === undefined) throw new TypeError(`the tool's result is a ${typeof result}, which JSON cannot say`);
  return JSON.parse(text);
}

/** The kinds of content part. */
const PARTS = ["text", "image", "audio", "video", "document"];

/** @param {any} part */
function isPart(part) {
  if (typeof part !== "object" || part === null || !PARTS.includes(part.type)) return false;
  return part.type === "text" ? typeof part.text === "string" : typeof part.source === "object" && part.source !== null;
}
