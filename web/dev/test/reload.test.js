// A page that is loaded anew, or whose tab is killed, in the middle of a run: it goes on where it stood.
import test from "node:test";
import assert from "node:assert/strict";
import { engine } from "./harness/browser.js";
import { numbers } from "./harness/kept.js";
import { live } from "./harness/live.js";
import { onPage, stage, until } from "./harness/stage.js";

const there = stage();
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes the page's agent and writes down what it is told. */
const opens = (/** @type {any} */ { stepped, ...config }) => {
  /** @type {any} */
  const page = globalThis;
  /** @type {string[]} */
  const heard = page.heard = [];
  page.ran = 0;
  const agent = page.agent = new agui.HttpAgent({
    ...config,
    tools: [{ name: "slow", description: "", handler: () => new Promise(() => void page.ran++) },
      { name: "f", description: "", handler: () => `${++page.ran}` }],
    onPendingTool: (toolCall, { begun }) => {
      heard.push(`offered ${toolCall.id} ${begun}`);
      return begun === false;
    },
  });
  agent.subscribe({
    onConnected: () => void heard.push("connected"), onRunInitialized: () => void heard.push("initialized"),
    onRunFinalized: () => void heard.push("finalized"), onRunFailed: () => void heard.push("failed"),
    ...(stepped ? { onTextMessageContentEvent: () =>
      new Promise((/** @type {(v?: any) => void} */ resolve) => setTimeout(resolve, 1)) } : {}),
  });
  return agent.restored;
};
const stands = () => {
  const { agent, heard, ran } = /** @type {any} */ (globalThis);
  return {
    contents: agent.messages.map((/** @type {any} */ { content, toolCalls = [] }) =>
      `${content ?? ""}${toolCalls.map((/** @type {any} */ call) => call.function.arguments)}`), heard, ran,
      running: agent.isRunning, lost: agent.connection.code ?? null,
  };
};
/** Whether the browser has where the thread's run stands. */
const hasPoint = (/** @type {string} */ threadId) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("agui threads");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const header = opening.result.transaction("threads").objectStore("threads").get(threadId);
    header.onsuccess = () => {
      opening.result.close();
      resolve(Boolean(header.result?.at));
    };
  };
});
const sends = (content = "hi") => void /** @type {any} */ (globalThis).agent.send(content).catch(() => {});

/** The events of a long answer: reasoning, text, a call of the server's and one in chunks, and text again. */
function answer(/** @type {any} */ { threadId, runId }) {
  const words = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => `${i} `);
  return [
    { type: "STEP_STARTED", stepName: "think" },
    { type: "REASONING_START", messageId: "r" }, { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
    ...words(15).map((delta) => ({ type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta })),
    { type: "REASONING_MESSAGE_END", messageId: "r" }, { type: "REASONING_END", messageId: "r" },
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    ...words(30).map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta })),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/list", value: [] }] },
    { type: "TEXT_MESSAGE_END", messageId: "m" },
    { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "servers", parentMessageId: "m" },
    ...words(15).map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta })),
    { type: "TOOL_CALL_END", toolCallId: "c" },
    { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "done" },
    { type: "STEP_FINISHED", stepName: "think" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "n", role: "assistant", delta: "and " },
    ...words(30).map((delta) => ({ type: "TEXT_MESSAGE_CHUNK", delta })),
    { type: "RUN_FINISHED", threadId, runId },
  ];
}
const n = (/** @type {number} */ to) => Array.from({ length: to }, (_, i) => `${i} `).join("");
const whole = ["hi", n(15), `${n(30)}${n(15)}`, "done", `and ${n(30)}`];

for (const dialect of /** @type {const} */ (["sse-id", "tanstack", "agno"])) {
  test(
    `46, 58, 59: ${dialect}: a page that is loaded anew at any moment of a run ends with what one has that saw it all`,
    async () => {
    for (const stepped of [false, true]) {
      const line = live(there.server, dialect);
      const random = numbers(dialect.length + Number(stepped));
      await onPage(there, async (page) => {
        const config = {
          url: line.url, persist: "session", reconnect: dialect, threadId: "t1", stepped, verify: "strict",
        };
        await page.evaluate(opens, config);
        await page.evaluate(sends);
        await line.posted();
        const events = answer(line.posts[0]);
        const says = async (/** @type {number} */ count) => {
          for (const event of events.splice(0, count)) {
            line.emit(event);
            await sleep(4);
          }
        };
        await says(4);
        await until(page, hasPoint, { arg: "t1" }); // before its first cursor a run cannot be gone on with
        for (let i = 0; i < 4; i++) {
          const said = says(25);
          await sleep(random() * 100);
          await page.reload();
          await said;
          assert.equal(await page.evaluate(opens, config), true);
          await until(page, () => /** @type {any} */ (globalThis).heard.includes("connected"), { seen: stands });
        }
        await says(events.length);
        await until(page, () => !/** @type {any} */ (globalThis).agent.isRunning &&
          /** @type {any} */ (globalThis).agent.messages.length > 4, { seen: stands });
        const { contents, heard, lost } = await page.evaluate(stands);
        assert.deepEqual([contents, lost], [whole, null]);
        assert.deepEqual(heard, ["connected", "initialized", "finalized"]);
        await page.evaluate(() => agui.forgetAll());
      });
      assert.equal(line.posts.length, 1, "nothing was started");
      // Firefox breaks a page's connections before it tells the page that it goes: so the page comes back once more.
      assert.ok(engine === "firefox" ? line.reads.length >= 4 : line.reads.length === 4, `${line.reads.length} reads`);
      assert.ok(line.reads.every(({ cursor, offset }) => (cursor ?? offset) !== undefined), "each from a cursor");
    }
  });
}

const call = (/** @type {string} */ id, /** @type {string} */ name) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: "{}" }, { type: "TOOL_CALL_END", toolCallId: id },
];
const ends = (/** @type {any} */ { threadId, runId }) => ({ type: "RUN_FINISHED", threadId, runId });
const hears = (/** @type {any} */ page, /** @type {string} */ what) =>
  until(page, (/** @type {string} */ each) => /** @type {any} */ (globalThis).heard.includes(each),
  { arg: what, seen: stands });

test(
  "45, 46, 47: a handler that had begun is offered and not run, one that had not runs once, and a result is sent once",
  async () => {
  const line = live(there.server, "sse-id");
  await onPage(there, async (page) => {
    const config = { url: line.url, persist: "session", reconnect: "sse-id", threadId: "t1" };
    await page.evaluate(opens, config);
    await page.evaluate(sends);
    await line.posted();
    line.emit(...call("c1", "slow"), ends(line.posts[0]));
    await until(page, () => /** @type {any} */ (globalThis).ran === 1, { seen: stands });
    await page.reload(); // it had begun, and its effect may be there
    await page.evaluate(opens, config);
    await hears(page, "offered c1 true");
    assert.deepEqual(await page.evaluate(stands), {
      contents: ["hi", "{}"], heard: ["offered c1 true"], ran: 0, running: false, lost: null,
    });

    await page.evaluate(sends, "again");
    await line.posted();
    line.emit(...call("c2", "f"));
    await until(page, hasPoint, { arg: "t1" });
    await until(page, () => /** @type {any} */ (globalThis).agent.messages.length === 5, { seen: stands });
    await sleep(100);
    await page.reload(); // the call is there, its handler waits for the run's end
    await page.evaluate(opens, config);
    await hears(page, "connected");
    line.emit(ends(line.posts[1]));
    await hears(page, "offered c2 false");
    await line.posted();
    assert.deepEqual(line.posts[2].messages.filter((/** @type {any} */ { role }) => role === "tool")
      .map((/** @type {any} */ { toolCallId, content }) => [toolCallId, content]), [["c1", "dismissed"], ["c2", "1"]]);
    line.emit({ type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "so" });
    await until(page, () => /** @type {any} */ (globalThis).agent.messages.at(-1).content === "so");
    await sleep(100);
    await page.reload(); // the follow-up is under way
    await page.evaluate(opens, config);
    await hears(page, "connected");
    line.emit({ type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: " be it" }, ends(line.posts[2]));
    await hears(page, "finalized");
    const { contents, heard, ran } = await page.evaluate(stands);
    assert.deepEqual([contents.slice(2), ran], [["dismissed", "again", "{}", "1", "so be it"], 0]);
    assert.ok(!heard.some((/** @type {string} */ each) => each.startsWith("offered c2")), String(heard));
    await page.evaluate(() => agui.forgetAll());
  });
  assert.equal(line.posts.length, 3);
});

test(
  "20, 60: a run that the server has forgotten leaves the text, and the thread is loaded where it can be; no other server gets the cursor", async () => {
  for (const dialect of /** @type {const} */ (["sse-id", "tanstack"])) {
    const line = live(there.server, dialect);
    const other = live(there.server, dialect);
    await onPage(there, async (page) => {
      const config = { url: line.url, persist: "local", reconnect: dialect, threadId: "t1" };
      const shows = async (/** @type {any} */ with_) => {
        await page.reload();
        await page.evaluate(opens, with_);
        await until(page, () => !/** @type {any} */ (globalThis).agent.isRunning);
        await sleep(50);
        return page.evaluate(stands);
      };
      await page.evaluate(opens, config);
      await page.evaluate(sends);
      await line.posted();
      line.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }, {
        type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "so far",
      });
      await until(page, () => /** @type {any} */ (globalThis).agent.messages.at(-1).content === "so far");
      await sleep(100);
      await page.reload();
      line.forget();
      const elsewhere = await shows({ ...config, url: other.url });
      assert.deepEqual([elsewhere.contents, elsewhere.heard],
        [["hi", "so far"], dialect === "tanstack" ? ["connected"] : []]);
      assert.ok(other.reads.every(({ cursor, offset }) => (cursor ?? offset) === undefined),
        JSON.stringify(other.reads));
      // What is kept of the run stays for its own server.
      const reads = line.reads.length;
      const got = await shows(config);
      const gone = dialect === "sse-id";
      assert.deepEqual(got, {
        contents: ["hi", "so far"], heard: gone ? [] : ["connected"], ran: 0, running: false, lost: gone ? "resume_gone"
          : null,
      });
      assert.deepEqual(line.reads.slice(reads).map(({ cursor, offset }) => (cursor ?? offset) !== undefined),
        gone ? [true] : [true, false]);
      await page.evaluate(() => agui.forgetAll());
    });
    assert.deepEqual([line.posts.length, other.posts.length], [1, 0]);
  }
});

// Chromium alone lets a test kill a page's process, and open a second tab beside it.
test("46: a tab that is killed at any moment loses at most its last write, and never the thread; the next tab goes on", {
  skip: engine !== "chromium" && `${engine}: its driver kills no page's process`,
}, async () => {
  const kills = Number(process.env.KILLS ?? 8);
  const line = live(there.server, "sse-id");
  const random = numbers(kills);
  await onPage(there, async (first) => {
    const context = first.context();
    let page = first;
    const opened = async () => {
      const { origin } = new URL(first.url());
      page = await context.newPage();
      await page.goto(`${origin}/test/plain.html`);
    };
    const config = { url: line.url, persist: "local", reconnect: "sse-id", threadId: "t1" };
    await opened();
    await page.evaluate(opens, config);
    await page.evaluate(sends);
    await line.posted();
    line.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    let said = "";
    const says = (/** @type {number} */ i) => {
      said += `${i} `;
      line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: `${i} ` });
    };
    says(0);
    await until(page, hasPoint, { arg: "t1" });
    let i = 0;
    for (let kill = 0; kill < kills; kill++) {
      const talk = setInterval(() => says(++i), 3);
      await sleep(random() * 60);
      const session = await context.newCDPSession(page);
      const gone = new Promise((resolve) => page.once("crash", resolve));
      void session.send("Page.crash").catch(() => {});
      await gone;
      clearInterval(talk);
      await page.close();
      await opened();
      assert.equal(await page.evaluate(opens, config), true, `kill ${kill}: the thread is there`);
      const { contents } = await page.evaluate(stands);
      assert.ok(said.startsWith(contents[1]) && contents[0] === "hi", `kill ${kill}: ${contents}`);
      await until(page, (/** @type {string} */ want) =>
        /** @type {any} */ (globalThis).agent.messages.at(-1).content === want, { arg: said, seen: stands });
    }
    line.emit({ type: "TEXT_MESSAGE_END", messageId: "m" }, ends(line.posts[0]));
    await hears(page, "finalized");
    assert.deepEqual((await page.evaluate(stands)).contents, ["hi", said]);
    await page.evaluate(() => agui.forgetAll());
    await page.close();
  });
  assert.equal(line.posts.length, 1);
});

test("22: a second tab shows a run as it streams, and what it adds is not lost; handlers run in the first alone", {
  skip: engine !== "chromium" && `${engine}: its driver opens no second tab of a context`,
}, async () => {
  const line = live(there.server, "sse-id");
  await onPage(there, async (one) => {
    const two = await one.context().newPage();
    await two.goto(one.url());
    const config = { url: line.url, persist: "local", reconnect: "sse-id", threadId: "t1" };
    await one.evaluate(opens, config);
    await one.evaluate(sends);
    await line.posted();
    line.emit({ type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "so " });
    await until(one, hasPoint, { arg: "t1" });
    await sleep(100);
    assert.equal(await two.evaluate(opens, config), true);
    await hears(two, "connected");
    line.emit({ type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "be it" }, ...call("c", "f"), ends(line.posts[0]));
    await line.posted();
    line.emit({ type: "TEXT_MESSAGE_CHUNK", messageId: "n", role: "assistant", delta: "done" }, ends(line.posts[1]));
    const want = ["hi", "so be it", "{}", "1", "done"];
    await until(one, (/** @type {number} */ count) => {
      const { agent } = /** @type {any} */ (globalThis);
      return !agent.isRunning && agent.messages.length === count;
    }, { arg: want.length, seen: stands });
    await until(two, () => !/** @type {any} */ (globalThis).agent.isRunning, { seen: stands });
    const [a, b] = [await one.evaluate(stands), await two.evaluate(stands)];
    assert.deepEqual([a.contents, a.ran], [want, 1]);
    // It may also have come to the run that the first one's handler began.
    assert.deepEqual([b.contents, b.ran], [want.slice(0, Math.max(3, b.contents.length)), 0], String(b.heard));
    await two.evaluate(() => {
      /** @type {any} */ (globalThis).agent.addMessage({ id: "late", role: "user", content: "from two" });
    });
    await sleep(300);
    await one.reload();
    await one.evaluate(opens, config);
    const now = (await one.evaluate(stands)).contents;
    assert.deepEqual(now.toSorted(), [...want, "from two"].toSorted());
    await one.evaluate(() => agui.forgetAll());
    await two.close();
  });
  assert.equal(line.posts.length, 2);
});
