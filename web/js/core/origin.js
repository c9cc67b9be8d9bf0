"use strict";

/**
 * Reads where the script is and what its tag says. To be called while the script runs: document.currentScript is null later.
 * @returns {import("./runtime.js").Origin}
 */
export function originOfScript() {
  /** @type {any} */
  const script = globalThis.document?.currentScript;
  const { url, wasm, wasmIntegrity } = script?.dataset ?? {};
  return {
    url: url ? absolute(url, document.baseURI) : undefined,
    explicit: Boolean(wasm),
    wasmUrl: wasm ? absolute(wasm, document.baseURI) : absolute("agui.wasm", script?.src || globalThis.document?.baseURI),
    integrity: wasmIntegrity || undefined,
  };
}

/**
 * @param {string} url
 * @param {string | undefined} base
 */
export function absolute(url, base) {
  try {
    return new URL(url, base).href;
  } catch {
    return undefined; // said when it is used
  }
}
