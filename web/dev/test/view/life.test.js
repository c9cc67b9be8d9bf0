// A chat outlives the Go program that draws it: when that dies, another one draws the same conversation.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "./chat.js";
import { faultServer, finished, sse, started, text } from "../harness/faults.js";
import { arming, limitMemory, provokeBuild } from "../harness/provoke.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  const wasm = limitMemory(provokeBuild(), 1024);
  [world, agent] = await Promise.all([start(), faultServer()]);
  world.site.override("/agui.wasm", (/** @type {any} */ _request, /** @type {any} */ response) => {
    response.writeHead(200, { "content-type": "application/wasm" });
    response.end(wasm);
  });
});
after(() => Promise.all([world?.stop(), agent?.close()]));

test("a program that dies is replaced, and the chats are drawn anew", { timeout: 120000 }, async () => {
  const page = await world.page({
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><script>${arming}</script><script src="/agui.js"></script><div id="one"></div><div id="two"></div>`,
  });
  const fine = agent.reply({ body: sse(started, ...text("m", "It **works**."), finished) });
  const failing = agent.reply({ body: [sse(started, ...text("x", "lost")), sse(finished)], delay: 50 });
  const got = await page.evaluate(async ([fine, failing]) => {
    const renderers = { tools: { chart: (/** @type {HTMLElement} */ box) => { box.textContent = "chart"; } } };
    const one = agui.mount("#one", {
      url: fine, renderers, messageActions: ["edit"], initialMessages: [{
        id: "c", role: "assistant", content: "", toolCalls: [{
          id: "t", type: "function", function: { name: "chart", arguments: "{}" },
        }],
      }],
    });
    const two = agui.mount("#two", { url: fine });
    await Promise.all([one.ready, two.ready]);
    await one.agent.send("ho", { runId: "r-1" });
    const said = () => one.agent.messages.find(({ role }) => role === "user");
    await one.agent.edit(said().id, "hi", { runId: "r-2" });
    const versions = () => one.agent.versions(said().id)
      .map(({ shown, messages }) => `${shown} ${messages.map(({ content }) => content)}`);
    const kept = versions();
    const root = document.querySelector("#one").shadowRoot;
    const seen = () => [...root.querySelectorAll(".msg")].map((el) => el.textContent);
    await T.until(() => String(seen()) === ",hiEdit‹2 / 2›,It works.");
    two.unmount();
    const before = seen();
    globalThis.arm = 2;
    const old = root.querySelector(".log");
    const failed = await T.run({}, { url: failing });
    await T.until(() => root.querySelector(".log") !== old && seen().length === 3);
    const again = versions();
    await one.agent.versions(said().id)[0].show();
    const shown = [versions(), said().content];
    const drawings = document.querySelectorAll("#one > [slot]").length;
    // It is alive: it sends and shows.
    const input = root.querySelector(".input");
    input.value = "again";
    input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", {
      key: "Enter", bubbles: true, composed: true, cancelable: true,
    }));
    await T.until(() => root.querySelectorAll(".user").length === 2);
    return {
      failed: failed.outcome, kept, again, shown, before, after: seen().slice(0, 3), drawings,
      two: document.querySelector("#two").shadowRoot.childElementCount,
    };
  }, [fine, failing]);
  assert.equal(got.failed, "internal");
  assert.deepEqual(got.kept, ["false ho,It **works**.", "true hi,It **works**."]);
  assert.deepEqual(got.again, got.kept, "the program's death takes no version along");
  assert.deepEqual(got.shown, [["true ho,It **works**.", "false hi,It **works**."], "ho"]);
  assert.equal(agent.seen(fine).at(-1).json.parentRunId, "r-1", "what goes on from a version goes on from its last run");
  assert.deepEqual(got.before, ["", "hiEdit‹2 / 2›", "It works."]);
  assert.deepEqual(got.after, ["", "hoEdit‹1 / 2›", "It works."]);
  assert.equal(got.drawings, 1);
  assert.equal(got.two, 0, "a chat that was taken away stays away");
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("where the runtime cannot be loaded, the chat says so", { timeout: 60000 }, async () => {
  world.site.override("/gone.wasm", (/** @type {any} */ _request, /** @type {any} */ response) => {
    response.writeHead(404);
    response.end();
  });
  const page = await world.page({
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/agui.js" data-wasm="/gone.wasm"></script><div id="chat" data-agui="/x"></div>`,
  });
  const alert = page.locator("#chat [role=alert]");
  await alert.waitFor();
  assert.match(await alert.innerText(), /404/);
  assert.equal(page.uncaught.length, 1, "reported once");
  await page.done();
});
