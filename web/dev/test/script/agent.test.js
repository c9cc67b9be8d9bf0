// The agent's parts that need neither Go nor a browser.
import "../harness/types.js";
import test from "node:test";
import assert from "node:assert/strict";
import { Changes } from "../../../js/agent/change.js";
import { debugConfig } from "../../../js/agent/debug.js";
import { base64, filePart } from "../../../js/agent/blobs.js";
import { contentOf } from "../../../js/agent/files.js";
import { answer, described } from "../../../js/agent/handlers.js";
import { checkTools } from "../../../js/agent/tools.js";
import { APPLY, DROP, EVENT_HOOKS, RunHooks, SKIP } from "../../../js/agent/steps.js";
import { Lifted, pipe } from "../../../js/api/lift.js";
import { reported } from "./fake.js";

test("base64 without FileReader, in slices that join", async () => {
  for (const size of [0, 1, 2, 3, 196607, 196608, 196609, 500000]) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7919) & 255);
    assert.equal(await base64(new Blob([bytes])), Buffer.from(bytes).toString("base64"), `${size} bytes`);
  }
});

test("content: words stay words, parts stay parts, the rest is refused", async () => {
  const part = () => Promise.resolve(/** @type {any} */ ({ filePart }));
  assert.equal(contentOf("x", part), "x");
  assert.deepEqual(contentOf([{ type: "text", text: "x" }, "y"], part),
    [{ type: "text", text: "x" }, { type: "text", text: "y" }]);
  assert.deepEqual((await contentOf(new Blob(["a"], { type: "audio/wav" }), part))[0].type, "audio");
  assert.deepEqual((await contentOf(new Blob(["a"]), part))[0], {
    type: "document", source: { type: "data", value: "YQ==", mimeType: "application/octet-stream" },
  });
  for (const bad of [[], null, 5, [null], [{}]]) assert.throws(() => contentOf(bad, part), TypeError);
});

test("changes: one call for many marks, at once on flush, none after the end", async () => {
  let calls = 0;
  const changes = new Changes((listener) => listener());
  changes.mark();
  const off = changes.add(() => calls++);
  changes.flush();
  assert.equal(calls, 0, "a flush without a mark");
  for (let i = 0; i < 10; i++) changes.mark();
  changes.flush();
  changes.flush();
  assert.equal(calls, 1);
  changes.mark();
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(calls, 2);
  changes.mark();
  off();
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(calls, 2);
});

test("tools: results, errors, and an abort that nobody waits out", async () => {
  const call = (/** @type {string} */ name, args = "{}") => ({ id: `c-${name}`, name, arguments: args, message: "a" });
  const parts = [{ type: "text", text: "x" }];
  const tools = checkTools([
    { name: "text", handler: () => "text" }, { name: "value", handler: async (/** @type {any} */ args) => args },
    { name: "nothing", handler: () => {} },
    { name: "null", handler: () => null }, { name: "parts", handler: () => parts },
    { name: "list", handler: () => [1] }, { name: "throws", handler: () => { throw "words"; } },
    { name: "silent", handler: () => Promise.reject(undefined) }, { name: "function", handler: () => () => {} },
    { name: "big", handler: () => 1n },
  ]);
  let n = 0;
  const context = { agent: null, signal: new AbortController().signal, id: () => `m${++n}` };
  const messages = /** @type {any[]} */ (await answer(tools.map(({ name }) => call(name, '{"n":1}')), tools, context));
  assert.deepEqual(messages.map((m) => m.content),
    ["text", '{"n":1}', "", "null", parts, "[1]", "words", "The tool failed", messages[8].error, messages[9].error]);
  assert.deepEqual(messages.map((m) => m.error !== undefined),
    [false, false, false, false, false, false, true, true, true, true]);
  assert.deepEqual([messages[0].id, messages[0].role, messages[0].toolCallId], ["m1", "tool", "c-text"]);

  const controller = new AbortController();
  const waiting = answer([call("never")], [{ name: "never", handler: () => new Promise(() => {}) }],
    { ...context, signal: controller.signal });
  controller.abort();
  assert.equal(await waiting, null);
  assert.deepEqual(described([{ name: "x", description: "d", handler() {} }]), [{ name: "x", description: "d" }]);
  for (const bad of [{}, [null], [{}], [{ name: "x", handler: 5 }], [{ name: "x" }, { name: "x" }]]) {
    assert.throws(() => checkTools(bad), TypeError);
  }
});

/** Hooks over plain snapshots. */
function hooks(/** @type {any[]} */ subscribers, messages = /** @type {any[]} */ ([]),
  state = /** @type {any} */ ({})) {
  const held = { messages, state, aliases: /** @type {any} */ (undefined) };
  const host = {
    agent: "agent", partial: (/** @type {string} */ text) => ({ text }), messages: () => held.messages,
    aliases: () => held.aliases, state: () => held.state, mutate: (/** @type {any} */ m) => {
      for (const key of /** @type {const} */ (["messages", "state"])) if (m[key] !== undefined) held[key] = m[key];
    },
  };
  const hooks = new RunHooks(subscribers, host);
  hooks.input = { input: true };
  return { hooks, held };
}

test("hooks: no promise where none is async, and steps only where an event hook is", () => {
  const made = hooks([{ onMessagesChanged() {}, onNewMessage() {}, onRunFailed() {} }, {}]);
  assert.equal(made.hooks.stepped, false);
  assert.equal(made.hooks.before({ type: "CUSTOM" }), APPLY);
  for (const name of ["onEvent", ...EVENT_HOOKS.values()]) {
    assert.equal(hooks([{}, { [name]() {} }]).hooks.stepped, true, name);
  }
  class Subscriber { onRawEvent() {} }
  assert.equal(hooks([new Subscriber()]).hooks.stepped, true);
});

test("hooks: what one returns the next one sees; stopPropagation ends it", async () => {
  /** @type {any[]} */
  const log = [];
  const { hooks: made, held } = hooks([
    { onEvent: async () => ({ state: 1 }), onCustomEvent: () => ({ stopPropagation: true, messages: [1] }) },
    {
      onEvent: (/** @type {any} */ p) => { log.push([p.state, Object.keys(p).sort().join()]); }, onCustomEvent: () => {
        log.push("too far");
      },
    },
  ]);
  assert.equal(await made.before({ type: "CUSTOM" }), SKIP);
  assert.deepEqual([log, held.state, held.messages], [[[1, "agent,event,input,messages,state"]], 1, [1]]);
  assert.equal(hooks([{ onEvent: () => ({ stopPropagation: true }) }]).hooks.before({ type: "RAW" }), DROP);
});

test("hooks: a getter that throws is reported and counts as no hook", async () => {
  const broken = {
    get onEvent() { throw new Error("onEvent"); }, get onCustomEvent() { throw new Error("onCustomEvent"); },
    get onRunFinalized() { throw new Error("onRunFinalized"); }, get onNewMessage() {
      throw new Error("onNewMessage");
    },
  };
  /** @type {string[]} */
  const heard = [];
  const errors = await reported(async () => {
    const { hooks: made } = hooks([broken, {
      onEvent() { heard.push("event"); }, onNewMessage() { heard.push("message"); },
    }]);
    assert.equal(made.stepped, true);
    assert.equal(await made.before({ type: "CUSTOM" }), APPLY);
    await made.newMessage({ id: "m" });
    assert.equal(await made.life("onRunFinalized"), true);
    assert.equal(hooks([broken]).hooks.stepped, false);
  });
  assert.deepEqual(heard, ["event", "message"]);
  assert.deepEqual([...new Set(errors.map((e) => e.message))].sort(),
    ["onCustomEvent", "onEvent", "onNewMessage", "onRunFinalized"]);
});

test("hooks: a partial parse only where somebody looks", () => {
  let reads = 0;
  const messages = [{
    id: "a", role: "assistant", toolCalls: [{
      id: "c", function: { name: "f", get arguments() { reads++; return '{"x":[1,'; } },
    }],
  }];
  /** @type {any} */
  let given;
  const { hooks: made } = hooks([{ onToolCallArgsEvent: (/** @type {any} */ p) => { given = p; } }], messages);
  assert.equal(made.before({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "" }), APPLY);
  assert.deepEqual([given.toolCallBuffer, given.toolCallName,
    typeof Object.getOwnPropertyDescriptor(given, "partialToolCallArgs")?.get], ['{"x":[1,', "f", "function"]);
  assert.deepEqual(given.partialToolCallArgs, { text: '{"x":[1,' });
});

test("hooks: a call of thousands is found without a look at all of them, under the page's id", () => {
  let looks = 0;
  const COUNT = 3000;
  const toolCalls = Array.from({ length: COUNT }, (_, i) => ({
    get id() { looks++; return `c${i}`; }, function: { name: `f${i}`, arguments: `[${i}]` },
  }));
  const messages = [{ id: "a", role: "assistant", toolCalls }, { id: "b", role: "assistant", content: "x" }];
  /** @type {any[]} */
  const seen = [];
  const { hooks: made, held } = hooks([{
    onToolCallEndEvent: (/** @type {any} */ { toolCallName: name, toolCallArgs: args }) => {
      seen.push([name, args[0]]);
    },
  }], messages);
  const end = (/** @type {number} */ i) => made.before({ type: "TOOL_CALL_END", toolCallId: `c${i}` });
  for (let i = 0; i < COUNT; i++) end(i);
  assert.deepEqual(seen, toolCalls.map((_, i) => [`f${i}`, i]));
  assert.ok(looks < 8 * COUNT, `${looks} looks at ids`);
  held.messages = [messages[1], messages[0]]; // another list: what was remembered does not count
  held.aliases = { "TOOL_CALL:c7": "c9" };
  end(8);
  end(7);
  assert.deepEqual(seen.slice(-2), [["f8", 8], ["f9", 9]]);
});

test("lift: operators that a library hands over; the end closes what it opened", () => {
  let closed = 0;
  const source = {
    subscribe: (/** @type {any} */ o) => { o.next(1); o.next(2); return { unsubscribe: () => { closed++; } }; },
  };
  const doubled = new Lifted(source, /** @this {any} */ function (/** @type {any} */ from) {
    return from.subscribe({ next: (/** @type {number} */ n) => this.next(2 * n) });
  });
  /** @type {any[]} */
  const got = [];
  const subscription = doubled.subscribe((/** @type {number} */ n) => got.push(n));
  assert.deepEqual(got, [2, 4]);
  subscription.unsubscribe();
  subscription.unsubscribe();
  subscription.next(3);
  assert.deepEqual([got, closed], [[2, 4], 1]);
  assert.equal(pipe(1, [(x) => x + 1, (x) => x * 10]), 20);
  let error;
  new Lifted(source, () => { throw new Error("no"); })
    .subscribe({ error: (/** @type {any} */ e) => { error = e.message; } });
  assert.equal(error, "no");
});

test("debug options", () => {
  assert.deepEqual([debugConfig(undefined).enabled, debugConfig(true), debugConfig({ events: false }),
    debugConfig({ events: false, lifecycle: false }).enabled], [
    false, { enabled: true, events: true, lifecycle: true, verbose: true },
    { enabled: true, events: false, lifecycle: true, verbose: false }, false,
  ]);
});

test("hooks: what one gives after its run is over changes nothing, and the next one is not asked", async () => {
  for (const end of ["stage", "current"]) {
    const changes = [];
    const asked = [];
    let release;
    const host = {
      agent: {}, messages: () => [], state: () => ({}), aliases: () => undefined, mutate: (m) => changes.push(m),
    };
    const hooks = new RunHooks([
      { onEvent: () => (asked.push(1), new Promise((resolve) => { release = resolve; })) },
      { onEvent: () => (asked.push(2), { state: 2 }) },
    ], host);
    const verdict = hooks.before({ type: "CUSTOM" });
    if (end === "stage") hooks.stage++;
    else hooks.current = () => false;
    release({ messages: [], state: { from: "the old run" } });
    await verdict;
    assert.deepEqual([changes, asked], [[], [1]], end);
  }
});
