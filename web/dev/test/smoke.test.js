// The shortest way through everything in a real browser: it loads, a run completes, the chat answers. The leg with the
// newest Go runs this alone.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { startPage } from "./page/open.js";

/** @type {any} */
let dev;
before(async () => {
  dev = await startPage();
});
after(() => dev?.stop());

test("load, run, chat", { timeout: 60000 }, async () => {
  const page = await dev.open();
  const ran = await page.evaluate(async () => {
    const agui = /** @type {any} */ (window).agui;
    await agui.ready;
    const agent = new agui.HttpAgent({ url: "/agent?speed=max" });
    agent.addMessage({ role: "user", content: "a table" });
    await agent.runAgent();
    document.body.innerHTML = '<div id="smoke" style="height: 500px"></div>';
    agui.mount("#smoke", { url: "/agent?speed=max" });
    return agent.messages.at(-1);
  });
  assert.equal(ran.role, "assistant");
  assert.ok(ran.content.length > 10, ran.content);
  await page.locator("#smoke .input").fill("Hello");
  await page.locator("#smoke .input").press("Enter");
  await page.locator("#smoke .assistant").first().waitFor();
  assert.match((await page.locator("#smoke .user").allInnerTexts()).join(" "), /Hello/);
  // The chat is in a shadow root, which locators look into.
  const answer = page.locator("#smoke .assistant").first();
  for (const end = Date.now() + 20000; Date.now() < end && (await answer.innerText()).trim() === "";) {
    await page.waitForTimeout(50);
  }
  assert.notEqual((await answer.innerText()).trim(), "");
  assert.deepEqual(page.uncaught, []);
});
