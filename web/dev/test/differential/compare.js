// Compares what the reference and this runtime made of one stream.

import { wireID, withPrototypeNames } from "./adapt.js";

const OUTCOMES = {
  complete: "complete", run_error: "run_error", unfinished: "incomplete_stream", bad_event: "bad_event",
  protocol: "protocol",
};
const PARTS = new Set(["text", "image", "audio", "video", "document"]);
const SOURCES = new Set(["data", "url", "file"]);
const ID_KEYS = new Set(["id", "messageId", "toolCallId", "parentMessageId"]);

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

/**
 * @returns {string} what differs, or "" where both agree
 */
export function compare(stream, reference, ours, hits) {
  const want = OUTCOMES[reference.outcome];
  if (ours.outcome !== want) {
    return `outcome: ${ours.outcome} (${ours.error ?? ""}), the reference: ${want} (${reference.error?.message ?? ""})`;
  }
  const known = idsOf(stream);
  const { again } = ours; // a message or call was made one of its own because its id had been used in an earlier turn
  if (again) hits.add(again === "once" ? "id used once" : "id used again");
  const compared = !again || again === "once";
  const theirs = compared ? messagesOf(withPrototypeNames(reference.messages), known, hits) : [];
  const mine = compared ? messagesOf(ours.messages, known, hits) : [];
  for (let i = 0; i < Math.max(theirs.length, mine.length); i++) {
    const at = firstDifference(mine[i], theirs[i]);
    if (at !== undefined) return `messages[${i}]${at}: ${show(mine)}, the reference: ${show(theirs)}`;
  }
  const state = firstDifference(ours.state, withPrototypeNames(reference.state));
  if (state !== undefined) return `state${state}: ${show(ours.state)}, the reference: ${show(reference.state)}`;
  const about = ({ toolCallId: id, ...rest }) =>
    (id === undefined ? rest : { ...rest, toolCallId: callID(id, known) });
  const open = stillOpen(reference, hits).map(about);
  const pending = firstDifference(protocolOnly(ours.interrupts, hits).map(about), open);
  if (pending !== undefined) return `interrupts${pending}: ${show(ours.interrupts)}, the reference: ${show(open)}`;
  if (again) return "";
  if (reference.pending && !(want === "run_error" || want === "incomplete_stream")) {
    const answered = new Set(reference.messages.map((m) => m.toolCallId));
    const held = new Set(ours.messages.flatMap((m) => (m.toolCalls ?? []).map((c) => c.id)));
    const waiting = reference.pending.filter((id) => !answered.has(id) && (held.has(id) || ours.pending.includes(id)));
    if (waiting.length < reference.pending.length) hits.add("answered call");
    const calls = firstDifference(ours.pending.filter((id) => !answered.has(id)), waiting);
    if (calls !== undefined) {
      return `pending tool calls: ${show(ours.pending)}, the reference: ${show(reference.pending)}`;
    }
  }
  return "";
}

/** The reference's interrupts, and before them those of earlier runs of the stream, which no stream here answers. */
function stillOpen({ asked, interrupts }, hits) {
  const ids = new Set(interrupts.map((i) => i.id));
  const open = asked.filter((i) => !ids.has(i.id));
  if (open.length === 0) return interrupts;
  hits.add("open question");
  return [...open, ...interrupts];
}

const show = (v) => JSON.stringify(v);

/** All ids that the stream itself names. */
function idsOf(stream) {
  const ids = new Set();
  const walk = (v, depth) => {
    if (v === null || typeof v !== "object" || depth > 8) return;
    for (const key of Object.keys(v)) {
      if (ID_KEYS.has(key) && typeof v[key] === "string") ids.add(v[key]);
      walk(v[key], depth + 1);
    }
  };
  walk(stream.events, 0);
  walk(stream.input.messages, 0);
  return ids;
}

/**
 * The messages with the wire's ids, without what the protocol does not know, ids made at run time numbered in order.
 */
function messagesOf(list, known, hits) {
  const made = new Map();
  return list.map((m) => {
    const out = protocolOnly(m, hits);
    let id = wireID(out.id);
    if (!known.has(id) && id.includes(":")) id = id.slice(0, id.indexOf(":"));
    if (!known.has(id)) {
      if (!made.has(id)) made.set(id, "#" + (made.size + 1));
      id = made.get(id);
    }
    out.id = id;
    if (typeof out.toolCallId === "string") out.toolCallId = callID(out.toolCallId, known);
    for (const call of Array.isArray(out.toolCalls) ? out.toolCalls : []) call.id = callID(call.id, known);
    if (Array.isArray(out.content) && out.role !== "activity") {
      out.content = out.content.filter((part) => knownPart(part, hits));
    }
    return out;
  });
}

/** A call's id as the wire has it. */
function callID(id, known) {
  const own = wireID(id);
  return known.has(own) ? own : own.replace(/:\d+$/, "");
}

function knownPart(part, hits) {
  const known = isObject(part) && PARTS.has(part.type) &&
    (part.type === "text" || (isObject(part.source) && SOURCES.has(part.source.type)));
  if (!known) hits.add("unknown part");
  return known;
}

/** A copy without the members named zz. */
function protocolOnly(v, hits) {
  if (Array.isArray(v)) return v.map((e) => protocolOnly(e, hits));
  if (!isObject(v)) return v;
  const out = {};
  for (const key of Object.keys(v)) {
    if (key === "zz") hits.add("unknown property");
    else if (v[key] !== undefined) Object.defineProperty(out, key, {
      value: protocolOnly(v[key], hits), enumerable: true, writable: true, configurable: true,
    });
  }
  return out;
}

const own = (o, key) => (Object.hasOwn(o, key) ? o[key] : undefined);

/** The path of the first place where two JSON values differ, or undefined. */
function firstDifference(a, b) {
  if (a === b) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const at = firstDifference(a[i], b[i]);
      if (at !== undefined) return `[${i}]${at}`;
    }
    return undefined;
  }
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const at = firstDifference(own(a, key), own(b, key));
      if (at !== undefined) return `.${key}${at}`;
    }
    return undefined;
  }
  return "";
}
