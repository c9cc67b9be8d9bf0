// A scripted agent and a log of everything that the hooks of a subscriber are told: what both sides of the list use.
import { faultServer, sse } from "../harness/faults.js";

export const started = { type: "RUN_STARTED", threadId: "t1", runId: "r1" };
export const finished = (/** @type {any} */ more = {}) => ({
  type: "RUN_FINISHED", threadId: "t1", runId: "r1", ...more,
});

/** The events of a text message. */
export const text = (/** @type {string} */ id, /** @type {string[]} */ ...deltas) => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
  { type: "TEXT_MESSAGE_END", messageId: id },
];

/** The events of a tool call. */
export const call = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ parent,
  /** @type {string[]} */ ...deltas) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: parent },
  ...deltas.map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: id, delta })),
  { type: "TOOL_CALL_END", toolCallId: id },
];

export const run = (/** @type {any[]} */ ...events) => [started, ...events, finished()];

/** An agent that answers its n-th request with the n-th script: events, or a reply of the fault server. */
export async function scriptedAgent(/** @type {any[]} */ ...scripts) {
  const server = await faultServer();
  let n = 0;
  const url = server.reply(() => {
    const script = scripts[n++];
    if (script === undefined) return { body: sse(...run()) };
    return Array.isArray(script) ? { body: sse(...script) } : script;
  });
  return {
    url,
    /** The bodies of the requests, with ids that were made left out. */
    bodies: () => server.seen(url).map((seen) => plain(seen.json)),
    seen: () => server.seen(url),
    close: () => server.close(),
  };
}

/** A reply that sends events and leaves the connection open. */
export const hanging = (/** @type {any[]} */ ...events) => ({ body: sse(...events), open: true });

export const EVENT_HOOKS = [
  "onRunStartedEvent", "onRunFinishedEvent", "onRunErrorEvent", "onStepStartedEvent", "onStepFinishedEvent",
  "onSubagentStartedEvent",
  "onSubagentFinishedEvent", "onSubagentErrorEvent", "onTextMessageStartEvent", "onTextMessageContentEvent",
  "onTextMessageEndEvent",
  "onToolCallStartEvent", "onToolCallArgsEvent", "onToolCallEndEvent", "onToolCallResultEvent", "onStateSnapshotEvent",
  "onStateDeltaEvent",
  "onMessagesSnapshotEvent", "onActivitySnapshotEvent", "onActivityDeltaEvent", "onRawEvent", "onCustomEvent",
  "onReasoningStartEvent",
  "onReasoningMessageStartEvent", "onReasoningMessageContentEvent", "onReasoningMessageEndEvent", "onReasoningEndEvent",
  "onReasoningEncryptedValueEvent",
];
export const HOOKS = [
  "onRunInitialized", "onRunFailed", "onRunFinalized", "onEvent", ...EVENT_HOOKS, "onMessagesChanged", "onStateChanged",
  "onNewMessage",
  "onNewToolCall",
];

/** What a hook was given besides the snapshots. */
const EXTRAS = [
  "textMessageBuffer", "reasoningMessageBuffer", "toolCallBuffer", "toolCallName", "toolCallArgs", "outcome", "result",
  "pendingToolCallIds", "interrupts", "activityMessage", "existingMessage", "message", "toolCall",
];

/**
 * A subscriber with every hook, which writes down what it is told.
 * @param {any[]} log
 * @param {string} [name]
 * @param {Record<string, (params: any) => any>} [answers] what hooks return
 */
export function listener(log, name = "", answers = {}) {
  return Object.fromEntries(HOOKS.map((hook) => [hook, (/** @type {any} */ params) => {
    /** @type {any} */
    const entry = { hook: name + hook };
    if (params.event) entry.event = params.event.type;
    if (params.error) entry.error = true;
    for (const key of EXTRAS) if (params[key] !== undefined) entry[key] = plain(params[key]);
    entry.messages = params.messages.map((/** @type {any} */ m) => m.id);
    entry.state = plain(params.state);
    if (params.input) entry.input = plain(params.input);
    log.push(entry);
    return answers[hook]?.(params);
  }]));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A copy as JSON has it, in which ids that were made are "*". */
export function plain(/** @type {any} */ value) {
  return value === undefined ? undefined
    : JSON.parse(JSON.stringify(value, (_key, v) => (typeof v === "string" && UUID.test(v) ? "*" : v)));
}

/** The names of the hooks with their events, one a line. */
export const order = (/** @type {any[]} */ log) => log.map((e) => (e.event ? `${e.hook}(${e.event})` : e.hook));

/** Waits for what runs in the background. */
export const settle = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));
