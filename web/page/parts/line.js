"use strict";

/** How long a line holds, and how long it is away, in ms: at most, half of it at least. */
const HOLDS = 1600;
const AWAY = 2400;

/**
 * The page's way to its agent, which the page itself can cut: while `cutting` is on, open responses break again and
 * again, and for a while nothing gets through.
 */
export class Line {
  /** How often it was cut. */
  cuts = 0;
  #cutting = false;
  #away = false;
  /** Break the responses that are being read. @type {Set<() => void>} */
  #open = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  get cutting() {
    return this.#cutting;
  }

  set cutting(on) {
    this.#cutting = on;
    this.#away = false;
    clearTimeout(this.#timer);
    if (on) this.#wait(HOLDS, () => this.#cut());
  }

  /** @param {number} most ms @param {() => void} f */
  #wait(most, f) {
    this.#timer = setTimeout(f, most / 2 + Math.random() * most / 2);
  }

  #cut() {
    if (this.#open.size === 0) return this.#wait(HOLDS, () => this.#cut());
    this.cuts++;
    this.#away = true;
    for (const snap of this.#open) snap();
    this.#open.clear();
    this.#wait(AWAY, () => {
      this.#away = false;
      this.#wait(HOLDS, () => this.#cut());
    });
  }

  /**
   * Makes a fetch that goes over this line. What begins a run gets through: a run that may not have begun cannot be
   * read on.
   * @param {typeof fetch} inner
   * @returns {typeof fetch}
   */
  through(inner) {
    return async (request, init) => {
      if (this.#away && /** @type {any} */ (init)?.leg) throw new TypeError("The line is cut");
      const response = await inner(request, init);
      if (!response.body) return response;
      const reader = response.body.getReader();
      let snap = () => {};
      const body = new ReadableStream({
        start: (controller) => {
          snap = () => {
            controller.error(new TypeError("The line is cut"));
            void reader.cancel().catch(() => {});
          };
        },
        pull: async (controller) => {
          const { done, value } = await reader.read();
          if (done) {
            this.#open.delete(snap);
            return controller.close();
          }
          controller.enqueue(value);
          this.#open.add(snap); // with its first bytes come those that it can be read on from
        },
        cancel: (reason) => {
          this.#open.delete(snap);
          return reader.cancel(reason);
        },
      }, { highWaterMark: 0 });
      const { status, statusText, headers } = response;
      const passed = new Response(body, { status, statusText, headers });
      Object.defineProperty(passed, "url", { value: response.url }); // one that is made here has none
      return passed;
    };
  }
}
