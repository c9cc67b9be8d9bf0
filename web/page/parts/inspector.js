"use strict";

import { byId, eachFrame, make, pretty } from "./dom.js";
import { EventsPanel, ROW } from "./events.js";
import { figures, Log } from "./log.js";
import { about, count, duration, say, size } from "./texts.js";
import { Tree } from "./tree.js";

const TABS = ["events", "state", "messages", "warnings"];
/** Messages drawn at first, and more at each press of a button. */
const MESSAGES = 100;
/** Characters of a message's JSON drawn at first. */
const LONG = 4000;

/** The inspector: what comes, what it makes, and how fast. */
export class Inspector {
  #refresh = eachFrame(() => this.#draw());
  log = new Log(this.#refresh);
  /** @type {{messages: readonly any[], state: any, stateInSync: boolean}} */
  #snapshots = { messages: [], state: {}, stateInSync: true };
  #events;
  #tree = new Tree(byId("tree"), ROW);
  #tab = "events";
  /** The tab that was open before the page itself opened another. @type {string | null} */
  #before = null;
  #paused = false;
  /** The messages that are drawn. @type {{message: any, element: any}[]} */
  #drawn = [];
  #most = MESSAGES;
  #warned = 0;
  #messagesDue = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #ticking;

  constructor() {
    this.#events = new EventsPanel(this.log);
    for (const tab of TABS) {
      byId(`tab-${tab}`).addEventListener("click", () => this.open(tab));
      byId(`tab-${tab}`).addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#arrow(event, tab));
    }
    byId("pause").addEventListener("click", () => this.#pause(!this.#paused));
    this.#draw();
  }

  /** @param {any} snapshots live: its fields are read when they are drawn */
  set snapshots(snapshots) {
    this.#snapshots = snapshots;
    this.#refresh();
  }

  /** Draws what is new, at the next frame. */
  refresh() {
    this.#refresh();
  }

  /** A new conversation begins: what was there before does not count as changed. */
  reset() {
    this.#tree.reset();
    this.#most = MESSAGES;
  }

  clear() {
    this.log.clear();
    this.#warned = 0;
    byId("warnings").replaceChildren();
    this.#refresh();
  }

  translate() {
    this.#events.translate();
    this.#warned = 0;
    byId("warnings").replaceChildren();
    this.#drawn = [];
    byId("json").replaceChildren();
    byId("pause").textContent = say(this.#paused ? "inspector.resume" : "inspector.pause");
    this.#draw();
  }

  /** @param {boolean} paused */
  #pause(paused) {
    this.#paused = paused;
    byId("pause").setAttribute("aria-pressed", String(paused));
    byId("pause").textContent = say(paused ? "inspector.resume" : "inspector.pause");
    this.#events.paused = paused;
    this.#draw();
  }

  /** Opens a tab for a while, until back() or until somebody chooses one. @param {string} tab */
  lend(tab) {
    if (this.#tab === tab) return;
    const before = this.#before ?? this.#tab;
    this.open(tab);
    this.#before = before;
  }

  /** Opens what was open before lend(). */
  back() {
    if (this.#before !== null) this.open(this.#before);
  }

  /** Opens a tab. @param {string} tab */
  open(tab) {
    this.#tab = tab;
    this.#before = null;
    for (const name of TABS) {
      byId(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
      byId(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== tab;
    }
    this.#draw();
  }

  /** @param {KeyboardEvent} event @param {string} tab */
  #arrow(event, tab) {
    const at = TABS.indexOf(tab);
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const next = TABS[(moves[event.key] + TABS.length) % TABS.length];
    this.open(next);
    byId(`tab-${next}`).focus();
  }

  #draw() {
    this.#figures();
    const { log } = this;
    put("count-events", log.events.length + log.dropped > 0 ? count(log.events.length + log.dropped) : "");
    put("count-warnings", log.warnings.length > 0 ? count(log.warnings.length) : "");
    if (this.#tab === "warnings") this.#warnings();
    // The list counts what a pause holds back, so it is asked even then.
    if (this.#tab === "events") this.#events.refresh();
    if (this.#paused) return;
    if (this.#tab === "state") this.#state();
    if (this.#tab === "messages") this.#messages();
  }

  #figures() {
    const run = this.log.current;
    byId("figures-title").textContent = run ? say("figures.title", { number: run.number }) : say("figures.none");
    const told = run && figures(run, performance.now());
    put("figure-events", told ? count(told.events) : "–");
    put("figure-rate", told && told.rate > 0 ? about(told.rate) : "–");
    put("figure-bytes", told ? size(told.bytes) : "–");
    byId("figure-bytes").title = told ? count(told.bytes) : "";
    put("figure-first", told && told.first !== null ? duration(told.first) : "–");
    put("figure-duration", told ? duration(told.duration) : "–");
    const going = run !== null && run.end === 0;
    // While nothing comes, the duration still grows.
    if (going && this.#ticking === undefined) this.#ticking = setInterval(this.#refresh, 200);
    if (!going && this.#ticking !== undefined) {
      clearInterval(this.#ticking);
      this.#ticking = undefined;
    }
  }

  #state() {
    const { state, stateInSync } = this.#snapshots;
    const empty = state === undefined ||
      (typeof state === "object" && state !== null && Object.keys(state).length === 0);
    byId("state-empty").hidden = !empty;
    byId("tree").hidden = empty;
    put("sync", empty ? "" : say(stateInSync === false ? "state.outOfSync" : "state.inSync"));
    byId("sync").dataset.ok = String(stateInSync !== false);
    if (empty) this.#tree.reset();
    else this.#tree.show(state);
  }

  /** Messages as JSON. Long texts grow often, so they are drawn at most eight times a second. */
  #messages() {
    const now = performance.now();
    if (now < this.#messagesDue) {
      setTimeout(this.#refresh, this.#messagesDue - now);
      return;
    }
    this.#messagesDue = now + 125;
    const { messages } = this.#snapshots;
    byId("json-empty").hidden = messages.length > 0;
    const from = Math.max(0, messages.length - this.#most);
    byId("earlier").hidden = from === 0;
    byId("earlier").textContent = say("messages.earlier", { count: count(Math.min(from, MESSAGES)) });
    byId("earlier").onclick = () => {
      this.#most += MESSAGES;
      this.#messagesDue = 0;
      this.#drawn = [];
      byId("json").replaceChildren();
      this.#draw();
    };
    const box = byId("json");
    for (let n = from; n < messages.length; n++) {
      const item = this.#drawn[n - from];
      const message = messages[n];
      if (item?.message === message) continue;
      const element = jsonBlock(message, item?.message?.id === message.id && item?.element.dataset.whole === "true");
      if (item) item.element.replaceWith(element);
      else box.append(element);
      this.#drawn[n - from] = { message, element };
    }
    for (const { element } of this.#drawn.splice(messages.length - from)) element.remove();
  }

  #warnings() {
    const { warnings } = this.log;
    byId("warnings-empty").hidden = warnings.length > 0;
    for (; this.#warned < warnings.length; this.#warned++) {
      const { code, message, event } = warnings[this.#warned];
      byId("warnings").append(make("li", {},
        make("p", {}, make("code", { text: code }), ` ${message}`),
        event === null ? null : make("details", {}, make("summary", { text: say("warnings.event") }),
          make("pre", { text: pretty(event), tabindex: 0 }))));
    }
  }
}

/** @param {any} message @param {boolean} whole */
function jsonBlock(message, whole) {
  const text = pretty(message);
  const pre = make("pre", { tabindex: 0, text: whole ? text : text.slice(0, LONG) });
  const element = make("li", { "data-whole": String(whole) }, pre);
  if (!whole && text.length > LONG) {
    element.append(make("button", {
      type: "button", text: say("messages.whole", { count: count(text.length) }),
      onclick: () => {
        element.dataset.whole = "true";
        element.lastChild.remove();
        pre.textContent = text;
      },
    }));
  }
  return element;
}

/** @param {string} id @param {string} text */
function put(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}
