"use strict";

import { byId } from "./dom.js";
import { language, say } from "./texts.js";
import { tools } from "./tools.js";

/** @typedef {import("./sources.js").Source} Source */
/** @typedef {import("./log.js").Run} Run */

/**
 * What hears of a chat's runs.
 * @typedef {object} Observer
 * @property {() => Run} begin a run begins
 * @property {(run: Run, event: any) => void} event
 * @property {(run: Run | null, warning: any) => void} warning
 * @property {(run: Run, error: any) => void} finish
 * @property {() => void} changed messages, state or whether it works
 * @property {(inner: typeof fetch, run: () => Run) => typeof fetch} recording
 * @property {(connection: import("../../js/agui.d.ts").Connection) => void} connection
 */

/** A conversation with one source: an agent, the view of it, and the observer that is told of its runs. */
export class Chat {
  agent;
  /** False after a delta that failed, until the next snapshot. */
  stateInSync = true;
  #observer;
  /** @type {import("../../js/agui.d.ts").Mounted | undefined} */
  #mounted;
  /** The run that goes on, or the last one. @type {Run | null} */
  #run = null;
  /** The thread that a replay goes on with. */
  #thread = "";
  /** What the page itself asked for and is not over. */
  #asked = 0;
  #closed = false;
  /** There are abilities to pick from. */
  #guided;
  /** Its runs are read on after a cut. */
  readsOn;

  /** @param {Source} source @param {Observer} observer */
  constructor(source, observer) {
    this.#observer = observer;
    this.#guided = source.abilities.length > 0;
    this.readsOn = source.reconnect !== undefined;
    const { url, headers = {}, reconnect } = source;
    const inner = source.fetch ?? ((request, init) => fetch(request, init));
    this.agent = new agui.HttpAgent({
      url, headers, reconnect, tools: source.kind === "file" ? [] : tools,
      fetch: observer.recording(inner, () => this.#run ?? this.#begin()),
      onWarning: (warning) => {
        if (warning.code === "patch_failed" && warning.event?.type === "STATE_DELTA") this.stateInSync = false;
        observer.warning(this.#run, warning);
      },
    });
    let failed = false;
    this.agent.subscribe({
      onRunInitialized: () => void this.#begin(),
      onConnectionChanged: ({ connection }) => observer.connection(connection),
      onRunFailed: ({ error }) => {
        failed = true;
        if (this.#run) observer.finish(this.#run, error);
      },
      onRunFinalized: () => {
        if (this.#run && !failed) observer.finish(this.#run, null);
        failed = false;
      },
    });
    this.agent.watch((event) => {
      if (event.type === "STATE_SNAPSHOT") this.stateInSync = true;
      observer.event(this.#run ?? this.#begin(), event);
    });
    this.agent.onChange(() => observer.changed());
    this.mount();
  }

  /** Draws the view in the page's language. */
  mount() {
    /** @type {Record<string, string>} */
    const labels = this.#guided ? { empty: say("talk.empty") } : {};
    this.#mounted = agui.mount(byId("view"), { agent: this.agent, lang: language, labels });
  }

  /**
   * Goes on with what another one has.
   * @param {Chat} other
   */
  takeOver({ agent }) {
    const { messages, state, threadId, pendingInterrupts } = agent;
    Object.assign(this.agent, { threadId });
    this.agent.setMessages([...messages]);
    this.agent.setState(state);
    this.agent.pendingInterrupts = [...pendingInterrupts];
  }

  get messages() {
    return this.agent.messages;
  }

  get state() {
    return this.agent.state;
  }

  get working() {
    return this.agent.isRunning || this.#asked > 0;
  }

  #begin() {
    this.#run = this.#observer.begin();
    return this.#run;
  }

  /**
   * Says something for the person. What still goes on is stopped, what is asked is cancelled: the next run has to
   * answer it.
   * @param {string} text
   */
  send(text) {
    return this.#ask(async () => {
      await this.agent.detachActiveRun();
      const open = this.agent.pendingInterrupts;
      if (open.length > 0) {
        await this.agent.resume(open.map(({ id }) => ({ interruptId: id, status: "cancelled" })));
      }
      if (!this.#closed) await this.agent.send(text);
    });
  }

  /**
   * Sends a recorded input again. One of the same thread goes on with the conversation that is there.
   * @param {any} input
   * @returns {Promise<void>} when the run is over
   */
  replay(input) {
    return this.#ask(async () => {
      await this.agent.detachActiveRun();
      const { messages = [], state = {}, threadId, runId, resume } = input ?? {};
      const { agent } = this;
      if (threadId === undefined || threadId !== this.#thread) {
        agent.setMessages(messages);
        agent.setState(state);
        agent.pendingInterrupts = [];
        this.#thread = threadId;
        agent.threadId = threadId ?? agent.threadId;
      } else {
        const known = new Set(agent.messages.map(({ id }) => id));
        agent.addMessages(messages.filter((/** @type {any} */ { id }) => !known.has(id)));
      }
      // A file may begin with an answer: then what it answers is open.
      if (resume && agent.pendingInterrupts.length === 0) {
        agent.pendingInterrupts = resume.map(
          (/** @type {any} */ { interruptId }) => ({ id: interruptId, reason: "input_required" }));
      }
      if (!resume) agent.pendingInterrupts = [];
      await agent.runAgent({ runId, resume });
    });
  }

  /** The next replay begins anew. */
  rewind() {
    this.#thread = "";
  }

  /** @param {() => Promise<any>} action */
  async #ask(action) {
    this.#asked++;
    this.#observer.changed();
    const before = this.#run;
    try {
      await action();
    } catch (error) {
      // The view shows what became of a run; what kept one from beginning is shown here.
      if (!this.#closed && (this.#run === before || this.#run?.end === 0)) this.#refused(error);
    } finally {
      this.#asked--;
      this.#observer.changed();
    }
  }

  /** @param {any} error */
  #refused(error) {
    byId("failure").textContent = error?.code ? `${error.code}: ${error.message}` : String(error?.message ?? error);
    byId("failure").hidden = false;
  }

  /** Puts the keyboard where one writes. */
  focus() {
    /** @type {any} */ (byId("view").shadowRoot?.querySelector('[part~="input"]'))?.focus();
  }

  close() {
    this.#closed = true;
    byId("failure").hidden = true;
    this.#mounted?.unmount();
    this.agent.abortRun();
    this.agent.dispose();
  }
}
