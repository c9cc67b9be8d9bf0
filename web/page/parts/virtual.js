"use strict";

import { make } from "./dom.js";

/**
 * A row as it stands in the list: an element that is used again for other indices.
 * @typedef {HTMLElement & {at: number, drawn: number, cells?: any}} Row
 */

/** Rows drawn above and below what is seen. */
const SPARE = 6;

/**
 * A list of any length whose rows have one height. Only the rows in sight exist. It is one stop for the Tab key; the
 * arrow keys move the chosen row (aria-activedescendant), as in a list box or a tree.
 */
export class VirtualList {
  /** How many rows there are. */
  count = 0;
  /** The index of the chosen row, or -1. */
  chosen = -1;
  /** Keeps the end in sight as rows are added, until the person scrolls away from it. */
  follow = false;
  #host;
  #space;
  #options;
  /** @type {Row[]} */
  #pool = [];
  #height = 0;
  #seen = 0;
  #drawn = 1;
  #top = 0;

  /**
   * @param {HTMLElement} host the element that scrolls
   * @param {object} options
   * @param {number} options.rowHeight in CSS pixels, as the style sheet has it
   * @param {string} options.itemRole
   * @param {(row: Row, index: number) => void} options.draw fills a row
   * @param {(index: number, event?: Event) => void} [options.choose] a row was chosen by a click or a key
   * @param {(event: KeyboardEvent, index: number) => boolean} [options.key] a key that the list does not know; true:
   *   handled
   */
  constructor(host, options) {
    this.#host = host;
    this.#options = options;
    this.#space = make("div", { class: "rows", role: "presentation" });
    host.append(this.#space);
    host.tabIndex = 0;
    host.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    host.addEventListener("keydown", (event) => this.#key(event));
    host.addEventListener("click", (event) => {
      const row = /** @type {Row | null} */ (/** @type {Element} */ (event.target).closest("[data-row]"));
      if (row) this.choose(row.at, event);
    });
    new ResizeObserver(() => {
      this.#seen = host.clientHeight;
      if (this.follow) this.#toEnd();
      this.#draw();
    }).observe(host);
  }

  /**
   * Draws anew.
   * @param {number} count
   * @param {boolean} [changed] rows that stand already may look different now
   */
  refresh(count, changed = false) {
    const height = count * this.#options.rowHeight;
    if (changed) this.#drawn++;
    const grew = count !== this.count;
    this.count = count;
    if (this.chosen >= count) this.chosen = -1;
    if (height !== this.#height) {
      this.#height = height;
      this.#space.style.height = `${height}px`;
    }
    if (grew && this.follow) this.#toEnd();
    this.#draw();
    if (!grew || changed) return;
    for (const row of this.#pool) if (!row.hidden) row.setAttribute("aria-setsize", String(count));
  }

  /**
   * @param {number} index
   * @param {Event} [event]
   */
  choose(index, event) {
    if (index < 0 || index >= this.count) return;
    this.mark(index);
    this.#options.choose?.(index, event);
  }

  /** Marks a row as the chosen one and tells nobody. @param {number} index */
  mark(index) {
    this.chosen = index;
    this.#drawn++;
    this.#draw();
  }

  /** Brings a row into sight. @param {number} index */
  reveal(index) {
    const { rowHeight } = this.#options;
    const top = index * rowHeight;
    if (top < this.#host.scrollTop) this.#host.scrollTop = top;
    else if (top + rowHeight > this.#host.scrollTop + this.#seen) this.#host.scrollTop = top + rowHeight - this.#seen;
    this.#scrolled();
  }

  #toEnd() {
    this.#top = Math.max(0, this.#height - this.#seen);
    this.#host.scrollTop = this.#top;
  }

  #scrolled() {
    this.#top = this.#host.scrollTop;
    // A row's height from the end still counts as the end.
    this.follow = this.#top + this.#seen >= this.#height - this.#options.rowHeight;
    this.#draw();
  }

  #draw() {
    const { rowHeight, itemRole, draw } = this.#options;
    if (this.#seen === 0) return;
    const first = Math.max(0, Math.floor(this.#top / rowHeight) - SPARE);
    const size = Math.ceil(this.#seen / rowHeight) + 2 * SPARE + 1;
    const last = Math.min(this.count, first + size);
    while (this.#pool.length < size) {
      const row = /** @type {Row} */ (make("div", { role: itemRole, "data-row": true, class: "row" }));
      row.id = `${this.#host.id}-${this.#pool.length}`;
      row.at = -1;
      row.drawn = 0;
      row.hidden = true;
      this.#pool.push(row);
      this.#space.append(row);
    }
    const length = this.#pool.length;
    for (let n = 0; n < length; n++) {
      // The row of an index is always the same element while it is in sight.
      const row = this.#pool[n];
      const index = first + ((((n - first) % length) + length) % length);
      if (index >= last) {
        if (!row.hidden) {
          row.hidden = true;
          row.at = -1;
        }
        continue;
      }
      if (row.at === index && row.drawn === this.#drawn) continue;
      if (row.at !== index) row.style.transform = `translateY(${index * rowHeight}px)`;
      row.at = index;
      row.drawn = this.#drawn;
      row.hidden = false;
      row.setAttribute("aria-setsize", String(this.count));
      row.setAttribute("aria-posinset", String(index + 1));
      row.setAttribute("aria-selected", String(index === this.chosen));
      draw(row, index);
    }
    const active = this.chosen >= first && this.chosen < last ? this.#pool[this.chosen % length] : null;
    if (active) this.#host.setAttribute("aria-activedescendant", active.id);
    else this.#host.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.count === 0) return;
    const page = Math.max(1, Math.floor(this.#seen / this.#options.rowHeight) - 1);
    const at = this.chosen;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowDown: at + 1, ArrowUp: at < 0 ? this.count - 1 : at - 1, PageDown: at + page, PageUp: at - page,
      Home: 0, End: this.count - 1,
    };
    if (event.key in moves) {
      const to = Math.max(0, Math.min(this.count - 1, moves[event.key]));
      this.reveal(to);
      this.choose(to, event);
    } else if (!this.#options.key?.(event, at)) {
      return;
    }
    event.preventDefault();
  }
}
