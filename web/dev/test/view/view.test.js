// The chat in a real browser: what it shows of each part of the protocol, and what people do with it.
import test, { after, before, describe } from "node:test";
import assert from "node:assert/strict";
import { engine } from "../harness/browser.js";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

/**
 * @param {string} name
 * @param {(page: any) => Promise<void>} body
 * @param {Parameters<typeof chatPage>[1] & {errors?: RegExp}} [how] errors: what the page reports
 */
function chats(name, body, how = {}) {
  test(name, { timeout: 60000 }, async () => {
    const page = await chatPage(world, how);
    await body(page);
    const errors = page.uncaught.filter((/** @type {string} */ each) => !how.errors?.test(each));
    assert.deepEqual(errors, []);
    assert.deepEqual(await page.evaluate(() => chat.violations), []);
    await page.done();
  });
}

const say = async (page, words) => {
  await page.locator("#chat .input").fill(words);
  await page.locator("#chat .input").press("Enter");
  await page.waitForFunction(() => chat.controller !== null);
  await page.evaluate(() => chat.start());
};
const feed = (page, ...events) => page.evaluate(async (list) => {
  chat.feed(...list);
  await new Promise((r) => setTimeout(r, 30));
  await chat.frames(3);
}, events);
const finish = (page, more) => page.evaluate(async (m) => {
  chat.finish(m);
  chat.controller = null;
  await new Promise((r) => setTimeout(r, 60));
  await chat.frames(3);
}, more);
/** Without the empty lines around and between blocks: how many there are differs from engine to engine. */
const text = async (page, selector) => (await page.locator(`#chat ${selector}`).allInnerTexts())
  .map((/** @type {string} */ s) => s.replace(/\n+/g, "\n").trim());
const open = (id) => ({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
const content = (id, delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta });
const close = (id) => ({ type: "TEXT_MESSAGE_END", messageId: id });

describe("the conversation", () => {
  chats("text streams as Markdown, and finished blocks stay untouched", async (page) => {
    await say(page, "hi");
    await feed(page, open("m"), content("m", "# Title\n\nfirst **bold"));
    assert.deepEqual(await text(page, ".assistant strong"), ["bold"]);
    await page.evaluate(() => {
      chat.first = chat.root.querySelector(".assistant h3");
      chat.touched = 0;
      new MutationObserver((list) => { chat.touched += list.length; }).observe(chat.root.querySelector(".user"),
        { subtree: true, childList: true, attributes: true, characterData: true });
      new MutationObserver((list) => { chat.touched += list.length; })
        .observe(chat.first, { subtree: true, childList: true, attributes: true, characterData: true });
    });
    await feed(page,
      content("m",
        "** text\n\n- one\n- [x] two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nx < y\n```\n\n> quote\n\n[ok](https://example.com/) ~~no~~ `code`\n\n---\n"));
    assert.equal(await page.evaluate(() => chat.first === chat.root.querySelector(".assistant h3")), true);
    assert.equal(await page.evaluate(() => chat.touched), 0);
    for (const [selector, want] of [["h3", ["Title"]], ["li", ["one", "two"]], ["th", ["a", "b"]], ["td", ["1", "2"]],
      ["pre code", ["x < y\n"]], ["blockquote", ["quote"]], ["del", ["no"]], ["hr", [""]]]) {
      assert.deepEqual((await text(page, `.assistant ${selector}`)).map((s) => s.trim()), want.map((s) => s.trim()),
        selector);
    }
    const link = page.locator("#chat .assistant a");
    assert.deepEqual([await link.getAttribute("href"), await link.getAttribute("rel"),
      await link.getAttribute("target")], ["https://example.com/", "noopener noreferrer nofollow", "_blank"]);
    await feed(page, close("m"));
    await finish(page);
    assert.deepEqual(await text(page, ".user"), ["hi"]);
    assert.deepEqual(await page.evaluate(() => chat.bodies[0].messages.map((m) => m.content)), ["hi"]);
  });

  chats("code is copied", async (page) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await say(page, "hi");
    await feed(page, open("m"), content("m", "```js\nlet a = '<b>';\n```\n"), close("m"));
    await page.locator("#chat .copy").click();
    await page.waitForFunction(() => chat.root.querySelector(".copy").textContent === "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "let a = '<b>';\n");
    await finish(page);
  });

  chats("a surrogate pair that two deltas split is one character, in every grouping, shown and spoken",
    async (page) => {
    await say(page, "hi");
    // The page makes the events itself: half a pair would not survive the way through the debugger.
    const found = await page.evaluate(async () => {
      const HIGH = "\ud83d";
      const LOW = "\ude80";
      const encoder = new TextEncoder();
      const seen = new Set(); // what is half or broken in anything that was ever shown
      const look = () => chat.root.textContent.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")
        .match(/[\ud800-\udfff\ufffd]/g)?.forEach((c) => seen.add(escape(c)));
      new MutationObserver(look).observe(chat.root, { subtree: true, childList: true, characterData: true });
      const send = async (bytes) => {
        chat.controller.enqueue(bytes);
        await new Promise((r) => setTimeout(r));
        await chat.frames(1);
      };
      const kinds = {
        text: (id) => [{ type: "TEXT_MESSAGE_START", messageId: id },
          (delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta }),
          { type: "TEXT_MESSAGE_END", messageId: id }],
        chunk: (id) => [{ type: "TEXT_MESSAGE_CHUNK", messageId: id },
          (delta) => ({ type: "TEXT_MESSAGE_CHUNK", delta }), { type: "CUSTOM", name: "end", value: 0 }],
        thought: (id) => [{ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
          (delta) => ({ type: "REASONING_MESSAGE_CONTENT", messageId: id, delta }),
          { type: "REASONING_MESSAGE_END", messageId: id }],
        call: (id) => [{ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "f" },
          (delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: id, delta }), { type: "TOOL_CALL_END", toolCallId: id }],
      };
      const groupings = {
        together: (events) => [events.join("")],
        apart: (events) => events,
        "cut inside": (events) => events.join("").match(/[^]{1,61}/g),
      };
      for (const [kind, make] of Object.entries(kinds)) {
        for (const [grouping, group] of Object.entries(groupings)) {
          const [open, delta, close] = make(`${kind} ${grouping}`);
          const quote = kind === "call" ? '"' : "";
          const deltas = [`${quote}${kind} ${grouping} ${HIGH}`, `${LOW} and ${HIGH}`, "", `${LOW}${HIGH}`,
            `${LOW}.${quote}`];
          const lines = [open, ...deltas.map(delta), close].map((event) => `data: ${JSON.stringify(event)}\n\n`);
          for (const part of group(lines)) await send(encoder.encode(part));
        }
      }
      const texts = (selector) => [...chat.root.querySelectorAll(selector)].map((el) => el.textContent.trim());
      return {
        seen: [...seen], answers: texts(".assistant > p, .assistant > div > p"), thoughts: texts(".reason-body p"),
        calls: texts(".tool-body"), spoken: texts(".live > *"),
        held: chat.agent.messages.filter((m) => m.role !== "user")
          .map((m) => m.toolCalls?.[0].function.arguments ?? m.content),
      };
    });
    const told = (/** @type {string} */ kind) =>
      ["together", "apart", "cut inside"].map((grouping) => `${kind} ${grouping} 🚀 and 🚀🚀.`);
    assert.deepEqual(found.seen, [], "what was shown in between");
    assert.deepEqual(found.held, [...told("text"), ...told("chunk"), ...told("thought"),
      ...told("call").map((s) => `"${s}"`)]);
    assert.deepEqual(found.answers, [...told("text"), ...told("chunk")]);
    assert.deepEqual(found.thoughts, told("thought"));
    assert.deepEqual(found.calls.map((/** @type {string} */ s) => s.replace(/^Arguments/, "")), told("call"));
    assert.deepEqual(found.spoken.filter((/** @type {string} */ s) => s.includes("🚀")),
      [...told("text"), ...told("chunk")]);
    await finish(page);
  });

  chats("reasoning is open while it streams and closed when done", async (page) => {
    await say(page, "hi");
    await feed(page, { type: "REASONING_START", messageId: "r" }, { type: "REASONING_MESSAGE_START", messageId: "r",
      role: "reasoning" }, { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "Let me *think*" });
    assert.equal(await page.locator("#chat .reason details[open]").count(), 1);
    assert.deepEqual(await text(page, ".reason em"), ["think"]);
    await feed(page, { type: "REASONING_MESSAGE_END", messageId: "r" }, { type: "REASONING_END", messageId: "r" });
    assert.equal(await page.locator("#chat .reason details[open]").count(), 0);
    await page.locator("#chat .reason summary").click();
    await feed(page, open("m"), content("m", "So."), close("m"));
    assert.equal(await page.locator("#chat .reason details[open]").count(), 1, "what the reader opened stays open");
    await finish(page);
  });

  chats("a tool call shows its name, its arguments as they come, its result", async (page) => {
    await say(page, "hi");
    await feed(page, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "get_weather", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"city":"Ro' });
    assert.deepEqual(await text(page, ".tool pre"), ['{"city":"Ro']);
    assert.match((await text(page, ".tool summary"))[0], /get_weather[^]*Preparing/);
    await feed(page, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: 'me"}' }, {
      type: "TOOL_CALL_END", toolCallId: "c",
    });
    assert.match((await text(page, ".tool"))[0], /Running[^]*City\s+Rome/);
    await feed(page, { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: '{"degrees":21}' });
    assert.match((await text(page, ".tool summary"))[0], /Done/);
    assert.equal(await page.locator("#chat .tool[open]").count(), 0);
    await page.locator("#chat .tool summary").click();
    assert.match((await text(page, ".tool"))[0], /Degrees\s+21/);
    await finish(page);
    assert.equal(await page.locator("#chat .msg").count(), 2, "the result stands with its call");
  });

  chats("steps, then an error in words, and Retry", async (page) => {
    await say(page, "hi");
    assert.match((await text(page, ".status"))[0], /Working/);
    await feed(page, { type: "STEP_STARTED", stepName: "search_web" });
    assert.match((await text(page, ".status"))[0], /Search web/);
    await page.evaluate(async () => {
      chat.feed({ type: "RUN_ERROR", message: "No model", code: "x" });
      chat.end();
      chat.controller = null;
      await new Promise((r) => setTimeout(r, 80));
    });
    assert.match((await text(page, ".error"))[0], /The agent reports an error\.\s+No model\s+Retry/);
    assert.equal(await page.locator("#chat .status").count(), 0);
    await page.locator("#chat .retry").click();
    await page.waitForFunction(() => chat.bodies.length === 2 && chat.controller !== null);
    await page.evaluate(() => chat.start());
    await page.waitForFunction(() => !chat.root.querySelector(".error"));
    await finish(page);
    assert.deepEqual(await page.evaluate(() => chat.bodies[1].messages.map((m) => m.content)), ["hi"],
      "nothing is said twice");
  });

  chats("the server's own words about what went wrong", async (page) => {
    const shown = async (/** @type {string} */ body, /** @type {object} */ init) => {
      await page.evaluate(async ([body, init]) => {
        chat.reply = async () => new Response(body, init);
        await chat.open({ agent: new agui.HttpAgent({ fetch: chat.fetch, url: "/agent" }) });
      }, [body, init]);
      await page.locator("#chat .input").fill("hi");
      await page.locator("#chat .input").press("Enter");
      await page.locator("#chat .error").waitFor();
      return (await text(page, ".error"))[0];
    };
    const stream = { headers: { "content-type": "text/event-stream" } };
    const begun = 'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n';
    assert.match(await shown('data: {"type":"error","errorText":"not allowed here"}\n\ndata: {"type":"done"}\n\n',
      stream), /not allowed here/);
    assert.match(await shown(`${begun}event: error\ndata: {"type":"error","errorText":"the quota is used up"}\n\n`,
      stream), /the quota is used up/);
    assert.match(await shown('{"detail":"the thread is busy"}',
      { status: 409, headers: { "content-type": "application/json" } }), /the thread is busy/);
    assert.match(await shown("no such agent\nat line 5", { status: 404 }), /no such agent/);
  });

  chats("keepRaw: false of mount leaves RAW and rawEvent out", async (page) => {
    await page.evaluate(() => chat.open({ keepRaw: false, url: "/agent", fetch: chat.fetch }));
    await page.evaluate(() => {
      chat.seen = [];
      chat.agent.watch((event) => void chat.seen.push(event));
    });
    await say(page, "hi");
    await feed(page, { type: "RAW", event: { a: 1 } }, { ...open("m"), rawEvent: { b: 1 } }, content("m", "word"),
      close("m"));
    await finish(page);
    assert.deepEqual(await page.evaluate(() => chat.seen.map((e) => [e.type, "rawEvent" in e])),
      ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
        "RUN_FINISHED"].map((type) => [type, false]));
    assert.deepEqual(await text(page, ".assistant"), ["word"]);
  });

  chats("an agent that cannot be reached", async (page) => {
    await page.evaluate(async () => {
      chat.reply = async () => { throw new TypeError("no route"); };
      // an agent that outlives its view
      await chat.open({ agent: new agui.HttpAgent({ fetch: chat.fetch, url: "/agent" }) });
    });
    await page.locator("#chat .input").fill("hi");
    await page.locator("#chat .input").press("Enter");
    await page.locator("#chat .error").waitFor();
    assert.match((await text(page, ".error"))[0], /The connection to the agent failed/);
    await page.evaluate(async () => { // another view of the same agent shows it too, and can go on
      chat.reply = null;
      await chat.open({ agent: chat.agent, lang: "zh-CN" });
    });
    assert.match((await text(page, ".error"))[0], /与智能体的连接失败/);
    await page.locator("#chat .retry").click();
    await page.waitForFunction(() => chat.controller !== null);
    await page.evaluate(() => chat.start());
    await finish(page);
    assert.equal(await page.locator("#chat .error").count(), 0);
    assert.equal(await page.locator("#chat .user").count(), 1);
  });

  chats("Stop ends the run and keeps what came", async (page) => {
    await say(page, "hi");
    await feed(page, open("m"), content("m", "half a sent"));
    await page.locator("#chat .stop").click();
    await page.waitForFunction(() => !chat.root.querySelector(".stop"));
    await page.waitForFunction(() => chat.root.querySelector(".half"));
    assert.deepEqual(await text(page, ".assistant"), ["half a sent\nStopped"]);
    assert.equal(await page.locator("#chat .error").count(), 0);
    assert.equal(await page.evaluate(() => chat.agent.isRunning), false);
  });

  chats("activities are readable, whatever they hold, and change in place", async (page) => {
    await say(page, "hi");
    await feed(page, {
      type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "flight_search",
      content: { from: "LIS", found: [{ no: 1, price: 80 }, { no: 2, price: 95 }], done: false, note: null },
    });
    assert.match((await text(page, ".activity"))[0],
      /Flight search[^]*From\s+LIS[^]*No\s+Price\s+1\s+80\s+2\s+95[^]*Done\s+no[^]*Note\s+none/);
    await page.evaluate(() => { chat.cell = chat.root.querySelector(".activity td"); });
    await feed(page, {
      type: "ACTIVITY_DELTA", messageId: "a", activityType: "flight_search",
      patch: [{ op: "replace", path: "/found/1/price", value: 70 }],
    });
    assert.match((await text(page, ".activity"))[0], /2\s+70/);
    assert.equal(await page.evaluate(() => chat.cell === chat.root.querySelector(".activity td")), true);
    await finish(page);
  });

  chats("subagents are grouped under who ran them", async (page) => {
    await say(page, "hi");
    const sub = { subagentRunId: "A" };
    await feed(page, { type: "SUBAGENT_STARTED", ...sub, name: "researcher", description: "reads" },
      { type: "SUBAGENT_STARTED", subagentRunId: "B", name: "checker", parentSubagentRunId: "A" },
      { ...open("1"), ...sub }, { ...content("1", "one"), ...sub }, { ...open("2"), subagentRunId: "B" },
      { ...content("2", "two"), subagentRunId: "B" }, { ...content("1", " more"), ...sub }, { ...close("1"), ...sub },
      { ...close("2"), subagentRunId: "B" });
    assert.deepEqual(await page.evaluate(() =>
      [...chat.root.querySelectorAll(".group")].map((g) => [g.getAttribute("aria-label"),
      g.parentElement.closest(".group")?.getAttribute("aria-label"), g.querySelector(".state").textContent])),
      [["researcher", undefined, "Running"], ["checker", "researcher", "Running"]]);
    assert.deepEqual(await text(page, ".group .group .assistant"), ["two"]);
    await feed(page, { type: "SUBAGENT_ERROR", subagentRunId: "B", message: "no book" }, {
      type: "SUBAGENT_FINISHED", ...sub,
    });
    assert.match((await text(page, ".group .group"))[0], /Failed[^]*no book/);
    await finish(page);
  });

  chats("a conversation that was there is shown, and a snapshot replaces it", async (page) => {
    assert.deepEqual(await text(page, ".msg"), ["old question", "old answer"]);
    await say(page, "hi");
    await feed(page, {
      type: "MESSAGES_SNAPSHOT", messages: [{ id: "2", role: "assistant", content: "new answer" },
        { id: "1", role: "user", content: "old question" }],
    });
    assert.deepEqual(await text(page, ".msg"), ["new answer", "old question"]);
    await finish(page);
  }, {
    options: {
      initialMessages: [{ id: "s", role: "system", content: "secret" },
        { id: "1", role: "user", content: "old question" }, { id: "2", role: "assistant", content: "old answer" }],
    },
  });

  chats("a long history is whole, and so is what changes far up in it", async (page) => {
    await page.waitForFunction(() => chat.root.querySelectorAll(".msg").length === 120);
    assert.deepEqual(await page.evaluate(() => [...chat.root.querySelectorAll(".msg")].map((el) => el.textContent)),
      Array.from({ length: 120 }, (_, i) => (i === 3 ? "Load cat from cats.example" : `text ${i}`)));
    await say(page, "hi");
    await feed(page, { type: "ACTIVITY_SNAPSHOT", messageId: "x", activityType: "x", content: {} },
      { type: "TEXT_MESSAGE_START", messageId: "h0", role: "assistant" }, content("h0", "again"), close("h0"));
    // A new turn uses an old id for something else: a message of its own.
    assert.deepEqual(await page.evaluate(() => [...chat.root.querySelectorAll(".msg")].map((el) => el.textContent)
      .filter((text, i, all) => i === 0 || i === all.length - 1)), ["text 0", "again"]);
    await page.evaluate(() => chat.agent.setMessages(
      chat.agent.messages.map((m) => (m.id === "h0" ? { ...m, content: "far up" } : m))));
    await page.evaluate(() => chat.frames(3));
    assert.equal(await page.evaluate(() => chat.root.querySelector(".msg").textContent), "far up");
    await page.evaluate(() => chat.root.querySelectorAll(".load")[0].click());
    await page.evaluate(() => chat.frames(3));
    assert.equal(await page.evaluate(() => chat.root.querySelectorAll(".msg")[3].querySelectorAll("img").length), 1);
    await finish(page);
    await page.evaluate(() => { chat.violations.length = 0; }); // the policy keeps that address away
  }, {
    options: {
      initialMessages: Array.from({ length: 120 },
        (_, i) => ({
          id: `h${i}`, role: "assistant", content: i === 3 ? "![cat](https://cats.example/c.png)" : `text ${i}`,
        })),
    },
  });

  chats("media: data is shown, what is remote waits for a click", async (page) => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await say(page, "hi");
    await feed(page, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "draw", parentMessageId: "m" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c",
        content: [{ type: "image", source: { type: "data", value: pixel, mimeType: "image/png" },
          metadata: { filename: "dot" } }, { type: "image", source: { type: "url", value: "/test/remote.png" } },
        { type: "document", source: { type: "data", value: "aGk=", mimeType: "text/html" },
          metadata: { filename: "page.html" } }] },
      open("n"), content("n", "![a cat](/test/cat.png)"), close("n"));
    await finish(page);
    await page.waitForFunction(() => chat.root.querySelector("img")?.naturalWidth === 1);
    assert.equal(await page.locator("#chat img").getAttribute("alt"), "dot");
    assert.equal(world.site.requests.filter((r) => /remote\.png|cat\.png/.test(r.path)).length, 0);
    assert.deepEqual(await text(page, ".load"), ["Load Image", "Load a cat"]);
    await page.locator("#chat .tool summary").click();
    if (engine === "chromium") { // the others' drivers do not tell of downloads
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#chat .doc a").click()]);
      assert.equal(download.suggestedFilename(), "page.html");
    } else assert.deepEqual(await page.locator("#chat .doc a")
      .evaluate((/** @type {any} */ a) => [a.download, new URL(a.href).protocol]), ["page.html", "blob:"]);
    await page.getByRole("button", { name: "Load a cat" }).click();
    await page.waitForFunction(() => chat.root.querySelectorAll("img").length === 2);
    const cats = () => world.site.requests.filter((r) => /cat\.png/.test(r.path)).length;
    // the picture stands before its request has come
    for (let tries = 0; cats() === 0 && tries < 100; tries++) await page.waitForTimeout(50);
    assert.equal(cats(), 1);
    assert.equal(world.site.requests.filter((r) => /remote\.png/.test(r.path)).length, 0);
  });
});

describe("interrupts", () => {
  const interrupts = (...list) => ({ outcome: { type: "interrupt", interrupts: list } });
  const resumed = (page) => page.evaluate(() => chat.bodies.at(-1).resume);

  chats("confirmation: yes", async (page) => {
    await say(page, "hi");
    await finish(page, interrupts({ id: "i", reason: "confirmation", message: "Book it?" }));
    assert.deepEqual(await text(page, ".card"), ["Book it?\nYes\nNo\nDismiss"]);
    assert.equal(await page.locator("#chat .input").isDisabled(), true);
    assert.equal(await page.evaluate(() => chat.root.activeElement.className), "card", "to the card, not to its Yes");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => chat.controller !== null);
    await page.evaluate(() => chat.start());
    assert.deepEqual(await resumed(page), [{ interruptId: "i", status: "resolved", payload: { approved: true } }]);
    await finish(page);
    assert.equal(await page.locator("#chat .card").count(), 0);
    assert.equal(await page.locator("#chat .input").isDisabled(), false);
    assert.equal(await page.evaluate(() => chat.root.activeElement.className), "input");
  });

  chats("input_required: a form, checked", async (page) => {
    await say(page, "hi");
    await finish(page, interrupts({ id: "i", reason: "input_required", message: "Where?",
      responseSchema: { type: "object", required: ["street"], properties: {
      street: { type: "string", title: "Street", description: "and number" }, floor: { type: "integer", minimum: 0 },
      country: { enum: ["PT", "ES"] }, express: { type: "boolean" } } } }));
    await page.getByRole("button", { name: "Submit" }).click();
    assert.deepEqual(await text(page, ".problem"), ["This is needed."]);
    const street = page.getByRole("textbox", { name: "Street" });
    assert.deepEqual([await street.getAttribute("aria-invalid"), await street.getAttribute("aria-required")],
      ["true", "true"]);
    assert.equal(await street.evaluate((el) => el.getAttribute("aria-describedby").split(" ")
      .map((id) => el.getRootNode().getElementById(id).textContent).join(" ")), "and number This is needed.");
    assert.equal(await street.evaluate((el) => el === el.getRootNode().activeElement), true);
    await street.fill("Rua 1");
    await page.getByRole("textbox", { name: "Floor" }).fill("x");
    await street.press("Enter");
    assert.deepEqual(await text(page, ".problem"), ["This must be a number."]);
    assert.equal(await street.inputValue(), "Rua 1");
    await page.getByRole("textbox", { name: "Floor" }).fill("2");
    await page.getByRole("combobox", { name: "Country" }).selectOption({ label: "ES" });
    await page.getByRole("checkbox", { name: "Express" }).check();
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForFunction(() => chat.bodies.length === 2);
    assert.deepEqual(await resumed(page), [{
      interruptId: "i", status: "resolved", payload: { street: "Rua 1", floor: 2, country: "ES", express: true },
    }]);
    await page.evaluate(() => chat.start());
    await finish(page);
  });

  chats("of many questions the first is in sight, and the answer is followed again", async (page) => {
    await say(page, "hi");
    const list = Array.from({ length: 12 }, (_, i) => ({
      id: `i${i}`, reason: "confirmation", message: `Question ${i}?`,
    }));
    await finish(page, interrupts(...list));
    const places = () => page.evaluate(() => {
      const log = chat.root.querySelector(".log");
      const top = log.getBoundingClientRect().top;
      return {
        card: Math.round(chat.root.querySelector(".card").getBoundingClientRect().top - top),
        rest: Math.round(log.scrollHeight - log.clientHeight - log.scrollTop),
      };
    });
    const { card, rest } = await places();
    assert.ok(card >= 0 && card < 40 && rest > 100, `${card} ${rest}`);
    for (let left = 12; left > 0; left--) await page.getByRole("button", { name: "Yes" }).first().click();
    await page.waitForFunction(() => chat.controller !== null);
    await page.evaluate(() => chat.start());
    await feed(page, { type: "TEXT_MESSAGE_START", messageId: "long", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "long", delta: "line\n\n".repeat(100) },
      { type: "TEXT_MESSAGE_END", messageId: "long" });
    await finish(page);
    assert.ok((await places().catch(() => null)) === null, "no card is left");
    assert.equal(await page.evaluate(() => {
      const log = chat.root.querySelector(".log");
      return Math.round(log.scrollHeight - log.clientHeight - log.scrollTop);
    }), 0);
  });

  chats("tool_call: edited, then one rejected: sent together", async (page) => {
    await say(page, "hi");
    await feed(page, ...["c1", "c2"].flatMap((id) =>
      [{ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "rm", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: '{"path":"/a"}' }, { type: "TOOL_CALL_END", toolCallId: id }]));
    await finish(page, interrupts({ id: "i", reason: "tool_call", toolCallId: "c1" }, {
      id: "j", reason: "tool_call", toolCallId: "c2", message: "Sure?",
    }));
    assert.deepEqual(await text(page, ".tool .state"), ["Waiting for you", "Waiting for you"]);
    await page.getByRole("button", { name: "Edit" }).first().click();
    const area = page.getByRole("textbox", { name: "Arguments as JSON" });
    assert.equal(await area.inputValue(), '{\n  "path": "/a"\n}');
    await area.fill("{");
    await page.getByRole("button", { name: "Approve" }).first().click();
    assert.deepEqual(await text(page, ".card .problem"), ["This is not valid JSON."]);
    await area.fill('{"path":"/b"}');
    await page.getByRole("button", { name: "Approve" }).first().click();
    assert.match((await text(page, ".cards"))[0], /1 of 2 answered/);
    assert.equal(await page.evaluate(() => chat.bodies.length), 1, "not before all are answered");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.waitForFunction(() => chat.bodies.length === 2);
    assert.deepEqual(await resumed(page),
      [{ interruptId: "i", status: "resolved", payload: { approved: true, editedArgs: { path: "/b" } } },
        { interruptId: "j", status: "cancelled" }]);
    await page.evaluate(() => chat.start());
    await finish(page);
  });

  chats("one that has expired can only be dismissed", async (page) => {
    await say(page, "hi");
    await finish(page, interrupts({
      id: "i", reason: "confirmation", message: "Go?", expiresAt: "2020-01-01T00:00:00Z",
    }));
    assert.deepEqual(await text(page, ".card"), ["Go?\nThis question has expired.\nDismiss"]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.locator(".card").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => chat.bodies.length), 1, "the agent is told with the next words");
    await say(page, "well");
    await page.waitForFunction(() => chat.bodies.length === 2);
    assert.deepEqual(await resumed(page), [{ interruptId: "i", status: "cancelled" }]);
    await page.evaluate(() => chat.start());
    await finish(page);
  });
});

describe("mount", () => {
  chats("options of the wrong kind throw at the call, and the chat that is there stays", async (page) => {
    const told = await page.evaluate(() => [{ lang: 5 }, { lang: ["en"] }, { labels: "x" }, { theme: "x" },
      { maxFileBytes: "1" }, { renderers: { tools: { f: 5 } } }].map((options) => {
      try {
        agui.mount("#chat", { url: "/x", ...options });
        return "mounted";
      } catch (thrown) {
        return String(thrown);
      }
    }));
    assert.deepEqual(told, [
      "TypeError: mount: lang must be a string, not a number", "TypeError: mount: lang must be a string, not an array",
      "TypeError: mount: labels must be an object", 'TypeError: mount: theme must be "light", "dark" or "auto"',
      "TypeError: mount: maxFileBytes must be a number",
      'TypeError: mount: the renderer of "f" must be a function, not a number',
    ]);
    assert.equal(await page.locator("#chat .input").count(), 1);
  });
});

describe("the composer", () => {
  chats("Enter sends, Shift+Enter breaks, and the Enter of an input method does neither", async (page) => {
    const input = page.locator("#chat .input");
    await input.focus();
    await page.keyboard.type("ni hao");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("b");
    assert.equal(await input.inputValue(), "ni hao\nb");
    await input.evaluate((el) => {
      const enter = (more) => el.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true, cancelable: true, ...more }));
      enter({ isComposing: true });
      enter({ keyCode: 229 }); // Safari: the composition is over before the key is told
      el.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true, composed: true }));
      enter({});
      el.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, composed: true }));
      enter({ keyCode: 229, isComposing: false });
    });
    assert.equal(await page.evaluate(() => chat.bodies.length), 0);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => chat.bodies.length === 1);
    assert.equal(await page.evaluate(() => chat.bodies[0].messages[0].content), "ni hao\nb");
    assert.equal(await input.inputValue(), "");
    assert.equal(await page.evaluate(() => chat.root.activeElement.className), "input");
    await page.evaluate(() => chat.start());
    await page.keyboard.type("next");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(50);
    assert.equal(await page.evaluate(() => chat.bodies.length), 1, "not while the agent works");
    assert.equal(await input.inputValue(), "", "it waits for the end of the run");
    await finish(page);
    await page.waitForFunction(() => chat.bodies.length === 2 && chat.controller !== null);
    assert.equal(await page.evaluate(() => chat.bodies[1].messages.at(-1).content), "next");
    await page.evaluate(() => chat.start());
    await finish(page);
    assert.equal(await page.evaluate(() => chat.root.activeElement.className), "input");
  });

  chats("nothing is sent of nothing", async (page) => {
    assert.equal(await page.locator("#chat .send").isDisabled(), true);
    await page.locator("#chat .input").fill("  \n ");
    await page.locator("#chat .input").press("Enter");
    await page.waitForTimeout(50);
    assert.equal(await page.evaluate(() => chat.bodies.length), 0);
    await page.locator("#chat .input").fill("x");
    await page.waitForFunction(() => !chat.root.querySelector(".send").disabled);
  });

  chats("files: pasted, dropped, chosen, removed, too large", async (page) => {
    const input = page.locator("#chat .input");
    await input.focus();
    await input.evaluate((el) => {
      const data = (file) => {
        const transfer = new DataTransfer();
        transfer.items.add(file);
        return transfer;
      };
      const paste = new ClipboardEvent("paste", { bubbles: true, composed: true, cancelable: true });
      // Firefox makes one of its own, with nothing in it.
      Object.defineProperty(paste, "clipboardData", { value: data(new File(["png"], "a.png", { type: "image/png" })) });
      el.dispatchEvent(paste);
      const over = new DragEvent("dragover", {
        bubbles: true, composed: true, cancelable: true, dataTransfer: data(new File(["x"], "x")),
      });
      el.dispatchEvent(over);
      chat.over = over.defaultPrevented;
    });
    await page.locator("#chat .drop").waitFor();
    assert.equal(await page.evaluate(() => chat.over), true);
    await input.evaluate((el) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["hello"], "b.txt", { type: "text/plain" }));
      transfer.items.add(new File(["gone"], "c.txt", { type: "text/plain" }));
      transfer.items.add(new File(["x".repeat(2000)], "big.bin"));
      el.dispatchEvent(new DragEvent("drop", {
        bubbles: true, composed: true, cancelable: true, dataTransfer: transfer,
      }));
    });
    await page.getByRole("button", { name: "Remove c.txt" }).click();
    await page.locator("#chat .picker").setInputFiles({
      name: "d.mp3", mimeType: "audio/mpeg", buffer: Buffer.from("mp3"),
    });
    await page.waitForFunction(() => chat.root.querySelectorAll(".file").length === 3);
    assert.equal(await page.locator("#chat .drop").count(), 0);
    await input.press("Enter");
    await page.waitForFunction(() => chat.bodies.length === 1);
    const part = (type, name, mimeType, value) => ({
      type, source: { type: "data", value: Buffer.from(value).toString("base64"), mimeType },
      metadata: { filename: name },
    });
    assert.deepEqual(await page.evaluate(() => chat.bodies[0].messages[0].content),
      [part("image", "a.png", "image/png", "png"), part("document", "b.txt", "text/plain", "hello"),
        part("audio", "d.mp3", "audio/mpeg", "mp3")]);
    await page.evaluate(() => chat.start());
    await finish(page);
    assert.equal(await page.locator("#chat .file").count(), 0);
  }, { options: { maxFileBytes: 1000 } });

  chats("a file that is too large is told", async (page) => {
    await page.locator("#chat .picker").setInputFiles({ name: "big.bin", mimeType: "", buffer: Buffer.alloc(2000) });
    await page.locator("#chat .attachments .problem").waitFor();
    assert.deepEqual(await text(page, ".attachments .problem"), ["big.bin is too large."]);
  }, { options: { maxFileBytes: 1000 } });

  chats("the chat offers the files that the agent says it takes", async (page) => {
    const offered = (/** @type {any} */ input) => page.evaluate(async (input) => {
      class Own extends agui.HttpAgent {
        async getCapabilities() {
          if (input === "fails") throw new Error("404");
          return input === undefined ? {} : { multimodal: { input } };
        }
      }
      const chatAt = agui.mount("#chat", { agent: new Own({ url: "/agent" }) });
      await chatAt.ready;
      await chat.frames(4);
      const { shadowRoot } = document.querySelector("#chat");
      const picker = shadowRoot.querySelector(".picker");
      let problem;
      if (picker?.accept) {
        const files = new DataTransfer();
        files.items.add(new File(["x"], "a.txt", { type: "text/plain" }));
        picker.files = files.files;
        picker.dispatchEvent(new Event("change", { bubbles: true }));
        await chat.frames(4);
        problem = shadowRoot.querySelector(".attachments .problem")?.textContent;
      }
      const button = shadowRoot.querySelector("[data-do=attach]");
      chatAt.unmount();
      return [Boolean(button), picker?.accept, problem];
    }, input);
    for (const input of [undefined, "fails", { file: true, image: false }]) {
      assert.deepEqual(await offered(input), [true, "", undefined]);
    }
    assert.deepEqual(await offered({ image: true, pdf: true, audio: false }),
      [true, "image/*,application/pdf", "The agent does not take a.txt."]);
    for (const input of [{}, { image: false }]) assert.deepEqual(await offered(input), [false, undefined, undefined]);
  }, { options: null });

  chats("the view follows the stream unless the reader scrolled up", async (page) => {
    await say(page, "hi");
    await feed(page, open("m"), content("m", "line\n\n".repeat(60)));
    const rest = () => page.evaluate(() => {
      const log = chat.root.querySelector(".log");
      return Math.round(log.scrollHeight - log.clientHeight - log.scrollTop);
    });
    assert.equal(await rest(), 0);
    await page.mouse.move(400, 300);
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(() => {
      const log = chat.root.querySelector(".log");
      return log.scrollHeight - log.clientHeight - log.scrollTop > 200;
    });
    await page.waitForTimeout(100);
    const before = await page.evaluate(() => chat.root.querySelector(".log").scrollTop);
    await feed(page, content("m", "more\n\n".repeat(20)));
    assert.equal(await page.evaluate(() => chat.root.querySelector(".log").scrollTop), before,
      "the reader's place stays");
    await page.getByRole("button", { name: "New messages" }).click();
    await page.waitForTimeout(100);
    assert.equal(await rest(), 0);
    await feed(page, content("m", "end\n\n".repeat(20)));
    assert.equal(await rest(), 0, "it follows again");
    assert.equal(await page.locator("#chat .jump").count(), 0);
    await feed(page, close("m"));
    await finish(page);
  });
});

describe("the page around it", () => {
  test("a declared chat, its language by the page's", { timeout: 60000 }, async () => {
    const page = await world.page({
      html: `<!doctype html><html lang="zh-CN"><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/agui.js"></script><div id="chat" data-agui="/nowhere"></div>`,
    });
    await page.locator("#chat .input").waitFor();
    assert.deepEqual(await text(page, ".send"), ["发送"]);
    assert.equal(await page.locator("#chat .input").getAttribute("placeholder"), "输入消息");
    await page.locator("#chat .input").fill("hi");
    await page.locator("#chat .input").press("Enter");
    await page.locator("#chat .error").waitFor();
    assert.match((await text(page, ".error"))[0], /智能体返回了错误/);
    assert.ok(world.site.requests.some((r) => r.path === "/nowhere"));
    await page.done();
  });

  chats("labels are replaceable, and parts can be restyled", async (page) => {
    assert.deepEqual(await text(page, ".send"), ["Fire"]);
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        "#chat { --agui-accent: rgb(1, 2, 3) } #chat::part(send-button) { letter-spacing: 7px } .send, .input { display: none }");
      document.adoptedStyleSheets = [sheet];
    });
    await page.locator("#chat .input").fill("x");
    await page.waitForFunction(() => !chat.root.querySelector(".send").disabled);
    assert.deepEqual(await page.locator("#chat .send")
      .evaluate((el) => [getComputedStyle(el).letterSpacing, getComputedStyle(el).backgroundColor,
      getComputedStyle(el).display !== "none"]), ["7px", "rgb(1, 2, 3)", true]);
  }, { options: { labels: { send: "Fire" } } });

  chats("renderers of the page's own, also one that throws", async (page) => {
    await page.evaluate(() => chat.open({
      renderers: {
        tools: {
          chart: (container, data) => {
            (chat.drawn ??= []).push([data.status, data.arguments, data.result]);
            container.textContent = `chart ${data.arguments.n ?? "?"} ${data.status}`;
            return () => { chat.ended = (chat.ended ?? 0) + 1; };
          },
          broken: () => { throw new Error("renderer broke"); },
          ask: (container, data) => {
            container.replaceChildren(Object.assign(document.createElement("button"), {
              textContent: "blue", onclick: () => data.respond({ color: "blue" }),
            }));
          },
        },
        activities: { map: (container, data) => { container.textContent = `map of ${data.content.place}`; } },
      },
    }));
    await say(page, "hi");
    await feed(page, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "chart", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"n":1' });
    await feed(page, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "2}" },
      { type: "TOOL_CALL_END", toolCallId: "c" }, {
        type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "ok",
      },
      { type: "TOOL_CALL_START", toolCallId: "b", toolCallName: "broken", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: "b", delta: '{"a":1}' }, { type: "TOOL_CALL_END", toolCallId: "b" },
      { type: "TOOL_CALL_START", toolCallId: "q", toolCallName: "ask", parentMessageId: "m" },
      { type: "TOOL_CALL_END", toolCallId: "q" },
      { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "map", content: { place: "Lisbon" } });
    await finish(page);
    assert.deepEqual(await page.locator("#chat > [slot]").allInnerTexts(), ["chart 12 done", "blue", "map of Lisbon"]);
    assert.deepEqual(await page.evaluate(() => chat.drawn.at(-1)), ["done", { n: 12 }, "ok"]);
    assert.equal(await page.locator("#chat > [slot]").first().isVisible(), true);
    assert.match((await text(page, ".tool"))[0], /broken/);
    await page.getByRole("button", { name: "blue" }).click();
    await page.waitForFunction(() => chat.bodies.length === 2);
    assert.deepEqual(await page.evaluate(() => chat.bodies[1].messages.find((m) => m.toolCallId === "q").content),
      '{"color":"blue"}');
    await page.evaluate(() => chat.start());
    await finish(page);
    await page.evaluate(() => chat.unmount());
    assert.equal(await page.locator("#chat > [slot]").count(), 0);
    assert.equal(await page.evaluate(() => chat.ended), 1);
  }, { errors: /renderer broke/ });

  chats("unmount takes everything away, and mounting again works", async (page) => {
    await say(page, "hi");
    await feed(page, open("m"), content("m", "words"));
    await page.evaluate(() => chat.unmount());
    assert.equal(await page.evaluate(() => document.querySelector("#chat").shadowRoot.childElementCount), 0);
    await page.evaluate(() => chat.unmount());
    await page.evaluate(() => chat.open({}));
    assert.deepEqual(await text(page, ".empty"), ["How can I help?"]);
  });

  chats("an agent that is given stays, and shows in two places", async (page) => {
    await page.evaluate(async () => {
      const other = document.body.appendChild(Object.assign(document.createElement("div"), { id: "other" }));
      const { unmount, ready } = agui.mount(other, { agent: chat.agent, lang: "zh" });
      await ready;
      chat.other = { unmount, root: other.shadowRoot };
    });
    await say(page, "hi");
    await feed(page, open("m"), content("m", "words"), close("m"));
    assert.equal(await page.evaluate(() => chat.other.root.querySelector(".assistant").textContent), "words");
    await page.evaluate(() => chat.other.unmount());
    await finish(page);
    assert.deepEqual(await text(page, ".assistant"), ["words"]);
  });

  test("wrong arguments throw at the call", { timeout: 60000 }, async () => {
    const page = await world.page();
    const thrown = await page.evaluate(() =>
      [["#none", {}], [null, {}], [document.body, 7], [document.createElement("div"), { theme: "pink" }],
      [document.createElement("div"), { renderers: { tools: { a: 1 } } }],
      [document.createElement("div"), { agent: {} }],
      [document.createElement("div"), { labels: 3 }]].map(([target, options]) => {
      try {
        agui.mount(target, options);
        return "nothing";
      } catch (error) {
        return error.name;
      }
    }));
    assert.deepEqual(thrown, Array(7).fill("TypeError"));
    await page.done();
  });

  test("a page that only runs loads no style", { timeout: 60000 }, async () => {
    const page = await world.page();
    assert.deepEqual(await page.evaluate(async () => {
      let made = 0;
      const real = globalThis.CSSStyleSheet;
      globalThis.CSSStyleSheet = class extends real { constructor(...a) { super(...a); made++; } };
      await T.run({}, { fetch: T.fetching(T.sse(T.started, T.finished)) });
      return [made, document.styleSheets.length, document.adoptedStyleSheets.length,
        document.querySelectorAll("style, link[rel=stylesheet]").length];
    }), [0, 0, 0, 0]);
    await page.done();
  });

  chats("the view goes on when something else took its elements away", async (page) => {
    await say(page, "hi");
    await feed(page, open("m"), content("m", "one\n\ntwo"));
    await page.evaluate(() => {
      for (const p of chat.root.querySelectorAll(".md, .list, .column")) p.replaceChildren();
    });
    await feed(page, content("m", " three"), close("m"), open("n"), content("n", "next"), close("n"));
    await finish(page);
    assert.deepEqual((await text(page, ".assistant")).slice(-2), ["one\ntwo three", "next"]);
    assert.deepEqual(await page.evaluate(() => [...chat.root.querySelectorAll(".msg")].slice(0, 40)
      .map((el) => el.textContent)), Array.from({ length: 40 }, (_, i) => `old ${i}`));
  }, {
    errors: /./, options: {
      initialMessages: Array.from({ length: 40 }, (_, i) => ({ id: `h${i}`, role: "assistant", content: `old ${i}` })),
    },
  });
});
