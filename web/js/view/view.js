"use strict";

import { inside, renders } from "../agent/internals.js";
import { partialObject } from "../agent/partial.js";
import { call } from "../core/dom.js";
import { AGUIError, guarded, report, say } from "../core/error.js";
import { hush, readAloud } from "./aloud.js";
import { Composer } from "./composer.js";
import { dress, drawEarly } from "./early.js";
import { Told } from "./events.js";
import { AROUND, checkOptions, known, PART_LABELS } from "./known.js";
import { earlyWords } from "./language.js";
import { looksOf, ownOf } from "./looks.js";
import { needsOfChat } from "./needs.js";
import { QUIET, ViewFeed } from "./view-feed.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */
/** @typedef {import("../core/instance.js").Instance} Instance */

/**
 * The script's half of one chat view: between an agent, Go, which draws, and what only a script does well: files, the
 * clipboard, addresses of data, renderers of the page's own.
 */

/** @typedef {(container: HTMLElement, data: any) => unknown} Renderer */

/**
 * @typedef {object} Drawing
 * @property {HTMLElement} container
 * @property {string} owner the message's or tool call's id
 * @property {string} [text] what it draws, of a formula or code
 * @property {unknown} [end] what the renderer gave
 */

/**
 * The open views of each program. One listener per program, not per view: a program cannot forget listeners, and would
 * keep views that are long closed.
 * @type {WeakMap<Instance, Set<View>>}
 */
const drawn = new WeakMap();

/**
 * @param {Instance} instance
 * @param {View} view
 */
function enlist(instance, view) {
  let views = drawn.get(instance);
  if (!views) {
    const all = (views = new Set());
    drawn.set(instance, all);
    instance.onDeath(() => {
      for (const each of [...all]) each.mourn(instance);
    });
  }
  views.add(view);
}

/** The largest file that may be attached, in bytes, where the options do not say. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** How many dead programs a view outlives before it gives up, so that one that kills each stops. */
const LIVES = 3;

export class View {
  agent;
  #runtime;
  #host;
  #given;
  #looks;
  /** By kind: tool, activity, math, code. @type {Record<string, Record<string, Renderer>>} */
  #renderers;
  #maxFileBytes;
  #feed;
  #told;
  /** The part for what stands around the conversation, where it is needed. @type {Promise<any> | undefined} */
  #part;
  #composer;
  /** @type {import("./around.js").Around | undefined} */
  #around;
  /** @type {Instance | null} */
  #instance = null;
  #id = 0;
  /** Ends what stands there before the program has come. @type {(() => void) | undefined} */
  #early;
  #lives = LIVES;
  #gone = false;
  /** @type {(() => void)[]} */
  #ends = [];
  /** @type {Map<string, {file: File, preview: string}>} */
  #files = new Map();
  #fileCount = 0;
  /** The renderers of tools that threw. @type {Set<string>} */
  #broken = new Set();
  /** Takes back which tools the renderers answer. */
  #unrender;
  /**
   * Addresses of data by type and the data itself: nothing shorter tells two files apart.
   * @type {Map<string, Map<string, string>>}
   */
  #blobs = new Map();
  /** The kinds of files that the agent takes, where it says so. @type {string[] | undefined} */
  #kinds;
  /** @type {Map<string, Drawing>} */
  #drawings = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #soon;
  /** What Retry does. @type {() => Promise<any>} */
  #again = () => this.#rerun();

  /**
   * @param {Runtime} runtime
   * @param {HTMLElement} host
   * @param {any} agent
   * @param {any} given mount's options
   * @param {((f: (event: any) => void) => (() => void)) | undefined} watch tells of the events that the agent has
   *   applied
   * @param {{events: any[], error?: any}} early what came before this part
   * @param {EventTarget} to what mount gave
   */
  constructor(runtime, host, agent, given, watch, early, to) {
    checkOptions(given);
    this.#runtime = runtime;
    this.#host = host;
    this.#given = given;
    this.agent = agent;
    this.#looks = looksOf(host, given);
    const { tools: tool = {}, activities: activity = {}, code = {}, math } = given.renderers ?? {};
    this.#renderers = { tool, activity, code, math: { inline: math, display: math } };
    this.#maxFileBytes = given.maxFileBytes ?? MAX_FILE_BYTES;
    this.#feed = new ViewFeed(agent);
    const root = /** @type {ShadowRoot} */ (host.shadowRoot);
    const composer = (this.#composer = new Composer(root, agent));
    Object.defineProperty(to, "composer", { value: composer, configurable: true });
    const key = (/** @type {Event} */ e) => composer.key(e);
    root.addEventListener("keydown", key);
    this.#ends.push(() => root.removeEventListener("keydown", key));
    if (AROUND.some((name) => given[name] !== undefined)) {
      this.#part = runtime.parts.load("around").catch(report); // the chat itself does without
    }
    for (const event of early.events) this.#feed.event(event);
    this.#told = new Told(to, agent, given.onError);
    this.#ends.push(() => this.#told.end());
    if (early.error !== undefined) this.#failed(early.error);
    const heard = agent.subscribe({
      onRunFailed: (/** @type {any} */ { error }) => {
        this.#failed(error);
        this.#feed.settle(true);
        this.changed();
      },
      onRunFinalized: () => {
        this.#feed.settle(false);
        this.changed();
      },
      onConnectionChanged: (/** @type {any} */ { connection: { state } }) => {
        clearTimeout(this.#soon);
        // A cut that is over within a second is nobody's business.
        if (state === "reconnecting") this.#soon = setTimeout(() => this.changed(), QUIET);
        this.changed();
      },
    });
    this.#ends.push(() => {
      heard.unsubscribe();
      clearTimeout(this.#soon);
    });
    if (watch) this.#ends.push(watch((event) => this.#feed.event(event)));
    this.#unrender = renders(agent, this.#looks.tools);
    this.#ends.push(() => this.#unrender());
    this.#ends.push(agent.onChange(() => this.changed()));
  }

  /** Draws, once the program is there. */
  async open() {
    needsOfChat();
    const root = /** @type {ShadowRoot} */ (this.#host.shadowRoot);
    dress(root);
    if (!this.#runtime.current) {
      this.#early = drawEarly(root, this.#looks, this.agent.messages,
        (words) => void this.#act(() => this.#send(words, [])));
    }
    try {
      const instance = await this.#runtime.instance();
      if (this.#gone) return;
      this.#early?.();
      known(Object.keys(this.#given.labels ?? {}), [...JSON.parse(instance.call("viewLabels")), ...PART_LABELS],
        "label");
      this.#instance = instance; // drawing asks it
      const id = instance.call("viewOpen", this.#host, this.#half(), this.#looks);
      if (typeof id !== "number") {
        throw new AGUIError("internal", "The chat could not be drawn.", { cause: new Error(String(id)) });
      }
      this.#id = id;
      const { acceptFiles, capture } = this.#given;
      const picker = root.querySelector(".picker");
      if (acceptFiles) picker?.setAttribute("accept", acceptFiles);
      if (capture) picker?.setAttribute("capture", capture);
      enlist(instance, this);
      settle(root);
      await this.#surround(root);
      if (this.#gone) return;
    } finally {
      if (this.#id === 0) this.#instance = null;
      this.#early?.();
      this.#early = undefined;
    }
    this.changed();
    void this.#takes();
    if (this.#lives === LIVES) this.#told.tell("ready");
  }

  /** @param {ShadowRoot} root */
  async #surround(root) {
    const part = await this.#part;
    if (!part || this.#gone || !this.#instance) return;
    this.#around = new part.Around({
      root, host: this.#host, agent: this.agent, given: this.#given, lang: this.#looks.lang,
      composer: this.#composer,
      send: (/** @type {any} */ content) => void this.#act(() => this.#send(content, [])),
    });
  }

  /** Something changed. */
  changed() {
    if (!this.#gone) this.#told.changed();
    if (!this.#gone) this.#around?.changed();
    if (!this.#gone && this.#instance !== null && !this.#instance.dead) this.#instance.call("viewChanged", this.#id);
  }

  close() {
    if (this.#gone) return;
    this.#gone = true;
    hush(/** @type {ShadowRoot} */ (this.#host.shadowRoot));
    if (this.#instance === null) {
      this.#host.shadowRoot?.replaceChildren();
    } else {
      drawn.get(this.#instance)?.delete(this);
      if (!this.#instance.dead) this.#instance.call("viewClose", this.#id);
    }
    this.#around?.close();
    for (const end of this.#ends.splice(0)) guarded(end, undefined);
    for (const key of [...this.#drawings.keys()]) this.#erase(key);
    for (const urls of this.#blobs.values()) {
      for (const url of urls.values()) if (url.startsWith("blob:")) URL.revokeObjectURL(url);
    }
    for (const id of [...this.#files.keys()]) this.#detach(id);
    this.#blobs.clear();
  }

  /** The program that drew it died: another one draws it anew. @param {Instance} instance */
  mourn(instance) {
    if (this.#gone || this.#instance !== instance) return;
    this.#instance = null;
    this.#id = 0;
    this.#around?.close();
    this.#around = undefined;
    this.#host.shadowRoot?.replaceChildren();
    this.#feed.reset();
    for (const key of [...this.#drawings.keys()]) this.#erase(key);
    if (this.#lives-- > 0) setTimeout(() => this.open().catch(report), 0);
  }

  /** What Go calls. */
  #half() {
    const act = (/** @type {() => Promise<any>} */ action) => {
      // Go must not be on the stack when an agent starts.
      void Promise.resolve().then(() => this.#act(action));
    };
    return {
      pull: () => {
        const news = this.#feed.pull();
        if (news.includes('"ids":')) this.#sweep();
        return news;
      },
      send: (/** @type {string} */ text, /** @type {string[]} */ ids) => act(() => this.#send(text, ids)),
      stop: () => act(async () => this.agent.abortRun()),
      retry: () => act(() => {
        this.#feed.drop();
        return this.#again();
      }),
      reconnect: () => act(() => this.agent.connectAgent()),
      resume: (/** @type {string} */ entries) => {
        const list = JSON.parse(entries);
        act(() => {
          this.#again = () =>
            (this.agent.pendingInterrupts.length > 0 ? this.agent.resume(list, this.#with()) : this.#rerun());
          return this.agent.resume(list, this.#with());
        });
      },
      unqueue: (/** @type {string} */ id) => act(async () => this.agent.unqueue(id)),
      approve: (/** @type {string} */ id, /** @type {boolean} */ yes) => act(() => {
        this.#again = () => this.#rerun();
        return this.agent.approve(id, yes, this.#with());
      }),
      rewrite: (/** @type {string} */ id, /** @type {string} */ words) => act(() => this.#thought(() => {
        const { content } = this.agent.messages.find((/** @type {any} */ each) => each.id === id) ?? {};
        const files = Array.isArray(content) ? content.filter(({ type }) => type !== "text") : [];
        const text = words === "" ? [] : [{ type: "text", text: words }];
        return this.agent.edit(id, files.length > 0 ? [...text, ...files] : words,
          this.#with({ whileRunning: "interrupt" }));
      })),
      again: (/** @type {string} */ id) =>
        act(() => this.#thought(() => this.agent.regenerate(id, this.#with({ whileRunning: "interrupt" })))),
      version: (/** @type {string} */ before, /** @type {string} */ n) =>
        act(async () => (await inside(this.agent).second()).show(before, Number(n))),
      dismiss: (/** @type {string} */ id) => act(() => this.agent.dismiss(id)),
      draw: (/** @type {string} */ kind, /** @type {string} */ name, /** @type {string} */ id,
        /** @type {string} */ status) =>
        this.#draw(kind, name, id, status),
      blob: (/** @type {string} */ type, /** @type {string} */ base64) => this.#blob(type, base64),
      attach: (/** @type {FileList} */ files) => this.#attach([...files]),
      detach: (/** @type {string} */ id) => this.#detach(id),
      copyMessage: (/** @type {HTMLElement} */ button, /** @type {string} */ id, /** @type {string[]} */ ...words) =>
        copyText(button, this.#wordsOf(id), words),
      own: (/** @type {HTMLElement} */ button, /** @type {string} */ id, /** @type {string} */ n) => {
        const { lang } = this.#looks;
        const { onClick } = ownOf(this.#given, lang)[Number(n)];
        if (!onClick) return readAloud(button, lang, earlyWords(lang, this.#given.labels));
        const message = this.agent.messages.find((/** @type {any} */ each) => each.id === id);
        guarded(onClick, undefined, message, { threadId: this.agent.threadId, runId: this.#feed.runs.get(id) });
      },
      feedback: (/** @type {string} */ id, /** @type {string} */ value) => {
        const message = this.agent.messages.find((/** @type {any} */ each) => each.id === id);
        const about = { threadId: this.agent.threadId, runId: this.#feed.runs.get(id) };
        guarded(this.#given.onFeedback, undefined, message, value || null, about);
      },
      copy: (/** @type {HTMLElement} */ button, /** @type {string} */ text, /** @type {string[]} */ ...words) =>
        copyText(button, text, words),
    };
  }

  /**
   * The words of a person's message, or of the whole answer that a message ends, as Markdown.
   * @param {string} id
   */
  #wordsOf(id) {
    const { messages } = this.agent;
    const end = messages.findIndex((/** @type {any} */ each) => each.id === id);
    let from = end;
    if (messages[end]?.role !== "user") while (from > 0 && messages[from - 1].role !== "user") from--;
    const said = messages.slice(from, end + 1).filter((/** @type {any} */ { role, subagentRunId }) =>
      (role === "user" || role === "assistant") && !subagentRunId);
    return said.flatMap((/** @type {any} */ { content }) => content ?? [])
      .map((/** @type {any} */ part) => (typeof part === "string" ? part : part.text ?? ""))
      .filter(Boolean).join("\n\n");
  }

  /** @param {() => Promise<any>} f what trying again does not repeat: it has cut the conversation */
  #thought(f) {
    this.#again = () => this.#rerun();
    return f();
  }

  #rerun() {
    return this.agent.runAgent(this.#with());
  }

  /** The parameters of a run that the chat begins. @param {any} [more] @returns {any} */
  #with(more) {
    const { context, forwardedProps } = this.#given;
    const now = (/** @type {any} */ value) => (typeof value === "function" ? guarded(value, undefined) : value);
    return { ...more, context: now(context), forwardedProps: now(forwardedProps) };
  }

  /** @param {any} error */
  #failed(error) {
    this.#feed.fail(error);
    this.#told.fail(error);
  }

  /** @param {() => Promise<any>} action */
  async #act(action) {
    if (this.#gone) return;
    this.#feed.fail(null);
    try {
      await action();
    } catch (thrown) {
      if (/** @type {any} */ (thrown)?.name !== "AbortError") this.#failed(thrown);
    }
    this.changed();
  }

  /**
   * @param {string} text
   * @param {string[]} ids
   */
  #send(text, ids) {
    const files = ids.map((id) => this.#files.get(id)?.file).filter((file) => file !== undefined);
    for (const id of ids) this.#detach(id);
    const before = this.agent.messages.length;
    const content = files.length > 0 ? [...(text.trim() === "" ? [] : [text]), ...files] : text;
    this.#told.tell("send", { content });
    const { whileRunning, isRunning } = this.agent;
    const how = this.#with({ whileRunning: whileRunning === "interrupt" ? whileRunning : "queue" });
    // What waits goes out by itself: trying again is still about the run at hand.
    if (isRunning && how.whileRunning === "queue") return this.agent.send(content, how);
    // What was sent stands in the conversation: trying again is another run, unless it did not come so far.
    this.#again = () => (this.agent.messages.length > before ? this.#rerun() : this.agent.send(content, this.#with()));
    return this.agent.send(content, how);
  }

  // Files.

  /** Offers what the agent says that it takes; an agent that says nothing takes every file. */
  async #takes() {
    const { agent } = this;
    if (!this.#looks.attach || typeof agent.getCapabilities !== "function") return;
    const said = await Promise.resolve(guarded(agent.getCapabilities, agent)).catch(() => null);
    const input = said?.multimodal?.input;
    if (typeof input !== "object" || input === null || input.file) return;
    const kinds = ["image", "audio", "video"].filter((kind) => input[kind]).map((kind) => `${kind}/*`);
    this.#kinds = [...kinds, ...(input.pdf ? ["application/pdf"] : [])];
    if (this.#gone || !this.#instance || this.#instance.dead) return;
    this.#instance.call("viewChanged", this.#id, this.#kinds.length > 0 ? this.#kinds.join() : null);
  }

  /**
   * @param {File[]} files
   * @returns {string} what became of each, as JSON
   */
  #attach(files) {
    const { acceptFiles, maxFiles = Infinity } = this.#given;
    return JSON.stringify(files.map((file) => {
      if (acceptFiles && !accepts(acceptFiles, file)) return { name: file.name, problem: "notAccepted" };
      if (this.#files.size >= maxFiles) return { name: file.name, problem: "tooMany" };
      if (file.size > this.#maxFileBytes) return { name: file.name, problem: "tooLarge" };
      if (this.#kinds && !this.#kinds.some((kind) => file.type.startsWith(kind.replace("*", "")))) {
        return { name: file.name, problem: "notTaken" };
      }
      const id = `file-${++this.#fileCount}`;
      const preview = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(file.type) ? URL.createObjectURL(file) : "";
      this.#files.set(id, { file, preview });
      return { id, name: file.name || file.type || "file", kind: file.type.split("/")[0], preview };
    }));
  }

  /** @param {string} id */
  #detach(id) {
    const { preview } = this.#files.get(id) ?? {};
    if (preview) URL.revokeObjectURL(preview);
    this.#files.delete(id);
  }

  /**
   * An address for data that came with a message. SVG stays a data: address: opened by itself under a blob: one of this
   * page it would run as this page.
   * @param {string} type
   * @param {string} base64
   */
  #blob(type, base64) {
    let urls = this.#blobs.get(type);
    if (!urls) this.#blobs.set(type, (urls = new Map()));
    const known = urls.get(base64);
    if (known !== undefined) return known;
    let url = "";
    try {
      if (/svg|xml|html/i.test(type)) {
        atob(base64);
        url = `data:${type.replace(/[^\w/+.-]/g, "")};base64,${base64}`;
      } else {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        url = URL.createObjectURL(new Blob([bytes], { type }));
      }
    } catch {
      // It is no base64: Go says that it cannot be shown.
    }
    urls.set(base64, url);
    return url;
  }

  // Renderers of the page's own. They draw into the page's own tree, so that its styles reach them; the shadow tree has
  // a slot for each.

  /**
   * @param {string} kind
   * @param {string} name
   * @param {string} id
   * @param {string} status of a formula or code, its text
   * @returns {boolean} false: it failed, Go draws it
   */
  #draw(kind, name, id, status) {
    const list = this.#renderers[kind];
    const data = kind === "tool" ? this.#toolData(id, status) : kind === "activity" ? this.#activityData(id)
      : kind === "math" ? { text: status, display: name === "display" } : { code: status, language: name };
    if (data === undefined || !list || !Object.hasOwn(list, name)) return false;
    const key = `agui-${kind}-${id}`;
    let drawing = this.#drawings.get(key);
    if (!drawing) {
      const container = call(this.#host.ownerDocument, "createElement", name === "inline" && kind === "math"
        ? "span" : "div");
      container.slot = key;
      this.#host.append(container);
      // A formula's or a code's id is its message's and its place there.
      drawing = { container, owner: kind === "math" || kind === "code" ? id.slice(0, id.lastIndexOf(".")) : id };
      this.#drawings.set(key, drawing);
    }
    if (kind === "math" || kind === "code") {
      if (drawing.text === status) return true;
      drawing.text = status;
      if (typeof drawing.end === "function") guarded(drawing.end, undefined);
      drawing.end = undefined;
      drawing.container.replaceChildren();
    }
    try {
      const end = list[name](drawing.container, data);
      if (typeof end === "function") drawing.end = end;
      return true;
    } catch (thrown) {
      report(thrown);
      this.#erase(key);
      if (kind === "tool" && !this.#broken.has(name)) {
        this.#broken.add(name);
        this.#unrender(); // it answers no call
        this.#unrender = renders(this.agent, Object.keys(list).filter((each) => !this.#broken.has(each)));
      }
      return false;
    }
  }

  /**
   * @param {string} id
   * @param {string} status
   */
  #toolData(id, status) {
    const { messages } = this.agent;
    for (let i = messages.length - 1; i >= 0; i--) {
      const call = messages[i].toolCalls?.find((/** @type {any} */ each) => each.id === id);
      if (!call) continue;
      const result = messages.find((/** @type {any} */ each) => each.role === "tool" && each.toolCallId === id);
      const text = call.function.arguments;
      return {
        id, name: call.function.name, status, argumentsText: text, arguments: partialObject(this.#instance, text),
        result: result?.content, error: result?.error,
        dismiss: () => void this.#act(() => this.agent.dismiss(id)),
        respond: (/** @type {unknown} */ value, /** @type {any} */ options) => this.#respond(id, value, options),
      };
    }
    return undefined;
  }

  /** @param {string} id */
  #activityData(id) {
    const message = this.agent.messages.find((/** @type {any} */ each) => each.id === id);
    return message && { id, activityType: message.activityType, content: message.content };
  }

  /**
   * Answers a tool call from its renderer, once, and runs on when no other call or question waits.
   * @param {string} toolCallId
   * @param {unknown} value a string, or JSON
   * @param {any} options
   */
  #respond(toolCallId, value, options) {
    if (this.#gone || this.agent.messages.some((/** @type {any} */ each) => each.role === "tool" &&
      each.toolCallId === toolCallId)) {
      return;
    }
    this.#again = () => this.#rerun();
    void this.#act(() => this.agent.answer(toolCallId, value, { parameters: this.#with(), ...options }));
  }

  /** Takes away the drawings of what is gone. */
  #sweep() {
    if (this.#drawings.size === 0) return;
    const known = new Set();
    for (const message of this.agent.messages) {
      known.add(message.id);
      for (const call of message.toolCalls ?? []) known.add(call.id);
    }
    for (const [key, { owner }] of this.#drawings) if (!known.has(owner)) this.#erase(key);
  }

  /** @param {string} key */
  #erase(key) {
    const drawing = this.#drawings.get(key);
    this.#drawings.delete(key);
    drawing?.container.remove();
    if (typeof drawing?.end === "function") guarded(drawing.end, undefined);
  }
}

/**
 * Whether a file is of a type that an `accept` names.
 * @param {string} accept
 * @param {File} file
 */
function accepts(accept, { name, type }) {
  return accept.toLowerCase().split(",").map((each) => each.trim()).some((each) => (each.startsWith(".")
    ? name.toLowerCase().endsWith(each)
    : each === type || (each.endsWith("/*") && type.startsWith(each.slice(0, -1)))));
}

/**
 * Lets the first messages stand as they are for two frames: one that may be left out while it is out of sight
 * (style.css) begins with a guessed height, and would move those below it.
 * @param {ShadowRoot} root
 */
function settle(root) {
  const log = root.querySelector(".log");
  log?.setAttribute("aria-busy", "true");
  requestAnimationFrame(() => requestAnimationFrame(() => log?.removeAttribute("aria-busy")));
}

/**
 * Copies, and says so on the button for a while.
 * @param {HTMLElement} button
 * @param {string} text
 * @param {string[]} words before, done, failed
 */
async function copyText(button, text, [before, done, failed]) {
  let said = done;
  try {
    await navigator.clipboard.writeText(text);
  } catch (thrown) {
    said = failed;
    if (!globalThis.isSecureContext) console.warn(`agui: the clipboard needs HTTPS (${say(thrown)})`);
  }
  const node = button.firstChild;
  if (node === null) return;
  node.nodeValue = said;
  setTimeout(() => {
    node.nodeValue = before;
  }, 2000);
}
