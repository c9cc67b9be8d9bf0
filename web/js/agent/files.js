"use strict";

/**
 * What a person sends: words, files, or parts of both, made into the content of a user's message.
 */

/**
 * @param {unknown} given a string, a File or Blob, a content part, or an array of these
 * @param {() => Promise<typeof import("./runs.js")>} part gives what reads files
 * @param {string} [method] whose argument it is
 * @returns {string | any[] | Promise<any[]>} a promise only where files have to be read
 */
export function contentOf(given, part, method = "send") {
  if (typeof given === "string") return given;
  const list = Array.isArray(given) ? given : [given];
  if (list.length === 0) throw new TypeError(`${method}: there is nothing to send`);
  for (const [i, item] of list.entries()) {
    if (typeof item === "string" || isBlob(item)) continue;
    if (typeof item !== "object" || item === null || typeof item.type !== "string") {
      throw new TypeError(`${method}: item ${i} must be a string, a File, a Blob or a content part`);
    }
  }
  const parts = list.map((item) => (typeof item === "string" ? { type: "text", text: item } : item));
  if (!list.some(isBlob)) return parts;
  return part().then(({ filePart }) => Promise.all(parts.map((item) => (isBlob(item) ? filePart(item) : item))));
}

/**
 * Whether something that contentOf took is a content part of the caller's.
 * @param {any} item
 */
export function isPart(item) {
  return typeof item !== "string" && !isBlob(item);
}

/**
 * @param {any} value
 * @returns {value is Blob}
 */
function isBlob(value) {
  // By shape, not by class: a file of another window's is one too.
  return typeof value === "object" && value !== null && typeof value.arrayBuffer === "function" &&
    typeof value.slice === "function" && typeof value.size === "number" && typeof value.type === "string";
}
