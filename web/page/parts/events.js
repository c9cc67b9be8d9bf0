"use strict";

import { byId, make, pretty } from "./dom.js";
import { count, duration, say, size } from "./texts.js";
import { VirtualList } from "./virtual.js";

/** @typedef {import("./log.js").Log} Log */

/** The height of a row, as in page.css. */
export const ROW = 26;

/** A number column never gets wider than this preview is long. */
const PREVIEW = 160;

const encoder = new TextEncoder();

/** The list of events: filter by type, the raw event of the chosen row. */
export class EventsPanel {
  #log;
  #list;
  /** Types that are not shown. @type {Set<string>} */
  #hidden = new Set();
  /** The indices shown, when types are hidden. @type {number[]} */
  #shown = [];
  /** How far the events were looked at for #shown. */
  #looked = 0;
  #dropped = 0;
  /** How many events the list shows at most: those before the pause. */
  #limit = Infinity;
  /** The types that have a box already. @type {Map<string, {box: HTMLInputElement, tally: HTMLElement}>} */
  #boxes = new Map();
  /** The event that is shown in full. @type {any} */
  #open = null;

  /** @param {Log} log */
  constructor(log) {
    this.#log = log;
    this.#list = new VirtualList(byId("events"), {
      rowHeight: ROW, itemRole: "option",
      draw: (row, index) => this.#draw(row, index),
      choose: (index) => this.#show(index),
      key: (event) => event.key === "Escape" && this.#close(),
    });
    this.#list.follow = true;
    byId("raw-close").addEventListener("click", () => {
      this.#close();
      byId("events").focus();
    });
    byId("raw-copy").addEventListener("click", async () => {
      await navigator.clipboard?.writeText(pretty(this.#open)).catch(() => {});
      byId("raw-copy").textContent = say("events.copied");
      setTimeout(() => (byId("raw-copy").textContent = say("events.copy")), 1500);
    });
    const filter = /** @type {HTMLDetailsElement} */ (byId("filter"));
    filter.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !filter.open) return;
      filter.open = false;
      byId("filter-title").focus();
    });
    document.addEventListener("click", (event) => {
      if (!filter.contains(/** @type {Node} */ (event.target))) filter.open = false;
    });
    byId("types-all").addEventListener("click", () => this.#hide([]));
    byId("types-none").addEventListener("click", () => this.#hide([...this.#log.types.keys()]));
  }

  /** @param {boolean} paused */
  set paused(paused) {
    this.#limit = paused ? this.#log.events.length + this.#log.dropped : Infinity;
    this.refresh();
  }

  /** Draws what is new. */
  refresh() {
    const log = this.#log;
    if (log.dropped !== this.#dropped || this.#looked > log.events.length) this.#reset();
    const length = Math.min(log.events.length, Math.max(0, this.#limit - log.dropped));
    for (; this.#looked < length; this.#looked++) {
      if (this.#hidden.size > 0 && !this.#hidden.has(log.events[this.#looked].type)) this.#shown.push(this.#looked);
    }
    this.#list.refresh(this.#hidden.size > 0 ? this.#shown.length : length);
    byId("events-empty").hidden = length > 0;
    byId("events").hidden = length === 0;
    const waiting = log.events.length - length;
    byId("waiting").textContent = waiting > 0 ? say("events.new", { count: count(waiting) }) : "";
    this.#tally();
  }

  /** Draws everything anew, in the page's language. */
  translate() {
    this.#tally();
    this.#list.refresh(this.#list.count, true);
    if (this.#open) byId("raw-title").textContent = say("events.raw", { number: count(this.#number) });
  }

  #number = 0;

  #reset() {
    this.#shown = [];
    this.#looked = 0;
    this.#dropped = this.#log.dropped;
    this.#list.chosen = -1;
    if (this.#log.events.length === 0) {
      this.#close();
      this.#limit = Number.isFinite(this.#limit) ? 0 : Infinity;
      this.#list.follow = true;
      for (const { box } of this.#boxes.values()) box.closest("label")?.remove();
      this.#boxes.clear();
    }
    this.#list.refresh(0, true);
  }

  /** @param {string[]} types */
  #hide(types) {
    this.#hidden = new Set(types);
    for (const [type, { box }] of this.#boxes) box.checked = !this.#hidden.has(type);
    this.#reset();
    this.refresh();
  }

  /** Keeps the boxes of the filter up to date. */
  #tally() {
    const { types } = this.#log;
    for (const [type, number] of types) {
      let entry = this.#boxes.get(type);
      if (!entry) {
        const box = make("input", { type: "checkbox", onchange: () => this.#toggle(type, box.checked) });
        box.checked = !this.#hidden.has(type);
        const tally = make("span", { class: "tally" });
        entry = { box, tally };
        this.#boxes.set(type, entry);
        byId("types").append(make("label", { "data-family": family(type) }, box, make("span", { text: type }), tally));
      }
      const text = count(number);
      if (entry.tally.textContent !== text) entry.tally.textContent = text;
    }
    const hidden = [...types.keys()].filter((type) => this.#hidden.has(type)).length;
    const title = hidden === 0 ? say("events.filter") : say("events.filterSome", {
      shown: types.size - hidden, all: types.size,
    });
    if (byId("filter-title").textContent !== title) byId("filter-title").textContent = title;
  }

  /** @param {string} type @param {boolean} visible */
  #toggle(type, visible) {
    const hidden = new Set(this.#hidden);
    if (visible) hidden.delete(type);
    else hidden.add(type);
    this.#hide([...hidden]);
  }

  /** The index into the log of a row. @param {number} row */
  #index(row) {
    return this.#hidden.size > 0 ? this.#shown[row] : row;
  }

  /** @param {import("./virtual.js").Row} row @param {number} at */
  #draw(row, at) {
    const index = this.#index(at);
    const event = this.#log.events[index];
    if (!row.cells) {
      row.cells = ["time", "type", "preview", "size"].map((name) => make("span", { class: name }));
      row.append(...row.cells);
    }
    const [time, type, preview, weight] = row.cells;
    row.dataset.family = family(event.type);
    time.textContent = stamp(this.#log.times[index]);
    type.textContent = event.type;
    preview.textContent = summary(event);
    weight.textContent = size(weigh(event));
  }

  /** @param {number} at */
  #show(at) {
    const index = this.#index(at);
    this.#open = this.#log.events[index];
    this.#number = index + 1 + this.#log.dropped;
    byId("raw-title").textContent = say("events.raw", { number: count(this.#number) });
    byId("raw-text").textContent = pretty(this.#open);
    byId("raw").hidden = false;
    // The list has become shorter: the row must stay in sight.
    requestAnimationFrame(() => this.#list.reveal(at));
  }

  #close() {
    if (byId("raw").hidden) return false;
    byId("raw").hidden = true;
    this.#open = null;
    return true;
  }
}

/** The bytes of an event, as JSON without spaces. @param {any} event */
export function weigh(event) {
  return encoder.encode(JSON.stringify(event)).length;
}

/** @param {number} ms */
function stamp(ms) {
  return ms < 100_000 ? `+${(ms / 1000).toFixed(3)}` : `+${duration(ms)}`;
}

/** The kind of thing that a type is about. It gives a row its colour. @param {string} type */
export function family(type) {
  const [name] = /^(RUN|STEP|TEXT|TOOL|STATE|MESSAGES|ACTIVITY|REASONING|THINKING|SUBAGENT)_/.exec(type) ?? ["OTHER_"];
  return name.slice(0, -1).toLowerCase();
}

/**
 * What an event says, in a line.
 * @param {any} event
 */
function summary(event) {
  const told = event.delta ?? event.patch ?? event.content ?? event.snapshot ?? event.messages ?? event.toolCallName ??
    event.stepName ??
    event.message ?? event.name ?? event.outcome ?? event.result ?? event.encryptedValue ?? event.event ??
    event.value ??
    event.messageId ?? event.toolCallId ?? event.subagentRunId ?? event.runId ?? "";
  return brief(told);
}

/**
 * A value in a line, cut short. Large values are not turned into text as a whole.
 * @param {any} value
 */
export function brief(value) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, PREVIEW)) + (value.length > PREVIEW ? "…" : "");
  if (typeof value !== "object" || value === null) return String(value);
  const list = Array.isArray(value);
  const keys = list ? value.slice(0, 8) : Object.keys(value).slice(0, 8);
  const parts = keys.map((/** @type {any} */ key) => {
    const child = list ? key : value[key];
    const text = typeof child === "object" && child !== null
      ? (Array.isArray(child) ? `[${child.length}]` : shallow(child))
      : typeof child === "string" ? JSON.stringify(child.length > 40 ? `${child.slice(0, 40)}…` : child)
      : String(child);
    return list ? text : `${key}: ${text}`;
  });
  const all = list ? value.length : Object.keys(value).length;
  if (all > parts.length) parts.push("…");
  const text = parts.join(", ");
  return (list ? `[${text}]` : `{${text}}`).slice(0, PREVIEW * 2);
}

/** @param {object} value */
function shallow(value) {
  const parts = Object.entries(value).slice(0, 4).map(([key, child]) =>
    `${key}: ${typeof child === "object" && child !== null ? "…" : typeof child === "string" ? JSON.stringify(child.slice(0, 30)) : String(child)}`);
  return `{${parts.join(", ")}}`;
}
