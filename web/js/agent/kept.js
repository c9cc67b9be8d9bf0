"use strict";

/**
 * Threads in IndexedDB: of each a header, its state, and its messages in chunks, so that what streams writes little. A
 * part's.
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

/** How many messages are written as one. */
const CHUNK = 16;
/** How long a session's thread is kept after its last change, in ms: nothing tells that a tab was closed. */
const DAY = 24 * 60 * 60 * 1000;
const LAST = [[]]; // orders behind every string and number

/** @type {Promise<IDBDatabase> | null} */
let opening = null;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = globalThis.indexedDB.open("agui", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("threads", { keyPath: "threadId" });
      request.result.createObjectStore("parts");
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("Another tab holds an older version of the database"));
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
    transaction.onabort = () => reject(transaction.error ?? new Error("The transaction was aborted"));
    f(transaction.objectStore("threads"), transaction.objectStore("parts"), (value) => { given = value; });
  });
}

/** @param {string} threadId */
const range = (threadId) => IDBKeyRange.bound([threadId], [threadId, LAST]);

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
      const { count, session: _session, ...rest } = header.result;
      let state = {};
      let body = "";
      /** @type {any[]} */
      const messages = [];
      keys.result.forEach((key, i) => {
        if (/** @type {any} */ (key)[1] === "state") state = values.result[i];
        else if (/** @type {any} */ (key)[1] === "body") body = values.result[i];
        else messages.push(...values.result[i]);
      });
      give({ ...rest, at: rest.at && { ...rest.at, body }, messages: messages.slice(0, count), state });
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
      for (let at = 0; at < messages.length; at += CHUNK) {
        const chunk = messages.slice(at, at + CHUNK);
        const same = chunk.every((message, i) => before.messages[at + i] === message) &&
          before.messages.slice(at, at + CHUNK).length === chunk.length;
        if (!same) parts.put(chunk, [threadId, at / CHUNK]);
      }
      if (before.messages.length > messages.length) {
        parts.delete(IDBKeyRange.bound([threadId, Math.ceil(messages.length / CHUNK)], [threadId, Infinity]));
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
