// Everyone can use it: what axe-core finds, the keyboard alone, what a screen reader hears.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { engine, not } from "../harness/browser.js";
import { chatPage, start } from "./chat.js";

const MEDIA = "its driver has no command for a color scheme or for reduced motion";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

/** Brings the chat into a state in which everything is shown at once. */
const fill = (page) => page.evaluate(async () => {
  const sent = chat.agent.send([{ type: "text", text: "hi" }, {
    type: "image", source: {
      type: "data",
      value: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      mimeType: "image/png",
    },
  }]);
  while (chat.controller === null) await new Promise((r) => setTimeout(r, 5));
  chat.start();
  chat.feed({ type: "SUBAGENT_STARTED", subagentRunId: "s", name: "helper" }, {
    type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", subagentRunId: "s",
  },
    {
      type: "TEXT_MESSAGE_CONTENT", messageId: "m", subagentRunId: "s",
      delta: "# One\n\n### Three\n\ntext [link](https://a.example) `code` ~~x~~ [dead](javascript:x)\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a;\n```\n\n> quote\n\n![cat](/cat.png)\n",
    },
    { type: "TEXT_MESSAGE_END", messageId: "m", subagentRunId: "s" },
    { type: "REASONING_START", messageId: "r" }, { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "hm" },
    ...["c", "d", "e"].flatMap((id) =>
      [{ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "tool", parentMessageId: "n" },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: '{"a":[{"x":1,"y":2},{"x":3,"y":4}]}' },
      { type: "TOOL_CALL_END", toolCallId: id }]),
    { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "ok" },
    {
      type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "search",
      content: { query: "x", empty: null, list: [1, "two"] },
    });
  await new Promise((r) => setTimeout(r, 50));
  await chat.frames(3);
  return Promise.resolve(sent).then(() => {}, () => {}) && undefined;
});

const ask = (page) => page.evaluate(async () => {
  chat.finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message: "Go?" },
    { id: "j", reason: "tool_call", toolCallId: "d" },
    { id: "k", reason: "input_required", message: "Who?",
      responseSchema: { type: "object", required: ["name"],
        properties: { name: { type: "string", description: "full" }, age: { type: "integer" }, color: { enum: ["red"] },
          ok: { type: "boolean" }, more: { type: "array" } } } }] } });
  await new Promise((r) => setTimeout(r, 80));
  await chat.frames(3);
});

for (const how of [{ scheme: "light" }, { scheme: "dark" }, { width: 320, height: 600 }, { lang: "zh-CN" },
  { lang: "ar", dir: "rtl" }]) {
  const skip = how.scheme === "dark" ? not(MEDIA, "firefox", "webkit") : how.width
    ? not("MiniBrowser's window is at least 447 px wide", "webkit") : false;
  test(`axe finds nothing serious: ${JSON.stringify(how)}`, { timeout: 120000, skip }, async () => {
    const page = await chatPage(world, { ...how, policy: false });
    await page.evaluate(axe);
    const judge = async (state) => {
      const found = await page.evaluate(async () => {
        for (const details of chat.root.querySelectorAll("details")) details.open = true;
        const { violations } = await globalThis.axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        });
        return violations.filter((v) => v.impact === "serious" || v.impact === "critical")
          .map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`);
      });
      assert.deepEqual(found, [], state);
    };
    await judge("empty");
    await fill(page);
    await judge("at work");
    await ask(page);
    await page.evaluate(async () => {
      [...chat.root.querySelectorAll("button")].find((b) => b.dataset.do === "submit").click();
      await chat.frames(3);
    });
    await judge("asked");
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth > innerWidth,
      chat.root.querySelector(".log").scrollWidth > chat.root.querySelector(".log").clientWidth]);
    assert.deepEqual(wide, [false, false], "nothing is wider than the page");
    await page.done();
  });
}

test("keyboard alone: write, read, stop, open a tool call, answer, copy", { timeout: 120000 }, async () => {
  const page = await chatPage(world);
  const focused = () => page.evaluate(() => {
    const el = chat.root.activeElement;
    return el && `${el.tagName.toLowerCase()}.${el.className.split(" ")[0]}`;
  });
  /** Tabs until the focus is on that element; fails after a round. */
  const tabTo = async (selector, key = "Tab") => {
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press(key);
      if (await page.evaluate((s) => Boolean(chat.root.activeElement?.matches(s)), selector)) {
        const seen = await page.evaluate(() => {
          const style = getComputedStyle(chat.root.activeElement.closest(".box") ?? chat.root.activeElement);
          return style.outlineStyle !== "none" || style.boxShadow !== "none";
        });
        assert.ok(seen, `the focus on ${selector} cannot be seen`);
        return;
      }
    }
    assert.fail(`Tab never comes to ${selector}; it is on ${await focused()}`);
  };
  await tabTo(".input");
  await page.keyboard.type("hello");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => chat.controller !== null);
  await page.evaluate(async () => {
    chat.start();
    chat.feed({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }, {
      type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: `${"line\n\n".repeat(40)}\`\`\`\nx\n\`\`\`\n`,
    });
    await new Promise((r) => setTimeout(r, 50));
    await chat.frames(3);
  });
  await tabTo(".stop");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !chat.root.querySelector(".stop"));
  assert.equal(await focused(), "textarea.input");
  await page.keyboard.type("again");
  await page.evaluate(() => { chat.controller = null; });
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => chat.controller !== null);
  await page.evaluate(async () => {
    chat.start();
    chat.feed({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "tool", parentMessageId: "n" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"a":1}' }, { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "ok" });
    chat.finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message: "Go?" }] } });
    chat.controller = null;
    await new Promise((r) => setTimeout(r, 80));
    await chat.frames(3);
  });
  assert.equal(await focused(), "form.card");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => chat.root.activeElement.textContent), "No");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => chat.bodies.length === 3);
  assert.deepEqual(await page.evaluate(() => chat.bodies[2].resume), [{ interruptId: "i", status: "cancelled" }]);
  await page.waitForFunction(() => chat.controller !== null);
  await page.evaluate(async () => {
    chat.start();
    chat.finish();
    await new Promise((r) => setTimeout(r, 80));
    await chat.frames(3);
  });
  assert.equal(await focused(), "textarea.input");
  await tabTo(".tool-head", "Shift+Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#chat .tool[open]").count(), 1);
  await tabTo(".copy", "Shift+Tab");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => chat.root.querySelector(".copy").textContent === "Copied");
  await tabTo(".log", "Shift+Tab");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => chat.root.querySelector(".log").scrollTop === 0);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a screen reader hears finished sentences, once, and nothing of the history", { timeout: 60000 }, async () => {
  const page = await chatPage(world, {
    options: { initialMessages: [{ id: "1", role: "assistant", content: "Old words." }] },
  });
  const spoken = () => page.evaluate(() => [...chat.root.querySelector(".live").children].map((p) => p.textContent));
  const feed = (...events) => page.evaluate(async (list) => {
    chat.feed(...list);
    await new Promise((r) => setTimeout(r, 40));
    await chat.frames(3);
  }, events);
  const delta = (text) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: text });
  await page.evaluate(async () => {
    void chat.agent.send("hi");
    while (chat.controller === null) await new Promise((r) => setTimeout(r, 5));
    chat.start();
  });
  await feed({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }, delta("Hello **you"));
  assert.deepEqual(await spoken(), []);
  await feed(delta("**. And"));
  assert.deepEqual(await spoken(), ["Hello you."]);
  await feed(delta(" more"), { type: "TEXT_MESSAGE_END", messageId: "m" });
  assert.deepEqual(await spoken(), ["Hello you.", "And more"]);
  assert.deepEqual(await page.evaluate(() => [chat.root.querySelector(".live").getAttribute("aria-live"),
    chat.root.querySelector(".log").getAttribute("aria-live")]), ["polite", "off"]);
  await page.evaluate(() => chat.finish());
  await page.done();
});

test("nothing moves where people do not want it", { timeout: 60000, skip: not(MEDIA, "firefox", "webkit") },
  async () => {
  for (const [reducedMotion, want] of /** @type {const} */ ([["reduce", "none"], [undefined, "pulse"]])) {
    const page = await chatPage(world, { reducedMotion });
    await page.evaluate(async () => {
      void chat.agent.send("hi");
      await new Promise((r) => setTimeout(r, 50));
      await chat.frames(3);
    });
    assert.equal(await page.locator("#chat .status .dots i").first()
      .evaluate((el) => getComputedStyle(el).animationName), want);
    await page.done();
  }
});

test("the theme follows the system or the attribute", { timeout: 60000 }, async () => {
  const shade = (page) => page.evaluate(() => getComputedStyle(document.querySelector("#chat")).backgroundColor);
  for (const [scheme, theme, want] of /** @type {const} */ (
    [["light", undefined, "rgb(255, 255, 255)"], ["dark", undefined, "rgb(20, 23, 27)"],
      ["light", "dark", "rgb(20, 23, 27)"], ["dark", "light", "rgb(255, 255, 255)"],
      ["dark", "auto", "rgb(20, 23, 27)"]])) {
    if (scheme === "dark" && engine !== "chromium") continue; // MEDIA
    const page = await chatPage(world, { scheme, options: theme ? { theme } : {} });
    assert.equal(await shade(page), want, `${scheme} ${theme}`);
    await page.done();
  }
});
