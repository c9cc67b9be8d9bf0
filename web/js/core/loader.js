"use strict";

import { AGUIError, because } from "./error.js";
import { Instance } from "./instance.js";
import { needsOfRuntime } from "./needs.js";

/**
 * Gets agui.wasm and keeps a running program: fetched and compiled once, started anew from the kept module when a
 * program died. A failed start rejects `ready`; the next use tries again.
 */

/**
 * @typedef {object} Place where the WebAssembly comes from
 * @property {string} [url]
 * @property {any} [module] a WebAssembly.Module, or a promise of one
 * @property {string} [integrity] for the fetch
 * @property {(url: string) => Promise<Response>} [disk] reads a file: URL, where fetch cannot (Node.js)
 */

const HINT = "agui.js and agui.wasm must be of one version: upload both, and look for an old copy in a cache.";

/**
 * A promise that begins to load when somebody waits for it: `await ready` is a use like any other, also of the module's
 * export, which is no getter.
 * @extends {Promise<void>}
 */
class Ready extends Promise {
  #begin;

  /**
   * @param {(resolve: () => void, reject: (error: unknown) => void) => void} executor
   * @param {() => void} begin
   */
  constructor(executor, begin) {
    super(executor);
    this.#begin = begin;
  }

  static get [Symbol.species]() {
    return Promise;
  }

  /**
   * @param {any} [onFulfilled]
   * @param {any} [onRejected]
   * @returns {Promise<any>}
   */
  then(onFulfilled, onRejected) {
    this.#begin();
    return super.then(onFulfilled, onRejected);
  }
}

export class Loader {
  /** Resolves when a program runs. @type {Promise<void>} */
  ready;
  #version;
  #place;
  /** @type {Promise<WebAssembly.Module> | undefined} */
  #module;
  /** @type {Promise<Instance> | undefined} */
  #instance;
  /** @type {Instance | undefined} */
  #current;
  #failed = false;
  #resolve = () => {};
  /** @type {(error: unknown) => void} */
  #reject = () => {};
  #renewed;
  #started;

  /**
   * @param {string} version of this script
   * @param {() => Place} place asked when loading begins
   * @param {(ready: Promise<void>) => void} [renewed] told each time `ready` is a new promise
   * @param {(instance: Instance) => void} [started] told of each program that runs
   */
  constructor(version, place, renewed = () => {}, started = () => {}) {
    this.#version = version;
    this.#place = place;
    this.#renewed = renewed;
    this.#started = started;
    this.ready = this.#promise();
  }

  /** A program is being loaded or runs. */
  get begun() {
    return this.#instance !== undefined;
  }

  /** The running program, if there is one now. */
  get current() {
    return this.#current && !this.#current.dead ? this.#current : null;
  }

  /** Bytes of the running program's memory. */
  get bytes() {
    return this.#current?.bytes ?? 0;
  }

  /**
   * Gives the running program; loads it where there is none.
   * @returns {Promise<Instance>}
   */
  instance() {
    if (this.#current?.dead) {
      this.#current = undefined;
      this.#instance = undefined;
    }
    if (!this.#instance) {
      if (this.#failed) {
        this.ready = this.#promise();
        this.#renewed(this.ready);
      }
      this.#instance = this.#start();
      this.#instance.then(
        (instance) => {
          this.#current = instance;
          this.#failed = false;
          this.#resolve();
          this.#started(instance);
        },
        (error) => {
          this.#instance = undefined;
          this.#failed = true;
          this.#reject(error);
        },
      );
    }
    return this.#instance;
  }

  #promise() {
    const ready = new Ready((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }, () => {
      if (!this.begun && this.ready === ready && !this.#failed) this.instance().catch(() => {});
    });
    // Whoever does not ask must not get an unhandled rejection. (Not by its own then, which would begin to load.)
    Promise.prototype.then.call(ready, undefined, () => {});
    return ready;
  }

  async #start() {
    const place = this.#place();
    try {
      needsOfRuntime(urlOf(place));
      this.#module ??= compile(place, this.#failed);
      const module = await this.#module;
      const instance = await Instance.start(module).catch((thrown) => {
        throw because(thrown, "load_failed", `agui.wasm does not start. ${HINT}`, urlOf(place));
      });
      if (instance.version !== this.#version) {
        throw new AGUIError("load_failed",
          `agui.js is of version ${this.#version}, but agui.wasm is of version ${instance.version}. ${HINT}`,
          urlOf(place));
      }
      return instance;
    } catch (thrown) {
      this.#module = undefined;
      throw thrown instanceof AGUIError ? thrown
        : because(thrown, "load_failed", "agui.wasm could not be loaded", urlOf(place));
    }
  }
}

/** @param {Place} place */
function urlOf({ url }) {
  return url === undefined ? {} : { url };
}

/**
 * @param {Place} place
 * @param {boolean} again an earlier try failed: what the browser has kept of it may be what failed
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile({ url, module, integrity, disk }, again) {
  if (module !== undefined) {
    const given = await module;
    if (Object.prototype.toString.call(given) !== "[object WebAssembly.Module]") {
      throw new AGUIError("load_failed", "wasmModule is no WebAssembly.Module.");
    }
    return given;
  }
  if (url === undefined) {
    throw new AGUIError("load_failed", "Where agui.wasm is cannot be told here: set wasmUrl by agui.configure().");
  }
  const response = disk && url.startsWith("file:") ? await disk(url) : await get(url, integrity, again);
  try {
    return await compileFrom(response, url);
  } catch (thrown) {
    if (thrown instanceof AGUIError) throw thrown;
    const text = String(/** @type {any} */ (thrown)?.message ?? thrown);
    if (/unsafe-eval|content security policy|\bCSP\b/i.test(text)) {
      throw because(thrown, "load_failed",
        "The page's Content-Security-Policy forbids WebAssembly; add 'wasm-unsafe-eval' to its script-src", { url });
    }
    throw because(thrown, "load_failed", `${url} could not be compiled`, { url });
  }
}

/**
 * @param {string} url
 * @param {string | undefined} integrity
 * @param {boolean} again
 */
async function get(url, integrity, again) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, { ...(integrity ? { integrity } : {}), ...(again ? { cache: "no-cache" } : {}) });
  } catch (thrown) {
    const why = globalThis.location?.protocol === "file:"
      ? "a page opened as a file cannot load it, serve the folder over HTTP"
      : "the network, the other server's CORS headers, the page's Content-Security-Policy (connect-src) or " +
        "a wrong integrity hash keeps it away";
    throw because(thrown, "load_failed", `${url} could not be fetched (${why})`, { url });
  }
  if (!response.ok) {
    response.body?.cancel().catch(() => {});
    throw new AGUIError("load_failed",
      `${url} could not be loaded: the server answered with status ${response.status}.`,
      { url, status: response.status });
  }
  return response;
}

/**
 * Compiles while it loads, where the browser can. It wants the type to be exactly application/wasm, and many servers do
 * not send that, so the response is wrapped in one that has it.
 * @param {Response} response
 * @param {string} url
 */
async function compileFrom(response, url) {
  const type = response.headers.get("content-type") ?? "";
  const packed = /\.gz$/.test(new URL(response.url || url, "http://x").pathname) ||
    /\.gz$/.test(new URL(url, "http://x").pathname);
  /** @type {ReadableStream<any> | null} */
  let body = response.body;
  if (packed) {
    body = await unpacked(/** @type {ReadableStream<Uint8Array>} */ (body));
  } else if (/^text\/html\b/i.test(type)) {
    // Perhaps only the type is wrong; the first four bytes tell.
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!(bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d)) {
      throw new AGUIError("load_failed",
        `${url} is an HTML page, not agui.wasm: the server answers with a page where it has no such file.`,
        { url, status: response.status });
    }
    return WebAssembly.compile(bytes);
  }
  if (typeof WebAssembly.compileStreaming !== "function") {
    return WebAssembly.compile(await new Response(body).arrayBuffer());
  }
  if (!packed && type === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compileStreaming(new Response(body, { headers: { "content-type": "application/wasm" } }));
}

/**
 * Unpacks a .gz, unless the server said that it is packed and the browser has unpacked it already.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {Promise<ReadableStream<Uint8Array>>}
 */
async function unpacked(body) {
  const reader = body.getReader();
  const first = await reader.read();
  /** @type {ReadableStream<any>} */
  const whole = new ReadableStream({
    start(controller) {
      if (first.value) controller.enqueue(first.value);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const zipped = first.value && first.value[0] === 0x1f && (first.value.length === 1 || first.value[1] === 0x8b);
  if (!zipped) return whole;
  if (typeof DecompressionStream !== "function") {
    throw new AGUIError("load_failed", "This browser cannot unpack a .wasm.gz; serve agui.wasm instead.");
  }
  return whole.pipeThrough(new DecompressionStream("gzip"));
}
