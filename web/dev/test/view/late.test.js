// A mount above its element, and elements with data-agui that come and go (htmx, Turbo, single pages).
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "../harness/browser.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

const head = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">`;

test("mount above its element waits for it; one that never comes is a TypeError of ready", async () => {
  const page = await world.page({
    html: `${head}<script src="/agui.js"></script><script>window.m = agui.mount("#chat", { url: "/a" }); window.none = agui.mount("#none", { url: "/a" }).ready.catch((e) => e.name + ": " + e.message);</script><div id="chat"></div>`,
  });
  assert.equal(await page.evaluate(async () => {
    await globalThis.m.ready;
    return document.querySelector("#chat")?.shadowRoot?.querySelectorAll("textarea").length;
  }), 1);
  assert.match(await page.evaluate(() => globalThis.none), /TypeError: .*no element matches "#none"/);
  await page.done();
});

test(
  "an element with data-agui is mounted when it is added, unmounted when it is removed, and left alone when it moves",
  async () => {
  const page = await world.page({
    html: `${head}<script src="/agui.js"></script><div id="a"></div><div id="b"></div>`,
  });
  assert.deepEqual(await page.evaluate(async () => {
    const chats = (/** @type {any} */ host) => host.shadowRoot?.querySelectorAll("textarea").length ?? 0;
    const until = async (/** @type {() => boolean} */ f) => {
      for (let i = 0; i < 400 && !f(); i++) await new Promise((r) => setTimeout(r, 20));
    };
    await new Promise((resolve) => setTimeout(resolve, 0));
    const box = document.createElement("section");
    const host = document.createElement("div");
    host.setAttribute("data-agui", "/agent");
    box.append(host);
    document.querySelector("#a")?.append(box);
    await until(() => chats(host) > 0);
    const added = chats(host);
    const before = host.shadowRoot?.querySelector("textarea");
    document.querySelector("#b")?.append(box);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const moved = host.shadowRoot?.querySelector("textarea") === before;
    box.remove();
    await until(() => chats(host) === 0);
    const removed = chats(host);
    document.querySelector("#a")?.append(box);
    await until(() => chats(host) > 0);
    return { added, moved, removed, back: chats(host) };
  }), { added: 1, moved: true, removed: 0, back: 1 });
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("in Node.js mount says that it needs a page", async () => {
  const agui = await import(new URL("../../../../dist/agui.node.mjs", import.meta.url).href);
  assert.throws(() => agui.mount("#chat", { url: "http://localhost/" }), {
    name: "TypeError", message: /mount needs a page/,
  });
});
