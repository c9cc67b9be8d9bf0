"use strict";

/**
 * Threads in IndexedDB: of each a header, its state, and its messages as JSON in pieces, so that what streams writes
 * little: small ones at the end, and long ones before, which are read faster. A part's.
 */

/**
 * How a message was left that has no end, and how many UTF-16 units of text it had: once it has more it has gone on.
 * @typedef {{how: "stopped" | "brokeOff", length: number}} Half
 */
/**
 * @typedef {{version: number, threadId: string, rev: number, updated: number, session: boolean, count: number,
 *   interrupts: readonly any[], open: boolean, halves?: Record<string, Half>}} Header
 */
/**
 * @typedef {{version: number, threadId: string, rev: number, updated: number, messages: readonly any[], state: any,
 *   interrupts: readonly any[], open: boolean, at?: any, begun?: readonly string[],
 *   halves?: Record<string, Half>}} Kept
 */

/** How many messages are written as one at the end, where they change. */
const CHUNK = 16;
/** How many before: a browser reads few long texts several times faster than many short values. */
const BLOCK = 512;
/** How many at the end are in no block. */
const SLACK = 64;
/** How long a session's thread is kept after its last change, in ms: nothing tells that a tab was closed. */
const DAY = 24 * 60 * 60 * 1000;

/** Where the blocks of that many messages end. @param {number} count */
const blocks = (count) => Math.max(Math.floor((count - SLACK) / BLOCK), 0) * BLOCK;

/** @type {Promise<IDBDatabase> | null} */
let opening = null;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = globalThis.indexedDB.open("agui threads", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("threads", { keyPath: "threadId" });
      request.result.createObjectStore("parts");
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      db.onversionchange = () => db.close();
      db.onclose = () => { opening = null; };
      resolve(db);
    };
  });
  opening.catch(() => { opening = null; });
  return opening;
}

/**
 * Does something in one transaction: all of it or nothing.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(threads: IDBObjectStore, parts: IDBObjectStore, give: (value: T) => void) => void} f
 * @returns {Promise<T>} what was given
 */
async function within(mode, f) {
  const db = await database();
  return new Promise((resolve, reject) => {
    /** @type {any} */
    let given;
    let transaction;
    try {
      transaction = db.transaction(["threads", "parts"], mode);
    } catch (thrown) {
      opening = null; // the browser has closed it
      return reject(thrown);
    }
    transaction.oncomplete = () => resolve(given);
    transaction.onabort = () => reject(transaction.error ?? new Error("It was aborted"));
    f(transaction.objectStore("threads"), transaction.objectStore("parts"), (value) => { given = value; });
  });
}

/** @param {string} threadId @param {number} [from] of messages @param {any} [to] [] comes after numbers and strings */
const range = (threadId, from = 0, to = []) => IDBKeyRange.bound([threadId, from], [threadId, to]);

/** @param {IDBObjectStore} threads @param {IDBObjectStore} parts @param {string} threadId */
function drop(threads, parts, threadId) {
  threads.delete(threadId);
  parts.delete(range(threadId));
}

/**
 * @param {string} threadId
 * @returns {Promise<Kept | null>}
 */
export function load(threadId) {
  return within("readonly", (threads, parts, give) => {
    const header = threads.get(threadId);
    const keys = parts.getAllKeys(range(threadId));
    const values = parts.getAll(range(threadId));
    values.onsuccess = () => {
      if (!header.result) return give(null);
      /** @type {any} */
      const named = {};
      /** @type {any[]} */
      const messages = [];
      keys.result.forEach((/** @type {any} */ [, key], i) => {
        if (typeof key === "string") named[key] = values.result[i];
        else for (const message of JSON.parse(values.result[i])) messages.push(message);
      });
      const { at } = header.result;
      give({ ...header.result, at: at && { ...at, body: named.body }, messages, state: named.state });
    };
  });
}

/**
 * @param {string} threadId
 * @returns {Promise<number>} the revision that is kept; 0: none
 */
export function revision(threadId) {
  return within("readonly", (threads, _, give) => {
    const header = threads.get(threadId);
    header.onsuccess = () => give(header.result?.rev ?? 0);
  });
}

/**
 * Writes what differs from the revision that the caller knows.
 * @param {Kept} record its rev is that revision
 * @param {{messages: readonly any[], state: any, at: any}} before what that revision has
 * @param {boolean} session
 * @returns {Promise<boolean>} false: another tab has written since, so nothing is written
 */
export function save({ messages, state, at: point, ...rest }, before, session) {
  const { body, ...place } = point ?? {};
  return within("readwrite", (threads, parts, give) => {
    const { threadId, rev } = rest;
    const header = threads.get(threadId);
    header.onsuccess = () => {
      if ((header.result?.rev ?? 0) !== rev) return give(false);
      threads.put({ ...rest, at: point && place, rev: rev + 1, session, count: messages.length });
      if (point && before.at?.body !== body) parts.put(body, [threadId, "body"]);
      if (rev === 0 || before.state !== state) parts.put(state, [threadId, "state"]);
      const [now, was] = [blocks(messages.length), blocks(before.messages.length)];
      for (let at = 0, size; at < messages.length; at += size) {
        size = at < now ? BLOCK : CHUNK;
        const piece = messages.slice(at, at + size);
        const there = before.messages.slice(at, at + size);
        if (at < now === at < was && piece.length === there.length && piece.every((each, i) => each === there[i])) {
          continue;
        }
        parts.put(JSON.stringify(piece), [threadId, at]);
        if (at < now) parts.delete(range(threadId, at + 1, at + size - 1));
      }
      if (before.messages.length > messages.length) {
        parts.delete(range(threadId, messages.length, Infinity));
      }
      give(true);
    };
  });
}

/** @param {string} threadId @returns {Promise<void>} */
export const remove = (threadId) => within("readwrite", (threads, parts) => drop(threads, parts, threadId));

/** Removes everything. @returns {Promise<void>} */
export const clear = () => within("readwrite", (threads, parts) => {
  threads.clear();
  parts.clear();
});

/** Removes what sessions of former days have left. @returns {Promise<void>} */
export function tidy() {
  return within("readwrite", (threads, parts) => {
    const all = threads.getAll();
    all.onsuccess = () => {
      for (const { threadId, session, updated } of all.result) {
        if (session && updated < Date.now() - DAY) drop(threads, parts, threadId);
      }
    };
  });
}
