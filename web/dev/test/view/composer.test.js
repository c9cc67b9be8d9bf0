// The composer beside plain writing: the page's hand in it, what was said before, drafts, and which files it takes.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

test("the page writes and sends, ArrowUp recalls, a draft stays, and files are those that are taken", async () => {
  const page = await chatPage(world, { options: null });
  const open = (/** @type {any} */ more) => page.evaluate(async (/** @type {any} */ more) => {
    const { chat } = globalThis;
    globalThis.agui.mount("#chat", { fetch: chat.fetch, url: "/agent" }).unmount();
    globalThis.handle = globalThis.agui.mount("#chat", {
      fetch: chat.fetch, url: "/agent", draft: "session", acceptFiles: "image/*, .PDF", maxFiles: 2, capture: "user",
      initialMessages: [{ id: "1", role: "user", content: "first" },
        { id: "2", role: "user", content: [{ type: "text", text: "second" }] }], ...more,
    });
    await globalThis.handle.ready;
    await chat.frames();
  }, more);
  await open({});
  const input = page.locator("#chat .input");
  const value = () => page.evaluate(() => globalThis.handle.composer.value);
  await page.evaluate(() => globalThis.handle.composer.focus());
  const after = [];
  for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"]) {
    await page.keyboard.press(key);
    after.push(await value());
  }
  assert.deepEqual(after, ["second", "first", "first", "second", "", ""]);
  await page.keyboard.type("mine");
  await page.keyboard.press("ArrowUp");
  assert.equal(await value(), "mine");
  await page.evaluate(() => globalThis.handle.unmount());
  await open({});
  assert.equal(await input.inputValue(), "mine");
  await page.evaluate(() => {
    globalThis.handle.composer.value = "from the page";
    globalThis.handle.composer.submit();
  });
  await page.waitForFunction(() => globalThis.chat.bodies.length === 1);
  assert.equal(await page.evaluate(() => globalThis.chat.bodies[0].messages.at(-1).content), "from the page");
  assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage)), []);
  assert.equal(await value(), "");
  await page.evaluate(() => globalThis.handle.unmount());
  await open({});
  const picker = page.locator("#chat .picker");
  assert.deepEqual(await picker.evaluate((/** @type {any} */ el) => [el.accept, el.getAttribute("capture")]),
    ["image/*, .PDF", "user"]);
  const file = (/** @type {string} */ name, /** @type {string} */ mimeType) =>
    ({ name, mimeType, buffer: Buffer.from("x") });
  const problem = (/** @type {string} */ words) =>
    page.locator("#chat .attachments").getByText(words).waitFor();
  await picker.setInputFiles([file("a.pdf", "application/pdf"), file("b.txt", "text/plain")]);
  await problem("b.txt is of a type that is not taken here.");
  await picker.setInputFiles([file("c.png", "image/png"), file("d.png", "image/png")]);
  await problem("There are too many files: d.png was left out.");
  assert.deepEqual(await page.locator("#chat .file-name").allInnerTexts(), ["a.pdf", "c.png"]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
