// Streams that an agent which keeps the rules could send: every event type, interleaved, in several runs.
//
// A stream is { input: { messages, state }, events, features }. Unknown members are named zz... and unknown kinds
// zz..., so that a comparison can tell them from what the protocol knows; no other name begins so. Ids hold no colon.

import { Random } from "./random.js";

const TEXTS = ["", "a", "Hello ", "wörld", "\n", "\u2028", "🚀", "\ud83d", "\ude80", '"q"', "{", "0"];
const NAMES = ["search", "weather", "f"];
const ROLES = ["assistant", "assistant", "assistant", "user", "system", "developer"];
const KEYS = ["a", "b", "list", "n", "x/y", "t~u", "", "0"];

// What a stream may hold, each with the probability that it does.
const FEATURES = {
  text: 0.8,
  tools: 0.6,
  reasoning: 0.5,
  activity: 0.4,
  state: 0.45,
  subagents: 0.4,
  chunks: 0.4,
  steps: 0.3,
  snapshots: 0.35,
  metadata: 0.35,
  other: 0.3,
  encrypted: 0.25,
  legacy: 0.08,
  unknown: 0.12,
  echo: 0.25,
  history: 0.4,
  runs: 0.3,
  reuse: 0.35,
  collide: 0.06,
  interrupts: 0.3,
  parts: 0.25,
  nulls: 0.08,
  owned: 0.3,
};

/**
 * Makes one stream.
 * @param {number} seed
 */
export function generate(seed) {
  return new Generator(new Random(seed)).stream();
}

/**
 * Makes one stream as the world sends them, which keeps the rules but for what the lenient mode repairs: events behind
 * a RUN_FINISHED, between two runs and after the last, and messages without an id. stream.lenient says so.
 * @param {number} seed
 */
export function generateLoose(seed) {
  const r = new Random(seed);
  const generator = new Generator(r);
  const { on } = generator;
  on.late = r.chance(0.7);
  on.nameless = !on.late || r.chance(0.4);
  // A lane of chunks is a message that is open too, and which one was opened last is not said.
  if (on.nameless) on.chunks = false;
  on.legacy = false;
  const stream = { ...generator.stream(), lenient: true };
  if (on.nameless) withoutIds(stream.events, r);
  return stream;
}

/** Takes the ids of all text or all reasoning messages of a stream away. */
function withoutIds(events, r) {
  const which = r.pick([/^TEXT_MESSAGE_/, /^REASONING_MESSAGE_/, /^(TEXT|REASONING)_MESSAGE_/]);
  const gone = r.pick([null, undefined]);
  for (const e of events) {
    if (!which.test(e.type)) continue;
    if (gone === null) e.messageId = null;
    else delete e.messageId;
  }
  // Now and then a server forgets a START as well.
  const starts = events.filter((e) => which.test(e.type) && e.type.endsWith("_START"));
  if (starts.length > 0 && r.chance(0.3)) events.splice(events.indexOf(r.pick(starts)), 1);
}

class Generator {
  constructor(random) {
    this.r = random;
    this.events = [];
    this.on = {};
    for (const name in FEATURES) this.on[name] = random.chance(FEATURES[name]);
    if (!this.on.tools && !this.on.reasoning && !this.on.activity && !this.on.state) this.on.text = true;
    this.used = { m: [], c: [], r: [], a: [], t: [] };
    this.count = 0;
    this.runs = 0;
  }

  stream() {
    const r = this.r;
    const input = {
      messages: this.on.history ? this.messages(1 + r.below(4), true) : [],
      state: r.chance(0.3) ? (r.chance(0.2) ? this.value(2) : this.object(2)) ?? {} : {},
    };
    const runs = this.on.runs ? 2 + r.below(2) : 1;
    for (let i = 0; i < runs; i++) this.run(i === runs - 1);
    const features = Object.keys(this.on).filter((name) => this.on[name]);
    return { input, events: this.events, features };
  }

  // The values of the protocol's fields.

  id(kind) {
    const r = this.r;
    const used = this.used[kind];
    if (this.on.reuse && used.length > 0 && r.chance(0.35)) return r.pick(used);
    const id = this.on.collide ? "id" + (1 + r.below(4)) : r.chance(0.02) ? "" : kind + (used.length + 1);
    used.push(id);
    return id;
  }

  word() {
    return this.r.pick(TEXTS);
  }

  value(depth) {
    const r = this.r;
    switch (r.below(depth > 0 ? 8 : 5)) {
      case 0:
        return r.pick([0, 1, -1, 1.5, 1e21, 9007199254740993]);
      case 1:
        return this.word();
      case 2:
        return r.chance(0.5);
      case 3:
        return null;
      case 4:
        return r.pick(["x", 7]);
      case 5:
        return Array.from({ length: r.below(3) }, () => this.value(depth - 1));
      default:
        return this.object(depth - 1);
    }
  }

  object(depth) {
    const o = {};
    if (depth > 0 && this.r.chance(0.4)) o.list = Array.from({ length: this.r.below(4) }, () => this.value(depth - 1));
    for (let n = this.r.below(4); n > 0; n--) o[this.r.pick(KEYS)] = this.value(depth);
    return o;
  }

  parts() {
    const r = this.r;
    return Array.from({ length: r.below(3) }, () => {
      const part = r.weighted({ text: 5, media: 4, binary: 1, zz: 1 });
      if (part === "text") return this.dress({ type: "text", text: this.word(), ...(r.chance(0.3) && { id: "p1" }) });
      if (part === "zz") return { type: "zz_part", value: 1 };
      if (part === "binary") {
        return r.chance(0.5)
          ? {
            type: "binary", mimeType: r.pick(["image/png", "audio/wav", "video/mp4", "application/pdf"]), data: "AA==",
            ...(r.chance(0.5) && { filename: "f.bin" }),
          }
          : { type: "binary", mimeType: "image/png", url: "https://example.org/x" };
      }
      const source = r.pick([
        { type: "data", value: "AA==", mimeType: "image/png" },
        { type: "url", value: "https://example.org/x" },
        { type: "file", value: "file-1", provider: "p" },
        { type: this.on.unknown ? "zz_source" : "url", value: "x" },
      ]);
      return this.dress({
        type: r.pick(["image", "audio", "video", "document"]), source: { ...source },
        ...(r.chance(0.2) && { metadata: this.value(1) ?? 1 }),
      });
    });
  }

  content() {
    return this.on.parts && this.r.chance(0.4) ? this.parts() : this.word();
  }

  /** Adds what any object may carry beyond what it is for: an unknown member, now and then a null. */
  dress(object) {
    if (this.on.unknown && this.r.chance(0.15)) object.zz = this.value(1);
    return object;
  }

  messages(n, plain) {
    const r = this.r;
    const out = [];
    const unknown = this.on.unknown;
    if (plain) this.on.unknown = false;
    for (let i = 0; i < n; i++) {
      const role = r.weighted({
        user: 5, assistant: 5, tool: 2, system: 1, developer: 1, reasoning: this.on.reasoning ? 2 : 0.3,
        activity: this.on.activity ? 2 : 0.3,
      });
      let m;
      if (role === "assistant") {
        m = { id: this.id("m"), role };
        if (r.chance(0.7)) m.content = this.word();
        if (r.chance(0.4)) m.toolCalls = Array.from({ length: 1 + r.below(2) }, () => this.call());
      } else if (role === "tool") {
        m = {
          id: this.id("t"), role, toolCallId: this.used.c.length ? r.pick(this.used.c) : "c1",
          content: plain ? this.word() : this.content(),
        };
        if (r.chance(0.2)) m.error = "broke";
      } else if (role === "reasoning") {
        m = { id: this.id("r"), role, content: this.word() };
      } else if (role === "activity") {
        m = { id: this.id("a"), role, activityType: r.pick(["PLAN", "FORM"]), content: this.object(2) };
      } else {
        m = { id: this.id("m"), role, content: role === "user" && !plain ? this.content() : this.word() };
        if (r.chance(0.2)) m.name = "n";
      }
      if (out.some((o) => o.id === m.id) && !(this.on.collide && !plain)) continue;
      if (this.on.subagents && r.chance(0.2)) m.subagentRunId = r.pick(["s1", "s2"]);
      if (this.on.metadata && r.chance(0.4)) m.metadata = this.object(1);
      if (role !== "activity" && r.chance(0.05)) m.encryptedValue = "e";
      out.push(this.dress(m));
    }
    if (this.on.unknown && r.chance(0.1)) out.push({ id: "zz1", role: "zz_role", content: "?" });
    this.on.unknown = unknown;
    return out;
  }

  call() {
    const call = { id: this.id("c"), type: "function", function: { name: this.r.pick(NAMES), arguments: this.word() } };
    if (this.on.metadata && this.r.chance(0.3)) call.metadata = this.object(1);
    return this.dress(call);
  }

  patch(depth) {
    const r = this.r;
    const path = () => {
      let p = "";
      for (let n = r.chance(0.08) ? 0 : 1 + r.below(depth); n > 0; n--) {
        if (r.chance(0.25)) p += "/list";
        p += "/" + (r.chance(0.25) ? r.pick(["0", "1", "-", "2", "01", ""]) : r.chance(0.03)
          ? r.pick(["__proto__", "constructor", "toString"]) : r.pick(KEYS)).replaceAll("~", "~0")
          .replaceAll("/", "~1");
      }
      return p;
    };
    if (r.chance(0.08)) {
      // Something is moved or copied within a list, now and then past its end.
      const list = Array.from({ length: 1 + r.below(3) }, () => this.value(1));
      return [{ op: "add", path: "/list", value: list }, {
        op: r.pick(["move", "copy"]), from: "/list/" + r.below(3),
        path: "/list/" + r.pick(["0", "1", "2", "3", "-", ""]),
      }];
    }
    return Array.from({ length: r.below(4) }, () => {
      const op = r.weighted({ add: 8, replace: 4, remove: 3, move: 2, copy: 2, test: 1 });
      const o = { op, path: path() };
      if (op === "add" || op === "replace" || op === "test") o.value = this.value(2);
      if (op === "move" || op === "copy") o.from = path();
      if (r.chance(0.05)) o.zz = 1;
      return o;
    });
  }

  interrupt() {
    const r = this.r;
    const i = { id: "i" + ++this.count, reason: r.pick(["tool_call", "input_required", "other"]) };
    if (r.chance(0.4)) i.message = this.word();
    if (r.chance(0.3)) i.toolCallId = "c1";
    if (r.chance(0.2)) i.responseSchema = { type: "object" };
    if (r.chance(0.2)) i.expiresAt = "2030-01-01T00:00:00Z";
    if (r.chance(0.2)) i.metadata = this.object(1);
    if (r.chance(0.2)) i.subagentRunId = "s1";
    return this.dress(i);
  }

  usage() {
    return [{ provider: "p", model: "m", inputTokens: this.r.below(100), outputTokens: 3 }];
  }

  /** Sends one event. */
  send(type, fields, owner) {
    const r = this.r;
    const e = { type, ...fields };
    if (owner !== undefined && (this.on.late !== undefined || r.chance(0.7))) e.subagentRunId = owner;
    if (this.on.metadata && r.chance(0.3)) e.metadata = this.object(1);
    if (r.chance(0.03)) e.timestamp = 1700000000000 + this.events.length;
    if (r.chance(0.03)) e.rawEvent = this.value(1) ?? { n: null };
    if (this.on.nulls && r.chance(0.2)) {
      e[r.pick(["metadata", "rawEvent", "timestamp", "name", "parentMessageId", "role", "result"])] ??= null;
    }
    this.events.push(this.dress(e));
  }

  /** Which subagent works now; undefined is the parent. */
  owner() {
    return this.subagents.length > 0 && this.r.chance(0.6) ? this.r.pick(this.subagents) : undefined;
  }

  run(last) {
    const r = this.r;
    this.texts = [];
    this.calls = [];
    this.spans = [];
    this.thoughts = [];
    this.steps = [];
    this.subagents = [];
    this.everSubagents = [];
    this.owners = { m: {}, r: {}, c: {}, a: {} };
    this.runs++;
    const ids = { threadId: "t1", runId: "r" + this.runs };
    const start = { ...ids };
    if (r.chance(0.3)) start.protocolVersion = "1.0";
    if (r.chance(0.1)) start.parentRunId = "r0";
    if (this.on.echo && r.chance(0.7)) {
      start.input = this.dress({ ...ids, messages: this.messages(r.below(4), false), tools: [], context: [] });
      if (r.chance(0.3)) start.input.state = this.value(1) ?? {};
      if (r.chance(0.3)) start.input.tools = [{ name: "f", description: "d", parameters: {} }];
      if (r.chance(0.2)) start.input.forwardedProps = {};
      if (r.chance(0.1)) start.input.resume = [{ interruptId: "i1", status: "resolved", payload: 1 }];
      for (const m of start.input.messages) this.own(m);
    }
    if (this.on.late !== undefined || r.chance(0.98)) this.send("RUN_STARTED", start);
    for (let n = r.below(r.chance(0.5) ? 8 : 22); n > 0; n--) this.act();
    if (last && r.chance(0.04)) return;
    if (r.chance(0.1)) {
      this.send("RUN_ERROR", {
        message: "it broke", ...(r.chance(0.5) && { code: "x" }), ...(r.chance(0.2) && { usage: this.usage() }),
      });
      return;
    }
    this.closeAll();
    const end = { ...ids };
    if (r.chance(0.3)) end.result = this.value(1) ?? 1;
    if (r.chance(0.2)) end.usage = this.usage();
    if (this.on.interrupts && r.chance(0.5)) end.outcome = {
      type: "interrupt", interrupts: Array.from({ length: 1 + r.below(2) }, () => this.interrupt()),
    };
    else if (r.chance(0.2)) end.outcome = {
      type: "success", ...(r.chance(0.5) && { pendingToolCallIds: r.pick([["c1"], []]) }),
    };
    else if (r.chance(0.1)) end.outcome = { type: "cancelled" };
    else if (this.on.unknown && r.chance(0.2)) end.outcome = { type: "zz_outcome" };
    this.send("RUN_FINISHED", end);
    if (this.on.late && r.chance(0.8)) {
      for (let n = 1 + r.below(6); n > 0; n--) this.act();
      this.closeAll();
    }
    if (r.chance(0.03)) this.send("RUN_ERROR", { message: "late" });
  }

  own(m) {
    const table = m.role === "reasoning" ? "r" : m.role === "activity" ? "a" : "m";
    if (!(m.id in this.owners[table])) this.owners[table][m.id] = m.subagentRunId;
    for (const call of m.toolCalls ?? []) if (!(call.id in this.owners.c)) this.owners.c[call.id] = m.subagentRunId;
  }

  closeAll() {
    const closers = [
      ...this.texts.map((e) => () => this.send("TEXT_MESSAGE_END", { messageId: e.id }, e.owner)),
      ...this.calls.map((e) => () => this.send("TOOL_CALL_END", { toolCallId: e.id }, e.owner)),
      ...this.thoughts.map((e) => () => this.send("REASONING_MESSAGE_END", { messageId: e.id }, e.owner)),
      ...this.spans.map((e) => () => this.send("REASONING_END", { messageId: e.id }, e.owner)),
      ...this.steps.map((e) => () => this.events.push({
        type: "STEP_FINISHED", stepName: e.name, ...(e.owner !== undefined && { subagentRunId: e.owner }),
      })),
    ];
    while (closers.length) closers.splice(this.r.below(closers.length), 1)[0]();
    for (const id of this.subagents) this.endSubagent(id);
    this.texts = [];
    this.calls = [];
    this.spans = [];
    this.thoughts = [];
    this.steps = [];
    this.subagents = [];
  }

  endSubagent(id) {
    const r = this.r;
    if (r.chance(0.8)) {
      const outcome = r.weighted({ none: 4, success: 2, suspended: 2, zz: this.on.unknown ? 1 : 0 });
      this.send("SUBAGENT_FINISHED", {
        subagentRunId: id,
        ...(r.chance(0.3) && { result: this.value(1) ?? 1 }),
        ...(outcome === "success" && { outcome: { type: "success" } }),
        ...(outcome === "suspended" && {
          outcome: { type: "suspended", ...(r.chance(0.5) && { interruptIds: ["i1"] }) },
        }),
        ...(outcome === "zz" && { outcome: { type: "zz_outcome" } }),
      });
    } else this.send("SUBAGENT_ERROR", { subagentRunId: id, message: "m", ...(r.chance(0.3) && { code: "c" }) });
  }

  /** Opens something of an owner: an id known in this run keeps the owner that it has. */
  opened(table, id) {
    const owners = this.owners[table];
    if (id in owners) return owners[id];
    return (owners[id] = this.owner());
  }

  take(list) {
    return list.splice(this.r.below(list.length), 1)[0];
  }

  act() {
    const on = this.on;
    const action = this.r.weighted({
      text: on.text ? 10 : 0,
      tool: on.tools ? 8 : 0,
      reasoning: on.reasoning ? 6 : 0,
      chunk: on.chunks ? 10 : 0,
      activity: on.activity ? 5 : 0,
      state: on.state ? 5 : 0,
      result: on.tools ? 3 : 0,
      snapshot: on.snapshots ? 2 : 0,
      step: on.steps ? 3 : 0,
      subagent: on.subagents ? 4 : 0,
      encrypted: on.encrypted ? 3 : 0,
      other: on.other ? 3 : 0,
      legacy: on.legacy ? 5 : 0,
      unknown: on.unknown ? 1 : 0,
    });
    this["act_" + action]();
  }

  // The actions, each sending one event or a few.

  act_text() {
    const r = this.r;
    if (this.texts.length === 0 || r.chance(0.25)) {
      const id = this.id("m");
      if (this.texts.some((e) => e.id === id)) return;
      const e = { id, owner: this.opened("m", id) };
      this.texts.push(e);
      this.send("TEXT_MESSAGE_START", { messageId: id, ...(r.chance(0.6) && { role: r.pick(ROLES) }),
        ...(r.chance(0.1) && { name: "n" }) }, e.owner);
    } else if (r.chance(0.75)) {
      const e = r.pick(this.texts);
      this.send("TEXT_MESSAGE_CONTENT", { messageId: e.id, delta: this.word() }, e.owner);
    } else {
      const e = this.take(this.texts);
      this.send("TEXT_MESSAGE_END", { messageId: e.id }, e.owner);
    }
  }

  act_tool() {
    const r = this.r;
    if (this.calls.length === 0 || r.chance(0.3)) {
      const id = this.id("c");
      if (this.calls.some((e) => e.id === id)) return;
      const e = { id };
      const fields = { toolCallId: id, toolCallName: r.pick(NAMES) };
      if (r.chance(0.5)) {
        fields.parentMessageId = r.chance(0.8) && this.used.m.length ? r.pick(this.used.m) : this.id("m");
      }
      const parent = fields.parentMessageId;
      if (parent !== undefined && parent in this.owners.m) e.owner = this.owners.m[parent];
      else e.owner = this.owner();
      if (id in this.owners.c && this.owners.c[id] !== e.owner) return;
      if (e.owner === undefined || !(parent in this.owners.m)) this.owners.c[id] = e.owner;
      const before = this.events.length;
      this.send("TOOL_CALL_START", fields, e.owner);
      const sent = this.events[before].subagentRunId;
      if (!(id in this.owners.c) || !(parent in this.owners.m)) {
        this.owners.c[id] = parent in this.owners.m ? this.owners.m[parent] : sent;
      }
      e.owner = this.owners.c[id];
      this.calls.push(e);
    } else if (r.chance(0.65)) {
      const e = r.pick(this.calls);
      this.send("TOOL_CALL_ARGS", { toolCallId: e.id, delta: this.word() }, e.owner);
    } else {
      const e = this.take(this.calls);
      this.send("TOOL_CALL_END", { toolCallId: e.id }, e.owner);
      if (r.chance(0.4)) this.act_result(e.id);
    }
  }

  act_result(id) {
    const r = this.r;
    const toolCallId = id ?? (this.used.c.length ? r.pick(this.used.c) : "c1");
    const messageId = this.id("t");
    const owner = this.owner();
    const before = this.events.length;
    this.send("TOOL_CALL_RESULT", { messageId, toolCallId, content: this.content(),
      ...(r.chance(0.3) && { role: "tool" }) }, owner);
    this.owners.m[messageId] = this.events[before].subagentRunId;
  }

  act_reasoning() {
    const r = this.r;
    const what = r.below(10);
    if (what < 2) {
      const id = this.id("r");
      if (this.spans.some((e) => e.id === id)) return;
      const e = { id, owner: this.opened("r", id) };
      this.spans.push(e);
      this.send("REASONING_START", { messageId: id }, e.owner);
    } else if (what === 2 && this.spans.length) {
      const e = this.take(this.spans);
      this.send("REASONING_END", { messageId: e.id }, e.owner);
    } else if (this.thoughts.length === 0 || what === 3) {
      const id = this.spans.length && r.chance(0.5) ? r.pick(this.spans).id : this.id("r");
      if (this.thoughts.some((e) => e.id === id)) return;
      const e = { id, owner: this.opened("r", id) };
      this.thoughts.push(e);
      this.send("REASONING_MESSAGE_START", { messageId: id, role: "reasoning" }, e.owner);
    } else if (what < 8) {
      const e = r.pick(this.thoughts);
      this.send("REASONING_MESSAGE_CONTENT", { messageId: e.id, delta: this.word() }, e.owner);
    } else {
      const e = this.take(this.thoughts);
      this.send("REASONING_MESSAGE_END", { messageId: e.id }, e.owner);
    }
  }

  /** A few chunks in a row, now and then with something between them. */
  act_chunk() {
    const r = this.r;
    const kind = r.weighted({
      text: this.on.text ? 4 : 1, tool: this.on.tools ? 3 : 0, reasoning: this.on.reasoning ? 3 : 0,
    });
    const table = kind === "text" ? "m" : kind === "tool" ? "c" : "r";
    const id = this.id(table);
    const open = kind === "text" ? this.texts : kind === "tool" ? this.calls : this.thoughts;
    if (open.some((e) => e.id === id)) return;
    const owner = this.opened(table, id);
    const tag = owner !== undefined && r.chance(0.8) ? owner : undefined;
    if (tag === undefined && !this.events.some((e) => e.toolCallId === id || e.messageId === id)) {
      this.owners[table][id] = undefined;
    }
    const first = kind === "tool" ? { toolCallId: id, toolCallName: r.pick(NAMES) } : { messageId: id };
    if (kind === "tool" && r.chance(0.4)) {
      const parent = r.chance(0.7) && this.used.m.length ? r.pick(this.used.m) : this.id("m");
      if (this.owners.m[parent] === tag) first.parentMessageId = parent;
    }
    if (kind === "text" && r.chance(0.3)) first.role = r.pick(ROLES);
    if (kind === "text" && r.chance(0.1)) first.name = "n";
    const type = kind === "text" ? "TEXT_MESSAGE_CHUNK" : kind === "tool" ? "TOOL_CALL_CHUNK"
      : "REASONING_MESSAGE_CHUNK";
    const tagged = () => (tag !== undefined ? { subagentRunId: tag } : {});
    this.send(type, { ...first, ...(r.chance(0.7) && { delta: this.word() }), ...tagged() });
    for (let n = r.below(4); n > 0; n--) {
      if (r.chance(0.1)) this.events.push({ type: "RAW", event: { n } });
      if (this.on.late === undefined && r.chance(0.05)) this.act();
      const more = r.chance(0.3) ? (kind === "tool" ? { toolCallId: id } : { messageId: id }) : {};
      if (r.chance(0.1)) Object.assign(more, first);
      this.send(type, { ...more, ...(r.chance(0.85) && { delta: this.word() }), ...(r.chance(0.7) && tagged()) });
    }
  }

  act_activity() {
    const r = this.r;
    const messageId = this.used.a.length && r.chance(0.6) ? r.pick(this.used.a) : this.id("a");
    const owners = this.owners.a;
    if (r.chance(0.5)) {
      const owner = this.owner();
      const replace = r.weighted({ absent: 3, yes: 1, no: 1 });
      const before = this.events.length;
      this.send("ACTIVITY_SNAPSHOT", { messageId, activityType: r.pick(["PLAN", "FORM"]), content: this.object(2),
        ...(replace !== "absent" && { replace: replace === "yes" }) }, owner);
      if (!(messageId in owners) || replace !== "no") owners[messageId] = this.events[before].subagentRunId;
    } else {
      this.send("ACTIVITY_DELTA", { messageId, activityType: r.pick(["PLAN", "FORM"]), patch: this.patch(2) },
        owners[messageId]);
    }
  }

  act_state() {
    if (this.r.chance(0.3)) this.send("STATE_SNAPSHOT",
      { snapshot: this.r.chance(0.8) ? this.object(3) : this.value(2) }, this.owner());
    else this.send("STATE_DELTA", { delta: this.patch(2) }, this.owner());
  }

  act_snapshot() {
    const messages = this.messages(this.r.below(5), false);
    // Some servers write one message as two entries: its text, then its calls.
    const whole = messages.findIndex((m) => m.role === "assistant" && m.content && m.toolCalls?.length > 0);
    let entries = messages;
    if (whole >= 0 && this.r.chance(0.3)) {
      const { content, ...calls } = messages[whole];
      entries = messages.toSpliced(whole, 1, { id: calls.id, role: calls.role, content }, calls);
    }
    const owned = this.on.owned
      ? { "@ag-ui/client": { authoritativeActivityTypes: this.r.pick(
      [null, [], ["PLAN"], ["FORM", "PLAN"], ["OTHER"], "PLAN"]) } } : undefined;
    this.send("MESSAGES_SNAPSHOT", { messages: entries });
    if (owned) this.events.at(-1).metadata = { ...this.events.at(-1).metadata, ...owned };
    for (const m of messages) {
      const table = m.role === "reasoning" ? "r" : m.role === "activity" ? "a" : "m";
      this.owners[table][m.id] = m.subagentRunId;
      for (const call of m.toolCalls ?? []) this.owners.c[call.id] = m.subagentRunId;
    }
  }

  act_step() {
    const r = this.r;
    const owner = this.owner();
    const name = r.pick(["plan", "act"]);
    const at = this.steps.findIndex((e) => e.owner === owner && e.name === name);
    const tag = owner !== undefined ? { subagentRunId: owner } : {};
    if (at < 0) this.steps.push({ name, owner });
    else this.steps.splice(at, 1);
    this.send(at < 0 ? "STEP_STARTED" : "STEP_FINISHED", { stepName: name, ...tag });
  }

  act_subagent() {
    const r = this.r;
    if (this.subagents.length === 0 || r.chance(0.4)) {
      const id = "s" + (this.everSubagents.length + 1);
      const fields = { subagentRunId: id, name: "sub" };
      if (this.everSubagents.length && r.chance(0.3)) fields.parentSubagentRunId = r.pick(this.everSubagents);
      if (r.chance(0.2)) fields.description = "d";
      if (r.chance(0.2)) fields.parentToolCallId = "c1";
      if (r.chance(0.2)) fields.parentMessageId = "m1";
      this.send("SUBAGENT_STARTED", fields);
      this.subagents.push(id);
      this.everSubagents.push(id);
    } else if (r.chance(0.6)) this.endSubagent(this.take(this.subagents));
  }

  act_encrypted() {
    const r = this.r;
    const subtype = r.pick(["tool-call", "message"]);
    const table = subtype === "tool-call" ? "c" : r.pick(["m", "r", "t", "a"]);
    const entityId = this.used[table].length ? r.pick(this.used[table]) : "m1";
    const owners = table === "c" ? this.owners.c : table === "a" ? {} : table === "r" ? this.owners.r : this.owners.m;
    this.send("REASONING_ENCRYPTED_VALUE", { subtype, entityId, encryptedValue: "e" + this.r.below(9) },
      owners[entityId]);
  }

  act_other() {
    if (this.r.chance(0.5)) this.send("RAW", { event: this.value(2), ...(this.r.chance(0.3) && { source: "s" }) },
      this.owner());
    else this.send("CUSTOM", { name: "c", value: this.value(2) }, this.owner());
  }

  /** Retired reasoning events. They name no ids. */
  act_legacy() {
    const r = this.r;
    const span = r.chance(0.6);
    if (span) this.events.push({ type: "THINKING_START", ...(r.chance(0.5) && { title: "t" }) });
    if (r.chance(0.8)) this.events.push({ type: "THINKING_TEXT_MESSAGE_START" });
    for (let n = r.below(3); n > 0; n--) {
      this.events.push({ type: "THINKING_TEXT_MESSAGE_CONTENT", delta: this.word() });
      if (r.chance(0.1)) this.act_other();
    }
    if (this.events.at(-1)?.type.startsWith("THINKING_TEXT")) this.events.push({ type: "THINKING_TEXT_MESSAGE_END" });
    if (span) this.events.push({ type: "THINKING_END" });
  }

  act_unknown() {
    this.events.push({ type: "ZZ_" + this.r.pick(["PING", "PONG"]), value: this.value(1) });
  }
}
