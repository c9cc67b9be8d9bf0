// What stands around a conversation: a welcome, suggestions, who answers, a disclaimer, the page's own elements.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

/** @param {any} page */
const shown = (page) => page.evaluate(async () => {
  const { chat } = globalThis;
  await chat.frames(3);
  return [...chat.root.querySelectorAll(".suggestion")].map((el) => el.textContent).join();
});
/** @param {any} page @param {any[]} events */
const answer = (page, ...events) => page.evaluate(async (/** @type {any[]} */ events) => {
  const { chat } = globalThis;
  chat.start();
  chat.feed(...events, { type: "TEXT_MESSAGE_START", messageId: `m${chat.bodies.length}`, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: `m${chat.bodies.length}`, delta: "Words." },
    { type: "TEXT_MESSAGE_END", messageId: `m${chat.bodies.length}` });
  chat.finish();
  await chat.frames(4);
}, events);

test("a chat begins with the page's welcome and suggestions, and says who answers", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(async () => {
    const { chat } = globalThis;
    const welcome = document.createElement("section");
    welcome.innerHTML = "<h2>Hello</h2>";
    const host = document.querySelector("#chat");
    host.innerHTML = '<p slot="before">Above</p><p slot="after">Below</p>';
    globalThis.welcome = welcome;
    await chat.open({
      welcome, disclaimer: "Answers may be wrong.",
      suggestions: ["Plan a trip", { label: "More…", message: "Tell more" }], assistant: {
        name: 'Ada "L."',
        avatar: "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
      },
    });
  });
  assert.equal(await shown(page), "Plan a trip,More…");
  const seen = () => page.evaluate(() => document.querySelector("#chat").innerText !== "" && [
    document.querySelector("section")?.offsetHeight > 0, globalThis.chat.root.querySelector(".empty")?.offsetHeight > 0,
    globalThis.chat.root.querySelector(".disclaimer").textContent,
    [...document.querySelectorAll("#chat > p")].map((el) => el.offsetHeight > 0).join(),
  ]);
  assert.deepEqual(await seen(), [true, false, "Answers may be wrong.", "true,true"]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/around-start.png` });
  await page.locator("#chat .suggestion").nth(1).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => globalThis.chat.controller);
  assert.equal(await page.evaluate(() => globalThis.chat.bodies[0].messages[0].content), "Tell more");
  assert.equal(await shown(page), "");
  assert.equal(await page.evaluate(() => globalThis.chat.root.activeElement?.className), "input");
  await answer(page);
  assert.deepEqual((await seen())[0], false);
  const face = await page.evaluate(() => {
    const el = globalThis.chat.root.querySelector(".assistant");
    return [el.getAttribute("aria-label"), getComputedStyle(el, "::before").content,
      getComputedStyle(el, "::after").backgroundImage.slice(0, 14)];
  });
  assert.deepEqual(face, ['Ada "L."', '"Ada \\"L.\\"" / ""', 'url("data:imag']);
  if (process.env.SHOTS) {
    await page.setViewportSize({ width: 340, height: 600 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: `${process.env.SHOTS}/around-answer.png` });
  }
  await page.evaluate(() => globalThis.chat.unmount());
  assert.deepEqual(await page.evaluate(() => [globalThis.welcome.isConnected, globalThis.welcome.slot]), [false, ""]);
  assert.deepEqual([page.uncaught, await page.evaluate(() => globalThis.chat.violations)], [[], []]);
  await page.done();
});

test("suggestions come from a function, the agent's state or a CUSTOM event, and never while it works", async () => {
  const page = await chatPage(world, { options: null });
  const send = async () => {
    await page.locator("#chat .input").fill("go");
    await page.keyboard.press("Enter");
    await page.waitForFunction((/** @type {number} */ n) => globalThis.chat.bodies.length > n, await count());
  };
  let asked = 0;
  const count = async () => asked++;
  const open = (/** @type {string} */ which) => page.evaluate(async (/** @type {string} */ which) => {
    const { chat } = globalThis;
    chat.unmount?.();
    const all = {
      function: async (/** @type {any} */ { messages }) => [`after ${messages.length}`],
      state: { state: "/next/0~1" }, event: { event: "next" },
    };
    await chat.open({ suggestions: all[which], welcome: "Bonjour", initialState: { next: { "0/": ["from state"] } } });
  }, which);
  await open("function");
  assert.equal(await shown(page), "after 0");
  assert.equal(await page.evaluate(() => globalThis.chat.root.querySelector(".empty").textContent), "Bonjour");
  await send();
  assert.equal(await shown(page), "");
  await answer(page);
  assert.equal(await shown(page), "after 2");
  await open("state");
  assert.equal(await shown(page), "from state");
  await open("event");
  await send();
  await answer(page, { type: "CUSTOM", name: "next", value: ["told", { label: 5 }, ""] });
  assert.equal(await shown(page), "told");
  await send();
  await answer(page);
  assert.equal(await shown(page), "");
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
