"use strict";

import { IDLE } from "./connection.js";
import { guarded } from "./error.js";
import { live } from "./live.js";

/** @typedef {import("./instance.js").Instance} Instance */
/** @typedef {import("./instance.js").RunRecord} RunRecord */

/**
 * The part "line" (agui.line.js): the line of a run that may have several connections: the timers, and what the page
 * hears of itself. Go judges (state/rejoin) and says by `update` how the line stands; this acts.
 */

/** @typedef {import("./connection.js").Connection} Connection */

/** The open lines of the page. @type {Set<Line>} */
const lines = new Set();
/** Takes the listeners away. @type {(() => void) | null} */
let deafen = null;

export class Line {
  #instance;
  #id;
  #record;
  #transfer;
  #page;
  #renew;
  #told;
  #fail;
  /** The page's own dialect. @type {any} */
  #adapter;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #clock;
  #pace = 0;
  #state = "idle";
  #closed = false;
  /** Are to be told where the run stands. @type {((text: string) => void)[]} */
  #asked = [];

  /**
   * @param {Instance} instance
   * @param {number} id
   * @param {RunRecord} record
   * @param {object} how
   * @param {() => import("./transfer.js").Transfer} how.transfer makes one for another connection
   * @param {import("./request.js").Page} how.page what the page says of its requests
   * @param {any} [how.adapter] the page's own dialect
   * @param {() => Promise<[string, string][]>} how.renew the headers of another request
   * @param {(connection: Connection) => void} how.told hears of each change
   * @param {(thrown: unknown) => void} how.fail ends the run
   */
  constructor(instance, id, record, { transfer, page, adapter, renew, told, fail }) {
    this.#instance = instance;
    this.#id = id;
    this.#record = record;
    this.#transfer = transfer;
    this.#page = page;
    this.#adapter = adapter;
    this.#renew = renew;
    this.#told = told;
    this.#fail = fail;
    lines.add(this);
    deafen ??= listen();
    live.callbacks++;
  }

  /**
   * Takes how the line stands. Go is on the stack.
   * @param {string} text
   */
  update(text) {
    if (this.#closed) return;
    if (!text.startsWith('{"state"')) {
      for (const f of this.#asked.splice(0)) f(text);
      return;
    }
    const { pace, wait, offline: _offline, ...rest } = JSON.parse(text);
    const { transfer } = this.#record;
    this.#state = rest.state;
    this.#beat(pace);
    clearTimeout(this.#timer);
    if (typeof wait === "number") this.#timer = setTimeout(() => this.#go(), wait);
    queueMicrotask(() => {
      if (wait !== undefined && !this.#closed) transfer.stop();
      guarded(this.#told, undefined, Object.freeze({
        ...rest, nextAt: typeof wait === "number" ? performance.now() + wait : null,
      }));
    });
  }

  /** Says what is so from the start. */
  begin() {
    if (globalThis.document?.visibilityState === "hidden") this.say("hidden");
    if (globalThis.navigator?.onLine === false) this.say("offline");
  }

  /** Begins another connection. */
  async #go() {
    try {
      const headers = await this.#renew();
      if (this.#closed) return;
      this.#record.transfer.stop();
      this.#record.transfer = this.#transfer();
      this.#record.transfer.wait();
      const request = this.#instance.leg(this.#id, headers);
      if (request) await this.#record.transfer.fetch(request, this.#page);
    } catch (thrown) {
      if (!this.#closed) this.#fail(thrown);
    }
  }

  /**
   * Tells Go what happened.
   * @param {string} what
   */
  say(what) {
    if (!this.#closed) this.#record.transfer.flags(this.#instance.line(this.#id, what));
  }

  /** The body of the run's first request. @returns {string} */
  get body() {
    return this.#instance.call("line", this.#id, "body") ?? "";
  }

  /**
   * Asks where the run stands.
   * @param {(text: string) => void} f gets what Go can go on from, as JSON, or ""; at that moment all that Go has
   *   applied
   *   by then is delivered, and nothing more. At once, or when the event is applied that is being asked about
   */
  ask(f) {
    const said = this.#closed ? "" : this.#instance.call("line", this.#id, "at");
    if (typeof said === "string") f(said);
    else this.#asked.push(f);
  }

  /** The request that stops the run on its server, as JSON. @returns {string | null} */
  get stopping() {
    return this.#closed ? null : this.#instance.call("line", this.#id, "stop");
  }

  /**
   * Calls a function of the page's adapter for Go: what it throws must not go through Go's frames.
   * @param {string} name
   * @param {string[]} args a cursor's and compare's; the others have one, a context as JSON
   * @returns {string} what it gave, "" is nothing
   */
  adapt(name, args) {
    const plain = name === "cursor" || name === "compare";
    const given = guarded(() => this.#adapter[name](...(plain ? args : [JSON.parse(args[0])])), undefined);
    if (plain) return typeof given === "string" || typeof given === "number" ? String(given) : "";
    return guarded(() => JSON.stringify(given), undefined) ?? "";
  }

  /** @param {number} pace */
  #beat(pace) {
    if (pace === this.#pace) return;
    this.#pace = pace;
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.say("tick"), pace);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#clock);
    live.callbacks--;
    lines.delete(this);
    for (const f of this.#asked) f("");
    if (this.#state !== "idle" && this.#state !== "lost") {
      queueMicrotask(() => void guarded(this.#told, undefined, IDLE));
    }
    if (lines.size > 0) return;
    deafen?.();
    deafen = null;
  }
}

/**
 * Says what an adapter of the page's has.
 * @param {any} adapter
 */
export function describe(adapter) {
  const has = ["cursor", "compare", "attach", "load", "stop"].filter((name) => typeof adapter[name] === "function");
  return { shape: adapter.shape, has };
}

/** @param {string} what */
function all(what) {
  for (const line of [...lines]) line.say(what);
}

/** Hears what the page hears of itself: whether it is seen, and whether there is a network. */
function listen() {
  const { document } = globalThis;
  const seen = () => all(document?.visibilityState === "hidden" ? "hidden" : "visible");
  /** @type {[EventTarget | undefined, string, (event: any) => void][]} */
  const heard = [
    [document, "visibilitychange", seen],
    [document, "freeze", () => all("hidden")],
    [document, "resume", seen],
    [globalThis, "online", () => all("online")],
    [globalThis, "offline", () => all("offline")],
    [globalThis, "pageshow", (event) => all(event.persisted ? "restored" : "visible")],
  ];
  for (const [target, type, f] of heard) target?.addEventListener?.(type, f);
  return () => {
    for (const [target, type, f] of heard) target?.removeEventListener?.(type, f);
  };
}

export { offer } from "../agent/join.js";
