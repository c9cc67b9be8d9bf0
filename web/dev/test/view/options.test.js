// What mount is given: the agent's options, what each run carries, and names that are none.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { OPTIONS } from "../../../js/view/known.js";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

test("each run of the chat carries its context and forwardedProps, as they are then", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(async () => {
    const { chat } = globalThis;
    globalThis.city = "Paris";
    chat.errors = [];
    globalThis.addEventListener("error", (e) => chat.errors.push(e.message));
    await chat.open({
      context: () => {
        if (globalThis.city === "none") throw new Error("no city");
        return [{ description: "city", value: globalThis.city }];
      },
      forwardedProps: { user: 7 }, messageActions: true, tools: [{
        name: "save", description: "", needsApproval: true, handler: () => "saved",
      }],
    });
  });
  const say = async (/** @type {string} */ words) => {
    await page.locator("#chat .input").fill(words);
    await page.keyboard.press("Enter");
  };
  const asked = (/** @type {number} */ n) => page.waitForFunction((/** @type {number} */ n) =>
    globalThis.chat.bodies.length === n && globalThis.chat.controller, n);
  const end = (/** @type {any[]} */ ...events) => page.evaluate(async (/** @type {any[]} */ events) => {
    const { chat } = globalThis;
    chat.start();
    chat.feed(...events);
    chat.finish();
    chat.controller = null;
    await chat.frames(4);
  }, events);
  await page.locator("#chat .input").focus();
  await say("one");
  await asked(1);
  await end({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, {
    type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "A",
  },
    { type: "TEXT_MESSAGE_END", messageId: "a" });
  await page.evaluate(() => { globalThis.city = "Rome"; });
  await page.locator("#chat [data-do=again]").click();
  await asked(2);
  await end({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "save" }, {
    type: "TOOL_CALL_END", toolCallId: "c",
  });
  await page.evaluate(() => { globalThis.city = "Oslo"; });
  await page.locator("#chat [data-do=allow]").click();
  await asked(3);
  await end();
  await page.evaluate(() => { globalThis.city = "none"; });
  await say("two");
  await asked(4);
  const bodies = await page.evaluate(() => globalThis.chat.bodies);
  assert.deepEqual(bodies.map(({ context }) => context.map(({ value }) => value)), [["Paris"], ["Rome"], ["Oslo"], []]);
  assert.deepEqual(bodies.map(({ forwardedProps }) => forwardedProps), Array(4).fill({ user: 7 }));
  assert.match(String(await page.evaluate(() => globalThis.chat.errors)), /no city/);
  assert.equal(bodies[3].messages.at(-1).content, "two");
  await page.done();
});

test("an option or a label of no such name is a TypeError that names the nearest", async () => {
  const page = await chatPage(world, { options: null });
  const told = await page.evaluate(async () => {
    const told = [];
    for (const options of [{ rendrers: {} }, { forwardProps: {} }, { onclick: 1 }, { labels: { sent: "Go" } },
      { labels: { Send: "Go" } }, { labels: { constructor: "x" } },
      { labels: { send: "Go" }, lang: undefined, agentId: null }]) {
      const { ready, unmount } = globalThis.agui.mount("#chat", { url: "/x", ...options });
      told.push(await ready.then(() => document.querySelector("#chat").shadowRoot.querySelector(".send").textContent,
        String));
      if (told.length === 1) told.push(document.querySelector("#chat").shadowRoot.textContent);
      unmount();
    }
    return told;
  });
  assert.deepEqual(told, [
    'TypeError: mount: there is no option "rendrers"; did you mean "renderers"?',
    'mount: there is no option "rendrers"; did you mean "renderers"?',
    'TypeError: mount: there is no option "forwardProps"; did you mean "forwardedProps"?',
    'TypeError: mount: there is no option "onclick"',
    'TypeError: mount: there is no label "sent"; did you mean "send"?',
    'TypeError: mount: there is no label "Send"; did you mean "send"?',
    'TypeError: mount: there is no label "constructor"', "Go",
  ]);
  await page.done();
});

test("mount knows every option that its types name", () => {
  const types = readFileSync(new URL("../../../js/agui.d.ts", import.meta.url), "utf8");
  const members = ["MountOptions", "AgentConfig", "HttpAgentConfig"].flatMap((name) => {
    const [, more, body] = new RegExp(`export interface ${name} ([^]*?)\\{\\n([^]*?)\\n\\}`).exec(types);
    return [...[...more.matchAll(/"(\w+)"/g)].map(([, each]) => each),
      ...[...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, each]) => each)];
  });
  assert.ok(members.length > 30);
  assert.deepEqual(OPTIONS.toSorted(), members.toSorted());
});
