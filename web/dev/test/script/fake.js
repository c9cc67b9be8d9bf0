// A stand-in for the Go program: it reads `data:` lines, delivers each event as it came, and ends a run with its
// stream.

import { queue } from "../../../js/core/queue.js";

export class FakeInstance {
  dead = false;
  /** What happened, in order. */
  log = [];
  runs = new Map();

  start(id, options, input, client) {
    this.log.push(["start", options, input]);
    if (options.url?.includes("refuse")) return { failure: { code: "bad_input", message: "refused" } };
    this.runs.set(id, { client, options, text: "", decoder: new TextDecoder(), asked: [], terminal: false });
    return options.fetch ? { request: { method: "POST", url: options.url, headers: options.headers ?? [],
      body: input } } : {};
  }

  response(id, response) {
    if (!this.runs.has(id)) return undefined;
    return response.status === 200 ? 0 : 100;
  }

  body(id, text) {
    return this.over(id, [2, { code: "http_status", message: "status", payload: text }]);
  }

  failed(id, thrown, what) {
    const run = this.runs.get(id);
    if (!run) return 2;
    run.client.blame(thrown);
    return this.over(id, [2, { code: "network", message: `${what}: ${thrown?.message}` }]);
  }

  over(id, entry) {
    const run = this.runs.get(id);
    this.runs.delete(id);
    run.client.lane.push(entry);
    queue.schedule();
    return 2;
  }

  push(id, bytes) {
    const run = this.runs.get(id);
    if (!run) return 2;
    this.log.push(["push", bytes.length]);
    run.text += run.decoder.decode(bytes, { stream: true });
    const frames = run.text.split("\n\n");
    run.text = frames.pop();
    for (const frame of frames) {
      if (!frame.startsWith("data:")) continue;
      const event = JSON.parse(frame.slice(5));
      if (event.type === "TRAP") return this.die();
      run.terminal = event.type === "RUN_FINISHED";
      const ops = event.type === "STATE_SNAPSHOT" ? [8, ["state"], ["snapshot"]] : 0;
      if (event.warn) run.client.lane.push([1, event.warn, "a warning", event]);
      if (run.options.mode === "stepped") run.asked.push(event);
      else run.client.lane.push([0, event, ops]);
    }
    return this.ask(run);
  }

  ask(run) {
    if (run.asked.length > 0) {
      run.client.lane.push([4, run.asked[0]]);
      return 4;
    }
    return run.terminal ? 1 : 0;
  }

  step(id, apply) {
    const run = this.runs.get(id);
    if (!run) return 2;
    const event = run.asked.shift();
    this.log.push(["step", event.type, apply]);
    if (apply) run.client.lane.push([5, [0, ["state"], event.type]]);
    return this.ask(run);
  }

  end(id) {
    const run = this.runs.get(id);
    if (!run) return 2;
    return this.over(id, run.terminal ? [3] : [2, { code: "incomplete_stream", message: "the stream ended early" }]);
  }

  timeout(id, kind) {
    this.log.push(["timeout", kind]);
    if (!this.runs.has(id)) return 2;
    return this.over(id, kind === 1 ? [3] : [2, { code: "idle_timeout", message: "idle" }]);
  }

  cancel(id) {
    if (!this.runs.delete(id)) return;
    this.log.push(["cancel"]);
  }

  die() {
    this.dead = true;
    for (const { client } of this.runs.values()) client.lost(Object.assign(new Error("dead"), { code: "internal" }));
    this.runs.clear();
    return 2;
  }
}

/** A runtime over fake instances; a dead one is replaced. */
export function fakeRuntime(defaults = { url: "http://agent.test/" }) {
  const runtime = {
    defaults,
    current: new FakeInstance(),
    load() {},
    async instance() {
      if (this.current.dead) this.current = new FakeInstance();
      return this.current;
    },
  };
  return runtime;
}

/** A Response whose body is fed from the test. */
export function stream() {
  const encoder = new TextEncoder();
  let controller;
  const state = { cancelled: false };
  const body = new ReadableStream({
    start(c) {
      controller = c;
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return Object.assign(state, {
    response: new Response(body, { headers: { "content-type": "text/event-stream" } }),
    send: (...events) => controller.enqueue(
      encoder.encode(events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join(""))),
    raw: (chunk) => controller.enqueue(chunk),
    close: () => controller.close(),
    fail: (error) => controller.error(error),
  });
}

export const event = (n) => ({ type: "CUSTOM", name: "n", value: n });
export const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };

export const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

/** Collects what goes to reportError while f runs. */
export async function reported(f) {
  const errors = [];
  const before = globalThis.reportError;
  globalThis.reportError = (error) => errors.push(error);
  try {
    await f(errors);
  } finally {
    globalThis.reportError = before;
  }
  return errors;
}

