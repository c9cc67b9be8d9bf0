// What drawing costs, from the performance timeline: with 500 messages there and 200 tokens a second coming, the page
// has no long task. Measured in the thread's own time, so that a busy machine does not count; the best of three counts.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { not } from "../harness/browser.js";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

// a long task, as the W3C defines it. 16 held on another machine; the code of that day takes 29 to 32 ms on this one,
// today's 25
const LIMIT = 50;
const SECONDS = 4;

/** Streams for some seconds and gives the tasks' times in ms, longest first. */
async function measure() {
  const page = await chatPage(world, { policy: false, options: null, width: 1280, height: 800 });
  const session = await page.context().newCDPSession(page);
  /** @type {any[]} */
  const events = [];
  session.on("Tracing.dataCollected", (/** @type {any} */ e) => events.push(...e.value));
  await page.evaluate(async () => {
    const markdown = (i) =>
      `### Answer ${i}\n\nHere is **some** text with \`code\`, a [link](https://a.example) and words to fill a line or two of the page.\n\n- one item\n- another *item*\n\n\`\`\`js\nconst a = ${i};\n\`\`\`\n`;
    await chat.open({
      initialMessages: Array.from({ length: 500 },
        (_, i) => (i % 2 ? { id: `h${i}`, role: "assistant", content: markdown(i) }
          : { id: `h${i}`, role: "user", content: `Question ${i}` })),
    });
    while (chat.root.querySelectorAll(".msg").length < 500) await chat.frames(2);
    await new Promise((r) => setTimeout(r, 500));
    void chat.agent.send("go");
    while (chat.controller === null) await new Promise((r) => setTimeout(r, 5));
    chat.start();
    chat.feed({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    await new Promise((r) => setTimeout(r, 300));
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "blink.user_timing"] },
  });
  const { batches, tokens } = await page.evaluate(async (seconds) => {
    performance.mark("stream-begins");
    const words =
      `${"The **quick** brown `fox` jumps over the *lazy* dog. ".repeat(4)}\n\n- a list item with words\n- another one here\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`.split(/(?<= )/);
    let batches = 0;
    let inFrame = 0;
    let over = false;
    new MutationObserver(() => { batches = Math.max(batches, ++inFrame); })
      .observe(chat.root, { subtree: true, childList: true, characterData: true, attributes: true });
    const frame = () => {
      inFrame = 0;
      if (!over) requestAnimationFrame(frame);
    };
    frame();
    const begin = performance.now();
    let tokens = 0;
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        const passed = performance.now() - begin;
        for (; tokens < passed / 5; tokens++) {
          chat.feed({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: words[tokens % words.length] });
        }
        if (passed > seconds * 1000) {
          clearInterval(timer);
          resolve(undefined);
        }
      }, 5);
    });
    over = true;
    performance.mark("stream-ends");
    return { batches, tokens };
  }, SECONDS);
  await Promise.all([new Promise((resolve) => session.once("Tracing.tracingComplete", resolve)),
    session.send("Tracing.end")]);
  const shown = await page.evaluate(() => chat.root.querySelector(".assistant:last-child .md").textContent.length);
  await page.done();
  const begin = events.find((e) => e.name === "stream-begins");
  const end = events.find((e) => e.name === "stream-ends");
  const tasks = events.filter((e) => e.pid === begin.pid && e.tid === begin.tid && e.name.endsWith("RunTask") &&
    e.ts > begin.ts && e.ts < end.ts && e.tdur !== undefined);
  return { tasks: tasks.map((e) => e.tdur / 1000).sort((a, b) => b - a), batches, tokens, shown };
}

test(`200 tokens a second after 500 messages: no task takes ${LIMIT} ms`,
  { timeout: 180000, skip: not("the time of tasks comes from Chromium's traces", "firefox", "webkit") }, async (t) => {
  let best = Infinity;
  for (let round = 0; round < 3 && best >= LIMIT; round++) {
    const { tasks, batches, tokens, shown } = await measure();
    assert.ok(tasks.length > 100 && tokens >= 200 * SECONDS && shown > tokens * 3,
      `${tasks.length} tasks, ${tokens} tokens, ${shown} characters`);
    assert.ok(batches <= 1, `${batches} changes of the page in one frame`);
    best = Math.min(best, tasks[0]);
    t.diagnostic(
      `longest tasks: ${tasks.slice(0, 5).map((ms) => ms.toFixed(1)).join(", ")} ms; the hundredth part: ${tasks[Math.floor(tasks.length / 100)].toFixed(1)} ms`);
  }
  assert.ok(best < LIMIT, `the longest task takes ${best.toFixed(1)} ms`);
});
