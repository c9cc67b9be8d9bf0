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
    tools: [{ name: "slow", description: "", handler: () => new Promise(() => void page.ran++) }, { name: "f", description: "", handler: () => `${++page.ran}` }],
    onPendingTool: (toolCall, { begun }) => {
      heard.push(`offered ${toolCall.id} ${begun}`);
      return begun === false;
    },
  });
  agent.subscribe({
    onConnected: () => void heard.push("connected"), onRunInitialized: () => void heard.push("initialized"),
    onRunFinalized: () => void heard.push("finalized"), onRunFailed: () => void heard.push("failed"),
    ...(stepped ? { onTextMessageContentEvent: () => new Promise((/** @type {(v?: any) => void} */ resolve) => setTimeout(resolve, 1)) } : {}),
  });
  return agent.restored;
};
const stands = () => {
  const { agent, heard, ran } = /** @type {any} */ (globalThis);
  return { contents: agent.messages.map((/** @type {any} */ { content, toolCalls = [] }) => `${content ?? ""}${toolCalls.map((/** @type {any} */ call) => call.function.arguments)}`), heard, ran, running: agent.isRunning, lost: agent.connection.code ?? null };
};
/** Whether the browser has where the thread's run stands. */
const hasPoint = (/** @type {string} */ threadId) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("agui", 1);
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
  test(`46, 58, 59: ${dialect}: a page that is loaded anew at any moment of a run ends with what one has that saw it all`, async () => {
    for (const stepped of [false, true]) {
      const line = live(there.server, dialect);
      const random = numbers(dialect.length + Number(stepped));
      await onPage(there, async (page) => {
        const config = { url: line.url, persist: "session", reconnect: dialect, threadId: "t1", stepped, verify: "strict" };
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
        await until(page, () => !/** @type {any} */ (globalThis).agent.isRunning && /** @type {any} */ (globalThis).agent.messages.length > 4, { seen: stands });
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
