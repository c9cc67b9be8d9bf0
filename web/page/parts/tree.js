"use strict";

import { brief } from "./events.js";
import { VirtualList } from "./virtual.js";

/**
 * A line of the tree.
 * @typedef {object} Line
 * @property {string} path a JSON pointer
 * @property {string} key
 * @property {any} value
 * @property {number} depth from 1
 * @property {boolean} branch has members
 * @property {boolean} open
 * @property {number} parent the index of the line that holds it, or -1
 * @property {number} place from 1, among its siblings
 * @property {number} siblings
 */

/** Members drawn of one array or object; what is beyond stands in the JSON. */
const MOST = 5000;
/** How long a change is marked, in ms. As in page.css. */
const FLASH = 1000;

/**
 * A JSON value as a tree that flashes what changed. Snapshots share structure, so what is the same object (===) has not
 * changed and is not looked into.
 */
export class Tree {
  #list;
  /** @type {Line[]} */
  #lines = [];
  /** What each visible path held. @type {Map<string, any>} */
  #before = new Map();
  /** When a path changed. @type {Map<string, number>} */
  #flashed = new Map();
  /** What the person opened (true) or closed (false). @type {Map<string, boolean>} */
  #chosen = new Map();
  /** @type {any} */
  #value;

  /**
   * @param {HTMLElement} host
   * @param {number} rowHeight
   */
  constructor(host, rowHeight) {
    this.#list = new VirtualList(host, {
      rowHeight, itemRole: "treeitem",
      draw: (row, index) => this.#draw(row, index),
      choose: (index, event) => {
        if (event?.type === "click") this.#toggle(index);
      },
      key: (event, index) => this.#key(event, index),
    });
  }

  /** @param {any} value */
  show(value) {
    if (value === this.#value && this.#lines.length > 0) return;
    this.#value = value;
    this.#build(performance.now());
  }

  /** Forgets what stood there, so that nothing flashes at the next value. */
  reset() {
    this.#before.clear();
    this.#flashed.clear();
    this.#chosen.clear();
    this.#lines = [];
    this.#value = undefined;
    this.#list.refresh(0, true);
  }

  /**
   * Lays out the visible lines.
   * @param {number} now 0: nothing flashes, the person opened or closed something
   */
  #build(now) {
    /** @type {Line[]} */
    const lines = [];
    /** @type {Map<string, any>} */
    const held = new Map();
    const old = this.#before;
    const active = this.#lines[this.#list.chosen]?.path;
    for (const [path, time] of this.#flashed) if (now - time > FLASH) this.#flashed.delete(path);
    /**
     * @type {{path: string, key: string, value: any, depth: number, parent: number, place: number, siblings: number,
     *   mayFlash: boolean}[]}
     */
    const todo = [];
    this.#members(todo, this.#value, "", 1, -1, old.size > 0 && now > 0);
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { path, value, depth, mayFlash } = next;
      const branch = typeof value === "object" && value !== null && Object.keys(value).length > 0;
      const open = branch && (this.#chosen.get(path) ?? (depth <= 3 && Object.keys(value).length <= 300));
      const changed = mayFlash && (!old.has(path) || old.get(path) !== value);
      if (changed && !open) this.#flashed.set(path, now);
      held.set(path, value);
      lines.push({ ...next, branch, open });
      if (open) this.#members(todo, value, path, depth + 1, lines.length - 1, changed && old.has(path));
    }
    this.#lines = lines;
    this.#before = held;
    this.#list.chosen = active === undefined ? -1 : lines.findIndex((line) => line.path === active);
    this.#list.refresh(lines.length, true);
  }

  /**
   * Puts a value's members on the stack, the first on top.
   * @param {any[]} todo
   * @param {any} value
   * @param {string} path
   * @param {number} depth
   * @param {number} parent
   * @param {boolean} mayFlash
   */
  #members(todo, value, path, depth, parent, mayFlash) {
    if (typeof value !== "object" || value === null) {
      todo.push({ path: "", key: "", value, depth, parent, place: 1, siblings: 1, mayFlash });
      return;
    }
    const keys = Object.keys(value);
    for (let n = Math.min(keys.length, MOST) - 1; n >= 0; n--) {
      const key = keys[n];
      const pointer = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      todo.push({
        path: pointer, key, value: value[key], depth, parent, place: n + 1, siblings: keys.length, mayFlash,
      });
    }
  }

  /** @param {import("./virtual.js").Row} row @param {number} index */
  #draw(row, index) {
    const line = this.#lines[index];
    if (!row.cells) {
      row.cells = ["twist", "key", "value"].map((name) => {
        const cell = document.createElement("span");
        cell.className = name;
        return cell;
      });
      row.cells[0].setAttribute("aria-hidden", "true");
      row.append(...row.cells);
    }
    const [twist, key, value] = row.cells;
    row.style.setProperty("--depth", String(Math.min(line.depth, 20)));
    row.setAttribute("aria-level", String(line.depth));
    row.setAttribute("aria-posinset", String(line.place));
    row.setAttribute("aria-setsize", String(line.siblings));
    if (line.branch) row.setAttribute("aria-expanded", String(line.open));
    else row.removeAttribute("aria-expanded");
    twist.textContent = line.branch ? (line.open ? "▾" : "▸") : "";
    key.textContent = line.key === "" && line.path === "" ? "" : `${line.key}:`;
    value.textContent = line.open ? (Array.isArray(line.value) ? `[${line.value.length}]` : "") : brief(line.value);
    value.dataset.kind = line.value === null ? "null" : typeof line.value;
    row.dataset.path = line.path;
    // Two names of one animation: another name starts it again.
    const time = this.#flashed.get(line.path);
    if (time === undefined || performance.now() - time > FLASH) delete row.dataset.flash;
    else if (row.cells.time !== time || row.cells.path !== line.path || row.dataset.flash === undefined) {
      row.dataset.flash = row.dataset.flash === "a" ? "b" : "a";
      row.cells.time = time;
      row.cells.path = line.path;
    }
  }

  /** @param {number} index @param {boolean} [open] */
  #toggle(index, open) {
    const line = this.#lines[index];
    if (!line?.branch) return;
    this.#chosen.set(line.path, open ?? !line.open);
    this.#build(0);
  }

  /** @param {KeyboardEvent} event @param {number} index */
  #key(event, index) {
    const line = this.#lines[index];
    if (!line) return false;
    switch (event.key) {
      case "Enter":
      case " ":
        this.#toggle(index);
        return true;
      case "ArrowRight":
        if (line.branch && !line.open) this.#toggle(index, true);
        else if (line.open) this.#go(index + 1);
        return true;
      case "ArrowLeft":
        if (line.open) this.#toggle(index, false);
        else if (line.parent >= 0) this.#go(line.parent);
        return true;
    }
    return false;
  }

  /** @param {number} index */
  #go(index) {
    this.#list.reveal(index);
    this.#list.mark(index);
  }
}
