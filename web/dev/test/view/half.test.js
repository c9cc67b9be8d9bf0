// Runs that end before their answer does: the half is marked for good, and trying again begins where the run began.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

const say = async (/** @type {any} */ page, /** @type {string} */ words) => {
  await page.locator("#chat .input").fill(words);
  await page.locator("#chat .input").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => globalThis.chat.controller);
};
/** Sends the beginning of a run. */
const half = (/** @type {any} */ page, /** @type {string} */ id) => page.evaluate(async (/** @type {string} */ id) => {
  const { chat } = globalThis;
  chat.start();
  chat.feed({ type: "STATE_DELTA", delta: [{ op: "add", path: "/half", value: id }] },
    { type: "TEXT_MESSAGE_START", messageId: `${id}0`, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: `${id}0`, delta: "whole" },
    { type: "TEXT_MESSAGE_END", messageId: `${id}0` },
    { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: "half an" });
  await chat.frames(4);
}, id);
/** Ends the connection, or the run. */
const end = (/** @type {any} */ page, /** @type {any} */ how) => page.evaluate(async (/** @type {any} */ well) => {
  const { chat } = globalThis;
  if (well) chat.finish();
  else chat.end();
  chat.controller = null;
  await chat.frames(6);
}, how);
const shown = async (/** @type {any} */ page) => (await page.locator("#chat .msg").allInnerTexts())
  .map((/** @type {string} */ text) => text.trim().replace(/\s+/g, " "));

test("trying again drops what the failed run made, and only that", async () => {
  const page = await chatPage(world, { options: { initialState: { kept: 1 } } });
  await say(page, "one");
  await half(page, "a");
  await end(page, false);
  await page.locator("#chat [data-do=retry]").waitFor();
  assert.deepEqual(await shown(page), ["one", "whole", "half an Broke off"]);
  await page.evaluate(() => globalThis.chat.agent.addMessage({ id: "u", role: "user", content: "by the page" }));
  await page.locator("#chat [data-do=retry]").click();
  await page.waitForFunction(() => globalThis.chat.bodies.length === 2);
  const [, { messages, state }] = await page.evaluate(() => globalThis.chat.bodies);
  assert.deepEqual(messages.map((/** @type {any} */ { content }) => content), ["one", "by the page"]);
  assert.deepEqual(state, { kept: 1 });
  await page.waitForFunction(() => globalThis.chat.controller);
  await half(page, "b");
  await page.evaluate(() => globalThis.chat.feed({ type: "TEXT_MESSAGE_END", messageId: "b" }));
  await end(page, true);
  assert.deepEqual(await shown(page), ["one", "by the page", "whole", "half an"]);
  // A request that fails before its run has begun has made nothing: the former run's answer stays.
  await page.evaluate(() => { globalThis.chat.reply = () => new Response("", { status: 500 }); });
  await page.locator("#chat .input").fill("two");
  await page.keyboard.press("Enter");
  await page.locator("#chat [data-do=retry]").waitFor();
  await page.evaluate(() => { globalThis.chat.reply = null; });
  await page.locator("#chat [data-do=retry]").click();
  await page.waitForFunction(() => globalThis.chat.controller);
  assert.deepEqual(await shown(page), ["one", "by the page", "whole", "half an", "two"]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("an answer that a person stopped says so, also after a reload; one that the page left breaks off", async () => {
  const page = await chatPage(world, { options: null, lang: "zh-CN" });
  const open = () => page.evaluate(() => globalThis.chat.open({ persist: "local", threadId: "half" }));
  await open();
  await say(page, "one");
  await half(page, "a");
  await page.locator("#chat .input").fill("kept");
  await page.locator("#chat .input").focus();
  await page.keyboard.press("Escape");
  await page.locator("#chat .half").waitFor();
  assert.equal(await page.locator("#chat .input").inputValue(), "kept");
  assert.deepEqual(await shown(page), ["one", "whole", "half an 已停止"]);
  await page.evaluate(() => { globalThis.chat.controller = null; });
  await say(page, "two");
  await half(page, "b");
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  await page.reload();
  await open();
  await page.waitForFunction(() => globalThis.chat.root.querySelectorAll(".half").length === 2);
  assert.deepEqual(await shown(page), ["one", "whole", "half an 已停止", "two", "whole", "half an 回答中断"]);
  await page.evaluate(() => globalThis.agui.forgetAll());
  await page.done();
});
