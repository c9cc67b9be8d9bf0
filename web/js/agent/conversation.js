"use strict";

import { AGUIError, errorFrom } from "../core/error.js";
import { uuid } from "../core/ids.js";
import { copy } from "../api/input.js";
import { freeze, Mirror } from "../core/mirror.js";

/** @typedef {import("../core/instance.js").Instance} Instance */
/** @typedef {import("../core/execution.js").Execution} Execution */

/**
 * One agent's conversation: the snapshots that the page reads, and the thread in Go that has the last word. Between
 * runs the page's side may be ahead: what is assigned shows at once and goes to Go when the next run begins (`sync`),
 * so nothing here needs the WebAssembly before. During a run Go may be ahead, by the events that wait in the queue;
 * what is assigned then is merged in Go, shows at once, and gives way to the merged value when the queue has come so
 * far.
 *
 * A program that died takes its threads along. Then the page's side is whole, and a new thread is made of it.
 */
export class Conversation {
  /** What Go's changes go into. */
  mirror;
  /** "full" or "new". */
  history = "full";
  /** The run that the next one goes on from, as Go said last. @type {string | undefined} */
  parent;
  /** The run whose events change the snapshots, if one does. @type {Execution | null} */
  execution = null;
  /** Go waits for a hook's answer, so both sides are at the same event. */
  asking = false;
  /** How many ended runs are remembered to branch from. */
  keepRuns = AGUI_KEEP_RUNS;
  /** Gives a thread that was made anew what only the one before it had. @type {(() => void) | undefined} */
  renew;
  /**
   * What the runs left: the messages are the first `count` of `list`, which a further run that only adds messages
   * shares, so that all of them cost what the messages cost.
   * @type {{names: string[], list: any[], count: number, state: any, interrupts: any}[]}
   */
  past = [];
  /** The list of the last run. @type {any[]} */
  #kept = [];
  /** @type {Instance | null} */
  #instance = null;
  #handle = 0;
  /**
   * What Go has, of the fields that the page has changed since.
   * @type {{messages?: any, state?: any, interrupts?: any}}
   */
  #base = {};
  /** What was assigned during a run and is not merged yet. @type {{messages?: any, state?: any}} */
  #early = {};
  #merging = 0;
  /** What the waiting calls were said to be of, and what they are. @type {{of: any[], ids: readonly string[]}} */
  #waiting = { of: [], ids: [] };
  /** Counts what else changes the waiting calls. */
  #turns = 0;

  /** @param {{messages: any, state: any, interrupts?: any}} initial plain JSON that becomes our own */
  constructor(initial) {
    this.mirror = new Mirror(initial);
  }

  /** @returns {readonly any[]} */
  get messages() {
    return this.#early.messages ?? this.mirror.get("messages");
  }

  get state() {
    return "state" in this.#early ? this.#early.state : this.mirror.get("state");
  }

  /** @returns {readonly any[]} */
  get interrupts() {
    return this.mirror.get("interrupts");
  }

  /**
   * The tool calls that wait for a person or the page: Go says which (thread.Thread.Waiting); before the WebAssembly
   * runs, all without an answer that the conversation has not left behind. While events stream the list is that of the
   * run's beginning.
   * @returns {readonly string[]}
   */
  get waiting() {
    const streams = this.execution !== null;
    const of = streams ? [this.execution, this.#turns] : [this.messages, this.interrupts, this.#turns, this.#live];
    if (of.length === this.#waiting.of.length && of.every((each, i) => each === this.#waiting.of[i])) {
      return this.#waiting.ids;
    }
    let ids;
    try {
      if (this.#live && !streams) this.sync(/** @type {Instance} */ (this.#instance));
      ids = this.#live ? this.#call("waiting", "{}").ids : unanswered(this);
    } catch {
      ids = unanswered(this); // a message of the page's is malformed: the next run says so
    }
    const same = ids.length === this.#waiting.ids.length &&
      ids.every((/** @type {string} */ id, /** @type {number} */ i) => id === this.#waiting.ids[i]);
    this.#waiting = {
      of: streams ? of : [this.messages, this.interrupts, this.#turns, this.#live],
      ids: same ? this.#waiting.ids : Object.freeze(ids),
    };
    return this.#waiting.ids;
  }

  /**
   * Asks Go something about the thread.
   * @param {string} op
   * @param {any} args
   */
  ask(op, args) {
    this.#turns++;
    return this.#call(op, JSON.stringify(args));
  }

  /**
   * Lets Go change the thread between runs.
   * @param {string} op
   * @param {any} args
   */
  change(op, args) {
    const answer = this.ask(op, args);
    if (answer.ops) this.mirror.apply(answer.ops, null);
    return answer;
  }

  /**
   * Replaces the messages. Those that are snapshots of ours stay the same objects, and Go keeps its own of them.
   * @param {any} list
   * @param {string} name how messages call it
   * @param {boolean} [plain] they are plain JSON with ids that nobody else holds: no copy is made of them
   */
  setMessages(list, name, plain) {
    if (!Array.isArray(list)) throw new TypeError(`${name} must be an array`);
    const now = this.messages;
    if (list === now) return;
    const own = new Set(now);
    this.#put("messages", list.map((message, i) => {
      if (plain || own.has(message) || made.has(message)) return freeze(message);
      if (typeof message !== "object" || message === null || Array.isArray(message)) {
        throw new TypeError(`${name}[${i}] must be an object`);
      }
      const copied = copy(message, `${name}[${i}]`);
      copied.id ??= uuid();
      return freeze(copied);
    }));
  }

  /**
   * Replaces the state. Members that are snapshots of ours stay the same objects.
   * @param {any} state
   * @param {string} name
   */
  setState(state, name) {
    const now = this.state;
    if (state === now) return;
    if (!isPlain(state) || !isPlain(now)) return this.#put("state", written(state, name));
    /** @type {[string, any][]} */
    const members = [];
    for (const key of Object.keys(state)) {
      const value = state[key];
      if (Object.hasOwn(now, key) && now[key] === value) members.push([key, value]);
      else if (value !== undefined && typeof value !== "function" && typeof value !== "symbol") {
        members.push([key, written(value, `${name}.${key}`)]);
      }
    }
    this.#put("state", Object.fromEntries(members));
  }

  /** @param {any} list */
  setInterrupts(list) {
    if (!Array.isArray(list)) throw new TypeError("pendingInterrupts must be an array");
    this.#put("interrupts", written(list, "pendingInterrupts"));
  }

  /**
   * @param {"messages" | "state" | "interrupts"} name
   * @param {any} value
   */
  #put(name, value) {
    this.#turns++;
    const running = this.execution !== null && !this.execution.closed && this.#live;
    const before = name === "messages" ? this.messages : name === "state" ? this.state : this.interrupts;
    if (running && !this.asking && name !== "interrupts") {
      const { ops } = this.#call("set", `{"changes":true,${this.#field(name, before, value, true)}}`);
      this.#early = { ...this.#early, [name]: freeze(value) };
      this.#merging++;
      /** @type {Execution} */ (this.execution).change(ops, () => {
        if (--this.#merging === 0) this.#early = {};
      });
      return;
    }
    if (!(name in this.#base)) this.#base[name] = before;
    this.mirror.set(name, value);
    if (!running) return;
    try {
      this.sync(/** @type {Instance} */ (this.#instance));
    } catch (thrown) {
      this.mirror.set(name, before);
      this.#base = {};
      throw thrown;
    }
  }

  /** The run is over: what was assigned and not merged yet is so now. */
  settle() {
    const early = this.#early;
    this.#early = {};
    this.#merging = 0;
    this.execution = null;
    this.asking = false;
    for (const name of /** @type {const} */ (["messages", "state"])) if (name in early) this.#put(name, early[name]);
  }

  /**
   * Changes the conversation in Go: "patch" applies JSON Patch operations to the state, "answers" puts tool messages
   * behind their calls.
   * @param {Instance} instance
   * @param {"patch" | "answers"} op
   * @param {any} args
   * @param {() => void} done called when the snapshots are the new ones
   * @returns {Promise<void> | undefined} a promise where events come first
   */
  apply(instance, op, args, done) {
    this.sync(instance);
    const { ops } = this.ask(op, args);
    if (this.execution !== null && !this.execution.closed && !this.asking) {
      const { execution } = this;
      return new Promise((resolve) => execution.change(ops, () => {
        done();
        resolve();
      }));
    }
    this.mirror.apply(ops, null);
    done();
    return undefined;
  }

  // The thread in Go.

  get #live() {
    return this.#instance !== null && !this.#instance.dead && this.#handle !== 0;
  }

  /** Go's handle of the thread. */
  get handle() {
    return this.#handle;
  }

  /** The program that has the thread, if it is still there. */
  get instance() {
    return this.#live ? this.#instance : null;
  }

  /**
   * Tells Go what the page has changed. Throws an AGUIError with code bad_input where a message is malformed.
   * @param {Instance} instance
   */
  sync(instance) {
    if (!this.#live || this.#instance !== instance) {
      this.#instance = instance;
      this.#handle = 0;
      const { handle, ops } = this.#call("new", JSON.stringify({
        messages: this.messages, state: this.state, interrupts: this.interrupts, parentRunId: this.parent,
        runs: this.past.map(({ names }) => names[0]),
      }));
      this.#handle = handle;
      watch(this, instance, handle);
      this.#base = {};
      if (ops.length > 0) this.mirror.apply(ops, null);
      this.renew?.();
      return;
    }
    const names = /** @type {("messages" | "state" | "interrupts")[]} */ (Object.keys(this.#base));
    const fields = names.filter((name) => this.#base[name] !== this.mirror.get(name));
    if (fields.length > 0) {
      const { ops } = this.#call("set",
        `{${fields.map((name) => this.#field(name, this.#base[name], this.mirror.get(name), false)).join(",")}}`);
      if (ops.length > 0) this.mirror.apply(ops, null); // what Go holds otherwise than it was given
    }
    this.#base = {};
  }

  /**
   * Writes a field's change for Go: what is a snapshot of ours is named, not sent.
   * @param {"messages" | "state" | "interrupts"} name
   * @param {any} before
   * @param {any} after
   * @param {boolean} merge Go may have gone on from before
   */
  #field(name, before, after, merge) {
    if (name === "interrupts") return `"interrupts":${JSON.stringify(after)}`;
    if (name === "state") {
      if (!isPlain(before) || !isPlain(after)) return `"state":${JSON.stringify(after)}`;
      return `"patch":[${members(before, after).join(",")}]`;
    }
    const own = new Set(before);
    const list = after.map((/** @type {any} */ message) => JSON.stringify(own.has(message) ? message.id : message));
    const base = merge ? `,"base":${JSON.stringify(before.map((/** @type {any} */ message) => message.id))}` : "";
    return `"messages":[${list.join(",")}]${base}`;
  }

  /**
   * Writes a run's input for Go, in which what is still a snapshot of ours is named and not sent: Go has it as it came.
   * @param {any} input
   * @returns {string | null} null: nothing of it is ours
   */
  named(input) {
    if (!this.#live || !Array.isArray(input?.messages)) return null;
    const own = new Set(this.messages);
    const messages = input.messages.map((/** @type {any} */ message) => (own.has(message) ? message.id : message));
    const { state, ...rest } = input;
    return JSON.stringify(state === this.state ? { ...rest, messages } : { ...rest, state, messages });
  }

  /** Remembers the snapshots under a run's ids. @param {string[]} names */
  keep(names) {
    const { messages } = this;
    let n = 0;
    while (n < this.#kept.length && n < messages.length && this.#kept[n] === messages[n]) n++;
    if (n < this.#kept.length) this.#kept = this.#kept.slice(0, n);
    for (; n < messages.length; n++) this.#kept.push(messages[n]);
    this.past.push({ names, list: this.#kept, count: messages.length, state: this.state, interrupts: this.interrupts });
    this.#forget();
  }

  /** Sets how many runs are remembered and forgets those before. @param {number} count */
  remember(count) {
    this.keepRuns = count;
    this.#forget();
    if (this.#live) this.#call("forget", JSON.stringify({ keepRuns: count }));
  }

  #forget() {
    if (this.past.length > this.keepRuns) this.past = this.past.slice(this.past.length - this.keepRuns);
    if (this.past.length === 0) this.#kept = [];
  }

  /**
   * A conversation as a run left it.
   * @param {string} runId
   * @returns {Conversation}
   */
  branch(runId) {
    const at = this.past.map(({ names }) => names.includes(runId)).lastIndexOf(true); // the names are Go's
    if (at < 0) throw new AGUIError("bad_input", `No run ${JSON.stringify(runId)} has ended in this thread.`);
    const { list, count, state, interrupts } = this.past[at];
    const messages = list.slice(0, count);
    const twin = this.#twin({ messages, state, interrupts }, at + 1, "branch", { runId });
    twin.parent = runId;
    return twin;
  }

  /** A conversation of its own that begins as this one. */
  clone() {
    const initial = { messages: this.messages, state: this.state, interrupts: this.interrupts };
    const even = this.execution === null || this.asking || this.execution.even;
    if (even && this.#live) this.sync(/** @type {Instance} */ (this.#instance));
    // Where Go is ahead, the page's side is what counts, and a thread of its own is made of it when it runs.
    const twin = this.#twin(initial, this.past.length, even ? "clone" : "", {});
    twin.parent = this.parent;
    return twin;
  }

  /**
   * @param {any} initial
   * @param {number} past
   * @param {string} op
   * @param {any} args
   */
  #twin(initial, past, op, args) {
    const twin = new Conversation(initial);
    twin.history = this.history;
    twin.keepRuns = this.keepRuns;
    twin.past = this.past.slice(0, past);
    if (!this.#live || op === "") return twin;
    try {
      twin.#handle = this.#call(op, JSON.stringify(args)).handle;
    } catch {
      return twin; // the thread in Go is younger than the run: the program died in between
    }
    twin.#instance = this.#instance;
    watch(twin, /** @type {Instance} */ (twin.#instance), twin.#handle);
    return twin;
  }

  /** Gives the thread in Go back. */
  free() {
    if (this.#live) this.#call("free", "{}");
    forget(this);
    this.#handle = 0;
    this.#instance = null;
  }

  /**
   * @param {string} op
   * @param {string} json
   * @returns {any}
   */
  #call(op, json) {
    const instance = /** @type {Instance} */ (this.#instance);
    const text = instance.call("thread", op, this.#handle, json);
    if (typeof text !== "string") {
      throw new AGUIError("internal", "The runtime failed inside and was restarted; please try again.");
    }
    const answer = JSON.parse(text);
    if (answer.error) throw errorFrom(answer.error);
    return answer;
  }
}

/**
 * The calls that wait, as far as the page's side can say. An assistant's word behind a person's leaves those before
 * behind.
 * @param {Conversation} conversation
 * @returns {string[]}
 */
function unanswered({ messages, interrupts }) {
  const not = new Set(interrupts.map(({ toolCallId }) => toolCallId));
  for (const { role, toolCallId } of messages) if (role === "tool") not.add(toolCallId);
  const roles = messages.map(({ role }) => role);
  const from = roles.lastIndexOf("user", Math.max(roles.lastIndexOf("assistant"), 0));
  const ids = messages.flatMap(({ toolCalls }, i) => (i < from ? [] : toolCalls ?? []))
    .map((/** @type {any} */ { id }) => id);
  return [...new Set(ids)].filter((id) => !not.has(id));
}

/** Messages that need no copy: the runtime made them, of plain JSON. @type {WeakSet<object>} */
const made = new WeakSet();

/**
 * Marks a message as made here. It may hold a large file, which is not to be written as JSON and read again.
 * @param {object} message
 */
export function ours(message) {
  made.add(freeze(message));
  return message;
}

/**
 * The members that differ, as JSON Patch operations.
 * @param {any} before
 * @param {any} after
 */
function members(before, after) {
  /** @type {string[]} */
  const operations = [];
  const path = (/** @type {string} */ key) => JSON.stringify(`/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) operations.push(`{"op":"remove","path":${path(key)}}`);
  }
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key) || before[key] !== after[key]) {
      operations.push(`{"op":"add","path":${path(key)},"value":${JSON.stringify(after[key])}}`);
    }
  }
  return operations;
}

/** @param {any} value */
function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && typeof value.toJSON !== "function";
}

/**
 * A copy of a value as JSON has it, frozen.
 * @param {any} value
 * @param {string} name
 */
function written(value, name) {
  const [own] = /** @type {any} */ (copy([value], name));
  if (own === null && value !== null && typeof value !== "number") {
    throw new TypeError(`${name} cannot be written as JSON`);
  }
  return freeze(own);
}

/**
 * Gives Go the threads back that nobody holds any more.
 * @type {FinalizationRegistry<{instance: Instance, handle: number}> | undefined}
 */
const registry = typeof FinalizationRegistry !== "function" ? undefined
  : new FinalizationRegistry(({ instance, handle }) => {
  if (!instance.dead) instance.call("thread", "free", handle, "{}");
});

/**
 * @param {Conversation} conversation
 * @param {Instance} instance
 * @param {number} handle
 */
function watch(conversation, instance, handle) {
  forget(conversation);
  registry?.register(conversation, { instance, handle }, conversation);
}

/** @param {Conversation} conversation */
function forget(conversation) {
  registry?.unregister(conversation);
}
