"use strict";

import { call, member } from "../core/dom.js";
import { guarded, report, say } from "../core/error.js";
import { kindOf } from "./input.js";
import { originOf } from "./run.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */

/** What is mounted where. @type {WeakMap<Element, {unmount(): void}>} */
const mounted = new WeakMap();

/**
 * Makes agui.mount.
 * @param {Runtime} runtime
 * @param {new (config: any) => any} HttpAgent
 * @param {(agent: any, f: (event: any) => void, brief?: boolean) => (() => void)} watch tells of the events that an
 *   agent has applied
 */
export function makeMount(runtime, HttpAgent, watch) {
  /**
   * Puts a chat into an element. Gives at once {agent, unmount, ready}; ready resolves when it is drawn. It is an
   * EventTarget: the chat's events come there.
   * @param {any} target an element or a selector
   * @param {any} [options]
   */
  const mount = (target, options) => put(target, options);

  /**
   * @param {any} target
   * @param {any} options
   * @param {EventTarget} [to] where its events go
   */
  function put(target, options, to) {
    if (!globalThis.document) throw new TypeError("mount needs a page: there is no document here (Node.js, a worker)");
    const given = options ?? {};
    if (typeof given !== "object") throw new TypeError(`mount: options must be an object, not ${kindOf(given)}`);
    const host = typeof target === "string" ? call(document, "querySelector", target) : target;
    if (typeof target === "string" && host === null) {
      if (member(document, "readyState") === "loading") {
        return later(given, new Promise((resolve) => call(document, "addEventListener", "DOMContentLoaded", () =>
          resolve((/** @type {any} */ all, /** @type {EventTarget} */ own) => put(target, all, to ?? own)),
          { once: true })));
      }
      throw new TypeError(`mount: no element matches ${JSON.stringify(target)}`);
    }
    if (host?.nodeType !== 1 || typeof host.attachShadow !== "function") {
      throw new TypeError(`mount: the first argument must be an element or a selector, not ${kindOf(target)}`);
    }
    if (!member(host.ownerDocument, "defaultView")) {
      throw new TypeError("mount: the element's document is not shown in a window");
    }
    const { labels = {}, renderers, theme, maxFileBytes = 0 } = given;
    if (typeof (given.lang ?? "") !== "string") {
      throw new TypeError(`mount: lang must be a string, not ${kindOf(given.lang)}`);
    }
    if (typeof labels !== "object" || labels === null) throw new TypeError("mount: labels must be an object");
    if (theme !== undefined && !["light", "dark", "auto"].includes(theme)) {
      throw new TypeError('mount: theme must be "light", "dark" or "auto"');
    }
    if (typeof maxFileBytes !== "number") throw new TypeError("mount: maxFileBytes must be a number");
    const { tools = {}, activities = {} } = renderers ?? {};
    for (const [name, f] of [tools, activities].flatMap(Object.entries)) {
      if (typeof f !== "function") {
        throw new TypeError(`mount: the renderer of ${JSON.stringify(name)} must be a function, not ${kindOf(f)}`);
      }
    }
    if ((given.layout ?? "fill") !== "fill") {
      return later(given, runtime.parts.load("layout").then((part) =>
        (/** @type {any} */ all, /** @type {EventTarget} */ own) => part.lay(host, all, put, to ?? own)), host);
    }
    const agent = agentOf(given);

    mounted.get(host)?.unmount();
    hold(host);
    if (theme !== undefined) host.dataset.theme = theme;
    /** @type {import("../view/view.js").View | undefined} */
    let view;
    let gone = false;
    const self = new EventTarget();
    const early = listen(agent, watch);
    runtime.load(); // the program and the part come at the same time
    const ready = runtime.parts.load("chat").then((part) => {
      if (gone) return undefined;
      view = new part.View(runtime, host, agent, given, (/** @type {any} */ f) => watch(agent, f, true), early,
        to ?? self);
      early.end();
      return /** @type {NonNullable<typeof view>} */ (view).open();
    });
    ready.catch((thrown) => {
      early.end();
      report(thrown);
      guarded(() => apologise(host, thrown), undefined);
    });
    const handle = Object.assign(self, {
      agent, ready,
      unmount: () => {
        if (mounted.get(host) === handle) mounted.delete(host);
        gone = true;
        early.end();
        view?.close();
        if (given.agent === undefined) agent.dispose();
      },
    });
    mounted.set(host, handle);
    return handle;
  }

  /** @param {any} given mount's options */
  function agentOf(given) {
    const agent = given.agent ?? new HttpAgent(given);
    if (typeof agent?.onChange !== "function") throw new TypeError("mount: agent must be an agent of this runtime");
    return agent;
  }

  /**
   * Mounts when something has come: the element, or a part.
   * @param {any} given
   * @param {Promise<(given: any, to: EventTarget) => any>} coming gives what mounts
   * @param {any} [host] undefined: the element that comes
   */
  function later(given, coming, host) {
    const agent = agentOf(given);
    mounted.get(host)?.unmount();
    let gone = false;
    /** @type {any} */
    let inner;
    const self = new EventTarget();
    const made = coming.then((make) => {
      if (!gone) inner = make({ ...given, agent }, self);
    });
    made.catch(report);
    const ready = made.then(() => inner?.ready);
    ready.catch(() => {}); // told already
    const handle = Object.assign(self, {
      agent, ready,
      show: () => void made.then(() => inner?.show?.(), () => {}),
      close: () => void made.then(() => inner?.close?.(), () => {}),
      unmount: () => {
        if (mounted.get(host) === handle) mounted.delete(host);
        gone = true;
        inner?.unmount();
        if (given.agent === undefined) agent.dispose();
      },
    });
    if (host) mounted.set(host, handle);
    return handle;
  }

  /** What the page's markup mounted, to be taken away with it. @type {Map<Element, {unmount(): void}>} */
  const declared = new Map();

  /**
   * What the markup of an element may have; undefined: no chat.
   * @param {any} host
   * @param {string | null} url
   */
  function markup(host, url) {
    const { mounts, defaults } = runtime;
    // What a renderer shows inside a chat is the agent's, whatever the page made of it.
    if (mounts === "none" || mounted.has(host) || host.closest("[slot^=agui-]")) return undefined;
    if (mounts && !host.matches(mounts)) return undefined;
    // Markup is not always the page's own: what it names gets the configured headers only where they are configured
    // for, and, where no place is, within the page's own origin.
    const away = url && originOf(url) !== originOf(defaults.url ?? location.href);
    return { ...(url ? { url } : {}), ...(away ? { headers: () => ({}) } : {}) };
  }

  /** @param {any} host an element with data-agui, the agent's URL, or <agui-chat> */
  function declare(host) {
    try {
      const own = host.localName === "agui-chat";
      const given = markup(host, host.getAttribute(own ? "url" : "data-agui"));
      if (!given) return;
      if (!own) return void declared.set(host, mount(host, { ...given, ...declaredOptions(host) }));
      if (!host.hasAttribute("layout")) hold(host);
      runtime.load();
      runtime.parts.load("chat").catch(() => {}); // mount asks again
      runtime.parts.load("element").then((part) => part.define(mount, HttpAgent, markup)).catch(report);
    } catch (thrown) {
      report(thrown);
    }
  }

  /** Mounts what the page declares, now and later, and takes away what it removes. What only moves stays. */
  function begin() {
    for (const host of call(document, "querySelectorAll", PLACES)) declare(host);
    new MutationObserver((records) => {
      for (const [host, handle] of declared) {
        if (host.isConnected) continue;
        declared.delete(host);
        guarded(handle.unmount, handle);
      }
      for (const { addedNodes } of records) {
        for (const node of /** @type {Iterable<any>} */ (addedNodes)) {
          if (node.nodeType !== 1 || !node.isConnected) continue;
          if (node.matches(PLACES)) declare(node);
          for (const host of node.querySelectorAll(PLACES)) declare(host);
        }
      }
    }).observe(document, { childList: true, subtree: true });
  }

  const { document } = globalThis;
  if (document) {
    if (member(document, "readyState") === "loading") {
      call(document, "addEventListener", "DOMContentLoaded", begin, { once: true });
    }
    else queueMicrotask(begin);
  }
  return mount;
}

/**
 * Keeps what an agent tells until the part that draws it has come.
 * @param {any} agent
 * @param {(agent: any, f: (event: any) => void, brief?: boolean) => (() => void)} watch
 */
function listen(agent, watch) {
  /** @type {{events: any[], error?: any, end(): void}} */
  const early = {
    events: [],
    end: () => {
      unwatch();
      heard.unsubscribe();
    },
  };
  const unwatch = watch(agent, (event) => early.events.push(event), true);
  const heard = agent.subscribe({
    onRunFailed: (/** @type {any} */ { error }) => {
      early.error = error;
    },
  });
  return early;
}

/** Where the page's markup wants a chat. */
const PLACES = "[data-agui],agui-chat";

/** Options of the agent that an element may declare: the attribute and the option. */
const DECLARED = {
  "data-resume-run-id": "resumeRunId", "data-unanswered": "unanswered", "data-reconnect": "reconnect",
  "data-layout": "layout", "data-persist": "persist", "data-thread": "threadId",
};

/** @param {Element} host */
function declaredOptions(host) {
  return Object.fromEntries(Object.entries(DECLARED).filter(([attribute]) => host.hasAttribute(attribute))
    .map(([attribute, option]) => [option, host.getAttribute(attribute)]));
}

/** The chat's height, from the first moment: nothing moves when it comes. As in view/style.css. */
const HEIGHT = ":host{display:block;min-block-size:20rem;block-size:var(--agui-height,36rem);max-block-size:100%;" +
  "overflow:hidden}:host([hidden]){display:none}";

/**
 * Gives an element its shadow root, in which what stands in the element is shown until the chat is drawn. Not every
 * element can have one.
 * @param {HTMLElement} host
 */
function hold(host) {
  if (host.shadowRoot) return;
  let root;
  try {
    root = host.attachShadow({ mode: "open" });
  } catch {
    throw new TypeError(
      `mount: a <${host.localName}> cannot hold a chat (or has a closed shadow root); put a <div> there`);
  }
  root.append(call(host.ownerDocument, "createElement", "slot"));
  try {
    const sheet = new (member(host.ownerDocument, "defaultView").CSSStyleSheet)();
    sheet.replaceSync(HEIGHT);
    root.adoptedStyleSheets = [sheet];
  } catch {
    // The browser is too old for the chat, which will say so.
  }
}

/**
 * Says where the chat would be that it could not be loaded.
 * @param {HTMLElement} host
 * @param {unknown} thrown
 */
function apologise(host, thrown) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const words = call(host.ownerDocument, "createElement", "p");
  words.setAttribute("role", "alert");
  words.textContent = say(thrown);
  const place = root.querySelector(".column") ?? root; // what was written stays
  place.textContent = ""; // an old browser may have no replaceChildren
  place.append(words);
}
