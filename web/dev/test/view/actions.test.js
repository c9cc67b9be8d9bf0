// What a person can do with messages beside second thoughts: copy them, and say what they think of an answer.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

test("messages are copied as Markdown, and an answer gets a good or a bad", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(async () => {
    const { chat } = globalThis;
    Object.assign(globalThis, { copied: [], told: [] });
    const clipboard = { writeText: async (/** @type {string} */ words) => void globalThis.copied.push(words) };
    Object.defineProperty(navigator, "clipboard", { value: clipboard });
    const onFeedback = (/** @type {any} */ message, /** @type {any} */ value, /** @type {any} */ about) =>
      globalThis.told.push([message.id, value, about]);
    const initialMessages = [
      { id: "q", role: "user", content: [{ type: "text", text: "**why?**" }] },
      { id: "a", role: "assistant", content: "# One" },
      { id: "b", role: "assistant", content: "- two" },
    ];
    await chat.open({ messageActions: true, onFeedback, threadId: "t", initialMessages });
  });
  const row = (/** @type {string} */ role) => page.locator(`#chat .${role} .acts`);
  assert.equal((await row("user").allInnerTexts()).join().replace(/\s+/g, " ").trim(), "Copy Edit");
  assert.equal((await row("assistant").allInnerTexts()).join().replace(/\s+/g, " ").trim(), "Copy Regenerate Good Bad");
  await page.locator("#chat .user [data-do=copyMessage]").click();
  await page.locator("#chat .assistant [data-do=copyMessage]").click();
  await page.waitForFunction(() => globalThis.copied.length === 2);
  assert.deepEqual(await page.evaluate(() => globalThis.copied), ["**why?**", "# One\n\n- two"]);
  const pressed = () => page.evaluate(async () => {
    await globalThis.chat.frames();
    return [...globalThis.chat.root.querySelectorAll("[aria-pressed]")].map((el) => el.getAttribute("aria-pressed"));
  });
  const bad = page.locator("#chat [data-do=bad]");
  await bad.click();
  assert.deepEqual(await pressed(), ["false", "true"]);
  await bad.click();
  assert.deepEqual(await pressed(), ["false", "false"]);
  await page.locator("#chat .input").fill("more");
  await page.locator("#chat .input").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => globalThis.chat.controller);
  await page.evaluate(async () => {
    const { chat } = globalThis;
    chat.feed({ type: "RUN_STARTED", threadId: "t", runId: "r7" },
      { type: "TEXT_MESSAGE_START", messageId: "c", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "c", delta: "C" }, { type: "TEXT_MESSAGE_END", messageId: "c" },
      { type: "RUN_FINISHED", threadId: "t", runId: "r7" });
    chat.end();
    await chat.frames(4);
  });
  await page.locator("#chat .list > :last-child [data-do=good]").click();
  assert.deepEqual(JSON.parse(await page.evaluate(() => JSON.stringify(globalThis.told))),
    [["b", "bad", { threadId: "t" }], ["b", null, { threadId: "t" }], ["c", "good", { threadId: "t", runId: "r7" }]]);
  assert.deepEqual(page.uncaught, []);
  if (process.env.SHOTS) {
    for (const [width, scheme] of [[900, "light"], [340, "dark"]]) {
      await page.setViewportSize({ width, height: 640 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${process.env.SHOTS}/acts-${scheme}.png` });
    }
  }
  await page.done();
});

test("an answer is read aloud block by block until the button stops it, and the page has buttons of its own",
  async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(async () => {
    Object.assign(globalThis, { said: [], clicked: [] });
    const speechSynthesis = {
      speak: (/** @type {any} */ { text, lang }) => globalThis.said.push([text, lang]),
      cancel: () => globalThis.said.push("cancel"),
    };
    Object.defineProperty(globalThis, "speechSynthesis", { value: speechSynthesis });
    await globalThis.chat.open({
      lang: "de", labels: { readAloud: "Vorlesen" }, threadId: "t", messageActions: ["copy", "readAloud", {
        label: "Share \"it\"", role: "assistant",
        onClick: (/** @type {any} */ ...all) => globalThis.clicked.push(all),
      }], initialMessages: [
        { id: "q", role: "user", content: "q" }, { id: "a", role: "assistant", content: "**One**\n\n```js\nx\n```" },
        { id: "b", role: "assistant", content: "# 你好\n\n- two" },
      ],
    });
  });
  const row = (/** @type {string} */ role) => page.locator(`#chat .${role} .acts`).last();
  assert.equal((await row("user").innerText()).replace(/\s+/g, " "), "Copy");
  assert.equal((await row("assistant").innerText()).replace(/\s+/g, " "), 'Copy Vorlesen Share "it"');
  await row("assistant").getByText("Vorlesen").focus();
  await page.keyboard.press("Enter");
  await row("assistant").getByText("Stop reading").click();
  await row("assistant").getByText("Vorlesen").waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.said),
    ["cancel", ["One", "de"], ["你好", "zh-CN"], ["two", "de"], "cancel"]);
  await row("assistant").getByText("Share").click();
  assert.deepEqual(await page.evaluate(() => globalThis.clicked.map(([{ id }, about]) => [id, about.threadId])),
    [["b", "t"]]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("there are those actions that the page names, and no others", async () => {
  const page = await chatPage(world, { options: null });
  const told = await page.evaluate(async () => {
    const initialMessages = [{ id: "q", role: "user", content: "q" }, { id: "a", role: "assistant", content: "a" }];
    const told = [];
    const all = [
      { messageActions: ["copy"] }, { messageActions: ["coppy"] }, { messageActions: [{ label: 5 }] },
      { onFeedback: 5 }, { messageActions: [] },
    ];
    for (const options of all) {
      const { ready, unmount } = globalThis.agui.mount("#chat", { url: "/x", initialMessages, ...options });
      told.push(await ready.then(() => [...document.querySelector("#chat").shadowRoot.querySelectorAll(".act")]
        .map((el) => el.textContent).join(), String));
      unmount();
    }
    return told;
  });
  assert.deepEqual(told, ["Copy,Copy", 'TypeError: mount: there is no action "coppy"; did you mean "copy"?',
    "TypeError: mount: an action needs a label and onClick",
    "TypeError: mount: onFeedback must be a function", ""]);
  await page.done();
});
