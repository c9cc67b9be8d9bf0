"use strict";

/**
 * One run as the inspector sees it.
 * @typedef {object} Run
 * @property {number} number from 1
 * @property {number} start performance.now() at the subscribe
 * @property {number} first at the first event, or 0
 * @property {number} last at the latest event, or 0
 * @property {number} end at the end, or 0 while it goes on
 * @property {number} events
 * @property {number} bytes of the response's body as they were received
 * @property {string} fault the error it ended with, or ""
 */

/** @typedef {{code: string, message: string, event: any, run: Run | null}} Warning */

/** Events kept; when there are more, the older half is let go. */
const MOST = 200_000;

/** What happened: the events of all runs in their order, the warnings, and the figures of each run. */
export class Log {
  /** @type {any[]} */
  events = [];
  /** The time of each event since its run's start, in ms. @type {number[]} */
  times = [];
  /** @type {Run[]} */
  runs = [];
  /** @type {Warning[]} */
  warnings = [];
  /** How many events of each type there are. @type {Map<string, number>} */
  types = new Map();
  /** How many events were let go. */
  dropped = 0;
  #changed;

  /** @param {() => void} changed told after each change; it must be cheap */
  constructor(changed) {
    this.#changed = changed;
  }

  get current() {
    return this.runs.at(-1) ?? null;
  }

  /** @returns {Run} */
  begin() {
    const run = {
      number: this.runs.length + 1, start: performance.now(), first: 0, last: 0, end: 0, events: 0, bytes: 0, fault: "",
    };
    this.runs.push(run);
    this.#changed();
    return run;
  }

  /** @param {Run} run @param {any} event */
  event(run, event) {
    const now = performance.now();
    if (run.events++ === 0) run.first = now;
    run.last = now;
    this.events.push(event);
    this.times.push(now - run.start);
    this.types.set(event.type, (this.types.get(event.type) ?? 0) + 1);
    if (this.events.length > MOST) this.#drop();
    this.#changed();
  }

  /** @param {Run | null} run @param {{code: string, message: string, event?: any}} warning */
  warn(run, warning) {
    if (this.warnings.length < 1000) {
      this.warnings.push({ code: warning.code, message: warning.message, event: warning.event ?? null, run });
    }
    this.#changed();
  }

  /** @param {Run} run @param {any} [error] */
  finish(run, error) {
    run.end ||= performance.now();
    if (error) run.fault = error.code ? `${error.code}: ${error.message}` : String(error?.message ?? error);
    this.#changed();
  }

  /** Forgets everything but runs that still go on. */
  clear() {
    this.events = [];
    this.times = [];
    this.warnings = [];
    this.types = new Map();
    this.dropped = 0;
    this.runs = this.runs.filter((run) => run.end === 0);
    this.#changed();
  }

  #drop() {
    const gone = MOST / 2;
    this.events = this.events.slice(gone);
    this.times = this.times.slice(gone);
    this.dropped += gone;
  }
}

/**
 * The figures of a run.
 * @param {Run} run
 * @param {number} now
 */
export function figures(run, now) {
  const end = run.end || now;
  // The rate is that of the stream itself: the wait for the first event is a figure of its own.
  const streamed = (run.last - run.first) / 1000;
  return {
    events: run.events,
    rate: run.events > 1 && streamed > 0 ? (run.events - 1) / streamed : 0,
    bytes: run.bytes,
    first: run.events > 0 ? run.first - run.start : null,
    duration: end - run.start,
  };
}
