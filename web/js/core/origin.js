"use strict";

import { call, member } from "./dom.js";

/**
 * Reads where the script is and what its tag says. To be called while the script runs: document.currentScript is null
 * later.
 * @returns {import("./runtime.js").Origin}
 */
export function originOfScript() {
  /** @type {any} */
  const found = member(globalThis.document, "currentScript");
  const script = globalThis.HTMLScriptElement && found instanceof HTMLScriptElement ? found : undefined;
  const { url, wasm, wasmIntegrity, mount, preconnect, warm } = script?.dataset ?? {};
  const base = member(globalThis.document, "baseURI");
  const agent = url ? absolute(url, base) : undefined;
  if (agent && preconnect !== "off") connect(agent);
  return {
    url: agent,
    explicit: Boolean(wasm),
    wasmUrl: wasm ? absolute(wasm, base) : absolute("agui.wasm", script?.src || base),
    integrity: wasmIntegrity || undefined,
    mount,
    warm: warm !== "off",
    partUrl: (name) => absolute(`agui.${name}.js`, script?.src || base),
    nonce: script?.nonce || undefined,
    crossOrigin: script?.crossOrigin,
    pinned: Boolean(script?.integrity),
  };
}

/**
 * Opens the connection to an agent on another origin, so that the first run need not wait for one.
 * @param {string} url
 */
function connect(url) {
  const { document, location } = globalThis;
  if (new URL(url).origin === location.origin) return;
  const link = call(document, "createElement", "link");
  link.rel = "preconnect";
  link.href = url;
  link.crossOrigin = "anonymous"; // as fetch asks for it: the browser keeps connections with cookies apart
  member(document, "head")?.append(link);
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
