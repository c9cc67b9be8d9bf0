"use strict";

import { call } from "../core/dom.js";
import { earlyWords } from "./language.js";
import css from "./style.css";

/**
 * The chat before the program has come: its frame, with a composer that takes words at once. It has the very elements
 * that the program draws first (wasm/view/ui/frame.go, Root), so that the program takes them over as they are: the
 * words, the caret, the focus and an input method's composition stay.
 */

/** @typedef {import("./looks.js").Looks} Looks */

/** The sheet of each document: the chats in it share one. @type {WeakMap<Document, CSSStyleSheet>} */
const sheets = new WeakMap();

/** Gives a shadow root the chat's styles. @param {ShadowRoot} root */
export function dress(root) {
  const { ownerDocument: document } = root;
  let sheet = sheets.get(document);
  if (!sheet) {
    const view = /** @type {any} */ (Reflect.get(Document.prototype, "defaultView", document));
    const made = (sheet = /** @type {CSSStyleSheet} */ (new view.CSSStyleSheet())); // a sheet is its document's alone
    made.replaceSync(css);
    sheets.set(document, made);
  }
  root.adoptedStyleSheets = [sheet];
}

/** How many messages get a shape. */
const SHAPES = 6;

/**
 * Draws it. Gives what ends it: the program takes over, or there will be none.
 * @param {ShadowRoot} root
 * @param {Looks} looks
 * @param {readonly any[]} messages those that are there already
 * @param {(words: string) => void} send
 * @returns {() => void}
 */
export function drawEarly(root, looks, messages, send) {
  const { ownerDocument: document } = root;
  const words = earlyWords(looks.lang, JSON.parse(looks.labels));
  /**
   * @param {string} name
   * @param {string} className
   * @param {Record<string, string>} attributes
   * @param {...(Element | string)} kids
   */
  const el = (name, className, attributes, ...kids) => {
    const made = call(document, "createElement", name);
    if (className) made.className = className;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...kids);
    return made;
  };
  const shapes = messages.filter(({ role }) => role === "user" || role === "assistant").slice(-SHAPES)
    .map(({ role }) => el("div", `shape ${role}`, { "aria-hidden": "true" }));
  const list = el("div", "list", { part: "messages" }, ...shapes);
  const empty = el("p", "empty", { part: "empty" }, words.empty);
  const slot = (/** @type {string} */ name) => el("slot", "", { name });
  const column = el("div", "column", {}, el("div", "start", {}, slot("before")), ...(shapes.length > 0 ? [] : [empty]),
    list, el("div", "after", {}, slot("after")));
  const log = el("div", "log", {
    part: "log", tabindex: "0", role: "log", "aria-live": "off", "aria-label": words.conversation, "aria-busy": "true",
  }, column);
  const input = el("textarea", "input", {
    part: "input", rows: "1", dir: "auto", enterkeyhint: "send", placeholder: words.placeholder,
    "aria-label": words.message,
  });
  const button = el("button", "send", {
    type: "button", "data-do": "send", part: "button send-button", disabled: "",
  }, words.send);
  const box = el("div", "box", {}, input, el("div", "tools", {}), button);
  const form = el("form", "composer", { part: "composer" }, box);
  if (looks.attach) {
    box.prepend(el("button", "icon attach", {
      type: "button", "data-do": "attach", part: "attach-button", "aria-label": words.attach, title: words.attach,
      disabled: "",
    }, "+"));
    form.append(el("input", "picker", {
      type: "file", multiple: "", hidden: "", tabindex: "-1", "aria-hidden": "true",
    }));
  }
  const chat = el("div", "chat", { part: "chat", role: "region", "aria-label": words.chat, lang: looks.lang },
    el("div", "head", {}), log, el("div", "jump-place", {}), form, el("div", "foot", {}),
    el("div", "live", { role: "status", "aria-live": "polite", "aria-atomic": "false" }));

  const written = () => {
    button.disabled = input.value.trim() === "";
  };
  const submit = () => {
    const said = input.value;
    if (said.trim() === "") return;
    input.value = "";
    written();
    empty.remove();
    list.append(el("article", "msg user", { part: "message user-message", "aria-label": words.you },
      el("div", "bubble", { part: "user-bubble" }, el("div", "plain", { dir: "auto" }, said))));
    log.scrollTop = log.scrollHeight;
    send(said);
    input.focus({ preventScroll: true });
  };
  /**
   * As the program does (wasm/view/events_js.go, key): never at an Enter that confirms a composition.
   * @param {any} e
   */
  const key = (e) => {
    const { key: name, isComposing, keyCode, shiftKey, ctrlKey, altKey, metaKey } = e;
    if (name !== "Enter" || isComposing || keyCode === 229 || shiftKey || ctrlKey || altKey || metaKey) return;
    e.preventDefault();
    submit();
  };
  const halt = (/** @type {Event} */ e) => {
    e.preventDefault();
    submit();
  };
  input.addEventListener("input", written);
  input.addEventListener("keydown", key);
  button.addEventListener("click", submit);
  form.addEventListener("submit", halt);
  root.replaceChildren(chat);
  log.scrollTop = log.scrollHeight;
  return () => {
    input.removeEventListener("input", written);
    input.removeEventListener("keydown", key);
    button.removeEventListener("click", submit);
    form.removeEventListener("submit", halt);
  };
}
