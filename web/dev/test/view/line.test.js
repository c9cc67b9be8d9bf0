// What a person sees of a connection that breaks: nothing for a second, then one line; where it is lost, two ways on.
import test from "node:test";
import assert from "node:assert/strict";
import { live } from "../harness/live.js";
import { onPage, stage, until } from "../harness/stage.js";

const there = stage();

const mounts = async (/** @type {any} */ { lang, ...config }) => {
  const host = document.createElement("div");
  if (lang) host.lang = lang;
  host.style.height = "500px";
  document.body.append(host);
  const chat = /** @type {any} */ (globalThis).chat = agui.mount(host, { threadId: "t1", ...config });
  /** @type {any} */ (globalThis).root = host.shadowRoot;
  await chat.ready;
};
const seen = () => {
  const { root } = /** @type {any} */ (globalThis);
  const words = (/** @type {string} */ which) => [...root.querySelectorAll(which)].map((each) => each.textContent);
  return {
    status: words(".status"), error: words(".error-words, .error .error-detail"), buttons: words(".error button"),
    said: words(".live p"), typing: root.querySelector("textarea").disabled,
  };
};
const sends = () => void /** @type {any} */ (globalThis).chat.agent.send("hi").catch(() => {});
const clicks = (/** @type {string} */ what) =>
  /** @type {any} */ (globalThis).root.querySelector(`.error button[data-do=${what}]`).click();
const start = [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "so far" },
];
const shows = (/** @type {any} */ page, /** @type {string} */ text) =>
  until(page, (/** @type {string} */ each) =>
    /** @type {any} */ (globalThis).root.querySelector(".log")?.textContent.includes(each), { arg: text, seen });
const lost = (/** @type {any} */ page) =>
  until(page, () => /** @type {any} */ (globalThis).root.querySelectorAll(".error button").length === 2, { seen });

test("53: a cut is nobody's business for a second; then one line says so, once, and words can be typed", async () => {
  const line = live(there.server, "tanstack");
  await onPage(there, async (page) => {
    await page.evaluate(mounts, { url: line.url, reconnect: "tanstack" });
    await page.evaluate(sends);
    await line.posted();
    line.emit(...start);
    await shows(page, "so far");
    const lines = await page.evaluate(() => {
      const { root } = /** @type {any} */ (globalThis);
      /** @type {[string, number][]} */
      const all = /** @type {any} */ (globalThis).lines = [];
      const began = performance.now();
      const look = () => {
        const text = root.querySelector(".status")?.textContent ?? "";
        if (text !== (all.at(-1)?.[0] ?? "Working")) all.push([text, performance.now() - began]);
        requestAnimationFrame(look);
      };
      look();
      return all.length;
    });
    assert.equal(lines, 0);
    line.down(true);
    line.cut();
    await until(page, () => /** @type {any} */ (globalThis).lines.length > 0, { seen });
    const [[text, after]] = await page.evaluate(() => /** @type {any} */ (globalThis).lines);
    assert.equal(text, "Reconnecting");
    assert.ok(after > 900, `${after} ms`);
    const { typing, said } = await page.evaluate(seen);
    assert.equal(typing, false);
    await new Promise((resolve) => setTimeout(resolve, 700)); // further attempts
    const again = (await page.evaluate(seen)).said.filter((/** @type {string} */ each) => each === "Reconnecting");
    assert.equal(again.length, 1, String(said));
    line.down(false);
    line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: " and on" });
    await shows(page, "so far and on");
    await until(page, () =>
      /** @type {any} */ (globalThis).root.querySelector(".status")?.textContent === "Working", { seen });
    line.emit({ type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "RUN_FINISHED", threadId: "t1", runId: line.posts[0].runId });
    await until(page, () => !/** @type {any} */ (globalThis).root.querySelector(".status"), { seen });
    assert.deepEqual((await page.evaluate(seen)).error, []);
    await page.evaluate(() => /** @type {any} */ (globalThis).chat.unmount());
  });
  assert.equal(line.posts.length, 1);
});

test("a lost connection: the chat reconnects by reading, or sends again and says what that may do", async () => {
  const line = live(there.server, "sse-id");
  await onPage(there, async (page) => {
    const config = { url: line.url, reconnect: "sse-id", persist: "local" };
    await page.evaluate(mounts, config);
    await page.evaluate(sends);
    await line.posted();
    line.emit(...start);
    await shows(page, "so far");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await page.reload();
    line.cut();
    line.forget();
    await page.evaluate(mounts, { ...config, lang: "zh" });
    await lost(page);
    await shows(page, "so far");
    const { error, buttons } = await page.evaluate(seen);
    assert.deepEqual(error, ["与智能体的连接已断开。", "重新发送可能使智能体重复执行。"]);
    assert.deepEqual(buttons, ["重新连接", "重新发送"]);
    await page.evaluate(clicks, "reconnect");
    await until(page, () => !/** @type {any} */ (globalThis).chat.agent.isRunning, { seen });
    assert.equal(line.posts.length, 1, "to reconnect starts nothing");
    await page.reload();
    await page.evaluate(mounts, config);
    await page.evaluate(sends);
    await line.posted();
    line.emit(...start.map((event) => ({ ...event, messageId: "n" })));
    await until(page, () => /** @type {any} */ (globalThis).chat.agent.messages.length === 4, { seen });
    line.cut();
    line.forget();
    await lost(page);
    assert.deepEqual((await page.evaluate(seen)).error.slice(0, 1), ["The connection to the agent is lost."]);
    await page.evaluate(clicks, "retry");
    await line.posted();
    line.emit({ type: "RUN_FINISHED", threadId: "t1", runId: line.posts.at(-1).runId });
    await until(page, () => !/** @type {any} */ (globalThis).root.querySelector(".error"), { seen });
    await page.evaluate(() => agui.forgetAll());
  });
  assert.equal(line.posts.length, 3);
});

test("49: a question that is open when the line breaks is asked once, and its handler runs once", async () => {
  const line = live(there.server, "copilotkit");
  await onPage(there, async (page) => {
    await page.evaluate(async (/** @type {string} */ url) => {
      /** @type {any} */
      const all = globalThis;
      const host = document.body.appendChild(document.createElement("div"));
      all.ran = 0;
      all.chat = agui.mount(host, { url, threadId: "t1", reconnect: "copilotkit", tools: [
        { name: "buy", description: "", needsApproval: true, handler: () => `bought ${++all.ran}` }] });
      all.root = host.shadowRoot;
      await all.chat.ready;
    }, line.url);
    await page.evaluate(sends);
    await line.posted();
    line.emit(...start, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "buy", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" }, { type: "TOOL_CALL_END", toolCallId: "c" });
    await until(page, () => /** @type {any} */ (globalThis).chat.agent.messages.at(-1)?.toolCalls?.length === 1,
      { seen });
    line.cut();
    for (let tries = 0; line.reads.length === 0 && tries < 400; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    line.emit({ type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "RUN_FINISHED", threadId: "t1", runId: line.posts[0].runId });
    const cards = () => /** @type {any} */ (globalThis).root.querySelectorAll(".tool.waiting").length;
    await until(page, () => /** @type {any} */ (globalThis).root.querySelector(".tool.waiting button"), { seen });
    assert.equal(await page.evaluate(cards), 1);
    await page.evaluate(() => [.../** @type {any} */ (globalThis).root.querySelectorAll(".tool.waiting button")]
      .find(({ textContent }) => textContent === "Approve").click());
    await line.posted();
    line.emit({ type: "RUN_FINISHED", threadId: "t1", runId: line.posts[1].runId });
    await until(page, () => !/** @type {any} */ (globalThis).chat.agent.isRunning, { seen });
    assert.deepEqual([await page.evaluate(cards), await page.evaluate(() => /** @type {any} */ (globalThis).ran)],
      [0, 1]);
    await page.evaluate(() => /** @type {any} */ (globalThis).chat.unmount());
  });
  assert.equal(line.posts.length, 2);
  assert.equal(line.posts[1].messages.filter((/** @type {any} */ { role }) => role === "tool").length, 1);
});
