"use strict";

import { call, member } from "./dom.js";
import { AGUIError, because, say } from "./error.js";

/**
 * The parts: files of ours beside agui.js that load when they are used (web/docs/architecture.md, "Parts"). A part's
 * file calls `take` with what it exports. A page has each at most once, whoever asks first.
 */

/**
 * @typedef {object} PartsPlace
 * @property {(name: string) => string | undefined} url where a part's file is
 * @property {string} [nonce] of the script that asks, for the page's policy
 * @property {string | null} [crossOrigin] that script's own attribute
 * @property {boolean} pinned the page named the hash of agui.js or of agui.wasm: the parts' hashes, which agui.js
 *   knows, hold too
 */

const HINT = "agui.js and its parts must be of one version: upload all of them, and look for an old copy in a cache.";

export class Parts {
  #place;
  /** @type {Map<string, Promise<any>>} */
  #loads = new Map();
  /** What has come. @type {Map<string, any>} */
  #taken = new Map();
  #tries = 0;

  /** @param {() => PartsPlace} place asked at each load */
  constructor(place) {
    this.#place = place;
  }

  /**
   * A part's file brings what it exports.
   * @param {string} name
   * @param {any} part
   */
  take(name, part) {
    this.#taken.set(name, part);
  }

  /** Gives what a part exports, if it is there. @param {string} name */
  get(name) {
    return this.#taken.get(name);
  }

  /**
   * Gives what a part exports; loads it where it is not there. Rejects with load_failed; the next call tries again.
   * @param {string} name
   * @returns {Promise<any>}
   */
  load(name) {
    let loading = this.#loads.get(name);
    if (!loading) {
      this.#loads.set(name, (loading = this.#load(name)));
      loading.catch(() => this.#loads.delete(name));
    }
    return loading;
  }

  /** @param {string} name */
  async #load(name) {
    // Another script of this version may have brought it.
    if (this.#taken.has(name)) return this.#taken.get(name);
    const file = `agui.${name}.js`;
    const { url, nonce, crossOrigin, pinned } = this.#place();
    const at = url(name);
    if (at === undefined) {
      throw new AGUIError("load_failed", `Where ${file} is cannot be told here: set partsUrl by agui.configure().`);
    }
    const integrity = pinned ? `sha256-${AGUI_PARTS[name]}=` : undefined;
    try {
      if (!member(globalThis.document, "createElement") || !(await byElement(at, { nonce, crossOrigin, integrity }))) {
        // An import that failed may be kept as failed: each further one has an address of its own.
        await import(this.#tries++ > 0 ? `${at}${at.includes("?") ? "&" : "?"}try=${this.#tries}` : at);
      }
    } catch (thrown) {
      throw because(thrown, "load_failed",
        `${at} could not be loaded (the file is not there, or the network, the page's Content-Security-Policy ` +
          "(script-src) or a wrong integrity hash keeps it away)", { url: at });
    }
    if (!this.#taken.has(name)) {
      throw new AGUIError("load_failed", `${at} is not the ${file} of version ${AGUI_VERSION}. ${HINT}`, { url: at });
    }
    return this.#taken.get(name);
  }
}

/**
 * Loads a script by an element: unlike import() it can be tried again, and takes an integrity hash.
 * @param {string} url
 * @param {{nonce?: string, crossOrigin?: string | null, integrity?: string}} how
 * @returns {Promise<boolean>} false: the page's Trusted Types forbid it
 */
function byElement(url, { nonce, crossOrigin, integrity }) {
  const { document } = globalThis;
  const script = call(document, "createElement", "script");
  if (nonce) script.nonce = nonce;
  if (integrity) script.integrity = integrity;
  if (integrity || typeof crossOrigin === "string") script.crossOrigin = crossOrigin || "anonymous";
  try {
    script.src = url;
  } catch (thrown) {
    if (!integrity) return Promise.resolve(false);
    return Promise.reject(new Error(say(thrown))); // import() would not ask for the hash
  }
  return new Promise((resolve, reject) => {
    script.onload = () => resolve(true);
    script.onerror = () => reject(undefined);
    (member(document, "head") ?? member(document, "documentElement")).append(script);
  }).finally(() => script.remove());
}
