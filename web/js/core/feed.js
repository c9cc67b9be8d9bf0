"use strict";

/**
 * Sources of the page's own: where a run's events come from, if not from a request. An Observable of ours or of another
 * library, an async or a plain iterable, or a Response; or a promise of one of them.
 */

/** @typedef {{read: () => Promise<{done?: boolean, value?: any}>, cancel: () => void}} Reader gives lists of events */

/** Events in one push. */
const MANY = 256;

/**
 * Makes a source readable.
 * @param {any} source
 * @returns {Reader | null} null: it is none of the kinds
 */
export function readerOf(source) {
  if (source === null || typeof source !== "object") return null;
  const symbol = /** @type {any} */ (Symbol).observable;
  const interop = (symbol && source[symbol]) || source["@@observable"];
  if (typeof interop === "function") return fromObservable(interop.call(source));
  if (typeof source.subscribe === "function") return fromObservable(source);
  const iterate = source[Symbol.asyncIterator] ?? source[Symbol.iterator];
  if (typeof iterate === "function") return fromIterator(iterate.call(source));
  return null;
}

/**
 * Whether something is a Response, also one of another window or of a library.
 * @param {any} source
 */
export function isResponse(source) {
  return typeof source === "object" && source !== null && typeof source.status === "number" &&
    typeof source.headers?.get === "function";
}

/**
 * @param {AsyncIterator<unknown> | Iterator<unknown>} iterator
 * @returns {Reader}
 */
function fromIterator(iterator) {
  return {
    async read() {
      const { done, value } = await iterator.next();
      return done ? { done: true } : { value: [await value] };
    },
    cancel() {
      try {
        Promise.resolve(iterator.return?.()).catch(() => {});
      } catch {
        // A generator that runs cannot be ended from outside; nobody reads it any more.
      }
    },
  };
}

/**
 * An observable does not wait, so what it gives is kept until it is read.
 * @param {any} observable
 * @returns {Reader}
 */
function fromObservable(observable) {
  /** @type {unknown[]} */
  let kept = [];
  let over = false;
  /** @type {{error: unknown} | undefined} */
  let failure;
  let wake = () => {};
  /** @type {any} */
  let subscription;
  let begun = false;
  let cancelled = false;
  const end = () => {
    try {
      if (typeof subscription === "function") subscription();
      else subscription?.unsubscribe?.();
    } catch {
      // It is being left; its trouble in leaving is its own.
    }
  };
  const begin = () => {
    begun = true;
    try {
      subscription = observable.subscribe({
        next(/** @type {unknown} */ event) {
          kept.push(event);
          wake();
        },
        error(/** @type {unknown} */ error) {
          failure = { error };
          wake();
        },
        complete() {
          over = true;
          wake();
        },
      });
    } catch (error) {
      failure ??= { error }; // told after what it gave before
    }
    if (cancelled) end();
  };
  return {
    async read() {
      if (!begun) begin();
      if (kept.length === 0 && !over && !failure) {
        await new Promise((/** @type {(v?: undefined) => void} */ resolve) => {
          wake = resolve;
        });
      }
      if (kept.length > 0) return { value: kept.splice(0, MANY) };
      if (failure) throw failure.error;
      return { done: true };
    },
    cancel() {
      cancelled = true;
      kept = [];
      over = true;
      wake();
      if (subscription !== undefined) end();
    },
  };
}
