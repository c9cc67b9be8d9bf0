"use strict";

import { guarded, report } from "../core/error.js";
import { OPTIONS, VIEW_OPTIONS } from "./known.js";

/**
 * The part "element" (agui.element.js): <agui-chat>, a chat as a custom element over agui.mount. Its attributes are the
 * options that are text, its properties all of them, its events those of the chat.
 */

/** Attributes whose names are not the option's. A boolean one is true where it is there. */
const ATTRIBUTES = {
  url: "url", theme: "theme", layout: "layout", credentials: "credentials", persist: "persist", reconnect: "reconnect",
  unanswered: "unanswered", "thread-id": "threadId", "agent-id": "agentId", "resume-run-id": "resumeRunId",
  "while-running": "whileRunning", "message-actions": "messageActions", "remote-images": "remoteImages",
  "max-file-bytes": "maxFileBytes", attach: "attach",
};
const BOOLEANS = ["messageActions", "remoteImages", "attach"];
const EVENTS = ["ready", "send", "message", "tool", "interrupt", "error", "threadchange", "openchange"];

/** @type {Record<string, string>} */
const ATTRIBUTE_OF = Object.fromEntries(Object.entries(ATTRIBUTES).map(([attribute, option]) => [option, attribute]));

/**
 * What an attribute says.
 * @param {string} option
 * @param {string} text
 */
function read(option, text) {
  if (option === "maxFileBytes") return Number(text);
  if (!BOOLEANS.includes(option)) return text;
  if (text === "false") return false;
  return option === "messageActions" && text !== "" && text !== "true" ? text.split(/\s+/).filter(Boolean) : true;
}

/**
 * Makes <agui-chat>, once.
 * @param {(host: HTMLElement, options: any) => any} mount
 * @param {new (config: any) => any} HttpAgent
 * @param {(host: HTMLElement, url: string | null) => any} markup what markup there may have; undefined: no chat
 */
export function define(mount, HttpAgent, markup) {
  if (customElements.get("agui-chat")) return;

  class Chat extends HTMLElement {
    static {
      for (const name of OPTIONS) {
        if (name === "lang") continue; // every element's own
        Object.defineProperty(this.prototype, name, {
          /** @this {Chat} */
          get() {
            return this.#get(name);
          },
          /** @this {Chat} @param {any} value */
          set(value) {
            this.#set(name, value);
          },
          enumerable: true, configurable: true,
        });
      }
    }

    static observedAttributes = [...Object.keys(ATTRIBUTES), "lang"];
    /** The options that the page set as properties and that no attribute says. @type {Record<string, any>} */
    #given = {};
    /** @type {any} */
    #handle = null;
    /** The agent that was made here. @type {any} */
    #own = null;
    /** What became different since it was mounted. @type {Set<string>} */
    #changes = new Set();
    #soon = false;

    constructor() {
      super();
      // What the page set before this class was there.
      for (const name of OPTIONS) {
        if (name === "lang" || !Object.hasOwn(this, name)) continue;
        const value = Reflect.get(this, name);
        Reflect.deleteProperty(this, name);
        this.#set(name, value);
      }
    }

    /** What agui.mount gave, while the element is in a page. */
    get mounted() {
      return this.#handle;
    }

    connectedCallback() {
      this.#later();
    }

    disconnectedCallback() {
      this.#later();
    }

    /**
     * @param {string} attribute
     * @param {string | null} before
     * @param {string | null} now
     */
    attributeChangedCallback(attribute, before, now) {
      if (before === now) return;
      const option = attribute === "lang" ? attribute : ATTRIBUTES[/** @type {keyof ATTRIBUTES} */ (attribute)];
      delete this.#given[option];
      this.#change(option);
    }

    /** @param {string} option @returns {any} */
    #get(option) {
      if (Object.hasOwn(this.#given, option)) return this.#given[option];
      if (option === "agent") return this.#handle?.agent;
      const text = this.getAttribute(ATTRIBUTE_OF[option] ?? "-");
      return text === null ? undefined : read(option, text);
    }

    /**
     * @param {string} option
     * @param {any} value
     */
    #set(option, value) {
      const attribute = ATTRIBUTE_OF[option];
      const text = typeof value === "string" || typeof value === "number" ? String(value) : value === true ? "" : null;
      if (attribute && text !== null) {
        this.setAttribute(attribute, text);
        delete this.#given[option]; // the attribute may have said so before
      } else {
        if (attribute) this.removeAttribute(attribute);
        if (value === undefined || value === null) delete this.#given[option];
        else this.#given[option] = value;
      }
      this.#change(option);
    }

    /** @param {string} option */
    #change(option) {
      this.#changes.add(option);
      this.#later();
    }

    /** Several changes are one, and an element that only moves keeps its chat. */
    #later() {
      if (this.#soon) return;
      this.#soon = true;
      queueMicrotask(() => {
        this.#soon = false;
        try {
          this.#settle();
        } catch (thrown) {
          report(thrown);
          this.dispatchEvent(new CustomEvent("error", { detail: { error: thrown } }));
        }
      });
    }

    #settle() {
      if (!this.isConnected) return this.#leave(true);
      if (this.#handle && this.#changes.size === 0) return;
      // A change of the looks alone leaves the conversation.
      const stays = [...this.#changes].every((name) => name !== "agent" && VIEW_OPTIONS.includes(name));
      this.#changes.clear();
      this.#leave(!stays);
      const allowed = markup(this, this.getAttribute("url"));
      if (!allowed) return;
      const given = { ...allowed };
      for (const option of Object.values(ATTRIBUTES)) {
        const value = this.#get(option);
        if (value !== undefined) given[option] = value;
      }
      Object.assign(given, this.#given);
      const looks = Object.entries(given).filter(([name]) => VIEW_OPTIONS.includes(name));
      const agent = given.agent ?? (this.#own ??= new HttpAgent(given));
      this.#handle = mount(this, { ...Object.fromEntries(looks), agent });
      for (const name of EVENTS) {
        this.#handle.addEventListener(name, (/** @type {any} */ { detail }) =>
          this.dispatchEvent(new CustomEvent(name, { detail })));
      }
    }

    /** @param {boolean} whole with the agent that was made here */
    #leave(whole) {
      const handle = this.#handle;
      this.#handle = null;
      if (handle) guarded(handle.unmount, handle);
      if (!whole || !this.#own) return;
      this.#own.dispose();
      this.#own = null;
    }
  }

  customElements.define("agui-chat", Chat);
}
