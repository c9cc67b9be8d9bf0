"use strict";

import { answer, described } from "./handlers.js";
import { logEvent, logLife } from "./log.js";
import { sourceOf } from "./source.js";
import { needsApproval } from "./tools.js";
import { AGUIConnectNotImplementedError, AGUIError, report } from "../core/error.js";
import { Execution } from "../core/execution.js";
import { change, pointsOf } from "./points.js";
import { APPLY, DROP, RunHooks, SKIP, then } from "./steps.js";
import { uuid } from "../core/ids.js";

/** @typedef {import("./internals.js").AgentInternals} AgentInternals */
/** @typedef {import("./steps.js").Verdict} Verdict */
/** @typedef {import("./run.js").AgentRun} AgentRun */
/** @typedef {import("./run.js").Params} Params */
/** @typedef {import("./run.js").End} End */

/**
 * One request of an AgentRun. A server may send several runs in one response, and events behind a terminal one: it
 * settles when the response has ended.
 */
export class Round {
  /** @type {Promise<{end: End, answers: Promise<any[] | null> | null}>} */
  promise;
  #agent;
  #internals;
  #run;
  #tools;
  #params;
  #index;
  #runId;
  #hooks;
  #execution;
  /** The run has begun for the hooks. */
  #begun = false;
  /** It has ended for the agent. */
  #over = false;
  /** The latest event was a terminal one: the response may end here. */
  ending = false;
  /** The latest RUN_FINISHED. @type {any} */
  #finished = null;
  /** What the latest run that ended is remembered by. @type {string[]} */
  #names = [];
  /** An event that was asked about and is not dealt with. @type {{event: any, verdict: Verdict} | null} */
  #asked = null;
  /** The events come from the page, not from our request. */
  #own = false;
  #watched;
  /** What is joined instead of asked for. @type {import("./run.js").Join | undefined} */
  #join;
  /** What a subclass overrides of the run. */
  #points;
  /** Applies the events in the place of Go. @type {import("./points.js").Application | null} */
  #applies = null;
  /** Something has come. */
  #some = false;
  /** @type {readonly any[]} */
  #messages = [];
  /** @type {any} */
  #state;
  /** @type {(value: any) => void} */
  #resolve = () => {};
  /** @type {(error: unknown) => void} */
  #reject = () => {};

  /**
   * @param {any} agent
   * @param {AgentInternals} internals
   * @param {AgentRun} run
   * @param {any[]} tools
   * @param {Params} params
   * @param {number} index how many rounds of this runAgent were before it
   */
  constructor(agent, internals, run, tools, params, index) {
    this.#agent = agent;
    this.#internals = internals;
    this.#run = run;
    this.#tools = tools;
    this.#params = params;
    this.#index = index;
    this.#runId = params.runId ?? uuid();
    const { conversation } = internals;
    const subscribers = run.subscriber ? [...agent.subscribers, run.subscriber] : [...agent.subscribers];
    this.#hooks = new RunHooks(subscribers, internals.host);
    const hooks = this.#hooks;
    this.#points = pointsOf(agent, internals);
    internals.latest = this;
    hooks.current = () => internals.latest === this;
    this.#watched = ["onMessagesChanged", "onStateChanged", "onNewMessage",
      "onNewToolCall"].some((name) => hooks.has(name));
    this.#join = params.join;
    const source = params.join ? params.join.source ?? null : sourceOf(internals, agent);
    this.#own = source !== null;
    /** @type {import("../core/execution.js").ExecutionInit} */
    const init = {
      runtime: internals.runtime,
      mirror: conversation.mirror,
      mode: hooks.stepped || this.#points?.apply ? "stepped" : "fast",
      prepare: async (instance) => {
        const options = await (params.join && !source ? this.#prepareJoin(instance) : this.#prepare(instance));
        init.thread = conversation.handle;
        return options;
      },
      warn: internals.warner(),
      connection: (connection) => internals.connected(connection),
      ...(source ? { source: () => source(hooks.input) } : {}),
    };
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => {});
    this.#execution = new Execution(init, {
      deaf: !hooks.stepped && !this.#points?.apply && internals.listeners === 0 && !internals.debug.enabled,
      event: (event, names) => this.#event(event, names),
      step: (event, pending) => this.#step(event, pending),
      changed: () => this.#internals.changes.mark(),
      answered: (event, names) => this.#answered(event, names),
      caught: (replayed) => this.#caught(replayed),
      error: (error) => {
        this.#left(error);
        this.#fail(error);
      },
      complete: () => this.#complete(),
    });
    logLife(internals.debug, "Run started:", { agentId: agent.agentId, threadId: agent.threadId });
    this.#execution.begin();
  }

  /** The request that stops the run on its server, as Go describes it. @returns {{url: string, body: string} | null} */
  get stopping() {
    const text = this.#execution.line?.stopping;
    return typeof text === "string" ? JSON.parse(text) : null;
  }

  /**
   * Puts the request together, once the WebAssembly is there.
   * @param {import("../core/instance.js").Instance} instance
   */
  async #prepare(instance) {
    const internals = this.#internals;
    const { conversation } = internals;
    const { runId, context = [], forwardedProps = {}, parentRunId } = this.#params;
    const resume = completed(internals, this.#params.resume);
    const params = {
      threadId: this.#agent.threadId, runId: this.#runId, parentRunId, tools: described(this.#tools), context,
      forwardedProps, resume,
      unanswered: internals.unanswered, sameRunId: internals.resumeRunId === "same" && runId === undefined,
      said: this.#params.said, known: internals.known(this.#tools), asks: internals.asks(this.#tools),
    };
    const points = this.#points;
    const mine = points?.prepare?.({
      runId: this.#runId, parentRunId, tools: params.tools, context, forwardedProps, resume,
    });
    if (mine) Object.assign(params, mine.parameters);
    const hooks = this.#hooks;
    // Where nobody looks at the input Go judges it as the run starts. A run that resumes may get its id from Go.
    if (hooks.size > 0 || this.#own || points || internals.looks() || params.sameRunId) {
      conversation.sync(instance);
      const prepared = prepare(conversation, params);
      this.#runId = prepared.runId;
      this.#begun = true;
      this.#messages = conversation.messages;
      this.#state = conversation.state;
      hooks.input = inputOf(params, prepared, conversation);
      if (mine) change(hooks.input, mine.members);
      if (prepared.ops) {
        internals.changes.mark();
        void hooks.tell("onMessagesChanged");
      }
      const held = points?.initialize
        ? points.initialize(hooks.input, hooks.subscribers) : hooks.life("onRunInitialized");
      if (typeof held !== "boolean") await held;
      if (this.#execution.closed) return {};
      if (conversation.messages !== this.#messages || conversation.state !== this.#state) {
        conversation.sync(instance);
        // What is sent of the messages depends on all of them, so Go is asked again.
        Object.assign(hooks.input, inputOf(params, prepare(conversation, params), conversation));
        this.#notice();
      }
    }
    this.#begun = true;
    this.#applies = points?.apply?.(hooks.input, hooks.subscribers) ?? null;
    const options = await internals.request(hooks.input);
    if (!this.#execution.closed) {
      conversation.sync(instance);
      conversation.execution = this.#execution;
    }
    return { ...options, input: JSON.stringify({ ...params, history: conversation.history }) };
  }

  /**
   * Puts the request together that reads what runs.
   * @param {import("../core/instance.js").Instance} instance
   */
  async #prepareJoin(instance) {
    const internals = this.#internals;
    const { conversation } = internals;
    const { at } = internals;
    internals.at = null;
    const { runId = at?.runId ?? "", context = [], forwardedProps = {} } = this.#params;
    const input = { threadId: this.#agent.threadId, runId, tools: described(this.#tools), context, forwardedProps };
    conversation.sync(instance);
    this.#messages = conversation.messages;
    this.#state = conversation.state;
    this.#runId = runId;
    this.#hooks.input = { ...input, messages: [], state: {} };
    const options = await internals.request(this.#hooks.input);
    if (!this.#execution.closed) {
      conversation.sync(instance);
      conversation.execution = this.#execution;
    }
    return { ...options, join: true, at, input: JSON.stringify(input) };
  }

  /** What was there before is in the conversation. @param {number} replayed */
  #caught(replayed) {
    this.#some = true;
    this.#internals.changes.mark();
    this.#notice();
    void this.#hooks.tell("onConnected", { replayed });
  }

  /** The first event of a run that was joined has come. @returns {boolean | Promise<boolean>} */
  #joined() {
    if (this.#begun) return true;
    this.#begun = true;
    return this.#hooks.life("onRunInitialized");
  }

  // Events.

  /**
   * @param {any} event an event that is applied: the run goes fast
   * @param {string[]} [names] of a run's end: what the run is remembered by
   */
  #event(event, names) {
    const internals = this.#internals;
    internals.changes.mark();
    this.ending = false;
    this.#some = true;
    if (!this.#begun) void this.#joined();
    for (const each of internals.watchers) each(event);
    if (this.#over) {
      if (this.#watched) this.#notice();
      return;
    }
    if (internals.debug.enabled) {
      logEvent(internals.debug, "Event applied:", event, { subscribers: this.#agent.subscribers.length });
    }
    if (this.#watched) {
      void this.#hooks.after(event, true, this.#messages);
      this.#notice();
    }
    this.#passed(event, names);
  }

  /**
   * @param {any} event an event that is not applied yet: somebody must be asked
   * @param {string[]} [pending] of RUN_FINISHED: the tool calls that wait for a result
   * @returns {boolean | Promise<boolean>}
   */
  #step(event, pending) {
    if (this.#over) return true;
    const internals = this.#internals;
    const { conversation } = internals;
    this.ending = false;
    this.#some = true;
    if (this.#applies) { // what ends the run Go must know
      for (const each of internals.watchers) each(event);
      this.#applies.event(event);
      this.#asked = { event, verdict: DROP };
      return event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
    }
    conversation.asking = true;
    return then(then(this.#joined(), () => this.#hooks.before(event, pending)), (/** @type {Verdict} */ verdict) => {
      if (this.#execution.closed) return false; // it was aborted in between: the conversation may be another run's
      conversation.asking = false;
      if (internals.debug.enabled) {
        if (verdict === APPLY) logEvent(internals.debug, "Event applied:", event, {
          subscribers: this.#agent.subscribers.length,
        });
        else logEvent(internals.debug, "Event dropped:", event, { reason: "stopPropagation by subscriber" });
      }
      this.#asked = { event, verdict };
      return verdict === APPLY;
    });
  }

  /**
   * @param {any} event
   * @param {string[]} [names] as for an event that is applied
   */
  #answered(event, names) {
    const asked = this.#asked;
    this.#internals.changes.mark();
    this.#asked = null;
    if (asked?.verdict !== SKIP && asked?.verdict !== DROP) for (const each of this.#internals.watchers) each(event);
    if (asked === null) return this.#notice(); // it came after the run's end
    if (asked.verdict !== DROP) void this.#hooks.after(event, asked.verdict === APPLY, this.#messages);
    this.#notice();
    this.#passed(event, names);
  }

  /** Somebody listens to the events now. */
  listen() {
    this.#execution.listen();
  }

  /** Tells what changed since it was told last. */
  #notice() {
    const { messages, state } = this.#internals.conversation;
    const newMessages = messages !== this.#messages;
    const newState = state !== this.#state;
    this.#messages = messages;
    this.#state = state;
    if (newMessages || newState) this.#hooks.changed(newMessages, newState);
  }

  // Ends.

  /**
   * @param {any} event
   * @param {string[]} [names] of a run's end: what the run is remembered by
   */
  #passed(event, names) {
    if (event.type !== "RUN_FINISHED" && event.type !== "RUN_ERROR") return;
    this.ending = true;
    if (event.type === "RUN_FINISHED") this.#finished = event;
    if (names) this.#keep(names);
  }

  /**
   * Remembers the snapshots as a run left them.
   * @param {string[]} names
   */
  #keep(names) {
    this.#names = names;
    this.#internals.conversation.keep(names);
  }

  /** The response has ended well. @returns {void} */
  #complete() {
    if (this.#applies) {
      const { end } = this.#applies;
      this.#applies = null;
      const { conversation } = this.#internals;
      void end().then(() => {
        if (conversation.instance) conversation.sync(conversation.instance); // Go counts the calls that wait
        this.#complete();
      }, (error) => {
        this.#left(error);
        this.#fail(error);
      });
      return;
    }
    const event = this.#finished;
    const internals = this.#internals;
    if (this.#over) return this.#left();
    if (event === null && !this.#join) {
      this.#left();
      return this.#fail(new AGUIError("internal", "The run ended without an end."));
    }
    let calls, outcome;
    try {
      ({ calls, outcome } = this.#finish());
    } catch (thrown) {
      this.#left();
      return this.#fail(thrown);
    }
    this.#left();
    internals.held = [];
    const interrupted = internals.conversation.interrupts.length > 0;
    if (this.#join && !this.#some) void this.#hooks.tell("onConnected", { replayed: 0 });
    /** @type {End} */
    const end = {
      outcome: event === null && !interrupted ? undefined : outcome,
      result: outcome === "success" ? event?.result ?? undefined : undefined, calls,
    };
    const { signal } = this.#run.controller;
    // Calls that a person must approve first wait for that.
    // So do those of a run that this page only joined: their effect may be there.
    const joined = this.#join;
    if (joined) calls = calls.filter(({ interrupt }) => interrupt === undefined);
    const asks = calls.filter((call) => call.interrupt === undefined && (needsApproval(call, this.#tools) ||
      joined));
    if (asks.length > 0) {
      internals.conversation.ask("wait", { ids: asks.map(({ id }) => id) });
      calls = calls.filter((call) => !asks.includes(call));
    }
    const follow = calls.length === 0 && !interrupted && this.#run.follows(false, this.#tools);
    const { kept } = internals;
    const answers = calls.length > 0 ?
      answer(calls, this.#tools, { agent: this.#agent, signal, id: uuid, kept }) :
      null;
    if (!answers && !follow && !(interrupted && internals.onInterrupt)) internals.leave(this.#run);
    if (!this.#begun) { // what was joined had ended before
      this.#ended = true;
      this.#resolve({ end, answers });
      return;
    }
    void this.#close((/** @type {any} */ value) => this.#resolve(value), { end, answers });
  }

  /**
   * Ends the run in Go.
   * @param {any} [error] what ended it, if it did not end well; null: an abort
   * @returns {{calls: any[], outcome: import("./run.js").Outcome}} the tool calls to answer, and how it ended
   */
  #finish(error) {
    this.#over = true;
    const { conversation } = this.#internals;
    if (conversation.execution !== this.#execution) return { calls: [], outcome: undefined }; // nothing was sent
    const handled = this.#tools.filter((tool) => typeof tool.handler === "function").map((tool) => tool.name);
    const refused = error?.code === "http_status" && error.status >= 400 && error.status < 500;
    if (conversation.instance === null) { // the program died, and the run with it: it goes by the id that we asked for
      if (!this.ending) this.#keep([this.#runId]);
      return { calls: [], outcome: undefined };
    }
    const { calls, outcome, standing = 0, names, parentRunId } = conversation.change("finish", {
      handled, round: this.#index, limit: this.#internals.maxToolRounds, failed: error !== undefined, refused,
      said: this.#finished?.outcome?.type, // the outcome that its last RUN_FINISHED named
      answers: this.#run.given.map(({ message }) => message), // tool messages that the page gave during the run
      keepRuns: conversation.keepRuns,
    });
    conversation.parent = parentRunId || undefined;
    // Its end did not come, or not to the page.
    if (names && String(names) !== String(this.#names)) this.#keep(names);
    this.#run.taken(standing); // how many of the answers stand
    return { calls, outcome };
  }

  /**
   * @param {unknown} error
   * @returns {void}
   */
  #fail(error) {
    if (this.#over && this.#ended) return;
    const internals = this.#internals;
    // A subclass's connect() that cannot, or that has nothing to tell.
    if (this.#join?.source && !this.#some &&
      (error instanceof AGUIConnectNotImplementedError || codeOf(error) === "incomplete_stream")) {
      this.#over = false;
      return this.#complete();
    }
    // A source of the page's own that somebody aborted says so with its error.
    if (this.#own && nameOf(error) === "AbortError") return this.abort();
    if (!this.#over) this.#quietFinish(error);
    internals.leave(this.#run);
    logLife(internals.debug, "Run errored:", {
      agentId: this.#agent.agentId, error: error instanceof Error ? error.message : String(error),
    });
    if (!this.#begun) {
      this.#ended = true;
      return this.#reject(error);
    }
    void this.#close((/** @type {boolean} */ stopped) => {
      if (stopped) this.#resolve({ end: { outcome: undefined, calls: [] }, answers: null });
      else this.#reject(this.#failure);
    }, undefined, error);
  }

  #ended = false;
  /** What the run ends with. @type {unknown} */
  #failure;

  /**
   * The stream is over: nothing changes the snapshots any more.
   * @param {unknown} [error]
   */
  #left(error = null) {
    const { conversation } = this.#internals;
    if (!this.#over) this.#quietFinish(error);
    if (conversation.execution === this.#execution) conversation.settle();
  }

  /** @param {unknown} [error] */
  #quietFinish(error = null) {
    this.#over = true;
    try {
      this.#finish(error);
    } catch {
      // Only the limit of the rounds is told so, and this run asks for none.
    }
  }

  /** The page wants no more of it. */
  abort() {
    const { conversation } = this.#internals;
    this.#hooks.stage++;
    this.#execution.settle();
    if (!this.#over) this.#quietFinish();
    if (conversation.execution === this.#execution) conversation.settle();
    if (this.#ended) return;
    const end = { end: { outcome: "aborted", calls: [] }, answers: null };
    if (!this.#begun) {
      this.#ended = true;
      this.#resolve(end);
      return;
    }
    void this.#close((/** @type {any} */ value) => this.#resolve(value), end);
  }

  /**
   * Tells the hooks that the run is over, then the caller.
   * @param {(value: any) => void} settle
   * @param {any} value
   * @param {unknown} [error]
   */
  async #close(settle, value, error) {
    if (this.#ended) return;
    this.#ended = true;
    const internals = this.#internals;
    const hooks = this.#hooks;
    hooks.stage++;
    internals.changes.flush();
    let stopped = false;
    if (error !== undefined) {
      const { fail } = this.#points ?? {};
      if (fail) {
        await fail(hooks.input, error, hooks.subscribers).then(() => {
          stopped = true;
        }, (/** @type {unknown} */ thrown) => {
          error = thrown;
        });
      } else stopped = !(await hooks.life("onRunFailed", { error }));
      this.#notice();
    }
    logLife(internals.debug, "Run finished:", { agentId: this.#agent.agentId, threadId: this.#agent.threadId });
    const { finalize } = this.#points ?? {};
    if (finalize) await finalize(hooks.input, hooks.subscribers).catch(report);
    else await hooks.life("onRunFinalized");
    this.#notice();
    this.#failure = error;
    settle(error === undefined ? value : stopped);
  }
}

/**
 * Adds to a run's answers those that page tools gave before.
 * @param {AgentInternals} internals
 * @param {any[] | undefined} resume
 */
export function completed(internals, resume) {
  if (!resume || internals.held.length === 0) return resume;
  const open = internals.conversation.interrupts;
  const held = internals.held.filter(({ interruptId }) => open.some(({ id }) => id === interruptId) &&
    !resume.some((entry) => entry?.interruptId === interruptId));
  return [...resume, ...held];
}

/**
 * Says what a run would send. Throws an AGUIError with code bad_input where it may not begin.
 * @param {import("./conversation.js").Conversation} conversation
 * @param {any} params
 * @returns {{threadId: string, runId: string, parentRunId?: string, forwardedProps: any, resume?: any[],
 *   send: boolean[] | null, ops?: any[]}} ops: calls that nobody answers have got tool messages
 */
function prepare(conversation, params) {
  return conversation.change("prepare", { ...params, history: conversation.history });
}

/**
 * What a run sends, as hooks and middleware see it.
 * @param {any} params
 * @param {ReturnType<typeof prepare>} prepared
 * @param {import("./conversation.js").Conversation} conversation
 */
function inputOf({ tools, context }, { send, ops: _ops, ...rest }, { messages, state }) {
  return {
    ...rest, protocolVersion: "1.0", tools, context, state,
    messages: messages.filter((_, i) => send === null || send[i]),
  };
}

/** @param {any} error */
const codeOf = (error) => error?.code;

/** The name of what an error was made of; never throws. @param {any} error */
function nameOf(error) {
  try {
    return error.cause?.name;
  } catch {
    return undefined;
  }
}
