"use strict";

import { frames, lastWords } from "../../js/agent/player.js";

/** @typedef {import("../../js/agent/recording.js").Recording} Recording */
/**
 * @typedef {{input: any, run: {bytes: number, start: number}, status: number, contentType: string, chunks:
 *   Uint8Array[], times: number[], broken: boolean}} Taken
 */

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
      const taken = {
        input: parse(init?.body), run: of, status: 0, contentType: "", chunks: [], times: [], broken: false,
      };
      const response = await inner(request, init);
      // What is read on after a cut is counted; the recording is of the run's first response.
      const goesOn = Boolean(/** @type {any} */ (init)?.leg);
      taken.status = response.status;
      taken.contentType = response.headers.get("content-type") ?? "";
      if (!goesOn) this.#taken.push(taken);
      if (!response.body) return response;
      const reader = response.body.getReader();
      const body = new ReadableStream({
        pull: async (controller) => {
          const { done, value } = await reader.read().catch((/** @type {unknown} */ thrown) => {
            taken.broken = true;
            throw thrown;
          });
          if (done) return controller.close();
          if (goesOn) of.bytes += value.length;
          else this.#keep(taken, value);
          controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }, { highWaterMark: 0 }); // nothing waits here: what waits would be lost when the connection breaks
      const copied = new Response(body, {
        status: response.status, statusText: response.statusText, headers: response.headers,
      });
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
        response: { status: taken.status, contentType: taken.contentType, body },
        ...(taken.broken ? { broken: true } : {}),
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
