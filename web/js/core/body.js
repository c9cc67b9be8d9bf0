"use strict";

/**
 * The body of a response, of whatever kind the page's fetch function has made it: opened, and read chunk by chunk or as
 * text.
 */

import { live } from "./live.js";
import { giveWay } from "./queue.js";

/** How long the body of a refused response is read, in ms. */
const REFUSED_BODY = 5000;
/** How many bytes of small chunks are pushed together. */
export const GATHER = 16 << 10;
/** How many chunks are pushed together: chunks may be empty, so that bytes alone would be no limit. */
const TOGETHER = 1024;

/**
 * Reads the start of a refused response's body as text. What comes of it counts, however it ends.
 * @param {Response} response
 * @param {number} limit bytes
 * @param {(drop: () => void) => void} hold takes what ends the reading
 * @param {() => boolean} stopped
 * @returns {Promise<string>}
 */
export async function beginning(response, limit, hold, stopped) {
  const decoder = new TextDecoder();
  let text = "";
  let left = limit;
  let late = () => {};
  const timeout = new Promise((/** @type {(v: null) => void} */ resolve) => {
    late = () => resolve(null);
  });
  live.callbacks++;
  const timer = setTimeout(late, REFUSED_BODY);
  hold(late);
  try {
    const source = await Promise.race([open(response), timeout]);
    if (source) {
      hold(() => {
        late();
        source.cancel();
      });
      for (let n = 1; left > 0 && !stopped(); n++) {
        if (n % 64 === 0) await turn(); // otherwise the timeout would never come
        const { done, value } = await Promise.race([source.read(), timeout]) ?? { done: true };
        if (done) break;
        const bytes = bytesOf(value).subarray(0, left);
        left -= bytes.length;
        text += decoder.decode(bytes, { stream: true });
      }
      source.cancel();
    }
  } catch {
    // The status or the type is the error, not this.
  }
  clearTimeout(timer);
  live.callbacks--;
  return text + decoder.decode();
}

/**
 * Lets go of a response that nobody reads.
 * @param {any} response
 */
export function discard(response) {
  try {
    Promise.resolve(response.body?.cancel?.()).catch(() => {});
  } catch {
    // Locked, or no real response.
  }
}

/**
 * Takes the chunks that are there already together with a small one, so that a burst of chunks costs little more than
 * one.
 * @param {Uint8Array} first
 * @param {() => Promise<{done?: boolean, value?: any}>} read
 * @returns {Promise<[Uint8Array, Promise<{done?: boolean, value?: any}>]>} the bytes, and the read that is under way
 */
export async function gather(first, read) {
  let length = first.length;
  // A source may put its next chunk where this one stands; and no slice(), by which a Buffer of Node's shares its
  // memory.
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
export function turn() {
  return new Promise((/** @type {(v?: undefined) => void} */ resolve) => giveWay(() => resolve()));
}

/**
 * Opens a response's body, of whatever kind the fetch function has made it.
 * @param {Response} response
 * @returns {Promise<{read: () => Promise<{done?: boolean, value?: any}>, cancel: () => void} | null>} null: no body
 */
export async function open(response) {
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
export function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  // A chunk of another window's.
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]") {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new TypeError("A chunk of the response's body is not a Uint8Array");
}
