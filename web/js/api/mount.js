"use strict";

import { report, say } from "../core/error.js";
import { kindOf } from "./input.js";
import { View } from "../view/view.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */

/** Options of the view; the others are the agent's. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** What is mounted where. @type {WeakMap<Element, {unmount(): void}>} */
const mounted = new WeakMap();

/**
 * Makes agui.mount.
 * @param {Runtime} runtime
 * @param {new (config: any) => any} HttpAgent
 * @param {(agent: any, f: (event: any) => void) => (() => void)} watch tells of the events that an agent has applied
 */
export function makeMount(runtime, HttpAgent, watch) {
  /**
   * Puts a chat into an element. Gives at once {agent, unmount, ready}; ready resolves when it is drawn.
   * @param {any} target an element or a selector
   * @param {any} [options]
   */
  function mount(target, options) {
    const given = options ?? {};
    if (typeof given !== "object") throw new TypeError(`mount: options must be an object, not ${kindOf(given)}`);
    const host = typeof target === "string" ? document.querySelector(target) : target;
    if (typeof target === "string" && host === null) throw new TypeError(`mount: no element matches ${JSON.stringify(target)}`);
    if (host?.nodeType !== 1 || typeof host.attachShadow !== "function") {
      throw new TypeError(`mount: the first argument must be an element or a selector, not ${kindOf(target)}`);
    }
    const { labels = {}, renderers = {}, theme, remoteImages = false, attach = true, maxFileBytes = MAX_FILE_BYTES } = given;
    if (given.lang !== undefined && given.lang !== null && typeof given.lang !== "string") {
      throw new TypeError(`mount: lang must be a string, not ${kindOf(given.lang)}`);
    }
    if (typeof labels !== "object" || labels === null) throw new TypeError("mount: labels must be an object");
    if (theme !== undefined && !["light", "dark", "auto"].includes(theme)) throw new TypeError('mount: theme must be "light", "dark" or "auto"');
    if (typeof maxFileBytes !== "number") throw new TypeError("mount: maxFileBytes must be a number");
    const { tools = {}, activities = {} } = renderers ?? {};
    for (const [name, f] of [...Object.entries(tools), ...Object.entries(activities)]) {
      if (typeof f !== "function") throw new TypeError(`mount: the renderer of ${JSON.stringify(name)} must be a function, not ${kindOf(f)}`);
    }
    const agent = given.agent ?? new HttpAgent(given);
    if (typeof agent?.onChange !== "function") throw new TypeError("mount: agent must be an agent of this runtime");

    mounted.get(host)?.unmount();
    if (theme !== undefined) host.dataset.theme = theme;
    const view = new View(runtime, host, agent, {
      lang: String(given.lang ?? languageOf(host)), labels: JSON.stringify(labels), tools: Object.keys(tools),
      activities: Object.keys(activities), remoteImages: Boolean(remoteImages), attach: Boolean(attach),
    }, { tools, activities }, maxFileBytes, (f) => watch(agent, f));
    const ready = view.open();
    ready.catch((thrown) => {
      report(thrown);
      apologise(host, thrown);
    });
    const handle = {
      agent, ready,
      unmount: () => {
        if (mounted.get(host) === handle) mounted.delete(host);
        view.close();
        if (given.agent === undefined) agent.dispose();
      },
    };
    mounted.set(host, handle);
    return handle;
  }

  /** Mounts what the page declares: elements with data-agui, the agent's URL. */
  function declared() {
    for (const host of document.querySelectorAll("[data-agui]")) {
      if (mounted.has(host)) continue;
      const url = host.getAttribute("data-agui");
      try {
        mount(host, url ? { url } : {});
      } catch (thrown) {
        report(thrown);
      }
    }
  }

  const { document } = globalThis;
  if (document) {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", declared, { once: true });
    else queueMicrotask(declared);
  }
  return mount;
}

/**
 * The language of the page around an element, else the browser's.
 * @param {Element} host
 */
function languageOf(host) {
  const around = host.closest("[lang]")?.getAttribute("lang");
  return around || globalThis.navigator?.language || "en";
}

/**
 * Says where the chat would be that it could not be loaded.
 * @param {HTMLElement} host
 * @param {unknown} thrown
 */
function apologise(host, thrown) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const words = host.ownerDocument.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = say(thrown);
  root.textContent = ""; // an old browser may have no replaceChildren
  root.append(words);
}
