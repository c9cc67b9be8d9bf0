"use strict";

/** Files that a person sends, made into parts of a user's message. It comes with the part "agent". */

/** Bytes that become base64 in one go: a multiple of 3, so that the pieces can be joined. */
const SLICE = 3 * 64 * 1024;

/**
 * @param {Blob} blob
 */
export async function filePart(blob) {
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
