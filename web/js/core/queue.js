"use strict";

import { report } from "./error.js";

/**
 * The queue between what Go delivers and the page's handlers. There is one for the page. Each run has a lane in it;
 * what is delivered only queues, and the queue hands it out entry by entry: never a handler inside a handler, never
 * inside subscribe, the lanes in turn, and after about 8 ms of work it gives way to the browser.
 */

/** Work in one go, in ms, before the browser gets a turn. */
const SLICE = 8;
/** Entries in one go, for a clock that does not advance: far more than 8 ms of work hold with any other. */
const MOST = 8192;
/** Entries of one lane before the next lane's turn. */
const TURN = 32;
/** Events that may wait in a lane whose reader pulls, before its source is held back. */
export const PULL_LIMIT = 1000;

// The kinds of entries (web/docs/architecture.md).
export const EVENT = 0;
export const WARNING = 1;
export const FAILED = 2;
export const COMPLETE = 3;
export const ASK = 4;
export const CHANGES = 5;
/** Made on this side: an event that was asked about is dealt with. */
export const ANSWERED = 6;
/** What was there before this page came is told. */
export const CAUGHT = 7;
/** What the run is remembered by that ends with the next event, or with the one that was asked about. */
export const TOLD = 8;

/** @typedef {any} Entry one entry of a batch (web/docs/architecture.md): a list, or an event alone, which is no list */

export class Queue {
  /** Lanes with entries that may be handled now. @type {Lane[]} */
  #ready = [];
  #draining = false;
  #scheduled = false;
  /** The slice is used up: nothing is handled until the browser had its turn. */
  #resting = false;
  /** ms of work since the browser last had a turn. */
  #spent = 0;
  /** Entries handled since then. */
  #handled = 0;

  /**
   * Makes a lane.
   * @param {(entry: Entry) => void | Promise<void>} handle must not throw; a promise holds the lane until it settles
   */
  lane(handle) {
    return new Lane(this, handle);
  }

  /** Counts work outside handlers as part of the slice. @param {number} ms */
  spend(ms) {
    if (ms > 0) this.#spent += ms;
  }

  /** @param {Lane} lane */
  wake(lane) {
    if (lane.listed || !lane.ready) return;
    lane.listed = true;
    this.#ready.push(lane);
  }

  /** Sees to it that what is queued is handled soon, on an empty stack. */
  schedule() {
    if (this.#scheduled || this.#draining || this.#resting || this.#ready.length === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.drain();
    });
  }

  /** Handles what is queued. Only to be called where no code of the page is on the stack. */
  drain() {
    if (this.#draining || this.#resting || this.#ready.length === 0) return;
    this.#draining = true;
    // Whether there is time is asked in one way everywhere. Two sums that should be equal need not be: a clock of whole
    // milliseconds left `spent` at 7.999999999999773, and now + (8 - spent) is now.
    const spent = this.#spent;
    const from = performance.now();
    let worked = 0;
    let left = MOST - this.#handled;
    while (this.#ready.length > 0 && spent + worked < SLICE && left > 0) {
      const lane = /** @type {Lane} */ (this.#ready.shift());
      for (let n = 0; n < TURN && lane.ready && spent + worked < SLICE && left > 0; n++) {
        lane.step();
        left--;
        worked = performance.now() - from;
      }
      lane.listed = false;
      this.wake(lane);
      lane.settle();
    }
    this.#draining = false;
    this.#handled = MOST - left;
    this.spend(worked); // a clock that was set back counts nothing
    // What is left over always gets another turn, whatever the sums say.
    if (this.#ready.length > 0 || this.#spent >= SLICE) this.#rest();
  }

  #rest() {
    this.#resting = true;
    giveWay(() => {
      this.#resting = false;
      this.#spent = 0;
      this.#handled = 0;
      this.drain();
    });
  }
}

export class Lane {
  /** In the queue's list. */
  listed = false;
  /** Handles entries only as far as a reader asked for them. */
  pull = false;
  /** How many events the reader waits for. */
  wanted = 0;
  closed = false;
  /** How many events it has taken in all. */
  events = 0;
  #queue;
  #handle;
  /** @type {(Entry | undefined)[]} */
  #entries = [];
  #at = 0;
  #held = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {Queue} queue
   * @param {(entry: Entry) => void | Promise<void>} handle
   */
  constructor(queue, handle) {
    this.#queue = queue;
    this.#handle = handle;
  }

  get length() {
    return this.#entries.length - this.#at;
  }

  /** Whether an entry may be handled now. */
  get ready() {
    return this.#at < this.#entries.length && !this.#held && (!this.pull || this.wanted > 0);
  }

  /** Whether the lane's source may go on. */
  get drained() {
    if (this.closed) return true;
    return this.pull ? this.length < PULL_LIMIT : this.#at === this.#entries.length && !this.#held;
  }

  /** Queues an entry. The caller drains or schedules. @param {Entry} entry */
  push(entry) {
    if (this.closed) return;
    if (!Array.isArray(entry) || entry[0] === EVENT || entry[0] === ASK) this.events++;
    this.#entries.push(entry);
    if (!this.listed) this.#queue.wake(this);
  }

  /** Lets a pulling reader have one more event. */
  want() {
    this.wanted++;
    this.#queue.wake(this);
    this.#queue.schedule();
  }

  /** Handles one entry. For the queue. */
  step() {
    const entry = /** @type {Entry} */ (this.#entries[this.#at]);
    this.#entries[this.#at++] = undefined;
    if (this.#at === this.#entries.length) {
      this.#entries.length = 0;
      this.#at = 0;
    } else if (this.#at > 4096) {
      this.#entries.splice(0, this.#at);
      this.#at = 0;
    }
    let held;
    try {
      held = this.#handle(entry);
    } catch (thrown) {
      report(thrown);
    }
    if (held) this.#hold(held);
  }

  /** @param {Promise<void>} until */
  #hold(until) {
    this.#held = true;
    const release = () => {
      this.#held = false;
      this.#queue.wake(this);
      this.#queue.schedule();
      this.settle();
    };
    until.then(release, (thrown) => {
      report(thrown);
      release();
    });
  }

  /** Resolves once the source may go on. */
  whenDrained() {
    return this.drained ? undefined
      : new Promise((/** @type {(v?: undefined) => void} */ resolve) => this.#waiting.push(resolve));
  }

  /** Wakes the source if it may go on. */
  settle() {
    if (this.#waiting.length === 0 || !this.drained) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Takes what is queued away. */
  take() {
    const entries = /** @type {Entry[]} */ (this.#entries.slice(this.#at));
    this.#entries.length = 0;
    this.#at = 0;
    return entries;
  }

  /** Drops what is queued; nothing is handled any more. */
  close() {
    this.closed = true;
    this.#entries.length = 0;
    this.#at = 0;
    this.settle();
  }
}

/** @type {(() => void)[]} */
const turns = [];
/** @type {MessagePort | undefined} */
let port;

/**
 * Calls back after the browser had a turn.
 *
 * A message waits in line with the page's other tasks. A timer would come 4 ms later, and in hidden tabs a second
 * later; what scheduler.yield continues with comes before every other task, so that in a flood no timer and no message
 * of the page had a turn in seconds.
 * @param {() => void} then
 */
export function giveWay(then) {
  const immediate = /** @type {any} */ (globalThis).setImmediate;
  if (typeof MessageChannel === "function" && typeof immediate !== "function") {
    if (!port) {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => turns.shift()?.();
      port = channel.port2;
    }
    turns.push(then);
    port.postMessage(0);
  } else {
    // Node.js, which a port would keep alive.
    (typeof immediate === "function" ? immediate : setTimeout)(then);
  }
}

/** The page's queue. */
export const queue = new Queue();
