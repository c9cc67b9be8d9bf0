"use strict";

/**
 * Reads the start of a JSON object, as far as it goes: what is unfinished at its end is left out, an unfinished string is
 * taken as far as it came. Nothing usable gives {}. One pass and no recursion; meant to be called when somebody asks.
 * @param {string} text
 * @returns {Record<string, any>}
 */
export function partialObject(text) {
  const whole = finish(text);
  if (whole === "") return {};
  try {
    const value = JSON.parse(whole);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Cuts text after the last value that can stand and closes what is open there.
 * @param {string} text
 */
function finish(text) {
  /** The closing brackets of what is open, innermost last. @type {string[]} */
  const open = [];
  /** Where the text may be cut. Each bracket moves it, so what is open at the end was open there. */
  let cut = 0;
  /** The next string in the innermost object is a key. */
  let key = false;
  let i = 0;
  while (i < text.length) {
    const c = text[i];
    if (c === "{" || c === "[") {
      open.unshift(c === "{" ? "}" : "]");
      key = c === "{";
      cut = ++i;
    } else if (c === "}" || c === "]") {
      open.shift();
      cut = ++i;
      if (open.length === 0) break;
      key = false;
    } else if (c === ",") {
      key = open[0] === "}";
      i++;
    } else if (c === '"') {
      const end = stringEnd(text, i);
      if (end < 0) {
        if (key) break;
        return text.slice(0, whole(text, i)) + '"' + open.join("");
      }
      i = end;
      if (!key) cut = i;
    } else if (c === ":") {
      key = false;
      i++;
    } else if (c === " " || c === "\n" || c === "\r" || c === "\t") {
      i++;
    } else {
      const from = i;
      while (i < text.length && !',]} \n\r\t'.includes(text[i])) i++;
      // A number or a word at the end may go on: it counts only where something follows.
      if (i < text.length && i > from) cut = i;
    }
  }
  return cut === 0 ? "" : text.slice(0, cut) + open.join("");
}

/**
 * The index after a string's closing quote, or -1.
 * @param {string} text
 * @param {number} at its opening quote
 */
function stringEnd(text, at) {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return -1;
}

/**
 * Where an unfinished string may be cut: before an escape that is not whole.
 * @param {string} text
 * @param {number} at
 */
function whole(text, at) {
  let i = at + 1;
  while (i < text.length) {
    const length = text[i] !== "\\" ? 1 : text[i + 1] === "u" ? 6 : 2;
    if (i + length > text.length) return i;
    i += length;
  }
  return i;
}
