import assert from "node:assert/strict";
import test from "node:test";
import { say } from "../../../js/core/error.js";
import { runs } from "../../../js/core/execution.js";
import { live } from "../../../js/core/live.js";
import { makeRun } from "../../../js/api/run.js";
import { event, fakeRuntime, finished, stream, tick } from "./fake.js";

async function settled(ms = 100) {
  for (let i = 0; i < ms / 2 && (runs.size > 0 || live.callbacks > 0); i++) await tick(2);
  assert.equal(runs.size, 0, "live runs");
  assert.equal(live.callbacks, 0, "live callbacks");
}

/** Runs once and gives the calls. */
async function once(options, { runtime = fakeRuntime(), ms = 100 } = {}) {
  const calls = [];
  makeRun(runtime)({}, options).subscribe({
    next: (e) => calls.push(e.value ?? e.type),
    error: (e) => calls.push(e),
    complete: () => calls.push("complete"),
  });
  await settled(ms);
  return calls;
}

const encode = (...events) => new TextEncoder().encode(events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join(""));

test("a fetch that throws, rejects or gives nonsense ends its run with network and the cause", async () => {
  const boom = new Error("boom");
  for (const fetch of [() => { throw boom; }, () => Promise.reject(boom)]) {
    const [error] = await once({ fetch });
    assert.equal(error.code, "network");
    assert.equal(error.cause, boom);
    assert.match(error.message, /boom/);
  }
  for (const nonsense of [undefined, null, 5, "x", {}, { status: 200 }]) {
    const [error] = await once({ fetch: async () => nonsense });
    assert.equal(error.code, "network");
    assert.match(error.message, /did not give a Response/);
  }
});

test("fetch is called without a receiver; the browser's is looked up at the request", async () => {
  const before = globalThis.fetch;
  const seen = [];
  const answer = function () {
    "use strict";
    seen.push(this);
    return Promise.resolve(new Response(encode(event(1), finished)));
  };
  assert.deepEqual(await once({ fetch: answer }), [1, "RUN_FINISHED", "complete"]);
  const run = makeRun(fakeRuntime());
  const observable = run({});
  globalThis.fetch = answer;
  try {
    await new Promise((complete) => observable.subscribe({ complete }));
  } finally {
    globalThis.fetch = before;
  }
  assert.deepEqual(seen, [undefined, undefined]);
});

test("a fetch that never settles, or ignores its signal: the run ends, the late body is let go of", async () => {
  let answer;
  const server = stream();
  const run = makeRun(fakeRuntime());
  const subscription = run({}, { fetch: () => new Promise((resolve) => (answer = resolve)) }).subscribe();
  await tick(5);
  subscription.unsubscribe();
  await settled();
  answer(server.response);
  await tick(5);
  assert.equal(server.cancelled, true);
});

test("bodies of every kind", async () => {
  const bytes = encode(event(1), finished);
  const good = [1, "RUN_FINISHED", "complete"];
  assert.deepEqual(await once({ fetch: async () => new Response(bytes) }), good);
  const headers = new Headers();
  const parts = async function* () {
    yield bytes.subarray(0, 7);
    yield bytes.subarray(7);
  };
  assert.deepEqual(await once({ fetch: async () => ({ status: 200, headers, body: parts() }) }), good);
  assert.deepEqual(
    await once({ fetch: async () => ({ status: 200, headers, arrayBuffer: async () => bytes.slice().buffer }) }), good);
  const [empty] = await once({ fetch: async () => new Response(null) });
  assert.equal(empty.code, "incomplete_stream");
  const [locked] = await once({
    fetch: async () => {
      const response = new Response(bytes);
      response.body.getReader();
      return response;
    },
  });
  assert.equal(locked.code, "network");
});

test("a chunk that is no Uint8Array is an error of that run alone, after what came before", async () => {
  const server = stream();
  server.send(event(1));
  server.raw("text");
  const other = stream();
  other.send(event(7), finished);
  other.close();
  const runtime = fakeRuntime();
  const [calls, good] = await Promise.all([
    once({ fetch: async () => server.response }, { runtime }),
    once({ fetch: async () => other.response }, { runtime }),
  ]);
  assert.equal(calls[0], 1);
  assert.equal(calls[1].code, "network");
  assert.match(calls[1].message, /not a Uint8Array/);
  assert.deepEqual(good, [7, "RUN_FINISHED", "complete"]);
  assert.equal(server.cancelled, true);
});

test("a broken connection: network, after everything that came", async () => {
  const server = stream();
  const calls = [];
  makeRun(fakeRuntime())({}, { fetch: async () => server.response })
    .subscribe({ next: (e) => calls.push(e.value), error: (e) => calls.push(e.code) });
  server.send(event(1), event(2));
  await tick(5);
  server.fail(new TypeError("reset"));
  await settled();
  assert.deepEqual(calls, [1, 2, "network"]);
});

/** A body whose reader does what the steps say, one a read. */
const reading = (...steps) => async () => new Proxy(new Response("x"), {
  get: (target, key) => key === "body" ? { getReader: () => ({ read: () => steps.shift()(), cancel() {} }) }
    : Reflect.get(target, key, target),
});

test("a reader of the page's that throws at once, or gives no promise, loses nothing that came before", async () => {
  const chunk = (...events) => () => Promise.resolve({ done: false, value: encode(...events) });
  const boom = () => { throw new Error("boom"); };
  const [one, error] = await once({ fetch: reading(chunk(event(1)), boom) });
  assert.deepEqual([one, error.code], [1, "network"]);
  assert.match(error.message, /boom/);
  const none = (result) => () => result;
  assert.deepEqual(await once({ fetch: reading(none({ value: encode(event(1)) }),
    none({ value: encode(event(2), finished) }), none({ done: true })) }), [1, 2, "RUN_FINISHED", "complete"]);
  const [two, nothing] = await once({ fetch: reading(chunk(event(2)), none(undefined)) });
  assert.deepEqual([two, nothing.code], [2, "network"]);
});

test("bytes that come with the end do not count, also where they are there already", async () => {
  const end = () => Promise.resolve({ done: true, value: encode(event(9)) });
  assert.deepEqual(await once({ fetch: reading(() => Promise.resolve({ value: encode(event(1), finished) }), end,
    end) }), [1, "RUN_FINISHED", "complete"]);
});

test("a source that uses one buffer for all its chunks is read right", async () => {
  const buffer = new Uint8Array(256);
  const chunks = [encode(event(1)), encode(event(2)), encode(finished)];
  const step = () => {
    const next = chunks.shift();
    if (!next) return Promise.resolve({ done: true });
    buffer.set(next);
    return Promise.resolve({ done: false, value: buffer.subarray(0, next.length) });
  };
  assert.deepEqual(await once({ fetch: reading(step, step, step, step) }), [1, 2, "RUN_FINISHED", "complete"]);
});

test("an error that cannot be turned into a text still ends its run", async () => {
  const odd = Object.assign(new Error("x"), { message: { toString() { throw new Error("no text"); } } });
  const text = Object.assign(new Error("x"), { message: Symbol("s") });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const thrown of [odd, text, null, undefined, proxy]) {
    const thrower = () => { throw thrown; };
    for (const [options, code] of [[{ fetch: thrower }, "network"], [{ headers: thrower }, "bad_input"]]) {
      const runtime = fakeRuntime();
      runtime.current.failed = function (id, given, what) {
        this.runs.get(id).client.blame(given);
        return this.over(id, [2, { code: "network", message: what + say(given) }]);
      };
      const [error] = await once(options, { runtime });
      assert.equal(error?.code, code);
    }
  }
});

test("a large chunk goes in pieces", async () => {
  const runtime = fakeRuntime();
  const events = Array.from({ length: 5000 }, (_, i) => event(i));
  const calls = await once({ fetch: async () => new Response(encode(...events, finished)) }, { runtime, ms: 1000 });
  assert.equal(calls.length, 5002);
  const sizes = runtime.current.log.filter(([name]) => name === "push").map(([, n]) => n);
  assert.ok(Math.max(...sizes) <= 65536 && sizes.length >= 3);
});

test("the next chunk is read when the one before is handled", async () => {
  const runtime = fakeRuntime();
  const server = stream();
  let ahead = 0;
  let handled = 0;
  makeRun(runtime)({}, { fetch: async () => server.response }).subscribe({
    next(e) {
      handled++;
      ahead = Math.max(ahead, runtime.current.log.filter(([name]) => name === "push").length * 10 - handled);
      const until = performance.now() + 2;
      while (performance.now() < until);
      if (e.type === "RUN_FINISHED") server.close();
    },
  });
  for (let i = 0; i < 5; i++) server.send(...Array.from({ length: 10 }, () => event(i)));
  server.send(finished);
  await settled(2000);
  assert.equal(handled, 51);
  assert.ok(ahead < 20, `${ahead} events ahead`);
});

test("a refused response's body is read up to the limit, and not for ever", async () => {
  const [error] = await once({ fetch: async () => new Response("x".repeat(500), { status: 500 }) });
  assert.equal(error.code, "http_status");
  assert.equal(error.payload, "x".repeat(100));
});

test("idleTimeoutMs counts waiting for headers; any byte resets it; a busy handler does not count", async () => {
  const [error] = await once({ fetch: () => new Promise(() => {}), idleTimeoutMs: 40 }, { ms: 400 });
  assert.equal(error.code, "idle_timeout");

  const server = stream();
  const calls = [];
  const from = performance.now();
  makeRun(fakeRuntime())({}, { fetch: async () => server.response, idleTimeoutMs: 60 }).subscribe({
    next(e) {
      calls.push(e.value);
      if (e.value === 1) {
        const until = performance.now() + 100;
        while (performance.now() < until);
      }
    },
    error: (e) => calls.push(e.code, performance.now() - from),
  });
  for (let i = 0; i < 4; i++) {
    server.raw(new TextEncoder().encode(": ping\n\n"));
    await tick(30);
  }
  server.send(event(1));
  await settled(1000);
  assert.deepEqual(calls.slice(0, 2), [1, "idle_timeout"]);
  assert.ok(calls[2] > 260, `after ${calls[2]} ms`);
});

test("idleTimeoutMs does not count the time that many handlers take", async () => {
  const server = stream();
  const calls = [];
  makeRun(fakeRuntime())({}, { fetch: async () => server.response, idleTimeoutMs: 60 }).subscribe({
    next() {
      const until = performance.now() + 4;
      while (performance.now() < until);
    },
    error: (e) => calls.push(e.code),
    complete: () => calls.push("complete"),
  });
  server.send(...Array.from({ length: 60 }, (_, i) => event(i)), finished);
  server.close();
  await settled(3000);
  assert.deepEqual(calls, ["complete"]);
});

test("1 s after a terminal event an open stream is ended", async () => {
  const server = stream();
  server.send(finished);
  const from = performance.now();
  let more;
  const timer = setTimeout(() => (more = true, server.send({ ...finished, again: true })), 600);
  const calls = await once({ fetch: async () => server.response }, { ms: 4000 });
  clearTimeout(timer);
  assert.equal(more, true);
  assert.deepEqual(calls, ["RUN_FINISHED", "RUN_FINISHED", "complete"]);
  const took = performance.now() - from;
  assert.ok(took > 1550 && took < 2400, `${took} ms`);
  assert.equal(server.cancelled, true);
});

test("keep-alives do not lengthen the second", async () => {
  const server = stream();
  server.send(finished);
  const ping = setInterval(() => server.cancelled || server.raw(new TextEncoder().encode(": ping\n\n")), 200);
  const from = performance.now();
  let calls;
  try {
    calls = await once({ fetch: async () => server.response }, { ms: 3000 });
  } finally {
    clearInterval(ping);
  }
  assert.deepEqual(calls, ["RUN_FINISHED", "complete"]);
  assert.ok(performance.now() - from < 1600);
});

test("an instance that dies tells its runs, and the next run has a new one", async () => {
  const runtime = fakeRuntime();
  const first = runtime.current;
  const [one, error] = await once({ fetch: async () => new Response(encode(event(1), { type: "TRAP" })) }, { runtime });
  assert.equal(one, 1);
  assert.equal(error.code, "internal");
  assert.deepEqual(await once({ fetch: async () => new Response(encode(event(2), finished)) }, { runtime }),
    [2, "RUN_FINISHED", "complete"]);
  assert.notEqual(runtime.current, first);
});

test("a refusal by Go is an error, without a request", async () => {
  let asked = 0;
  const [error] = await once({ url: "http://refuse.test/", fetch: () => asked++ });
  assert.equal(error.code, "bad_input");
  assert.equal(asked, 0);
});

test("chunks that are there at once and make no event leave the page its turns", async () => {
  const bytes = new TextEncoder();
  const endless = (chunk) => new Response(new ReadableStream({ pull(controller) { controller.enqueue(chunk); } }),
    { headers: { "content-type": "text/event-stream" } });
  const iterated = (chunk) => ({
    status: 200, headers: new Headers({ "content-type": "text/event-stream" }),
    body: { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: chunk }), return: async () => ({}) }) },
  });
  for (const [name, make] of [
    ["a comment", () => endless(bytes.encode(":"))], ["lines", () => endless(bytes.encode("\n\n"))],
    ["nothing", () => iterated(new Uint8Array(0))],
    ["large", () => endless(bytes.encode(`:${"x".repeat(20000)}\n`))],
    ["refused", () => ({ ...iterated(new Uint8Array(0)), status: 500 })],
  ]) {
    let turns = 0;
    let more = true;
    const count = () => void (turns++, more && setTimeout(count, 1));
    setTimeout(count, 1);
    const subscription = makeRun(fakeRuntime())({}, { fetch: async () => make() }).subscribe({ error() {} });
    for (let i = 0; i < 200 && turns < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    more = false;
    subscription.unsubscribe();
    assert.ok(turns >= 5, `${name}: ${turns} turns`);
    await settled();
  }
});
