"use strict";

import { live } from "./live.js";

/** How long a stream may stay open after a terminal event without a further event, in ms. */
const LINGER = 1000;
/** A timer may fire before bytes that came while the page was busy are seen: how long to look again, in ms. */
const GRACE = 20;

/** Nothing came for as long as idleTimeoutMs allows. */
const IDLE_KIND = 0;
/** The linger after a terminal event is over. */
const LINGER_KIND = 1;

/**
 * The two clocks of a connection. One setTimeout serves both; bytes only move the deadline, and the timer looks when it
 * fires.
 */
export class Watch {
  #idle;
  #late;
  /** Since when we wait for the network; NaN while the queue holds us back. */
  waiting = NaN;
  /** Since when we wait after a terminal event's last one; NaN: no terminal event. */
  lingering = NaN;
  /** An event has come that the lingering counts from, once we wait again. */
  fresh = false;
  /** The wait that the look again is about. */
  #grace = NaN;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #timerAt = Infinity;

  /**
   * @param {number} idle idleTimeoutMs; 0: none
   * @param {(kind: number) => void} late hears that a time is over
   */
  constructor(idle, late) {
    this.#idle = idle;
    this.#late = late;
  }

  /** Begins to wait for the network. */
  wait() {
    this.waiting = performance.now();
    this.#arm();
  }

  /** Begins to wait for the next chunk. */
  next() {
    this.waiting = performance.now();
    if (this.fresh) this.lingering = this.waiting;
    this.fresh = false;
    if (this.#idle || !Number.isNaN(this.lingering)) this.#arm();
  }

  /** The run goes on: what ended may linger no more. */
  goOn() {
    this.fresh = false;
    this.lingering = NaN;
  }

  get #deadline() {
    const idle = this.#idle ? this.waiting + this.#idle : Infinity;
    const linger = Number.isNaN(this.lingering) ? Infinity : this.lingering + LINGER;
    return { at: Math.min(idle, linger), kind: idle <= linger ? IDLE_KIND : LINGER_KIND };
  }

  #arm() {
    if (Number.isNaN(this.waiting)) return;
    const { at } = this.#deadline;
    if (at === Infinity || (this.#timer !== undefined && this.#timerAt <= at)) return;
    this.#set(at);
  }

  /** @param {number} at */
  #set(at) {
    this.stop();
    live.callbacks++;
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.stop();
      this.#fire();
    }, Math.min(at - performance.now(), 0x7fffffff));
  }

  /** No timer runs until it waits again. */
  stop() {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    live.callbacks--;
  }

  #fire() {
    if (Number.isNaN(this.waiting)) return; // armed again when we wait again
    const { at, kind } = this.#deadline;
    const now = performance.now();
    if (now < at - 1) this.#arm();
    else if (this.#grace !== this.waiting) {
      this.#grace = this.waiting;
      this.#set(now + GRACE);
    } else this.#late(kind);
  }
}
