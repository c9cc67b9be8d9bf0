"use strict";

import { Changes } from "./change.js";
import { debugConfig } from "./debug.js";
import { member } from "../core/dom.js";
import { AGUIError, guarded, report, say } from "../core/error.js";
import { IDLE } from "../core/connection.js";
import { Hooks } from "./hooks.js";
import { partialObject } from "./partial.js";
import { warner } from "../api/options.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */
/** @typedef {import("./conversation.js").Conversation} Conversation */
/** @typedef {import("./run.js").AgentRun} AgentRun */

/**
 * Where an agent's insides stand: a function that gives them. Frameworks put proxies around what stands in their
 * reactive data and around what is read through them, but not around what a function gives.
 */
export const INTERNALS = Symbol("agui.agent");

/** What an agent is inside. */
export class AgentInternals {
  runtime;
  conversation;
  changes = new Changes((listener) => void guarded(listener, undefined));
  /** Hear of each event that was applied, and hold nothing up. @type {Set<(event: any) => void>} */
  watchers = new Set();
  /** How many of them look into whole events. */
  listeners = 0;
  /** The runAgent that is under way. @type {AgentRun | null} */
  run = null;
  /** @type {any[]} */
  middlewares = [];
  /** @type {any[]} */
  tools = [];
  /** @type {Function | undefined} */
  onInterrupt = undefined;
  maxToolRounds = AGUI_ROUNDS;
  /**
   * Which runId a resuming run carries: "new" or, for servers that know a run by it, the interrupted run's ("same").
   */
  resumeRunId = "new";
  /** What becomes of calls that nothing answers: "keep" or "close". */
  unanswered = "keep";
  /** Answers that page tools gave to interrupts, until the others are answered too. @type {any[]} */
  held = [];
  /** Messages whose end did not come; see KeptThread. @type {Record<string, import("./kept.js").Half>} */
  halves = {};
  /** What becomes of a send during a run: "refuse", "queue" or "interrupt". */
  whileRunning = "refuse";
  /** What was sent during a run and waits for its end. @type {readonly import("./people.js").Queued[]} */
  queue = Object.freeze([]);
  /** How many calls take the place of a run: what waits goes behind them. */
  urgent = 0;
  /** The next runAgent is a send: a person goes on with new words. */
  said = false;
  /** What offers tools to the browser's own agents. @type {Promise<any> | null} */
  offers = null;
  /** The person's second thoughts, once there are any. @type {import("./versions.js").Versions | null} */
  versions = null;
  debug = debugConfig(false);
  /** Options of the request. @type {Record<string, any>} */
  options = {};
  /** How the connection of the run stands. @type {import("../core/connection.js").Connection} */
  connection = IDLE;
  /** The agentId that was made here: no server knows it. */
  madeId = "";
  /** The request that began last. @type {import("./round.js").Round | null} */
  latest = null;
  /** Whether the transport can be asked for what a thread has. Set by the kind of agent. */
  joins = () => false;
  /** What connect() is about, while it is under way. @type {{threadId: string, over: Promise<any>} | null} */
  joining = null;
  /** Where the run stood that the next join goes on with. @type {any} */
  at = null;
  /** A subclass's connect() is on the stack: its super.connect() cannot. */
  connecting = false;
  /** Asked about waiting calls of tools with a handler that came by connecting. @type {Function | undefined} */
  onPendingTool = undefined;
  /** What keeps the conversation beyond the page, where it is kept. @type {Promise<any> | undefined} */
  kept = undefined;
  disposed = false;
  /** Made by clone() or branch() without a constructor: the private fields of its class are missing. */
  copied = false;
  /** What the hooks need. @type {import("./hooks.js").HookContext} */
  host;
  /** The default transport's run; another one is the page's own source of events. @type {Function | undefined} */
  transport;

  /**
   * @param {Runtime} runtime
   * @param {Conversation} conversation
   * @param {any} agent
   */
  constructor(runtime, conversation, agent) {
    this.runtime = runtime;
    this.conversation = conversation;
    this.host = {
      agent,
      messages: () => this.conversation.messages,
      state: () => this.conversation.state,
      aliases: () => this.conversation.mirror.get("aliases"),
      partial: (text) => partialObject(this.conversation.instance, text),
      mutate: ({ messages, state }) => {
        if (messages !== undefined) this.conversation.setMessages(messages, "a hook's messages");
        if (state !== undefined) this.conversation.setState(state, "a hook's state");
        this.changes.mark();
      },
    };
  }

  /**
   * Takes how the connection of a run stands.
   * @param {import("../core/connection.js").Connection} connection
   */
  connected(connection) {
    this.connection = connection;
    this.changes.mark();
    void this.hooks().tell("onConnectionChanged", { connection });
  }

  /** The tools that renderers of views answer, and how many views have each. @type {Map<string, number>} */
  renderers = new Map();

  /**
   * Names the tools whose calls a person answers.
   * @param {any[]} tools
   */
  asks(tools) {
    const handled = new Set(tools.filter((tool) => tool.handler && !tool.needsApproval).map(({ name }) => name));
    return [...new Set([...tools.map(({ name }) => name), ...this.renderers.keys()])].filter((name) =>
      !handled.has(name));
  }

  /**
   * Whether a run follows from answers of handlers, or of persons to these calls.
   * @param {import("../core/instance.js").Instance} instance
   * @param {boolean} handlers
   * @param {string[]} persons
   * @param {any[]} tools
   * @returns {boolean}
   */
  follows(instance, handlers, persons, tools) {
    this.conversation.sync(instance);
    // After handlers alone only what needs a person is waited for: a handler's call that the outcome did not list is
    // the server's.
    const known = persons.length > 0 ? this.known(tools) : this.asks(tools);
    return this.conversation.ask("follows", { handlers, persons, known }).follows;
  }

  /**
   * Names the tools that are the page's.
   * @param {any[]} tools
   */
  known(tools) {
    return [...new Set([...tools.map(({ name }) => name), ...this.renderers.keys()])];
  }

  /** @param {AgentRun} run the one that has ended */
  leave(run) {
    if (this.run !== run) return;
    this.run = null;
    if (this.queue.length > 0) queueMicrotask(() => drain(this));
    this.changes.mark();
    this.changes.flush();
  }

  /**
   * Ends the run and does something in its place, before what waits for its end.
   * @param {() => Promise<any>} f
   */
  async instead(f) {
    this.urgent++;
    try {
      await this.host.agent.detachActiveRun();
      return await f();
    } finally {
      this.urgent--;
      drain(this);
    }
  }

  warner() {
    return warner(this.options.onWarning ?? this.runtime.defaults.onWarning);
  }

  /** Whether the request's description looks at the input. Set by the kind of agent. */
  looks = () => false;
  /** Describes the request for Go. Set by the kind of agent. @type {(input: any) => any} */
  request = () => ({});

  /** Throws where a run is under way: an agent has one at a time. */
  idle() {
    if (this.run === null) return;
    throw new AGUIError("bad_input", "A run of this agent is under way; call abortRun() first.");
  }

  /**
   * Puts tool messages behind their calls.
   * @param {import("../core/instance.js").Instance} instance
   * @param {any[]} messages
   * @returns {Promise<void> | undefined} a promise where events come first
   */
  place(instance, messages) {
    const ids = new Set(messages.map((message) => message.id));
    return this.conversation.apply(instance, "answers", { messages }, () => {
      this.changes.mark();
      void this.#tell(this.conversation.messages.filter((message) => ids.has(message.id)));
    });
  }

  /**
   * Tells the subscribers of messages that the page added.
   * @param {readonly any[]} added
   */
  async #tell(added) {
    const hooks = this.hooks();
    for (const message of added) {
      await hooks.tell("onNewMessage", { message });
      if (message.role !== "assistant") continue;
      for (const toolCall of message.toolCalls ?? []) await hooks.tell("onNewToolCall", { toolCall });
    }
    await hooks.tell("onMessagesChanged");
  }

  /** Offers the tools to the browser's own agents, where it has some and a tool asks for it. */
  offer() {
    const tools = this.disposed ? [] : this.tools;
    if (!this.offers && !tools.some(({ webmcp }) => webmcp)) return;
    const place = member(globalThis.document, "modelContext") ??
      /** @type {any} */ (globalThis.navigator)?.modelContext;
    if (typeof place?.registerTool !== "function") return;
    this.offers ??= this.runtime.parts.load("webmcp").then(({ Offers }) => new Offers(this.host.agent, place));
    // The tools as they are when the part has come.
    this.offers.then((/** @type {any} */ offers) => offers.set(this.disposed ? [] : this.tools)).catch(report);
  }

  /** What makes the requests. @returns {Promise<typeof import("./runs.js")>} */
  part() {
    return this.runtime.parts.load("agent");
  }

  /**
   * Keeps the conversation beyond the page.
   * @param {any} where
   * @param {string} threadId
   * @param {string | null} pointer
   */
  keep(where, threadId, pointer) {
    const { messages, state, interrupts } = this.conversation;
    this.kept = this.runtime.parts.load("persist").then(({ Keeper }) =>
      new Keeper(this.host.agent, this, where, { messages, state, interrupts, threadId, pointer })).catch(report);
  }

  /** Loads what second thoughts need. @returns {Promise<import("./versions.js").Versions>} */
  async second() {
    const { Versions } = await this.runtime.parts.load("versions");
    return this.versions ??= new Versions(this.host.agent, this);
  }

  hooks() {
    return new Hooks([...this.host.agent.subscribers], this.host);
  }

  /** @param {readonly any[]} messages */
  add(messages) {
    const { conversation } = this;
    const from = conversation.messages.length;
    conversation.setMessages([...conversation.messages, ...messages], "messages");
    this.changes.now();
    void this.#tell(conversation.messages.slice(from));
  }
}

/**
 * Sends what was sent first of what waits, unless a run is under way or a question or a call of the page's waits for a
 * person: those words were written before it was asked.
 * @param {AgentInternals} internals
 */
export function drain(internals) {
  const { agent } = internals.host;
  const { pendingInterrupts, pendingToolCallIds, messages } = agent;
  if (internals.run !== null || internals.urgent > 0 || internals.disposed || internals.queue.length === 0) return;
  if (pendingInterrupts.length > 0) return;
  const known = internals.known(internals.tools);
  const waits = messages.some((/** @type {any} */ { toolCalls = [] }) => toolCalls.some((/** @type {any} */ call) =>
    pendingToolCallIds.includes(call.id) && known.includes(call.function.name)));
  if (waits) return;
  const [{ content, parameters, subscriber, settle }, ...rest] = internals.queue;
  internals.queue = Object.freeze(rest);
  settle(agent.send(content, parameters, subscriber));
  internals.changes.mark();
}

/**
 * @param {any} agent
 * @returns {AgentInternals}
 */
export function inside(agent) {
  const internals = agent?.[INTERNALS]?.();
  if (!internals) throw new TypeError("This is no agent");
  return internals;
}

/**
 * Tells of each event that an agent has applied. Unlike a subscriber's hooks this does not make the run stop at each.
 * @param {any} agent
 * @param {(event: any) => void} f must not throw
 * @param {boolean} [brief] it has no use for RAW events and rawEvent, which need not be read for it
 * @returns {() => void} stops it
 */
export function watch(agent, f, brief = false) {
  const internals = inside(agent);
  internals.watchers.add(f);
  if (!brief && ++internals.listeners === 1) internals.latest?.listen();
  let on = true;
  return () => {
    if (on && !brief) internals.listeners--;
    on = false;
    internals.watchers.delete(f);
  };
}

/**
 * Calls a method of a subclass. One that throws is named; in a copy, whose private fields nobody could copy, with the
 * way out.
 * @template T
 * @param {any} agent
 * @param {string} name
 * @param {() => T} f
 * @returns {T}
 */
export function called(agent, name, f) {
  try {
    return f();
  } catch (thrown) {
    if (!inside(agent).copied || !(thrown instanceof TypeError)) throw thrown;
    throw new AGUIError("bad_input",
      `${name}() failed in a copy of the agent: ${say(thrown)} clone() and branch() copy no private ` +
      "fields: give the class a method recreate() that makes a new agent with them.", { cause: thrown });
  }
}

/** @param {any} agent */
export function alive(agent) {
  const internals = inside(agent);
  if (internals.disposed) throw new AGUIError("bad_input", "The agent was disposed of.");
  return internals;
}

/**
 * Says that a view's renderers answer the calls of some tools.
 * @param {any} agent
 * @param {string[]} tools
 * @returns {() => void} takes it back
 */
export function renders(agent, tools) {
  const { renderers } = inside(agent);
  const count = (/** @type {number} */ more) => {
    for (const name of tools) {
      const n = (renderers.get(name) ?? 0) + more;
      if (n > 0) renderers.set(name, n);
      else renderers.delete(name);
    }
  };
  count(1);
  return () => count(-1);
}
