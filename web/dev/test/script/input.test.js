import assert from "node:assert/strict";
import test from "node:test";
import { uuid } from "../../../js/core/ids.js";
import { Input } from "../../../js/api/input.js";
import { makeRun } from "../../../js/api/run.js";
import { fakeRuntime } from "./fake.js";

const text = (input) => JSON.parse(new Input(input).text());

test("what is absent is made", () => {
  const body = text({ messages: [{ role: "user", content: "hi" }] });
  assert.match(body.threadId, /^[0-9a-f-]{36}$/);
  assert.match(body.runId, /^[0-9a-f-]{36}$/);
  assert.match(body.messages[0].id, /^[0-9a-f-]{36}$/);
  assert.deepEqual({ ...body, threadId: 0, runId: 0, messages: 0 }, {
    threadId: 0, runId: 0, messages: 0, protocolVersion: "1.0", state: {}, tools: [], context: [], forwardedProps: {},
  });
});

test("what is given is kept, null counts as absent, state may be null", () => {
  const body = text({
    threadId: "t", runId: "r", state: null, messages: null, tools: null, parentRunId: null, forwardedProps: { a: 1 },
    extra: { x: null },
  });
  assert.deepEqual(body, {
    runId: "r", threadId: "t", protocolVersion: "1.0", state: null, messages: [], tools: [], context: [],
    forwardedProps: { a: 1 }, extra: { x: null },
  });
});

test("the input is copied at the call; toJSON is respected", () => {
  const given = {
    messages: [{ id: "1", role: "user", content: "a" }], state: { at: new Date(0), u: undefined, f() {} },
  };
  const input = new Input(given);
  given.messages[0].content = "b";
  given.state.at = 5;
  assert.equal(JSON.parse(input.text()).messages[0].content, "a");
  assert.deepEqual(JSON.parse(input.text()).state, { at: "1970-01-01T00:00:00.000Z" });
  assert.equal(given.messages[0].id, "1");
});

test("own __proto__ keys stay own keys", () => {
  const input = new Input({ state: JSON.parse('{"__proto__":{"a":1}}') });
  assert.match(input.text(), /"state":\{"__proto__":\{"a":1\}\}/);
});

const cycle = { name: "x" };
cycle.self = { cycle };
let deep = 1;
for (let i = 0; i < 200000; i++) deep = [deep];

for (const [name, input, message] of [
  ["nothing", undefined, /the input must be an object, not undefined/],
  ["null", null, /not null/],
  ["a string", "hi", /not a string/],
  ["an array", [], /not an array/],
  ["messages that are no array", { messages: { a: 1 } }, /input\.messages must be an array, not an object/],
  ["a message that is none", { messages: [{}, "hi"] }, /input\.messages\[1\] must be an object, not a string/],
  ["tools", { tools: "x" }, /input\.tools must be an array/],
  ["context", { context: [5] }, /input\.context\[0\]/],
  ["resume", { resume: {} }, /input\.resume/],
  ["threadId", { threadId: 5 }, /input\.threadId must be a string, not a number/],
  ["runId", { runId: {} }, /input\.runId/],
  ["parentRunId", { parentRunId: 1 }, /input\.parentRunId/],
  ["protocolVersion", { protocolVersion: 1 }, /input\.protocolVersion/],
  ["a BigInt", { state: { counts: [1, { n: 5n }] } }, /input\.state\.counts\[1\]\.n is a BigInt/],
  ["a cycle", { forwardedProps: cycle }, /input\.forwardedProps\.self\.cycle is a cycle/],
  ["a deep nesting", { state: deep }, /nested deeper than 1,000/],
  ["a getter that throws", { get state() { throw new Error("no state"); } }, /no state/],
]) {
  test(`input: ${name}`, () => {
    assert.throws(() => makeRun(fakeRuntime())(input), (error) => error instanceof TypeError &&
      message.test(error.message));
  });
}

for (const [name, options, message] of [
  ["no object", 5, /options must be an object, not 5/],
  ["url", { url: 5 }, /url must be a string or a URL, not 5/],
  ["an invalid url", { url: "http://" }, /url is no valid URL/],
  ["headers", { headers: "x" }, /headers must be an object or a function/],
  ["a header", { headers: { a: {} } }, /The header a must be a string, not an object/],
  ["header pairs", { headers: [["a"]] }, /pairs of a name and a value/],
  ["credentials", { credentials: true }, /credentials must be "omit"/],
  ["requestInit", { requestInit: [] }, /requestInit must be an object/],
  ["requestInit.signal", { requestInit: { signal: 1 } }, /requestInit\.signal must be an AbortSignal/],
  ["fetch", { fetch: {} }, /fetch must be a function/],
  ["signal", { signal: {} }, /signal must be an AbortSignal/],
  ["verify", { verify: "loose" }, /verify must be "lenient" or "strict", not "loose"/],
  ["maxEventBytes", { maxEventBytes: -1 }, /maxEventBytes must be a number greater than 0, not -1/],
  ["idleTimeoutMs", { idleTimeoutMs: "5" }, /idleTimeoutMs/],
  ["onWarning", { onWarning: 1 }, /onWarning must be a function/],
]) {
  test(`options: ${name}`, () => {
    assert.throws(() => makeRun(fakeRuntime())({}, options), (error) => error instanceof TypeError &&
      message.test(error.message));
  });
}

test("no url anywhere is a TypeError; null is the default", () => {
  assert.throws(() => makeRun(fakeRuntime({}))({}), /there is no url/);
  makeRun(fakeRuntime())({}, { url: null, headers: null, verify: null, signal: undefined });
});

/** The headers that a run sends, or the error that it ends with. */
const sent = (headers) => new Promise((resolve) => {
  const runtime = fakeRuntime();
  makeRun(runtime)({}, { headers, fetch: () => resolve(runtime.current.log[0][1].headers) })
    .subscribe({ error: resolve });
});

/** What every request has (web/js/core/headers.js). */
const ours = [["Content-Type", "application/json"], ["Accept", "text/event-stream"]];

test("headers of every kind, asked at each subscribe", async () => {
  assert.deepEqual(await sent({ a: "1", b: undefined, c: null, d: 5 }), [...ours, ["a", "1"], ["d", "5"]]);
  assert.deepEqual(await sent(new Headers({ A: "1" })), [...ours, ["a", "1"]]);
  assert.deepEqual(await sent([["a", "1"]]), [...ours, ["a", "1"]]);
  assert.deepEqual(await sent(() => ({ a: "1" })), [...ours, ["a", "1"]]);
  assert.deepEqual(await sent(async () => new Map([["a", "1"]])), [...ours, ["a", "1"]]);
  assert.deepEqual(await sent(async () => undefined), ours);
});

test("a headers function that fails ends its run with bad_input and the cause", async () => {
  const boom = new Error("boom");
  for (const f of [() => { throw boom; }, () => Promise.reject(boom)]) {
    const error = await sent(f);
    assert.equal(error.code, "bad_input");
    assert.equal(error.cause, boom);
  }
  for (const nonsense of [5, "x", [1], { a: {} }, [["a", Symbol("s")]]]) {
    assert.equal((await sent(async () => nonsense)).code, "bad_input");
  }
});

test("a UUID without crypto.randomUUID", () => {
  const before = crypto.randomUUID;
  Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
  try {
    assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(uuid(), uuid());
  } finally {
    Object.defineProperty(crypto, "randomUUID", { value: before, configurable: true });
  }
});

test("headers and the signal of requestInit count where the options name none", async () => {
  const of = (options) => new Promise((resolve) => {
    makeRun(fakeRuntime())({}, {
      ...options, fetch: (url, { headers, signal, method, body, ...rest }) =>
        resolve({ headers: Object.entries(headers), signal, rest }),
    })
      .subscribe({ error() {} });
  });
  const init = { cache: "no-store", headers: { a: "1" }, signal: new AbortController().signal };
  const given = await of({ requestInit: init });
  assert.deepEqual(given.headers, [...ours, ["a", "1"]]);
  assert.deepEqual(given.rest, { cache: "no-store" });
  assert.notEqual(given.signal, init.signal);
  assert.deepEqual((await of({ requestInit: init, headers: { b: "2" } })).headers, [...ours, ["b", "2"]]);
  const aborted = makeRun(fakeRuntime())({}, { requestInit: { signal: AbortSignal.abort() } }).subscribe();
  assert.equal(aborted.closed, true);
});
