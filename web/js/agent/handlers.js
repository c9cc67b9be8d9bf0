"use strict";

import { resultContent, schemaOf, truth } from "./tools.js";
import { say } from "../core/error.js";

/**
 * Tools at work: what the agent is told of them, and how their handlers answer calls.
 */

/** @typedef {import("./tools.js").Call} Call */

/**
 * What the agent is told of the tools: those that are available, without what is the page's own affair.
 * @param {any[]} tools
 */
export function described(tools) {
  return tools.filter((tool) => tool.available === undefined || truth(() => tool.available(), false)).map((tool) => {
    const { handler, available, timeoutMs, needsApproval, webmcp, ...told } = tool;
    const schema = schemaOf(told.parameters, "parameters");
    return schema === undefined ? told : { ...told, parameters: schema };
  });
}

/**
 * A call's arguments as its tool's schema has them. Throws what the model can mend.
 * @param {any} tool
 * @param {any} args
 */
async function judged(tool, args) {
  const standard = tool.parameters?.["~standard"];
  if (typeof standard?.validate !== "function") return args;
  const { issues, value } = await standard.validate(args);
  if (!issues) return value;
  const words = issues.map((/** @type {any} */ { path = [], message }) => {
    const at = path.map((/** @type {any} */ step) => String(step?.key ?? step)).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw new TypeError(`The arguments do not fit: ${words.join("; ")}`);
}

/**
 * Runs a handler, at most timeoutMs long. Its signal aborts with the run's and when that time is over.
 * @param {any} tool
 * @param {any} args
 * @param {any} context
 */
export function handled(tool, args, { signal, ...context }) {
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const work = (async () => tool.handler(await judged(tool, args), { ...context, signal: own.signal }))();
  const late = new Promise((_resolve, reject) => {
    if (tool.timeoutMs === undefined) return;
    timer = setTimeout(() => {
      const error = new Error(`The tool has not answered within ${tool.timeoutMs} ms`);
      reject(error);
      own.abort(error);
    }, tool.timeoutMs);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
}

/**
 * Runs the handlers of calls side by side and makes a tool message, or the answer to the call's interrupt, of each
 * result, in the calls' order. A handler gets the parsed arguments and {toolCall, signal, agent}; what it throws
 * becomes the message's error. Gives null when the signal aborts, and at once: what a handler does after that is its
 * own affair.
 * @param {Call[]} calls
 * @param {any[]} tools
 * @param {{agent: any, signal: AbortSignal, id: () => string, kept?: Promise<any>}} context kept is what
 * notes that the handlers begin, where the thread is kept
 * @returns {Promise<any[] | null>}
 */
export async function answer(calls, tools, { agent, signal, id, kept }) {
  const noted = kept?.then((/** @type {any} */ keeper) => keeper?.begins(calls.map(({ id: call }) => call)));
  const results = calls.map(async (call) => {
    const toolCall = Object.freeze({
      id: call.id, type: "function", function: Object.freeze({ name: call.name, arguments: call.arguments }),
    });
    const message = { id: id(), role: "tool", toolCallId: call.id };
    const entry = { interruptId: call.interrupt, status: "resolved" };
    try {
      if (call.error !== undefined) throw new SyntaxError(call.error);
      if (noted) await noted;
      if (signal.aborted) return null;
      const tool = tools.find((each) => each.name === call.name);
      const result = await handled(tool, JSON.parse(call.arguments), { toolCall, signal, agent });
      if (call.interrupt !== undefined) return { ...entry, payload: payloadOf(result) };
      return { ...message, content: resultContent(result) };
    } catch (thrown) {
      const error = say(thrown) || "The tool failed";
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
 * A result as an interrupt's answer: any JSON.
 * @param {any} result
 */
function payloadOf(result) {
  if (result === undefined) return null;
  const text = JSON.stringify(result);
  if (text === undefined) throw new TypeError(`The tool's result is a ${typeof result}, which JSON cannot say`);
  return JSON.parse(text);
}
