"use strict";

import { inside } from "../agent/internals.js";

/**
 * Watches an agent for its view: what changed since the last time, as one JSON text that Go takes
 * (model.Conversation.Apply says its form). Messages are compared by identity: the agent's snapshots keep it where
 * nothing changed.
 */

/** The fields that the view reads, of the events that change what it shows around the messages. */
const EVENTS = Object.freeze({
  RUN_STARTED: [], RUN_FINISHED: [], RUN_ERROR: [],
  STEP_STARTED: ["stepName"], STEP_FINISHED: ["stepName"],
  SUBAGENT_STARTED: ["subagentRunId", "name", "description", "parentSubagentRunId"],
  SUBAGENT_FINISHED: ["subagentRunId", "outcome"], SUBAGENT_ERROR: ["subagentRunId", "message"],
  TEXT_MESSAGE_START: ["messageId"], TEXT_MESSAGE_END: ["messageId"],
  REASONING_MESSAGE_START: ["messageId"], REASONING_MESSAGE_END: ["messageId"],
  TOOL_CALL_START: ["toolCallId"], TOOL_CALL_END: ["toolCallId"],
});

/**
 * What ended an agent's last run, for a view that is mounted after it.
 * @type {WeakMap<object, {code: string, message: string}>}
 */
const failures = new WeakMap();

/** @type {readonly any[]} */
const NONE = Object.freeze([]);

/**
 * Messages that are told at once. A long history comes in pieces, the newest first, so that no frame waits for all of
 * it.
 */
const MANY = 40;

/** How long a cut is nobody's business, in ms. */
export const QUIET = 1000;

export class ViewFeed {
  #agent;
  /** @type {readonly any[]} */
  #messages = [];
  /** How many of them, at the beginning, are not told yet. */
  #untold = 0;
  /** Others are missing too: all are compared the next time. */
  #missing = false;
  /** @type {Map<string, any>} */
  #byId = new Map();
  /** @type {any} */
  #interrupts = [];
  #held = NONE;
  /** @type {readonly string[]} */
  #waiting = [];
  #approvals = "";
  /** @type {readonly any[]} */
  #tools = NONE;
  #forks = NONE;
  #aliases = NONE;
  /** Messages that have begun and not ended. @type {Set<string>} */
  #open = new Set();
  #halves = "{}";
  /** What there was when the run began. @type {{messages: readonly any[], state: any} | undefined} */
  #began;
  /** The run that a message began in, by its id. @type {Map<string, string>} */
  runs = new Map();
  #run = "";
  /** What there was before the run that failed, and the state that it left. @type {any} */
  #failed;
  /** @type {readonly any[]} */
  #queue = [];
  /** @type {boolean | undefined} */
  #running;
  /** @type {{code: string, message: string} | null | undefined} undefined: told already */
  #error;
  /** @type {object[]} */
  #events = [];
  /** Since when the run's connection is away; 0: it is there. */
  #away = 0;
  #line = "";
  #lost = "";

  /** @param {any} agent */
  constructor(agent) {
    this.#agent = agent;
    this.#recall();
  }

  /** What ended the agent's last run was told to another view or program: this one does not know it. */
  #recall() {
    if (!this.#agent.isRunning) this.#error = failures.get(this.#agent);
  }

  /** @param {any} event one that the agent has applied */
  event(event) {
    if (!Object.hasOwn(EVENTS, event?.type)) return;
    /** @type {Record<string, any>} */
    const brief = { type: event.type };
    for (const field of /** @type {Record<string, readonly string[]>} */ (EVENTS)[event.type]) {
      if (event[field] !== undefined) brief[field] = event[field];
    }
    this.#events.push(brief);
    switch (event.type) {
      case "RUN_STARTED": {
        const { messages, state } = this.#agent;
        this.fail(null);
        this.#run = event.runId;
        this.#began = { messages, state };
        this.#failed = undefined;
        break;
      }
      case "RUN_FINISHED":
        this.#began = undefined;
        break;
      case "TEXT_MESSAGE_START":
      case "REASONING_MESSAGE_START":
        this.runs.set(event.messageId, this.#run);
        this.#open.add(`${event.type.slice(0, -6)}:${event.messageId}`);
        break;
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
        this.#open.delete(`${event.type.slice(0, -4)}:${event.messageId}`);
    }
  }

  /**
   * A run has failed, or is over: what has no end by now gets none.
   * @param {boolean} failed
   */
  settle(failed) {
    if (failed) this.#failed = this.#began && { ...this.#began, left: this.#agent.state };
    this.#began = undefined;
    if (this.#open.size === 0) return;
    const internals = inside(this.#agent);
    const { messages } = this.#agent;
    const halves = Object.fromEntries(Object.entries(internals.halves)
      .filter(([id]) => messages.some((/** @type {any} */ each) => each.id === id)));
    /** @type {any} */
    const aliases = internals.conversation.mirror.get("aliases");
    const open = new Set([...this.#open].map((key) => aliases?.[key] ?? key.slice(key.indexOf(":") + 1)));
    for (const { id, content } of messages) {
      if (open.has(id)) halves[id] = { how: failed ? "brokeOff" : "stopped", length: content?.length ?? 0 };
    }
    internals.halves = halves;
    this.#open.clear();
    internals.changes.mark();
  }

  /** Takes out of the conversation what the run that failed has made: it is tried again. */
  drop() {
    const failed = this.#failed;
    this.#failed = undefined;
    if (!failed) return;
    const agent = this.#agent;
    const before = new Map(failed.messages.map((/** @type {any} */ message) => [message.id, message]));
    const now = new Set(agent.messages.map((/** @type {any} */ { id }) => id));
    // What a snapshot named anew cannot be told from what the run made: then all is as it was.
    const left = failed.messages.every((/** @type {any} */ { id }) => now.has(id))
      ? agent.messages.flatMap((/** @type {any} */ each) => before.get(each.id) ?? (each.role === "user" ? each : []))
      : failed.messages;
    if (left.length !== agent.messages.length || left.some((/** @type {any} */ each, /** @type {number} */ i) =>
      each !== agent.messages[i])) {
      agent.setMessages(left);
    }
    if (agent.state === failed.left && failed.state !== failed.left) agent.setState(failed.state);
  }

  /** @param {any} error what ended a run; null: nothing did */
  fail(error) {
    this.#error = error === null ? null : { code: String(error?.code ?? ""), message: String(error?.message ?? error) };
    if (this.#error) failures.set(this.#agent, this.#error);
    else failures.delete(this.#agent);
  }

  /** Gives everything anew the next time: another program draws it. */
  reset() {
    this.#messages = [];
    this.#untold = 0;
    this.#missing = false;
    this.#byId.clear();
    this.#interrupts = [];
    this.#held = NONE;
    this.#waiting = [];
    this.#approvals = "";
    this.#tools = NONE;
    this.#forks = NONE;
    this.#aliases = NONE;
    this.#queue = [];
    this.#halves = "{}";
    this.#running = undefined;
    this.#line = "";
    this.#recall();
  }

  /** @returns {string} "": nothing changed */
  pull() {
    /** @type {Record<string, any>} */
    const news = {};
    const { messages, pendingInterrupts, pendingToolCallIds, queue, isRunning } = this.#agent;
    if (messages !== this.#messages || this.#missing) this.#compare(messages, news);
    else if (this.#untold > 0) this.#tellBefore(news);
    if (this.#events.length > 0) news.events = this.#events.splice(0);
    const { held, conversation } = inside(this.#agent);
    const aliases = conversation.mirror.get("aliases") ?? NONE;
    if (aliases !== this.#aliases) {
      this.#aliases = aliases;
      news.aliases = aliases;
    }
    if (pendingInterrupts !== this.#interrupts || held !== this.#held && held.length + this.#held.length > 0) {
      this.#ask(pendingInterrupts, held, news);
    }
    if (pendingToolCallIds !== this.#waiting) {
      this.#waiting = pendingToolCallIds;
      news.waiting = pendingToolCallIds;
    }
    const { tools } = this.#agent;
    if (news.waiting || tools !== this.#tools) {
      this.#tools = tools;
      const approvals = this.#approvable(messages, pendingToolCallIds, tools);
      if (String(approvals) !== this.#approvals) {
        this.#approvals = String(approvals);
        news.approvals = approvals;
      }
    }
    if (queue !== this.#queue) {
      this.#queue = queue;
      news.queue = queue.map((/** @type {any} */ { id, content }) => ({ id, text: wordsOf(content) }));
    }
    const forks = inside(this.#agent).versions?.forks ?? NONE;
    if (forks !== this.#forks) {
      this.#forks = forks;
      news.forks = forks;
    }
    const halves = JSON.stringify(this.#ends(messages));
    if (halves !== this.#halves) {
      this.#halves = halves;
      news.halves = JSON.parse(halves);
    }
    // An agent may go on after a run's end, with answers of the page's tools: said anew after each of its events.
    if (isRunning !== this.#running || news.events) {
      this.#running = isRunning;
      news.running = isRunning;
      if (isRunning && this.#error === undefined) failures.delete(this.#agent);
    }
    this.#watchLine(news);
    if (this.#error !== undefined) {
      news.error = this.#error;
      this.#error = undefined;
    }
    for (const _ in news) return JSON.stringify(news);
    return "";
  }

  /**
   * How the run's connection stands. A line that was lost by a join is told here alone: no run of the page's has
   * failed.
   * @param {Record<string, any>} news
   */
  #watchLine(news) {
    const { state, code = "" } = this.#agent.connection;
    const now = performance.now();
    this.#away = state !== "reconnecting" ? 0 : this.#away || now;
    const line = this.#away === 0 || now - this.#away < QUIET - 50 ? ""
      : globalThis.navigator?.onLine === false ? "offline" : "reconnecting";
    if (line !== this.#line) news.line = this.#line = line;
    const lost = state === "lost" ? code : "";
    if (lost !== this.#lost) {
      this.#lost = lost;
      if (lost && !this.#error) this.fail({ code: lost, message: "" });
    }
  }

  /**
   * How those messages were left that have no end, by id: "stopped" or "brokeOff". One whose text has grown since went
   * on.
   * @param {readonly any[]} messages
   */
  #ends(messages) {
    const { halves } = inside(this.#agent);
    /** @type {Record<string, string>} */
    const ends = {};
    for (const id in halves) {
      const message = this.#byId.get(id) ?? messages.find((each) => each.id === id);
      if ((message?.content?.length ?? 0) === halves[id].length && message) ends[id] = halves[id].how;
    }
    return ends;
  }

  /**
   * What a person is asked: not what tools of the page have answered, whose answers wait for the person's.
   * @param {readonly any[]} interrupts
   * @param {readonly any[]} held
   * @param {Record<string, any>} news
   */
  #ask(interrupts, held, news) {
    const answered = (/** @type {any} */ { id }) => held.some(({ interruptId }) => interruptId === id);
    this.#interrupts = interrupts;
    this.#held = held;
    news.interrupts = interrupts.filter((each) => !answered(each));
    news.given = interrupts.filter(answered).map(({ toolCallId }) => toolCallId);
  }

  /**
   * The waiting calls whose tool has a handler: it runs when a person approves.
   * @param {readonly any[]} messages
   * @param {readonly string[]} waiting
   * @param {readonly any[]} tools
   */
  #approvable(messages, waiting, tools) {
    if (waiting.length === 0) return [];
    const names = new Set(tools.filter((/** @type {any} */ { handler }) => handler)
      .map((/** @type {any} */ { name }) => name));
    if (names.size === 0) return [];
    const wait = new Set(waiting);
    const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
    return calls.filter(({ id, function: { name } }) => names.has(name) && wait.has(id)).map(({ id }) => id);
  }

  /**
   * What differs from what is told. What is not told yet at the beginning waits, whatever it is by now.
   * @param {readonly any[]} messages
   * @param {Record<string, any>} news
   */
  #compare(messages, news) {
    const before = this.#missing ? NONE : this.#messages;
    const most = before.length === 0 && this.#byId.size === 0 ? messages.length : this.#untold;
    const untold = Math.min(most, Math.max(messages.length - MANY, 0));
    const changed = [];
    const grown = [];
    let moved = this.#missing || messages.length !== before.length || untold !== this.#untold;
    for (let i = untold; i < messages.length; i++) {
      const message = messages[i];
      const there = i < this.#untold ? undefined : before[i];
      if (message === there) continue;
      const old = there?.id === message.id ? there : this.#byId.get(message.id);
      if (there?.id !== message.id) moved = true;
      if (message === old) continue;
      this.#byId.set(message.id, message);
      const more = old === undefined ? undefined : added(old, message);
      if (more === undefined) changed.push(message);
      else grown.push([message.id, more]);
    }
    const later = changed.splice(0, Math.max(changed.length - MANY, 0)); // among others
    for (const message of later) this.#byId.delete(message.id);
    if (moved) {
      news.ids = messages.slice(untold).map((message) => message.id);
      const known = new Set(news.ids);
      for (const id of this.#byId.keys()) if (!known.has(id)) this.#byId.delete(id);
    }
    if (changed.length > 0) news.set = changed;
    if (grown.length > 0) news.append = grown;
    this.#messages = messages;
    this.#untold = untold;
    this.#missing = later.length > 0;
    if (untold > 0 || this.#missing) news.more = true;
  }

  /**
   * The next piece of those that are not told yet.
   * @param {Record<string, any>} news
   */
  #tellBefore(news) {
    const end = this.#untold;
    this.#untold = Math.max(end - MANY, 0);
    const piece = this.#messages.slice(this.#untold, end).filter(({ id }) => !this.#byId.has(id));
    for (const message of piece) this.#byId.set(message.id, message);
    news.set = piece;
    news.front = piece.map(({ id }) => id);
    if (this.#untold > 0) news.more = true;
  }
}

/**
 * The text that was added, if nothing else changed.
 * @param {any} old
 * @param {any} message
 * @returns {string | undefined}
 */
function added(old, message) {
  const { content } = message;
  if (typeof content !== "string" || typeof old.content !== "string" || !content.startsWith(old.content)) {
    return undefined;
  }
  const keys = Object.keys(message);
  if (keys.length !== Object.keys(old).length) return undefined;
  for (const key of keys) if (key !== "content" && message[key] !== old[key]) return undefined;
  return content.slice(old.content.length);
}

/**
 * What a person reads of words that wait: their text, and the names of their files.
 * @param {any} content
 * @returns {string}
 */
function wordsOf(content) {
  if (typeof content === "string") return content;
  return [content].flat().map((item) => (typeof item === "string" ? item : item?.name ?? item?.text ?? "…"))
    .join(" ");
}
