// A server that keeps its runs and lets a client come back to them in one of the dialects, behind a line that is cut
// where a test says. It counts what would start a run.

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Numbers from a seed: the same ones each time. */
export function numbers(/** @type {number} */ seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * @typedef {{type: string, [key: string]: any}} Event
 * @typedef {object} Kept
 * @property {number} started how many requests started a run
 * @property {number} read how many read one
 * @property {string[]} stopped the runs that were stopped
 * @property {string} url
 */

/**
 * @param {{reply(f: (seen: any, response: any) => any): string}} server
 * @param {"sse-id" | "tanstack" | "agno" | "copilotkit" | "none"} dialect
 * @param {(input: any) => Event[]} script the events of a run
 * @param {(first: boolean, length: number, leg: number) => number} cut how many bytes of a leg get through; Infinity
 *   is all, and a good end
 * @returns {Kept}
 */
export function kept(server, dialect, script, cut) {
  /** @type {Map<string, {id: string, thread: string, events: Event[]}>} */
  const runs = new Map();
  let legs = 0;
  let read = () => {};
  /** @type {Kept} */
  const state = { started: 0, read: 0, stopped: [], url: "" };
  state.url = server.reply(async (seen, response) => {
    if (seen.requestUrl.endsWith("?read")) {
      read();
      return { body: "" };
    }
    const url = new URL(seen.requestUrl ?? seen.path, "http://x");
    const cors = {
      "access-control-allow-origin": seen.headers.origin ?? "*", "access-control-allow-credentials": "true",
    };
    const json = (/** @type {unknown} */ body, status = 200) => {
      response.writeHead(status, { ...cors, "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    let input = seen.json;
    /** @type {{id: string, thread: string, events: Event[]}[]} */
    let tell = [];
    let from = 0;
    let first = false;
    const after = (/** @type {string} */ cursor) => Number(cursor.split(":").at(-1)) + 1;
    if (seen.method === "GET") {
      const run = runs.get(url.searchParams.get("runId") ?? "");
      if (!url.searchParams.has("offset")) return json({ messages: [], activeRun: null, interrupts: null });
      if (!run) return json({ detail: "no such run" }, 404);
      state.read++;
      const offset = url.searchParams.get("offset") ?? "-1";
      [tell, from] = [[run], offset === "-1" ? 0 : after(offset)];
    } else if (input?.method === "agent/connect") {
      state.read++;
      tell = [...runs.values()].filter(({ thread }) => thread === input.body.threadId);
    } else if (input?.method === "agent/stop") {
      state.stopped.push(input.body.runId ?? "all");
      return json({ stopped: true });
    } else {
      const known = runs.get(input.runId);
      const marker = input.forwardedProps?.agnoBackground;
      if (known && dialect === "sse-id" && seen.headers["last-event-id"]) {
        state.read++;
        [tell, from] = [[known], after(String(seen.headers["last-event-id"]))];
      } else if (known && dialect === "agno" && marker?.lastEventIndex !== undefined) {
        state.read++;
        [tell, from] = [[known], marker.lastEventIndex + 1];
      } else {
        state.started++;
        first = true;
        const run = { id: input.runId, thread: input.threadId, events: script(input) };
        runs.set(run.id, run);
        tell = [run];
      }
    }
    const frames = tell.flatMap(({ id, events }) => events.map((event, i) => {
      if (dialect === "agno") {
        return `data: ${JSON.stringify({ ...event, metadata: { agnoBackground: { eventIndex: i, subIndex: 0 } } })}\n\n`;
      }
      return `${dialect === "sse-id" || dialect === "tanstack" ? `id: ${id}:${i}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
    })).slice(from);
    const bytes = Buffer.from(frames.join(""));
    const n = cut(first, bytes.length, legs++);
    response.writeHead(200, { ...cors, "content-type": "text/event-stream" });
    response.flushHeaders();
    if (n === Infinity) return void response.end(bytes);
    response.write(bytes.subarray(0, n));
    // A browser forgets what it has not read yet when a line breaks: the page says when it has read a first leg.
    if (first) {
      await Promise.race([new Promise((/** @type {(v: null) => void} */ resolve) => { read = () => resolve(null); }),
        sleep(5000)]);
    }
    await sleep(100);
    response.socket?.destroy();
  });
  return state;
}
