// A run that outlives its connection: servers of each dialect behind a line that is cut at random offsets, over real
// HTTP.
import test, { after, before, describe } from "node:test";
import assert from "node:assert/strict";
import { engine, start } from "./harness/browser.js";
import { faultServer, text } from "./harness/faults.js";
import { kept, numbers } from "./harness/kept.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let server;
before(async () => {
  [world, server] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), server?.close()]));

/** Evaluates in a fresh page and closes it; nothing may be left uncaught. */
async function inPage(/** @type {Function} */ f, /** @type {any} */ argument) {
  const page = await world.page({ path: "/test/plain.html" });
  try {
    const got = await page.evaluate(/** @type {any} */ (f), argument);
    assert.deepEqual(page.uncaught, []);
    return got;
  } finally {
    await page.done();
  }
}

/** A run with text beyond ASCII, state, a custom event, and a tool of the page's; the run after it answers. */
const script = (/** @type {any} */ input) => {
  const ids = { threadId: input.threadId, runId: input.runId };
  const n = input.messages.length;
  const answered = input.messages.at(-1)?.role === "tool";
  return [
    { type: "RUN_STARTED", ...ids },
    { type: "STATE_SNAPSHOT", snapshot: { list: [n] } },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/list/-", value: "ü" }] },
    { type: "REASONING_START", messageId: `r${n}` },
    { type: "REASONING_MESSAGE_START", messageId: `r${n}`, role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: `r${n}`, delta: "Let me see" },
    { type: "REASONING_MESSAGE_END", messageId: `r${n}` },
    { type: "REASONING_END", messageId: `r${n}` },
    ...text(`m${n}`, "Grüße, ", "漢字 and 🚀", " from ", `message ${n}`),
    { type: "CUSTOM", name: "note", value: n },
    ...(answered ? [] : [
      { type: "TOOL_CALL_START", toolCallId: `c${n}`, toolCallName: "f", parentMessageId: `m${n}` },
      { type: "TOOL_CALL_ARGS", toolCallId: `c${n}`, delta: '{"city":' },
      { type: "TOOL_CALL_ARGS", toolCallId: `c${n}`, delta: '"Paris"}' },
      { type: "TOOL_CALL_END", toolCallId: `c${n}` },
    ]),
    { type: "RUN_FINISHED", ...ids },
  ];
};

/** One agent's conversation over a line; what it was told, and what the hooks heard. */
const converse = async (/** @type {{url: string, reconnect: any, stepped: boolean}} */ { url, reconnect, stepped }) => {
  const heard = /** @type {string[]} */ ([]);
  let tools = 0;
  const agent = new agui.HttpAgent({
    url, reconnect, threadId: "t1", tools: [{ name: "f", description: "", handler: () => `done ${++tools}` }],
  });
  const states = new Set();
  agent.subscribe({
    onRunInitialized: () => void heard.push("initialized"), onRunFinalized: () => void heard.push("finalized"),
    onRunFailed: () => void heard.push("failed"),
    onNewMessage: ({ message }) => void heard.push(`message ${message.id}`),
    onNewToolCall: ({ toolCall }) => void heard.push(`call ${toolCall.id}`),
    onConnectionChanged: ({ connection }) => {
      states.add(connection.state);
      if (connection.state === "connected") void fetch(`${url}?read`, { method: "POST", body: "{}" });
    },
    ...(stepped ? { onCustomEvent: ({ event }) => void heard.push(`custom ${event.value}`), onRunFinishedEvent: () =>
      void heard.push("finished"), onRunStartedEvent: () => void heard.push("started") } : {}),
  });
  agent.addMessage({ id: "u1", role: "user", content: "hi" });
  let error;
  await agent.runAgent().catch((/** @type {any} */ thrown) => { error = thrown.code; });
  const plain = agent.messages.map((/** @type {any} */ message) => message.role === "tool" ? { ...message, id: "tool" }
    : message);
  return {
    messages: JSON.stringify(plain), state: JSON.stringify(agent.state),
    heard: heard.map((name) => name.replace(/message [-0-9a-f]{36}$/, "message tool")), tools, error,
    states: [...states], end: agent.connection.state, debug: agui.debug(),
  };
};

/** A line that is cut at random gives what an uncut one gives. */
async function cutAtRandom(/** @type {"sse-id" | "tanstack" | "agno" | "copilotkit"} */ dialect,
  /** @type {number} */ seed, /** @type {boolean} */ stepped) {
  const whole = await inPage(converse, {
    url: kept(server, "none", script, () => Infinity).url, reconnect: false, stepped,
  });
  assert.equal(whole.tools, 1);
  const random = numbers(seed * 1000 + dialect.length);
  // The first leg gets its first event through; each other may break anywhere.
  const line = kept(server, dialect, script,
    (first, length) => (random() < 0.4 && !first ? Infinity
      : Math.max(first ? 400 : 0, Math.floor(random() * length))));
  const got = await inPage(converse, { url: line.url, reconnect: dialect, stepped });
  const { states, end, debug, ...rest } = got;
  const { states: _, end: __, debug: ___, ...want } = whole;
  assert.deepEqual(rest, want, `seed ${seed}`);
  assert.equal(line.started, 2, `seed ${seed}: POSTs that start a run`);
  assert.ok(line.read > 0 && states.includes("reconnecting"), `seed ${seed}: ${states}`);
  assert.equal(end, "idle");
  assert.equal(debug.runs, 0);
}

// These wait for most of their time, and so they wait together; but WebKit's driver has one page at a time.
const together = engine !== "webkit";
describe("a line that is cut at random gives what an uncut one gives, one POST a run, each tool and hook once",
  { concurrency: together }, () => {
  for (const dialect of /** @type {const} */ (["sse-id", "tanstack", "agno", "copilotkit"])) {
    test(dialect, async () => {
      const first = cutAtRandom(dialect, 1, false);
      if (!together) await first;
      await Promise.all([first, cutAtRandom(dialect, 2, true)]);
    });
  }
});

test("a run is stopped on its server, by its own id, and no further connection is made", async () => {
  const line = kept(server, "copilotkit", script, (first) => (first ? 400 : 160));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, reconnect: "copilotkit", threadId: "t1" });
    const trying = new Promise((/** @type {(v: null) => void} */ resolve) => {
      agent.subscribe({ onConnectionChanged: ({ connection }) => {
        if (connection.state === "connected") void fetch(`${url}?read`, { method: "POST", body: "{}" });
        if (connection.state === "reconnecting" && connection.attempt > 0) resolve(null);
      } });
    });
    const before = await agent.stop();
    const run = agent.runAgent({ runId: "r1" });
    await trying;
    const stopped = await agent.stop();
    const { outcome } = await run;
    await Promise.resolve();
    return { before, stopped, outcome, state: agent.connection.state, debug: agui.debug().callbacks };
  }, line.url);
  assert.deepEqual(got, { before: false, stopped: true, outcome: "aborted", state: "idle", debug: 0 });
  assert.deepEqual(line.stopped, ["r1"]);
  const { read } = line;
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(line.read, read, "no further connection");
});

test("without reconnect a cut ends the run, as ever", async () => {
  const line = kept(server, "sse-id", script, () => 400);
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    agent.watch(() => void fetch(`${url}?read`, { method: "POST", body: "{}" }));
    const code = await agent.runAgent().catch((/** @type {any} */ thrown) => thrown.code);
    return [code, await agent.stop(), agent.connection];
  }, line.url);
  // To WebKit a body that breaks off ends well.
  const code = engine === "webkit" ? "incomplete_stream" : "network";
  assert.deepEqual(got, [code, false, { state: "idle", attempt: 0, nextAt: null }]);
  assert.equal(line.started, 1);
});
