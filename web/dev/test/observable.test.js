// The Observable's rules, each in a page of its own, with the real runtime behind it.
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

const good = sse(started, ...text("m", "a", "b"), finished);

/**
 * A rule: code that runs in the page and gives a value, and what that must be.
 * @param {string} name
 * @param {(url: string) => any} code
 * @param {any} want
 * @param {{reply?: any, uncaught?: RegExp[], seen?: number}} [more]
 */
function rule(name, code, want, more = {}) {
  test(name, async () => {
    const page = await world.page();
    const url = agent.reply(more.reply ?? { body: good });
    await page.evaluate(() => agui.ready);
    const got = await page.evaluate(code, url);
    assert.deepEqual(got, want);
    if (more.seen !== undefined) assert.equal(agent.seen(url).length, more.seen);
    const uncaught = more.uncaught ?? [];
    assert.equal(page.uncaught.length, uncaught.length, page.uncaught.join("\n"));
    uncaught.forEach((expected, index) => assert.match(page.uncaught[index], expected));
    await page.done();
  });
}

rule("cold: nothing is sent without a subscribe", async (url) => {
  agui.run({}, { url });
  await agui.ready;
  await T.sleep(100);
  return true;
}, true, { seen: 0 });

rule("each subscribe is one request", async (url) => {
  const observable = agui.run({}, { url });
  await Promise.all([1, 2, 3].map(() => new Promise((complete, error) => observable.subscribe({ complete, error }))));
  return true;
}, true, { seen: 3 });

rule("nothing is called inside subscribe", async (url) => {
  await agui.ready;
  const order = [];
  const ended = new Promise((resolve) => {
    const fetch = () => { throw new Error("at once"); };
    agui.run({}, { url, fetch }).subscribe({ error: () => { order.push("error"); resolve(); } });
    order.push("after subscribe");
  });
  await ended;
  return order;
}, ["after subscribe", "error"], { seen: 0 });

rule("an observer, three functions, a function, nothing at all", async (url) => {
  const counts = [];
  const observable = () => agui.run({}, { url });
  await new Promise((resolve, error) => {
    let n = 0;
    observable().subscribe({ next: () => n++, error, complete: () => resolve(counts.push(n)) });
  });
  await new Promise((resolve, error) => {
    let n = 0;
    observable().subscribe(() => n++, error, () => resolve(counts.push(n)));
  });
  let n = 0;
  const only = observable().subscribe(() => n++);
  const none = observable().subscribe();
  const empty = observable().subscribe({});
  await T.until(() => only.closed && none.closed && empty.closed);
  counts.push(n, none.messages[0].content, empty.messages[0].content);
  return counts;
}, [6, 6, 6, "ab", "ab"], { seen: 5 });

rule("methods are looked up when called, with the observer as this", async (url) => {
  const seen = [];
  class Observer {
    name = "mine";
    next() {
      seen.push(this.name);
      this.next = function () { seen.push(`later ${this.name}`); };
    }
    complete() { seen.push(`complete ${this.name}`); this.done(); }
  }
  const observer = new Observer();
  await new Promise((resolve) => {
    observer.done = resolve;
    agui.run({}, { url }).subscribe(observer);
  });
  return [seen[0], seen[1], seen.at(-1), seen.length];
}, ["mine", "later mine", "complete mine", 7]);

rule("subscribe(observer, {signal}): an abort is silent", async (url) => {
  const controller = new AbortController();
  const calls = [];
  const subscription = agui.run({}, { url }).subscribe({
    next: (e) => { calls.push(e.type); controller.abort(); }, error: () => calls.push("error"),
    complete: () => calls.push("complete"),
  }, { signal: controller.signal });
  await T.until(() => calls.length > 0, 300);
  return [calls, subscription.closed];
}, [["RUN_STARTED"], true]);

rule("an aborted signal sends no request", async (url) => {
  const signal = AbortSignal.abort();
  const calls = [];
  const observer = {
    next: () => calls.push("next"), error: () => calls.push("error"), complete: () => calls.push("complete"),
  };
  const one = agui.run({}, { url }).subscribe(observer, { signal });
  const two = agui.run({}, { url, signal }).subscribe(observer);
  await agui.ready;
  await T.sleep(150);
  return [calls, one.closed, two.closed];
}, [[], true, true], { seen: 0 });

rule("the run's own signal ends it silently", async (url) => {
  const controller = new AbortController();
  const calls = [];
  const subscription = agui.run({}, { url, signal: controller.signal }).subscribe({
    next: (e) => calls.push(e.type), error: () => calls.push("error"), complete: () => calls.push("complete"),
  });
  await T.until(() => calls.length > 0);
  const before = calls.length;
  controller.abort();
  await T.sleep(1200);
  return [before > 0, calls.length === before, subscription.closed];
}, [true, true, true], { reply: { body: [sse(started), good], delay: 1000 } });

rule("unsubscribe drops what was parsed of the same chunk, and is idempotent", async (url) => {
  const calls = [];
  const subscription = agui.run({}, { url }).subscribe({
    next(e) {
      calls.push(e.type);
      if (calls.length === 2) {
        subscription.unsubscribe();
        subscription.unsubscribe();
      }
    },
    error: () => calls.push("error"), complete: () => calls.push("complete"),
  });
  await T.until(() => calls.length > 1, 300);
  subscription.unsubscribe();
  return [calls, subscription.closed, subscription.messages];
}, [["RUN_STARTED", "TEXT_MESSAGE_START"], true, [{ id: "m", role: "assistant", content: "" }]]);

test("unsubscribe inside next: the server sees the socket close within a second", async () => {
  const page = await world.page();
  const url = agent.reply({
    body: [sse(started), ...Array(100).fill(sse({ type: "CUSTOM", name: "tick", value: 1 }))], delay: 50, open: true,
  });
  const n = await page.evaluate(async (url) => {
    let n = 0;
    await new Promise((resolve) => {
      const subscription = agui.run({}, { url }).subscribe({ next() {
        if (++n === 3) {
          subscription.unsubscribe();
          resolve();
        }
      } });
    });
    return n;
  }, url);
  const begin = performance.now();
  const gone = await agent.cancelled(url);
  assert.ok(gone - begin < 1000, `${gone - begin} ms`);
  await page.evaluate(() => T.sleep(200));
  assert.equal(n, 3);
  await page.done();
});

rule("unsubscribe before the request begins sends none", async (url) => {
  const subscription = agui.run({}, { url }).subscribe({});
  subscription.unsubscribe();
  await agui.ready;
  await T.sleep(150);
  return subscription.closed;
}, true, { seen: 0 });

rule("unsubscribe while an async headers function is asked sends none", async (url) => {
  const subscription = agui.run({}, { url, headers: () => new Promise((r) => setTimeout(() => r({}), 200)) })
    .subscribe({});
  await agui.ready;
  await T.sleep(50);
  subscription.unsubscribe();
  await T.sleep(400);
  return subscription.closed;
}, true, { seen: 0 });

rule("closed before complete is called; a new run may start there", async (url) => {
  return new Promise((resolve) => {
    const first = agui.run({}, { url }).subscribe({ complete() {
      const closed = first.closed;
      agui.run({}, { url }).subscribe({ complete: () => resolve([closed, "second complete"]) });
    } });
  });
}, [true, "second complete"], { seen: 2 });

rule("closed before error is called; a new run may start there", async (url) => {
  return new Promise((resolve) => {
    const first = agui.run({}, { url }).subscribe({ error() {
      const closed = first.closed;
      agui.run({}, { url }).subscribe({ error: (e) => resolve([closed, e.code]) });
    } });
  });
}, [true, "http_status"], { seen: 2, reply: { status: 500 } });

rule("exactly one ending", async (url) => {
  const g = await T.run({}, { url });
  await T.sleep(100);
  return [g.outcome, g.endings];
}, ["run_error", 1], { reply: { body: sse(started, { type: "RUN_ERROR", message: "boom" }), reset: true } });

rule("a throwing handler goes to reportError and delivery goes on", async (url) => {
  let n = 0;
  return new Promise((resolve) => agui.run({}, { url }).subscribe({
    next() { n++; throw new Error(`next ${n}`); }, complete() {
      setTimeout(() => resolve(n), 50);
      throw new Error("complete");
    },
  }));
}, 6, { uncaught: [1, 2, 3, 4, 5, 6].map((n) => new RegExp(`next ${n}`)).concat(/complete/) });

rule("a throwing error handler goes to reportError", async (url) => {
  return new Promise((resolve) => agui.run({}, { url })
    .subscribe({ error() { setTimeout(() => resolve(true), 50); throw new Error("in error"); } }));
}, true, { reply: { status: 500 }, uncaught: [/in error/] });

rule("an error with no handler goes to reportError", async (url) => {
  const codes = [];
  addEventListener("error", (event) => codes.push(event.error?.code));
  agui.run({}, { url }).subscribe({ next() {} });
  await T.until(() => codes.length > 0);
  return codes;
}, ["http_status"], { reply: { status: 500 }, uncaught: [/500/] });

rule("what a handler throws may be anything", async (url) => {
  let n = 0;
  const things = [undefined, null, 0, "text", Symbol("s"), Object.create(null)];
  return new Promise((resolve) => {
    let reported = 0;
    addEventListener("error", (event) => {
      event.preventDefault();
      reported++;
    });
    agui.run({}, { url }).subscribe({
      next() { throw things[n++]; }, complete: () => setTimeout(() => resolve([n, reported]), 50),
    });
  });
}, [6, 6]);

rule("wrong kinds throw a TypeError at subscribe", async (url) => {
  const observable = agui.run({}, { url });
  return [() => observable.subscribe(7), () => observable.subscribe("x"),
    () => observable.subscribe({}, { signal: 7 })].map((f) => {
    try {
      f();
      return "nothing";
    } catch (error) {
      return error instanceof TypeError;
    }
  });
}, [true, true, true], { seen: 0 });

rule("symbols: @@observable always, Symbol.observable if it exists when run is called", async (url) => {
  const a = agui.run({}, { url });
  const before = [typeof a["@@observable"], a["@@observable"]() === a];
  Object.defineProperty(Symbol, "observable", { value: Symbol("observable"), configurable: true });
  const b = agui.run({}, { url });
  return [...before, b[Symbol.observable]() === b];
}, ["function", true, true]);

rule("the subscription's live fields are as of the event", async (url) => {
  const seen = [];
  const subscription = await new Promise((resolve) => {
    const s = agui.run({ messages: [{ id: "u", role: "user", content: "q" }] }, { url }).subscribe({
      next: (e) => seen.push([e.type, s.messages.length, s.messages[1]?.content, s.state.n]),
      complete: () => resolve(s),
    });
  });
  return [seen, subscription.messages.length, Object.isFrozen(subscription.messages), subscription.outcome?.type,
    subscription.result, subscription.stateInSync, subscription.pendingToolCallIds];
}, [[
  ["RUN_STARTED", 1, undefined, undefined], ["TEXT_MESSAGE_START", 2, "", undefined],
  ["TEXT_MESSAGE_CONTENT", 2, "a", undefined], ["STATE_SNAPSHOT", 2, "a", 1],
  ["STATE_DELTA", 2, "a", 2], ["TEXT_MESSAGE_CONTENT", 2, "ab", 2], ["TEXT_MESSAGE_END", 2, "ab", 2],
  ["RUN_FINISHED", 2, "ab", 2],
], 2, true, "success", { ok: true }, true, []], {
  reply: { body: sse(started, text("m")[0], text("m", "a")[1], { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
    { type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 2 }] },
    text("m", "b")[1], text("m")[1], { ...finished, result: { ok: true }, outcome: { type: "success" } }) },
});

rule("for await gives the events, with live fields on the iterator", async (url) => {
  const iterator = agui.run({}, { url })[Symbol.asyncIterator]();
  const seen = [];
  for await (const event of iterator) seen.push([event.type, iterator.messages[0]?.content]);
  return seen;
}, [["RUN_STARTED", undefined], ["TEXT_MESSAGE_START", ""], ["TEXT_MESSAGE_CONTENT", "a"],
  ["TEXT_MESSAGE_CONTENT", "ab"], ["TEXT_MESSAGE_END", "ab"], ["RUN_FINISHED", "ab"]], { seen: 1 });

rule("for await throws the error after the events", async (url) => {
  const seen = [];
  try {
    for await (const event of agui.run({}, { url })) seen.push(event.type);
  } catch (error) {
    seen.push(error.code);
  }
  return seen;
}, ["RUN_STARTED", "RUN_ERROR", "run_error"], { reply: { body: sse(started, { type: "RUN_ERROR", message: "x" }) } });

test("a break in for await cancels the request", async () => {
  const page = await world.page();
  const url = agent.reply({ body: [sse(started), sse(...text("m", "x"))], open: true });
  await page.evaluate(async (url) => {
    for await (const event of agui.run({}, { url })) if (event.type === "TEXT_MESSAGE_START") break;
  }, url);
  await agent.cancelled(url);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a slow for await reader holds the server back and loses nothing", async () => {
  const page = await world.page();
  const count = 30000;
  const got = await page.evaluate(async (count) => {
    const events = [];
    let sent = 0;
    const frame = new TextEncoder().encode(T.sse({ type: "CUSTOM", name: "x", value: "y".repeat(500) }));
    const stream = new ReadableStream({
      pull(controller) {
        if (sent === 0) controller.enqueue(new TextEncoder().encode(T.sse(T.started)));
        if (sent === count) {
          controller.enqueue(new TextEncoder().encode(T.sse(T.finished)));
          return controller.close();
        }
        sent++;
        controller.enqueue(frame);
      },
    }, { highWaterMark: 0 });
    const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
    let n = 0;
    let ahead = 0;
    for await (const event of agui.run({}, { url: "https://x.test/", fetch })) {
      if (n++ === 5) {
        await T.sleep(300);
        ahead = sent;
      }
    }
    return { n, ahead };
  }, count);
  assert.equal(got.n, count + 2);
  assert.ok(got.ahead < 1500, `the server was ${got.ahead} events ahead`);
  await page.done();
});
