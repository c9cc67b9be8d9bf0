"use strict";

import { TYPES } from "../api/known.js";
import { each, hookOf, Hooks, isThenable } from "./hooks.js";

/**
 * The hooks of an agent's subscribers: which one an event calls, what it is given, and in which order. One run has one
 * RunHooks; it holds the subscribers as they were when the run began. A hook sees the snapshots as they were before its
 * event, may be async (the run waits for it), and may return {messages?, state?, stopPropagation?}. What a hook throws
 * is reported, and the next one is asked.
 */

/**
 * The hook of each type of event: TEXT_MESSAGE_END calls onTextMessageEndEvent. Chunks have none: they come as what
 * they stand for.
 * @type {Map<string, string>}
 */
export const EVENT_HOOKS = new Map((TYPES ?? []).filter((type) => !type.endsWith("_CHUNK")).map((type) => [type,
  `on${type.toLowerCase().replace(/(?:^|_)(.)/g, (_, first) => first.toUpperCase())}Event`]));

/**
 * What an event belongs to that a START opens and several events build, or "".
 * @param {any} event
 */
function partOf({ type, messageId, toolCallId }) {
  const [, kind] = /^(TEXT_MESSAGE|REASONING_MESSAGE|TOOL_CALL)_(?:START|CONTENT|ARGS|END)$/.exec(type) ?? [];
  return kind === undefined ? "" : `${kind}:${kind === "TOOL_CALL" ? toolCallId : messageId}`;
}

const STEPPED = ["onEvent", ...EVENT_HOOKS.values()];

/** onEvent stopped it: no other hook hears of it. */
export const DROP = 0;
/** Its own hook stopped it: it is not applied. */
export const SKIP = 1;
export const APPLY = 2;
/** @typedef {0 | 1 | 2} Verdict */

/** @typedef {{messages?: unknown, state?: unknown, stopPropagation?: boolean}} Mutation */

// A part of another version than the script gets nothing from it (kit.js), and must be refused in words, not by an
// exception.
export class RunHooks extends (Hooks ?? Object) {
  /**
   * Counts the stages of the run: it goes, it is over. What a hook of a stage that has passed gives later changes
   * nothing: the conversation is another run's by then, or the page's.
   */
  stage = 0;
  /** What a hook stopped the START of, by the kind and the id: nothing is built there. @type {Set<string>} */
  #stopped = new Set();
  /** Whether the conversation is still this run's. @type {() => boolean} */
  current = () => true;

  /** Whether somebody must be asked before an event is applied: otherwise the run need not stop at each. */
  get stepped() {
    return this.subscribers.some((each) => STEPPED.some((name) => hookOf(each, name) !== undefined));
  }

  /**
   * Asks the hooks about an event that is not applied yet.
   * @param {any} event
   * @param {string[]} [pending] of RUN_FINISHED: the tool calls that wait for a result
   * @returns {Verdict | Promise<Verdict>}
   */
  before(event, pending) {
    return then(this.has("onEvent") ? this.#ask("onEvent", { event }) : true, (/** @type {boolean} */ go) => {
      if (!go) {
        if (partOf(event) !== "" && event.type.endsWith("_START")) this.#stopped.add(partOf(event));
        return DROP;
      }
      const name = EVENT_HOOKS.get(event.type) ?? "";
      const id = partOf(event);
      const starts = id !== "" && event.type.endsWith("_START");
      if (starts) this.#stopped.delete(id);
      if (name === "" || !this.has(name) || this.#stopped.has(id)) return APPLY;
      return then(this.#ask(name, this.#extras(event, pending)), (on) => {
        if (!on && starts) this.#stopped.add(id);
        return on ? APPLY : SKIP;
      });
    });
  }

  /**
   * Tells of messages and tool calls that an event completed. Called after it was applied, or skipped.
   * @param {any} event
   * @param {boolean} applied
   * @param {readonly any[]} previous the messages before it
   * @returns {void | Promise<void>}
   */
  after(event, applied, previous) {
    switch (event.type) {
      case "TEXT_MESSAGE_END":
        return this.newMessage(this.#find(event.messageId, "text"));
      case "REASONING_MESSAGE_END":
        return this.newMessage(this.#find(event.messageId, "reasoning"));
      case "TOOL_CALL_RESULT":
        if (applied && this.has("onNewMessage")) {
          const id = this.#meant("TOOL_CALL", event.toolCallId);
          const messages = this.host.messages();
          let i = messages.length - 1;
          while (i >= 0 && (messages[i].role !== "tool" || messages[i].toolCallId !== id)) i--;
          return this.newMessage(messages[i]);
        }
        return;
      case "ACTIVITY_SNAPSHOT":
        if (applied && this.has("onNewMessage")) {
          const activity = this.#find(event.messageId, "activity");
          if (activity && !previous.some((m) => m.id === activity.id)) return this.newMessage(activity);
        }
        return;
      case "TOOL_CALL_END":
        if (this.has("onNewToolCall")) {
          const call = this.#call(event.toolCallId);
          if (call) return this.tell("onNewToolCall", { toolCall: call });
        }
    }
  }

  /**
   * @param {any} message
   */
  newMessage(message) {
    if (message !== undefined) return this.tell("onNewMessage", { message });
  }

  /**
   * Tells of a change; nobody waits for these hooks. `messages` and `state` say what changed.
   * @param {boolean} messages
   * @param {boolean} state
   */
  changed(messages, state) {
    if (messages) void this.tell("onMessagesChanged");
    if (state) void this.tell("onStateChanged");
  }

  /**
   * Calls a hook of the run's life: onRunInitialized, onRunFailed or onRunFinalized.
   * @param {string} name
   * @param {object} [extra]
   * @returns {boolean | Promise<boolean>} false: a hook stopped the propagation
   */
  life(name, extra = {}) {
    return this.has(name) ? this.#ask(name, extra) : true;
  }

  /**
   * @param {string} name
   * @param {object} extra
   * @returns {boolean | Promise<boolean>} false: a hook stopped the propagation
   */
  #ask(name, extra) {
    let stopped = false;
    const { stage } = this;
    const host = this.host;
    const call = (/** @type {any} */ subscriber) => {
      const hook = hookOf(subscriber, name);
      if (hook === undefined) return undefined;
      /** @type {any} */
      const params = {
        // Those of now, whenever they are read: they are frozen and shared, so that keeping them costs nothing.
        messages: host.messages(),
        state: host.state(),
        agent: host.agent,
        input: this.input,
      };
      for (const key of Object.keys(extra)) {
        if (key === "partialToolCallArgs") Object.defineProperty(params, key,
          /** @type {any} */ (Object.getOwnPropertyDescriptor(extra, key)));
        else params[key] = /** @type {any} */ (extra)[key];
      }
      return hook.call(subscriber, params);
    };
    return then(each(this.subscribers, call, (mutation) => {
      if (stage !== this.stage || !this.current()) return true;
      if (mutation === undefined || mutation === null) return false;
      const { messages, state } = /** @type {Mutation} */ (mutation);
      if (messages !== undefined || state !== undefined) host.mutate({ messages, state });
      stopped = /** @type {Mutation} */ (mutation).stopPropagation === true;
      return stopped;
    }), () => !stopped);
  }

  /**
   * What a hook gets besides the event and what all get.
   * @param {any} event
   * @param {string[]} [pending]
   */
  #extras(event, pending) {
    const { type } = event;
    const host = this.host;
    switch (type) {
      case "TEXT_MESSAGE_CONTENT":
      case "TEXT_MESSAGE_END":
        return { event, textMessageBuffer: textOf(this.#find(event.messageId, "text")) };
      case "REASONING_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_END":
        return { event, reasoningMessageBuffer: textOf(this.#find(event.messageId, "reasoning")) };
      case "TOOL_CALL_ARGS": {
        const { name = "", arguments: buffer = "" } = this.#call(event.toolCallId)?.function ?? {};
        return {
          event, toolCallBuffer: buffer, toolCallName: name,
          // Reading it at each delta costs the whole text so far each time, so it is read when asked for.
          get partialToolCallArgs() {
            return host.partial(buffer);
          },
        };
      }
      case "TOOL_CALL_END": {
        const { name = "", arguments: text = "" } = this.#call(event.toolCallId)?.function ?? {};
        return { event, toolCallName: name, toolCallArgs: parse(text) };
      }
      case "ACTIVITY_SNAPSHOT": {
        const existingMessage = this.#find(event.messageId, "activity", true);
        return {
          event, activityMessage: existingMessage?.role === "activity" ? existingMessage : undefined, existingMessage,
        };
      }
      case "ACTIVITY_DELTA":
        return { event, activityMessage: this.#find(event.messageId, "activity") };
      case "RUN_FINISHED":
        return { event, ...ending(event, pending) };
      default:
        return { event };
    }
  }

  /**
   * The page's id of what an event's id means. They differ where a later turn used the id again.
   * @param {string} kind
   * @param {string} id
   * @returns {string}
   */
  #meant(kind, id) {
    return this.host.aliases()?.[`${kind}:${id}`] ?? id;
  }

  /**
   * Finds the message that an event names.
   * @param {string} wire
   * @param {"text" | "reasoning" | "activity"} kind
   * @param {boolean} [any] take one of another kind where there is none of this
   */
  #find(wire, kind, any) {
    const messages = this.host.messages();
    const id = this.#meant(kind === "activity" ? "ACTIVITY" : `${kind.toUpperCase()}_MESSAGE`, wire);
    let i = messages.length - 1;
    while (i >= 0 && messages[i].id !== id) i--;
    return i >= 0 && (any || kindOf(messages[i].role) === kind) ? messages[i] : undefined;
  }

  /** Where calls were found: the message's index and the call's. @type {Map<string, [number, number]>} */
  #places = new Map();

  /** @param {string} wire */
  #call(wire) {
    const messages = this.host.messages();
    const id = this.#meant("TOOL_CALL", wire);
    const [at, n] = this.#places.get(id) ?? [-1, -1];
    const there = messages[at]?.toolCalls?.[n];
    if (there?.id === id) return there;
    // From the end: what is asked about mostly came last. What is passed on the way need not be looked for again.
    for (let i = messages.length - 1; i >= 0; i--) {
      const calls = messages[i].toolCalls ?? [];
      for (let k = calls.length - 1; k >= 0; k--) {
        this.#places.set(calls[k].id, [i, k]);
        if (calls[k].id === id) return calls[k];
      }
    }
    return undefined;
  }
}

/**
 * What onRunFinishedEvent gets.
 * @param {any} event
 * @param {string[]} [pending] as Go counts them
 */
function ending({ outcome, result }, pending = []) {
  if (outcome?.type === "interrupt") return { outcome: "interrupt", interrupts: outcome.interrupts ?? [] };
  if (outcome?.type === "cancelled") return { outcome: "cancelled" };
  return { outcome: "success", result: result ?? undefined, pendingToolCallIds: pending };
}

/** @param {string} role */
function kindOf(role) {
  return role === "reasoning" || role === "activity" || role === "tool" ? role : "text";
}

/** @param {any} message */
function textOf(message) {
  return typeof message?.content === "string" ? message.content : "";
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Goes on now, or after a promise.
 * @template T, U
 * @param {T | Promise<T>} value
 * @param {(value: T) => U | Promise<U>} next
 * @returns {U | Promise<U>}
 */
export function then(value, next) {
  return isThenable(value) ? /** @type {Promise<T>} */ (value).then(next) : next(/** @type {T} */ (value));
}
