// Generated streams in their other forms: compacted they make the same snapshots, in protobuf the same events as well.
// COUNT and SEED choose how many and which.
import test from "node:test";
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { decode, encode } from "@ag-ui/proto";
import { root } from "../harness/static.js";
import { generate } from "./generate.js";

const agui = await import(pathToFileURL(`${root}dist/agui.compat.node.mjs`).href);
const count = Number(process.env.COUNT ?? 200);
const first = Number(process.env.SEED ?? 1);
const encoder = new TextEncoder();

/**
 * Plays a body; gives what was told, and the snapshots at the end. Ids that are made here are numbered.
 * @param {any} input
 * @param {Uint8Array<ArrayBuffer>} body
 * @param {string} type
 */
async function play(input, body, type) {
  /** @type {any[]} */
  const told = [];
  const given = { threadId: "t1", runId: "r1", ...structuredClone(input) };
  const fetch = async () => new Response(body, { headers: { "content-type": type } });
  const outcome = await new Promise((resolve) => {
    const run = agui.run(given, { url: "https://agent.example/run", fetch, onWarning: () => {} });
    const subscription = run.subscribe({
      next: (/** @type {any} */ event) => void told.push(event),
      error: (/** @type {any} */ error) => resolve({ code: error.code, ...shown() }),
      complete: () => resolve(shown()),
    });
    const shown = () => ({
      messages: subscription.messages, state: subscription.state, interrupts: subscription.interrupts,
      pending: subscription.pendingToolCallIds,
    });
  });
  const seen = new Map();
  return JSON.parse(JSON.stringify({ told, snapshots: outcome }), (_key, each) => {
    if (typeof each !== "string" || !/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(each)) return each;
    if (!seen.has(each)) seen.set(each, `made ${seen.size}`);
    return seen.get(each);
  });
}

/** @param {any[]} events */
const sse = (events) => encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

/** Each stream, with its seed. */
function* streams() {
  for (let seed = first; seed < first + count; seed++) yield { seed, ...generate(seed) };
}

test("compacted streams make the same snapshots", async () => {
  let fewer = 0;
  for (const { seed, input, events } of streams()) {
    const compacted = agui.compactEvents(events);
    fewer += events.length - compacted.length;
    const { snapshots } = await play(input, sse(events), "text/event-stream");
    const less = await play(input, sse(compacted), "text/event-stream");
    assert.deepEqual(less.snapshots, snapshots, `seed ${seed}`);
  }
  assert.ok(fewer > count / 3, `${fewer} fewer`);
});

/** An event's message where the oracle carries it whole, or null. @param {any} event */
function message(event) {
  const { warn } = console;
  let warned = false;
  console.warn = () => void (warned = true);
  try {
    const bytes = encode(event);
    assert.deepEqual(decode(bytes), event);
    return warned ? null : bytes;
  } catch {
    return null;
  } finally {
    console.warn = warn;
  }
}

test("streams are the same in protobuf, event by event", async () => {
  let carried = 0;
  for (const { seed, input, events } of streams()) {
    /** @type {any[]} */
    const sent = [];
    /** @type {Uint8Array[]} */
    const parts = [];
    for (const event of events) {
      const bytes = message(event);
      if (bytes === null) continue; // what it cannot say is left out of both
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      parts.push(length, bytes);
      sent.push(event);
    }
    carried += sent.length;
    const asProto = await play(input, new Uint8Array(Buffer.concat(parts)), "application/vnd.ag-ui.event+proto");
    assert.deepEqual(asProto, await play(input, sse(sent), "text/event-stream"), `seed ${seed}`);
  }
  assert.ok(carried > 10 * count, `${carried} events`);
});
