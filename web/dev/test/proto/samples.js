// Messages of the protobuf encoding, made and read by @ag-ui/proto, the oracle: what our reader must make of each.
import { readFileSync } from "node:fs";
import { decode, encode } from "@ag-ui/proto";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { root } from "../harness/static.js";

/** @typedef {{name: string, message: string, event?: any, fails?: "unknown" | "invalid"}} Sample */

const base = {
  timestamp: 1764684000123, rawEvent: { from: "x", list: [1, null] }, metadata: { k: "v", deep: { n: 1.5 } },
};
const sub = { subagentRunId: "s" };
const toolCall = {
  id: "c", type: "function", function: { name: "f", arguments: "{\"a\":1}" }, metadata: { m: true },
  encryptedValue: "e",
};
const usage = [{ provider: "p", model: "m", inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 4,
  cachedInputTokens: 5,
  cacheWriteInputTokens: 6 }, { model: "n" }];
const interrupt = { id: "i", reason: "confirmation", message: "Sure?", toolCallId: "c",
  responseSchema: { type: "object" },
  expiresAt: "2030-01-01T00:00:00Z", metadata: { a: [] }, subagentRunId: "s" };
const parts = [
  { type: "text", text: "see", id: "p1", metadata: { a: 1 } },
  { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" }, metadata: { filename: "a.png" } },
  { type: "audio", source: { type: "url", value: "https://a.example/x", mimeType: "audio/mp3" }, id: "p3" },
  { type: "video", source: { type: "url", value: "https://a.example/y" } },
  { type: "document", source: { type: "file", value: "f1", provider: "p", mimeType: "application/pdf" } },
];
const messages = [
  { id: "1", role: "developer", content: "d", name: "n", encryptedValue: "e", metadata: { a: 1 } },
  { id: "2", role: "system", content: "" },
  { id: "3", role: "user", content: "hi", subagentRunId: "s" },
  { id: "4", role: "user", content: parts },
  { id: "5", role: "assistant", content: "so", toolCalls: [toolCall] },
  { id: "6", role: "assistant", toolCalls: [{ id: "d", type: "function", function: { name: "g", arguments: "" } }] },
  { id: "7", role: "tool", content: "r", toolCallId: "c", error: "none" },
  { id: "8", role: "tool", content: parts, toolCallId: "d" },
  { id: "9", role: "tool", content: [], toolCallId: "d" },
  { id: "10", role: "activity", activityType: "PLAN", content: { steps: ["a", { b: null }] } },
  { id: "11", role: "reasoning", content: "hm", encryptedValue: "x" },
];
const input = { threadId: "t", runId: "r", parentRunId: "q", state: { a: [1, "2", null, true, -0.5] }, messages,
  tools: [{ name: "f", description: "d", parameters: { type: "object" }, metadata: { m: 1 } }],
  context: [{ description: "d", value: "v" }],
  forwardedProps: { p: 1 }, resume: [{ interruptId: "i", status: "resolved", payload: { ok: true }, metadata: {} }],
  protocolVersion: "1.0" };
const patch = [{ op: "add", path: "/a", value: { b: [] } }, { op: "remove", path: "/a" },
  { op: "replace", path: "", value: null },
  { op: "move", path: "/b", from: "/a" }, { op: "copy", path: "/b", from: "/a" },
  { op: "test", path: "/a~1b", value: "x" }];

/** Events of every kind: as bare as they can be, and with all that they may hold. */
export const events = [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "user", name: "n", ...sub, ...base },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "" },
  {
    type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "a \"quoted\" \\ line\nand 😀 \u2028 \u0000", ...sub, ...base,
  },
  { type: "TEXT_MESSAGE_END", messageId: "m" },
  { type: "TEXT_MESSAGE_END", messageId: "m", ...sub, ...base },
  { type: "TEXT_MESSAGE_CHUNK" },
  { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "system", delta: "d", name: "n", ...sub, ...base },
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "m", ...sub, ...base },
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{\"a\":", ...sub, ...base },
  { type: "TOOL_CALL_END", toolCallId: "c" },
  { type: "TOOL_CALL_END", toolCallId: "c", ...sub, ...base },
  { type: "TOOL_CALL_CHUNK" },
  { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", parentMessageId: "m", delta: "{}", ...sub, ...base },
  { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "" },
  { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "ok", role: "tool", ...sub, ...base },
  { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: parts },
  { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: [] },
  ...[null, {}, [], "", "text", 0, -1.5, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 9007199254740993,
    123456789012345680000, true, false,
    { "": { "__proto__x": 1 }, "é\"": [[[]], {}] },
    [null, [null]]].map((snapshot) => ({ type: "STATE_SNAPSHOT", snapshot })),
  { type: "STATE_SNAPSHOT", snapshot: { a: 1 }, ...sub, ...base },
  { type: "STATE_DELTA", delta: [] },
  { type: "STATE_DELTA", delta: patch, ...sub, ...base },
  { type: "MESSAGES_SNAPSHOT", messages: [] },
  { type: "MESSAGES_SNAPSHOT", messages, ...base },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "PLAN", content: {} },
  {
    type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "PLAN", content: { a: [1] }, replace: false, ...sub,
    ...base,
  },
  { type: "ACTIVITY_DELTA", messageId: "a", activityType: "PLAN", patch: [] },
  { type: "ACTIVITY_DELTA", messageId: "a", activityType: "PLAN", patch, ...sub, ...base },
  { type: "RAW", event: null },
  { type: "RAW", event: { x: [1] }, source: "langgraph", ...sub, ...base },
  { type: "CUSTOM", name: "n", value: null },
  { type: "CUSTOM", name: "n", value: { a: "b" }, ...sub, ...base },
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "RUN_STARTED", threadId: "t", runId: "r", parentRunId: "q", protocolVersion: "1.0", input, ...base },
  {
    type: "RUN_STARTED", threadId: "t", runId: "r", input: {
      threadId: "t", runId: "r", messages: [], tools: [], context: [],
    },
  },
  { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r", result: { a: 1 }, outcome: { type: "success" }, usage, ...base },
  {
    type: "RUN_FINISHED", threadId: "t", runId: "r", result: null,
    outcome: { type: "success", pendingToolCallIds: ["a", "b"] },
  },
  {
    type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: {
      type: "interrupt", interrupts: [interrupt, { id: "j", reason: "x" }],
    },
  },
  { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled" } },
  { type: "RUN_ERROR", message: "m" },
  { type: "RUN_ERROR", message: "m", code: "c", usage, ...base },
  { type: "STEP_STARTED", stepName: "s" },
  { type: "STEP_STARTED", stepName: "s", ...sub, ...base },
  { type: "STEP_FINISHED", stepName: "s" },
  { type: "STEP_FINISHED", stepName: "s", ...sub, ...base },
  { type: "REASONING_START", messageId: "m" },
  { type: "REASONING_START", messageId: "m", ...sub, ...base },
  { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
  { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning", ...sub, ...base },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "m", delta: "h" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "m", delta: "h", ...sub, ...base },
  { type: "REASONING_MESSAGE_END", messageId: "m" },
  { type: "REASONING_MESSAGE_END", messageId: "m", ...sub, ...base },
  { type: "REASONING_MESSAGE_CHUNK" },
  { type: "REASONING_MESSAGE_CHUNK", messageId: "m", delta: "h", ...sub, ...base },
  { type: "REASONING_END", messageId: "m" },
  { type: "REASONING_END", messageId: "m", ...sub, ...base },
  { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "m", encryptedValue: "e" },
  { type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: "c", encryptedValue: "e", ...sub, ...base },
  { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "n" },
  { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "n", description: "d", parentSubagentRunId: "p",
    parentToolCallId: "c",
    parentMessageId: "m", ...base },
  { type: "SUBAGENT_FINISHED", subagentRunId: "s" },
  { type: "SUBAGENT_FINISHED", subagentRunId: "s", result: [1], outcome: { type: "success" }, ...base },
  { type: "SUBAGENT_FINISHED", subagentRunId: "s", outcome: { type: "suspended", interruptIds: ["i"] } },
  { type: "SUBAGENT_ERROR", subagentRunId: "s", message: "m" },
  { type: "SUBAGENT_ERROR", subagentRunId: "s", message: "m", code: "c", ...base },
];

/** The events of the conformance cases that their own encoder takes without a word, and gives back as they were. */
export function carried() {
  const cases = JSON.parse(readFileSync(`${root}wasm/session/testdata/conformance/cases.json`, "utf8"));
  const found = new Map();
  for (const { response } of cases) {
    for (const line of (response.body ?? "").split(/\r\n|\r|\n/)) {
      const event = line.length < 4000 && parsed(line.replace(/^data: ?/, ""));
      const bytes = event && quietly(() => encode(event));
      if (bytes && same(event, quietly(() => decode(bytes)))) found.set(JSON.stringify(event), event);
    }
  }
  return [...found.values()];
}

/** Encodes an event, or gives null where their encoder warns or throws. @param {any} event */
export function wire(event) {
  return quietly(() => encode(event));
}

/** @template T @param {() => T} f @returns {T | null} null: it warned or threw */
function quietly(f) {
  const { warn } = console;
  let warned = false;
  console.warn = () => void (warned = true);
  try {
    const made = f();
    return warned ? null : made;
  } catch {
    return null;
  } finally {
    console.warn = warn;
  }
}

const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** @param {any} value @returns {any} */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** @param {string} text */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value?.type === "string" ? value : null;
  } catch {
    return null;
  }
}

// Bytes that no encoder of theirs writes.

/** A message of fields: [number, wire type, value]. @param {[number, number, any?][]} fields */
function raw(fields) {
  const w = new BinaryWriter();
  for (const [number, wire, value] of fields) {
    w.uint32(number * 8 + wire);
    if (wire === 0) w.int64(value);
    if (wire === 1) w.double(value);
    if (wire === 2) w.bytes(typeof value === "string" ? new TextEncoder().encode(value) : value);
    if (wire === 5) w.fixed32(value);
  }
  return w.finish();
}

const content = (/** @type {any[]} */ ...more) =>
  raw([[2, 2, raw([[1, 2, raw([[1, 0, 1]])], [2, 2, "m"], [3, 2, "d"], ...more])]]);
const value = (/** @type {[number, number, any?][]} */ ...fields) =>
  raw([[7, 2, raw([[1, 2, raw([[1, 0, 6]])], [2, 2, raw(fields)]])]]);
const snapshot = (/** @type {[number, number, any?][]} */ ...fields) =>
  raw([[9, 2, raw([[1, 2, raw([[1, 0, 8]])], [2, 2, raw(fields)]])]]);
const result = (/** @type {[number, number, any?][]} */ ...fields) =>
  raw([[22, 2, raw([[1, 2, raw([[1, 0, 21]])], [3, 2, "r"], [4, 2, "c"], ...fields])]]);
const entry = (/** @type {string} */ key, /** @type {any[]} */ ...values) =>
  raw([[1, 2, key], ...values.map((v) => /** @type {[number, number, any]} */ ([2, 2, v]))]);
const number = (/** @type {number} */ n) => raw([[2, 1, n]]);

/** @type {[string, Uint8Array][]} */
export const odd = [
  ["nothing at all", new Uint8Array()],
  ["no protobuf", new TextEncoder().encode("{\"type\":\"RUN_STARTED\"}")],
  ["a field number of zero", new Uint8Array([2, 0])],
  ["a length beyond the end", new Uint8Array([10, 5, 1])],
  ["a varint without end", new Uint8Array([255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1])],
  ["an event of another wire type", raw([[2, 0, 1]])],
  ["two kinds of events", raw([[2, 2, raw([[1, 2, raw([[1, 0, 1]])], [2, 2, "m"]])],
    [3, 2, raw([[1, 2, raw([[1, 0, 2]])]])]])],
  ["one event in two pieces", raw([[2, 2, raw([[1, 2, raw([[1, 0, 1]])], [2, 2, "m"]])],
    [2, 2, raw([[3, 2, "later"]])]])],
  ["no base event", raw([[2, 2, raw([[2, 2, "m"], [3, 2, "d"]])]])],
  ["a base event of another type", raw([[2, 2, raw([[1, 2, raw([[1, 0, 2]])], [2, 2, "m"]])]])],
  ["a base event in two pieces", content([1, 2, raw([[2, 0, 5]])])],
  ["a field twice: the last counts", content([3, 2, "again"])],
  ["a field of another wire type", content([3, 0, 7])],
  ["fields that nobody knows", content([9, 2, "x"], [10, 0, 1], [11, 1, 1], [12, 5, 1], [13, 3], [1, 2, "in it"],
    [13, 4])],
  ["a group that does not end", content([13, 3])],
  ["a group that ends as another", content([13, 3], [14, 4])],
  ["a field beside the event", new Uint8Array([...content(), ...raw([[40, 2, raw([[1, 0, 1]])], [41, 0, 1]])])],
  ["an event of a later version", raw([[32, 2, raw([[1, 2, raw([[1, 0, 31]])], [2, 2, "x"]])]])],
  ["an event of a later version, malformed", raw([[32, 2, new Uint8Array([10, 9])]])],
  ["an empty value", value()],
  ["a value of an unknown kind", value([9, 2, "x"])],
  ["a value set twice: the last counts", value([3, 2, "a"], [4, 0, 1])],
  ["a list in two pieces", value([6, 2, raw([[1, 2, number(1)]])], [6, 2, raw([[1, 2, number(2)]])])],
  ["a list, something else, a list",
    value([6, 2, raw([[1, 2, number(1)]])], [4, 0, 0], [6, 2, raw([[1, 2, number(2)]])])],
  ["an object in two pieces", value([5, 2, raw([[1, 2, entry("a", number(1))]])],
    [5, 2, raw([[1, 2, entry("b", number(2))]])])],
  ["an object's name twice", value([5, 2, raw([[1, 2, entry("a", number(1))], [1, 2, entry("a", number(2))]])])],
  ["an object's name without a value", value([5, 2, raw([[1, 2, entry("a")], [1, 2, entry("b", number(2))]])])],
  ["an object's value in two pieces", value([5, 2, raw([[1, 2, entry("a", number(1), raw([[3, 2, "x"]]))]])])],
  ["an object without a name", value([5, 2, raw([[1, 2, raw([[2, 2, number(1)]])]])])],
  ["text that is no UTF-8", value(
    [3, 2, new Uint8Array([0xe2, 0x82, 0x41, 0xff, 0xf0, 0x9f, 0x98, 0xed, 0xa0, 0x80])])],
  ["a patch operation of a later version",
    raw([[8, 2, raw([[1, 2, raw([[1, 0, 7]])], [2, 2, raw([[1, 0, 9], [2, 2, "/a"]])]])]])],
  ["a role that nobody knows, with a string", snapshot([1, 2, "1"], [2, 2, "critic"], [3, 2, "s"])],
  ["a role that nobody knows, with parts",
    snapshot([1, 2, "1"], [2, 2, "critic"], [8, 2, raw([[1, 2, raw([[1, 2, "t"]])]])])],
  ["a role that nobody knows, with an object",
    snapshot([1, 2, "1"], [2, 2, "critic"], [13, 2, raw([[1, 2, entry("a", number(1))]])])],
  ["a role that nobody knows, with two", snapshot([1, 2, "1"], [2, 2, "critic"], [3, 2, "s"], [13, 2, raw([])])],
  ["an assistant with parts", snapshot([1, 2, "1"], [2, 2, "assistant"], [8, 2, raw([[1, 2, raw([[1, 2, "t"]])]])])],
  ["an activity with a string", snapshot([1, 2, "1"], [2, 2, "activity"], [3, 2, "s"])],
  ["an activity without content", snapshot([1, 2, "1"], [2, 2, "activity"], [12, 2, "P"])],
  ["a user with an object", snapshot([1, 2, "1"], [2, 2, "user"], [13, 2, raw([])])],
  ["a user with a string and parts",
    snapshot([1, 2, "1"], [2, 2, "user"], [3, 2, "s"], [8, 2, raw([[1, 2, raw([[1, 2, "t"]])]])])],
  ["a call without a function", snapshot([1, 2, "1"], [2, 2, "assistant"], [5, 2, raw([[1, 2, "c"]])])],
  ["a part of a kind that nobody knows", result([7, 2, raw([[9, 2, "x"]])], [7, 2, raw([[1, 2, raw([[1, 2, "t"]])]])])],
  ["a part of two kinds", result([7, 2, raw([[1, 2, raw([[1, 2, "t"]])], [2, 2, raw([])]])])],
  ["a part without a source", result([7, 2, raw([[2, 2, raw([[3, 2, "id"]])]])])],
  ["a part with a source that nobody knows", result([7, 2, raw([[2, 2, raw([[1, 2, raw([[7, 2, "x"]])]])]])])],
  ["a part with two sources", result([7, 2, raw([[2, 2, raw([[1, 2, raw([[1, 2, raw([])], [2, 2, raw([])]])]])]])])],
  ["a result with a string and parts", result([5, 2, "s"], [7, 2, raw([[1, 2, raw([[1, 2, "t"]])]])])],
  ["an outcome that nobody knows", raw([[13, 2, raw([[1, 2, raw([[1, 0, 12]])], [5, 2, "paused"], [8, 2, "a"]])]])],
  ["interrupts without an outcome", raw([[13, 2, raw([[1, 2, raw([[1, 0, 12]])], [6, 2, raw([[1, 2, "i"]])]])]])],
  ["an interrupt without interrupts", raw([[13, 2, raw([[1, 2, raw([[1, 0, 12]])], [5, 2, "interrupt"]])]])],
  ["a negative timestamp", raw([[2, 2, raw([[1, 2, raw([[1, 0, 1], [2, 0, -5]])]])]])],
];

/** What the oracle makes of a message. @param {string} name @param {Uint8Array} bytes @returns {Sample} */
export function sample(name, bytes) {
  const message = Buffer.from(bytes).toString("base64");
  const { warn } = console;
  console.warn = () => {};
  try {
    return { name, message, event: decode(bytes) };
  } catch (error) {
    return {
      name, message, fails: /** @type {any} */ (error)?.name === "AGUIUnknownEventTypeError" ? "unknown" : "invalid",
    };
  } finally {
    console.warn = warn;
  }
}

/** All samples, as agui/proto/testdata/samples.json holds them. */
export function samples() {
  return [
    ...[...events, ...carried()].map((event) =>
      sample(JSON.stringify(event).slice(0, 60), /** @type {Uint8Array} */ (wire(event)))),
    ...odd.map(([name, bytes]) => sample(name, bytes)),
  ];
}
