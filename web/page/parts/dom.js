"use strict";

/**
 * The element of that id. The page's own markup holds it, so it is there.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element. Keys that begin with "on" are listeners, "text" is its text, "class" its class, true an empty
 * attribute; null, undefined and false are left out.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {any}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/**
 * Calls work at the next frame, once for any number of calls before it. A hidden page draws no frames, so there a timer
 * stands in.
 * @param {() => void} work
 * @returns {() => void}
 */
export function eachFrame(work) {
  let asked = false;
  const run = () => {
    asked = false;
    work();
  };
  return () => {
    if (asked) return;
    asked = true;
    if (document.hidden) setTimeout(run, 250);
    else requestAnimationFrame(run);
  };
}

/**
 * Gives a text to the person as a file.
 * @param {string} name
 * @param {string} text
 */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * JSON for people. It never throws.
 * @param {unknown} value
 */
export function pretty(value) {
  try {
    return JSON.stringify(value, null, 2) ?? "undefined";
  } catch (error) {
    return String(error);
  }
}
