// One stream through the reference client, brought to what PROTOCOL section 8 promises.

import { HttpAgent } from "@ag-ui/client";
import { Adapter, kindOfRole, wireID } from "./adapt.js";

const encoder = new TextEncoder();

/** Lets everything that the reference has started run to its end. */
const settled = (() => {
  if (typeof setImmediate === "function") return () => new Promise(setImmediate);
  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => waiting.shift()();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(0);
    });
})();

/**
 * Runs a stream.
 * @returns {Promise<{outcome: string, error?: unknown, messages: object[], state: unknown, interrupts: object[], undecided?: boolean}>}
 *   outcome: complete, run_error, unfinished, bad_event, protocol
 */
export async function runReference(stream, hits) {
  const adapter = new Adapter(stream, hits);
  const rules = new Rules(hits);
  let agent;
  const queue = [...stream.events];
  let ready = [];
  const reader = {
    async read() {
      await settled();
      if (ready.length === 0) {
        if (queue.length === 0) return { done: true };
        ready = adapter.event(queue.shift(), agent.messages);
      }
      const event = ready.shift();
      rules.feeding = event?.type;
      hits.add("one read per event");
      return { done: false, value: encoder.encode("data: " + JSON.stringify(event) + "\n\n") };
    },
    async cancel() {},
  };
  const response = { ok: true, status: 200, headers: new Headers({ "content-type": "text/event-stream" }), body: { getReader: () => reader } };
  agent = new HttpAgent({
    url: "https://agent.example/run",
    threadId: "t1",
    initialMessages: adapter.input(stream.input.messages),
    initialState: stream.input.state,
    fetch: async () => response,
  });
  let outcome;
  let error;
  try {
    await agent.runAgent({ runId: "r1" }, rules);
    outcome = rules.last === "RUN_FINISHED" ? "complete" : rules.last === "RUN_ERROR" ? "run_error" : "unfinished";
  } catch (e) {
    error = e;
    outcome = e?.name?.includes("ZodError") || Array.isArray(e?.issues) || /^Invalid event/.test(e?.message) ? "bad_event" : "protocol";
  }
  if (rules.broken) throw rules.broken;
  if (outcome === "unfinished") hits.add("no terminal event");
  if (outcome === "run_error") hits.add("run error");
  return { outcome, error, messages: agent.messages, state: agent.state, interrupts: agent.pendingInterrupts, undecided: adapter.undecided };
}

/** A subscriber that applies an event by the rules of section 7 where the reference has others. */
class Rules {
  constructor(hits) {
    this.hits = hits;
    this.last = "";
    this.newRun();
  }

  newRun() {
    this.started = { text: new Set(), reasoning: new Set(), call: new Set() };
    this.open = { text: new Set(), reasoning: new Set(), call: new Set() };
    this.replay = { text: new Set(), reasoning: new Set(), call: new Set() };
  }

  onEvent({ event, messages }) {
    try {
      if (event.type.startsWith("RUN_")) this.last = event.type;
      return this[event.type]?.(event, messages);
    } catch (e) {
      this.broken = e;
      throw e;
    }
  }

  RUN_STARTED() {
    this.newRun();
  }

  start(kind, id, messages) {
    const known = messages.some((m) => m.id === id);
    if (known && !this.started[kind].has(id)) this.replay[kind].add(id);
    else this.replay[kind].delete(id);
    this.started[kind].add(id);
    this.open[kind].add(id);
  }

  content(kind, id, messages) {
    if (!this.replay[kind].delete(id)) return undefined;
    this.hits.add("replayed text");
    return { messages: messages.map((m) => (m.id === id ? { ...m, content: "" } : m)) };
  }

  TEXT_MESSAGE_START(e, messages) {
    this.start("text", e.messageId, messages);
  }

  TEXT_MESSAGE_CONTENT(e, messages) {
    return this.content("text", e.messageId, messages);
  }

  TEXT_MESSAGE_END(e) {
    this.open.text.delete(e.messageId);
  }

  REASONING_MESSAGE_START(e, messages) {
    this.start("reasoning", e.messageId, messages);
  }

  REASONING_MESSAGE_CONTENT(e, messages) {
    return this.content("reasoning", e.messageId, messages);
  }

  REASONING_MESSAGE_END(e) {
    this.open.reasoning.delete(e.messageId);
  }

  TOOL_CALL_START(e, messages) {
    const id = e.toolCallId;
    const returns = this.feeding === "TOOL_CALL_CHUNK" && this.started.call.has(id);
    this.started.call.add(id);
    this.open.call.add(id);
    this.replay.call.delete(id);
    if (messages.some((m) => m.toolCalls?.some((c) => c.id === id))) {
      if (!returns) this.replay.call.add(id);
      return undefined;
    }
    const parent = e.parentMessageId ? messages.find((m) => m.id === e.parentMessageId) : undefined;
    if (parent?.role === "assistant") return undefined;
    const target = e.parentMessageId && !parent ? e.parentMessageId : id;
    const own = target === id && messages.find((m) => m.id === id && m.role === "assistant");
    if (!own) {
      this.started.text.add(target);
      return undefined;
    }
    this.hits.add("call under its own id");
    const call = { id, type: "function", function: { name: e.toolCallName, arguments: "" }, ...(e.metadata && { metadata: e.metadata }) };
    return { stopPropagation: true, messages: messages.map((m) => (m === own ? { ...m, toolCalls: [...(m.toolCalls ?? []), call] } : m)) };
  }

  TOOL_CALL_ARGS(e, messages) {
    if (!this.replay.call.delete(e.toolCallId)) return undefined;
    this.hits.add("replayed call");
    const clear = (c) => (c.id === e.toolCallId ? { ...c, function: { ...c.function, arguments: "" } } : c);
    return { messages: messages.map((m) => (m.toolCalls ? { ...m, toolCalls: m.toolCalls.map(clear) } : m)) };
  }

  TOOL_CALL_END(e) {
    this.open.call.delete(e.toolCallId);
  }

  TOOL_CALL_RESULT(e, messages) {
    const old = messages.find((m) => m.role === "tool" && m.id === e.messageId && m.toolCallId === e.toolCallId);
    if (!old) return undefined;
    this.hits.add("replayed result");
    const result = { ...old, content: e.content };
    if (e.subagentRunId !== undefined) result.subagentRunId = e.subagentRunId;
    if (e.metadata) result.metadata = { ...old.metadata, ...e.metadata };
    return { stopPropagation: true, messages: messages.map((m) => (m === old ? result : m)) };
  }

  REASONING_ENCRYPTED_VALUE(e, messages) {
    if (e.subtype !== "message") return undefined;
    const found = messages.filter((m) => wireID(m.id) === wireID(e.entityId) && m.role !== "activity");
    const target = found.find((m) => m.role === "reasoning") ?? found[0];
    if (!target) return undefined;
    return { stopPropagation: true, messages: messages.map((m) => (m === target ? { ...m, encryptedValue: e.encryptedValue } : m)) };
  }

  MESSAGES_SNAPSHOT(e, messages) {
    this.hits.add("messages snapshot");
    const byID = new Map(e.messages.map((m) => [m.id, m]));
    const out = [...byID.values()];
    const calls = new Set(e.messages.flatMap((m) => (m.toolCalls ?? []).map((c) => c.id)));
    const has = (role) => e.messages.some((m) => m.role === role);
    const hasActivity = has("activity");
    const hasReasoning = has("reasoning");
    let before = -1; // where the nearest earlier message that is still there stands
    for (const m of messages) {
      if (byID.has(m.id)) {
        before = out.findIndex((o) => o.id === m.id);
        continue;
      }
      let kept = m;
      if (m.toolCalls?.some((c) => calls.has(c.id))) {
        kept = { ...m, toolCalls: m.toolCalls.filter((c) => !calls.has(c.id)) };
        if (kept.toolCalls.length === 0) delete kept.toolCalls;
      }
      const kind = kindOfRole(m.role);
      const survives =
        (kind === "activity" && !hasActivity) ||
        (kind === "reasoning" && !hasReasoning) ||
        ((kind === "text" || kind === "reasoning") && this.open[kind].has(m.id)) ||
        kept.toolCalls?.some((c) => this.open.call.has(c.id));
      if (survives) out.splice(++before, 0, kept);
    }
    for (const m of byID.values()) this.replay[kindOfRole(m.role)]?.delete(m.id);
    for (const id of calls) this.replay.call.delete(id);
    return { stopPropagation: true, messages: out };
  }
}
