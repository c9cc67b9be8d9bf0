"use strict";

import { base, checkOptions, CONFIGURATION } from "../api/options.js";
import { Loader } from "./loader.js";
import { absolute } from "./origin.js";
import { Parts } from "./parts.js";
import { warm } from "./warm.js";

/** @typedef {import("./instance.js").Instance} Instance */

/**
 * Where a script of ours was found.
 * @typedef {object} Origin
 * @property {string} [wasmUrl] what it says, or beside itself
 * @property {boolean} [explicit] wasmUrl is what it says
 * @property {string} [integrity]
 * @property {(name: string) => string | undefined} [partUrl] where a part is: beside the script
 * @property {string} [nonce] the script's
 * @property {string | null} [crossOrigin] the script's
 * @property {boolean} [pinned] the script's tag names its hash
 * @property {(url: string) => Promise<Response>} [disk] reads a file: URL
 * @property {boolean} [warm] false: no warm-up
 * @property {string} [url] the default agent
 * @property {string} [mount] which of the elements with data-agui the page means: a selector; "none"
 */

/** What all runs and agents of a page share: the defaults and the running program. */
export class Runtime {
  /** The configured options of runs. @type {Record<string, any>} */
  defaults = {};
  /**
   * Which of the elements with data-agui the page means: a selector, "none", or undefined for all.
   * @type {string | undefined}
   */
  mounts;
  #loader;
  #warm;
  /** @type {Record<string, any>} */
  #wasm = {};
  /** @type {Origin} */
  #origin;
  /** @type {((ready: Promise<void>) => void)[]} */
  #watchers = [];
  /** The files of ours that load when they are used. */
  parts = new Parts(() => this.#partsPlace());

  /**
   * @param {string} version
   * @param {Origin} [origin]
   */
  constructor(version, origin = {}) {
    this.#origin = origin;
    this.#loader = new Loader(version, () => this.#place(), (ready) => {
      for (const f of this.#watchers) f(ready);
    }, (instance) => {
      // Once, and in a page: elsewhere nobody waits while nothing is to be done.
      if (this.#warm && globalThis.document) void warm(instance).catch(() => {});
      this.#warm = false;
    });
    this.#warm = origin.warm !== false;
    if (origin.url !== undefined) this.defaults.url = origin.url;
    this.mounts = origin.mount;
  }

  #place() {
    const { wasmUrl = this.#origin.wasmUrl, wasmModule, wasmIntegrity = this.#origin.integrity } = this.#wasm;
    return {
      url: wasmUrl === undefined ? undefined : String(wasmUrl), module: wasmModule, integrity: wasmIntegrity,
      disk: this.#origin.disk,
    };
  }

  #partsPlace() {
    const { partUrl, nonce, crossOrigin, pinned } = this.#origin;
    const { partsUrl } = this.#wasm;
    const { url: wasm, integrity } = this.#place();
    const folder = partsUrl === undefined ? wasm : absolute(String(partsUrl).replace(/\/?$/, "/"), base());
    return {
      url: (/** @type {string} */ name) => (partsUrl === undefined && partUrl ? partUrl(name)
        : absolute(`agui.${name}.js`, folder)),
      nonce, crossOrigin, pinned: Boolean(pinned || integrity),
    };
  }

  /** Takes what another script of this version says that the first did not. @param {Origin} origin */
  adopt(origin) {
    if (origin.url !== undefined) this.defaults.url ??= origin.url;
    this.mounts ??= origin.mount;
    if (!this.#loader.begun && (origin.explicit || this.#origin.wasmUrl === undefined)) this.#origin = origin;
  }

  /** Sets defaults. @param {unknown} options */
  configure(options) {
    const { wasmUrl, wasmModule, wasmIntegrity, partsUrl, ...defaults } =
      checkOptions(options, CONFIGURATION, "configure");
    const wasm = Object.entries({ wasmUrl, wasmModule, wasmIntegrity }).filter(([, value]) => value !== undefined);
    if (wasm.length > 0 && this.#loader.begun) {
      throw new Error(
        `configure: ${wasm[0][0]} comes too late, loading has begun; ` +
          "set it before the first run, right after the script");
    }
    Object.assign(this.#wasm, Object.fromEntries(wasm), partsUrl === undefined ? {} : { partsUrl });
    Object.assign(this.defaults, defaults);
  }

  /** The promise of a running program, without asking for one. */
  get promise() {
    return this.#loader.ready;
  }

  /** Asks for a running program; gives the promise of it. */
  get ready() {
    this.load();
    return this.#loader.ready;
  }

  /** Tells when the promise is a new one. @param {(ready: Promise<void>) => void} f */
  watch(f) {
    this.#watchers.push(f);
  }

  /** Begins to load, if nothing has. What goes wrong comes by `ready` and by the runs. */
  load() {
    this.#loader.instance().catch(() => {});
  }

  /** The running program. @returns {Promise<Instance>} */
  instance() {
    return this.#loader.instance();
  }

  /** The running program, if there is one now. @returns {Instance | null} */
  get current() {
    return this.#loader.current;
  }

  get wasmBytes() {
    return this.#loader.bytes;
  }
}
