"use strict";

// The protected points of an agent's run, by which subclasses change it. A run asks for them only where a subclass
// overrides one (round.js); each may also be called from outside, by code that makes a run of its own.

import { AbstractAgent, AGUIError, Observable, version } from "aguiwasm";
import { inside } from "../agent/internals.js";
import { isInterruptExpired } from "./interrupts.js";
import { defaultApplyEvents } from "./pipeline.js";
import { randomUUID, structuredClone_ } from "./values.js";

/** The members of an input that a run's own parameters name. */
const PARAMETERS = ["threadId", "runId", "parentRunId", "tools", "context", "forwardedProps", "resume"];

/**
 * Asks hooks one after the other and takes what each gives for the agent's.
 * @param {any} agent
 * @param {any} input
 * @param {readonly any[]} subscribers
 * @param {string} name
 * @param {object} [extra]
 * @returns {Promise<{messages?: any, state?: any, stopped: boolean}>}
 */
async function asked(agent, input, subscribers, name, extra) {
  /** @type {{messages?: any, state?: any, stopped: boolean}} */
  const given = { stopped: false };
  for (const subscriber of subscribers) {
    let mutation;
    try {
      mutation = await subscriber[name]?.({ ...extra, messages: agent.messages, state: agent.state, agent, input });
    } catch (thrown) {
      console.error("agui: a hook failed:", thrown);
    }
    if (!mutation) continue;
    take(agent, input, subscribers, mutation);
    const { messages, state, stopPropagation } = mutation;
    if (messages !== undefined) given.messages = agent.messages;
    if (state !== undefined) given.state = agent.state;
    given.stopped = stopPropagation === true;
    if (given.stopped) break;
  }
  return given;
}

/**
 * Makes a mutation the agent's.
 * @param {any} agent
 * @param {any} input
 * @param {readonly any[]} subscribers
 * @param {any} mutation
 */
function take(agent, input, subscribers, { messages, state }) {
  if (messages !== undefined) agent.messages = messages;
  if (state !== undefined) agent.state = state;
  if (inside(agent).run !== null) return; // the run tells of it
  const params = { messages: agent.messages, state: agent.state, agent, input };
  if (messages !== undefined) for (const subscriber of subscribers) subscriber.onMessagesChanged?.(params);
  if (state !== undefined) for (const subscriber of subscribers) subscriber.onStateChanged?.(params);
}

/** @param {any} error */
const isAbort = (error) => error?.name === "AbortError" || error?.cause?.name === "AbortError";

/** The points as an agent has them that overrides none. @type {Record<string, any>} */
const base = {
  /** @this {any} @param {any} [parameters] */
  prepareRunAgentInput(parameters) {
    const { runId, tools = [], context = [], forwardedProps = {}, resume, parentRunId } = parameters ?? {};
    return {
      threadId: this.threadId, runId: runId || randomUUID(), ...(parentRunId && { parentRunId }),
      protocolVersion: "1.0",
      ...structuredClone_({ tools: tools.map(plain), context, forwardedProps, state: this.state }),
      messages: structuredClone_(this.messages.filter((/** @type {any} */ { role }) => role !== "activity")),
      ...(resume !== undefined && { resume: structuredClone_(resume) }),
    };
  },

  /** @this {any} @param {any} input @param {readonly any[]} subscribers */
  async onInitialize(input, subscribers) {
    const answers = new Map((input.resume ?? []).map((/** @type {any} */ entry) => [entry.interruptId, entry.status]));
    const open = this.pendingInterrupts;
    const left = open.filter((/** @type {any} */ { id }) => !answers.has(id)).map((/** @type {any} */ { id }) => id);
    if (left.length > 0) {
      throw new AGUIError("bad_input",
        `The thread has ${left.length} pending interrupt(s) without an answer: ${left.join(", ")}.`);
    }
    for (const interrupt of open) {
      if (answers.get(interrupt.id) === "cancelled" || !isInterruptExpired(interrupt)) continue;
      throw new AGUIError("bad_input",
        `The interrupt ${interrupt.id} expired at ${interrupt.expiresAt}; it can only be cancelled.`);
    }
    const { messages, state } = await asked(this, input, subscribers, "onRunInitialized");
    if (messages !== undefined) input.messages = messages.filter((/** @type {any} */ { role }) => role !== "activity");
    if (state !== undefined) input.state = state;
  },

  /** @this {any} @param {any} input @param {any} error @param {readonly any[]} subscribers */
  onError(input, error, subscribers) {
    return new Observable((observer) => {
      asked(this, input, subscribers, "onRunFailed", { error }).then(({ stopped }) => {
        if (!stopped && !isAbort(error)) throw error;
        observer.next(/** @type {any} */ ({}));
        observer.complete();
      }).catch((thrown) => observer.error(thrown));
    });
  },

  /** @this {any} @param {any} input @param {readonly any[]} subscribers */
  async onFinalize(input, subscribers) {
    await asked(this, input, subscribers, "onRunFinalized");
  },

  /** @this {any} @param {any} input @param {any} events @param {readonly any[]} subscribers */
  apply(input, events, subscribers) {
    return defaultApplyEvents(input, events, this, subscribers, this.debugLogger);
  },

  /** @this {any} @param {any} input @param {any} mutations @param {readonly any[]} subscribers */
  processApplyEvents(input, mutations, subscribers) {
    return new Observable((observer) => {
      const subscription = mutations.subscribe({
        next: (/** @type {any} */ mutation) => {
          take(this, input, subscribers, mutation);
          observer.next(mutation);
        },
        error: (/** @type {unknown} */ error) => observer.error(error),
        complete: () => observer.complete(),
      });
      return () => subscription?.unsubscribe?.();
    });
  },
};

/** A tool without what is the page's own. @param {any} tool */
function plain(tool) {
  return Object.fromEntries(Object.entries(tool).filter(([, value]) => typeof value !== "function"));
}

/** What an Observable ends with. @param {any} observable @returns {Promise<void>} */
const ended = (observable) => new Promise((resolve, reject) => {
  observable.subscribe({ error: reject, complete: () => resolve() });
});

/**
 * The points that an agent's class or the agent itself overrides, as a run asks for them.
 * @param {any} agent
 * @returns {import("../agent/points.js").Points | null} null: none
 */
function pointsOf(agent) {
  const own = (/** @type {string} */ name) => agent[name] !== base[name];
  const applies = own("apply") || own("processApplyEvents");
  if (!applies && !["prepareRunAgentInput", "onInitialize", "onError", "onFinalize"].some(own)) return null;
  return {
    prepare: own("prepareRunAgentInput") ? (parameters) => {
      const before = base.prepareRunAgentInput.call(agent, parameters);
      const after = agent.prepareRunAgentInput(parameters);
      const names = new Set([...Object.keys(before), ...Object.keys(after)]);
      const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      const pick = (/** @type {boolean} */ ofRun) => Object.fromEntries(
        changed.filter((name) => PARAMETERS.includes(name) === ofRun).map((name) => [name, after[name]]));
      return { parameters: pick(true), members: pick(false) };
    } : null,
    initialize: own("onInitialize") ? (input, subscribers) => agent.onInitialize(input, subscribers) : null,
    fail: own("onError") ? (input, error, subscribers) => ended(agent.onError(input, error, subscribers)) : null,
    finalize: own("onFinalize") ? (input, subscribers) => agent.onFinalize(input, subscribers) : null,
    apply: applies ? (input, subscribers) => {
      /** @type {any} */
      let feed;
      const events = new Observable((observer) => {
        feed = observer;
      });
      const over = ended(agent.processApplyEvents(input, agent.apply(input, events, subscribers), subscribers));
      over.catch(() => {});
      return { event: (event) => feed?.next(event), end: () => (feed?.complete(), over) };
    } : null,
  };
}

const { prototype } = AbstractAgent;
if (!Object.hasOwn(prototype, "prepareRunAgentInput")) {
  for (const name of Object.keys(base)) {
    Object.defineProperty(prototype, name, { value: base[name], configurable: true, writable: true });
  }
  /** @type {any} */
  const page = globalThis;
  page[Symbol.for("agui.runtimes")].get(version).runtime.parts.take("compat", { pointsOf });
}
