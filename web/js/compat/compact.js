"use strict";

import { mergeMetadata } from "./values.js";

/** Which events build something by deltas, and by which id. */
const DELTAS = new Map([["TEXT_MESSAGE_CONTENT", "messageId"], ["REASONING_MESSAGE_CONTENT", "messageId"],
  ["TOOL_CALL_ARGS", "toolCallId"]]);

/** Events that touch no message and no call: deltas on both sides of one may be joined. */
const APART = new Set(["STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED", "RAW", "CUSTOM"]);

/**
 * Gives fewer events that make the same snapshots: deltas of one message or call are joined as long as nothing in
 * between touches what they build (the first one's timestamp and rawEvent stay), and of the state of a run only the
 * last snapshot and what follows it stays. No other event moves.
 * @param {readonly any[]} events
 * @returns {any[]}
 */
export function compactEvents(events) {
  /** @type {any[]} */
  const kept = [];
  /** Where the deltas stand that may still grow. @type {Map<string, number>} */
  let growing = new Map();
  /** Where the state events of this run stand. @type {number[]} */
  let state = [];
  for (const event of events) {
    const id = DELTAS.get(event.type);
    const name = id === undefined ? "" : JSON.stringify([event.type, event[id], event.subagentRunId]);
    const at = growing.get(name);
    if (at !== undefined) {
      // null is absent.
      const metadata = mergeMetadata(kept[at].metadata ?? undefined, event.metadata ?? undefined);
      kept[at] = { ...kept[at], delta: kept[at].delta + event.delta, ...(metadata ? { metadata } : {}) };
      continue;
    }
    if (event.type === "STATE_SNAPSHOT") for (const before of state.splice(0)) kept[before] = null;
    if (event.type.startsWith("RUN_")) state = [];
    if (event.type.startsWith("STATE_")) state.push(kept.length);
    if (id) growing.set(name, kept.length);
    else if (!APART.has(event.type)) growing = new Map();
    kept.push(event);
  }
  return kept.filter((event) => event !== null);
}
