"use strict";

/**
 * What a page and a person do with the composer beside writing: the page reads and sets its words, ArrowUp brings back
 * what was said before.
 */
export class Composer {
  #root;
  #agent;
  /** How far back the words in the composer are from; 0: they are new. */
  #back = 0;
  #recalled = "";

  /**
   * @param {ShadowRoot} root
   * @param {any} agent
   */
  constructor(root, agent) {
    this.#root = root;
    this.#agent = agent;
  }

  get #input() {
    return /** @type {HTMLTextAreaElement | null} */ (this.#root.querySelector(".input"));
  }

  get value() {
    return this.#input?.value ?? "";
  }

  set value(words) {
    const input = this.#input;
    if (!input) return;
    input.value = String(words);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  focus() {
    this.#input?.focus();
  }

  /** Sends what is written, as Enter does. */
  submit() {
    this.#root.querySelector(".composer")?.dispatchEvent(new Event("submit", { cancelable: true, bubbles: true }));
  }

  /**
   * ArrowUp in an empty composer gives what the person said last, again what was said before, ArrowDown goes back.
   * @param {any} event a keydown
   */
  key(event) {
    const { key, target, isComposing, shiftKey, ctrlKey, altKey, metaKey } = event;
    const way = key === "ArrowUp" ? 1 : key === "ArrowDown" ? -1 : 0;
    if (way === 0 || target !== this.#input || isComposing || shiftKey || ctrlKey || altKey || metaKey) return;
    if (this.value !== (this.#back > 0 ? this.#recalled : "")) this.#back = 0;
    if (this.#back === 0 && (way < 0 || this.value !== "")) return;
    const said = this.#agent.messages.flatMap((/** @type {any} */ { role, content }) => (role !== "user" ? []
      : [content].flat().map((part) => (typeof part === "string" ? part : part?.text ?? "")).join("\n\n").trim()))
      .filter(Boolean);
    const back = Math.min(this.#back + way, said.length);
    event.preventDefault();
    if (back === this.#back) return;
    this.#back = back;
    this.#recalled = back > 0 ? said[said.length - back] : "";
    this.value = this.#recalled;
  }
}
