"use strict";

import { byId, eachFrame, make, pretty } from "./dom.js";
import { say } from "./texts.js";
import { offered, use } from "./tools.js";

/** @typedef {import("./sources.js").Source} Source */

/**
 * What the chat tells the page about its runs.
 * @typedef {object} Observer
 * @property {(label: string) => any} begin gives the run's entry in the log
 * @property {(run: any, event: any) => void} event
 * @property {(run: any, warning: any) => void} warning
 * @property {(run: any, error?: any) => void} finish
 * @property {(snapshots: {messages: readonly any[], state: any, stateInSync: boolean}) => void} snapshots
 * @property {(working: boolean) => void} working
 * @property {(inner: typeof fetch, run: any) => typeof fetch} recording
 */

/** A conversation: it keeps what goes from run to run, runs the page's tools and draws the messages. */
export class Chat {
  /** @type {readonly any[]} */
  messages = [];
  /** @type {any} */
  state = {};
  #threadId = crypto.randomUUID();
  /** @type {readonly any[]} */
  #interrupts = [];
  /** @type {any} */
  #subscription = null;
  /** @type {Source} */
  #source;
  #observer;
  #drawSoon = eachFrame(() => this.#draw());
  /** What each drawn item shows. @type {{id: string, message: any, element: any}[]} */
  #items = [];
  /** Grows with each new start: what belongs to an older one is dropped. */
  #turn = 0;

  /** @param {Source} source @param {Observer} observer */
  constructor(source, observer) {
    this.#source = source;
    this.#observer = observer;
    byId("messages").replaceChildren();
    this.#draw();
    this.#told();
  }

  get busy() {
    return this.#subscription !== null;
  }

  /** @param {string} text */
  send(text) {
    if (this.busy) return;
    this.messages = [...this.messages, { id: crypto.randomUUID(), role: "user", content: text }];
    const resume = this.#interrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" }));
    this.#run(text, resume.length > 0 ? { resume } : {});
  }

  /**
   * Sends a recorded input again.
   * @param {any} input
   * @returns {Promise<void>} when the run is over
   */
  replay(input) {
    if (Array.isArray(input?.messages)) this.messages = input.messages;
    if (input?.state !== undefined) this.state = input.state;
    if (typeof input?.threadId === "string") this.#threadId = input.threadId;
    const { resume, runId, parentRunId } = input ?? {};
    return this.#run("", { resume, runId, parentRunId }, false);
  }

  /** Answers all open questions alike. @param {boolean} yes */
  #reply(yes) {
    const resume = this.#interrupts.map(({ id }) => ({ interruptId: id, status: yes ? "resolved" : "cancelled" }));
    this.#run(say(yes ? "talk.yes" : "talk.no"), { resume });
  }

  stop() {
    this.#turn++;
    if (!this.busy) return;
    this.#subscription.unsubscribe();
    this.#over(null);
  }

  #run(/** @type {string} */ label, /** @type {any} */ more, answering = true) {
    this.#turn++;
    byId("failure").hidden = true;
    const { url, headers } = this.#source;
    const run = this.#observer.begin(label);
    this.#observer.working(true);
    return new Promise((/** @type {(v?: undefined) => void} */ resolve) => {
      this.#over = (error) => {
        const { messages, state, interrupts, pendingToolCallIds } = this.#subscription;
        this.messages = messages;
        this.state = state;
        this.#interrupts = error ? [] : interrupts ?? [];
        this.#observer.snapshots(this.#subscription);
        this.#subscription = null;
        this.#observer.finish(run, error);
        this.#draw();
        this.#observer.working(false);
        resolve();
        if (!error && answering && this.#interrupts.length === 0) this.#useTools(pendingToolCallIds ?? [], this.#turn);
      };
      this.#subscription = agui.run(
        { threadId: this.#threadId, messages: this.messages.filter(({ role }) => role !== "activity"), state: this.state, tools: offered, ...more },
        {
          url, headers, fetch: this.#observer.recording(this.#source.fetch ?? ((request, init) => fetch(request, init)), run),
          onWarning: (warning) => this.#observer.warning(run, warning),
        },
      ).subscribe({
        next: (event) => {
          this.#observer.event(run, event);
          this.#drawSoon();
        },
        error: (error) => {
          byId("failure").textContent = `${error.code}: ${error.message}`;
          byId("failure").hidden = false;
          this.#over(error);
        },
        complete: () => this.#over(null),
      });
      this.#observer.snapshots(this.#subscription);
      this.#draw();
    });
  }

  /** @type {(error: any) => void} */
  #over = () => {};

  /** @param {string[]} ids @param {number} turn */
  async #useTools(ids, turn) {
    const calls = this.messages.flatMap((message) => message.toolCalls ?? []).filter((call) => ids.includes(call.id) && offered.some(({ name }) => name === call.function.name));
    const results = await Promise.all(calls.map(async (call) => (
      { id: crypto.randomUUID(), role: "tool", toolCallId: call.id, content: await use(call) })));
    if (turn !== this.#turn || this.busy || results.length === 0) return;
    this.messages = [...this.messages, ...results];
    this.#run(calls.map((call) => call.function.name).join(", "), {});
  }

  #told() {
    this.#observer.snapshots({ messages: this.messages, state: this.state, stateInSync: true });
  }

  /** Draws what has changed. */
  #draw() {
    const box = byId("messages");
    const scroller = byId("conversation");
    const messages = this.#subscription?.messages ?? this.messages;
    const following = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 80;
    messages.forEach((/** @type {any} */ message, /** @type {number} */ index) => {
      const item = this.#items[index];
      if (item?.message === message) return;
      if (item?.id === message.id && item.message.role === message.role) {
        this.#update(item, message);
        return;
      }
      const element = this.#element(message);
      if (item) item.element.replaceWith(element);
      else box.append(element);
      this.#items[index] = { id: message.id, message, element };
    });
    for (const { element } of this.#items.splice(messages.length)) element.remove();
    byId("talk-empty").hidden = messages.length > 0;
    byId("questions").replaceChildren(...(this.busy ? [] : this.#questions()));
    if (following) scroller.scrollTop = scroller.scrollHeight;
  }

  /** @param {any} message */
  #element(message) {
    const body = make("div", { class: "body" });
    const element = make("li", { "data-role": message.role, "data-id": message.id },
      make("p", { class: "role", "data-text": `role.${message.role}`, text: say(`role.${message.role}`) }), body);
    fillBody(body, message);
    return element;
  }

  /** @param {{message: any, element: any}} item @param {any} message */
  #update(item, message) {
    const body = item.element.lastChild;
    const before = item.message.content;
    const text = body.firstChild?.firstChild;
    // A text that only grows gets its new part appended.
    if (typeof before === "string" && before !== "" && typeof message.content === "string" && message.content.startsWith(before) &&
        !message.toolCalls && text?.nodeType === Node.TEXT_NODE) {
      text.appendData(message.content.slice(before.length));
    } else {
      fillBody(body, message);
    }
    item.message = message;
  }

  #questions() {
    if (this.#interrupts.length === 0) return [];
    return [
      ...this.#interrupts.map((question) => make("p", { text: question.message ?? question.reason })),
      make("p", { class: "answers" },
        make("button", { type: "button", id: "answer-yes", class: "primary", text: say("talk.yes"), onclick: () => this.#reply(true) }),
        make("button", { type: "button", id: "answer-no", text: say("talk.no"), onclick: () => this.#reply(false) })),
    ];
  }

  translate() {
    this.#draw();
  }
}

/** @param {any} body @param {any} message */
function fillBody(body, message) {
  body.replaceChildren();
  const { content } = message;
  if (typeof content === "string" && content !== "") body.append(make("p", { class: "text", text: content }));
  else if (Array.isArray(content)) body.append(...content.map(part));
  else if (content) body.append(make("pre", { text: pretty(content) }));
  for (const call of message.toolCalls ?? []) {
    body.append(make("pre", { class: "call", text: `${call.function.name}(${call.function.arguments})` }));
  }
}

/** @param {any} given */
function part(given) {
  if (given.type === "text") return make("p", { class: "text", text: given.text });
  const source = given.source ?? {};
  const url = source.type === "data" ? `data:${source.mimeType};base64,${source.value}` : source.value;
  if (given.type === "image" && source.type === "data") return make("img", { src: url, alt: "" });
  if (given.type === "audio" && source.type === "data") return make("audio", { src: url, controls: true });
  return make("p", { class: "text", text: `${given.type} (${source.mimeType ?? source.type ?? ""})` });
}
