"use strict";

import { checkParameters } from "./config.js";
import { drain, inside } from "./internals.js";
import { answer } from "./people.js";
import { startRun } from "./run.js";
import { AGUIError } from "../core/error.js";
import { kindOf } from "../api/input.js";

/**
 * What people decide about an agent's calls and questions: let a handler run, refuse it, leave a question. All of it
 * waits for the program, so it comes with the part "agent".
 */

/**
 * Runs the handlers of the waiting calls, or of one of them, and what follows from their answers.
 * @param {any} agent
 * @param {string | undefined} id
 * @param {any} parameters
 * @param {any} subscriber
 * @returns {Promise<any>} null: no call waits for a handler
 */
export async function runPending(agent, id, parameters, subscriber) {
  const internals = inside(agent);
  const { tools } = checkParameters(parameters ?? {});
  const instance = await internals.runtime.instance();
  return startRun(agent, parameters, subscriber, () => {
    internals.conversation.sync(instance);
    const handled = [...internals.tools, ...tools].filter((tool) => tool.handler &&
      (id !== undefined || !tool.needsApproval));
    return internals.conversation.ask("pending", {
      threadId: agent.threadId, handled: handled.map(({ name }) => name), id: id ?? "",
    }).calls;
  });
}

/**
 * Lets the handler of a waiting call run, or refuses it.
 * @param {any} agent
 * @param {any} toolCallId
 * @param {any} approved
 * @param {any} [parameters]
 * @returns {Promise<any>}
 */
export async function approve(agent, toolCallId, approved, parameters) {
  if (typeof toolCallId !== "string") throw new TypeError(`approve needs a tool call's id, not ${kindOf(toolCallId)}`);
  if (typeof approved !== "boolean") {
    throw new TypeError(`approve: approved must be a boolean, not ${kindOf(approved)}`);
  }
  if (!agent.pendingToolCallIds.includes(toolCallId)) {
    throw new AGUIError("bad_input", `The tool call ${JSON.stringify(toolCallId)} does not wait.`);
  }
  if (!approved) return answer(agent, toolCallId, undefined, { error: "Rejected by the user", parameters });
  const result = await runPending(agent, toolCallId, parameters, undefined);
  if (result === null) {
    throw new AGUIError("bad_input",
      `No handler of this agent answers the tool call ${JSON.stringify(toolCallId)}, or it has run.`);
  }
  return result;
}

/**
 * Leaves a question or a waiting call, or all of them.
 * @param {any} agent
 * @param {any} id
 */
export async function dismiss(agent, id) {
  const internals = inside(agent);
  if (id !== undefined && (typeof id !== "string" || id === "")) {
    throw new TypeError(`dismiss needs the id of an interrupt or a tool call, not ${kindOf(id)}`);
  }
  const { conversation } = internals;
  const instance = conversation.instance ?? await internals.runtime.instance();
  if (internals.run?.ending) await internals.run.over();
  if (internals.run !== null) {
    throw new AGUIError("bad_input", "A run of this agent is under way; nothing can be dismissed before its end.");
  }
  const before = conversation.messages;
  conversation.sync(instance);
  conversation.change("dismiss", { id: id ?? "" });
  queueMicrotask(() => drain(internals));
  internals.changes.mark();
  if (conversation.messages !== before) void internals.hooks().tell("onMessagesChanged");
}
