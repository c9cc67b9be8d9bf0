"use strict";

import * as kept from "./kept.js";
import { offer } from "./join.js";
import { say } from "../core/error.js";
import { live } from "../core/live.js";

/**
 * A conversation that outlives its page: what an agent's thread has is written where the page says, at most once a
 * frame, and comes back in the next page. A part: it loads with the first agent that has `persist`.
 */

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */
/** @typedef {import("./kept.js").Kept} Kept */

const VERSION = 1;
/** Every pointer to an agent's latest thread begins so, in sessionStorage or localStorage. */
const POINTER = "agui thread ";
/** How often a write is tried against other tabs' writes. */
const TRIES = 5;
/** How long a write waits for the snapshots to be where Go is, and a handler for the write, in ms. */
const PATIENCE = 1000;

/**
 * @typedef {{messages: readonly any[], state: any, interrupts: readonly any[], open: boolean, at: any,
 *   begun: readonly string[], halves: Record<string, import("./kept.js").Half>}} Now
 */
const NOTHING = { messages: [], state: undefined, at: null };

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T | null>} null: it takes too long
 */
async function soon(promise) {
  let late;
  const none = new Promise((/** @type {(v: null) => void} */ resolve) => {
    late = setTimeout(resolve, PATIENCE, null);
  });
  const value = await Promise.race([promise, none]);
  clearTimeout(late);
  return value;
}

/** Those that are at work. @type {Set<Keeper>} */
const keepers = new Set();

export class Keeper {
  #agent;
  /** @type {AgentInternals} */
  #internals;
  /** The page's own store, or null: IndexedDB. @type {any} */
  #own;
  #session;
  #pointer;
  #threadId;
  #rev = 0;
  /** What is written, or needs not be. @type {Now} */
  #seen;
  /** What the revision has. @type {{messages: readonly any[], state: any, at: any}} */
  #stored = NOTHING;
  /**
   * The run that the record tells of, until this page has one, or goes on with it.
   * @type {{open: boolean, at: any} | null}
   */
  #theirs = null;
  /** The calls whose handlers have begun, here or in a page before. @type {Set<string>} */
  #begun = new Set();
  /** The thread that no other tab has. @type {string | null} */
  #held = null;
  #release = () => {};
  /** The body of the first request of the run with that line. @type {{line: any, body: string}} */
  #sent = { line: null, body: "" };
  #closed = false;
  #warned = false;
  /** The write that is under way. @type {Promise<void> | null} */
  #writing = null;
  #again = false;
  #restored = false;
  #stop;
  /** Whether something was there. @type {Promise<boolean>} */
  ready;

  /**
   * @param {any} agent
   * @param {AgentInternals} internals
   * @param {any} where "session", "local" or a store
   * @param {{messages: readonly any[], state: any, interrupts: readonly any[], threadId: string, pointer: string |
   *   null}} begun what the agent began with
   */
  constructor(agent, internals, where, { messages, state, interrupts, threadId, pointer }) {
    this.#agent = agent;
    this.#internals = internals;
    this.#own = typeof where === "object" ? where : null;
    this.#session = where === "session";
    this.#pointer = pointer;
    this.#threadId = threadId;
    this.#seen = { messages, state, interrupts, open: false, at: null, begun: [], halves: internals.halves };
    keepers.add(this);
    const save = () => void this.#save();
    const forget = internals.changes.add(save);
    globalThis.addEventListener?.("pagehide", save);
    live.callbacks++;
    this.#stop = () => {
      forget();
      globalThis.removeEventListener?.("pagehide", save);
      live.callbacks--;
    };
    this.#hold();
    const restoring = this.#restore();
    this.ready = restoring.then((was) => was !== null);
    void restoring.then((was) => was && this.#goOn(was));
    if (this.#session) void this.#try(kept.tidy);
  }

  /** Takes in what other tabs have written. Before each run. @returns {Promise<void>} */
  async fresh() {
    await this.ready;
    if (this.#own || this.#closed || this.#agent.threadId !== this.#threadId) return;
    await this.#writing;
    await this.#try(async () => {
      if (await kept.revision(this.#threadId) !== this.#rev) await this.#take();
    });
  }

  /**
   * Notes that the handlers of these calls are about to begin: a page that is loaded anew is to know.
   * @param {string[]} ids
   * @returns {Promise<void>}
   */
  async begins(ids) {
    for (const id of ids) this.#begun.add(id);
    const written = async () => {
      await this.#save();
      while (this.#writing !== null) await this.#writing;
    };
    if (!this.#closed) await soon(written());
  }

  /**
   * @param {string} id
   * @returns {boolean | undefined} whether the handler of that call has begun; undefined: another tab has the thread
   */
  began(id) {
    return this.#begun.has(id) || (this.#held === this.#threadId ? false : undefined);
  }

  /** Says that the thread is this tab's, as soon as no other has it. */
  #hold() {
    const threadId = this.#threadId;
    this.#release();
    const until = new Promise((/** @type {(v: null) => void} */ resolve) => { this.#release = () => resolve(null); });
    const { locks } = globalThis.navigator ?? {};
    locks?.request(`agui ${threadId}`, () => {
      this.#held = threadId;
      return until;
    }).catch(() => {}); // where the browser forbids it nothing is known of other tabs
  }

  /** Removes what is kept of the thread, and keeps nothing more of it. @returns {Promise<void>} */
  async forget() {
    this.#end();
    await this.#writing;
    this.#point(null);
    await (this.#own ?? kept).remove(this.#threadId);
  }

  /** Keeps what there is and ends. */
  async close() {
    await this.ready;
    await this.#writing; // what it began with may be older
    await this.#save();
    this.#end();
  }

  #end() {
    if (this.#closed) return;
    this.#closed = true;
    keepers.delete(this);
    this.#release();
    this.#stop();
  }

  /** What cannot be read is not written over: then nothing is kept. */
  async #restore() {
    /** @type {Kept | null} */
    let was = null;
    this.#restored = await this.#try(async () => {
      was = await this.#take();
      return true;
    }) ?? false;
    if (!this.#restored) this.#end();
    void this.#save(); // what this page has made since
    return /** @type {Kept | null} */ (was);
  }

  /**
   * Joins the run that was under way, where the server can be asked; else the page is offered the calls that wait.
   * @param {Kept} was
   */
  async #goOn({ open, at }) {
    const internals = this.#internals;
    if (this.#closed || internals.run !== null) return;
    if (open && !internals.joins()) this.#cut();
    if (!open || !internals.joins()) return offer(this.#agent, internals);
    // A cursor goes to nobody but the server that gave it.
    const ours = !at || at.of === this.#server;
    if (ours) internals.at = at;
    // its hooks have told
    const code = await this.#agent.connectAgent().then(() => null, (/** @type {any} */ { code: why }) => why ?? "");
    internals.at = null;
    if (code === null ? ours : code.startsWith("resume_")) this.#theirs = null; // else the next page may try again
    void this.#save();
  }

  /** Who gives cursors. */
  get #server() {
    return `${this.#internals.options.reconnect} ${this.#agent.url}`;
  }

  /** The page went with a run under way that nobody can join: what was said last has no end. */
  #cut() {
    const { conversation: { messages }, halves, changes } = this.#internals;
    const { id, role, content } = messages.at(-1) ?? {};
    if (role !== "assistant" && role !== "reasoning" || typeof content !== "string" || halves[id]) return;
    this.#internals.halves = { ...halves, [id]: { how: "brokeOff", length: content.length } };
    changes.now();
  }

  /**
   * Puts what is kept into the conversation, and what this page has made since it last knew into that.
   * @returns {Promise<Kept | null>}
   */
  async #take() {
    /** @type {Kept | null} */
    const record = await (this.#own ?? kept).load(this.#threadId) ?? null;
    if (record === null || this.#closed) return null;
    if (record.version !== VERSION) {
      this.#end();
      throw new Error(`Version ${record.version}, not ${VERSION}`);
    }
    const { conversation, changes } = this.#internals;
    const { messages, state, interrupts } = this.#seen;
    const list = merged(messages, conversation.messages, record.messages);
    const takes = { state: conversation.state === state, interrupts: conversation.interrupts === interrupts };
    conversation.setMessages(list, "the kept messages", !this.#own); // IndexedDB gives values of their own
    if (takes.state) conversation.setState(record.state, "the kept state");
    if (takes.interrupts) conversation.setInterrupts(record.interrupts);
    const now = conversation.messages;
    for (const id of record.begun ?? []) this.#begun.add(id);
    if (this.#internals.run === null) this.#theirs = { open: record.open, at: record.at ?? null };
    const whole = now.length === record.messages.length && now.every(({ id }, i) => id === record.messages[i].id);
    this.#rev = record.rev ?? 0;
    // Where something of this page's went in, that is to be written.
    const had = {
      messages: whole ? now : [], state: takes.state ? conversation.state : undefined, at: record.at ?? null,
    };
    this.#stored = had;
    const { halves } = this.#internals;
    if (record.halves) this.#internals.halves = { ...record.halves, ...halves };
    this.#seen = { ...had, interrupts: takes.interrupts ? conversation.interrupts : [], open: record.open,
      begun: record.begun ?? [], halves: Object.keys(halves).length > 0 ? halves : this.#internals.halves };
    changes.now();
    void this.#tell();
    return record;
  }

  async #tell() {
    const hooks = this.#internals.hooks();
    await hooks.tell("onMessagesChanged");
    await hooks.tell("onStateChanged");
  }

  /** @returns {Promise<void>} */
  async #save() {
    if (this.#closed || !this.#restored) return; // what is kept is read before it is written over
    if (this.#writing) {
      this.#again = true;
      return;
    }
    const now = this.#now();
    const moved = this.#agent.threadId !== this.#threadId;
    const { messages, state, interrupts, open, begun, halves } = this.#seen;
    if (!moved && messages === now.messages && state === now.state && interrupts === now.interrupts &&
      open === now.open && begun.length === now.begun.length && halves === now.halves) {
      return;
    }
    if (moved) {
      this.#threadId = this.#agent.threadId;
      this.#rev = 0;
      this.#stored = NOTHING;
      this.#theirs = null;
      this.#hold();
    }
    this.#writing = this.#try(() => this.#write()).then(() => {});
    await this.#writing;
    this.#writing = null;
    if (this.#again) {
      this.#again = false;
      await this.#save();
    }
  }

  /** @param {any} [at] @returns {Now} */
  #now(at = null) {
    const { conversation, run, joining, halves } = this.#internals;
    const { messages, state, interrupts } = conversation;
    if (at !== null || run !== null && joining === null) this.#theirs = null;
    const whose = this.#theirs ?? { open: run !== null, at };
    const begun = [...this.#begun];
    const answered = new Set(begun.length > 0 ? messages.map(({ toolCallId }) => toolCallId) : []);
    return { messages, state, interrupts, ...whose, halves, begun: begun.filter((id) => !answered.has(id)) };
  }

  /**
   * What there is, and where its run stands.
   * @returns {Now | Promise<Now | null>} null: what Go has applied does not come
   */
  #stand() {
    const { execution } = this.#internals.conversation;
    const line = execution?.line;
    if (!execution || !line) return this.#now();
    if (this.#sent.line !== line) this.#sent = { line, body: line.body };
    const take = (/** @type {string} */ text) =>
      this.#now(text ? { ...JSON.parse(text), of: this.#server, body: this.#sent.body } : null);
    /** @type {Now[]} */
    const now = [];
    const coming = new Promise((/** @type {(v: Now) => void} */ resolve) => {
      line.ask((/** @type {string} */ text) => {
        if (execution.even || execution.closed) now.push(take(text));
        else execution.change([], () => resolve(take(text)));
        if (now.length > 0) resolve(now[0]);
      });
    });
    return now[0] ?? soon(coming);
  }

  async #write() {
    for (let tries = 0; tries < TRIES; tries++) {
      const point = this.#stand();
      const now = point instanceof Promise ? await point : point; // a page that goes away does not wait
      if (now === null) return undefined;
      const record = { version: VERSION, threadId: this.#threadId, rev: this.#rev, updated: Date.now(), ...now };
      if (this.#own) {
        this.#seen = now;
        return void await this.#own.save(record);
      }
      if (await kept.save(record, this.#stored, this.#session)) {
        this.#rev++;
        this.#seen = now;
        this.#stored = now;
        return this.#point(this.#threadId);
      }
      const there = await this.#others();
      if (!there) return undefined;
    }
    throw new Error("Other tabs go on writing");
  }

  /** Another tab has written, or removed the thread. @returns {Promise<boolean>} */
  async #others() {
    const { conversation } = this.#internals;
    if (conversation.execution === null) {
      if (await this.#take()) return true;
    } else {
      const record = await kept.load(this.#threadId);
      if (record !== null) { // it goes in before what streams, when this run is over it is taken
        for (const id of record.begun ?? []) this.#begun.add(id);
        const now = await this.#stand();
        if (now === null) return false;
        const messages = merged(this.#stored.messages, now.messages, record.messages);
        this.#rev = record.rev;
        if (await kept.save({ version: VERSION, threadId: this.#threadId, rev: this.#rev, updated: Date.now(), ...now,
          messages }, NOTHING, this.#session)) {
          this.#rev = -1; // the next write merges again: the page has not what is kept
          this.#seen = now;
          return false;
        }
        return true;
      }
    }
    this.#rev = 0;
    this.#stored = NOTHING;
    return true;
  }

  /** Remembers which thread the next page begins with. @param {string | null} threadId */
  #point(threadId) {
    if (this.#pointer === null) return;
    try {
      const place = this.#session ? sessionStorage : localStorage;
      if (threadId === null) place.removeItem(this.#pointer);
      else if (place.getItem(this.#pointer) !== threadId) place.setItem(this.#pointer, threadId);
    } catch {
      // The browser forbids it: the next page begins anew.
    }
  }

  /**
   * Does what may fail: then the page goes on without, and is told once.
   * @template T
   * @param {() => Promise<T>} f
   * @returns {Promise<T | null>}
   */
  async #try(f) {
    try {
      return await f();
    } catch (thrown) {
      if (!this.#warned) {
        this.#warned = true;
        this.#internals.warner()({
          code: "persist_failed", message: `The conversation is not kept or read: ${say(thrown)}`, event: null,
        });
      }
      return null;
    }
  }
}

/**
 * Theirs, with what we have made or changed since we last agreed. Nobody's newer message is lost.
 * @param {readonly any[]} base what both began with
 * @param {readonly any[]} ours
 * @param {readonly any[]} theirs
 * @returns {any[]}
 */
function merged(base, ours, theirs) {
  if (ours === base) return [...theirs];
  const agreed = new Set(base);
  const known = new Set(base.map(({ id }) => id));
  const mine = new Map(ours.map((message) => [message.id, message]));
  const list = theirs.filter(({ id }) => mine.has(id) || !known.has(id)) // else this page has taken it away
    .map((message) => {
      const own = mine.get(message.id);
      return own && !agreed.has(own) ? own : message;
    });
  const places = new Map(list.map(({ id }, i) => [id, i + 1]));
  /** What goes in, by the number of messages before it. @type {any[][]} */
  const added = [];
  let at = 0;
  for (const message of ours) {
    const place = places.get(message.id);
    if (place !== undefined) at = Math.max(at, place);
    else if (!agreed.has(message)) {
      if (at === 0) at = list.length;
      (added[at] ??= []).push(message);
    }
  }
  return [...added[0] ?? [], ...list.flatMap((message, i) => [message, ...added[i + 1] ?? []])];
}

/** Removes every thread that was kept in this browser, and ends its keeping. @returns {Promise<void>} */
export async function forgetAll() {
  await Promise.all([...keepers].map((keeper) => keeper.forget()));
  await kept.clear();
  for (const name of ["sessionStorage", "localStorage"]) {
    try {
      const place = /** @type {any} */ (globalThis)[name];
      for (const key of Object.keys(place)) if (key.startsWith(POINTER)) place.removeItem(key);
    } catch {
      // The browser forbids it: so nothing is there.
    }
  }
}
