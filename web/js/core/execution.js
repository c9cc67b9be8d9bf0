"use strict";

import { AGUIError, because, errorFrom, guarded, isOurs, report } from "./error.js";
import { isResponse, readerOf } from "./feed.js";
import { ANSWERED, ASK, CAUGHT, CHANGES, COMPLETE, EVENT, FAILED, queue, TOLD, WARNING } from "./queue.js";
import { Transfer } from "./transfer.js";

/** @typedef {import("./mirror.js").Mirror} Mirror */
/** @typedef {import("./instance.js").Instance} Instance */
/** @typedef {import("../api/observable.js").Receiver} Receiver */

/**
 * What Go gets to know of a run.
 * @typedef {object} Options
 * @property {string} input the RunAgentInput as JSON text
 * @property {string} [url]
 * @property {[string, string][]} [headers]
 * @property {string} [credentials]
 * @property {object} [requestInit]
 * @property {Function} [fetch]
 * @property {"lenient" | "strict"} [verify]
 * @property {number} [maxEventBytes]
 * @property {boolean} [keepRaw]
 * @property {number} [idleTimeoutMs]
 * @property {string | object} [reconnect] how the server lets a client come back to a run
 * @property {() => Promise<[string, string][]>} [renew] the headers of a further request
 * @property {string} [agentId] the agent's name on the server, for dialects that need it
 * @property {boolean} [join] reads what runs instead of starting a run
 * @property {any} [at] where the run that is joined is gone on with
 */

/**
 * How a run is made.
 * @typedef {object} ExecutionInit
 * @property {{instance(): Promise<Instance>, parts?: import("./parts.js").Parts}} runtime
 * @property {Mirror} mirror what the run's changes go into
 * @property {"fast" | "stepped" | "raw"} mode fast: Go applies each event, then it is told. stepped: each event is
 *   asked
 *   about first (step). raw: events are told as they came, nothing is applied
 * @property {(instance: Instance) => Options | Promise<Options>} prepare asked once the runtime is there; may throw
 *   an AGUIError
 * @property {(warning: {code: string, message: string, event: any}) => void} warn must not throw
 * @property {number} [thread] Go's handle of the conversation that the run belongs to; 0: none
 * @property {(connection: import("./connection.js").Connection) => void} [connection] hears of the run's line; must
 *   not throw
 * @property {() => unknown} [source] gives the run's events instead of a request (feed.js)
 * @property {boolean} [quiet] no run of the page's
 */

/**
 * A receiver for every mode.
 * @typedef {Receiver & {
 *   deaf?: boolean,
 *   step?: (event: any, pending?: string[]) => boolean | Promise<boolean>,
 *   changed?: () => void,
 *   answered?: (event: any, names?: string[]) => void,
 *   caught?: (replayed: number) => void,
 * }} FullReceiver deaf: nobody but us sees the events, so that RAW and rawEvent need not cross over. step: whether the
 * event is applied. changed: changes came that belong to no told event. answered: the
 *   event that step was asked about is dealt with, its changes are there. caught: of a join, what was there before is
 *   in the snapshots
 */

/** Live runs, for agui.debug(). @type {Set<Execution>} */
export const runs = new Set();
let last = 0;
/** What the page's runs end when they begin: the warm-up (warm.js). */
export const rest = { end: () => {} };

/**
 * One run: from a subscribe to its one ending. Nothing is called back before the caller's stack is empty.
 */
export class Execution {
  closed = false;
  mirror;
  id = ++last;
  #init;
  #receiver;
  #lane;
  /** @type {Instance | undefined} */
  #instance;
  /** What Go calls for this run. @type {import("./instance.js").RunRecord | undefined} */
  #record;
  /** @type {unknown} */
  #cause;
  /** The event that was answered last, until its changes are carried out. @type {any} */
  #due;
  /** The event asked about last: the changes that follow may point into it. @type {unknown} */
  #asked = null;
  /** What a run is remembered by whose end comes next. @type {string[] | undefined} */
  #names;
  /** The page left keepRaw open. */
  #mayListen = false;

  /**
   * @param {ExecutionInit} init
   * @param {FullReceiver} receiver
   * @param {boolean} [pull] tells events only as far as want() asks for them
   */
  constructor(init, receiver, pull = false) {
    this.#init = init;
    this.#receiver = receiver;
    this.mirror = init.mirror;
    this.#lane = queue.lane((entry) => this.#handle(entry));
    this.#lane.pull = pull;
  }

  /** Starts the run. */
  begin() {
    if (this.closed) return;
    if (!this.#init.quiet) {
      rest.end();
      runs.add(this);
    }
    this.#begin().catch((thrown) => this.fail(thrown));
  }

  /** Ends the run silently: nothing is told any more, its request is aborted. Idempotent. */
  cancel() {
    if (this.closed) return;
    this.#close();
    this.#instance?.cancel(this.id);
  }

  /**
   * Ends the run silently, but takes over what Go has applied already: for a conversation that goes on after it.
   */
  settle() {
    if (this.closed) return;
    for (const entry of this.#lane.take()) {
      if (!Array.isArray(entry)) {
        this.mirror.grow(entry.delta);
        continue;
      }
      const ops = entry[0] === EVENT ? entry[2] : entry[0] === CHANGES ? entry[1] : 0;
      if (ops) this.mirror.apply(ops, entry[0] === EVENT ? entry[1] : this.#asked);
      if (entry[0] === CHANGES) entry[2]?.();
    }
    this.cancel();
  }

  /** Everything that Go has applied is told: both sides are at the same event. */
  get even() {
    return this.#lane.length === 0;
  }

  /**
   * Queues changes that the page made in Go, behind the events that Go has applied before them.
   * @param {any[]} ops
   * @param {() => void} done called when they are carried out
   */
  change(ops, done) {
    this.#lane.push([CHANGES, ops, done]);
    queue.schedule();
  }

  /** Somebody listens now to a run whose receiver was deaf: the events to come are whole. */
  listen() {
    this.#receiver.deaf = false;
    if (this.#mayListen && !this.closed) this.#instance?.call("keepRaw", this.id);
  }

  /** The run's connections, where it may have several. */
  get line() {
    return this.#record?.line;
  }

  /** Lets a pulled run tell one more event. */
  want() {
    this.#lane.want();
  }

  /**
   * Ends the run with an error, after what is queued.
   * @param {unknown} thrown
   */
  fail(thrown) {
    this.#record?.transfer.stop();
    this.#instance?.cancel(this.id);
    // What was thrown may be anything, so it is looked at here alone; from now on it is an error of ours.
    this.#lane.push([FAILED, isOurs(thrown) ? thrown : because(thrown, "bad_input", "The run could not be started")]);
    queue.schedule();
  }

  /** @returns {Promise<void>} */
  async #begin() {
    const init = this.#init;
    const instance = await init.runtime.instance();
    if (this.closed) return; // so that an unsubscribe right after subscribe sends nothing
    const options = await init.prepare(instance);
    if (this.closed) return;
    /** @type {typeof import("./line.js") | null} */
    const part = options.reconnect && !init.source ? await init.runtime.parts?.load("line") : null;
    if (this.closed) return;
    if (instance.dead) return this.#begin(); // it died while the page made its headers

    const connect = () => new Transfer(instance, this.id, this.#lane, options.idleTimeoutMs ?? 0);
    const transfer = connect();
    /** @type {import("./instance.js").RunRecord} */
    const record = {
      lane: this.#lane,
      transfer,
      blame: (thrown) => {
        this.#cause = thrown;
      },
      lost: (error) => {
        record.transfer.stop();
        this.#lane.push([FAILED, error]);
      },
    };
    this.#instance = instance;
    this.#record = record;
    const { renew, input, fetch, requestInit, credentials, idleTimeoutMs: _, ...given } = options;
    const page = { fetch, requestInit, credentials };
    const adapter = typeof given.reconnect === "object" ? given.reconnect : undefined;
    if (part) {
      record.line = new part.Line(instance, this.id, record, {
        transfer: connect,
        page,
        adapter,
        renew: renew ?? (async () => given.headers ?? []),
        told: (connection) => init.connection?.(connection),
        fail: (thrown) => this.fail(thrown),
      });
    }
    transfer.wait();
    this.#mayListen = given.keepRaw !== false;
    const { failure, request } = instance.start(this.id, {
      ...given,
      // JSON has no Infinity.
      ...(given.maxEventBytes ? { maxEventBytes: Math.min(given.maxEventBytes, Number.MAX_SAFE_INTEGER) } : {}),
      reconnect: adapter ? part?.describe(adapter) : given.reconnect,
      keepRaw: this.#mayListen && !this.#receiver.deaf, mode: init.mode, thread: init.thread ?? 0, fetch: !init.source,
    }, input, record);
    record.line?.begin();
    if (failure) this.fail(errorFrom(failure));
    else if (request) await transfer.fetch(request, page);
    else if (init.source) await this.#feed(instance, transfer, init.source);
  }

  /**
   * @param {Instance} instance
   * @param {Transfer} transfer
   * @param {() => unknown} make
   */
  async #feed(instance, transfer, make) {
    let reader;
    try {
      const source = await make();
      if (isResponse(source)) {
        return transfer.respond(/** @type {Response} */ (source));
      }
      reader = readerOf(source);
      if (!reader) throw new TypeError("Events come from an Observable, an iterable, an async iterable or a Response");
    } catch (thrown) {
      if (!transfer.stopped) transfer.flags(instance.failed(this.id, thrown, "The source of the events failed"));
      return;
    }
    await transfer.feed(reader.read, reader.cancel);
  }

  /**
   * @param {import("./queue.js").Entry} entry
   * @returns {void | Promise<void>}
   */
  #handle(entry) {
    if (!Array.isArray(entry)) {
      if (this.#apply(1, entry)) this.#tell(entry);
      return;
    }
    switch (entry[0]) {
      case EVENT:
        if (entry[2] && !this.#apply(entry[2], entry[1])) return;
        this.#tell(entry[1]);
        return;
      case CHANGES:
        if (!this.#apply(entry[1], this.#asked)) return;
        if (entry[2]) entry[2]();
        else this.#answered();
        this.#receiver.changed?.();
        return;
      case ANSWERED:
        if (entry[1] === this.#due) this.#answered();
        return;
      case TOLD:
        this.#names = entry[1];
        return;
      case CAUGHT:
        this.#receiver.caught?.(entry[1]);
        return;
      case WARNING:
        this.#init.warn({ code: entry[1], message: entry[2], event: entry[3] });
        return;
      case ASK:
        this.#answered();
        return this.closed ? undefined : this.#ask(entry[1], entry[2]);
      case COMPLETE:
        this.#answered();
        if (this.closed) return;
        this.#late();
        this.#finish();
        this.#receiver.complete();
        return;
      case FAILED:
        this.#answered();
        if (this.closed) return;
        this.#late();
        this.#finish();
        this.#receiver.error(this.#errorOf(entry[1]));
    }
  }

  /** @param {any} event */
  #tell(event) {
    if (this.#lane.pull) this.#lane.wanted--;
    this.#receiver.event(event, this.#told());
  }

  /** What Go told of the event at hand. */
  #told() {
    const names = this.#names;
    if (names !== undefined) this.#names = undefined;
    return names;
  }

  /**
   * @param {any[] | 1} ops 1: the event's delta is appended where the last operation was
   * @param {any} event
   */
  #apply(ops, event) {
    try {
      if (ops === 1) this.mirror.grow(event.delta);
      else this.mirror.apply(ops, event);
      return true;
    } catch (thrown) {
      this.#instance?.cancel(this.id);
      this.#finish();
      this.#receiver.error(new AGUIError("internal", "The snapshots could not be kept up to date.", { cause: thrown }));
      return false;
    }
  }

  /**
   * Asks what becomes of an event and tells Go.
   * @param {any} event
   * @param {string[]} [pending] of RUN_FINISHED: the tool calls that wait for a result
   * @returns {void | Promise<void>}
   */
  #ask(event, pending) {
    this.#asked = event;
    const verdict = this.#receiver.step ? guarded(this.#receiver.step, this.#receiver, event, pending) : true;
    if (typeof verdict?.then !== "function") return this.#answer(event, verdict);
    return verdict.then((/** @type {boolean} */ apply) => this.#answer(event, apply),
      (/** @type {unknown} */ thrown) => {
      report(thrown);
      this.#answer(event, true);
    });
  }

  /**
   * @param {any} event
   * @param {boolean | undefined} apply undefined: the step threw; the event counts
   */
  #answer(event, apply) {
    if (this.closed || !this.#instance) return;
    this.#due = event;
    const flags = this.#instance.step(this.id, apply ?? true);
    // Where the event made no changes and nothing follows, this is what tells that it is dealt with.
    this.#lane.push([ANSWERED, event]);
    this.#record?.transfer.flags(flags);
  }

  /** The event that was answered and whose changes, if any, are carried out now. */
  #answered() {
    const event = this.#due;
    if (event === undefined) return;
    this.#due = undefined;
    this.#receiver.answered?.(event, this.#told());
  }

  /** @param {any} failure an AGUIError, or what Go described */
  #errorOf(failure) {
    if (failure instanceof Error) return failure;
    // A source of the page's that is another run of ours has said it all.
    if (isOurs(this.#cause)) return this.#cause;
    return errorFrom(failure, this.#cause);
  }

  /** Carries out what the page changed in Go while the end was queued already. */
  #late() {
    for (const entry of this.#lane.take()) {
      if (entry[0] !== CHANGES) continue;
      this.mirror.apply(entry[1], this.#asked);
      entry[2]?.();
    }
  }

  #finish() {
    this.#close();
    this.#instance?.cancel(this.id); // Go has forgotten a run that it ended; any other it forgets now
  }

  #close() {
    this.closed = true;
    runs.delete(this);
    this.#record?.transfer.stop();
    this.#record?.line?.close();
    this.#lane.close();
  }
}
