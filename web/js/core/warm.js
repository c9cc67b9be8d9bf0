"use strict";

import { Execution, rest, runs } from "./execution.js";
import { Mirror } from "./mirror.js";

/**
 * The warm-up: a run of our own through the real path, from bytes to snapshots, while the page is idle. Engines compile
 * a function when it is called first, so that a page's first run would pay for it. It goes in small pieces, one for
 * each idle moment, and ends at once when a run of the page's begins. Nothing of it is told to anybody.
 */

/** What comes once, and what comes again and again: type and fields of events. */
const FIRST = [
  { type: "RUN_STARTED", threadId: "w", runId: "w" }, { type: "STATE_SNAPSHOT", snapshot: { a: [1], b: { c: "d" } } },
];
const AGAIN = (/** @type {number} */ i) => [
  { type: "TEXT_MESSAGE_START", messageId: `m${i}`, role: "assistant" },
  ...Array(12).fill({ type: "TEXT_MESSAGE_CONTENT", messageId: `m${i}`, delta: "word " }),
  { type: "TEXT_MESSAGE_END", messageId: `m${i}` },
  { type: "TOOL_CALL_START", toolCallId: `t${i}`, toolCallName: "t", parentMessageId: `m${i}` },
  { type: "TOOL_CALL_ARGS", toolCallId: `t${i}`, delta: "{}" }, { type: "TOOL_CALL_END", toolCallId: `t${i}` },
  { type: "TOOL_CALL_RESULT", messageId: `r${i}`, toolCallId: `t${i}`, content: "x" },
  {
    type: "STATE_DELTA", delta: [
      { op: "replace", path: "/b/c", value: i }, { op: "add", path: "/a/-", value: { i } },
      { op: "remove", path: "/a/0" },
    ],
  },
];
const LAST = [{ type: "RUN_FINISHED", threadId: "w", runId: "w" }];
/** How often. */
const ROUNDS = 24;
const INPUT = '{"threadId":"w","runId":"w","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}';

/** Resolves when the page has nothing to do. */
const idle = () => new Promise((resolve) => {
  if (typeof requestIdleCallback === "function") requestIdleCallback(resolve);
  else setTimeout(resolve, 50);
});

/**
 * Warms a program that has just begun to run.
 * @param {import("./instance.js").Instance} instance
 */
export async function warm(instance) {
  let over = false;
  /** @type {Execution | undefined} */
  let run;
  rest.end = () => {
    over = true;
    run?.cancel();
    rest.end = () => {};
  };
  await idle();
  if (over || instance.dead || runs.size > 0) return rest.end();
  const encoder = new TextEncoder();
  let events = FIRST.map((event) => [event]);
  for (let i = 0; i < ROUNDS; i++) events = events.concat(i < 1 ? AGAIN(i).map((event) => [event]) : [AGAIN(i)]);
  events.push(LAST);
  const body = new ReadableStream({
    async pull(controller) {
      await idle();
      const next = over ? undefined : events.shift();
      if (!next) return controller.close();
      controller.enqueue(encoder.encode(next.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")));
    },
  }, { highWaterMark: 0 });
  const mirror = new Mirror();
  run = new Execution({
    runtime: { instance: async () => instance }, mirror, mode: "fast", quiet: true, warn: () => {},
    prepare: () => ({ input: INPUT }),
    source: () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  }, { event: () => void mirror.get("messages"), error: () => rest.end(), complete: () => rest.end() });
  run.begin();
}
