"use strict";

import Go from "wasm_exec";
import { layOut } from "./columns.js";
import { AGUIError, because, errorFrom, say } from "./error.js";
import { queue } from "./queue.js";
import { requestOf } from "./request.js";
import { OVER, PIECE } from "./transfer.js";

/** @typedef {import("./transfer.js").Transfer} Transfer */
/** @typedef {import("./queue.js").Lane} Lane */

/**
 * One running Go program. Hot calls go to the exports of the WebAssembly instance, cold ones to functions that Go put
 * on the host object. A program that left a call by an exception, or exited, is dead: its runs are told, and every
 * later call does nothing.
 */

/**
 * What an instance needs to know of a run.
 * @typedef {object} RunRecord
 * @property {Lane} lane
 * @property {Transfer} transfer
 * @property {(error: unknown) => void} blame notes what a failure came from
 * @property {(error: AGUIError) => void} lost the instance died
 * @property {import("./line.js").Line} [line] of a run that may have several connections
 */

/**
 * What Go says of a run that it refuses.
 * @typedef {import("../agui.d.ts").AGUIErrorFields & {code: string, message: string}} Failure
 */

/** When a program takes the memory that runs need, in ms after its start: not while the page waits for it. */
const SETTLING = 100;
/** How much of Go's last words an error carries. */
const LAST_WORDS = 2000;

/** The name under which a program finds its host object, while it starts. */
const HOST = "agui:host";

export class Instance {
  dead = false;
  /** What Go reports of itself. */
  version = "";
  /** What Go has put on the host object; `any`, because Go decides what is there. @type {any} */
  host;
  /** @type {Map<number, RunRecord>} */
  #runs = new Map();
  /** @type {any} */
  #exports;
  /** @type {Uint8Array} */
  #inbox = new Uint8Array(0);
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #words = "";
  #returned = 0;
  /** @type {(() => void)[]} */
  #mourners = [];

  /**
   * Starts the program. Rejects if it does not come up.
   * @param {WebAssembly.Module} module
   */
  static async start(module) {
    const self = new Instance();
    const go = new Go();
    go.exit = (code) => self.#die(new Error(`The Go program exited with code ${code}`));
    const imports = go.importObject;
    imports.agui = { deliver: self.#deliver };
    guard(go, (thrown) => self.#die(thrown));
    imports.gojs["runtime.wasmWrite"] = (/** @type {number} */ sp) => self.#write(go, sp >>> 0);
    const instance = await WebAssembly.instantiate(module, imports);
    self.#exports = instance.exports;
    layOut(module, self.#exports.mem.buffer);
    self.host = self.#offer();

    /** @type {any} */
    const page = globalThis;
    page[HOST] = self.host; // Go takes it and deletes the name before run returns
    try {
      go.run(instance).then(
        () => self.#die(new Error("The Go program ended")),
        (thrown) => self.#die(thrown),
      );
    } finally {
      delete page[HOST];
    }
    await null; // a program that fails at once has rejected by now
    if (self.dead) throw self.#error ?? new Error("The Go program ended at once");
    if (typeof self.host.start !== "function") throw new Error("It is not the WebAssembly of this script");
    self.version = String(self.host.version);
    self.onDeath(() => silence(go));
    setTimeout(() => self.#settle(), SETTLING);
    return self;
  }

  #settle() {
    if (this.dead) return;
    try {
      this.#exports.settle();
    } catch (thrown) {
      this.#die(thrown);
    }
  }

  /** Calls back once when the program dies. @param {() => void} f */
  onDeath(f) {
    this.#mourners.push(f);
  }

  /** Bytes of the program's memory. */
  get bytes() {
    return this.dead ? 0 : this.#exports.mem.buffer.byteLength;
  }

  // What Go calls.

  /** What the host object offers to Go. Each names a run by its number; a number that is gone is passed over. */
  #offer() {
    return {
      /** @type {(run: number, text: string) => void} */
      lineStands: (run, text) => this.#runs.get(run)?.line?.update(text),
      /** @type {(run: number, name: string, ...args: string[]) => unknown} */
      adapt: (run, name, ...args) => this.#runs.get(run)?.line?.adapt(name, args),
    };
  }

  /**
   * Takes a batch. It only queues, and it never throws: an exception would go through Go's frames.
   * @param {number} run
   * @param {number} address
   * @param {number} length
   */
  #deliver = (run, address, length) => {
    try {
      const lane = this.#runs.get(run)?.lane;
      if (!lane) return;
      // The memory may have grown since the last time, so the view is made anew.
      const bytes = new Uint8Array(this.#exports.mem.buffer, address >>> 0, length);
      for (const entry of JSON.parse(this.#decoder.decode(bytes))) lane.push(entry);
    } catch (thrown) {
      this.#runs.get(run)?.lost(because(thrown, "internal", "What the server sent could not be taken over"));
    }
  };

  /**
   * Takes what Go prints: its last words, when it panics.
   * @param {any} go
   * @param {number} sp
   */
  #write(go, sp) {
    const address = Number(go.mem.getBigUint64(sp + 16, true));
    const length = go.mem.getInt32(sp + 24, true);
    const text = new TextDecoder().decode(new Uint8Array(this.#exports.mem.buffer, address, length));
    this.#words = (this.#words + text).slice(-LAST_WORDS);
  }

  // Cold calls to Go.

  /**
   * Starts a run.
   * @param {number} id
   * @param {object} options what Go needs to know of it; web/docs/architecture.md has its members
   * @param {string} input as JSON
   * @param {RunRecord} record
   * @returns {{failure?: Failure, request?: import("./request.js").Request}} why Go refuses it, or the request to make
   */
  start(id, options, input, record) {
    this.#runs.set(id, record);
    const answer = this.call("start", id, `${JSON.stringify(options)}\n${input}`);
    if (typeof answer !== "string") return {};
    if (answer.includes("\n")) return { request: requestOf(answer) };
    this.#runs.delete(id);
    // What an engine cannot make a text of is "" for it: a request without its conversation must not look like a
    // success.
    return {
      failure: answer ? JSON.parse(answer) : {
        code: "bad_input", message: "The request is more than the browser takes as one text",
      },
    };
  }

  /**
   * Begins another connection of a run.
   * @param {number} id
   * @param {[string, string][]} headers
   * @returns {import("./request.js").Request | undefined} the request to make
   */
  leg(id, headers) {
    const answer = this.call("leg", id, JSON.stringify(headers));
    if (typeof answer === "string" && answer.includes("\n")) return requestOf(answer);
    this.#taken(id, answer);
    return undefined;
  }

  /**
   * Lets Go judge a response.
   * @param {number} id
   * @param {Response} response
   * @returns {number | undefined} 0: its body is read; n: so many bytes of it are read as text; undefined: nobody
   *   wants it
   */
  response(id, response) {
    let head;
    try {
      head = headOf(response);
    } catch (thrown) {
      this.#runs.get(id)?.transfer.flags(
        this.failed(id, thrown, "The fetch function gave a response that cannot be read"));
      return undefined;
    }
    const { status, url, type, retryAfter } = head;
    const verdict = this.call("response", id, status, url, type, retryAfter);
    if (typeof verdict === "number") return verdict;
    this.#taken(id, verdict);
    return undefined;
  }

  /**
   * Tells Go what kept a run from getting its bytes.
   * @param {number} id
   * @param {unknown} thrown
   * @param {string} what the sentence before its own text
   * @param {string} [hint] a sentence behind it
   * @returns {number} flags
   */
  failed(id, thrown, what, hint = "") {
    this.#runs.get(id)?.blame(thrown);
    // Go gets texts, not the thrown thing: reading that could run code of the page's.
    const text = say(thrown);
    return this.#tell(id, "failed",
      (text ? `${what}: ${hint && !/[.!?]$/.test(text) ? `${text}.` : text}` : `${what}.`) + hint);
  }

  /**
   * Gives Go the start of a refused response's body.
   * @param {number} id
   * @param {string} text
   * @returns {number} flags
   */
  body(id, text) {
    return this.#tell(id, "body", text);
  }

  /**
   * Tells Go what happened in the page that concerns a run's line.
   * @param {number} id
   * @param {string} what
   * @returns {number} flags
   */
  line(id, what) {
    return this.#tell(id, "line", what);
  }

  /**
   * Calls a cold function about a run.
   * @param {number} id
   * @param {string} name
   * @param {unknown[]} args
   * @returns {number} flags
   */
  #tell(id, name, ...args) {
    return this.#taken(id, this.call(name, id, ...args));
  }

  /**
   * Opens the answer of a cold function about a run: flags, or null of a run that is gone. If it failed inside, the run
   * ends.
   * @param {number} id
   * @param {unknown} answer
   * @returns {number} flags
   */
  #taken(id, answer) {
    if (typeof answer === "number") return answer;
    if (typeof answer !== "string") return OVER;
    this.#runs.get(id)?.lost(errorFrom(JSON.parse(answer)));
    this.cancel(id);
    queue.schedule();
    return OVER;
  }

  /**
   * Calls a function that Go has put on the host object.
   * @param {string} name
   * @param {unknown[]} args
   * @returns {any}
   */
  call(name, ...args) {
    if (this.dead) return undefined;
    if (typeof this.host[name] !== "function") throw new Error(`agui.wasm has no ${name}`);
    try {
      const answer = this.host[name](...args);
      // Go's nothing is null. Without any answer the function waits, for what nobody will tell it.
      if (answer === undefined) this.#die(new Error(`${name} did not come back`));
      return answer;
    } catch (thrown) {
      this.#die(thrown);
      return undefined;
    } finally {
      queue.schedule();
    }
  }

  // Hot calls to Go. Each gives flags; a dead instance says that the run is over.

  /**
   * @param {number} id
   * @param {Uint8Array} bytes at most PIECE of them
   * @returns {number}
   */
  push(id, bytes) {
    if (this.dead) return OVER;
    try {
      // A view loses its length when the memory grows.
      if (this.#inbox.byteLength === 0) {
        this.#inbox = new Uint8Array(this.#exports.mem.buffer, this.#exports.inbox(PIECE) >>> 0, PIECE);
      }
      this.#inbox.set(bytes);
      return this.#flags("push", this.#exports.push(id, bytes.length));
    } catch (thrown) {
      return this.#die(thrown);
    }
  }

  /** @param {number} id */
  end(id) {
    return this.#hot("end", id);
  }

  /**
   * @param {number} id
   * @param {boolean} apply
   */
  step(id, apply) {
    return this.#hot("step", id, apply ? 1 : 0);
  }

  /**
   * @param {number} id
   * @param {number} kind
   */
  timeout(id, kind) {
    return this.#hot("timeout", id, kind);
  }

  /** Ends a run. Go delivers nothing more for it. @param {number} id */
  cancel(id) {
    if (!this.#runs.delete(id)) return;
    this.#hot("cancel", id);
  }

  /**
   * @param {string} name
   * @param {number[]} args
   * @returns {number}
   */
  #hot(name, ...args) {
    if (this.dead) return OVER;
    try {
      return this.#flags(name, this.#exports[name](...args));
    } catch (thrown) {
      return this.#die(thrown);
    }
  }

  /**
   * Opens the answer of a hot call: the flags, and above them how many calls have come back. A call that ended the
   * program, or waits for what nobody will tell it, returns all the same.
   * @param {string} name
   * @param {number} answer
   */
  #flags(name, answer) {
    if (this.dead) return OVER;
    this.#returned = (this.#returned + 1) & 0xffffff;
    if (answer >>> 8 !== this.#returned) return this.#die(new Error(`${name} did not come back`));
    return answer & 0xff;
  }

  /** @type {AGUIError | undefined} */
  #error;

  /**
   * @param {unknown} thrown
   * @returns {number} OVER
   */
  #die(thrown) {
    if (this.dead) return OVER;
    this.dead = true;
    const words = this.#words.trim();
    if (words) console.error(words);
    const cause = words ? new Error(words, { cause: thrown }) : thrown;
    this.#error = new AGUIError("internal", "The runtime failed inside and was restarted; please try again.",
      { cause });
    for (const f of this.#mourners.splice(0)) f();
    for (const record of [...this.#runs.values()]) record.lost(this.#error);
    this.#runs.clear();
    this.#exports = undefined;
    this.#inbox = new Uint8Array(0);
    queue.schedule();
    return OVER;
  }
}

/**
 * What Go looks at of a response. Read here and as plain values: a getter of the page's that throws would throw through
 * Go's frames, which ends the program and every other run.
 * @param {Response} response
 */
function headOf({ status, url, headers }) {
  return {
    status: Number(status),
    url: typeof url === "string" ? url : "",
    type: String(headers.get("content-type") ?? ""),
    retryAfter: String(headers.get("retry-after") ?? ""),
  };
}

/**
 * Notices an exception that leaves the program where no call of ours is on the stack: on a timer, or in a listener of
 * the page's elements.
 * @param {any} go
 * @param {(thrown: unknown) => void} die
 */
function guard(go, die) {
  const resume = go._resume;
  go._resume = () => {
    try {
      resume.call(go);
    } catch (thrown) {
      die(thrown);
    }
  };
}

/**
 * Keeps a dead program's timers and callbacks from throwing "Go program has already exited".
 * @param {any} go
 */
function silence(go) {
  for (const timer of go._scheduledTimeouts?.values() ?? []) clearTimeout(timer);
  go._scheduledTimeouts?.clear();
  go._resume = () => {};
}
