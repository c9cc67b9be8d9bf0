"use strict";

/**
 * The bytes of one run, from the network (or from a source of the page's) into Go: it makes the request, reads the body
 * and ends both. Nothing here knows the protocol; Go's flags say when to stop.
 */

import { beginning, bytesOf, discard, GATHER, gather, open, turn } from "./body.js";
import { isResponse } from "./feed.js";
import { live } from "./live.js";
import { queue } from "./queue.js";
import { hintOf, send } from "./request.js";
import { Watch } from "./watch.js";

/** @typedef {import("./queue.js").Lane} Lane */
/** @typedef {import("./instance.js").Instance} Instance */
/** @typedef {import("./request.js").Request} Request */
/** @typedef {import("./request.js").Page} Page */

/** A terminal event has come; the stream may linger. */
export const TERMINAL = 1;
/** The run is over: stop reading. */
export const OVER = 2;
/** Go waits for the verdict on an event. */
export const ASKING = 4;

/** How long chunks may come at once, in ms, and how many, before the browser gets a turn. */
const AT_ONCE = 8;
const MOST = 256;
/** The most bytes of one push. */
export const PIECE = 64 << 10;
/** The least bytes that a larger chunk is cut into. */
const LEAST = 1 << 10;
/**
 * How many bytes go into Go at once. A larger chunk goes in pieces, so that the page stays responsive: small ones while
 * a piece takes long (the WebAssembly is cold, the device slow, or the events are costly), larger ones otherwise.
 */
let piece = 4 << 10;

const encoder = new TextEncoder();

export class Transfer {
  stopped = false;
  #instance;
  #id;
  #lane;
  #watch;
  /** Events that the lane had taken when Go last gave flags. */
  #told = 0;
  #reading = false;
  /** Takes away what is being read from. @type {(() => void) | null} */
  #drop = null;
  /** The request's. @type {AbortController | null} */
  #controller = null;

  /**
   * @param {Instance} instance
   * @param {number} id
   * @param {Lane} lane
   * @param {number} idle idleTimeoutMs; 0: none
   */
  constructor(instance, id, lane, idle) {
    this.#instance = instance;
    this.#id = id;
    this.#lane = lane;
    this.#watch = new Watch(idle, (kind) => {
      this.flags(this.#instance.timeout(this.#id, kind));
      queue.drain();
    });
  }

  /** Begins to wait for the network. */
  wait() {
    if (!this.stopped) this.#watch.wait();
  }

  /** Stops everything: no timer, no reader, no request, nothing that calls Go. Idempotent. */
  stop() {
    if (this.stopped) return;
    this.stopped = true;
    this.#watch.stop();
    this.#reads(false);
    this.#drop?.();
    this.#drop = null;
    this.#controller?.abort();
  }

  /**
   * Makes a request and reads what comes of it. Whatever the page's function does harms this run alone.
   * @param {Request} request
   * @param {Page} page
   */
  async fetch(request, page) {
    if (this.stopped) return;
    this.#controller = new AbortController();
    /** @type {any} */
    let response;
    let came = false;
    try {
      response = await send(request, page, this.#controller.signal);
      came = true;
      if (!isResponse(response)) throw new TypeError("The fetch function did not give a Response");
    } catch (thrown) {
      this.#fail(thrown, "The request failed", came ? "" : hintOf(request.url));
      return;
    }
    await this.respond(response);
  }

  /**
   * Lets Go judge a response, and reads its body as Go says.
   * @param {Response} response
   */
  async respond(response) {
    if (this.stopped) return discard(response); // a fetch that ignored its signal
    this.#watch.waiting = performance.now();
    const limit = this.#instance.response(this.#id, response);
    if (this.stopped || limit === undefined) return discard(response);
    if (limit > 0) return this.#refused(response, limit);
    try {
      const source = await open(response);
      if (source) await this.#pump(source.read, source.cancel, true);
    } catch (thrown) {
      this.#fail(thrown, "The connection broke off");
      return;
    }
    this.#end();
  }

  /**
   * Reads the start of a refused response's body as text and gives it to Go.
   * @param {Response} response
   * @param {number} limit bytes
   */
  async #refused(response, limit) {
    this.#watch.waiting = NaN; // it has a limit of its own
    const text = await beginning(response, limit, (drop) => {
      this.#drop = drop;
    }, () => this.stopped);
    this.#drop = null;
    if (!this.stopped) this.flags(this.#instance.body(this.#id, text));
  }

  /**
   * Pushes chunks until there are no more. Small chunks that are there already are pushed together.
   * @param {() => Promise<{done?: boolean, value?: any}>} read
   * @param {() => void} cancel
   * @param {boolean} together whether reading ahead is harmless
   */
  async #pump(read, cancel, together) {
    if (this.stopped) return cancel();
    this.#drop = cancel;
    this.#reads(true);
    try {
      /** @type {Promise<{done?: boolean, value?: any}> | null} */
      let ahead = null;
      // A source that has its next chunk at once takes microtasks alone, and what makes no event is not slowed by the
      // queue.
      let busy = 0;
      let chunks = 0;
      while (!this.stopped) {
        this.#watch.next();
        const { done, value } = await (ahead ?? read());
        ahead = null;
        if (this.stopped || done) return;
        const from = this.#watch.waiting;
        if (performance.now() - from > AT_ONCE) busy = chunks = 0;
        this.#watch.waiting = NaN;
        let bytes = bytesOf(value);
        if (together && bytes.length < GATHER) [bytes, ahead] = await gather(bytes, read);
        const held = this.stopped ? undefined : this.#push(bytes);
        if (held) await held;
        busy += performance.now() - from;
        if (busy < AT_ONCE && ++chunks < MOST) continue;
        busy = chunks = 0;
        await turn();
      }
    } finally {
      this.#reads(false);
      this.#watch.waiting = NaN;
    }
  }

  /**
   * Counts a reader. One whose read never settles, not even when it is cancelled, is let go with its run.
   * @param {boolean} reading
   */
  #reads(reading) {
    if (this.#reading === reading) return;
    this.#reading = reading;
    live.callbacks += reading ? 1 : -1;
  }

  /**
   * Pushes bytes piece by piece, each after what the one before gave was handled.
   * @param {Uint8Array} bytes
   * @returns {void | Promise<void>} what to wait for before more is read: each await costs, so only where there is
   *   something
   */
  #push(bytes) {
    if (bytes.length > piece) return this.#pushPieces(bytes);
    this.#pushPiece(bytes);
    return this.#lane.whenDrained();
  }

  /** @param {Uint8Array} bytes */
  async #pushPieces(bytes) {
    for (let at = 0, end = 0; at < bytes.length && !this.stopped; at = end) {
      end = Math.min(at + piece, bytes.length);
      this.#pushPiece(bytes.subarray(at, end));
      if (!this.#lane.drained) await this.#lane.whenDrained();
    }
  }

  /** @param {Uint8Array} bytes at most a piece */
  #pushPiece(bytes) {
    const began = performance.now();
    const flags = this.#instance.push(this.#id, bytes);
    const took = performance.now() - began;
    if (took > 4) piece = Math.max(piece >> 1, LEAST);
    else if (took < 1 && bytes.length === piece) piece = Math.min(piece << 1, PIECE);
    queue.spend(took);
    this.flags(flags);
    queue.drain();
  }

  #end() {
    if (this.stopped) return;
    this.#drop = null;
    this.flags(this.#instance.end(this.#id));
    queue.drain();
  }

  /**
   * @param {unknown} thrown
   * @param {string} what
   * @param {string} [hint]
   */
  #fail(thrown, what, hint = "") {
    if (this.stopped) return;
    this.#drop?.();
    this.#drop = null;
    this.flags(this.#instance.failed(this.#id, thrown, what, hint));
    queue.drain();
  }

  /**
   * Does what Go's flags ask for.
   * @param {number} flags
   */
  flags(flags) {
    if (flags & OVER) this.stop();
    else if (flags & TERMINAL) {
      // Only an event prolongs it, not a comment that keeps the connection alive.
      this.#watch.fresh ||= this.#lane.events !== this.#told;
    } else this.#watch.goOn();
    this.#told = this.#lane.events;
  }

  // Sources of the page's.

  /**
   * Sends event objects as a server would. Several that wait are sent in one push.
   * @param {() => Promise<{done?: boolean, value?: any}>} read gives lists of events
   * @param {() => void} cancel
   */
  async feed(read, cancel) {
    await null;
    if (this.stopped) return cancel();
    /** @type {{thrown: unknown} | null} */
    let trouble = null;
    try {
      await this.#pump(async () => {
        if (trouble) throw trouble.thrown;
        const { done, value } = await read();
        if (done) return { done };
        const { bytes, failure } = encode(value);
        trouble = failure; // told after the events before it
        return { value: bytes };
      }, cancel, false);
    } catch (thrown) {
      this.#fail(thrown, "The source of the events failed");
      return;
    }
    this.#end();
  }
}

/**
 * Writes events as a server sends them, up to the first that cannot be written.
 * @param {unknown[]} events
 * @returns {{bytes: Uint8Array, failure: {thrown: unknown} | null}}
 */
function encode(events) {
  let text = "";
  let failure = null;
  try {
    for (const event of events) text += `data: ${JSON.stringify(event)}\n\n`;
  } catch (thrown) {
    failure = { thrown };
  }
  return { bytes: encoder.encode(text), failure };
}
