// A chat that stands over the page: opened and closed by mouse, keyboard and script; where the focus is; what tells of
// news while it is closed.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chatPage, start } from "./chat.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

/** Where the focus is, through shadow roots. */
const focused = (/** @type {any} */ page) => page.evaluate(() => {
  let el = /** @type {any} */ (document.activeElement);
  while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
  return el.id || el.className.split(" ")[0] || el.localName;
});

/** @param {any} page @param {object} options */
const lay = (page, options) => page.evaluate(async (/** @type {any} */ options) => {
  const { chat, agui } = globalThis;
  const opener = Object.assign(document.createElement("button"), { id: "opener", textContent: "Page" });
  document.querySelector("h1").after(opener);
  chat.told = [];
  chat.handle = agui.mount("#chat", { url: "/agent", fetch: chat.fetch, ...options });
  chat.handle.addEventListener("openchange", (/** @type {any} */ e) => chat.told.push(e.detail.open));
  await chat.handle.ready;
  chat.outer = document.querySelector("#chat").shadowRoot;
  chat.root = document.querySelector("#chat > div").shadowRoot;
  chat.agent = chat.handle.agent;
  await chat.frames();
}, options);

const seen = (/** @type {any} */ page) => page.evaluate(() => {
  const { chat } = globalThis;
  const panel = chat.outer.querySelector(".panel");
  const { width, height, right, bottom, top } = panel.getBoundingClientRect();
  const launcher = chat.outer.querySelector(".launcher");
  return {
    open: getComputedStyle(panel).visibility === "visible", inert: panel.inert,
    box: [width, height, innerWidth - right, innerHeight - bottom, top].map(Math.round),
    launcher: launcher.getAttribute("aria-label"), expanded: launcher.getAttribute("aria-expanded"),
    unread: launcher.querySelector(".unread").textContent,
  };
});

test("a popup: button, Escape, script; the focus goes in, stays, and comes back", async () => {
  const page = await chatPage(world, { options: null });
  await lay(page, { layout: "popup", messageActions: true });
  const { open, inert, launcher, expanded } = await seen(page);
  assert.deepEqual({ open, inert, launcher, expanded },
    { open: false, inert: true, launcher: "Open the chat", expanded: "false" });
  await page.locator("#chat .launcher").click();
  await page.waitForFunction(() => getComputedStyle(globalThis.chat.outer.querySelector(".panel")).opacity === "1");
  const wide = await seen(page);
  assert.deepEqual([wide.open, wide.inert, wide.expanded, wide.launcher], [true, false, "true", "Close the chat"]);
  assert.deepEqual(wide.box.slice(0, 4), [416, 588, 20, 88]);
  assert.equal(await focused(page), "input");
  // A whole round in both directions stays inside.
  for (const key of ["Tab", "Shift+Tab"]) {
    const round = [];
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press(key);
      round.push(await focused(page));
    }
    assert.ok(round.includes("close") && round.includes("input"), `${key}: ${round}`);
    assert.ok(!round.some((/** @type {string} */ each) => ["opener", "launcher", "body", "html"].includes(each)),
      `${key}: ${round}`);
  }
  await page.locator("#chat .input").focus();
  await page.keyboard.press("Escape");
  assert.equal((await seen(page)).inert, true);
  assert.equal(await focused(page), "launcher");
  // By script, from a control of the page's own.
  await page.locator("#opener").focus();
  await page.evaluate(() => globalThis.chat.handle.show());
  assert.equal(await focused(page), "input");
  await page.evaluate(() => globalThis.chat.handle.close());
  assert.equal(await focused(page), "opener");
  assert.deepEqual(await page.evaluate(() => globalThis.chat.told), [true, false, true, false]);
  assert.deepEqual(await page.evaluate(() => globalThis.chat.violations), []);
  await page.done();
});

test("a popup: Escape stops a run first; news while it is closed has a mark; its end is in sight when it opens", async () => {
  const page = await chatPage(world, { options: null });
  await lay(page, { layout: "popup" });
  await page.evaluate(() => globalThis.chat.handle.show());
  await page.locator("#chat .input").fill("hi");
  await page.keyboard.press("Enter");
  await page.locator("#chat [data-do=stop]").waitFor(); // the chat knows of the run
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !globalThis.chat.agent.isRunning);
  assert.equal((await seen(page)).inert, false, "the run was meant");
  await page.keyboard.press("Escape");
  assert.equal((await seen(page)).inert, true);
  await page.evaluate(async () => {
    const { chat } = globalThis;
    chat.controller = null;
    const sent = chat.agent.send("more");
    while (!chat.controller) await chat.frames(1);
    chat.start();
    chat.feed({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "line\n\n".repeat(80) + "the end" },
      { type: "TEXT_MESSAGE_END", messageId: "m" });
    chat.finish();
    await sent;
    await chat.frames(4);
  });
  assert.equal((await seen(page)).unread, "New messages");
  await page.locator("#chat .launcher").click();
  assert.equal((await seen(page)).unread, "");
  await page.evaluate(() => globalThis.chat.frames(4));
  const far = await page.evaluate(() => {
    const log = globalThis.chat.root.querySelector(".log");
    return log.scrollHeight - log.scrollTop - log.clientHeight;
  });
  assert.ok(far < 40, `the end is ${far} px away`);
  // What a page's renderer draws is in the page's own tree still, and unmount leaves nothing.
  await page.evaluate(() => globalThis.chat.handle.unmount());
  assert.deepEqual(await page.evaluate(() => [document.querySelector("#chat").childElementCount,
    globalThis.chat.outer.childElementCount]), [0, 0]);
  await page.done();
});

test("a sidebar; on a phone the whole screen; axe; a layout that is none", async () => {
  const page = await chatPage(world, { options: null, policy: false, lang: "zh-CN" });
  await lay(page, { layout: "sidebar", labels: { chat: "助手" }, theme: "dark" });
  await page.evaluate(axe);
  const judge = () => page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.filter((/** @type {any} */ v) => v.impact === "serious" || v.impact === "critical")
      .map((/** @type {any} */ v) => `${v.id}: ${v.nodes.map((/** @type {any} */ n) => n.target).join(" | ")}`);
  });
  assert.deepEqual(await judge(), []);
  await page.locator("#chat .launcher").click();
  await page.waitForFunction(() => getComputedStyle(globalThis.chat.outer.querySelector(".panel")).opacity === "1");
  assert.deepEqual((await seen(page)).box, [448, 700, 0, 0, 0]);
  assert.deepEqual(await judge(), []);
  assert.equal(await page.evaluate(() => globalThis.chat.outer.querySelector("h2").textContent), "助手");
  assert.equal((await seen(page)).launcher, "关闭聊天");
  await page.setViewportSize({ width: 500, height: 600 });
  await page.evaluate(() => globalThis.chat.frames(2));
  assert.deepEqual((await seen(page)).box, [500, 600, 0, 0, 0]);
  await page.locator("#chat .close").click();
  assert.equal((await seen(page)).inert, true);
  const odd = await page.evaluate(async () => {
    globalThis.addEventListener("error", (e) => e.preventDefault(), { once: true });
    return globalThis.agui.mount("#chat", { url: "/a", layout: "pop" }).ready.catch(String);
  });
  assert.match(odd, /TypeError: mount: layout must be/);
  await page.done();
});
