"use strict";

import { call, member } from "../core/dom.js";
import { earlyWords, languageOf } from "./language.js";
import css from "./layout.css";

/**
 * The part "layout" (agui.layout.js): a chat that stands over the page, as a popup or a sidebar, with a button that
 * opens it. The panel is in the element's shadow root; the chat itself is mounted in a child of the element, so that
 * what the page's renderers draw stays in the page's own tree.
 */

const LAYOUTS = ["sidebar", "popup"];
const SVG = "http://www.w3.org/2000/svg";
const BUBBLE = "M21 12a8 8 0 0 1-8 8H4l2-3.5A8 8 0 1 1 21 12z";
const CROSS = "M6 6l12 12M18 6L6 18";

/**
 * Lays a chat over the page, closed.
 * @param {HTMLElement} host
 * @param {any} options mount's, with the agent
 * @param {(host: HTMLElement, options: any, to: EventTarget) => any} put mounts a chat that fills an element
 * @param {EventTarget} to where the chat's events go; "openchange" is this layout's own
 */
export function lay(host, options, put, to) {
  const { layout, theme, labels, agent } = options;
  if (!LAYOUTS.includes(layout)) throw new TypeError('mount: layout must be "fill", "sidebar" or "popup"');
  const { ownerDocument: document } = host;
  const view = /** @type {any} */ (member(document, "defaultView"));
  const words = earlyWords(languageOf(host, options.lang), labels);

  const el = (/** @type {string} */ name, /** @type {Record<string, string>} */ attributes,
    /** @type {...any} */ ...kids) => {
    const made = call(document, "createElement", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...kids);
    return made;
  };
  const icon = (/** @type {string} */ d) => {
    const svg = call(document, "createElementNS", SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = call(document, "createElementNS", SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
    return svg;
  };

  const inner = el("div", { slot: "agui-panel" });
  const unread = el("span", { class: "unread", role: "status" });
  const launcher = el("button", { class: "launcher", part: "launcher", type: "button", "aria-haspopup": "dialog" },
    icon(BUBBLE), unread);
  const shut = el("button", { class: "close", part: "close-button", type: "button", "aria-label": words.closeChat },
    icon(CROSS));
  // The focus stays in the panel: who walks over an edge comes in at the other one.
  const edges = [el("span", { tabindex: "0" }), el("span", { tabindex: "0" })];
  const panel = el("section", { class: `panel ${layout}`, part: "panel", role: "dialog", "aria-label": words.chat },
    edges[0], el("header", { part: "header" }, el("h2", { part: "title" }, words.chat), shut),
    el("slot", { name: "agui-panel" }), edges[1]);

  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const sheet = new view.CSSStyleSheet(); // a sheet is its document's alone
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.replaceChildren(panel, launcher);
  if (theme !== undefined) host.dataset.theme = theme;
  host.append(inner);

  let open = false;
  /** What had the focus before. @type {any} */
  let before = null;

  const draw = () => {
    panel.classList.toggle("open", open);
    panel.inert = !open;
    launcher.setAttribute("aria-expanded", String(open));
    launcher.setAttribute("aria-label", open ? words.closeChat : words.openChat);
  };
  const composer = () => inner.shadowRoot?.querySelector(".input");

  function show() {
    if (open) return;
    open = true;
    unread.textContent = "";
    before = member(document, "activeElement");
    draw();
    fit();
    (composer() ?? shut).focus();
    to.dispatchEvent(new CustomEvent("openchange", { detail: { open } }));
  }

  function close() {
    if (!open) return;
    open = false;
    const inside = host.contains(member(document, "activeElement"));
    draw();
    if (inside) (before?.isConnected && before !== document.body && !host.contains(before) ? before : launcher).focus();
    to.dispatchEvent(new CustomEvent("openchange", { detail: { open } }));
  }

  // A phone's keyboard covers the page and leaves its size.
  const { visualViewport } = view;
  function fit() {
    if (!open || !visualViewport) return;
    panel.style.setProperty("--height", `${visualViewport.height}px`);
    panel.style.setProperty("--top", `${visualViewport.offsetTop}px`);
  }
  visualViewport?.addEventListener("resize", fit);
  visualViewport?.addEventListener("scroll", fit);

  launcher.addEventListener("click", () => (open ? close() : show()));
  shut.addEventListener("click", close);
  edges[1].addEventListener("focus", () => shut.focus());
  edges[0].addEventListener("focus", () => {
    const all = inner.shadowRoot?.querySelectorAll(".composer :is(button:not([disabled]), .input)") ?? [];
    (all[all.length - 1] ?? shut).focus();
  });
  // Before the chat hears it: there Escape stops a run, or leaves the editing of a message.
  panel.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || event.isComposing || event.keyCode === 229) return;
    const [target] = /** @type {HTMLElement[]} */ (event.composedPath());
    if (target.dataset?.rewrite || (agent.isRunning && target === composer())) return;
    event.preventDefault();
    close();
  }, true);

  const news = () => {
    if (!open) unread.textContent = words.newMessages;
  };
  const said = (/** @type {any} */ { detail }) => {
    if (detail.message.role === "assistant") news();
  };
  to.addEventListener("message", said);
  to.addEventListener("interrupt", news);

  draw();
  const chat = put(inner, { ...options, layout: undefined }, to);
  return {
    ready: chat.ready, show, close,
    unmount: () => {
      chat.unmount();
      to.removeEventListener("message", said);
      to.removeEventListener("interrupt", news);
      visualViewport?.removeEventListener("resize", fit);
      visualViewport?.removeEventListener("scroll", fit);
      inner.remove();
      root.replaceChildren();
      root.adoptedStyleSheets = [];
    },
  };
}
