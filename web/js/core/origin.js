"use strict";

import { member } from "./dom.js";

/**
 * Reads where the script is and what its tag says. To be called while the script runs: document.currentScript is null
 * later.
 * @returns {import("./runtime.js").Origin}
 */
export function originOfScript() {
  /** @type {any} */
  const found = member(globalThis.document, "currentScript");
  const script = globalThis.HTMLScriptElement && found instanceof HTMLScriptElement ? found : undefined;
  const { url, wasm, wasmIntegrity, mount } = script?.dataset ?? {};
  const base = member(globalThis.document, "baseURI");
  return {
    url: url ? absolute(url, base) : undefined,
    explicit: Boolean(wasm),
    wasmUrl: wasm ? absolute(wasm, base) : absolute("agui.wasm", script?.src || base),
    integrity: wasmIntegrity || undefined,
    mount,
    partUrl: (name) => absolute(`agui.${name}.js`, script?.src || base),
    nonce: script?.nonce || undefined,
    crossOrigin: script?.crossOrigin,
    pinned: Boolean(script?.integrity),
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
