"use strict";

/**
 * The bytes of one run, from the network (or from a source of the page's) into Go: the fetch, the read loop, and the two
 * timers that watch it. Nothing here knows the protocol; Go's flags say when to stop.
 */

import { live } from "./live.js";
import { giveWay, queue } from "./queue.js";

/** @typedef {import("./queue.js").Lane} Lane */
/** @typedef {import("./instance.js").Instance} Instance */

/** A terminal event has come; the stream may linger. */
export const TERMINAL = 1;
/** The run is over: stop reading. */
export const OVER = 2;
/** Go waits for the verdict on an event. */
export const ASKING = 4;

/** How long a stream may stay open after a terminal event without a further event, in ms. */
const LINGER = 1000;
/** How long the body of a refused response is read, in ms. */
const REFUSED_BODY = 5000;
/** A timer may fire before bytes that came while the page was busy are seen: how long to look again, in ms. */
const GRACE = 20;
/** How many bytes of small chunks are pushed together. */
const GATHER = 16 << 10;
/** How many chunks are pushed together: chunks may be empty, so that bytes alone would be no limit. */
const TOGETHER = 1024;
/** How long chunks may come at once, in ms, and how many, before the browser gets a turn. */
const AT_ONCE = 8;
const MOST = 256;
/** The most bytes of one push. */
export const PIECE = 64 << 10;
/** The least bytes that a larger chunk is cut into. */
const LEAST = 1 << 10;
/**
 * How many bytes go into Go at once. A larger chunk goes in pieces, so that the page stays responsive: small ones while a
 * piece takes long (the WebAssembly is cold, the device slow, or the events are costly), larger ones else.
 */
let piece = 4 << 10;

/** What is mostly wrong where a request to another origin fails: browsers do not say it, lest pages look into foreign servers. */
const CORS = " The address is of another origin, whose server may not allow this page (CORS): it has to answer with "
  + "Access-Control-Allow-Origin, and its answer to OPTIONS also with Access-Control-Allow-Headers (content-type, and what else is sent).";

const IDLE_KIND = 0;
const LINGER_KIND = 1;

const encoder = new TextEncoder();

export class Transfer {
  stopped = false;
  #instance;
  #id;
  #lane;
  #idle;
  /** Since when we wait for the network; NaN while the queue holds us back. */
  #waiting = NaN;
  /** Since when we wait after a terminal event's last one; NaN: no terminal event. */
  #lingering = NaN;
  /** An event has come that the lingering counts from, once we wait again. */
  #fresh = false;
  /** Events that the lane had taken when Go last gave flags. */
  #told = 0;
  /** The wait that the look again is about. */
  #grace = NaN;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #timerAt = Infinity;
  #reading = false;
  /** Takes away what is being read from. @type {(() => void) | null} */
  #drop = null;

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
    this.#idle = idle;
  }

  /** Begins to wait for the network. */
  wait() {
    this.#waiting = performance.now();
    this.#arm();
  }

  /** Stops everything: no timer, no reader, nothing that calls Go. Idempotent. */
  stop() {
    if (this.stopped) return;
    this.stopped = true;
    this.#disarm();
    this.#reads(false);
    this.#drop?.();
    this.#drop = null;
  }

  // The fetch.

  /**
   * Calls the page's fetch (or the browser's, looked up now) and tells Go what came of it. Whatever the function does
   * harms this run alone.
   * @param {Function | null | undefined} custom
   * @param {string} url
   * @param {RequestInit} init
   */
  async fetch(custom, url, init) {
    await null; // leave Go's stack: the page's function may call us
    if (this.stopped) return;
    /** @type {Response} */
    let response;
    let came = false;
    try {
      // Called without a receiver: a stored window.fetch refuses any other than the window.
      const f = custom ?? globalThis.fetch;
      response = await f(url, init);
      came = true;
      if (!isResponse(response)) throw new TypeError("the fetch function did not give a Response");
    } catch (thrown) {
      this.#fail(thrown, "The request failed", came || !isForeign(url) ? "" : CORS);
      return;
    }
    if (this.stopped) {
      discard(response); // a fetch that ignored its signal
      return;
    }
    this.#waiting = performance.now();
    this.#instance.response(this.#id, response);
  }

  // The body.

  /**
   * Reads a response's body into Go.
   * @param {Response} response
   */
  async read(response) {
    await null;
    if (this.stopped) return discard(response);
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
  async text(response, limit) {
    await null;
    if (this.stopped) return discard(response);
    this.#waiting = NaN; // it has a limit of its own
    const decoder = new TextDecoder();
    let text = "";
    let left = limit;
    let late = () => {};
    const timeout = new Promise((/** @type {(v: null) => void} */ resolve) => {
      late = () => resolve(null);
    });
    live.callbacks++;
    const timer = setTimeout(late, REFUSED_BODY);
    this.#drop = late;
    try {
      const source = await Promise.race([open(response), timeout]);
      if (source) {
        this.#drop = () => {
          late();
          source.cancel();
        };
        for (let n = 1; left > 0 && !this.stopped; n++) {
          if (n % 64 === 0) await turn(); // else the timeout would never come
          const { done, value } = await Promise.race([source.read(), timeout]) ?? { done: true };
          if (done) break;
          const bytes = bytesOf(value).subarray(0, left);
          left -= bytes.length;
          text += decoder.decode(bytes, { stream: true });
        }
        source.cancel();
      }
    } catch {
      // What came counts; the status or the type is the error, not this.
    }
    this.#drop = null;
    clearTimeout(timer);
    live.callbacks--;
    if (!this.stopped) this.#instance.body(this.#id, text + decoder.decode());
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
      // A source that has its next chunk at once takes microtasks alone, and what makes no event is not slowed by the queue.
      let busy = 0;
      let chunks = 0;
      while (!this.stopped) {
        this.#waiting = performance.now();
        if (this.#fresh) this.#lingering = this.#waiting;
        this.#fresh = false;
        if (this.#idle || !Number.isNaN(this.#lingering)) this.#arm();
        const { done, value } = await (ahead ?? read());
        ahead = null;
        if (this.stopped || done) return;
        const from = this.#waiting;
        if (performance.now() - from > AT_ONCE) busy = chunks = 0;
        this.#waiting = NaN;
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
      this.#waiting = NaN;
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
   * @returns {void | Promise<void>} what to wait for before more is read: each await costs, so only where there is something
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
    this.#instance.failed(this.#id, thrown, what, hint);
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
      this.#fresh ||= this.#lane.events !== this.#told;
    } else {
      this.#fresh = false;
      this.#lingering = NaN;
    }
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

  // The timers. One setTimeout serves both; bytes only move the deadline, and the timer looks when it fires.

  get #deadline() {
    const idle = this.#idle ? this.#waiting + this.#idle : Infinity;
    const linger = Number.isNaN(this.#lingering) ? Infinity : this.#lingering + LINGER;
    return { at: Math.min(idle, linger), kind: idle <= linger ? IDLE_KIND : LINGER_KIND };
  }

  #arm() {
    if (this.stopped || Number.isNaN(this.#waiting)) return;
    const { at } = this.#deadline;
    if (at === Infinity || (this.#timer !== undefined && this.#timerAt <= at)) return;
    this.#set(at);
  }

  /** @param {number} at */
  #set(at) {
    this.#disarm();
    live.callbacks++;
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#disarm();
      this.#fire();
    }, Math.min(at - performance.now(), 0x7fffffff));
  }

  #disarm() {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    live.callbacks--;
  }

  #fire() {
    if (this.stopped || Number.isNaN(this.#waiting)) return; // armed again when we wait again
    const { at, kind } = this.#deadline;
    const now = performance.now();
    if (now < at - 1) this.#arm();
    else if (this.#grace !== this.#waiting) {
      this.#grace = this.#waiting;
      this.#set(now + GRACE);
    } else {
      this.flags(this.#instance.timeout(this.#id, kind));
      queue.drain();
    }
  }
}

/** @param {any} value */
function isResponse(value) {
  return typeof value === "object" && value !== null && typeof value.status === "number" &&
    typeof value.headers?.get === "function";
}

/**
 * Lets go of a response that nobody reads.
 * @param {any} response
 */
function discard(response) {
  try {
    Promise.resolve(response.body?.cancel?.()).catch(() => {});
  } catch {
    // Locked, or no real response.
  }
}

/**
 * Takes the chunks that are there already together with a small one, so that a burst of chunks costs little more than one.
 * @param {Uint8Array} first
 * @param {() => Promise<{done?: boolean, value?: any}>} read
 * @returns {Promise<[Uint8Array, Promise<{done?: boolean, value?: any}>]>} the bytes, and the read that is under way
 */
async function gather(first, read) {
  let length = first.length;
  // A source may put its next chunk where this one stands; and no slice(), by which a Buffer of Node's shares its memory.
  let bytes = new Uint8Array(first);
  /** @type {{done?: boolean, value?: any}[]} */
  const got = [];
  const take = (/** @type {{done?: boolean, value?: any}} */ result) => void got.push(result);
  for (let n = 1; ; n++) {
    const ahead = begun(read);
    // What it throws is thrown where it is awaited: after the bytes before it were handled.
    ahead.then(take, ignore);
    // A chunk that is there, or that the source makes at once, has come after a few turns of the microtask queue.
    for (let tick = 0; tick < 4 && got.length === 0; tick++) await null;
    const { done, value } = got.pop() ?? { done: true };
    if (done || !(value instanceof Uint8Array) || length + value.length > GATHER || n === TOGETHER) {
      return [bytes.length === length ? bytes : bytes.subarray(0, length), ahead];
    }
    if (bytes.length < GATHER) {
      const small = bytes;
      bytes = new Uint8Array(GATHER);
      bytes.set(small);
    }
    bytes.set(value, length);
    length += value.length;
  }
}

/**
 * Begins a read. A reader of the page's may throw at once, or give no promise.
 * @param {() => Promise<{done?: boolean, value?: any}>} read
 */
function begun(read) {
  try {
    const reading = read();
    return reading instanceof Promise ? reading : Promise.resolve(reading);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

const ignore = () => {};

/** Lets the browser have its turn. */
function turn() {
  return new Promise((/** @type {(v?: undefined) => void} */ resolve) => giveWay(() => resolve()));
}

/**
 * Opens a response's body, of whatever kind the fetch function has made it.
 * @param {Response} response
 * @returns {Promise<{read: () => Promise<{done?: boolean, value?: any}>, cancel: () => void} | null>} null: no body
 */
async function open(response) {
  /** @type {any} */
  const body = response.body;
  if (typeof body?.getReader === "function") {
    const reader = body.getReader();
    return { read: () => reader.read(), cancel: () => quietly(() => reader.cancel()) };
  }
  const iterator = body?.[Symbol.asyncIterator]?.();
  if (iterator) return { read: () => iterator.next(), cancel: () => quietly(() => iterator.return?.()) };
  if (body === null || typeof response.arrayBuffer !== "function") return null;
  /** @type {any} */
  let whole = new Uint8Array(await response.arrayBuffer());
  return {
    read: async () => {
      const value = whole;
      whole = undefined;
      return { done: value === undefined, value };
    },
    cancel: () => {},
  };
}

/**
 * Whether an address is of another origin than the page. Where there is no page (Node.js), none is.
 * @param {string} url
 */
function isForeign(url) {
  try {
    return Boolean(globalThis.location) && new URL(url, globalThis.document?.baseURI ?? location.href).origin !== location.origin;
  } catch {
    return false;
  }
}

/** @param {() => unknown} f */
function quietly(f) {
  try {
    Promise.resolve(f()).catch(() => {});
  } catch {
    // There is nothing left to cancel.
  }
}

/**
 * @param {any} value
 * @returns {Uint8Array}
 */
function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  // A chunk of another window's.
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]") {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new TypeError("a chunk of the response's body is not a Uint8Array");
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
