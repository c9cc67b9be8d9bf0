"use strict";

/** The metadata that the protocol keeps for itself stands under this name. */
export const AGUI_METADATA_KEY = "ag-ui";

/**
 * Folds metadata key by key; the last value wins.
 * @param {Record<string, any> | undefined} before
 * @param {Record<string, any> | undefined} added
 */
export function mergeMetadata(before, added) {
  return added === undefined ? before : { ...before, ...added };
}

/** The text of a message's content, parts joined. @param {any} content */
export function contentToText(content) {
  if (!Array.isArray(content)) return content ?? "";
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Whether a message's content has a part that is no text. @param {any} content */
export function contentHasMedia(content) {
  return Array.isArray(content) && content.some(({ type }) => type !== "text");
}

export function randomUUID() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // a page without TLS
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** @template T @param {T} value @returns {T} */
export const structuredClone_ = (value) => structuredClone(value);
