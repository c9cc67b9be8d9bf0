// connect(): a page reads what a server has of a thread, joins what runs there, and starts nothing.
import test from "node:test";
import assert from "node:assert/strict";
import { text } from "./harness/faults.js";
import { live } from "./harness/live.js";
import { onPage, stage, until } from "./harness/stage.js";

const there = stage();

/** Begins a run of another page, in Node.js. */
async function begin(/** @type {string} */ url, /** @type {any} */ line, runId = "r1", content = "hi") {
  void fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({
    threadId: "t1", runId, state: {}, tools: [], context: [], forwardedProps: {},
    messages: [{ id: `u-${runId}`, role: "user", content }],
  }) }).then((response) => response.body?.cancel());
  await line.posted();
}

const call = [
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "f", parentMessageId: "m1" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"city":"Paris"}' },
  { type: "TOOL_CALL_END", toolCallId: "c1" },
];
const ends = (runId = "r1") => ({ type: "RUN_FINISHED", threadId: "t1", runId });

/** Connects a fresh agent and writes down what it is told. */
const connects =
  (/** @type {{url: string, reconnect: any, times?: number, offers?: boolean, stepped?: boolean}} */ { url, reconnect,
  times = 1, offers = false, stepped = false }) => {
  /** @type {any} */
  const page = globalThis;
  /** @type {any[]} */
  const heard = page.heard = [];
  let ran = 0;
  const agent = page.agent = new agui.HttpAgent({
    url, reconnect, threadId: "t1", tools: [{ name: "f", description: "", handler: () => `done ${++ran}` }],
    onPendingTool: (toolCall) => {
      heard.push(`offered ${toolCall.id}`);
      return offers;
    },
  });
  agent.subscribe({
    onConnected: ({ replayed, messages }) =>
      void heard.push(`connected ${replayed > 0} ${messages.map((/** @type {any} */ { content }) => content)}`),
    onRunInitialized: () => void heard.push("initialized"), onRunFinalized: () => void heard.push("finalized"),
    onRunFailed: () => void heard.push("failed"),
    onNewMessage: ({ message }) => void heard.push(`message ${message.role} ${message.content}`),
    ...(stepped ? { onTextMessageContentEvent: ({ event }) => void heard.push(`delta ${event.delta}`) } : {}),
  });
  page.over = Promise.all(Array.from({ length: times }, () => agent.connect()));
};
const heardNow = () => ({
  heard: /** @type {any} */ (globalThis).heard,
  contents: /** @type {any} */ (globalThis).agent.messages.map((/** @type {any} */ { content }) => content ?? null),
});
const outcome = async () => {
  const { over, agent, heard } = /** @type {any} */ (globalThis);
  const [first] = await over;
  await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    outcome: first.outcome ?? null, heard, contents: agent.messages.map((/** @type {any} */ { content }) => content ??
      null), pending: agent.pendingToolCallIds, running: agent.isRunning, runs: agui.debug().runs,
  };
};

for (const dialect of /** @type {const} */ (["copilotkit", "tanstack"])) {
  test(
    `22, 23, 54: ${dialect}: a second page joins a run and reads it to its end; its tools wait; many calls are one request`, async () => {
    for (const stepped of [false, true]) {
      const line = live(there.server, dialect);
      await begin(line.url, line);
      line.emit(...text("m1", "Hello").slice(0, 2));
      await onPage(there, async (page) => {
        await page.evaluate(connects, { url: line.url, reconnect: dialect, times: 20, stepped });
        await until(page, () => /** @type {any} */ (globalThis).heard.some((/** @type {string} */ each) =>
          each.startsWith("connected")), { seen: heardNow });
        const joined = await page.evaluate(heardNow);
        assert.deepEqual(joined.contents, ["hi", "Hello"]);
        line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: " world" },
          { type: "TEXT_MESSAGE_END", messageId: "m1" }, ...call, ends());
        const got = await page.evaluate(outcome);
        assert.deepEqual(got.contents, ["hi", "Hello world"]);
        assert.deepEqual(got.heard, ["connected true hi,Hello", "initialized", ...(stepped ? ["delta  world"] : []),
          "message assistant Hello world", "finalized", "offered c1"]);
        assert.deepEqual([got.outcome, got.pending, got.running, got.runs], ["success", ["c1"], false, 0]);
      });
      assert.equal(line.posts.length, 1, "nothing was started");
      assert.equal(line.reads.length, dialect === "tanstack" ? 2 : 1);
    }
  });

  test(
    `23: ${dialect}: a thread whose run is over is loaded without hooks of runs; an offer that is taken runs the handler once`, async () => {
    const line = live(there.server, dialect);
    await begin(line.url, line);
    line.emit(...text("m1", "Hello"), ...(dialect === "copilotkit" ? call : []), ends());
    await onPage(there, async (page) => {
      await page.evaluate(connects, { url: line.url, reconnect: dialect, offers: true });
      if (dialect === "tanstack") {
        const got = await page.evaluate(outcome);
        assert.deepEqual([got.outcome, got.heard, got.contents], [null, ["connected true hi"], ["hi"]]);
        return;
      }
      await line.posted();
      line.emit(...text("m2", "Thanks"), ends("r2"));
      await until(page, () => /** @type {any} */ (globalThis).heard.includes("finalized"), { seen: heardNow });
      const got = await page.evaluate(outcome);
      assert.deepEqual(got.contents, ["hi", "Hello", "done 1", "Thanks"]);
      assert.equal(got.heard.filter((/** @type {string} */ each) => each.startsWith("offered")).length, 1);
    });
  });
}

test("30, 55: a thread that the server does not know changes nothing; a send while connecting waits", async () => {
  const line = live(there.server, "copilotkit");
  await onPage(there, async (page) => {
    const got = await page.evaluate(async (/** @type {string} */ url) => {
      const agent = new agui.HttpAgent({
        url, reconnect: "copilotkit", threadId: "t1", initialMessages: [{ id: "u0", role: "user", content: "mine" }],
      });
      const replayed = /** @type {number[]} */ ([]);
      agent.subscribe({ onConnected: (about) => void replayed.push(about.replayed) });
      const over = agent.connect();
      const refused = await agent.send("no").catch((/** @type {any} */ thrown) => thrown.code);
      const { outcome } = await over;
      return {
        refused, outcome: outcome ?? null, replayed, contents: agent.messages.map(({ content }) => content),
        state: agent.connection.state,
      };
    }, line.url);
    assert.deepEqual(got, { refused: "bad_input", outcome: null, replayed: [0], contents: ["mine"], state: "idle" });
  });
  assert.equal(line.posts.length, 0);
});

test("an agent without a way says so; connectAgent resolves with nothing, or with what a subclass's connect gives",
  async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      const heard = /** @type {string[]} */ ([]);
      const hooks = {
        onRunInitialized: () => void heard.push("initialized"), onRunFinalized: () => void heard.push("finalized"),
        onRunFailed: () => void heard.push("failed"),
      };
      const plain = new agui.HttpAgent({ url: "/nowhere" });
      plain.subscribe(hooks);
      const error = await plain.connect().catch((/** @type {any} */ thrown) => thrown);
      const nothing = await plain.connectAgent();
      const ids = new agui.HttpAgent({ url: "/nowhere", reconnect: "sse-id" });
      const without = await ids.connect().catch((/** @type {any} */ thrown) => thrown.name);
      class Own extends agui.AbstractAgent {
        *connect(/** @type {any} */ input) {
          yield { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
          yield* [{ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
            { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "own" },
            { type: "TEXT_MESSAGE_END", messageId: "m" }];
          yield { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, result: 7 };
        }
      }
      class Above extends agui.AbstractAgent {
        connect(/** @type {any} */ input) {
          return super.connect(input);
        }
      }
      const own = await new Own().connectAgent();
      const above = await new Above().connectAgent();
      return {
        error: [error.name, error.code, error instanceof agui.AGUIConnectNotImplementedError &&
          error instanceof agui.AGUIError], nothing, without,
        heard, own: [own.result, own.newMessages.map((/** @type {any} */ { content }) => content)], above,
        running: plain.isRunning,
      };
    });
    assert.deepEqual(got, {
      error: ["AGUIConnectNotImplementedError", "bad_input", true],
      nothing: { result: undefined, newMessages: [], outcome: undefined }, without: "AGUIConnectNotImplementedError",
      heard: ["initialized", "finalized"], own: [7, ["own"]],
      above: { result: undefined, newMessages: [], outcome: undefined }, running: false,
    });
  });
});

test("40, 41, 42: hydrate loads a thread as it was left, over nothing newer; a server that fails is asked once",
  async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      const kept = [
        { type: "RUN_STARTED", threadId: "t1", runId: "h1" }, { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
        { type: "MESSAGES_SNAPSHOT", messages: [{ id: "u1", role: "user", content: "hi" },
          { id: "a1", role: "assistant", content: "Shall I?" }] },
        { type: "RUN_FINISHED", threadId: "t1", runId: "h1", outcome: {
          type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message: "Shall I?" }] } },
      ];
      const failing = [kept[0], { type: "RUN_ERROR", message: "no messages" }];
      const /** @type {any[]} */ bodies = [];
      const makes = (/** @type {any[]} */ events, /** @type {any} */ more = {}) => new agui.HttpAgent({
        url: "https://agent.test/", reconnect: "hydrate", threadId: "t1", ...more,
        fetch: async (/** @type {any} */ _url, /** @type {any} */ init) => {
          const body = JSON.parse(init.body);
          bodies.push(body);
          const told = body.messages.length === 0 ? events : [{ ...kept[0], runId: body.runId },
            { type: "RUN_FINISHED", threadId: "t1", runId: body.runId }];
          return new Response(told.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
            { headers: { "content-type": "text/event-stream" } });
        },
      });
      const heard = /** @type {string[]} */ ([]);
      const fresh = makes(kept);
      fresh.subscribe({
        onConnected: () => void heard.push("connected"), onRunInitialized: () => void heard.push("initialized"),
        onRunFinishedEvent: () => void heard.push("finished"), onRunFinalized: () => void heard.push("finalized"),
        onRunFailed: () => void heard.push("failed"),
      });
      await fresh.connect();
      const loaded = [heard.splice(0), fresh.messages.map(({ content }) => content), fresh.state,
        fresh.pendingInterrupts.map(({ id }) => id)];
      await fresh.resume([{ interruptId: "i", status: "resolved", payload: true }]);
      const resumed = [bodies.at(-1).resume.length, bodies.at(-1).parentRunId === "h1", heard.splice(0)];
      const newer = makes(kept, { initialState: { n: 2 }, initialMessages: [{ id: "u1", role: "user", content: "hi" },
        { id: "a1", role: "assistant", content: "Shall I?" }, { id: "u2", role: "user", content: "newer" }] });
      await newer.connect();
      const before = bodies.length;
      const wrong = makes(failing);
      const /** @type {string[]} */ failures = [];
      wrong.subscribe({ onRunFailed: ({ error }) => void failures.push(/** @type {any} */ (error).code) });
      const code = await wrong.connect().catch((/** @type {any} */ thrown) => thrown.code);
      await new Promise((resolve) => setTimeout(resolve, 400));
      return { loaded, resumed, newer: [newer.messages.map(({ content }) => content), newer.state],
        wrong: [code, failures.length, bodies.length - before] };
    });
    assert.deepEqual(got, {
      loaded: [["connected"], ["hi", "Shall I?"], { n: 1 }, ["i"]],
      resumed: [1, false, ["initialized", "finished", "finalized"]],
      newer: [["hi", "Shall I?", "newer"], { n: 2 }], wrong: ["run_error", 0, 1],
    });
  });
});

test("62, 65: a second agent of the page joins by reading and hears of 10,000 events once; tools run in the first",
  async () => {
  const line = live(there.server, "copilotkit");
  await onPage(there, async (page) => {
    await page.evaluate((/** @type {string} */ url) => {
      /** @type {any} */
      const all = globalThis;
      all.ran = [];
      all.made = (/** @type {string} */ name) => new agui.HttpAgent({
        url, reconnect: "copilotkit", threadId: "t1",
        tools: [{ name: "f", description: "", handler: () => `done ${all.ran.push(name)}` }],
      });
      all.first = all.made("first");
      all.over = all.first.send("hi");
    }, line.url);
    await line.posted();
    line.emit(...Array.from({ length: 100 },
      (_, i) => text(`m${i}`, ...Array.from({ length: 98 }, (_, word) => `word${word} `))).flat());
    await until(page, () => /** @type {any} */ (globalThis).first.messages.at(-1)?.content?.endsWith("word97 "));
    await page.evaluate(() => {
      /** @type {any} */
      const all = globalThis;
      all.second = all.made("second");
      all.heard = [];
      all.second.subscribe({
        onMessagesChanged: ({ messages }) => void all.heard.push(`${messages.length} messages`),
        onConnected: ({ replayed }) => void all.heard.push(`connected ${replayed > 0}`),
        onNewToolCall: ({ toolCall }) => void all.heard.push(`call ${toolCall.id}`),
        onRunFinalized: () => void all.heard.push("finalized"),
      });
      all.joined = all.second.connect();
    });
    await until(page, () => /** @type {any} */ (globalThis).second.messages.at(-1)?.content?.endsWith("word97 "),
      { seen: () => /** @type {any} */ (globalThis).heard });
    line.emit(...call.map((event) => ({ ...event, parentMessageId: "m99" })), ends(line.posts[0].runId));
    await line.posted();
    line.emit(...text("last", "Thanks"), ends(line.posts[1].runId));
    const got = await page.evaluate(async () => {
      const { over, joined, first, second, heard, ran } = /** @type {any} */ (globalThis);
      await Promise.all([over, joined]);
      const contents = (/** @type {any} */ agent) =>
        agent.messages.map((/** @type {any} */ { role, content }) => `${role} ${content}`);
      // The run that followed from the tool's answer is another one.
      return { same: JSON.stringify(contents(first).slice(0, 101)) === JSON.stringify(contents(second)), ran, heard,
        length: first.messages.length };
    });
    assert.deepEqual([got.same, got.ran, got.length], [true, ["first"], 103]);
    // The past comes as one thing, all of it unless the machine made the server pause in between.
    assert.equal(got.heard.filter((/** @type {string} */ each) => each === "connected true").length, 1);
    assert.ok(got.heard.indexOf("connected true") <= 1, String(got.heard.slice(0, 4)));
    assert.deepEqual(got.heard.filter((/** @type {string} */ each) => each.startsWith("call")), ["call c1"]);
  });
  assert.equal(line.posts.length, 2, "the second agent started nothing");
});

test("64: who reads slowly gets each event of a broken line once, in order", async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      const events = [{ type: "RUN_STARTED", threadId: "t1", runId: "r1" }, ...Array.from({ length: 998 }, (_, value) =>
        ({ type: "CUSTOM", name: "n", value })), { type: "RUN_FINISHED", threadId: "t1", runId: "r1" }];
      const frames = events.map((event, i) => `id: ${i}\ndata: ${JSON.stringify(event)}\n\n`);
      const cuts = [300, 301, 650, Infinity];
      const asked = /** @type {number[]} */ ([]);
      const fetch = async (/** @type {any} */ _url, /** @type {any} */ init) => {
        let at = Number(init.headers["Last-Event-ID"] ?? -1) + 1;
        asked.push(at);
        const to = /** @type {number} */ (cuts.shift());
        return new Response(new ReadableStream({
          pull(controller) {
            if (at >= frames.length) return controller.close();
            if (at >= to) return controller.error(new TypeError("cut"));
            const end = Math.min(at + 50, to, frames.length);
            controller.enqueue(new TextEncoder().encode(frames.slice(at, end).join("")));
            at = end;
          },
        }, { highWaterMark: 0 }), { headers: { "content-type": "text/event-stream" } });
      };
      const values = [];
      for await (const event of agui.run({ threadId: "t1", runId: "r1" },
        { url: "https://agent.test/", fetch, reconnect: "sse-id" })) {
        if (event.type === "CUSTOM") values.push(event.value);
        if (values.length % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return { asked, once: values.every((value, i) => value === i), length: values.length };
    });
    assert.deepEqual(got, { asked: [0, 300, 301, 650], once: true, length: 998 });
  });
});
