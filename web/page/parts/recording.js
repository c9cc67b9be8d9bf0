"use strict";

/**
 * A recorded run: what was asked and the answer's body, with the time at which each of its frames came. It holds no header
 * of the request, so no key can get into a file.
 * @typedef {object} Recording
 * @property {string} [name]
 * @property {string} [title]
 * @property {string} [prompt]
 * @property {any} [input] the RunAgentInput
 * @property {{status: number, contentType: string, body: string}} response
 * @property {number[]} [times] ms from the start, one for each frame of the body
 * @property {boolean} [broken] the connection broke after the body
 * @property {Record<string, Recording>} [after] what follows: "resolved" and "cancelled" for answers to interrupts, "tool" for results
 */

/** @typedef {{input: any, run: {bytes: number, start: number}, status: number, contentType: string, chunks: Uint8Array[], times: number[], broken: boolean}} Taken */

const FORMAT = "agui-recording";
/** Bytes of bodies kept for saving. The oldest runs go first. */
const MOST = 64 << 20;

/** Takes down what runs receive, on its way through fetch. */
export class Recorder {
  /** @type {Taken[]} */
  #taken = [];
  #size = 0;

  /**
   * Makes a fetch that records.
   * @param {typeof fetch} inner
   * @param {() => {bytes: number, start: number}} run the figures of the run that asks; its bytes are counted here
   * @returns {typeof fetch}
   */
  through(inner, run) {
    return async (request, init) => {
      const of = run();
      /** @type {Taken} */
      const taken = { input: parse(init?.body), run: of, status: 0, contentType: "", chunks: [], times: [], broken: false };
      const response = await inner(request, init);
      taken.status = response.status;
      taken.contentType = response.headers.get("content-type") ?? "";
      this.#taken.push(taken);
      if (!response.body) return response;
      const reader = response.body.getReader();
      const body = new ReadableStream({
        pull: async (controller) => {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          this.#keep(taken, value);
          controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }, { highWaterMark: 0 }); // nothing waits here: what waits would be lost when the connection breaks
      const copied = new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
      // A Response made here has no URL; errors name it, so it is carried over.
      Object.defineProperty(copied, "url", { value: response.url });
      return copied;
    };
  }

  /** @param {Taken} taken @param {Uint8Array} chunk */
  #keep(taken, chunk) {
    taken.run.bytes += chunk.length;
    // The chunk itself goes on to the reader, which may hand its memory away.
    taken.chunks.push(chunk.slice());
    taken.times.push(performance.now() - taken.run.start);
    this.#size += chunk.length;
    while (this.#size > MOST && this.#taken.length > 1 && this.#taken[0] !== taken) this.#forget();
  }

  #forget() {
    for (const chunk of this.#taken.shift()?.chunks ?? []) this.#size -= chunk.length;
  }

  /** Marks the latest run's connection as broken. */
  broke() {
    const last = this.#taken.at(-1);
    if (last) last.broken = true;
  }

  clear() {
    this.#taken = [];
    this.#size = 0;
  }

  get empty() {
    return this.#taken.length === 0;
  }

  /** @returns {Recording[]} */
  recordings() {
    return this.#taken.map((taken) => {
      const { body, times } = join(taken.chunks, taken.times);
      const prompt = lastWords(taken.input);
      return {
        title: prompt.slice(0, 80), prompt, input: taken.input, times,
        response: { status: taken.status, contentType: taken.contentType, body }, ...(taken.broken ? { broken: true } : {}),
      };
    });
  }

  /** The text of a file that `read` takes. */
  file() {
    return JSON.stringify({ format: FORMAT, version: 1, runs: this.recordings() }, null, 1);
  }
}

/** @param {any} body @returns {any} */
function parse(body) {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

/**
 * Joins chunks to a text and gives each of its frames the time of the chunk that ended it.
 * @param {Uint8Array[]} chunks
 * @param {number[]} arrivals
 */
export function join(chunks, arrivals) {
  const decoder = new TextDecoder();
  let body = "";
  /** The length of the text by the end of each chunk. */
  const ends = chunks.map((chunk) => (body += decoder.decode(chunk, { stream: true })).length);
  body += decoder.decode();
  const times = [];
  let at = 0;
  let chunk = 0;
  for (const frame of frames(body)) {
    at += frame.length;
    while (chunk < ends.length - 1 && ends[chunk] < at) chunk++;
    times.push(Math.round(arrivals[chunk] ?? 0));
  }
  return { body, times };
}

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
  return user.content.map((/** @type {any} */ part) => (typeof part?.text === "string" ? part.text : "")).join(" ").trim();
}

/**
 * Reads a file that was saved here, or a single recorded run.
 * @param {string} text
 * @returns {Recording[]} at least one
 * @throws {Error} in a person's words
 */
export function read(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Error("not JSON");
  }
  const runs = Array.isArray(file?.runs) ? file.runs : [file];
  for (const run of runs) {
    const response = run?.response;
    if (typeof response !== "object" || response === null || typeof response.body !== "string") throw new Error("no recorded runs");
    if (run.times !== undefined && !(Array.isArray(run.times) && run.times.every(Number.isFinite))) throw new Error("times are not numbers");
    response.status = Number.isInteger(response.status) && response.status >= 200 && response.status <= 599 ? response.status : 200;
    response.contentType = typeof response.contentType === "string" ? response.contentType : "text/event-stream";
  }
  if (runs.length === 0) throw new Error("no recorded runs");
  return runs;
}

/**
 * Answers like the server that was recorded, frame by frame at its pace.
 * @param {Recording} recording
 * @param {AbortSignal | null | undefined} signal
 * @param {object} [how]
 * @param {number} [how.speed] 1 is the recorded pace, Infinity does not wait
 * @param {(body: string) => string} [how.adapt] puts this run's ids in the place of the recorded ones
 */
export function answer(recording, signal, { speed = 1, adapt = (body) => body } = {}) {
  const list = frames(recording.response.body).map(adapt);
  const times = recording.times ?? list.map((_, index) => index * 25);
  const encoder = new TextEncoder();
  const start = performance.now();
  let next = 0;
  const body = new ReadableStream({
    async pull(controller) {
      const due = (/** @type {number} */ index) => (times[index] ?? times.at(-1) ?? 0) / speed - (performance.now() - start);
      if (next === list.length) {
        if (recording.broken) controller.error(new TypeError("network error"));
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
