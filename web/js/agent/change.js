"use strict";

/**
 * Tells listeners that something changed: what events change at most once per animation frame, what the page itself
 * changes at once, because a framework that draws an input from it has to know before the browser goes on (or the caret
 * jumps). Where no frame comes (a hidden tab, Node.js) a timer takes over.
 */

/** How long to wait for a frame, in ms. */
const NO_FRAME = 100;

export class Changes {
  #listeners = /** @type {Set<() => void>} */ (new Set());
  #call;
  #telling = false;
  /** Takes the waiting frame and timer away. @type {(() => void) | null} */
  #waiting = null;

  /** @param {(listener: () => void) => void} call calls a listener; must not throw */
  constructor(call) {
    this.#call = call;
  }

  /**
   * @param {() => void} listener the same function may be added more than once
   * @returns {() => void} takes it away
   */
  add(listener) {
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#forget();
    };
  }

  /** Something changed. */
  mark() {
    if (this.#waiting !== null || this.#listeners.size === 0) return;
    const frames = typeof requestAnimationFrame === "function" && typeof cancelAnimationFrame === "function";
    const timer = setTimeout(() => this.flush(), frames ? NO_FRAME : 16);
    const frame = frames ? requestAnimationFrame(() => this.flush()) : 0;
    this.#waiting = () => {
      clearTimeout(timer);
      if (frames) cancelAnimationFrame(frame);
    };
  }

  /**
   * The page itself changed something. A listener's own changes wait for a frame: it may change something each time.
   */
  now() {
    this.mark();
    if (!this.#telling) this.flush();
  }

  /** Tells now what was marked, if anything was. */
  flush() {
    if (this.#waiting === null) return;
    this.#forget();
    this.#telling = true;
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) this.#call(listener);
    }
    this.#telling = false;
  }

  /** Forgets everybody. */
  close() {
    this.#listeners.clear();
    this.#forget();
  }

  #forget() {
    this.#waiting?.();
    this.#waiting = null;
  }
}
