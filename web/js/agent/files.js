"use strict";

/**
 * What a person sends: words, files, or parts of both, made into the content of a user's message.
 */

/** Bytes that become base64 in one go: a multiple of 3, so that the pieces can be joined. */
const SLICE = 3 * 64 * 1024;

/**
 * @param {unknown} given a string, a File or Blob, a content part, or an array of these
 * @param {string} [method] whose argument it is
 * @returns {string | any[] | Promise<any[]>} a promise only where files have to be read
 */
export function contentOf(given, method = "send") {
  if (typeof given === "string") return given;
  const list = Array.isArray(given) ? given : [given];
  if (list.length === 0) throw new TypeError(`${method}: there is nothing to send`);
  for (const [i, item] of list.entries()) {
    if (typeof item === "string" || isBlob(item)) continue;
    if (typeof item !== "object" || item === null || typeof item.type !== "string") {
      throw new TypeError(`${method}: item ${i} must be a string, a File, a Blob or a content part`);
    }
  }
  const parts = list.map((item) => (typeof item === "string" ? { type: "text", text: item } : isBlob(item)
    ? filePart(item) : item));
  return list.some(isBlob) ? Promise.all(parts) : parts;
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

/**
 * @param {Blob} blob
 */
async function filePart(blob) {
  const mimeType = blob.type || "application/octet-stream";
  const family = mimeType.slice(0, mimeType.indexOf("/"));
  const type = family === "image" || family === "audio" || family === "video" ? family : "document";
  const value = await base64(blob);
  const name = /** @type {any} */ (blob).name;
  const part = { type, source: { type: "data", value, mimeType } };
  return typeof name === "string" && name !== "" ? { ...part, metadata: { filename: name } } : part;
}

/**
 * The blob as base64. The browser's reader does it off the main thread; elsewhere it goes slice by slice, each read
 * anew, so that nothing waits longer than one slice takes.
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
export async function base64(blob) {
  if (typeof FileReader === "function") {
    const url = await new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(/** @type {string} */ (reader.result));
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(blob);
    });
    return url.slice(url.indexOf(",") + 1);
  }
  let text = "";
  for (let at = 0; at < blob.size; at += SLICE) {
    const bytes = new Uint8Array(await blob.slice(at, at + SLICE).arrayBuffer());
    let binary = "";
    for (let i = 0; i < bytes.length; i += 0x2000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x2000));
    text += btoa(binary);
  }
  return text;
}
