// Faults: what goes wrong in a stream, one to three at a time.

import { Random } from "./random.js";

const WRONG = [0, 1.5, true, "", "x", [], {}, ["x"], { a: 1 }, -1];
const TAGS = ["s1", "s2", "", "s9"];

/** Gives a copy of the stream with faults in it; stream.faults names them. */
export function mutate(stream, seed) {
  const r = new Random(seed);
  const events = structuredClone(stream.events);
  const faults = [];
  for (let n = 1 + (r.chance(0.3) ? r.below(3) : 0); n > 0 && events.length > 0; n--) {
    const fault = r.weighted({
      drop: 4, double: 3, move: 3, swap: 2, field: 6, nested: 4, id: 4, tag: 3, type: 1, unknown: 1, graft: 5, cut: 0.5,
    });
    if (FAULTS[fault](events, r) !== false) faults.push(fault);
  }
  return { ...stream, events, faults };
}

/** All places below a value: [holder, key] pairs. */
function places(value, out = [], depth = 0) {
  if (value === null || typeof value !== "object" || depth > 6) return out;
  for (const key of Object.keys(value)) {
    out.push([value, key]);
    places(value[key], out, depth + 1);
  }
  return out;
}

function spoil(holder, key, r) {
  switch (r.below(4)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 1:
      holder[key] = null;
      return;
    default: {
      const kind = kindOf(holder[key]);
      const wrong = WRONG.filter((v) => kindOf(v) !== kind);
      holder[key] = structuredClone(r.pick(wrong));
    }
  }
}

function kindOf(v) {
  return v === null ? "null" : Array.isArray(v) ? "array" : typeof v;
}

const ID_FIELDS = ["messageId", "toolCallId", "parentMessageId", "entityId", "stepName", "subagentRunId",
  "parentSubagentRunId", "runId", "threadId"];

const FAULTS = {
  drop(events, r) {
    events.splice(r.below(events.length), 1);
  },
  double(events, r) {
    const at = r.below(events.length);
    events.splice(at + 1 + r.below(Math.min(4, events.length - at)), 0, structuredClone(events[at]));
  },
  move(events, r) {
    const [e] = events.splice(r.below(events.length), 1);
    events.splice(r.below(events.length + 1), 0, e);
  },
  swap(events, r) {
    const at = r.below(events.length - 1 || 1);
    if (at + 1 < events.length) [events[at], events[at + 1]] = [events[at + 1], events[at]];
  },
  /** A member of an event is of the wrong kind, null or missing. */
  field(events, r) {
    const e = r.pick(events);
    const keys = Object.keys(e).filter((k) => k !== "type" || r.chance(0.1));
    const key = r.chance(0.25) ? r.pick(["timestamp", "rawEvent", "metadata", "subagentRunId", "role", "name", "code",
      "usage", "outcome", "replace", "delta", "input", "parentMessageId"]) : r.pick(keys);
    if (key === undefined) return false;
    spoil(e, key, r);
  },
  /** Something inside a member is. */
  nested(events, r) {
    const deep = events.map((e) => places(e).filter(([holder]) => holder !== e)).filter((list) => list.length > 0);
    if (deep.length === 0) return false;
    const [holder, key] = r.pick(r.pick(deep));
    spoil(holder, key, r);
  },
  id(events, r) {
    const e = r.pick(events);
    const keys = ID_FIELDS.filter((k) => typeof e[k] === "string");
    if (keys.length === 0) return false;
    const key = r.pick(keys);
    const same = events.map((o) => o[key]).filter((v) => typeof v === "string");
    const any = events.flatMap((o) => [o.messageId, o.toolCallId]).filter((v) => typeof v === "string");
    e[key] = r.chance(0.6) ? r.pick(same) : r.chance(0.3) && any.length ? r.pick(any) : "x1";
  },
  tag(events, r) {
    const e = r.pick(events);
    if (e.subagentRunId !== undefined && r.chance(0.4)) delete e.subagentRunId;
    else e.subagentRunId = r.pick(TAGS);
  },
  type(events, r) {
    r.pick(events).type = r.pick(events).type;
  },
  unknown(events, r) {
    events.splice(r.below(events.length + 1), 0, { type: "ZZ_LATE" });
  },
  /** An event about something that the stream knows is put in between, often in another one's name. */
  graft(events, r) {
    const at = 1 + r.below(events.length);
    const ids = (...keys) => events.slice(0, at).flatMap((e) => keys.map((k) => e[k]))
      .filter((v) => typeof v === "string");
    const message = r.pick([...ids("messageId", "parentMessageId"), "m1"]);
    const call = r.pick([...ids("toolCallId"), "c1"]);
    const made = r.pick([
      { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: message, encryptedValue: "g" },
      { type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: call, encryptedValue: "g" },
      { type: "TEXT_MESSAGE_START", messageId: message },
      { type: "TEXT_MESSAGE_CONTENT", messageId: message, delta: "g" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: message, delta: "g" },
      { type: "REASONING_START", messageId: message },
      { type: "REASONING_MESSAGE_START", messageId: message, role: "reasoning" },
      { type: "REASONING_MESSAGE_CHUNK", messageId: message, delta: "g" },
      {
        type: "TOOL_CALL_START", toolCallId: r.chance(0.5) ? call : "g1", toolCallName: "f",
        ...(r.chance(0.7) && { parentMessageId: message }),
      },
      { type: "TOOL_CALL_CHUNK", toolCallId: call, ...(r.chance(0.7) && { toolCallName: "f" }), delta: "g" },
      { type: "TOOL_CALL_RESULT", messageId: r.chance(0.5) ? message : "g2", toolCallId: call, content: "g" },
      {
        type: "ACTIVITY_SNAPSHOT", messageId: message, activityType: "G", content: {},
        ...(r.chance(0.3) && { replace: false }),
      },
      { type: "ACTIVITY_DELTA", messageId: message, activityType: "G", patch: [{ op: "add", path: "/g", value: 1 }] },
      { type: "MESSAGES_SNAPSHOT", messages: [] },
      { type: "STATE_DELTA", delta: [] },
    ]);
    if (r.chance(0.5) && made.type !== "MESSAGES_SNAPSHOT") made.subagentRunId = r.pick(["s1", "s1", "s2"]);
    const grafted = [made];
    // What was opened is closed again, so that the rest of the stream can go on.
    if (r.chance(0.6)) {
      if (made.type === "TEXT_MESSAGE_START") grafted.push({ type: "TEXT_MESSAGE_END", messageId: message });
      if (made.type === "REASONING_START") grafted.push({ type: "REASONING_END", messageId: message });
      if (made.type === "REASONING_MESSAGE_START") grafted.push({ type: "REASONING_MESSAGE_END", messageId: message });
      if (made.type === "TOOL_CALL_START") grafted.push({ type: "TOOL_CALL_END", toolCallId: made.toolCallId });
    }
    events.splice(at, 0, ...grafted);
  },
  /** The stream breaks off. */
  cut(events, r) {
    events.length = r.below(events.length);
  },
};
