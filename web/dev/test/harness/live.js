// A server whose runs a test drives event by event: they go on without anybody who reads, and can be read again.

/**
 * @typedef {object} Live
 * @property {string} url
 * @property {(...events: any[]) => void} emit goes on with the latest run; a terminal event ends it
 * @property {(is: boolean) => void} down answers nothing but 503
 * @property {() => void} forget loses all runs
 * @property {() => void} cut breaks the open connections
 * @property {() => void} beat sends a comment to who reads
 * @property {() => void} hush says nothing more on the open connections, and leaves them open
 * @property {any[]} posts the inputs of the requests that started a run
 * @property {any[]} reads what was asked for by requests that read
 * @property {() => Promise<void>} posted resolves when another run has begun
 */

/**
 * @param {{reply(f: (seen: any, response: any) => any): string}} server
 * @param {"sse-id" | "tanstack" | "agno" | "copilotkit" | "none"} dialect
 * @returns {Live}
 */
export function live(server, dialect) {
  /** @type {{id: string, thread: string, input: any, events: any[], over: boolean, readers: Set<any>}[]} */
  const runs = [];
  const withIds = dialect === "sse-id" || dialect === "tanstack";
  const marked = (/** @type {any} */ event, /** @type {number} */ i) =>
    (dialect === "agno" ? { ...event, metadata: { agnoBackground: { eventIndex: i, subIndex: 0 } } } : event);
  const frame = (/** @type {any} */ run, /** @type {number} */ i) =>
    `${withIds ? `id: ${run.id}:${i}\n` : ""}data: ${JSON.stringify(marked(run.events[i], i))}\n\n`;
  /** @type {(() => void)[]} */
  const waiting = [];
  let begun = 0;
  let seenBegun = 0;
  let down = false;
  /** @type {Live} */
  const state = {
    url: "", posts: [], reads: [],
    emit: (...events) => {
      const run = /** @type {any} */ (runs.at(-1));
      for (const event of events) {
        run.events.push(event);
        for (const response of run.readers) response.write(frame(run, run.events.length - 1));
        if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") {
          run.over = true;
          for (const response of run.readers) response.end();
        }
      }
    },
    down: (is) => { down = is; },
    forget: () => void runs.splice(0),
    cut: () => {
      for (const { readers } of runs) {
        for (const response of readers) response.socket?.destroy();
        readers.clear();
      }
    },
    beat: () => {
      for (const { readers } of runs) for (const response of readers) response.write(": beat\n\n");
    },
    hush: () => {
      for (const { readers } of runs) readers.clear();
    },
    posted: async () => {
      if (begun === seenBegun) {
        await new Promise((/** @type {(v?: any) => void} */ resolve) => waiting.push(() => resolve()));
      }
      seenBegun++;
    },
  };
  state.url = server.reply(async (seen, response) => {
    const cors = {
      "access-control-allow-origin": seen.headers.origin ?? "*", "access-control-allow-credentials": "true",
      "access-control-allow-headers": "content-type, last-event-id, x-run-id",
    };
    const url = new URL(seen.requestUrl ?? seen.path, "http://x");
    const json = (/** @type {unknown} */ body, status = 200) => {
      response.writeHead(status, { ...cors, "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const stream = (/** @type {any[]} */ list, from = 0) => {
      response.writeHead(200, { ...cors, "content-type": "text/event-stream" });
      response.write(": here\n\n"); // Firefox gives a response with its first bytes
      for (const run of list) {
        const last = run === list.at(-1);
        for (let i = last ? from : 0; i < run.events.length; i++) response.write(frame(run, i));
      }
      const run = list.at(-1);
      if (!run || run.over) return void response.end();
      run.readers.add(response);
      response.on("close", () => run.readers.delete(response));
    };
    const after = (/** @type {string} */ cursor) => Number(cursor.split(":").at(-1)) + 1;
    if (down) return json({ detail: "down" }, 503);
    if (seen.method === "GET") {
      state.reads.push(Object.fromEntries(url.searchParams));
      const run = runs.find(({ id }) => id === url.searchParams.get("runId"));
      const offset = url.searchParams.get("offset");
      if (offset === null) {
        const thread = runs.filter((each) => each.thread === url.searchParams.get("threadId"));
        const messages = thread.flatMap((each) => each.input.messages.slice(-1));
        return json({
          messages, activeRun: thread.length > 0 && !thread.at(-1)?.over ? { runId: thread.at(-1)?.id } : null,
          interrupts: null,
        });
      }
      return run ? stream([run], offset === "-1" ? 0 : after(offset)) : json({ detail: "gone" }, 404);
    }
    const input = seen.json;
    if (input?.method === "agent/connect") {
      state.reads.push(input.body);
      return stream(runs.filter(({ thread }) => thread === input.body.threadId));
    }
    const cursor = seen.headers["last-event-id"] ?? input.forwardedProps?.agnoBackground?.lastEventIndex;
    if (cursor !== undefined) {
      state.reads.push({ cursor, runId: input.runId });
      const run = runs.find(({ id }) => id === input.runId);
      return run ? stream([run], after(String(cursor))) : json({ detail: "gone" }, 410);
    }
    state.posts.push(input);
    const run = {
      id: input.runId, thread: input.threadId, input, events: /** @type {any[]} */ ([]), over: false,
      readers: new Set(),
    };
    runs.push(run);
    run.events.push({
      type: "RUN_STARTED", threadId: run.thread, runId: run.id,
      ...(dialect === "copilotkit" ? { input: { ...input } } : {}),
    });
    stream([run]);
    begun++;
    for (const f of waiting.splice(0)) f();
  });
  return state;
}
