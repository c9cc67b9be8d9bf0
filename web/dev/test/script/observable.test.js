import assert from "node:assert/strict";
import test from "node:test";
import { runs } from "../../../js/core/execution.js";
import { live } from "../../../js/core/live.js";
import { Mirror } from "../../../js/core/mirror.js";
import { observableOf } from "../../../js/api/observable.js";
import { makeRun } from "../../../js/api/run.js";
import { event, fakeRuntime, finished, reported, stream, tick } from "./fake.js";

/** A run over a stream that the test feeds; `requests` counts the fetches. */
function setup(options = {}, input = {}) {
  const server = stream();
  const requests = [];
  const runtime = fakeRuntime();
  const run = makeRun(runtime);
  const fetch = async (url, init) => {
    requests.push({ url, init });
    return server.response;
  };
  return { server, requests, runtime, run, observable: run(input, { fetch, ...options }) };
}

/** Waits until nothing is alive. */
async function settled() {
  for (let i = 0; i < 50 && (runs.size > 0 || live.callbacks > 0); i++) await tick(2);
  assert.equal(runs.size, 0, "live runs");
  assert.equal(live.callbacks, 0, "live callbacks");
}

/** An observer that writes down its calls. */
function recorder() {
  const calls = [];
  return {
    calls, next: (e) => calls.push(e.value ?? e.type), error: (e) => calls.push(`error ${e.code}`),
    complete: () => calls.push("complete"),
  };
}

test("cold: each subscribe is one request, with its own runId and the same threadId", async () => {
  const { requests, run } = setup();
  const bodies = [];
  const observable = run({}, {
    fetch: async (url, init) => {
      bodies.push(JSON.parse(init.body));
      const server = stream();
      server.send(finished);
      server.close();
      return server.response;
    },
  });
  await tick();
  assert.equal(bodies.length, 0);
  observable.subscribe();
  observable.subscribe();
  await tick(5);
  assert.equal(bodies.length, 2);
  assert.equal(bodies[0].threadId, bodies[1].threadId);
  assert.notEqual(bodies[0].runId, bodies[1].runId);
  assert.match(bodies[0].runId, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  assert.equal(requests.length, 0);
  await settled();
});

test("nothing is called inside subscribe; events, then one ending; closed is true before it", async () => {
  const { server, observable } = setup();
  server.send(event(1), event(2), finished);
  server.close();
  const calls = [];
  let inside = true;
  const subscription = observable.subscribe({
    next(e) {
      assert.equal(inside, false);
      assert.equal(subscription.closed, false);
      calls.push(e.value ?? e.type);
    },
    error: () => calls.push("error"),
    complete() {
      assert.equal(subscription.closed, true);
      assert.equal(runs.size, 0);
      calls.push("complete");
    },
  });
  inside = false;
  await settled();
  assert.deepEqual(calls, [1, 2, "RUN_FINISHED", "complete"]);
});

test("the function form, each with no this", async () => {
  "use strict";
  const { server, observable } = setup();
  server.send(event(1));
  const calls = [];
  observable.subscribe(
    function (e) {
      calls.push([this, e.value]);
    },
    function (e) {
      calls.push([this, e.code]);
    },
  );
  await tick(5);
  server.close();
  await settled();
  assert.deepEqual(calls, [[undefined, 1], [undefined, "incomplete_stream"]]);
});

test("an observer with a member plain is an observer all the same", async () => {
  const seen = [];
  const observer = { plain: true, next() { seen.push(this); }, complete() { seen.push(this); } };
  await new Promise((resolve) => {
    const given = observableOf((receiver) => ({
      mirror: new Mirror(), closed: false, want() {}, cancel() {}, begin() {
        receiver.event(1);
        receiver.complete();
        resolve(null);
      },
    }));
    given.subscribe(observer);
  });
  assert.deepEqual(seen.map((self) => self === observer), [true, true]);
});

test("methods are looked up at call time, with the observer as this", async () => {
  const { server, observable } = setup();
  server.send(event(1));
  const calls = [];
  const observer = {
    next() {
      calls.push(this === observer);
      this.next = () => calls.push("later");
    },
  };
  observable.subscribe(observer);
  await tick(5);
  server.send(event(2), finished);
  observer.complete = () => calls.push("complete");
  await tick(5);
  server.close();
  await settled();
  assert.deepEqual(calls, [true, "later", "later", "complete"]);
});

test("an observer's method that is no function is named, and the run goes on", async () => {
  const calls = [];
  const errors = await reported(async () => {
    const { server, observable } = setup();
    observable.subscribe(/** @type {any} */ ({ next: 5, error: {}, complete: () => calls.push("complete") }));
    server.send(event(1), finished);
    await tick(5);
    server.close();
    await settled();
  });
  assert.deepEqual(calls, ["complete"]);
  assert.equal(errors.length, 2);
  for (const error of errors) {
    assert.equal(String(error), "TypeError: subscribe: the observer's next must be a function");
  }
});

test("wrong arguments throw at the call", () => {
  const { observable } = setup();
  for (const args of [[5], ["x"], [() => {}, 5], [{}, { signal: 5 }], [() => {}, null, "x"]]) {
    assert.throws(() => observable.subscribe(...args), TypeError);
  }
  assert.equal(runs.size, 0);
});

test("a throwing handler, also a throwing getter, is reported and delivery goes on", async () => {
  const { server, observable } = setup();
  server.send(event(1), event(2), finished);
  server.close();
  const calls = [];
  const errors = await reported(async () => {
    observable.subscribe({
      next(e) {
        calls.push(e.value);
        throw new Error(`in ${e.value}`);
      },
      get complete() {
        throw new Error("getter");
      },
    });
    await settled();
  });
  assert.deepEqual(calls, [1, 2, undefined]);
  assert.deepEqual(errors.map((e) => e.message), ["in 1", "in 2", "in undefined", "getter"]);
});

test("an error that nobody takes is reported", async () => {
  const errors = await reported(async () => {
    const { server, observable } = setup();
    server.close();
    observable.subscribe();
    await settled();
  });
  assert.equal(errors.length, 1);
  assert.equal(errors[0].code, "incomplete_stream");
  assert.equal(errors[0].name, "AGUIError");
});

test("unsubscribe inside next drops the rest of the same chunk, aborts, and is idempotent", async () => {
  const { server, observable, requests, runtime } = setup();
  const { calls, ...observer } = recorder();
  server.send(event(1), event(2), event(3), finished);
  const subscription = observable.subscribe({
    ...observer,
    next(e) {
      calls.push(e.value);
      if (e.value === 2) {
        subscription.unsubscribe();
        subscription.unsubscribe();
        assert.equal(subscription.closed, true);
      }
    },
  });
  await settled();
  await tick(5);
  assert.deepEqual(calls, [1, 2]);
  assert.equal(requests[0].init.signal.aborted, true);
  assert.equal(server.cancelled, true);
  assert.deepEqual(runtime.current.log.at(-1), ["cancel"]);
});

test("unsubscribe right after subscribe sends nothing", async () => {
  const { observable, requests } = setup();
  observable.subscribe().unsubscribe();
  await tick(5);
  assert.equal(requests.length, 0);
  await settled();
});

test("an aborted signal sends no request; an abort is silent", async () => {
  const aborted = setup({ signal: AbortSignal.abort() });
  const a = recorder();
  assert.equal(aborted.observable.subscribe(a).closed, true);
  const own = setup();
  assert.equal(own.observable.subscribe(a, { signal: AbortSignal.abort() }).closed, true);
  await tick(5);
  assert.equal(aborted.requests.length + own.requests.length, 0);

  const controller = new AbortController();
  const late = setup({}, {});
  const subscription = late.observable.subscribe(a, { signal: controller.signal });
  late.server.send(event(1));
  await tick(5);
  late.server.send(event(2));
  controller.abort();
  controller.abort();
  await settled();
  assert.equal(subscription.closed, true);
  assert.deepEqual(a.calls, [1]);
  assert.equal(late.requests[0].init.signal.aborted, true);
});

test("no listener stays on a signal, however the run ended", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args) => (listeners++, addEventListener.apply(signal, args));
  signal.removeEventListener = (...args) => (listeners--, removeEventListener.apply(signal, args));
  for (const end of ["complete", "error", "unsubscribe"]) {
    const { server, observable } = setup({ signal });
    const subscription = observable.subscribe({ error() {} }, { signal });
    await tick(2);
    assert.equal(listeners, 2);
    if (end === "complete") server.send(finished);
    if (end === "unsubscribe") subscription.unsubscribe();
    else server.close();
    await settled();
    assert.equal(listeners, 0, end);
  }
});

test("a new run may start in complete and in error", async () => {
  const calls = [];
  const { server, observable, run } = setup();
  server.send(finished);
  server.close();
  const again = stream();
  again.close();
  observable.subscribe({
    complete() {
      run({}, { fetch: async () => again.response }).subscribe({
        error: (e) => {
          calls.push(e.code);
          const third = stream();
          third.send(finished);
          third.close();
          run({}, { fetch: async () => third.response }).subscribe({ complete: () => calls.push("third") });
        },
      });
    },
  });
  await tick(20);
  await settled();
  assert.deepEqual(calls, ["incomplete_stream", "third"]);
});

test("handlers of one run that start and end others: no handler inside a handler", async () => {
  const { run } = setup();
  let depth = 0;
  const order = [];
  const guard = (name, f) => ({
    next(e) {
      assert.equal(depth++, 0, "a handler ran inside a handler");
      order.push(`${name}${e.value ?? "."}`);
      f?.(e);
      depth--;
    },
  });
  const make = () => {
    const server = stream();
    server.send(event(1), event(2), event(3), finished);
    server.close();
    return run({}, { fetch: async () => server.response });
  };
  let b;
  make().subscribe(guard("a", (e) => {
    if (e.value === 2) {
      make().subscribe(guard("c"));
      b.unsubscribe();
    }
  }));
  b = make().subscribe(guard("b"));
  await settled();
  assert.equal(order.filter((o) => o.startsWith("a")).join(""), "a1a2a3a.");
  assert.equal(order.filter((o) => o.startsWith("c")).join(""), "c1c2c3c.");
});

test("live fields: the input's before anything came, then as of each event", async () => {
  const { server, observable } = setup({}, { state: { n: 0 }, messages: [{ role: "user", content: "hi" }] });
  const states = [];
  const subscription = observable.subscribe({ next: () => states.push(subscription.state) });
  assert.deepEqual(subscription.state, { n: 0 });
  assert.match(subscription.messages[0].id, /-4/);
  assert.equal(subscription.stateInSync, true);
  assert.deepEqual(subscription.interrupts, []);
  assert.deepEqual(subscription.pendingToolCallIds, []);
  assert.equal(subscription.outcome, undefined);
  assert.throws(() => {
    subscription.messages[0].content = "changed";
  }, TypeError);
  server.send(...[1, 2, 3].map((n) => ({ type: "STATE_SNAPSHOT", snapshot: { n } })), finished);
  server.close();
  await settled();
  assert.deepEqual(states, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 3 }]);
  assert.equal(subscription.state, states[3]);
  assert.equal(states[2], states[3]);
});

test("for await: events and fields as of each, then the end", async () => {
  const { server, observable } = setup();
  server.send(...[1, 2, 3].map((n) => ({ type: "STATE_SNAPSHOT", snapshot: { n } })), finished);
  server.close();
  const iterator = observable[Symbol.asyncIterator]();
  await tick(5);
  assert.deepEqual(iterator.state, {});
  const seen = [];
  for await (const e of iterator) {
    await tick(1);
    seen.push([e.type, iterator.state.n]);
  }
  assert.deepEqual(seen, [["STATE_SNAPSHOT", 1], ["STATE_SNAPSHOT", 2], ["STATE_SNAPSHOT", 3], ["RUN_FINISHED", 3]]);
  assert.equal(iterator.closed, true);
  assert.deepEqual(await iterator.next(), { value: undefined, done: true });
  await settled();
});

test("for await: a break cancels the request, an error is thrown", async () => {
  const { server, observable, requests } = setup();
  server.send(event(1), event(2));
  for await (const e of observable) {
    assert.equal(e.value, 1);
    break;
  }
  assert.equal(requests[0].init.signal.aborted, true);
  await settled();

  const broken = setup();
  broken.server.send(event(1));
  broken.server.close();
  const seen = [];
  await assert.rejects(async () => {
    for await (const e of broken.observable) seen.push(e.value);
  }, { code: "incomplete_stream" });
  assert.deepEqual(seen, [1]);
  await settled();
});

test("for await: the reader waits when 1,000 events are queued", async () => {
  const { observable, runtime, server } = setup();
  const iterator = observable[Symbol.asyncIterator]();
  const first = iterator.next();
  for (let i = 0; i < 60; i++) server.send(...Array.from({ length: 100 }, (_, n) => event(i * 100 + n)));
  server.send(finished);
  server.close();
  await first;
  await tick(20);
  const lane = [...runtime.current.runs.values()][0].client.lane;
  assert.ok(lane.events >= 1000 && lane.events <= 1200, `${lane.events} of 6,001 events were read`);
  let n = 1;
  for await (const e of iterator) {
    if (e.type === "CUSTOM") assert.equal(e.value, n++);
  }
  assert.equal(n, 6000);
  await settled();
});

test("several next() at once are answered in order; return ends those that wait", async () => {
  const { server, observable } = setup();
  const iterator = observable[Symbol.asyncIterator]();
  const waiting = [iterator.next(), iterator.next(), iterator.next()];
  server.send(event(1), event(2));
  assert.equal((await waiting[0]).value.value, 1);
  assert.equal((await waiting[1]).value.value, 2);
  assert.deepEqual(await iterator.return("x"), { value: "x", done: true });
  assert.deepEqual(await waiting[2], { value: undefined, done: true });
  await settled();
});

test("an abort ends an iterator that waits", async () => {
  const controller = new AbortController();
  const { observable } = setup({ signal: controller.signal });
  const iterator = observable[Symbol.asyncIterator]();
  const waiting = iterator.next();
  await tick(5);
  controller.abort();
  assert.deepEqual(await waiting, { value: undefined, done: true });
  await settled();
});

test('"@@observable" always, Symbol.observable if it exists at the call', () => {
  const before = setup().observable;
  assert.equal(before["@@observable"](), before);
  Symbol.observable = Symbol("observable");
  try {
    const after = setup().observable;
    assert.equal(after[Symbol.observable](), after);
  } finally {
    delete Symbol.observable;
  }
});

test("warnings: to onWarning, whose exception is reported; else console.warn once per code", async () => {
  const given = [];
  const { server, observable } = setup({
    onWarning(w) {
      given.push(w.code);
      throw new Error("in onWarning");
    },
  });
  server.send({ ...event(1), warn: "odd_field" }, { ...event(2), warn: "odd_field" }, finished);
  server.close();
  const errors = await reported(async () => {
    observable.subscribe();
    await settled();
  });
  assert.deepEqual(given, ["odd_field", "odd_field"]);
  assert.equal(errors.length, 2);

  const plain = setup();
  plain.server.send({ ...event(1), warn: "odd_field" }, { ...event(2), warn: "odd_field" },
    { ...event(3), warn: "repaired" }, finished);
  plain.server.close();
  const warn = console.warn;
  const lines = [];
  console.warn = (...args) => lines.push(args[0]);
  plain.observable.subscribe();
  await settled();
  console.warn = warn;
  assert.deepEqual(lines, ["agui: odd_field: a warning", "agui: repaired: a warning"]);
});

test("Symbol.dispose unsubscribes where there is one", async () => {
  if (!Symbol.dispose) return;
  const { observable } = setup();
  const subscription = observable.subscribe();
  subscription[Symbol.dispose]();
  assert.equal(subscription.closed, true);
});
