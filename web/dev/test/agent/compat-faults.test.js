// What the reference's users rely on and this runtime once did otherwise.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { start } from "../harness/browser.js";
import { faultServer, finished, sse, started, text } from "../harness/faults.js";
import { root } from "../harness/static.js";
import { call, run } from "./scripted.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let server;
before(async () => {
  [world, server] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), server?.close()]));

/** Runs in a page against an agent that answers with events. */
async function inPage(/** @type {any[]} */ events, /** @type {Function} */ f) {
  const page = await world.page();
  try {
    return await page.evaluate(/** @type {any} */ (f), server.reply({ body: sse(...events) }));
  } finally {
    await page.done();
  }
}

test("a hook's messages and state are those before its event, also when read later", async () => {
  const got = await inPage([started, ...text("m", "a", "b"), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
    { type: "STATE_SNAPSHOT", snapshot: { n: 2 } }, finished], async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    const kept = [];
    const states = [];
    await agent.runAgent({}, {
      onTextMessageContentEvent: (params) => void kept.push(params),
      onStateSnapshotEvent: async (params) => void states.push(params),
    });
    return { texts: kept.map(({ messages }) => messages.at(-1).content),
      frozen: kept.every(({ messages }) => Object.isFrozen(messages)),
      states: states.map(({ state }) => state) };
  });
  assert.deepEqual(got, { texts: ["", "a"], frozen: true, states: [{}, { n: 1 }] });
});

test("an empty list of pending calls is no list: handlers run", async () => {
  const page = await world.page();
  let n = 0;
  const url = server.reply(() => ({ body: sse(...(n++ === 0 ? [started, ...call("c", "f", "{}"),
    { ...finished, outcome: { type: "success", pendingToolCallIds: [] } }] : run())) }));
  const got = await page.evaluate(async (url) => {
    let calls = 0;
    const agent = new agui.HttpAgent({ url, tools: [{ name: "f", description: "", handler: () => `${++calls}` }] });
    await agent.runAgent();
    return calls;
  }, url);
  assert.equal(got, 1);
  await page.done();
});

test("after a hook stopped a START, its later hooks are not called; a stopped interrupt is no success", async () => {
  const got = await inPage([started, ...text("m", "a"), ...call("c", "f", "{}"), ...text("n", "b"),
    { ...finished, outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } }],
      async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    const heard = [];
    const { outcome } = await agent.runAgent({}, {
      onTextMessageStartEvent: ({ event }) => (event.messageId === "m" ? { stopPropagation: true } : undefined),
      onToolCallStartEvent: () => ({ stopPropagation: true }),
      onTextMessageContentEvent: ({ event, textMessageBuffer }) =>
        void heard.push(["content", event.messageId, textMessageBuffer]),
      onTextMessageEndEvent: ({ event, textMessageBuffer }) =>
        void heard.push(["end", event.messageId, textMessageBuffer]),
      onToolCallArgsEvent: ({ event }) => void heard.push(["args", event.toolCallId]),
      onToolCallEndEvent: ({ event, toolCallName }) => void heard.push(["call", event.toolCallId, toolCallName]),
      onRunFinishedEvent: () => ({ stopPropagation: true }),
    });
    return { heard, outcome };
  });
  assert.deepEqual(got, { heard: [["content", "n", ""], ["end", "n", "b"]], outcome: "interrupt" });
});

test("isRunning may be assigned, initialMessages may be null, an AbortError of a source of the page's own is an abort",
  async () => {
  const got = await inPage([], async () => {
    const agent = new agui.HttpAgent({ url: "/x", initialMessages: null });
    agent.isRunning = true;
    class Own extends agui.AbstractAgent {
      controller = new AbortController();

      async *run() {
        yield T.started;
        await new Promise((_resolve, reject) => {
          this.controller.signal.addEventListener("abort", () => reject(this.controller.signal.reason));
          setTimeout(() => this.abortRun(), 20);
        });
      }

      abortRun() {
        this.controller.abort();
      }
    }
    const own = new Own();
    const { outcome } = await own.runAgent({}, { onEvent: () => {} });
    return { running: agent.isRunning, messages: agent.messages, outcome, after: own.isRunning };
  });
  assert.deepEqual(got, { running: false, messages: [], outcome: "aborted", after: false });
});

test("errors begin with a capital, and say what people match on", async () => {
  const got = await inPage([], async () => {
    const agent = new agui.HttpAgent({ url: "/x" });
    const messages = [];
    const fails = (params) => agent.runAgent(params).catch((error) => void messages.push(error.message));
    agent.pendingInterrupts = [{ id: "i", reason: "confirmation", expiresAt: "2020-01-01T00:00:00Z" }];
    await fails({});
    await fails({ resume: [{ interruptId: "i", status: "resolved" }] });
    await fails({ resume: [{ interruptId: "j", status: "resolved" }, { interruptId: "i", status: "cancelled" }] });
    agent.pendingInterrupts = [];
    agent.messages = [{ id: "m", role: "user" }];
    await fails({});
    return messages;
  });
  assert.equal(got.length, 4);
  for (const message of got) assert.match(message, /^[A-Z]/);
  assert.match(got[0], /pending interrupt/);
  assert.match(got[1], /expired/);
  assert.match(got[3], /^The field messages\[0\]\.content must be/);
});

test("where there is no document an agent with a relative URL is built, and only its run fails", async () => {
  const { HttpAgent, run } = (await import(pathToFileURL(`${root}dist/agui.node.mjs`).href)).default;
  for (const url of ["/api", ""]) {
    const agent = new HttpAgent({ url });
    assert.equal(agent.url, url);
    await assert.rejects(agent.runAgent(), /url/i);
  }
  const secret = new HttpAgent({
    url: "/x", threadId: "t", headers: { authorization: "s3cret" }, initialState: { a: 1 },
  });
  assert.doesNotMatch(JSON.stringify(secret), /s3cret/);
  assert.throws(() => run({}, { url: "/api" }), TypeError);
  assert.throws(() => new HttpAgent({}), TypeError);
});
