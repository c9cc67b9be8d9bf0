"use strict";

/** @typedef {import("./recording.js").Recording} Recording */

/**
 * Cuts a body after each blank line.
 * @param {string} body
 */
export function frames(body) {
  return body.match(/[\s\S]*?(?:\r\n\r\n|\n\n|\r\r)|[\s\S]+$/g) ?? [];
}

/**
 * The text of an input's last user message.
 * @param {any} input
 * @returns {string}
 */
export function lastWords(input) {
  const messages = Array.isArray(input?.messages) ? input.messages : [];
  const user = messages.findLast((/** @type {any} */ message) => message?.role === "user");
  if (typeof user?.content === "string") return user.content;
  if (!Array.isArray(user?.content)) return "";
  return user.content.map((/** @type {any} */ part) => (typeof part?.text === "string" ? part.text : "")).join(" ")
    .trim();
}

/**
 * Answers like the server that was recorded, frame by frame at its pace.
 * @param {Recording} recording
 * @param {AbortSignal | null | undefined} signal
 * @param {object} [how]
 * @param {number} [how.speed] 1 is the recorded pace, Infinity does not wait
 * @param {(body: string) => string} [how.adapt] puts this run's ids in the place of the recorded ones
 */
function answer(recording, signal, { speed = 1, adapt = (body) => body } = {}) {
  const list = frames(recording.response.body).map(adapt);
  const times = recording.times ?? list.map((_, index) => index * 25);
  const encoder = new TextEncoder();
  const start = performance.now();
  let next = 0;
  const body = new ReadableStream({
    async pull(controller) {
      const due = (/** @type {number} */ index) => (times[index] ?? times.at(-1) ??
        0) / speed - (performance.now() - start);
      if (next === list.length) {
        if (recording.broken) controller.error(new TypeError("Network error"));
        else controller.close();
        return;
      }
      await pause(due(next), signal);
      if (signal?.aborted) return controller.error(signal.reason);
      // What is due by now goes out together, as a network would do it.
      let text = "";
      while (next < list.length && text.length < 16_384 && (text === "" || due(next) <= 0)) text += list[next++];
      controller.enqueue(encoder.encode(text));
    },
  }, { highWaterMark: 0 });
  const { status, contentType } = recording.response;
  if (status === 204 || status === 205 || status === 304) return new Response(null, { status });
  return new Response(body, { status, headers: { "content-type": contentType } });
}

/**
 * @param {number} ms
 * @param {AbortSignal | null | undefined} signal
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  if (!(ms > 0) || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}

/**
 * The run that this one goes on from: recorded ids begin with the id of their run.
 * @param {any} input
 */
function beforehand(input) {
  const entry = input.resume?.[0];
  if (entry) {
    const yes = entry.status === "resolved" && entry.payload?.approved !== false;
    return { run: String(entry.interruptId).replace(/-[a-z]?\d+$/, ""), how: yes ? "resolved" : "cancelled" };
  }
  const last = input.messages?.at(-1);
  return last?.role === "tool" ? { run: String(last.toolCallId).replace(/-[a-z]?\d+$/, ""), how: "tool" } : null;
}

/**
 * Puts this run's ids in the place of the recorded ones.
 * @param {any} input
 * @param {string} [earlier] the run that this one goes on from
 */
function adapter(input, earlier) {
  const id = (/** @type {string} */ text) => JSON.stringify(text).slice(1, -1);
  const user = input.messages?.findLast((/** @type {any} */ message) => message.role === "user");
  const ids = new Map([["THREAD", input.threadId], ["RUN", earlier ?? input.runId], ["NEXT", input.runId],
    ["MESSAGE", user?.id ?? "MESSAGE"]]);
  return (/** @type {string} */ body) =>
    body.replace(/"(THREAD|RUN|NEXT|MESSAGE)(?=["-])/g, (_, name) => `"${id(ids.get(name) ?? name)}`);
}

/**
 * What chooses a recording for a request that goes on from none.
 * @typedef {(input: any) => Recording | Promise<Recording>} Choice
 */

/**
 * Chooses recordings in their order and around again.
 * @param {Recording[]} recordings at least one
 */
export function inTurn(recordings) {
  let next = 0;
  return Object.assign(() => recordings[next++ % recordings.length], {
    turn: (/** @type {number} */ index) => (next = index),
  });
}

/**
 * Answers requests with recorded runs. What follows an answer to a recorded question, or a result, is its recording's
 * `after`.
 */
export class Player {
  #choose;
  #speed;
  /** What answered each run, by its id. @type {Map<string, Recording>} */
  #told = new Map();

  /**
   * @param {Choice} choose
   * @param {number} speed 1 is the recorded pace, Infinity does not wait
   */
  constructor(choose, speed) {
    this.#choose = choose;
    this.#speed = speed;
  }

  /** @param {RequestInit | undefined} init a run's request, as fetch takes it */
  async answer(init) {
    const input = JSON.parse(String(init?.body));
    const before = beforehand(input);
    const recording = (before && this.#told.get(before.run)?.after?.[before.how]) || (await this.#choose(input));
    this.#told.set(input.runId, recording);
    // What was made to be replayed names no input; its ids stand for those of the run that asks.
    return answer(recording, init?.signal, {
      speed: this.#speed, adapt: recording.input ? undefined : adapter(input, before?.run),
    });
  }
}
