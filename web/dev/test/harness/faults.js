// A server whose answers are scripted: it sends what a test says, as slowly and as brokenly as the test says, and
// remembers every request and when its socket closed.
import { createServer } from "node:http";

/**
 * @typedef {object} Reply
 * @property {number} [status]
 * @property {Record<string, string>} [headers]
 * @property {string | Buffer | (string | Buffer)[]} [body] one piece, or several with `delay` between them
 * @property {number} [cut] bytes per write
 * @property {number} [delay] milliseconds between writes
 * @property {Promise<void>} [gate] what is awaited before the second write
 * @property {number} [late] milliseconds before the headers
 * @property {boolean} [open] keeps the connection open after the body
 * @property {boolean} [reset] breaks the connection after the body
 * @property {boolean} [noCors] leaves the CORS headers out
 *
 * @typedef {object} Seen
 * @property {string} method
 * @property {string} path
 * @property {string} requestUrl path and query
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {string[]} rawHeaders
 * @property {string} body
 * @property {any} json
 * @property {number} at
 * @property {boolean} closed the client closed its side before the answer was over
 * @property {Promise<number>} gone resolves with performance.now() when the answer's socket is closed
 */

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the server on a free port of 127.0.0.1. */
export async function faultServer() {
  /** @type {Seen[]} */
  const requests = [];
  /** @type {Seen[]} */
  const preflights = [];
  /**
   * @type {Map<string, Reply | ((seen: Seen, response: import("node:http").ServerResponse) => Reply | void |
   *   Promise<Reply | void>)>}
   */
  const replies = new Map();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const cors = {
      "access-control-allow-origin": request.headers.origin ?? "*",
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "content-type, accept",
      "access-control-allow-methods": "POST, GET, OPTIONS",
      "access-control-expose-headers": "retry-after",
      "access-control-max-age": "0",
    };
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("error", () => {});
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    /** @type {Seen} */
    const seen = {
      method: request.method ?? "", path, headers: request.headers, rawHeaders: request.rawHeaders, body,
      json: undefined,
      at: performance.now(), closed: false, gone: Promise.resolve(0), requestUrl: request.url ?? "",
    };
    try {
      seen.json = JSON.parse(body);
    } catch {}
    seen.gone = new Promise((resolve) => response.on("close", () => {
      seen.closed = !response.writableFinished;
      resolve(performance.now());
    }));
    if (request.method === "OPTIONS") {
      preflights.push(seen);
      const reply = replies.get(path);
      response.writeHead(204, typeof reply === "object" && reply.noCors ? {} : cors);
      return response.end();
    }
    requests.push(seen);
    const scripted = replies.get(path);
    if (!scripted) {
      response.writeHead(404, { ...cors, "content-type": "text/plain" });
      return response.end("nothing is scripted here");
    }
    const reply = typeof scripted === "function" ? await scripted(seen, response) : scripted;
    if (!reply) return;
    if (reply.late) await sleep(reply.late);
    response.writeHead(reply.status ?? 200, {
      ...(reply.noCors ? {} : cors), "content-type": "text/event-stream", ...reply.headers,
    });
    response.flushHeaders();
    const pieces = Array.isArray(reply.body) ? reply.body : [reply.body ?? ""];
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && reply.delay) await sleep(reply.delay);
      if (index > 0) await reply.gate;
      const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(piece, "utf8");
      const step = reply.cut ?? bytes.length;
      for (let i = 0; i < bytes.length; i += step) {
        if (i > 0 && reply.delay && reply.cut) await sleep(reply.delay);
        if (response.destroyed) return;
        if (!response.write(bytes.subarray(i, i + step))) {
          await Promise.race([new Promise((r) => response.once("drain", r)), seen.gone]);
        }
      }
    }
    if (reply.reset) {
      await sleep(400); // what was written must be read first: a reset takes back what still waits
      response.socket?.resetAndDestroy();
    } else if (!reply.open) response.end();
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${address.port}`;
  let count = 0;
  return {
    origin,
    requests,
    preflights,
    /** Scripts an answer; gives its URL. */
    reply(
      /** @type {Reply | ((seen: Seen, response: import("node:http").ServerResponse) => Reply | void | Promise<Reply | void>)} */ reply) {
      const path = `/agent-${++count}`;
      replies.set(path, reply);
      return origin + path;
    },
    /** The requests that came to a URL, preflights left out. */
    seen(/** @type {string} */ url) {
      const path = new URL(url).pathname;
      return requests.filter((r) => r.path === path);
    },
    /**
     * Waits until the first request to a URL is cancelled: the client has closed its socket before the answer was over.
     * Rejects if it is not within 5 s. Gives when, as performance.now() does.
     */
    async cancelled(/** @type {string} */ url) {
      const [seen] = this.seen(url);
      if (!seen) throw new Error("there was no request");
      const gone = await Promise.race([seen.gone, sleep(5000)]);
      if (!gone || !seen.closed) throw new Error("the request is not cancelled");
      return gone;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The frames of events. */
export const sse = (/** @type {object[]} */ ...events) => events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join("");

export const started = { type: "RUN_STARTED", threadId: "t1", runId: "r1" };
export const finished = { type: "RUN_FINISHED", threadId: "t1", runId: "r1" };

/** The events of a text message. */
export const text = (/** @type {string} */ id, /** @type {string[]} */ ...deltas) => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
  { type: "TEXT_MESSAGE_END", messageId: id },
];
