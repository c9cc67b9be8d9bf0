// What a page's own functions do to a run: throw, reject, give nonsense, never settle. And what leaving a run does at
// every moment. Only the run itself is harmed.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, agent] = await Promise.all([start({ args: ["--js-flags=--expose-gc"] }), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>
  const { instantiate } = WebAssembly;
  globalThis.programs = 0;
  WebAssembly.instantiate = (...a) => { globalThis.programs++; return instantiate.apply(WebAssembly, a); };
</script><script src="/agui.js"></script>`;
const good = sse(started, ...text("m", "a", "b", "c"), finished);

/**
 * Runs a list of bad things one after the other, each beside a good run. Inside the page: bad(name) gives the options
 * of a run, `outcome` is what it ends with, or "never" if it does not within a while (it is then left).
 */
async function beside(kinds, expected, { reports = 0 } = {}) {
  const page = await world.page({ html });
  const url = agent.reply({
    body: [sse(started, ...text("m", "a").slice(0, 2)), sse(...text("m", "a").slice(2)), sse(finished)], delay: 30,
  });
  const got = await page.evaluate(async ([kinds, url]) => {
    const make = new Function("T", "url", `return { ${kinds} }`)(T, url);
    await agui.ready;
    const rejected = [];
    addEventListener("unhandledrejection", (event) => rejected.push(String(event.reason)));
    const outcomes = {};
    for (const [name, bad] of Object.entries(make)) {
      const good = T.run({}, { url });
      const { observer, ...options } = bad();
      let subscription, ended;
      const over = new Promise((resolve) => {
        const told = [];
        const note = (what) => {
          told.push(what);
          setTimeout(() => resolve(told.join(" ")), 10);
        };
        const watching = {
          next() {}, error: (error) => note(error.code ?? String(error)), complete: () => note("complete"),
        };
        subscription = agui.run({}, { url, onWarning: () => {}, ...options })
          .subscribe(observer ? observer(watching) : watching);
      }).then((told) => (ended = told));
      const g = await good;
      await Promise.race([over, T.sleep(800)]);
      if (!ended) subscription.unsubscribe();
      outcomes[name] = `${ended ?? "never"}${g.outcome === "complete" && g.types.length === 5 ? "" : ` and harmed another: ${g.outcome}`}`;
    }
    await T.sleep(50);
    return { outcomes, programs: globalThis.programs, debug: agui.debug(), rejected };
  }, [kinds, url]);
  assert.deepEqual(got.outcomes, expected);
  assert.equal(got.programs, 1, "the program lives");
  assert.deepEqual([got.debug.runs, got.debug.callbacks], [0, 0]);
  assert.deepEqual(got.rejected, []);
  assert.equal(page.uncaught.length, reports, page.uncaught.join("\n"));
  await page.done();
}

test("a fetch that throws, rejects, gives nonsense or never settles harms its run alone", () => beside(`
  throws: () => ({ fetch() { throw new Error("no"); } }),
  "throws nothing": () => ({ fetch() { throw undefined; } }),
  "throws what cannot be read": () => ({ fetch() { throw { get message() { throw 1; }, toString() { throw 2; } }; } }),
  rejects: () => ({ fetch: async () => { throw new Error("no"); } }),
  "never settles": () => ({ fetch: () => new Promise(() => {}) }),
  "never settles, with a limit": () => ({ fetch: () => new Promise(() => {}), idleTimeoutMs: 100 }),
  "gives nothing": () => ({ fetch: () => undefined }),
  "gives a text": () => ({ fetch: () => "data: {}" }),
  "a thenable that throws": () => ({ fetch: () => ({ get then() { throw new Error("no"); } }) }),
  "a status that throws": () => ({ fetch: () => ({ get status() { throw new Error("no"); }, headers: new Headers() }) }),
  "a status that throws later": () => { let n = 0; return { fetch: () => ({ get status() { if (n++ > 0) throw new Error("no"); return 200; }, headers: new Headers() }) }; },
  "a url that throws": () => ({ fetch: () => ({ status: 200, get url() { throw new Error("no"); }, headers: new Headers() }) }),
  "headers that throw": () => ({ fetch: () => ({ status: 200, headers: { get() { throw new Error("no"); } } }) }),
  "headers that are nonsense": () => ({ fetch: () => ({ status: 200, headers: { get: () => ({}) }, body: null }) }),
  "headers that cannot be text": () => ({ fetch: () => ({ status: 200, headers: { get: () => Symbol() }, body: null }) }),
  "a body that throws": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, get body() { throw new Error("no"); } }) }),
  "a body that throws on an error": () => ({ fetch: () => ({ status: 500, headers: { get: () => "" }, get body() { throw new Error("no"); } }) }),
  "a body that is no stream": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, body: 7 }) }),
  "a reader that throws": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, body: { getReader() { throw new Error("no"); } } }) }),
  "a read that throws": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, body: { getReader: () => ({ read() { throw new Error("no"); } }) } }) }),
  "a read that gives nothing": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, body: { getReader: () => ({ read: async () => undefined }) } }) }),
  "a read that gives texts": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, body: { getReader: () => ({ read: async () => ({ value: "data: {}" }), cancel() { throw 1; } }) } }) }),
  "a read that never settles": () => ({ fetch: () => ({ status: 200, headers: { get: () => "text/event-stream" }, body: { getReader: () => ({ read: () => new Promise(() => {}), cancel() {} }) } }) }),
  "an error body that never settles": () => ({ fetch: () => ({ status: 503, headers: { get: () => "" }, arrayBuffer: () => new Promise(() => {}) }) }),
  "a cancel that rejects": () => ({ fetch: () => ({ status: 503, headers: { get: () => "" }, body: { getReader: () => ({ read: async () => ({ done: true }), cancel: async () => { throw new Error("no"); } }) } }) }),
  "a response that was read": () => ({ fetch: async () => { const r = T.response({ body: "x" }); await r.text(); return r; } }),
  "an opaque response": () => ({ requestInit: { mode: "no-cors" } }),
  "a status that is no number": () => ({ fetch: () => ({ status: NaN, headers: { get: () => "text/event-stream" }, body: null }) }),
`, {
  throws: "network", "throws nothing": "network", "throws what cannot be read": "network", rejects: "network",
  "never settles": "never", "never settles, with a limit": "idle_timeout",
  "gives nothing": "network", "gives a text": "network", "a thenable that throws": "network",
  "a status that throws": "network", "a status that throws later": "network",
  "a url that throws": "network", "headers that throw": "network", "headers that are nonsense": "incomplete_stream",
  "headers that cannot be text": "incomplete_stream",
  "a body that throws": "network", "a body that throws on an error": "http_status",
  "a body that is no stream": "incomplete_stream", "a reader that throws": "network", "a read that throws": "network",
  "a read that gives nothing": "network", "a read that gives texts": "network", "a read that never settles": "never",
  "an error body that never settles": "never", "a cancel that rejects": "http_status",
  "a response that was read": "network", "an opaque response": "http_status",
  "a status that is no number": "http_status",
}));

test("a headers function that throws, rejects, gives nonsense or never settles harms its run alone", () => beside(`
  throws: () => ({ headers() { throw new Error("no"); } }),
  rejects: () => ({ headers: async () => { throw undefined; } }),
  "never settles": () => ({ headers: () => new Promise(() => {}) }),
  "gives nothing": () => ({ headers: () => undefined }),
  "gives a number": () => ({ headers: () => 7 }),
  "gives a Symbol": () => ({ headers: () => Symbol("x") }),
  "a getter that throws": () => ({ headers: () => ({ get authorization() { throw new Error("no"); } }) }),
  "a value that is an object": () => ({ headers: () => ({ authorization: {} }) }),
  "a name that HTTP has not": () => ({ headers: () => ({ "a b": "c" }) }),
  "a value with a line break": () => ({ headers: () => ({ a: "b\\r\\nc: d" }) }),
  "an iterator that throws": () => ({ headers: () => ({ [Symbol.iterator]() { throw new Error("no"); } }) }),
  "a proxy that throws": () => ({ headers: () => new Proxy({}, { ownKeys() { throw new Error("no"); }, get() { return undefined; } }) }),
  "pairs that are none": () => ({ headers: () => [["a"], "b"] }),
`, {
  throws: "bad_input", rejects: "bad_input", "never settles": "never", "gives nothing": "complete",
  "gives a number": "bad_input", "gives a Symbol": "bad_input",
  "a getter that throws": "bad_input", "a value that is an object": "bad_input",
  "a name that HTTP has not": "bad_input", "a value with a line break": "bad_input",
  "an iterator that throws": "bad_input", "a proxy that throws": "bad_input", "pairs that are none": "bad_input",
}));

test("handlers and getters that throw are reported, and the run and the others go on", () => beside(`
  "next throws": () => ({ observer: (w) => ({ ...w, next() { throw new Error("thrown in next"); } }) }),
  "next is a getter that throws": () => ({ observer: (w) => ({ error: w.error, complete: w.complete, get next() { throw new Error("thrown in a getter"); } }) }),
  "next is no function": () => ({ observer: (w) => ({ ...w, next: 7 }) }),
  "complete throws": () => ({ observer: (w) => ({ ...w, complete() { w.complete(); throw new Error("thrown in complete"); } }) }),
  "error throws": () => ({ fetch() { throw 1; }, observer: (w) => ({ ...w, error(e) { w.error(e); throw new Error("thrown in error"); } }) }),
  "onWarning throws": () => ({ fetch: T.fetching(T.sse(T.started, { type: "NEW" }, T.finished)), onWarning() { throw new Error("thrown in onWarning"); } }),
`, { "next throws": "complete", "next is a getter that throws": "complete", "next is no function": "complete", "complete throws": "complete", "error throws": "network", "onWarning throws": "complete" },
{ reports: 5 * 3 + 1 + 1 + 1 }));

// Leaving a run: 1,000 times at each moment, 20 at a time.
const moments = {
  "before the headers": { script: (seen) => seen.gone.then(() => undefined), leave: "early" },
  "between chunks": { script: { body: sse(started, ...text("m", "a").slice(0, 2)), open: true }, leave: "chunk" },
  "inside next": { script: { body: good, open: true }, leave: "next" },
  "inside next, of the last event": { script: { body: good }, leave: "last" },
  "inside complete and after it": { script: { body: good }, leave: "complete" },
  "with a fetch that ignores its signal": { script: { body: good }, leave: "ignored" },
};
for (const [moment, { script, leave }] of Object.entries(moments)) {
  test(`left ${moment}, 1,000 times: no callback, no open socket, no growth`, { timeout: 240000 }, async () => {
    const page = await world.page({ html, limit: 200000 });
    const url = agent.reply(script);
    const got = await page.evaluate(async ([url, leave]) => {
      let late = 0, told = 0, ignored = 0;
      const random = T.random(7);
      const one = async () => {
        let left = false;
        let go;
        const gone = new Promise((resolve) => { go = resolve; });
        const note = () => (left ? late++ : told++);
        const off = () => {
          left = true;
          controller ? controller.abort() : subscription.unsubscribe();
          subscription.unsubscribe();
          go();
        };
        // Half of them by a signal.
        const controller = random() < 0.5 ? new AbortController() : undefined;
        const options = { url };
        if (leave === "ignored") {
          options.fetch = async () => {
            await T.sleep(random() * 6);
            ignored++;
            return T.response({ body: T.sse(T.started, ...T.text("m", "a"), T.finished), cut: 30 });
          };
        }
        const subscription = agui.run({}, options).subscribe({
          next(event) {
            note();
            if (leave === "next" || (leave === "chunk" && event.type === "TEXT_MESSAGE_CONTENT")) off();
            if (leave === "last" && event.type === "RUN_FINISHED") off();
          },
          error: note,
          complete() {
            note();
            if (leave === "complete") off();
          },
        }, { signal: controller?.signal });
        if (leave === "early") setTimeout(off, random() * 10);
        if (leave === "ignored") setTimeout(off, random() * 12);
        await gone;
      };
      const heap = async () => {
        for (let i = 0; i < 2; i++) { // what streams and signals hold goes with the second collection
          await T.sleep(50);
          gc();
        }
        return performance.memory.usedJSHeapSize;
      };
      const many = async (n) => {
        let begun = 0;
        await Promise.all(Array.from({ length: 20 }, async () => {
          while (begun++ < n) await one();
        }));
      };
      // What the program's memory grows to at first, with runs of this size.
      for (let i = 0; i < 300; i++) {
        await T.run({}, { fetch: T.fetching(T.sse(T.started, ...T.text("m", "a"), T.finished)) });
      }
      await many(200);
      const before = { heap: await heap(), ...agui.debug() };
      await many(800);
      await T.sleep(300);
      return { late, told, before, after: { heap: await heap(), ...agui.debug() } };
    }, [url, leave]);
    assert.equal(got.late, 0, "nothing is called after it was left");
    assert.deepEqual([got.after.runs, got.after.callbacks], [0, 0]);
    // Of every run kept the Go half alone would be 1.5 MB, the script's half 1.5 MB of its heap.
    assert.ok(got.after.wasmBytes <= got.before.wasmBytes + (1 << 20),
      `wasm ${got.before.wasmBytes} to ${got.after.wasmBytes}`);
    assert.ok(got.after.heap <= got.before.heap + (640 << 10), `heap ${got.before.heap} to ${got.after.heap}`);
    // Every request that reached the server is over there too.
    const seen = agent.seen(url);
    if (leave !== "early" && leave !== "ignored") assert.ok(seen.length >= 1000, `${seen.length} requests`);
    const open = await Promise.race(
      [Promise.all(seen.map((s) => s.gone)).then(() => 0), new Promise((r) => setTimeout(() => r("some"), 15000))]);
    assert.equal(open, 0, "sockets are open");
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}
