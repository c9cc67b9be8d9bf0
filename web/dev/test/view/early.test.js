// What is on the page before the program has come: the chat's height, its frame, a composer that takes words.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { root } from "../harness/static.js";
import { engine } from "../harness/browser.js";
import { POLICY, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** Lets agui.wasm come. @type {() => void} */
let release = () => {};
let status = 200;
before(async () => {
  world = await start();
  const wasm = readFileSync(`${root}dist/agui.wasm`);
  world.site.override("/agui.wasm", (/** @type {any} */ _request, /** @type {any} */ response) => {
    release = () => {
      response.writeHead(status, { "content-type": "application/wasm" });
      response.end(status === 200 ? wasm : "");
    };
  });
  world.site.override("/early.css", (/** @type {any} */ _request, /** @type {any} */ response) => {
    response.writeHead(200, { "content-type": "text/css" });
    response.end("body { margin: 0 } #after { block-size: 5rem }");
  });
  world.site.override("/early.js", (/** @type {any} */ _request, /** @type {any} */ response) => {
    response.writeHead(200, { "content-type": "text/javascript" });
    response.end(`window.shift = 0; window.sent = []; window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
const count = (list) => { for (const e of list.getEntries()) shift += e.value; };
try { new PerformanceObserver(count).observe({ type: "layout-shift", buffered: true }); } catch {}
const options = JSON.parse(document.querySelector("#chat").dataset.options);
window.m = agui.mount("#chat", { url: "/agent", ...options, fetch: async (url, init) => {
  sent.push(JSON.parse(init.body).messages.map((m) => m.content));
  const line = (type) => "data: " + JSON.stringify({ type, threadId: "t", runId: "r" }) + "\\n\\n";
  const body = line("RUN_STARTED") + line("RUN_FINISHED");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
} });
m.ready.catch(() => {});
window.look = () => document.querySelector("#chat").shadowRoot;`);
  });
});
after(() => world?.stop());

/** @param {{lang?: string, options?: object, dir?: string}} [how] */
const open = ({ lang = "en", options = {}, dir = "ltr" } = {}) => world.page({
  html: `<!doctype html><html lang="${lang}" dir="${dir}"><meta charset="utf-8"><title>Chat</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/early.css"><script src="/agui.js"></script>
<div id="chat" data-options='${JSON.stringify(options)}'></div><p id="after">Below</p>
<script src="/early.js"></script></html>`,
  headers: { "content-security-policy": POLICY },
});

/** The chat's markup without what the conversation changes. */
const frame = (/** @type {any} */ page) => page.evaluate(() => {
  const attributes = (/** @type {Element} */ el) => [...el.attributes].filter(({ name }) => name !== "aria-busy")
    .map(({ name, value }) => `${name}="${value}"`).sort().join(" ");
  const write = (/** @type {Element} */ el) => `<${el.localName} ${attributes(el)}>${
    [...el.childNodes].map((/** @type {any} */ kid) => (kid.nodeType === 1 ? write(kid) : kid.nodeValue)).join("")}`;
  const copy = globalThis.look().querySelector(".chat").cloneNode(true);
  for (const button of copy.querySelectorAll("[data-do=attach]")) button.removeAttribute("disabled");
  return write(copy);
});

const texts = async (/** @type {any} */ page, /** @type {string} */ selector) =>
  (await page.locator(selector).allInnerTexts()).map((/** @type {string} */ text) => text.trim());

for (const [lang, dir] of [["en", "ltr"], ["zh-CN", "ltr"], ["ar", "rtl"]]) {
  test(`the frame that stands there first is the one that stays (${lang})`, async () => {
    const page = await open({ lang, dir, options: { labels: { empty: "Ask me" } } });
    await page.locator("#chat .input").waitFor();
    const before = await frame(page);
    const place = () => page.evaluate(() => JSON.stringify([
      ...document.querySelectorAll("#chat, #after"), ...globalThis.look().querySelectorAll(".box, .empty"),
    ].map((el) => el.getBoundingClientRect())));
    const at = await place();
    assert.match(before, lang === "zh-CN" ? /输入消息/ : /Write a message/);
    assert.match(before, /Ask me/);
    release();
    await page.evaluate(() => globalThis.m.ready);
    assert.equal(await frame(page), before);
    assert.equal(await place(), at);
    if (engine === "chromium") assert.equal(await page.evaluate(() => globalThis.shift), 0);
    assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}

test("words, caret and focus stay; what was sent before goes out when the program has come", async () => {
  const page = await open();
  const input = page.locator("#chat .input");
  await input.waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("first");
  await page.keyboard.press("Enter");
  assert.deepEqual(await texts(page, "#chat .bubble"), ["first"]);
  await page.keyboard.type("secnd");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.evaluate(() => { globalThis.same = globalThis.look().activeElement; });
  release();
  await page.evaluate(() => globalThis.m.ready);
  assert.deepEqual(await page.evaluate(() =>
    [globalThis.look().activeElement, globalThis.look().querySelector(".input")]
    .map((el) => el === globalThis.same)), [true, true]);
  await page.keyboard.type("o");
  assert.equal(await input.inputValue(), "second");
  assert.deepEqual(await texts(page, "#chat .bubble"), ["first"]);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => globalThis.sent.length === 2);
  assert.deepEqual(await page.evaluate(() => globalThis.sent), [["first"], ["first", "second"]]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a conversation that is there already has a shape until it is drawn", async () => {
  const initialMessages = [{ id: "a", role: "user", content: "hi" }, { id: "b", role: "assistant", content: "hello" }];
  const page = await open({ options: { initialMessages } });
  await page.locator("#chat .input").waitFor();
  assert.deepEqual(await page.evaluate(() =>
    [...globalThis.look().querySelectorAll(".shape")].map((el) => el.className)),
    ["shape user", "shape assistant"]);
  release();
  await page.evaluate(() => globalThis.m.ready);
  assert.equal(await page.evaluate(() => globalThis.look().querySelectorAll(".shape, .empty").length), 0);
  assert.deepEqual(await texts(page, "#chat .msg"), ["hi", "hello"]);
  await page.waitForFunction(() => !globalThis.look().querySelector("[aria-busy]"));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  if (engine === "chromium") assert.equal(await page.evaluate(() => globalThis.shift), 0);
  await page.done();
});

test("where the program does not come, what was written stays; where the chat goes, nothing stays", async () => {
  const page = await open();
  const input = page.locator("#chat .input");
  await input.fill("precious");
  status = 404;
  release();
  status = 200;
  await page.locator("#chat [role=alert]").waitFor();
  assert.equal(await input.inputValue(), "precious");
  await page.evaluate(() => globalThis.m.unmount());
  assert.equal(await page.evaluate(() => globalThis.look().childElementCount), 0);
  await page.done();
});
