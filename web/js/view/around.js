"use strict";

import { call, member } from "../core/dom.js";
import { guarded, report } from "../core/error.js";
import css from "./around.css";
import { keepDraft } from "./draft.js";
import { wordsFor } from "./words.js";

/**
 * The part "around" (agui.around.js): what stands around the conversation where the page wants it: a welcome,
 * suggestions, who answers, a disclaimer. It draws into the places that the program leaves empty
 * (wasm/view/ui/frame.go).
 */

/**
 * @typedef {object} Place what a chat gives its parts
 * @property {ShadowRoot} root
 * @property {HTMLElement} host
 * @property {any} agent
 * @property {any} given mount's options
 * @property {string} lang
 * @property {import("./composer.js").Composer} composer
 * @property {(content: any) => void} send
 */

/** How near to its end the conversation is looked at as standing there, in px. */
const NEAR = 48;

export class Around {
  #place;
  #words;
  /** @type {(() => void)[]} */
  #ends = [];
  /** The value of the last CUSTOM event with suggestions. @type {any} */
  #told;
  /** What the function was asked about. @type {readonly any[] | undefined} */
  #asked;
  /** @type {any} */
  #answer;
  #shown = "";
  /** @type {ReturnType<typeof keepDraft> | undefined} */
  #draft;
  /** @type {HTMLElement | undefined} */
  #welcome;
  /** @type {HTMLElement | undefined} */
  #foot;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
    const { root, host, agent, given, lang } = place;
    const { welcome, suggestions, disclaimer, assistant } = given;
    this.#words = wordsFor(lang, given.labels);
    const { CSSStyleSheet } = member(host.ownerDocument, "defaultView");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css + faceOf(assistant, host.baseURI));
    root.adoptedStyleSheets.push(sheet);
    if (welcome?.nodeType === 1) {
      const slot = this.#el("slot", "", { name: "agui-welcome" });
      this.#welcome = this.#el("div", "welcome", { part: "welcome" }, slot);
      const before = welcome.slot;
      welcome.slot = "agui-welcome";
      host.append(welcome);
      this.#ends.push(() => {
        welcome.remove();
        welcome.slot = before;
      });
    }
    if (disclaimer) {
      this.#foot = this.#el("p", "disclaimer", { part: "disclaimer", dir: "auto" }, disclaimer);
    }
    if (given.draft) this.#draft = keepDraft(place);
    if (typeof suggestions?.event === "string") {
      const heard = agent.subscribe({
        onCustomEvent: (/** @type {any} */ { event }) => {
          if (event.name === suggestions.event) this.#told = event.value;
        },
        onRunStartedEvent: () => {
          this.#told = undefined;
        },
      });
      this.#ends.push(() => heard.unsubscribe());
    }
    this.changed();
  }

  /**
   * @param {string} name
   * @param {string} className
   * @param {Record<string, string>} attributes
   * @param {...(Node | string)} kids
   */
  #el(name, className, attributes, ...kids) {
    const made = call(this.#place.host.ownerDocument, "createElement", name);
    if (className) made.className = className;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...kids);
    return made;
  }

  /** The agent changed, or the program drew everything anew. */
  changed() {
    const { root, agent } = this.#place;
    const start = root.querySelector(".start");
    const foot = root.querySelector(".foot");
    if (!start || !foot) return;
    const begins = !agent.messages.some((/** @type {any} */ { role }) => role === "user" || role === "assistant");
    if (this.#welcome && begins !== this.#welcome.isConnected) {
      if (begins) start.append(this.#welcome);
      else this.#welcome.remove();
    }
    if (this.#foot && this.#foot.parentNode !== foot) foot.append(this.#foot);
    this.#suggest(begins);
    this.#draft?.save(); // what was sent is no draft
  }

  /** @param {boolean} begins */
  #suggest(begins) {
    const { agent, given: { suggestions } } = this.#place;
    let list = suggestions;
    if (agent.isRunning || agent.pendingInterrupts.length > 0) list = [];
    else if (Array.isArray(list)) list = begins ? list : [];
    else if (typeof list === "function") list = this.#ask(list);
    else if (typeof list?.state === "string") list = at(agent.state, list.state);
    else list = this.#told;
    this.#show(Array.isArray(list) ? list : []);
  }

  /**
   * What the page's function gives, asked once for each state of the conversation.
   * @param {(conversation: any) => any} f
   */
  #ask(f) {
    const { agent } = this.#place;
    const { messages, state, threadId } = agent;
    if (messages === this.#asked) return this.#answer;
    this.#asked = messages;
    this.#answer = [];
    Promise.resolve(guarded(f, undefined, { messages, state, threadId })).then((answer) => {
      if (this.#asked !== messages) return;
      this.#answer = answer;
      this.changed();
    }, report);
    return this.#answer;
  }

  /** @param {any[]} list */
  #show(list) {
    const { root, send } = this.#place;
    const after = root.querySelector(".after");
    const there = after?.querySelector(".suggestions");
    const texts = list.map((each) => (typeof each === "string" ? { label: each, message: each } : each))
      .filter((each) => typeof each?.label === "string" && each.label !== "");
    const key = JSON.stringify(texts);
    if (!after || (key === this.#shown && Boolean(there) === texts.length > 0)) return;
    this.#shown = key;
    const log = /** @type {HTMLElement} */ (root.querySelector(".log"));
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
    const focused = there?.contains(root.activeElement);
    there?.remove();
    if (texts.length > 0) {
      after.prepend(this.#el("div", "suggestions", {
        part: "suggestions", role: "group", "aria-label": this.#words("suggestions"),
      }, ...texts.map(({ label, message }) => {
        const button = this.#el("button", "suggestion", {
          type: "button", part: "button suggestion", dir: "auto",
        }, label);
        button.addEventListener("click", () => send(message ?? label));
        return button;
      })));
    }
    if (atEnd) log.scrollTop = log.scrollHeight;
    if (focused) /** @type {HTMLElement | null} */ (root.querySelector(".input"))?.focus({ preventScroll: true });
  }

  close() {
    this.#draft?.end();
    for (const end of this.#ends.splice(0)) guarded(end, undefined);
  }
}

/**
 * What a JSON Pointer leads to; undefined: nothing.
 * @param {any} value
 * @param {string} pointer
 */
function at(value, pointer) {
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/**
 * The styles that show who answers: a picture and a name, once above each run of the agent's messages.
 * @param {any} assistant
 * @param {string} base
 */
function faceOf({ name, avatar } = /** @type {any} */ ({}), base) {
  const text = (/** @type {string} */ s) =>
    `"${s.replace(/[\\"\n\r\f\0]/g, (c) => `\\${c.charCodeAt(0).toString(16)} `)}"`;
  const first = (/** @type {string} */ rest) =>
    `.list > .assistant:not(.void):is(:first-child, .user + *, .void + *)${rest}`;
  let rules = "";
  if (name) {
    rules += `${first(":not(:has(> .who))::before")}{content:${text(name)} / "";display:block;font-size:.8125rem;` +
      "color:var(--soft)}";
  }
  const url = avatar && new URL(avatar, base);
  if (url && /^(?:https?|data|blob):$/.test(url.protocol)) {
    rules += ".list > .assistant{padding-inline-start:2.5rem;position:relative}" +
      `${first("::after")}{content:"" / "";position:absolute;inset-block-start:0;inset-inline-start:0;margin:0;` +
      `inline-size:1.75rem;block-size:1.75rem;border-radius:50%;background:url(${text(url.href)}) center/cover}`;
  }
  return rules;
}
