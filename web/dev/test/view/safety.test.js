// What an agent says never becomes anything but text: attack strings in every field of every event and message, in a
// real browser, with and without a policy. Nothing runs, nothing is fetched, nothing of the page changes.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

const attacks = [
  "<script>hacked(1)</script>", "<img src=/hacked.png onerror=hacked(2)>", "\"><svg onload=hacked(3)>",
  "javascript:hacked(4)", "[x](javascript:hacked(5))",
  "![x](/hacked.png)", "![x](https://hacked.example/p.png)", "[x](data:text/html,<script>hacked(6)</script>)",
  "<iframe src=/hacked.html></iframe>", "[x](jav&#x09;ascript:hacked(7))",
  "<a href=javascript:hacked(8)>x</a>", "</textarea></style><style>*{display:none}</style>",
  "<link rel=stylesheet href=/hacked.css>", "`<b onclick=hacked(9)>`", "```html\n<script>hacked(10)</script>\n```",
  "| <img src=/hacked.png> |\n|---|\n| [x](vbscript:hacked(11)) |", "<details open ontoggle=hacked(12)>", "__proto__",
  "constructor", "\u202e\u2066\ud800", "{{hacked(13)}}", "${hacked(14)}",
];

/** All that an agent can send, with s in every field that takes a string. */
const everything = (s, n) => {
  const id = (name) => `${name}-${n}-${s}`;
  const media = ["image", "audio", "video", "document"].flatMap((type) => [
    { type, source: { type: "url", value: s, mimeType: s }, metadata: { filename: s } },
    { type, source: { type: "url", value: `https://hacked.example/${type}?${encodeURIComponent(s.toWellFormed())}` } },
    { type, source: { type: "data", value: s, mimeType: s } },
    {
      type,
      source: { type: "data", value: btoa(
        "<script>hacked(20)</script><svg xmlns='http://www.w3.org/2000/svg' onload='hacked(21)'/>"),
          mimeType: type === "image" ? "image/svg+xml" : "text/html" }, metadata: { filename: s },
    },
    { type, source: { type: "file", value: s, provider: s } },
  ]);
  const parts = [{ type: "text", text: s }, ...media, { type: s, text: s }, {
    type: "binary", mimeType: s, url: s, filename: s,
  }];
  const content = {
    [s]: s, list: [s, { [s]: s }], table: [{ [s]: s, b: 1 }, { [s]: s, b: 2 }], deep: [[[[[[[[s]]]]]]]],
  };
  const run = { threadId: s, runId: s };
  const more = { metadata: { [s]: s }, rawEvent: s };
  return [
    { type: "RUN_STARTED", ...run, parentRunId: s, ...more },
    { type: "STEP_STARTED", stepName: s, ...more },
    { type: "SUBAGENT_STARTED", subagentRunId: id("sub"), name: s, description: s, ...more },
    { type: "SUBAGENT_STARTED", subagentRunId: id("sub2"), name: s, parentSubagentRunId: id("sub") },
    { type: "TEXT_MESSAGE_START", messageId: id("m"), role: "assistant", name: s, ...more },
    {
      type: "TEXT_MESSAGE_CONTENT", messageId: id("m"),
      delta: `${s}\n\n# ${s}\n\n- ${s}\n- [x] ${s}\n\n> ${s}\n\n**${s}** [${s}](${s} "${s}") ![${s}](${s})\n\n\`\`\`${s}\n${s}\n\`\`\`\n`, ...more,
    },
    { type: "TEXT_MESSAGE_END", messageId: id("m") },
    { type: "TEXT_MESSAGE_START", messageId: id("m2"), role: "assistant", subagentRunId: id("sub") },
    { type: "TEXT_MESSAGE_CONTENT", messageId: id("m2"), delta: s, subagentRunId: id("sub") },
    { type: "TEXT_MESSAGE_END", messageId: id("m2"), subagentRunId: id("sub") },
    { type: "TOOL_CALL_START", toolCallId: id("c"), toolCallName: s, parentMessageId: id("m"), ...more },
    { type: "TOOL_CALL_ARGS", toolCallId: id("c"), delta: JSON.stringify(content), ...more },
    { type: "TOOL_CALL_END", toolCallId: id("c") },
    { type: "TOOL_CALL_RESULT", messageId: id("t"), toolCallId: id("c"), content: parts, ...more },
    { type: "TOOL_CALL_START", toolCallId: id("d"), toolCallName: s, parentMessageId: id("m") },
    { type: "TOOL_CALL_ARGS", toolCallId: id("d"), delta: s },
    { type: "TOOL_CALL_END", toolCallId: id("d") },
    { type: "TOOL_CALL_RESULT", messageId: id("t2"), toolCallId: id("d"), content: s },
    { type: "REASONING_START", messageId: id("r") },
    { type: "REASONING_MESSAGE_START", messageId: id("r"), role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: id("r"), delta: s },
    { type: "REASONING_MESSAGE_END", messageId: id("r") },
    { type: "REASONING_END", messageId: id("r") },
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: id("m"), encryptedValue: s },
    { type: "ACTIVITY_SNAPSHOT", messageId: id("a"), activityType: s, content, ...more },
    { type: "STATE_SNAPSHOT", snapshot: content },
    { type: "RAW", event: s, source: s },
    { type: "CUSTOM", name: s, value: s },
    { type: "HACKED", [s]: s },
    { type: "SUBAGENT_ERROR", subagentRunId: id("sub2"), message: s, code: s },
    { type: "SUBAGENT_FINISHED", subagentRunId: id("sub"), result: s },
    { type: "STEP_FINISHED", stepName: s },
    { type: "RUN_FINISHED", ...run, result: s, outcome: { type: "interrupt", interrupts: [
      { id: id("i"), reason: s, message: s, metadata: { [s]: s } },
      { id: id("j"), reason: "tool_call", toolCallId: id("c"), message: s, expiresAt: s },
      { id: id("k"), reason: "input_required", message: s,
        responseSchema: { type: "object", title: s, required: [s], properties: {
        [s]: { type: "string", title: s, description: s, default: s, format: s },
        e: { enum: [s, { [s]: s }], default: s }, o: { oneOf: [{ const: s, title: s }] },
        j: { type: "array", default: [s] }, n: { type: "number", default: s, minimum: s } } } } ] } },
  ];
};

for (const policy of [true, false]) {
  test(`attack strings in every field, ${policy ? "under the policy" : "without a policy"}`, { timeout: 180000 },
    async () => {
    const page = await chatPage(world, { policy });
    /** @type {string[]} */
    const fetched = [];
    page.on("request", (/** @type {any} */ request) => {
      if (!/^(blob|data):/.test(request.url())) fetched.push(request.url());
    });
    await page.evaluate(() => {
      chat.hacked = [];
      globalThis.hacked = (n) => chat.hacked.push(n);
      globalThis.open = (url) => chat.hacked.push(`opened ${url}`);
    });
    for (const [n, attack] of attacks.entries()) {
      const shown = await page.evaluate(async (events) => {
        chat.controller = null;
        const answered = chat.agent.pendingInterrupts.length > 0
          ? chat.agent.resume(chat.agent.pendingInterrupts.map((i) => ({ interruptId: i.id, status: "cancelled" })))
          : chat.agent.send("go");
        while (chat.controller === null) await new Promise((r) => setTimeout(r, 5));
        for (const event of events) chat.feed(event);
        await new Promise((r) => setTimeout(r, 30));
        await chat.frames(3);
        chat.end();
        await answered;
        await chat.frames(4);
        // What a person could do with it.
        for (const summary of chat.root.querySelectorAll("summary")) summary.click();
        for (const link of chat.root.querySelectorAll("a[href]:not([download])")) {
          if (!/^(https?|mailto|tel):$/.test(new URL(link.href).protocol)) chat.hacked.push(link.href);
        }
        for (const el of chat.root.querySelectorAll("*")) {
          for (const { name } of el.attributes) {
            if (/^on|^style$|^srcdoc$|^formaction$/i.test(name)) chat.hacked.push(`${el.tagName} ${name}`);
          }
          if (["SCRIPT", "STYLE", "IFRAME", "OBJECT", "EMBED", "LINK", "META", "BASE", "SVG", "MATH",
            "TEMPLATE"].includes(el.tagName.toUpperCase())) {
            chat.hacked.push(el.tagName);
          }
        }
        return chat.root.querySelector(".log").textContent.length;
      }, everything(attack, n));
      assert.ok(shown > 100, `${attack}: only ${shown} characters are shown`);
      assert.deepEqual(await page.evaluate(() => chat.hacked), [], attack);
    }
    assert.equal(await page.evaluate(() => chat.root.querySelectorAll(".card").length), 3);
    assert.deepEqual(fetched, []);
    assert.deepEqual(page.uncaught, []);
    assert.deepEqual(await page.evaluate(() =>
      [chat.violations, Object.prototype.hacked, document.body.childElementCount]), [[], undefined, 3]);
    await page.done();
  });
}

test("history may hold the same, and a renderer's name may be any", { timeout: 60000 }, async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(async (list) => {
    chat.hacked = [];
    globalThis.hacked = (n) => chat.hacked.push(n);
    await chat.open(
      { initialMessages: list.flatMap((s, i) =>
        [{ id: `u${i}`, role: "user", content: s }, {
          id: `a${i}`, role: "assistant", content: s, toolCalls: [{
            id: `c${i}`, type: "function", function: { name: s, arguments: s },
          }],
        }]),
      renderers: { tools: { ["x"]: () => {} }, activities: {} } });
    while (chat.root.querySelectorAll(".msg").length < 2 * list.length) await chat.frames(1); // drawn a few at a time
    await chat.frames(4);
  }, attacks);
  assert.deepEqual(await page.evaluate(() => [chat.hacked, chat.root.querySelectorAll(".msg").length]),
    [[], 2 * attacks.length]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
