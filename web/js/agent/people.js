"use strict";

import { inside } from "./internals.js";
import { resultContent } from "./tools.js";
import { AGUIError } from "../core/error.js";
import { uuid } from "../core/ids.js";
import { kindOf } from "../api/input.js";

/**
 * What people do with an agent's calls and questions that is seen at once: answers, and words that wait. What waits for
 * the program in any case is in decisions.js. Which calls wait and what follows from an answer, Go says (state/thread).
 */

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */

/** Ends the reason of an interrupt that asks the page to execute a call: the answer to the call answers it. */
const EXECUTION = "client_tool_execution";

/**
 * Answers a tool call.
 * @param {any} agent
 * @param {any} toolCallId
 * @param {unknown} result
 * @param {any} options
 * @returns {Promise<any>} what the run that follows gives; null where none follows
 */
export async function answer(agent, toolCallId, result, options) {
  const internals = inside(agent);
  const { error, run = true, parameters } = checkOptions(options);
  if (typeof toolCallId !== "string") throw new TypeError(`answer needs a tool call's id, not ${kindOf(toolCallId)}`);
  const content = error !== undefined && result === undefined ? error : resultContent(result);
  const instance = internals.conversation.instance ?? await internals.runtime.instance();
  const { messages, pendingInterrupts } = agent;
  if (!messages.some((/** @type {any} */ each) =>
    each.toolCalls?.some((/** @type {any} */ call) => call.id === toolCallId))) {
    throw new AGUIError("bad_input", `There is no tool call ${JSON.stringify(toolCallId)} in this thread.`);
  }
  const under = internals.run;
  // An answer that waits behind events in the queue counts as well.
  if (answered(messages, toolCallId) || under?.given.some((each) => each.message.toolCallId === toolCallId)) {
    throw new AGUIError("bad_input", `The tool call ${JSON.stringify(toolCallId)} has its answer.`);
  }
  const interrupt = pendingInterrupts.find((/** @type {any} */ each) => each.toolCallId === toolCallId);
  if (interrupt) {
    return execute(agent, internals, interrupt, error === undefined ? result ?? null : { error }, parameters);
  }
  const message = { id: uuid(), role: "tool", toolCallId, content, ...(error === undefined ? {} : { error }) };
  under?.given.push({ message, run });
  await internals.place(instance, [message]);
  if (under !== null) return run ? under.done : null;
  if (!run) return null;
  return internals.follows(instance, false, [toolCallId], internals.tools) ? agent.runAgent(parameters) : null;
}

/** @param {any} options */
function checkOptions(options) {
  const given = options ?? {};
  if (typeof given !== "object") throw new TypeError(`answer: the options must be an object, not ${kindOf(given)}`);
  if (given.error !== undefined && typeof given.error !== "string") {
    throw new TypeError(`answer: error must be a string, not ${kindOf(given.error)}`);
  }
  return given;
}

/**
 * Answers the interrupt that asks the page to execute a call.
 * @param {any} agent
 * @param {AgentInternals} internals
 * @param {any} interrupt
 * @param {unknown} payload
 * @param {any} parameters
 */
async function execute(agent, internals, interrupt, payload, parameters) {
  if (!String(interrupt.reason).endsWith(EXECUTION)) {
    throw new AGUIError("bad_input",
      `The interrupt ${JSON.stringify(interrupt.id)} is about this call: answer that, by resume().`);
  }
  const entry = { interruptId: interrupt.id, status: "resolved", payload };
  internals.held = [...internals.held.filter(({ interruptId }) => interruptId !== interrupt.id), entry];
  internals.changes.mark();
  const open = agent.pendingInterrupts.some((/** @type {any} */ { id }) =>
    !internals.held.some(({ interruptId }) => interruptId === id));
  return open ? null : agent.resume([entry], parameters);
}

/**
 * @param {readonly any[]} messages
 * @param {string} toolCallId
 */
export function answered(messages, toolCallId) {
  return messages.some((message) => message.role === "tool" && message.toolCallId === toolCallId);
}

/**
 * Something that was sent during a run and waits for its end.
 * @typedef {{id: string, content: any, parameters: any, subscriber: any, settle: (over: any) => void}} Queued
 */

/**
 * Lets what was sent during a run wait for its end.
 * @param {AgentInternals} internals
 * @param {any} content
 * @param {any} parameters
 * @param {any} subscriber
 * @returns {Promise<any>} settles as its own run does
 */
export function enqueue(internals, content, parameters, subscriber) {
  return new Promise((settle) => {
    // The rest is the inside's own.
    const entry = Object.defineProperties({ id: uuid(), content }, {
      parameters: { value: { ...parameters, whileRunning: "queue" } }, subscriber: { value: subscriber },
      settle: { value: settle },
    });
    internals.queue = Object.freeze([...internals.queue, Object.freeze(/** @type {any} */ (entry))]);
    internals.changes.mark();
  });
}

/**
 * Takes back what waits to be sent.
 * @param {AgentInternals} internals
 * @param {string} id
 */
export function unqueue(internals, id) {
  const entry = internals.queue.find((each) => each.id === id);
  if (!entry) return false;
  internals.queue = Object.freeze(internals.queue.filter((each) => each !== entry));
  entry.settle({ result: undefined, newMessages: [], outcome: "aborted" });
  internals.changes.mark();
  return true;
}
