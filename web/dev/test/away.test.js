// A line, or a page, that is away for long: asleep, hidden, offline, frozen, silent. The clock is the test's, so that
// ten minutes take none.
import test from "node:test";
import assert from "node:assert/strict";
import { not } from "./harness/browser.js";
import { live } from "./harness/live.js";
import { onPage, stage, until } from "./harness/stage.js";

const there = stage();
const skip = not("the clock and the states of a page are set over Chromium's protocol", "firefox", "webkit");
const minutes = 60_000;

/** Begins a run that is to come through, and writes down how its line stands. */
const talks = (/** @type {any} */ { url, reconnect }) => {
  /** @type {any} */
  const page = globalThis;
  page.states = [];
  page.error = null;
  const agent = page.agent = new agui.HttpAgent({ url, reconnect, threadId: "t1" });
  agent.subscribe({
    onConnectionChanged: ({ connection: { state, attempt, reason } }) =>
      void page.states.push(`${state}${attempt || ""}${reason ? ` ${reason}` : ""}`),
  });
  agent.runAgent({ runId: "r1" }).then(() => { page.error = ""; }, (/** @type {any} */ thrown) => {
    page.error = thrown.code;
  });
};
const stands = () => {
  const { agent, states, error } = /** @type {any} */ (globalThis);
  return { text: agent.messages[0]?.content ?? null, states, error, attempt: agent.connection.attempt };
};
const has = (/** @type {any} */ page, /** @type {string} */ text) => until(page,
  (/** @type {string} */ each) => /** @type {any} */ (globalThis).agent.messages[0]?.content === each,
  { arg: text, seen: stands });
const over = (/** @type {any} */ page) =>
  until(page, () => /** @type {any} */ (globalThis).error !== null, { seen: stands });
const hides = (/** @type {boolean} */ hidden) => {
  Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};
const shows = (/** @type {boolean} */ persisted) =>
  void dispatchEvent(new PageTransitionEvent("pageshow", { persisted }));

/**
 * Runs a conversation whose server is the test's to drive.
 * @param {string} dialect
 * @param {(page: any, line: import("./harness/live.js").Live, told: {say(delta: string): Promise<void>}) =>
 *   Promise<void>} f
 */
async function talk(dialect, f) {
  const line = live(there.server, /** @type {any} */ (dialect));
  await onPage(there, async (page) => {
    await page.clock.install();
    await page.reload();
    await page.evaluate(() => agui.ready);
    await page.evaluate(talks, { url: line.url, reconnect: dialect });
    await line.posted();
    line.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    let text = "";
    await f(page, line, { async say(delta) {
      line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
      await has(page, text += delta);
    } });
    line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "." }, { type: "TEXT_MESSAGE_END",
      messageId: "m" }, { type: "RUN_FINISHED", threadId: "t1", runId: "r1" });
    await over(page);
    const { text: whole, error } = await page.evaluate(stands);
    assert.deepEqual([whole, error, line.posts.length], [`${text}.`, "", 1]);
  });
}
const reads = async (/** @type {any} */ line, /** @type {number} */ n) => {
  for (const end = Date.now() + 10_000; line.reads.length < n; await new Promise((r) => setTimeout(r, 5))) {
    if (Date.now() > end) throw new Error(`${line.reads.length} reads, not ${n}`);
  }
};
const waits = (ms = 100) => new Promise((resolve) => setTimeout(resolve, ms));

test("16, 53: cuts that each bring something are never too many, and one after ten minutes of heartbeats is no news",
  { skip }, () => talk("sse-id", async (page, line, { say }) => {
  for (let i = 1; i <= 10; i++) {
    await say(`${i} `);
    line.cut();
    await reads(line, i);
  }
  for (let i = 0; i < 41; i++) {
    line.beat();
    await page.clock.fastForward(15_000);
  }
  assert.equal(line.reads.length, 10, "66: heartbeats alone are no silence");
  line.cut();
  await reads(line, 11);
  await say("on");
  const { states, attempt } = await page.evaluate(stands);
  assert.ok(attempt === 0 && !states.some((/** @type {string} */ each) => /lost|reconnecting[1-9]/.test(each)),
    String(states));
}));

test("17: a line that only flaps is given up, after eight attempts and a minute, and what came is kept", { skip },
  async () => {
  const line = live(there.server, "sse-id");
  await onPage(there, async (page) => {
    await page.clock.install();
    await page.reload();
    await page.evaluate(talks, { url: line.url, reconnect: "sse-id" });
    await line.posted();
    line.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "so far" });
    await has(page, "so far");
    let seconds = 0;
    for (let seen = 0; (await page.evaluate(stands)).error === null && seconds < 300; seconds += 5) {
      line.cut();
      await waits(20);
      if (line.reads.length === seen) await page.clock.fastForward(5000);
      seen = line.reads.length;
    }
    const { text, error, states } = await page.evaluate(stands);
    assert.deepEqual([text, error, line.posts.length], ["so far", "no_progress", 1], String(states));
    assert.ok(line.reads.length >= 8 && seconds >= 60, `${line.reads.length} reads in ${seconds} s`);
  });
});

test("50: a line that died while the page slept is left when the page is seen, or when heartbeats fail", { skip },
  async () => {
  await talk("tanstack", async (page, line, { say }) => {
    await say("before ");
    line.hush();
    line.emit({ type: "CUSTOM", name: "unheard", value: 1 });
    await page.clock.fastForward(10 * minutes);
    assert.equal(line.reads.length, 0, "nothing says that the line is dead");
    await page.evaluate(hides, true);
    await page.evaluate(hides, false);
    await reads(line, 1);
    await say("after");
  });
  await talk("copilotkit", async (page, line, { say }) => {
    await say("before ");
    for (let i = 0; i < 4; i++) {
      line.beat();
      await waits(30);
      await page.clock.fastForward(4000);
    }
    line.hush();
    for (let i = 0; i < 4; i++) await page.clock.fastForward(5000);
    await reads(line, 1);
    await say("after");
    assert.ok((await page.evaluate(stands)).states.includes("reconnecting watchdog"));
  });
});

test("51: a page that comes back reads on once, whether out of the cache or frozen, and not where it need not",
  { skip }, async () => {
  await talk("sse-id", async (page, line, { say }) => {
    await say("a ");
    await page.evaluate(shows, false);
    await waits();
    assert.equal(line.reads.length, 0, "something came a moment ago");
    line.hush();
    await page.clock.fastForward(minutes);
    await page.evaluate(shows, false);
    await page.evaluate(hides, false);
    await reads(line, 1);
    await say("b ");
    line.hush();
    await page.evaluate(shows, true); // its reader is dead, however short the time was
    await reads(line, 2);
    await say("c ");
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
    line.cut();
    await waits();
    await cdp.send("Page.setWebLifecycleState", { state: "active" });
    await reads(line, 3);
    await say("d");
    assert.equal(line.reads.length, 3);
  });
});

test("52: five minutes offline and hidden use no attempt; then one request reads on", { skip }, async () => {
  await talk("tanstack", async (page, line, { say }) => {
    await say("before ");
    await page.evaluate(hides, true);
    await page.context().setOffline(true);
    line.cut();
    await until(page, () => /** @type {any} */ (globalThis).agent.connection.state === "reconnecting",
      { seen: stands });
    let asked = 0;
    page.on("request", () => void asked++);
    for (let i = 0; i < 30; i++) await page.clock.fastForward(10_000);
    const { attempt } = await page.evaluate(stands);
    assert.deepEqual([attempt, asked], [0, 0]);
    await page.context().setOffline(false);
    await page.evaluate(hides, false);
    await reads(line, 1);
    await say("after");
    assert.equal(line.reads.length, 1);
  });
});
