// One stream through the reference client, brought to what PROTOCOL section 8 promises.

import { authoritativeActivityTypes, HttpAgent } from "@ag-ui/client";
import { Adapter, kindOfRole, wireID } from "./adapt.js";
import { mend } from "./mend.js";

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
 * @returns {Promise<{outcome: string, error?: unknown, messages: object[], state: unknown, interrupts: object[]}>}
 *   outcome: complete, run_error, unfinished, bad_event, protocol
 */
export async function runReference(stream, hits) {
  const adapter = new Adapter(stream, hits);
  const rules = new Rules(hits, adapter.mixed);
  let agent;
  const queue = stream.lenient ? mend(stream.events, hits) : [...stream.events];
  let ready = [];
  const reader = {
    async read() {
      await settled();
      if (ready.length === 0) {
        if (queue.length === 0) return { done: true };
        ready = adapter.event(queue.shift(), agent.messages, agent.state);
      }
      const event = ready.shift();
      rules.feeding = event?.type;
      hits.add("one read per event");
      return { done: false, value: encoder.encode("data: " + JSON.stringify(event) + "\n\n") };
    },
    async cancel() {},
  };
  const response = {
    ok: true, status: 200, headers: new Headers({ "content-type": "text/event-stream" }),
    body: { getReader: () => reader },
  };
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
    outcome = e?.name?.includes("ZodError") || Array.isArray(e?.issues) || e instanceof TypeError ||
      /^Invalid event/.test(e?.message) ? "bad_event" : "protocol";
  }
  if (rules.broken) throw rules.broken;
  if (outcome === "unfinished") hits.add("no terminal event");
  if (outcome === "run_error") hits.add("run error");
  const messages = rules.withoutOrphans(agent.messages)?.messages ?? agent.messages;
  return {
    outcome, error, messages, state: agent.state, interrupts: agent.pendingInterrupts, pending: rules.pending,
    asked: [...rules.asked.values()],
  };
}

/** What tells messages apart: the id and the kind. (Reasoning and activities have ids of their own.) */
const keyOf = (m) => (m.role === "tool" ? "tool\0" : "") + m.id;
const same = (a, b) => keyOf(a) === keyOf(b);
/** In a snapshot a tool message is found by its call as well. */
const matchOf = (m) => (m.role === "tool" ? `tool\0${m.toolCallId}\0` : "") + m.id;

const empty = (v) => v === undefined || v === "" ||
  (typeof v === "object" && v !== null && Object.keys(v).length === 0);

/** Metadata folds in key by key. */
const folded = (o, metadata) => (metadata ? { ...o, metadata: { ...o.metadata, ...metadata } } : o);

/** One message of two entries in which no member stands twice, or undefined. */
function joined(first, second) {
  if (first?.role !== "assistant" || second.role !== "assistant") return undefined;
  const out = { ...first };
  for (const [key, value] of Object.entries(second)) {
    if (key === "id" || key === "role" || empty(value)) continue;
    if (key === "toolCalls" && first.toolCalls) {
      if (value.some((c) => first.toolCalls.some((d) => d.id === c.id))) return undefined;
      out.toolCalls = [...first.toolCalls, ...value];
    } else if (empty(first[key])) out[key] = value;
    else if (JSON.stringify(first[key]) !== JSON.stringify(value)) return undefined;
  }
  return out;
}

/** A subscriber that applies an event by the rules of section 7 where the reference has others. */
class Rules {
  constructor(hits, mixed) {
    this.hits = hits;
    this.mixed = mixed;
    this.last = "";
    this.asked = new Map(); // every interrupt of the stream by its id, where it was asked last
    this.second = new Set(); // tool messages that came under another one's id
    this.newRun();
  }

  newRun() {
    this.mended = false;
    this.past = false;
    this.orphans = new Set(); // open calls that a snapshot left out though it holds their message
    this.resumed = new Set();
    this.brought = new Set(); // the messages of this run's snapshots
    this.started = { text: new Set(), reasoning: new Set(), call: new Set() };
    this.open = { text: new Set(), reasoning: new Set(), call: new Set() };
    this.replay = { text: new Set(), reasoning: new Set(), call: new Set() };
    // what may repeat an earlier turn's; where it differs, nothing is compared
    this.echoes = { text: new Set(), call: new Set() };
  }

  /** Whether a user message stands behind one: what comes under its id is either the same or one of its own. */
  betweenTurns(message, messages) {
    return !this.past && messages.slice(messages.indexOf(message) + 1).some((m) => m.role === "user");
  }

  onRunFinishedEvent({ event, outcome, pendingToolCallIds }) {
    for (const id of this.resumed) this.asked.delete(id);
    for (const interrupt of event.outcome?.interrupts ?? []) {
      this.asked.delete(interrupt.id);
      this.asked.set(interrupt.id, interrupt);
    }
    this.pending = outcome === "success" && !this.mended ? pendingToolCallIds : undefined;
  }

  onEvent({ event, messages }) {
    try {
      if (event.type.startsWith("RUN_")) this.last = event.type;
      if (event.type.startsWith("RUN_")) this.pending = undefined;
      const change = this[event.type]?.(event, messages);
      // What is applied for the reference it does not count among the calls of the run.
      if (change?.stopPropagation && event.type.startsWith("TOOL_CALL_") && event.type !== "TOOL_CALL_ARGS") {
        this.mended = true;
      }
      return change;
    } catch (e) {
      this.broken = e;
      throw e;
    }
  }

  RUN_STARTED(e, messages) {
    this.newRun();
    this.resumed = new Set((e.input?.resume ?? []).map((entry) => entry.interruptId));
    const history = e.input?.messages ?? [];
    const turn = history.findLast((m) => m.role === "user");
    const known = [...messages, ...history.filter((m) => !messages.some((o) => same(o, m)))];
    const first = turn && known.find((m) => m.id === turn.id && kindOfRole(m.role) === "text");
    this.past = first !== undefined && this.betweenTurns(first, known); // it replays a turn of the past
    if (!history.some((m) => this.mixed.has(m.id))) return undefined;
    this.hits.add("two kinds under one id");
    const out = [...messages];
    for (const m of history) if (!out.some((o) => same(o, m))) out.push(m);
    return { messages: out };
  }

  /** Applies a text event whose id names a tool message too. */
  apart(e, messages) {
    this.hits.add("two kinds under one id");
    const fold = (m) => folded(m, e.metadata);
    const old = messages.find((m) => m.id === e.messageId && kindOfRole(m.role) === "text");
    if (!old) {
      const made = {
        id: e.messageId, role: e.role ?? "assistant", content: "", ...(e.name !== undefined && { name: e.name }),
        subagentRunId: e.subagentRunId,
      };
      return {
        stopPropagation: true, messages: e.type === "TEXT_MESSAGE_START" ? [...messages, fold(made)] : messages,
      };
    }
    let text = old;
    if (e.type === "TEXT_MESSAGE_CONTENT" && !this.echoes.text.has(e.messageId)) {
      const before = this.replay.text.delete(e.messageId) || typeof old.content !== "string" ? "" : old.content;
      text = { ...old, content: before + e.delta };
    }
    return { stopPropagation: true, messages: messages.map((m) => (m === old ? fold(text) : m)) };
  }

  start(kind, id, messages) {
    const known = messages.some((m) => m.id === id && kindOfRole(m.role) === kind);
    const goesOn = this.feeding?.endsWith("_CHUNK") && this.brought.has(kind + id);
    const old = messages.find((m) => m.id === id && kindOfRole(m.role) === kind);
    if (old?.role === "assistant" && !goesOn && !this.started[kind].has(id) && this.betweenTurns(old, messages)) {
      this.echoes.text.add(id);
    }
    if (known && !goesOn && !this.started[kind].has(id)) this.replay[kind].add(id);
    else this.replay[kind].delete(id);
    this.started[kind].add(id);
    this.open[kind].add(id);
  }

  content(kind, e, messages) {
    const id = e.messageId;
    const first = messages.find((m) => m.id === id && kindOfRole(m.role) === kind);
    if (this.echoes[kind]?.has(id)) {
      this.hits.add("replayed text");
      return { stopPropagation: true, messages: messages.map((m) => (m === first ? folded(m, e.metadata) : m)) };
    }
    if (!this.replay[kind].delete(id)) return undefined;
    this.hits.add("replayed text");
    return { messages: messages.map((m) => (m === first ? { ...m, content: "" } : m)) };
  }

  TEXT_MESSAGE_START(e, messages) {
    this.start("text", e.messageId, messages);
    return this.mixed.has(e.messageId) ? this.apart(e, messages) : undefined;
  }

  TEXT_MESSAGE_CONTENT(e, messages) {
    if (this.mixed.has(e.messageId)) return this.apart(e, messages);
    return this.content("text", e, messages);
  }

  TEXT_MESSAGE_END(e, messages) {
    this.open.text.delete(e.messageId);
    this.replay.text.delete(e.messageId);
    this.echoes.text.delete(e.messageId);
    if (this.mixed.has(e.messageId)) return this.apart(e, messages);
  }

  REASONING_MESSAGE_START(e, messages) {
    this.start("reasoning", e.messageId, messages);
  }

  REASONING_MESSAGE_CONTENT(e, messages) {
    return this.content("reasoning", e, messages);
  }

  REASONING_MESSAGE_END(e) {
    this.open.reasoning.delete(e.messageId);
    this.replay.reasoning.delete(e.messageId);
  }

  TOOL_CALL_START(e, messages) {
    const id = e.toolCallId;
    const begun = this.started.call.has(id);
    const returns = this.feeding === "TOOL_CALL_CHUNK" && begun;
    this.started.call.add(id);
    this.open.call.add(id);
    this.replay.call.delete(id);
    const holder = messages.find((m) => m.toolCalls?.some((c) => c.id === id));
    if (holder) {
      if (!returns && !begun && this.betweenTurns(holder, messages)) this.echoes.call.add(id);
      else if (!returns) this.replay.call.add(id);
      return undefined;
    }
    const parent = e.parentMessageId ? messages.find((m) => m.id === e.parentMessageId) : undefined;
    if (parent?.role === "assistant") return undefined;
    // Here the parent's id can name no assistant but for the second message under it.
    const target = e.parentMessageId && !parent ? e.parentMessageId : id;
    const assistant = (name) => messages.find((m) => m.id === name && m.role === "assistant");
    const second = parent && assistant(e.parentMessageId);
    const own = second || (target === id && assistant(id));
    if (!own) this.started.text.add(target);
    if (!own && !messages.some((m) => m.id === target)) return undefined;
    this.hits.add(second || !own ? "two kinds under one id" : "call under its own id");
    const call = {
      id, type: "function", function: { name: e.toolCallName, arguments: "" },
      ...(e.metadata && { metadata: e.metadata }),
    };
    if (!own) {
      return {
        stopPropagation: true, messages: [...messages, {
          id: target, role: "assistant", toolCalls: [call], subagentRunId: e.subagentRunId,
        }],
      };
    }
    return {
      stopPropagation: true, messages: messages.map(
        (m) => (m === own ? { ...m, toolCalls: [...(m.toolCalls ?? []), call] } : m)),
    };
  }

  RUN_FINISHED(_e, messages) {
    return this.withoutOrphans(messages);
  }

  RUN_ERROR(_e, messages) {
    return this.withoutOrphans(messages);
  }

  /** Calls that only this client knew are gone at the run's end. */
  withoutOrphans(messages) {
    if (this.orphans.size === 0) return undefined;
    const orphans = this.orphans;
    this.orphans = new Set();
    if (!messages.some((m) => m.toolCalls?.some((c) => orphans.has(c.id)))) return undefined;
    this.hits.add("messages snapshot");
    this.mended = true;
    return {
      messages: messages.map((m) => {
        if (!m.toolCalls?.some((c) => orphans.has(c.id))) return m;
        const { toolCalls, ...rest } = m;
        const left = toolCalls.filter((c) => !orphans.has(c.id));
        return left.length > 0 ? { ...rest, toolCalls: left } : rest;
      }),
    };
  }

  TOOL_CALL_ARGS(e, messages) {
    if (this.echoes.call.has(e.toolCallId)) {
      this.hits.add("replayed call");
      const mark = (c) => (c.id === e.toolCallId ? folded(c, e.metadata) : c);
      return {
        stopPropagation: true, messages: messages.map(
          (m) => (m.toolCalls?.some((c) => c.id === e.toolCallId) ? { ...m, toolCalls: m.toolCalls.map(mark) } : m)),
      };
    }
    this.orphans.delete(e.toolCallId);
    if (!this.replay.call.delete(e.toolCallId)) return undefined;
    this.hits.add("replayed call");
    const call = messages.flatMap((m) => m.toolCalls ?? []).find((c) => c.id === e.toolCallId);
    const clear = (c) => (c === call ? { ...c, function: { ...c.function, arguments: "" } } : c);
    return {
      messages: messages.map((m) => (m.toolCalls?.includes(call) ? { ...m, toolCalls: m.toolCalls.map(clear) } : m)),
    };
  }

  TOOL_CALL_END(e) {
    this.open.call.delete(e.toolCallId);
    this.replay.call.delete(e.toolCallId);
    this.echoes.call.delete(e.toolCallId);
  }

  TOOL_CALL_RESULT(e, messages) {
    this.orphans.delete(e.toolCallId);
    const old = messages.find((m) => m.role === "tool" && m.id === e.messageId && m.toolCallId === e.toolCallId);
    if (!old) {
      if (messages.some((m) => m.role === "tool" && m.id === e.messageId)) {
        this.second.add(e.messageId + "\0" + e.toolCallId);
      }
      return undefined;
    }
    this.hits.add("replayed result");
    const result = { ...old, content: e.content, subagentRunId: e.subagentRunId };
    if (e.metadata) result.metadata = { ...old.metadata, ...e.metadata };
    return { stopPropagation: true, messages: messages.map((m) => (m === old ? result : m)) };
  }

  REASONING_ENCRYPTED_VALUE(e, messages) {
    if (e.subtype !== "message") return undefined;
    const found = messages.filter((m) => wireID(m.id) === wireID(e.entityId) && m.role !== "activity");
    const own = found.filter((m) => m.id === e.entityId); // of an id that a later turn used again
    if (e.entityId.includes("again") && own.length > 0) found.splice(0, found.length, ...own);
    const first = (m) => !this.second.has(m.id + "\0" + m.toolCallId);
    const target = found.find((m) => m.role === "reasoning") ?? found.find((m) => m.role !== "tool") ??
      found.find(first) ?? found[0];
    if (!target) return undefined;
    return {
      stopPropagation: true, messages: messages.map(
        (m) => (m === target ? { ...m, encryptedValue: e.encryptedValue } : m)),
    };
  }

  MESSAGES_SNAPSHOT(e, messages) {
    this.second.clear();
    const has = (role) => e.messages.some((m) => m.role === role);
    const types = authoritativeActivityTypes(e);
    if (types !== undefined) this.hits.add("owned activities");
    const owns = (type) => (types === undefined ? has("activity") : types === null || types.includes(type));
    const hasReasoning = has("reasoning");
    const byID = new Map();
    for (const m of e.messages) {
      const one = joined(byID.get(matchOf(m)), m);
      if (one) this.hits.add("split entry");
      byID.set(matchOf(m), one ?? m);
    }
    const calls = new Set([...byID.values()].flatMap((m) => (m.toolCalls ?? []).map((c) => c.id)));
    const openCalls = (m) => (m.toolCalls ?? []).filter((c) => this.open.call.has(c.id) && !calls.has(c.id));
    const out = [...byID.values()];
    let before = -1; // where the nearest earlier message that is still there stands
    const matched = new Set();
    for (const m of messages) {
      const open = openCalls(m);
      if (byID.has(matchOf(m))) {
        const at = out.findIndex((o) => matchOf(o) === matchOf(m));
        if (!matched.has(matchOf(m))) before = at;
        matched.add(matchOf(m));
        if (open.length === 0) continue;
        if (out[at].role === "assistant") {
          out[at] = { ...out[at], toolCalls: [...(out[at].toolCalls ?? []), ...open] };
          for (const c of open) this.orphans.add(c.id);
          continue;
        }
      }
      let kept = m;
      if (m.toolCalls?.some((c) => calls.has(c.id))) {
        kept = { ...m, toolCalls: m.toolCalls.filter((c) => !calls.has(c.id)) };
        if (kept.toolCalls.length === 0) delete kept.toolCalls;
      }
      const kind = kindOfRole(m.role);
      const survives =
        (kind === "activity" && !owns(m.activityType)) ||
        (kind === "reasoning" && !hasReasoning) ||
        ((kind === "text" || kind === "reasoning") && this.open[kind].has(m.id)) ||
        open.length > 0;
      if (survives) out.splice(++before, 0, kept);
    }
    for (const m of byID.values()) {
      this.replay[kindOfRole(m.role)]?.delete(m.id);
      if (kindOfRole(m.role) === "text") this.echoes.text.delete(m.id);
      this.brought.add(kindOfRole(m.role) + m.id);
    }
    for (const id of calls) {
      this.replay.call.delete(id);
      this.echoes.call.delete(id);
    }
    // Where the reference comes to the same, it shall do so itself.
    const named = new Map(e.messages.map((m) => [m.id, m]));
    const stay = messages.filter((m) => named.has(m.id) || (m.role === "activity" && !owns(m.activityType)) ||
      (m.role === "reasoning" && !hasReasoning));
    const theirs = [...stay.map((m) => named.get(m.id) ?? m),
      ...e.messages.filter((m) => !stay.some((o) => o.id === m.id))];
    if (JSON.stringify(theirs) === JSON.stringify(out)) return undefined;
    this.hits.add("messages snapshot");
    return { stopPropagation: true, messages: out };
  }
}
