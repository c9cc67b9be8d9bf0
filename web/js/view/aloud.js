"use strict";

/**
 * Reading an answer aloud, by the browser's own voice: one at a time on a page.
 */

/** What is read now, and how its button gets its word back. @type {{button: HTMLElement, over(): void} | null} */
let now = null;

/**
 * Reads the message of a button, and the agent's before it; the same button stops it.
 * @param {HTMLElement} button
 * @param {string} lang
 * @param {Record<string, string>} words
 */
export function readAloud(button, lang, { readAloud: read, stopReading: stop }) {
  const synthesis = globalThis.speechSynthesis;
  const mine = now?.button === button;
  now?.over();
  synthesis.cancel();
  if (mine) return;
  const pieces = textsOf(button);
  const over = () => {
    if (now?.over === over) now = null;
    button.textContent = read;
  };
  if (pieces.length === 0) return;
  now = { button, over };
  button.textContent = stop;
  // A piece for each block: a voice may stop in the middle of a long one.
  for (const [i, text] of pieces.entries()) {
    const said = new SpeechSynthesisUtterance(text);
    said.lang = /\p{Script=Han}/u.test(text) ? "zh-CN" : lang;
    said.onerror = over;
    if (i === pieces.length - 1) said.onend = over;
    synthesis.speak(said);
  }
}

/** Stops what a chat reads. @param {Node} root */
export function hush(root) {
  if (!now || !root.contains(now.button)) return;
  now.over();
  globalThis.speechSynthesis.cancel();
}

/**
 * The texts of a message as they are shown, code left out.
 * @param {HTMLElement} button
 */
function textsOf(button) {
  const texts = [];
  for (let el = button.closest(".msg"); el?.matches(".assistant"); el = el.previousElementSibling) {
    texts.unshift(...[...el.querySelectorAll(":scope > .md > :not(.code, .drawn)")]
      .map((block) => /** @type {HTMLElement} */ (block).innerText.trim()));
  }
  return texts.filter(Boolean);
}
