"use strict";

import { answer } from "./handlers.js";
import { completed, Round } from "./round.js";
import { report } from "../core/error.js";
import { uuid } from "../core/ids.js";

/**
 * The requests of a runAgent: the one that was asked for, and those that follow from it by themselves, because tools of
 * the page answered or interrupts were answered at once.
 */

/** @typedef {import("./run.js").AgentRun} AgentRun */
/** @typedef {import("./run.js").Params} Params */
/** @typedef {import("./run.js").End} End */
/** @typedef {import("./run.js").Outcome} Outcome */

/**
 * @param {AgentRun} run
 * @param {Params} params
 * @param {(() => any[]) | undefined} first gives calls to answer before the first request
 * @returns {Promise<{result: any, newMessages: any[], outcome: Outcome} | null>}
 */
export async function follow(run, params, first) {
  const { agent, internals } = run;
  const { conversation } = internals;
  const { signal } = run.controller;
  const before = new Set(conversation.messages.map((message) => message.id));
  /** @type {Params | null} */
  let next = first ? null : params;
  /** @type {End} */
  let end = { outcome: run.aborted || !first ? "aborted" : undefined, calls: [] };
  let rounds = 0;
  if (first && !run.aborted) {
    const calls = first();
    if (calls.length === 0) return null;
    const { tools } = run;
    const answers = answer(calls, tools, { agent, signal, id: uuid, kept: internals.kept });
    if (await place(run, answers) && run.follows(true, tools)) next = params;
  }
  while (next !== null && !run.aborted) {
    const now = /** @type {Params} */ (next);
    next = null;
    run.asked = [];
    const { tools } = run;
    if ((now.resume || now.forwardedProps?.command) && (!await beside(run, now, tools) || run.aborted)) break;
    const round = new Round(agent, internals, run, tools, now, rounds);
    run.round = round;
    const { end: ended, answers } = await round.promise;
    end = ended;
    if (run.aborted) break;
    /** @type {any[]} */
    let entries = [];
    if (answers) {
      const given = await place(run, answers);
      if (given === null) break;
      entries = given;
    }
    if (end.outcome === "interrupt" && conversation.interrupts.length > 0) { // a hook may have kept them out
      const resume = await ask(run, entries);
      if (resume && !run.aborted) {
        next = { ...now, runId: undefined, parentRunId: undefined, said: undefined, join: undefined, resume };
      } else {
        internals.held = entries;
      }
    } else if (internals.run === run && run.follows(answers !== null, tools)) {
      next = { ...now, runId: undefined, parentRunId: undefined, said: undefined, join: undefined, resume: undefined };
    }
    rounds = run.asked.length > 0 ? 0 : rounds + 1;
  }
  return {
    result: end.result,
    newMessages: conversation.messages.filter((message) => !before.has(message.id)),
    outcome: run.aborted ? "aborted" : end.outcome,
  };
}

/**
 * Before a request that answers interrupts: lets the handlers of the calls run that stand beside them. Which those are,
 * Go says (state/thread/beside.go).
 * @param {AgentRun} run
 * @param {Params} params
 * @param {any[]} tools
 * @returns {Promise<boolean>} false: it was ended meanwhile
 */
async function beside(run, { resume, forwardedProps }, tools) {
  const { agent, internals } = run;
  const { conversation } = internals;
  const handlers = tools.filter((tool) => tool.handler && !tool.needsApproval);
  if (handlers.length === 0) return true;
  const instance = conversation.instance ?? await internals.runtime.instance().catch(() => null);
  if (instance === null || run.aborted) return true; // the request says why
  conversation.sync(instance);
  const { calls } = conversation.ask("beside", {
    threadId: agent.threadId, forwardedProps, resume: completed(internals, resume), asks: internals.asks(tools),
    handled: handlers.map(({ name }) => name),
  });
  if (calls.length === 0) return true;
  return await place(run, answer(calls, tools, {
    agent, signal: run.controller.signal, id: uuid, kept: internals.kept,
  })) !== null;
}

/**
 * Puts what handlers gave into the conversation.
 * @param {AgentRun} run
 * @param {Promise<any[] | null>} answers
 * @returns {Promise<any[] | null>} the answers to interrupts; null: it is too late for all of them
 */
async function place(run, answers) {
  const given = await answers;
  // In another thread nothing is wanted that was asked for the former one.
  if (given === null || run.aborted || run.agent.threadId !== run.threadId) return null;
  const { internals } = run;
  const answering = given.filter((each) => each.interruptId === undefined);
  if (answering.length > 0) {
    const instance = internals.conversation.instance ?? await internals.runtime.instance();
    if (run.aborted) return null;
    await internals.place(instance, answering);
  }
  run.taken(run.given.length);
  return given.filter((each) => each.interruptId !== undefined);
}

/**
 * Asks onInterrupt about each open interrupt that is not answered yet.
 * @param {AgentRun} run
 * @param {any[]} entries answers that are there
 * @returns {Promise<any[] | null>} null: not all are answered
 */
async function ask(run, entries) {
  const { conversation, onInterrupt } = run.internals;
  const { signal } = run.controller;
  const open = conversation.interrupts.filter(({ id }) => !entries.some(({ interruptId }) => interruptId === id));
  if (open.length === 0) return entries;
  if (!onInterrupt) return null;
  let stop = () => {};
  const stopped = new Promise((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
  });
  const answers = await Promise.race([stopped, Promise.all(open.map(async (interrupt) => {
    try {
      const given = await /** @type {Function} */ (onInterrupt)(interrupt, { agent: run.agent, signal });
      if (given === undefined || given === null) return null;
      if (typeof given !== "object" || (given.status !== "resolved" && given.status !== "cancelled")) {
        throw new TypeError('onInterrupt must give nothing, or {status: "resolved", payload} or {status: "cancelled"}');
      }
      return { ...given, interruptId: interrupt.id };
    } catch (thrown) {
      report(thrown);
      return null;
    }
  }))]);
  signal.removeEventListener("abort", stop);
  return Array.isArray(answers) && !answers.includes(null) ? [...entries, ...answers] : null;
}
