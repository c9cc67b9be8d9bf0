"use strict";

// The lines of a debug logger for the stages before an event is applied: HTTP with SSE or PROTO as it was sent,
// TRANSFORM where it was made of a chunk, ENFORCE where nobody knows its type, VERIFY.

import { Middleware } from "aguiwasm";
import { inside } from "../agent/internals.js";
import { isRecognizedEvent } from "./events.js";
import { parseProtoStream } from "./http.js";

const PROTO = "application/vnd.ag-ui.event+proto";

/** What came in chunks in the run at hand, by its id. @type {WeakMap<object, Set<string>>} */
const chunks = new WeakMap();

/** @param {any} event */
const idOf = ({ toolCallId, messageId }) => toolCallId ?? messageId;

/** @param {any} internals @param {any} event an event as it was sent */
function sent(internals, event) {
  if (event?.type?.endsWith?.("_CHUNK")) chunks.get(internals)?.add(idOf(event));
}

/**
 * The line of an event that was made of a chunk.
 * @param {any} logger
 * @param {ReadonlySet<string> | undefined} parts
 * @param {any} event
 */
export function logMade(logger, parts, event) {
  if (!/_(?:START|CONTENT|ARGS|END)$/.test(event.type) || !parts?.has(idOf(event))) return;
  const { messageId, toolCallId, toolCallName } = event;
  const call = { toolCallId, ...(toolCallName && { toolCallName }) };
  logger.event("TRANSFORM", event.type, event, toolCallId === undefined ? { messageId } : call);
}

/** Sees what an agent's own run gives. */
class Sent extends Middleware {
  #internals;

  /** @param {any} internals */
  constructor(internals) {
    super();
    this.#internals = internals;
  }

  /** @param {any} input @param {any} next @returns {any} */
  run(input, next) {
    const events = next.run(input);
    if (typeof events?.subscribe !== "function" || !this.#internals.debug.logger) return events;
    return {
      /** @param {any} observer */
      subscribe: (observer) => events.subscribe({
        next: (/** @type {any} */ event) => {
          sent(this.#internals, event);
          observer.next(event);
        },
        error: (/** @type {unknown} */ error) => observer.error(error),
        complete: () => observer.complete(),
      }),
    };
  }
}

/** Has an agent's logger write the lines of every stage. @param {any} agent */
export function staged(agent) {
  const internals = inside(agent);
  /** @type {any} */
  const { debug, middlewares } = internals;
  if (!debug.enabled) return;
  const logger = agent.debugLogger;
  if (!debug.logger) Object.defineProperty(debug, "logger", { value: logger });
  chunks.set(internals, new Set());
  if (!Object.hasOwn(debug, "stages")) {
    Object.defineProperty(debug, "stages", { value: (/** @type {any} */ event) => {
      const { type } = event;
      logMade(logger, chunks.get(internals), event);
      if (!isRecognizedEvent(event)) logger.event("ENFORCE", "Unrecognised event:", event, { type });
      logger.event("VERIFY", "Event:", event, { type });
    } });
  }
  if (middlewares.some((/** @type {any} */ each) => each instanceof Sent)) return;
  if (middlewares.length > 0 || agent.run !== internals.transport) middlewares.unshift(new Sent(internals));
}

/**
 * What writes the lines of a response as it is read.
 * @param {any} internals
 * @param {Response} response
 * @returns {((result: {done?: boolean, value?: any}) => void) | null} takes what each read gave; null: nothing is to be
 *   written
 */
export function tapped(internals, response) {
  const { logger } = internals.debug;
  if (!logger) return null;
  const contentType = response.headers?.get("content-type");
  const parser = contentType === PROTO ? "protobuf" : "sse";
  logger.lifecycle("HTTP", "Stream format detected:", { contentType, parser });
  if (!logger.eventsEnabled) return null;
  if (parser === "protobuf") return protobuf(internals, logger);
  const decoder = new TextDecoder();
  let text = "";
  /** @type {string[]} */
  let data = [];
  return ({ done, value }) => {
    if (done || !ArrayBuffer.isView(value)) return;
    text += decoder.decode(value, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      if (line !== "" || data.length === 0) continue;
      try {
        const event = JSON.parse(data.join("\n"));
        logger.event("SSE", "Event received:", event, { type: event?.type });
        logger.event("HTTP", "Event received:", event, { type: event?.type });
        sent(internals, event);
      } catch (error) {
        logger.event("HTTP", "Event invalid:", { json: data.join("\n"), error: String(error) });
      }
      data = [];
    }
  };
}

/** @param {any} internals @param {any} logger */
function protobuf(internals, logger) {
  /** @type {any} */
  let bytes;
  parseProtoStream({ subscribe: (/** @type {any} */ observer) => {
    bytes = observer;
    return { unsubscribe() {} };
  } }, logger).subscribe({
    next: (/** @type {any} */ event) => {
      logger.event("HTTP", "Event received:", event, { type: event.type });
      sent(internals, event);
    },
    error: () => {}, // the run says it
  });
  return (/** @type {{done?: boolean, value?: any}} */ { done, value }) =>
    (done ? bytes?.complete() : bytes?.next({ type: "data", data: new Uint8Array(value) }));
}
