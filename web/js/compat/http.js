"use strict";

// From a response to events, over the runtime's own reading: frames, limits and faults are those of every run.

import { AGUIError, HttpAgent, Observable } from "aguiwasm";
import { resolveDebugLogger } from "./debug.js";

/** Nothing is sent there: the response is given. */
const NOWHERE = "https://events.invalid/";
const SSE = "text/event-stream";
const PROTO = "application/vnd.ag-ui.event+proto";

/**
 * Makes a request when it is subscribed to, and gives its response: {type: "headers", status, headers}, then
 * {type: "data", data} for each chunk. Unsubscribing stops the reading. A status of failure is an error
 * http_status with status and payload.
 * @param {() => Promise<Response>} fetchResponse
 */
export function runHttpRequest(fetchResponse) {
  return new Observable((observer) => {
    let on = true;
    /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
    let reader;
    (async () => {
      const response = await fetchResponse();
      if (!response.ok) throw await refused(response);
      reader = response.body?.getReader();
      if (!reader) throw new AGUIError("incomplete_stream", "The response has no body.");
      if (!on) return reader.cancel();
      observer.next(/** @type {any} */ ({ type: "headers", status: response.status, headers: response.headers }));
      for (;;) {
        const { done, value } = await reader.read();
        if (done || !on) break;
        observer.next(/** @type {any} */ ({ type: "data", data: value }));
      }
      if (on) observer.complete();
    })().catch((thrown) => {
      if (on) observer.error(thrown);
    });
    return () => {
      on = false;
      reader?.cancel().catch(() => {});
    };
  });
}

/** @param {Response} response */
async function refused(response) {
  const text = await response.text();
  /** @type {any} */
  let payload = text;
  try {
    if (response.headers.get("content-type")?.includes("application/json")) payload = JSON.parse(text);
  } catch {
    // It is no JSON, whatever it is called.
  }
  const { status } = response;
  const said = typeof payload === "string" ? payload : JSON.stringify(payload);
  return new AGUIError("http_status", `HTTP ${status}: ${said}`, { status, payload });
}

/**
 * Gives the events of a response as runHttpRequest tells it, protobuf or server-sent events as its content type says.
 * Events come as they were sent: chunks are not expanded.
 * @param {any} source
 * @param {import("../agui.compat.d.ts").DebugLoggerInput} [debugLogger]
 */
export function transformHttpEventStream(source, debugLogger) {
  const log = resolveDebugLogger(debugLogger);
  return events(source, log, (headers) => {
    const contentType = headers.get("content-type");
    const parser = contentType === PROTO ? "protobuf" : "sse";
    log?.lifecycle("HTTP", "Stream format detected:", { contentType, parser });
    return contentType ?? "";
  }, "HTTP", false);
}

/** As transformHttpEventStream, of server-sent events. @param {any} source @param {any} [debugLogger] */
export function parseSSEStream(source, debugLogger) {
  return events(source, resolveDebugLogger(debugLogger), () => SSE, "SSE");
}

/** As transformHttpEventStream, of the protobuf encoding. @param {any} source @param {any} [debugLogger] */
export function parseProtoStream(source, debugLogger) {
  return events(source, resolveDebugLogger(debugLogger), () => PROTO, "PROTO");
}

/**
 * @param {any} source
 * @param {import("./debug.js").DebugLogger | undefined} log
 * @param {(headers: Headers) => string} typeOf gives the content type
 * @param {string} stage
 * @param {boolean} [bare] data may come without headers
 */
function events(source, log, typeOf, stage, bare = true) {
  return new Observable((observer) => {
    const { response, stop } = responseOf(source, typeOf, bare);
    const agent = new HttpAgent({ url: NOWHERE, headers: {}, fetch: () => response });
    const input = { threadId: "", runId: "", messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
    const subscription = agent.run(input).subscribe({
      next: (/** @type {any} */ event) => {
        log?.event(stage, "Event received:", event, { type: event.type });
        observer.next(event);
      },
      error: (/** @type {unknown} */ error) => observer.error(error),
      complete: () => observer.complete(),
    });
    return () => {
      subscription.unsubscribe();
      stop();
    };
  });
}

/**
 * Puts a response together again.
 * @param {any} source
 * @param {(headers: Headers) => string} typeOf
 * @param {boolean} bare data may come without headers
 * @returns {{response: Promise<Response>, stop: () => void}}
 */
function responseOf(source, typeOf, bare) {
  /** @type {any} */
  let subscription;
  let stopped = false;
  const stop = () => {
    stopped = true;
    subscription?.unsubscribe();
  };
  /** @type {Promise<Response>} */
  const response = new Promise((resolve, reject) => {
    /** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
    let body;
    const answer = (/** @type {number} */ status, /** @type {Headers} */ headers) => {
      const stream = new ReadableStream({ start: (controller) => void (body = controller), cancel: stop });
      resolve(new Response(stream, { status, headers: { "content-type": typeOf(headers) } }));
    };
    subscription = source.subscribe({
      next: (/** @type {any} */ event) => {
        if (stopped) return;
        if (event.type === "headers" && !body) answer(event.status ?? 200, event.headers);
        else if (event.type === "data" && bare && !body) answer(200, new Headers());
        if (event.type === "headers") return;
        if (body) body.enqueue(event.data);
        else {
          reject(new AGUIError("network", "No headers event received before data events."));
          stop();
        }
      },
      error: (/** @type {unknown} */ error) => (body && !stopped ? body.error(error) : reject(error)),
      complete: () => {
        if (!body) answer(200, new Headers({ "content-type": SSE }));
        if (!stopped) body?.close();
      },
    });
    if (stopped) subscription.unsubscribe();
  });
  return { response, stop };
}
