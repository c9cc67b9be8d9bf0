import assert from "node:assert/strict";
import test from "node:test";
import { Execution } from "../../../js/core/execution.js";
import { Mirror } from "../../../js/core/mirror.js";
import { observableOf } from "../../../js/api/observable.js";
import { AGUIError } from "../../../js/core/error.js";
import { event, fakeRuntime, finished, tick } from "./fake.js";

/** Runs a source of the page's; gives what was told. */
function feed(source, { mode = "fast", step, runtime = fakeRuntime() } = {}) {
  const calls = [];
  const mirror = new Mirror();
  return new Promise((resolve) => {
    const execution = new Execution(
      { runtime, mirror, mode, source: () => source, prepare: () => ({ input: "{}" }), warn() {} },
      {
        event: (e) => calls.push(e.value ?? e.type),
        error: (e) => resolve([...calls, e]),
        complete: () => resolve([...calls, "complete"]),
        step,
        changed: () => calls.push(`changed ${mirror.get("state")}`),
      },
    );
    execution.begin();
  });
}

async function* generator(...events) {
  for (const e of events) {
    await tick(1);
    yield e;
  }
}

/** An observable of another library's. */
const foreign = (f) => ({ subscribe: (observer) => ({ unsubscribe: f(observer) ?? (() => {}) }) });

test("events from iterables, observables and responses, now or promised", async () => {
  const good = [1, 2, "RUN_FINISHED", "complete"];
  const events = [event(1), event(2), finished];
  const text = events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join("");
  assert.deepEqual(await feed(events), good);
  assert.deepEqual(await feed(generator(...events)), good);
  assert.deepEqual(await feed(Promise.resolve(generator(...events))), good);
  assert.deepEqual(await feed(new Response(text)), good);
  assert.deepEqual(await feed(foreign((o) => {
    for (const e of events) o.next(e);
    o.complete();
  })), good);
  assert.deepEqual(await feed(foreign((o) => {
    setTimeout(() => events.forEach((e) => o.next(e)), 2);
    setTimeout(() => o.complete(), 4);
  })), good);
  assert.deepEqual(await feed({ "@@observable": () => foreign((o) => {
    for (const e of events) o.next(e);
    o.complete();
  }) }), good);
});

test("trouble of a source ends its run, after what came", async () => {
  const boom = new Error("boom");
  const failing = async function* () {
    yield event(1);
    throw boom;
  };
  const [one, error] = await feed(failing());
  assert.equal(one, 1);
  assert.equal(error.code, "network");
  assert.equal(error.cause, boom);
  for (const nonsense of [5, undefined, {}, Promise.reject(boom), [{ n: 5n }]]) {
    const [e] = await feed(nonsense);
    assert.equal(e.code, "network");
  }
  // Events that are told at once are written together; one that cannot be takes none of the others along.
  const [first, second, bad] = await feed(foreign((o) => {
    for (const e of [event(1), event(2), { n: 5n }, event(3)]) o.next(e);
  }));
  assert.deepEqual([first, second, bad.code], [1, 2, "network"]);
  assert.match(bad.message, /BigInt/);
  const [given, thrown] = await feed({ subscribe(o) { o.next(event(1)); throw boom; } });
  assert.deepEqual([given, thrown.code, thrown.cause], [1, "network", boom]);
  const own = new AGUIError("http_status", "no", { status: 401 });
  assert.deepEqual(await feed(foreign((o) => o.error(own))), [own]);
});

test("whatever stops a run from being put together is told as bad_input", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const thrown of [null, undefined, "word", new TypeError("word"), Symbol("word"), proxy,
    { get message() { throw 1; } }]) {
    const error = await new Promise((resolve, reject) => {
      new Execution(
        { runtime: fakeRuntime(), mirror: new Mirror(), mode: "fast", prepare() { throw thrown; }, warn() {} },
        { event() {}, error: resolve, complete: () => reject(new Error("complete")) },
      ).begin();
    });
    assert.ok(error instanceof AGUIError);
    assert.equal(error.code, "bad_input");
    assert.equal(error.cause, thrown);
    if (thrown === "word") assert.match(error.message, /word/);
  }
});

test("what the page changes in Go while the end is queued already is carried out before it", async () => {
  const runtime = fakeRuntime();
  const mirror = new Mirror({ state: 1 });
  const told = [];
  await new Promise((resolve) => {
    const execution = new Execution(
      {
        runtime, mirror, mode: "fast", source: () => [event(1), finished], prepare: () => ({ input: "{}" }), warn() {},
      },
      {
        event(e) {
          if (e.value !== 1) return;
          runtime.current.over([...runtime.current.runs.keys()][0], [2, { code: "bad_event", message: "bad" }]);
          execution.change([0, ["state"], 2], () => told.push("done"));
        },
        error: () => {
          told.push(`error ${mirror.get("state")}`);
          resolve(null);
        },
        complete() {},
      },
    );
    execution.begin();
  });
  assert.deepEqual(told, ["done", "error 2"]);
});

test("a cancelled run leaves its source", async () => {
  let left = 0;
  const source = foreign(() => () => left++);
  const execution = new Execution(
    {
      runtime: fakeRuntime(), mirror: new Mirror(), mode: "fast", source: () => source,
      prepare: () => ({ input: "{}" }), warn() {},
    },
    { event() {}, error() {}, complete() {} },
  );
  execution.begin();
  await tick(5);
  execution.cancel();
  await tick(5);
  assert.equal(left, 1);
});

test("a run that is cancelled while its source is subscribed to leaves it too", async () => {
  let left = 0;
  const source = foreign(() => {
    execution.cancel();
    return () => left++;
  });
  const execution = new Execution(
    {
      runtime: fakeRuntime(), mirror: new Mirror(), mode: "fast", source: () => source,
      prepare: () => ({ input: "{}" }), warn() {},
    },
    { event() {}, error() {}, complete() {} },
  );
  execution.begin();
  await tick(5);
  assert.equal(left, 1);
});

test("stepped: each event is asked about, in order, also when the answer takes its time", async () => {
  const asked = [];
  const calls = await feed([{ type: "A" }, { type: "B" }, { type: "C" }, { type: "D" }, finished], {
    mode: "stepped",
    step(e) {
      asked.push(e.type);
      if (e.type === "A") return true;
      if (e.type === "B") return tick(3).then(() => false);
      if (e.type === "C") return tick(3).then(() => true);
      return true;
    },
  });
  assert.deepEqual(asked, ["A", "B", "C", "D", "RUN_FINISHED"]);
  assert.deepEqual(calls, ["changed A", "changed C", "changed D", "changed RUN_FINISHED", "complete"]);
});

test("one run's Observable is another's source", async () => {
  const inner = observableOf((receiver, pull) => new Execution(
    {
      runtime: fakeRuntime(), mirror: new Mirror(), mode: "raw", source: () => [event(1), finished],
      prepare: () => ({ input: "{}" }), warn() {},
    },
    receiver, pull,
  ));
  assert.deepEqual(await feed(inner), [1, "RUN_FINISHED", "complete"]);
});
