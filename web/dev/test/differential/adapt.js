// What the reference gets instead of an event, where a meant difference demands it.

import { omitOptionalNulls } from "@ag-ui/core";

const MARK = "\u0001";
const TEXT_ROLES = new Set(["assistant", "user", "system", "developer"]);
const FAILING_PATCH = [{ op: "test", path: "/\u0001never", value: 0 }];

/** The kind of message that a role makes, or "" for an unknown one. */
export function kindOfRole(role) {
  if (TEXT_ROLES.has(role)) return "text";
  return role === "tool" || role === "reasoning" || role === "activity" ? role : "";
}

/** The id as the wire has it. */
export function wireID(id) {
  const at = id.indexOf(MARK);
  return at < 0 ? id : id.slice(0, at);
}

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

/** Which ids of a stream name two kinds of message: id -> set of kinds. */
export function collisions(stream) {
  const kinds = new Map();
  const add = (id, kind) => {
    if (typeof id !== "string" || kind === "") return;
    if (!kinds.has(id)) kinds.set(id, new Set());
    kinds.get(id).add(kind);
  };
  const messages = (list) => {
    if (!Array.isArray(list)) return;
    for (const m of list) {
      if (!isObject(m)) continue;
      add(m.id, kindOfRole(m.role));
    }
  };
  messages(stream.input.messages);
  for (const e of stream.events) {
    const type = String(e.type);
    if (type.startsWith("TEXT_MESSAGE_")) add(e.messageId, "text");
    else if (type.startsWith("REASONING_")) add(e.messageId, "reasoning");
    else if (type.startsWith("ACTIVITY_")) add(e.messageId, "activity");
    else if (type === "TOOL_CALL_RESULT") add(e.messageId, "tool");
    else if (type === "TOOL_CALL_START" || type === "TOOL_CALL_CHUNK") {
      add(e.toolCallId, "text");
      add(e.parentMessageId, "text");
    } else if (type === "MESSAGES_SNAPSHOT") messages(e.messages);
    else if (type === "RUN_STARTED" && isObject(e.input)) messages(e.input.messages);
  }
  for (const [id, set] of kinds) if (set.size < 2) kinds.delete(id);
  return kinds;
}

/**
 * Makes the events for the reference out of those of the stream.
 */
export class Adapter {
  /** @param stream the stream; @param hits counts what was needed */
  constructor(stream, hits) {
    this.hits = hits;
    this.colliding = collisions(stream);
    this.ownedMessages = new Map(); // the reference's table of message owners in this run, by wire id
    this.adopted = new Map(); // calls whose parent got another name: they would have taken this owner
    this.thinking = false;
    this.chunkParents = new Map();
    /** The ids that name both a text message and a tool's. They share one table of owners, so they keep their name. */
    this.mixed = new Set([...this.colliding].filter(([, set]) => set.has("text") && set.has("tool")).map(([id]) => id));
  }

  /** The stream's first messages as the reference gets them. */
  input(messages) {
    return messages.map((m) => this.renamed(structuredClone(m)));
  }

  /** One event, given the messages and the state that the reference has now. */
  event(original, messages, state) {
    let e = structuredClone(original);
    if (!isObject(e) || typeof e.type !== "string") return [e];
    e = this.withoutNulls(e);
    const out = this.legacy(e);
    if (e.type === "STATE_DELTA") this.patch(e, "delta", state);
    if (e.type === "ACTIVITY_DELTA") {
      this.patch(e, "patch", messages.find((m) => m.role === "activity" && wireID(m.id) === e.messageId)?.content);
    }
    this.binary(e);
    if (e.type === "RUN_STARTED" && e.protocolVersion != null && typeof e.protocolVersion !== "string") {
      delete e.protocolVersion;
      this.hits.add("unreadable version");
    }
    this.rename(e, messages);
    this.track(e);
    return out;
  }

  withoutNulls(e) {
    // A null subagentRunId stays a fault in both; a number stands in for it, so that it is not taken out.
    const keep = (o) => isObject(o) && o.subagentRunId === null && (o.subagentRunId = 0);
    keep(e);
    for (const list of [e.messages, isObject(e.input) && e.input.messages, isObject(e.outcome) &&
      e.outcome.interrupts]) {
      if (Array.isArray(list)) list.forEach(keep);
    }
    let out = e;
    if (e.type.startsWith("THINKING_")) {
      for (const key of ["timestamp", "rawEvent", "metadata", "title"]) {
        if (e[key] === null) delete (out = { ...out })[key];
      }
    } else out = omitOptionalNulls(e, "Event");
    if (out !== e) this.hits.add("optional null");
    return out;
  }

  legacy(e) {
    if (e.type === "RUN_STARTED" || e.type === "THINKING_TEXT_MESSAGE_END") this.thinking = false;
    if (e.type.startsWith("THINKING_")) this.hits.add("made ids");
    if (e.type === "THINKING_TEXT_MESSAGE_START") this.thinking = true;
    if (e.type === "THINKING_TEXT_MESSAGE_CONTENT" && !this.thinking && typeof e.delta === "string") {
      this.thinking = true;
      this.hits.add("thinking without start");
      const start = { type: "THINKING_TEXT_MESSAGE_START" };
      if ("subagentRunId" in e) start.subagentRunId = e.subagentRunId;
      return [start, e];
    }
    return [e];
  }

  patch(e, field, document) {
    if (!Array.isArray(e[field])) return;
    for (const op of e[field]) {
      if (!isObject(op)) continue;
      for (const key of ["path", "from"]) {
        if (typeof op[key] !== "string" || !PROTOTYPE.test(op[key])) continue;
        op[key] = op[key].replaceAll(new RegExp(PROTOTYPE, "g"), "/" + MARK + "$1");
        this.hits.add("prototype path");
      }
    }
    let fault = e[field].map(faultOf).find(Boolean);
    if (document !== undefined) fault ||= lapse(document, e[field]);
    if (!fault) return;
    this.hits.add(fault);
    e[field] = FAILING_PATCH;
  }

  binary(e) {
    const content = (holder) => {
      if (!isObject(holder) || !Array.isArray(holder.content)) return;
      holder.content = holder.content.map((part) => {
        const turned = turnBinary(part);
        if (turned !== part) this.hits.add("binary part");
        return turned;
      });
    };
    if (e.type === "TOOL_CALL_RESULT") content(e);
    if (Array.isArray(e.messages)) e.messages.forEach(content);
    if (isObject(e.input) && Array.isArray(e.input.messages)) e.input.messages.forEach(content);
  }

  name(id, kind) {
    if (kind === "text" || kind === "tool" || kind === "" || !this.colliding.has(id)) return id;
    this.hits.add("two kinds under one id");
    return id + MARK + kind;
  }

  renamed(m) {
    if (isObject(m) && typeof m.id === "string") m.id = this.name(m.id, kindOfRole(m.role));
    return m;
  }

  rename(e, messages) {
    if (this.colliding.size === 0) return;
    const type = e.type;
    if (type === "REASONING_ENCRYPTED_VALUE") {
      if (e.subtype === "message" && this.colliding.has(e.entityId) && !this.ownedMessages.has(e.entityId)) {
        e.entityId = this.name(e.entityId, "reasoning");
      }
    } else if (typeof e.messageId === "string") {
      if (type.startsWith("REASONING_")) e.messageId = this.name(e.messageId, "reasoning");
      if (type.startsWith("ACTIVITY_")) e.messageId = this.name(e.messageId, "activity");
    }
    if (type.startsWith("TOOL_CALL_") && this.colliding.has(e.parentMessageId)) this.renameParent(e, messages);
    if (Array.isArray(e.messages)) e.messages.forEach((m) => this.renamed(m));
    if (isObject(e.input) && Array.isArray(e.input.messages)) e.input.messages.forEach((m) => this.renamed(m));
  }

  /** Names the message that a call's parent id means: the text of that id, else what the reference has under it. */
  renameParent(e, messages) {
    if (e.type === "TOOL_CALL_CHUNK") {
      // A chunk that goes on has to repeat what the first one said.
      e.toolCallId !== undefined && (this.chunkCall = e.toolCallId);
      const said = this.chunkParents.get(this.chunkCall);
      if (said?.raw === e.parentMessageId) return void (e.parentMessageId = said.meant);
    }
    const raw = e.parentMessageId;
    if (!messages.some((m) => m.id === raw)) e.parentMessageId = messages.find((m) => wireID(m.id) === raw)?.id ?? raw;
    if (e.parentMessageId !== raw && this.ownedMessages.get(raw) !== undefined && e.subagentRunId === undefined) {
      this.adopted.set(e.toolCallId, this.ownedMessages.get(raw));
    }
    if (e.type === "TOOL_CALL_CHUNK") this.chunkParents.set(this.chunkCall, { raw, meant: e.parentMessageId });
  }

  track(e) {
    if (e.type === "RUN_STARTED") {
      this.ownedMessages.clear();
      this.adopted.clear();
    }
    if (e.type === "MESSAGES_SNAPSHOT") this.chunkParents.clear(); // it ends every chunk's stream
    if (/^TOOL_CALL_(ARGS|END|CHUNK)$/.test(e.type) && e.subagentRunId !== undefined &&
      this.adopted.get(e.toolCallId) === e.subagentRunId) {
      delete e.subagentRunId;
    }
    const own = (id, owner, anew) => {
      if (anew || !this.ownedMessages.has(id)) this.ownedMessages.set(id, owner);
    };
    if ((e.type.startsWith("TEXT_MESSAGE_") || e.type === "TOOL_CALL_RESULT") && typeof e.messageId === "string") {
      own(e.messageId, e.subagentRunId, e.type === "TOOL_CALL_RESULT");
    }
    const list = e.type === "MESSAGES_SNAPSHOT" ? e.messages : e.type === "RUN_STARTED" && isObject(e.input)
      ? e.input.messages : [];
    if (Array.isArray(list)) {
      for (const m of list) {
        if (isObject(m) && ["text", "tool"].includes(kindOfRole(m.role))) {
          own(m.id, m.subagentRunId, e.type === "MESSAGES_SNAPSHOT");
        }
      }
    }
  }
}

const PROTOTYPE = /\/(__proto__|constructor|toString)(?=\/|$)/;

/** The reference's value with the names that were kept from its prototypes. */
export function withPrototypeNames(v) {
  if (Array.isArray(v)) return v.map(withPrototypeNames);
  if (!isObject(v)) return v;
  const out = {};
  for (const key of Object.keys(v)) {
    const name = key.startsWith(MARK) ? key.slice(MARK.length) : key;
    Object.defineProperty(out, name, {
      value: withPrototypeNames(v[key]), enumerable: true, writable: true, configurable: true,
    });
  }
  return out;
}

const POINTER = /^(\/([^/~]|~[01])*)*$/;

/** Names the meant difference that an operation falls under, or gives "". */
function faultOf(op) {
  if (!isObject(op)) return "malformed operation";
  const pointer = (p) => typeof p === "string" && POINTER.test(p);
  const two = op.op === "move" || op.op === "copy";
  if (!["add", "remove", "replace", "move", "copy", "test"].includes(op.op)) return "malformed operation";
  if (!pointer(op.path) || (two && !pointer(op.from))) return "malformed operation";
  if (["add", "replace", "test"].includes(op.op) && op.value === undefined) return "malformed operation";
  if (op.op === "remove" && op.path === "") return "root removed";
  if (op.op === "move" && op.from === "" && op.path !== "") return "root removed";
  return "";
}

/** Names the meant difference in how a well-formed patch applies, or gives "": RFC 6902 applied to a copy. */
function lapse(document, operations) {
  let root = structuredClone(document);
  const keys = (pointer) => pointer.split("/").slice(1).map((k) => k.replaceAll("~1", "/").replaceAll("~0", "~"));
  const step = (holder, key) => {
    if (Array.isArray(holder)) return /^(0|[1-9][0-9]*)$/.test(key) ? holder[key] : undefined;
    return holder !== null && typeof holder === "object" && Object.hasOwn(holder, key) ? holder[key] : undefined;
  };
  const get = (pointer) => keys(pointer).reduce(step, root);
  const put = (pointer, value, replace) => {
    if (pointer === "") return void (root = value);
    const holder = get(pointer.slice(0, pointer.lastIndexOf("/")));
    const key = keys(pointer).at(-1);
    if (Array.isArray(holder)) {
      const at = key === "-" && !replace ? holder.length : Number(key);
      if (at > holder.length) return;
      holder.splice(at, replace ? 1 : 0, value);
    } else if (holder !== null && typeof holder === "object") holder[key] = value;
  };
  for (const op of operations) {
    for (const pointer of [op.path, op.from ?? ""]) {
      let holder = root;
      for (const key of keys(pointer)) {
        if (Array.isArray(holder) && /^(|0[0-9]+)$/.test(key)) return "odd array index";
        holder = step(holder, key);
      }
    }
    if (op.path !== "" && typeof root !== "object") return "member of a scalar root";
    const two = op.op === "move" || op.op === "copy";
    const value = two ? structuredClone(get(op.from)) : op.value;
    if (two && value === undefined) return op.path === "" ? "missing source for the root" : "";
    if (op.op === "move" || op.op === "remove") {
      const pointer = op.op === "move" ? op.from : op.path;
      if (pointer === op.path && op.op === "move") continue;
      const holder = get(pointer.slice(0, pointer.lastIndexOf("/")));
      if (get(pointer) === undefined) return "";
      if (Array.isArray(holder)) holder.splice(Number(keys(pointer).at(-1)), 1);
      else delete holder[keys(pointer).at(-1)];
    }
    if (op.op === "replace" && get(op.path) === undefined) return "";
    if (two && op.path !== "") {
      const holder = get(op.path.slice(0, op.path.lastIndexOf("/")));
      if (Array.isArray(holder) && Number(keys(op.path).at(-1)) > holder.length) return "target past the end";
    }
    if (op.op !== "remove" && op.op !== "test") put(op.path, structuredClone(value), op.op === "replace");
  }
  return "";
}

function turnBinary(part) {
  if (!isObject(part) || part.type !== "binary" || typeof part.mimeType !== "string") return part;
  const source = part.data ? "data" : part.url ? "url" : "";
  if (source === "" || typeof part[source] !== "string") return part; // the reference judges it
  const main = part.mimeType.split("/")[0];
  const type = ["image", "audio", "video"].includes(main) && part.mimeType.includes("/") ? main : "document";
  const out = { type, source: { type: source, value: part[source], mimeType: part.mimeType } };
  if (typeof part.id === "string") out.id = part.id;
  if (part.filename !== undefined && part.filename !== null) out.metadata = { filename: part.filename };
  return out;
}
