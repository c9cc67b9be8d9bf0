// A conversation that outlives its page: what `persist` keeps, over reloads, tabs and stores that fail.
import test from "node:test";
import assert from "node:assert/strict";
import { text } from "./harness/faults.js";
import { live } from "./harness/live.js";
import { onPage, stage, until } from "./harness/stage.js";

const there = stage();

/** Makes the page's agent and writes down what it is told. */
const opens = (/** @type {any} */ config) => {
  /** @type {any} */
  const page = globalThis;
  /** @type {string[]} */
  const heard = page.heard = [];
  let ran = 0;
  const agent = page.agent = new agui.HttpAgent({
    ...config, tools: [{ name: "f", description: "", handler: () => `done ${++ran}` }],
    onPendingTool: (toolCall) => {
      heard.push(`offered ${toolCall.id}`);
      return false;
    },
  });
  agent.subscribe({
    onConnected: () => void heard.push("connected"), onRunInitialized: () => void heard.push("initialized"),
    onRunFinalized: () => void heard.push("finalized"), onRunFailed: () => void heard.push("failed"),
  });
  return agent.restored;
};
const stands = () => {
  const { agent, heard } = /** @type {any} */ (globalThis);
  return {
    contents: agent.messages.map((/** @type {any} */ { content }) => content ?? null), state: agent.state,
    questions: agent.pendingInterrupts.map((/** @type {any} */ { id }) => id), heard, threadId: agent.threadId,
  };
};
/** Reads what the browser has of a thread. */
const keptOf = (/** @type {string} */ threadId) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("agui threads");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const all = opening.result.transaction("parts").objectStore("parts")
      .getAll(IDBKeyRange.bound([threadId, 0], [threadId, Infinity]));
    all.onsuccess = () => {
      opening.result.close();
      resolve(all.result.flatMap((text) => JSON.parse(text)).map(({ content }) => content ?? null));
    };
  };
});
const keeps = (/** @type {any} */ page, /** @type {string} */ threadId, /** @type {any[]} */ contents) =>
  until(page,
  `(${keptOf})(${JSON.stringify(threadId)}).then((list) => JSON.stringify(list) === ${JSON.stringify(JSON.stringify(contents))})`);

test(
  "a reload shows the conversation, its state and its open question, in the same thread; nothing is asked of the server", async () => {
  const line = live(there.server, "none");
  for (const persist of ["session", "local"]) {
    await onPage(there, async (page) => {
      assert.equal(await page.evaluate(opens, { url: line.url, persist }), false);
      const over = page.evaluate(() => /** @type {any} */ (globalThis).agent.send("hi")
        .then((/** @type {any} */ { outcome }) => outcome));
      await line.posted();
      const { threadId } = await page.evaluate(stands);
      line.emit(...text("m1", "Hello"), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
        {
          type: "RUN_FINISHED", threadId, runId: line.posts.at(-1).runId,
          outcome: { type: "interrupt", interrupts: [{ id: "q1", reason: "input_required" }] },
        });
      assert.equal(await over, "interrupt");
      const was = await page.evaluate(stands);
      await keeps(page, threadId, ["hi", "Hello"]);
      await page.reload();
      assert.equal(await page.evaluate(opens, { url: line.url, persist }), true);
      const now = await page.evaluate(stands);
      assert.deepEqual(now, { ...was, heard: [] });
      assert.deepEqual([now.contents, now.state, now.questions], [["hi", "Hello"], { n: 1 }, ["q1"]]);
      const left = await page.evaluate(async (/** @type {boolean} */ all) => {
        await (all ? agui.forgetAll() : /** @type {any} */ (globalThis).agent.forget());
        return [...Object.keys(sessionStorage), ...Object.keys(localStorage)];
      }, persist === "local");
      assert.deepEqual(left, []);
      await keeps(page, threadId, []);
    });
  }
  assert.equal(line.posts.length, 2);
});

for (const dialect of /** @type {const} */ (["copilotkit", "tanstack"])) {
  test(
    `46: ${dialect}: a reload in the middle of a run shows what there was and goes on; a handler is offered its call, not run`, async () => {
    const line = live(there.server, dialect);
    await onPage(there, async (page) => {
      const config = { url: line.url, persist: "session", reconnect: dialect, threadId: "t1" };
      await page.evaluate(opens, config);
      await page.evaluate(() => void /** @type {any} */ (globalThis).agent.send("hi").catch(() => {}));
      await line.posted();
      line.emit(...text("m1", "Hello").slice(0, 2));
      await keeps(page, "t1", ["hi", "Hello"]);
      await page.reload();
      assert.equal(await page.evaluate(opens, config), true);
      assert.deepEqual((await page.evaluate(stands)).contents.slice(0, 2), ["hi", "Hello"]);
      await until(page, () => /** @type {any} */ (globalThis).heard.includes("connected"));
      line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: " world" }, {
        type: "TEXT_MESSAGE_END", messageId: "m1",
      },
        { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "f", parentMessageId: "m1" },
        { type: "TOOL_CALL_END", toolCallId: "c1" },
        { type: "RUN_FINISHED", threadId: "t1", runId: line.posts[0].runId });
      await until(page, () => /** @type {any} */ (globalThis).heard.includes("offered c1"));
      const { contents, heard } = await page.evaluate(stands);
      assert.deepEqual([contents, heard],
        [["hi", "Hello world"], ["connected", "initialized", "finalized", "offered c1"]]);
      await page.evaluate(() => agui.forgetAll());
    });
    assert.equal(line.posts.length, 1, "nothing was started");
  });
}

test("a page that reloads in the middle of a run has what it showed 100 ms before, and never loses the thread",
  async () => {
  const line = live(there.server, "none");
  await onPage(there, async (page) => {
    let seen = ["first"];
    for (let round = 0; round < 6; round++) {
      await page.evaluate(opens, { url: line.url, persist: "local", threadId: "t9" });
      const { contents } = await page.evaluate(stands);
      if (round > 0) assert.deepEqual(contents.slice(0, seen.length), seen, `round ${round}`);
      await page.evaluate((/** @type {number} */ n) => {
        void /** @type {any} */ (globalThis).agent.send(n === 0 ? "first" : `more ${n}`).catch(() => {});
      }, round);
      await line.posted();
      line.emit({ type: "TEXT_MESSAGE_START", messageId: `m${round}`, role: "assistant" });
      for (let i = 0; i < 20 * round; i++) {
        line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: `m${round}`, delta: "x" });
      }
      // Two frames and a write: what the page showed then is kept.
      const shown = await page.evaluate(() => new Promise((resolve) => {
        const { agent } = /** @type {any} */ (globalThis);
        const now = agent.messages.slice(0, -1).map((/** @type {any} */ { content }) => content ?? null);
        let n = 0;
        const wait = () => (++n > 6 ? resolve(now) : setTimeout(wait, 16));
        wait();
      }));
      seen = shown;
      await page.reload();
    }
    assert.ok(seen.length > 5);
    await page.evaluate(() => agui.forgetAll());
  });
});

test("two tabs on one thread: neither overwrites the other's turns, and a run begins with both", async () => {
  const line = live(there.server, "none");
  await onPage(there, async (page) => {
    const got = page.evaluate(async (/** @type {string} */ url) => {
      const tabs = [0, 1].map(() => new agui.HttpAgent({ url, persist: "local", threadId: "t2" }));
      await Promise.all(tabs.map(({ restored }) => restored));
      const frames = (n = 6) => new Promise((resolve) => setTimeout(resolve, n * 50));
      tabs[0].addMessage({ id: "a", role: "user", content: "of one" });
      tabs[1].addMessage({ id: "b", role: "user", content: "of two" });
      await frames();
      tabs[0].addMessage({ id: "c", role: "user", content: "one again" });
      await frames();
      await tabs[1].runAgent();
      await frames();
      const third = new agui.HttpAgent({ url, persist: "local", threadId: "t2" });
      await third.restored;
      const contents = third.messages.map(({ content }) => content).sort();
      await agui.forgetAll();
      return contents;
    }, line.url);
    await line.posted();
    line.emit(...text("m", "Hello"), { type: "RUN_FINISHED", threadId: "t2", runId: line.posts[0].runId });
    assert.deepEqual(await got, ["Hello", "of one", "of two", "one again"]);
    assert.deepEqual(line.posts[0].messages.map((/** @type {any} */ { content }) => content).sort(),
      ["of one", "of two", "one again"]);
  });
});

test("a store of the page's own; one that fails is told once, and the agent goes on; what is no store is refused",
  async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      /** @type {Map<string, any>} */
      const there = new Map();
      const persist = {
        load: (/** @type {string} */ id) => there.get(id),
        save: (/** @type {any} */ thread) => void there.set(thread.threadId, JSON.parse(JSON.stringify(thread))),
        remove: (/** @type {string} */ id) => void there.delete(id),
      };
      const agent = new agui.HttpAgent({ url: "/x", threadId: "t3", persist });
      agent.addMessage({ id: "a", role: "user", content: "early" });
      await agent.restored;
      agent.state = { n: 7 };
      agent.dispose();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const again = new agui.HttpAgent({
        url: "/x", threadId: "t3", persist, initialState: { n: 0 },
        initialMessages: [{ id: "g", role: "assistant", content: "greeting" }],
      });
      const restored = await again.restored;
      const { version, open, state } = there.get("t3");
      const read = [restored, again.messages.map(({ content }) => content), again.state, version, open, state];
      await again.forget();
      again.addMessage({ id: "b", role: "user", content: "later" });
      await new Promise((resolve) => setTimeout(resolve, 150));
      const warnings = /** @type {any[]} */ ([]);
      const fails = () => Promise.reject(new Error("full"));
      const other = new agui.HttpAgent({
        url: "/x", persist: { load: fails, save: fails, remove: fails },
        onWarning: ({ code, message }) => void warnings.push([code, message.includes("full")]),
      });
      const none = await other.restored;
      other.addMessage({ id: "a", role: "user", content: "hi" });
      await new Promise((resolve) => setTimeout(resolve, 150));
      const refused = ["yes", {}, 7].map((bad) => {
        try {
          return new agui.HttpAgent({ url: "/x", persist: /** @type {any} */ (bad) });
        } catch (thrown) {
          return /** @type {any} */ (thrown).name;
        }
      });
      other.dispose();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return {
        read, size: there.size, none, warnings, kept: other.messages.length, refused, callbacks: agui.debug().callbacks,
      };
    });
    assert.deepEqual(got, {
      read: [true, ["early"], { n: 7 }, 1, false, { n: 7 }], size: 0, none: false, warnings: [["persist_failed", true]],
      kept: 1,
      refused: ["TypeError", "TypeError", "TypeError"], callbacks: 0,
    });
  });
});

test("a thread that cannot be read is not written over, whatever is wrong with it", async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      /** @type {[string, () => any][]} */
      const loads = [
        ["rejects", () => Promise.reject(new Error("no network"))], ["throws", () => { throw new Error("odd"); }],
        ["a later version", () => ({ version: 2, threadId: "t4", rev: 1, messages: [], state: {}, interrupts: [] })],
        ["no list", () => ({ version: 1, threadId: "t4", rev: 1, messages: "none", state: {}, interrupts: [] })],
        ["no messages", () => ({ version: 1, threadId: "t4", rev: 1, messages: [7], state: {}, interrupts: [] })],
        ["text", () => "[]"],
      ];
      const all = [];
      for (const [name, load] of loads) {
        let saves = 0;
        /** @type {string[]} */
        const warned = [];
        const persist = { load, save: () => void saves++, remove: () => {} };
        const agent = new agui.HttpAgent({
          url: "/x", threadId: "t4", persist, onWarning: ({ code }) => void warned.push(code),
        });
        const restored = await agent.restored;
        agent.addMessage({ id: "a", role: "user", content: "hi" });
        await new Promise((resolve) => setTimeout(resolve, 100));
        agent.dispose();
        await new Promise((resolve) => setTimeout(resolve, 50));
        all.push([name, restored, saves, warned.join(), agent.messages.length]);
      }
      return { all, callbacks: agui.debug().callbacks };
    });
    assert.deepEqual(got, {
      all: ["rejects", "throws", "a later version", "no list", "no messages",
        "text"].map((name) => [name, false, 0, "persist_failed", 1]), callbacks: 0,
    });
  });
});

test("what dispose() meets while a write is under way is kept; an abort does not wait for a store", async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      /** @type {string[][]} */
      const saved = [];
      const slow = () => new Promise((resolve) => setTimeout(resolve, 100));
      const persist = { load: () => null, remove: () => {}, save: (/** @type {any} */ { messages }) => {
        saved.push(messages.map((/** @type {any} */ { id }) => id));
        return slow();
      } };
      const agent = new agui.HttpAgent({ url: "/x", persist });
      await agent.restored;
      agent.addMessage({ id: "a", role: "user", content: "one" });
      while (saved.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      agent.addMessage({ id: "b", role: "user", content: "two" });
      agent.dispose();
      await slow();
      await slow();
      const hanging = new agui.HttpAgent({
        url: "/x", persist: { load: () => new Promise(() => {}), save: () => {}, remove: () => {} },
      });
      const run = hanging.runAgent();
      await slow();
      hanging.abortRun();
      const { outcome } = await run;
      return { last: saved.at(-1), outcome, running: hanging.isRunning };
    });
    assert.deepEqual(got, { last: ["a", "b"], outcome: "aborted", running: false });
  });
});

test("a long thread comes back whole: grown, changed in its middle, and cut", async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async () => {
      const config = { url: "/x", threadId: "t6", persist: /** @type {const} */ ("local") };
      const message = (/** @type {number} */ i) => /** @type {const} */ (
        { id: `m${i}`, role: "user", content: `${i}` });
      const list = Array.from({ length: 1200 }, (_, i) => message(i));
      const steps = [list.slice(0, 40), list.slice(0, 41), list.with(20, { ...message(20), content: "changed" }),
        list.slice(0, 33), list.slice(0, 3), ...[575, 576, 600, 575, 1200, 590, 500, 1].map((n) => list.slice(0, n))];
      const kept = [];
      for (const step of steps) {
        const agent = new agui.HttpAgent(config);
        await agent.restored;
        agent.setMessages(step);
        agent.dispose();
        for (let again = null, tries = 0; tries < 100; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          again = new agui.HttpAgent(config);
          await again.restored;
          const there = JSON.stringify(again.messages);
          again.dispose();
          if (there !== JSON.stringify(step) && tries < 99) continue;
          kept.push(there === JSON.stringify(step));
          break;
        }
      }
      await agui.forgetAll();
      return kept;
    });
    assert.deepEqual(got, Array(13).fill(true));
  });
});
