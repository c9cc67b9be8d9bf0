"use strict";

import { aFunction, checkPersist, choice, checkHistory, checkKept, checkRounds, configure, latest, optionsOf,
  text } from "./config.js";
import { Conversation, ours } from "./conversation.js";
import { debugConfig } from "./debug.js";
import { contentOf, isPart } from "./files.js";
import { alive, INTERNALS, AgentInternals, inside, watch } from "./internals.js";
import { patched } from "./patch.js";
import { answer, enqueue, unqueue } from "./people.js";
import { startRun } from "./run.js";
import { checkTools } from "./tools.js";
import { AGUIConnectNotImplementedError, AGUIError, guarded } from "../core/error.js";
import { Execution } from "../core/execution.js";
import { uuid } from "../core/ids.js";
import { copy, Input, kindOf } from "../api/input.js";
import { requestHeaders } from "../core/headers.js";
import { Mirror } from "../core/mirror.js";
import { observableOf } from "../api/observable.js";
import { base, pairs } from "../api/options.js";
import { settle } from "../api/run.js";

export { watch } from "./internals.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */

/**
 * The agent: a conversation that keeps itself. What it keeps, Go decides (state/thread); this is the facade: fields,
 * methods and hooks. Its insides stand under a symbol, so that a subclass's fields never meet them and clone() can make
 * them anew.
 */

/**
 * Makes the agents' classes for a page's runtime.
 * @param {Runtime} runtime
 */
export function makeAgents(runtime) {
  /** An agent without a transport: a subclass's run(input) gives the events. */
  class AbstractAgent {
    /** @param {any} [config] */
    constructor(config = {}) {
      if (typeof config !== "object" || config === null) {
        throw new TypeError(`An agent's config must be an object, not ${kindOf(config)}`);
      }
      const { initialMessages, initialState } = config;
      if (initialMessages !== undefined && initialMessages !== null && !Array.isArray(initialMessages)) {
        throw new TypeError("initialMessages must be an array");
      }
      const [messages, state] = /** @type {any} */ (
        copy([initialMessages ?? [], initialState === undefined ? {} : initialState], "the agent's config"));
      messages.forEach((/** @type {any} */ message, /** @type {number} */ i) => {
        if (typeof message !== "object" || message === null) {
          throw new TypeError(`initialMessages[${i}] must be an object`);
        }
      });
      const internals = new AgentInternals(runtime, new Conversation({ messages, state }), this);
      Object.defineProperty(this, INTERNALS, { value: () => internals, configurable: true });
      configure(internals, config);
      /** @type {string | undefined} */
      this.agentId = text(config.agentId, "agentId");
      this.description = text(config.description, "description") ?? "";
      const { persist } = config;
      const threadId = text(config.threadId, "threadId");
      // Which thread the next page begins with is remembered where the page names none.
      const pointer = checkPersist(persist) && threadId === undefined && typeof persist === "string"
        ? `agui thread ${config.url} ${config.agentId}` : null;
      this.threadId = threadId ?? latest(persist, pointer) ?? uuid();
      /** @type {any[]} */
      this.subscribers = [];
      if (typeof config.run === "function") this.run = config.run;
      internals.offer();
      if (persist) internals.keep(persist, this.threadId, pointer);
      // A run needs it. What renders pages on a server makes agents that never run.
      if (base() !== undefined) internals.part().catch(() => {});
    }

    /** Vue and Alpine make no proxy of what is no plain object by its name. */
    get [Symbol.toStringTag]() {
      return "Agent";
    }

    /** What JSON.stringify shows: the page's secrets stand in the headers. */
    toJSON() {
      const { headers, fetch, abortController, subscribers, ...rest } = /** @type {any} */ (this);
      return { ...rest, messages: this.messages, state: this.state };
    }

    /**
     * Gives one run's events.
     * @param {any} _input
     * @returns {any}
     */
    run(_input) {
      throw new Error("An agent must have a method run(input) that gives its events");
    }

    /** With `persist`: resolves when what was kept is there; whether anything was. */
    get restored() {
      return Promise.resolve(inside(this).kept).then((keeper) => keeper?.ready ?? false);
    }

    /** Removes what `persist` kept of this thread, and keeps nothing more of it. @returns {Promise<void>} */
    async forget() {
      await (await inside(this).kept)?.forget();
    }

    // The snapshots.

    get messages() {
      return inside(this).conversation.messages;
    }

    set messages(messages) {
      const internals = inside(this);
      internals.conversation.setMessages(messages, "messages");
      internals.changes.now();
    }

    get state() {
      return inside(this).conversation.state;
    }

    set state(state) {
      const internals = inside(this);
      internals.conversation.setState(state, "state");
      internals.changes.now();
    }

    get pendingInterrupts() {
      return inside(this).conversation.interrupts;
    }

    set pendingInterrupts(interrupts) {
      const internals = inside(this);
      internals.conversation.setInterrupts(interrupts);
      internals.changes.now();
    }

    get pendingToolCallIds() {
      return inside(this).conversation.waiting;
    }

    get isRunning() {
      return inside(this).run !== null;
    }

    // The runs say it. A subclass written for a plain field may assign it; that changes nothing.
    set isRunning(_running) {}

    /** How the connection of the run stands; see the option reconnect. */
    get connection() {
      return inside(this).connection;
    }

    get history() {
      return inside(this).conversation.history;
    }

    set history(history) {
      inside(this).conversation.history = checkHistory(history);
    }

    get tools() {
      return inside(this).tools;
    }

    set tools(tools) {
      const internals = inside(this);
      internals.tools = checkTools(tools);
      internals.offer();
    }

    /** @param {any[]} tools */
    setTools(tools) {
      this.tools = tools;
    }

    get onInterrupt() {
      return inside(this).onInterrupt;
    }

    set onInterrupt(f) {
      inside(this).onInterrupt = aFunction(f, "onInterrupt");
    }

    get onPendingTool() {
      return inside(this).onPendingTool;
    }

    set onPendingTool(f) {
      inside(this).onPendingTool = aFunction(f, "onPendingTool");
    }

    get whileRunning() {
      return inside(this).whileRunning;
    }

    set whileRunning(how) {
      inside(this).whileRunning = choice("whileRunning", how) ?? "refuse";
    }

    get queue() {
      return inside(this).queue;
    }

    /**
     * Takes back what waits to be sent.
     * @param {string} id
     */
    unqueue(id) {
      return unqueue(inside(this), id);
    }

    get maxToolRounds() {
      return inside(this).maxToolRounds;
    }

    set maxToolRounds(rounds) {
      inside(this).maxToolRounds = checkRounds(rounds);
    }

    get keepRuns() {
      return inside(this).conversation.keepRuns;
    }

    set keepRuns(count) {
      inside(this).conversation.remember(checkKept(count));
    }

    get debug() {
      return inside(this).debug;
    }

    set debug(debug) {
      inside(this).debug = debugConfig(debug);
    }

    /** @param {any} message */
    addMessage(message) {
      inside(this).add([message]);
    }

    /** @param {any[]} messages */
    addMessages(messages) {
      if (!Array.isArray(messages)) throw new TypeError("addMessages needs an array");
      inside(this).add(messages);
    }

    /** @param {any[]} messages */
    setMessages(messages) {
      this.messages = messages;
      void inside(this).hooks().tell("onMessagesChanged");
    }

    /** @param {any} state */
    setState(state) {
      this.state = state;
      void inside(this).hooks().tell("onStateChanged");
    }

    /**
     * Changes the state by JSON Patch operations, all or none.
     * @param {any[]} operations
     * @returns {Promise<void>}
     */
    async patchState(operations) {
      if (!Array.isArray(operations)) throw new TypeError("patchState needs an array of operations");
      const own = /** @type {any} */ (copy(operations, "operations"));
      const internals = alive(this);
      const { conversation } = internals;
      const instance = conversation.instance ?? runtime.current;
      const patch = { patch: own };
      const done = () => internals.changes.now();
      if (instance) await conversation.apply(instance, "patch", patch, done);
      else if (internals.run === null) this.state = patched(conversation.state, own); // before the program is there
      else await conversation.apply(await runtime.instance(), "patch", patch, done);
      void internals.hooks().tell("onStateChanged");
    }

    // Subscribers.

    /** @param {any} subscriber */
    subscribe(subscriber) {
      if (typeof subscriber !== "object" || subscriber === null) {
        throw new TypeError("subscribe needs an object with hooks");
      }
      this.subscribers.push(subscriber);
      return {
        unsubscribe: () => {
          this.subscribers = this.subscribers.filter((each) => each !== subscriber);
        },
      };
    }

    /**
     * Puts middlewares around the runs to come, the first outermost.
     * @param {any[]} middlewares functions (input, next) => events, or objects with such a method run
     */
    use(...middlewares) {
      const internals = inside(this);
      internals.middlewares.push(...middlewares.map((middleware) => {
        if (typeof middleware === "function") return { run: middleware };
        if (typeof middleware?.run !== "function") {
          throw new TypeError("use needs functions, or objects with a method run(input, next)");
        }
        return middleware;
      }));
      return this;
    }

    /**
     * Calls back when messages, state or isRunning changed, at most once per animation frame.
     * @param {(agent: {messages: any, state: any, isRunning: boolean}) => void} callback
     * @returns {() => void} stops it
     */
    onChange(callback) {
      if (typeof callback !== "function") throw new TypeError("onChange needs a function");
      return inside(this).changes.add(() => callback({
        messages: this.messages, state: this.state, isRunning: this.isRunning,
      }));
    }

    /**
     * Calls back with each event that was applied, the snapshots as of it. Unlike a subscriber's hooks it can neither
     * hold an event up nor change what it does, so runs stay fast.
     * @param {(event: any) => void} callback
     * @returns {() => void} stops it
     */
    watch(callback) {
      if (typeof callback !== "function") throw new TypeError("watch needs a function");
      return watch(this, (event) => void guarded(callback, undefined, event));
    }

    // Runs.

    /**
     * Runs the agent. Resolves when the run and what follows from it by itself (answers of tools, of onInterrupt) is
     * over.
     * @param {any} [parameters]
     * @param {any} [subscriber] hears of this run
     * @returns {Promise<any>}
     */
    async runAgent(parameters, subscriber) {
      return startRun(this, parameters, subscriber);
    }

    /**
     * Adds a user's message and runs the agent.
     * @param {any} content a string, a File or Blob, a content part, or an array of these
     * @param {any} [parameters]
     * @param {any} [subscriber]
     * @returns {Promise<any>}
     */
    async send(content, parameters, subscriber) {
      const internals = alive(this);
      if (internals.run?.ending) await internals.run.over();
      if (internals.run !== null) {
        const how = choice("whileRunning", parameters?.whileRunning) ?? internals.whileRunning;
        if (how === "queue") return enqueue(internals, content, parameters, subscriber);
        if (how === "interrupt") return internals.instead(() => this.send(content, parameters, subscriber));
      }
      internals.idle();
      const made = contentOf(content, () => internals.part());
      const whole = typeof made === "string" || Array.isArray(made) ? made : await made;
      if (internals.run !== null) {
        throw new AGUIError("bad_input", "A run of this agent was begun while the files were read.");
      }
      // Parts that the caller made are the caller's, and are copied; files and words are ours.
      const given = typeof whole !== "string" && (Array.isArray(content) ? content : [content])
        .some((item) => isPart(item));
      const message = { id: uuid(), role: "user", content: whole };
      internals.add([given ? message : ours(message)]);
      const asked = this.pendingInterrupts.length > 0;
      try {
        internals.said = true;
        const over = this.runAgent(parameters, subscriber);
        internals.said = false;
        return await over;
      } catch (thrown) {
        // Refused because an interrupt waits for its answer: sent again later, the message would stand there twice.
        if (asked && /** @type {any} */ (thrown)?.code === "bad_input" && this.messages.at(-1)?.id === message.id) {
          this.messages = this.messages.slice(0, -1);
        }
        throw thrown;
      }
    }

    /**
     * Answers every open interrupt and runs on.
     * @param {any[]} entries
     * @param {any} [parameters]
     * @param {any} [subscriber]
     * @returns {Promise<any>}
     */
    async resume(entries, parameters, subscriber) {
      if (!Array.isArray(entries)) throw new TypeError("resume needs an array of entries");
      if (this.pendingInterrupts.length === 0) throw new AGUIError("bad_input", "No interrupt is open in this thread.");
      return this.runAgent({ ...parameters, resume: entries }, subscriber);
    }

    /**
     * Answers a tool call; a run follows when no other call or question waits.
     * @param {string} toolCallId
     * @param {unknown} result
     * @param {any} [options]
     * @returns {Promise<any>}
     */
    async answer(toolCallId, result, options) {
      alive(this);
      return answer(this, toolCallId, result, options);
    }

    /**
     * Runs the handlers of the waiting calls that have one, and what follows from their answers.
     * @param {any} [parameters]
     * @param {any} [subscriber]
     * @returns {Promise<any>}
     */
    async answerPending(parameters, subscriber) {
      return (await alive(this).part()).runPending(this, undefined, parameters, subscriber);
    }

    /**
     * Lets the handler of a waiting call run, or refuses it.
     * @param {string} toolCallId
     * @param {boolean} [approved]
     * @param {any} [parameters] of the run that follows
     * @returns {Promise<any>}
     */
    async approve(toolCallId, approved = true, parameters) {
      return (await alive(this).part()).approve(this, toolCallId, approved, parameters);
    }

    /**
     * Leaves a question or a waiting call without an answer; without an id all of them.
     * @param {string} [id]
     * @returns {Promise<void>}
     */
    async dismiss(id) {
      return (await alive(this).part()).dismiss(this, id);
    }

    /**
     * Replaces a person's message, takes out what followed, and runs the agent.
     * @param {string} messageId
     * @param {any} content as send() takes it
     * @param {any} [parameters]
     * @param {any} [subscriber]
     * @returns {Promise<any>}
     */
    async edit(messageId, content, parameters, subscriber) {
      return (await alive(this).second()).edit(messageId, content, parameters, subscriber);
    }

    /**
     * Has an answer made again: the one that the message belongs to, else the last.
     * @param {string} [messageId]
     * @param {any} [parameters]
     * @param {any} [subscriber]
     * @returns {Promise<any>}
     */
    async regenerate(messageId, parameters, subscriber) {
      return (await alive(this).second()).regenerate(messageId, parameters, subscriber);
    }

    /**
     * The versions of a message or an answer, the former ones among them.
     * @param {string} messageId
     * @returns {any[]}
     */
    versions(messageId) {
      return inside(this).versions?.at(messageId) ?? [];
    }

    /** Ends the run: its request is aborted, runAgent resolves with outcome "aborted", what came is kept. */
    abortRun() {
      inside(this).run?.abort();
    }

    /**
     * Stops the run on the server, then ends it here as abortRun does, unless it has ended by itself by then. With the
     * option reconnect, in a dialect that has a stop.
     * @returns {Promise<boolean>} false: the server was not asked, or did not stop it; nothing has changed
     */
    async stop() {
      const internals = alive(this);
      return internals.run?.stopping ? (await internals.part()).stop(internals) : false;
    }

    /**
     * Loads the thread from the server and joins what runs there, by reading alone; with the option reconnect. A
     * subclass may override it: given a RunAgentInput, it gives the events for connectAgent.
     * @param {any} [target] {threadId, runId}
     * @returns {any}
     */
    connect(target) {
      const internals = alive(this);
      if (internals.connecting) throw new AGUIConnectNotImplementedError();
      return joinIn(this, target ?? {});
    }

    /**
     * As connect(), or what a subclass's connect(input) gives. Where there is no way it resolves with nothing.
     * @param {any} [parameters] as runAgent's
     * @param {any} [subscriber] hears of it
     * @returns {Promise<any>}
     */
    async connectAgent(parameters, subscriber) {
      const internals = alive(this);
      if (this.connect === AbstractAgent.prototype.connect && internals.joins()) {
        return joinIn(this, {}, parameters, subscriber).catch((thrown) => {
          if (!(thrown instanceof AGUIConnectNotImplementedError)) throw thrown;
          return { result: undefined, newMessages: [], outcome: undefined };
        });
      }
      return startRun(this, parameters, subscriber, undefined, {
        source: (input) => {
          internals.connecting = true;
          try {
            return this.connect(input);
          } finally {
            internals.connecting = false;
          }
        },
      });
    }

    /** Drops the connection and says nothing to the server, which may go on. @returns {Promise<void>} */
    detach() {
      return this.detachActiveRun();
    }

    /** As abortRun; resolves when the run has told its hooks. @returns {Promise<void>} */
    async detachActiveRun() {
      const { run } = inside(this);
      if (!run) return;
      run.abort();
      await run.done.catch(() => {});
    }

    // Others like it.

    /** An agent of its own that begins as this one. @returns {any} */
    clone() {
      return twin(this, inside(this).conversation.clone());
    }

    /**
     * An agent whose messages and state are as they were when that run ended, and whose next run carries it as
     * parentRunId.
     * @param {string} runId
     * @returns {any}
     */
    branch(runId) {
      if (typeof runId !== "string") throw new TypeError("branch needs a runId");
      return twin(this, inside(this).conversation.branch(runId));
    }

    /** Ends the run and lets go of everything. The agent runs no more. */
    dispose() {
      const internals = inside(this);
      if (internals.disposed) return;
      internals.disposed = true;
      void internals.kept?.then((/** @type {any} */ keeper) => keeper?.close());
      internals.offer();
      for (const { id } of internals.queue) unqueue(internals, id);
      internals.run?.abort();
      internals.changes.close();
      internals.conversation.free();
      this.subscribers = [];
    }
  }

  /**
   * Connects an agent. Several calls for one thread are one.
   * @param {any} agent
   * @param {any} target
   * @param {any} [parameters]
   * @param {any} [subscriber]
   * @param {import("./run.js").Join} [join]
   */
  async function joinIn(agent, target, parameters, subscriber, join = {}) {
    const internals = inside(agent);
    if (!internals.joins()) throw new AGUIConnectNotImplementedError();
    const threadId = text(target.threadId, "threadId") ?? agent.threadId;
    const { joining } = internals;
    if (joining !== null && joining.threadId === threadId) return joining.over;
    if (threadId !== agent.threadId && internals.run === null) {
      agent.threadId = threadId; // what is there is another thread's
      agent.messages = [];
      agent.state = {};
      agent.pendingInterrupts = [];
    }
    const started = startRun(agent, { ...parameters, runId: target.runId ?? parameters?.runId }, subscriber, undefined,
      join);
    const over = started.catch((thrown) => {
      throw thrown?.code === "not_resumable" ? new AGUIConnectNotImplementedError() : thrown;
    });
    if (internals.run !== null && !joining) internals.joining = { threadId, over };
    try {
      return await over;
    } finally {
      if (internals.joining?.over === over) {
        internals.joining = null;
        void runtime.parts.load("line").then(({ offer }) => offer(agent, internals)).catch(() => {});
      }
    }
  }

  /** An agent behind a URL. */
  class HttpAgent extends AbstractAgent {
    /** @param {any} config */
    constructor(config) {
      super(config);
      const internals = inside(this);
      const { url, headers, fetch: custom } = config ?? {};
      // Checks them. Where nothing says what a relative URL is relative to (a server that renders the page), a run
      // does.
      const later = typeof url === "string" && base() === undefined;
      settle(runtime, { ...optionsOf(config ?? {}), url: later ? undefined : url, headers, fetch: custom }, "HttpAgent",
        !later);
      this.url = url === undefined || url === null ? String(runtime.defaults.url) : String(url);
      this.headers = typeof headers === "function" ? headers : Object.fromEntries(pairs(headers));
      this.fetch = custom ?? native;
      this.abortController = new AbortController();
      transport(internals, this);
    }

    /**
     * The request as fetch takes it. A subclass may override it: what it changes is sent so.
     * @param {any} input
     * @returns {RequestInit}
     */
    requestInit(input) {
      const headers = typeof this.headers === "function" ? [] : pairs(this.headers);
      return {
        method: "POST",
        headers: Object.fromEntries(requestHeaders(headers, inside(this).options.accept)),
        body: JSON.stringify(input),
        signal: this.abortController.signal,
      };
    }

    /**
     * The events of one request as the server sent them: chunks are not expanded, nothing is judged.
     * @param {any} input
     * @returns {any}
     */
    run(input) {
      const internals = inside(this);
      const { conversation } = internals;
      const named = internals.run === null ? null : conversation.named(input);
      const own = new Input(input);
      if (this.abortController.signal.aborted && internals.run === null) this.abortController = new AbortController();
      return observableOf((receiver, pull) => {
        /** @type {import("../core/execution.js").ExecutionInit} */
        const init = {
          runtime,
          mirror: new Mirror(),
          mode: "raw",
          prepare: async (instance) => {
            const options = await internals.request(input);
            if (named === null || conversation.instance !== instance) return { ...options, input: own.text() };
            init.thread = conversation.handle;
            return { ...options, input: named };
          },
          warn: internals.warner(),
          connection: (connection) => internals.connected(connection),
        };
        return new Execution(init, receiver, pull);
      }, this.abortController.signal);
    }

    /** @returns {any} */
    clone() {
      return super.clone();
    }
  }

  /** @type {any} */
  const symbols = Symbol;
  if (symbols.dispose) {
    Object.defineProperty(AbstractAgent.prototype, symbols.dispose, {
      value: AbstractAgent.prototype.dispose, configurable: true, writable: true,
    });
  }

  /**
   * Makes an HttpAgent's request the transport of its runs.
   * @param {AgentInternals} internals
   * @param {any} agent
   */
  function transport(internals, agent) {
    internals.transport = HttpAgent.prototype.run;
    internals.joins = () => Boolean(internals.options.reconnect);
    internals.looks = () => agent.requestInit !== HttpAgent.prototype.requestInit;
    internals.request = async (input) => (await internals.part()).describe(internals, agent, input, native);
  }

  /**
   * Another agent of the same kind, with a conversation of its own.
   * @param {any} agent
   * @param {Conversation} conversation
   */
  function twin(agent, conversation) {
    const old = inside(agent);
    const other = typeof agent.recreate === "function" ? agent.recreate() : Object.create(Object.getPrototypeOf(agent));
    if (typeof agent.recreate === "function") {
      if (!(other instanceof AbstractAgent) || other === agent) throw new TypeError("recreate() must give a new agent");
      inside(other).conversation = conversation;
    } else {
      const made = new AgentInternals(runtime, conversation, other);
      Object.defineProperty(other, INTERNALS, { value: () => made, configurable: true });
      inside(other).copied = true;
    }
    const internals = inside(other);
    const { middlewares, tools, onInterrupt, onPendingTool, maxToolRounds, resumeRunId, unanswered, whileRunning, held,
      debug, options } = old;
    Object.assign(internals, {
      middlewares: [...middlewares], tools, onInterrupt, onPendingTool, maxToolRounds, resumeRunId, unanswered,
      whileRunning, held, debug, options,
    });
    internals.versions = old.versions?.of(other, internals) ?? null;
    Object.assign(other, agent, { subscribers: [...agent.subscribers] });
    if (agent instanceof HttpAgent) {
      if (typeof agent.headers !== "function") other.headers = { ...agent.headers };
      other.abortController = new AbortController();
      transport(internals, other);
    }
    return other;
  }

  return { AbstractAgent, HttpAgent };
}

/**
 * The browser's fetch, looked up when it is called.
 * @param {any} url
 * @param {any} init
 */
const native = (url, init) => globalThis.fetch(url, init);
