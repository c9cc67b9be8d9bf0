"use strict";

// The stages of the reference's pipeline as functions. Each is this runtime's pipeline over the events that it is
// given.

import { AbstractAgent, HttpAgent, Observable, run } from "aguiwasm";
import { resolveDebugLogger } from "./debug.js";
import { isRecognizedEvent } from "./events.js";
import { logMade } from "./stages.js";

/** @typedef {import("../agui.compat.d.ts").DebugLoggerInput} DebugLoggerInput */

/** Nothing is sent there: the events are given. */
const NOWHERE = "https://events.invalid/";
/** The run that events without one are read in. */
const MADE = { threadId: "made", runId: `made ${Math.random()}` };
const INPUT = { ...MADE, messages: [], state: {}, tools: [], context: [], forwardedProps: {} };

/** @param {any} event */
const isMade = (event) => event.runId === MADE.runId && event.threadId === MADE.threadId;
/** @param {any} error how a run ended that is no fault of the stage's */
const isEnd = ({ code }) => code === "incomplete_stream" || code === "run_error";

/**
 * Subscribes to a source at once, which may be one that does not wait, and keeps what it gives until it is read, as a
 * server sends it.
 * @param {any} source
 * @param {{framed?: boolean, seen?: (event: any) => void}} [how] framed: a run begins before events that have none
 * @returns {{response: () => Response, stop: () => void}}
 */
function bodyOf(source, { framed = false, seen } = {}) {
  const encoder = new TextEncoder();
  /** @type {any} */
  let subscription;
  const stop = () => subscription?.unsubscribe?.();
  const body = new ReadableStream({
    start(controller) {
      let begun = !framed;
      const send = (/** @type {any} */ event) =>
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      const begin = (/** @type {any} */ event) => {
        if (!begun && event?.type !== "RUN_STARTED") send({ type: "RUN_STARTED", ...MADE });
        begun = true;
      };
      subscription = source.subscribe({
        next: (/** @type {any} */ event) => {
          seen?.(event);
          begin(event);
          send(event);
        },
        error: (/** @type {unknown} */ error) => controller.error(error),
        complete: () => {
          begin(undefined);
          controller.close();
        },
      });
    },
    cancel: stop,
  });
  return { response: () => new Response(body, { headers: { "content-type": "text/event-stream" } }), stop };
}

/**
 * A stage: what a reading gives of the events of a source.
 * @param {ReturnType<typeof bodyOf>} body
 * @param {any} events
 * @param {(event: any) => void} log
 * @param {any} observer
 */
function told(body, events, log, observer) {
  const subscription = events.subscribe({
    next: (/** @type {any} */ event) => {
      if (isMade(event)) return;
      log(event);
      observer.next(event);
    },
    error: (/** @type {any} */ error) => (isEnd(error) ? observer.complete() : observer.error(causeOf(error))),
    complete: () => observer.complete(),
  });
  return () => {
    subscription.unsubscribe();
    body.stop();
  };
}

/** What the source of the events failed with. @param {any} error */
const causeOf = (error) => (error.code === "network" && error.cause !== undefined ? error.cause : error);

/** Expands chunks, and translates retired shapes. @param {DebugLoggerInput} [debugLogger] */
export function transformChunks(debugLogger) {
  const logger = resolveDebugLogger(debugLogger);
  return (/** @type {any} */ source) => new Observable((observer) => {
    /** What came in chunks, by its id. @type {Set<string>} */
    const parts = new Set();
    const idOf = (/** @type {any} */ { messageId, toolCallId }) => toolCallId ?? messageId;
    const seen = (/** @type {any} */ event) => logger && event?.type?.endsWith("_CHUNK") && parts.add(idOf(event));
    const body = bodyOf(source, { framed: true, seen });
    return told(body, run(INPUT, { url: NOWHERE, headers: {}, fetch: body.response, onWarning: quiet }),
      (event) => logger && logMade(logger, parts, event), observer);
  });
}

/** Ends with an error where events break the order that the protocol has. @param {DebugLoggerInput} [debugLogger] */
export function verifyEvents(debugLogger) {
  const logger = resolveDebugLogger(debugLogger);
  return (/** @type {any} */ source) => new Observable((observer) => {
    const body = bodyOf(source);
    return told(body, run(INPUT, { url: NOWHERE, headers: {}, verify: "strict", fetch: body.response }),
      (event) => logger?.event("VERIFY", "Event:", event, { type: event.type }), observer);
  });
}

/**
 * Leaves out events that the protocol does not know; what is malformed is for the stages behind it.
 * @param {DebugLoggerInput} [debugLogger]
 */
export function enforceEvents(debugLogger) {
  const logger = resolveDebugLogger(debugLogger);
  return (/** @type {any} */ source) => new Observable((observer) => {
    const body = bodyOf(source);
    const agent = new HttpAgent({ url: NOWHERE, headers: {}, fetch: body.response });
    return told(body, agent.run(INPUT), () => {}, {
      next: (/** @type {any} */ event) => {
        if (isRecognizedEvent(event)) observer.next(event);
        else logger?.event("ENFORCE", "Unrecognised event dropped:", event, { type: event.type });
      },
      error: (/** @type {unknown} */ error) => observer.error(error),
      complete: () => observer.complete(),
    });
  });
}

const quiet = () => {};

/** Whether a hook is one that events call. @param {string} name */
const isOfEvents = (name) => /^on(?:\w*Event|NewMessage|NewToolCall)$/.test(name);

/**
 * Applies events to the agent's messages and the input's state, asks subscribers about each, and gives what each
 * changed: {messages?, state?}. The agent itself is left alone.
 * @param {any} input
 * @param {any} source
 * @param {any} agent
 * @param {readonly any[]} [subscribers]
 * @param {DebugLoggerInput} [debugLogger]
 */
export function defaultApplyEvents(input, source, agent, subscribers = [], debugLogger) {
  const log = resolveDebugLogger(debugLogger);
  return new Observable((observer) => {
    const body = bodyOf(source, { framed: true });
    const applying = new AbstractAgent({
      threadId: input.threadId, initialMessages: agent.messages ?? input.messages ?? [],
      initialState: input.state ?? {}, unanswered: "keep", run: body.response,
    });
    applying.subscribers = subscribers.map((subscriber) => ofEvents(subscriber, agent, input));
    let on = true;
    const changed = (/** @type {any} */ { messages, state }) => {
      const now = { ...(messages !== last.messages ? { messages } : {}), ...(state !== last.state ? { state } : {}) };
      last = { messages, state };
      if (on && Object.keys(now).length > 0) observer.next(/** @type {any} */ (now));
    };
    let last = { messages: applying.messages, state: applying.state };
    if (log?.eventsEnabled) {
      applying.watch((/** @type {any} */ event) => {
        if (!isMade(event)) {
          log.event("APPLY", "Event applied:", event, { type: event.type, subscribers: subscribers.length });
        }
      });
    }
    applying.runAgent({ runId: input.runId }, { onMessagesChanged: changed, onStateChanged: changed }).then(
      () => observer.complete(),
      (/** @type {any} */ error) => (isEnd(error) ? observer.complete() : observer.error(causeOf(error))),
    ).finally(() => applying.dispose());
    return () => {
      on = false;
      applying.abortRun();
      body.stop();
    };
  });
}

/**
 * A subscriber whose hooks of events are called as the agent's and the input's.
 * @param {any} subscriber
 * @param {any} agent
 * @param {any} input
 */
function ofEvents(subscriber, agent, input) {
  return new Proxy(subscriber, {
    get(target, name) {
      const hook = target[name];
      if (typeof name !== "string" || typeof hook !== "function" || !isOfEvents(name)) return undefined;
      return (/** @type {any} */ params) => {
        if (!params.event || !isMade(params.event)) return hook.call(target, as(params, { agent, input }));
      };
    },
  });
}

/**
 * Parameters of a hook with others of their members; what is read when it is asked for stays so.
 * @param {any} params
 * @param {any} own
 */
function as(params, own) {
  const { getOwnPropertyDescriptors } = Object;
  return Object.defineProperties({}, { ...getOwnPropertyDescriptors(params), ...getOwnPropertyDescriptors(own) });
}
