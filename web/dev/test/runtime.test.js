// The script's side of a run where it meets the real WebAssembly: re-entry, aborts at every moment, old browsers.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const good = sse(started, ...text("m", "hi"), finished);
const html = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/agui.js"></script>';

test("messages of the input show as they are sent", async () => {
  const page = await world.page({ html });
  const got = await page.evaluate(async (url) => {
    const messages = [
      {
        role: "user", id: "u1", name: null, content: [{ type: "binary", mimeType: "image/png", data: "QUJD" },
          { type: "text", text: "x", metadata: null }],
      },
      { role: "user", id: "u2", content: "y" },
    ];
    const before = [];
    return new Promise((complete, error) => {
      const subscription = agui.run({ messages }, { url, onWarning: () => {} }).subscribe({
        next: () => before.push(subscription.messages.slice(0, 2)), error,
        complete: () => complete([subscription.messages, before[0]]),
      });
    });
  }, agent.reply({ body: good }));
  const sent = [
    {
      role: "user", id: "u1", content: [{ type: "image",
        source: { type: "data", value: "QUJD", mimeType: "image/png" } }, { type: "text", text: "x" }],
    },
    { role: "user", id: "u2", content: "y" },
  ];
  assert.deepEqual(got[1], sent);
  assert.deepEqual(got[0], [...sent, { id: "m", role: "assistant", content: "hi" }]);
  await page.done();
});

test("a listener of the request's signal may start and end runs", async () => {
  const page = await world.page({ html });
  const got = await page.evaluate(async (body) => {
    const seen = [];
    const answer = () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const other = agui.run({}, { url: "/x", fetch: () => new Promise(() => {}) }).subscribe();
    const first = agui.run({}, {
      url: "/x",
      fetch: (_url, { signal }) => new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          other.unsubscribe();
          agui.run({}, { url: "/x", fetch: async () => answer() })
            .subscribe({ next: (e) => seen.push(e.type), complete: () => seen.push("complete") });
          reject(signal.reason);
          throw new Error("of the page's own");
        });
      }),
    }).subscribe({ error: () => seen.push("error") });
    await agui.ready;
    await new Promise((r) => setTimeout(r, 100));
    first.unsubscribe();
    for (let i = 0; i < 100 && !seen.includes("complete"); i++) await new Promise((r) => setTimeout(r, 20));
    return { seen, debug: agui.debug() };
  }, good);
  assert.deepEqual(got.seen, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
    "RUN_FINISHED", "complete"]);
  assert.equal(got.debug.runs, 0);
  assert.equal(got.debug.callbacks, 0);
  assert.deepEqual(page.uncaught.map(String).filter((e) => !/of the page's own/.test(e)), []);
  page.uncaught.length = 0;
  await page.done();
});

test("aborts at every moment, 1,000 times, leave nothing", async () => {
  const page = await world.page({ html });
  const got = await page.evaluate(async (body) => {
    await agui.ready;
    const frames = body.split("\n\n").filter(Boolean).map((f) => new TextEncoder().encode(`${f}\n\n`));
    const wait = (n) => (n === 0 ? Promise.resolve() : new Promise((r) => setTimeout(r, n % 3)));
    const calls = { late: 0, cancelled: 0, open: 0 };
    async function one(i) {
      const moment = i % 8;
      let ended = false;
      const stream = new ReadableStream({
        async pull(c) {
          await wait(i % 2);
          const frame = this.left?.shift();
          if (!this.left) this.left = frames.slice();
          if (frame) c.enqueue(frame);
          else if (this.left.length === 0) c.close();
        },
        cancel: () => { calls.cancelled++; },
      });
      const fetch = async (_url, init) => {
        if (moment === 1) subscription.unsubscribe();
        await wait(i % 3);
        if (moment === 2) subscription.unsubscribe();
        if (moment === 3 && i % 16 > 8) return new Promise(() => {}); // never settles, ignores its signal
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      };
      let n = 0;
      const subscription = agui.run({}, { url: "/x", fetch, idleTimeoutMs: 5000 }).subscribe({
        next() {
          if (ended) calls.late++;
          if (moment === 4 && ++n === 1 + (i % 5)) { subscription.unsubscribe(); ended = true; }
        },
        error() { if (ended) calls.late++; },
        complete() { if (ended) calls.late++; subscription.unsubscribe(); },
      });
      if (moment === 0) subscription.unsubscribe();
      if (moment === 5) await wait(1);
      if (moment === 6) await wait(2);
      if (moment === 7) await new Promise((r) => setTimeout(r, 15));
      subscription.unsubscribe();
      ended = true;
    }
    const many = async (n) => {
      for (let i = 0; i < n; i += 20) await Promise.all(Array.from({ length: 20 }, (_, k) => one(i + k)));
    };
    await many(300);
    const early = agui.debug();
    await many(1000);
    await new Promise((r) => setTimeout(r, 50));
    return { early, end: agui.debug(), calls };
  }, good);
  assert.equal(got.calls.late, 0);
  assert.deepEqual([got.end.runs, got.end.callbacks], [0, 0]);
  assert.ok(got.end.wasmBytes <= got.early.wasmBytes + (4 << 20), `${got.early.wasmBytes} to ${got.end.wasmBytes}`);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("without compileStreaming and crypto.randomUUID", async () => {
  const page = await world.page({
    html: `<!doctype html><link rel="icon" href="data:,"><script>
      delete WebAssembly.compileStreaming; delete WebAssembly.instantiateStreaming;
      Object.defineProperty(crypto, "randomUUID", { value: undefined });
    </script><script src="/agui.js"></script>`,
  });
  const url = agent.reply({ body: good });
  const got = await page.evaluate((url) => new Promise((complete, error) => {
    let n = 0;
    agui.run({}, { url }).subscribe({
      next: () => { const until = performance.now() + 5; while (performance.now() < until); n++; }, error,
      complete: () => complete(n),
    });
  }), url);
  assert.equal(got, 5);
  assert.match(agent.seen(url)[0].json.runId, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  await page.done();
});

test("a flood in one chunk leaves the page its turns", async () => {
  const page = await world.page({ html });
  const got = await page.evaluate(async () => {
    await agui.ready;
    const line = (e) => `data: ${JSON.stringify(e)}\n\n`;
    let body = line({ type: "RUN_STARTED", threadId: "t", runId: "r" }) +
      line({ type: "TEXT_MESSAGE_START", messageId: "m" });
    for (let i = 0; i < 60000; i++) body += line({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: `word ${i} ` });
    body += line({ type: "TEXT_MESSAGE_END", messageId: "m" }) +
      line({ type: "RUN_FINISHED", threadId: "t", runId: "r" });
    const bytes = new TextEncoder().encode(body);
    let turns = 0;
    const channel = new MessageChannel();
    let over = false;
    channel.port1.onmessage = () => { turns++; if (!over) channel.port2.postMessage(0); };
    let n = 0;
    let first;
    await new Promise((complete, error) => {
      agui.run({}, { url: "/x", fetch: async () =>
        new Response(bytes, { headers: { "content-type": "text/event-stream" } }) }).subscribe({
        next() { if (n++ === 0) { first = performance.now(); channel.port2.postMessage(0); } }, error, complete,
      });
    });
    over = true;
    return { n, turns, ms: performance.now() - first };
  });
  assert.equal(got.n, 60004);
  assert.ok(got.turns >= 10, `${got.turns} turns in ${got.ms} ms`); // by scheduler.yield alone: none
  await page.done();
});
