// What fails inside: the Go program, in every way in which one can. Running observables get "internal", the next run
// has a fresh program, agents keep what they have.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { live } from "./harness/live.js";
import { arming, limitMemory, provokeBuild, ways } from "./harness/provoke.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  const wasm = limitMemory(provokeBuild(), 1024);
  [world, agent] = await Promise.all([start(), faultServer()]);
  world.site.override("/agui.wasm", (_request, response) => {
    response.writeHead(200, { "content-type": "application/wasm" });
    response.end(wasm);
  });
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const good = sse(started, ...text("m", "hi"), finished);
const html =
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>${arming}</script><script src="/agui.js"></script>`;

/** The ways that end one run and leave the program alone: Go recovers them. */
const recovered = [0, 1];
/** The ways that happen while no call of ours is on the stack. A push leaves timers to the next cold call. */
const later = [8, 9];
/**
 * A cold call that waits for a timer spins in Go's scheduler, where nothing can notice it; none of the cold functions
 * waits.
 */
const spins = 10;

for (const [way, name] of ways.entries()) {
  for (const where of later.includes(way) ? ["in a cold call"] : way === spins ? ["in a push"]
    : ["in a push", "in a cold call"]) {
    test(`${name} ${where}`, { timeout: 120000 }, async () => {
      const page = await world.page({ html, limit: 110000 });
      const silent = agent.reply({ body: sse(started, ...text("other", "still ")), open: true });
      const failing = agent.reply({ body: [sse(started, ...text("x", "lost")), sse(finished)], delay: 50 }) +
        (where === "in a push" ? "" : `?provoke=${way}`);
      const next = agent.reply({ body: good });
      const got = await page.evaluate(async ([way, where, silent, failing, next]) => {
        const first = new agui.HttpAgent({ url: next, threadId: "kept", initialState: { n: 1 } });
        first.addMessage({ id: "q1", role: "user", content: "remember me" });
        await first.runAgent();
        const kept = JSON.stringify([first.messages, first.state]);

        // Another run is under way, and has told something.
        const beside = T.run({}, { url: silent });
        await T.sleep(200);
        if (where === "in a push") globalThis.arm = way;
        const failed = await T.run({}, { url: failing });
        const dead = globalThis.programs;
        // A recovered panic is the failing run's alone.
        const other = await Promise.race([beside, T.sleep(1500).then(() => "alive")]);
        const after = [];
        for (let i = 0; i < 2; i++) after.push((await T.run({}, { url: next })).outcome);
        const same = JSON.stringify([first.messages, first.state]) === kept;
        first.addMessage({ id: "q2", role: "user", content: "and now?" });
        const again = await first.runAgent();
        await T.until(() => agui.debug().runs <= (other === "alive" ? 1 : 0), 0);
        return {
          failed: failed.outcome, message: failed.error?.message, cause: String(failed.error?.cause?.message ?? ""),
          types: failed.types, endings: failed.endings,
          other: other === "alive" ? other : other.outcome, otherTypes: other.types?.length, after, same,
          outcome: again.outcome, ids: first.messages.map((m) => m.id),
          programs: globalThis.programs - dead, debug: agui.debug(),
        };
      }, [way, where, silent, failing, next]);

      const spared = recovered.includes(way);
      // A timer that fails after the run has ended is not its failure: the run may be over by then.
      if (!later.includes(way)) assert.equal(got.failed, "internal", got.message);
      else assert.ok(["internal", "complete"].includes(got.failed), got.failed);
      if (got.failed === "internal") assert.ok(got.message.length > 10 && !got.message.includes("\n"), got.message);
      assert.equal(got.endings, 1);
      assert.equal(got.other, spared ? "alive" : "internal");
      assert.deepEqual(got.after, ["complete", "complete"]);
      assert.equal(got.programs, spared ? 0 : 1, "one fresh program at most");
      assert.ok(got.same, "the agent kept its messages and its state");
      assert.equal(got.outcome, "success");
      assert.deepEqual(got.ids, ["q1", "m", "q2"]);
      const sent = agent.seen(next).at(-1)?.json;
      assert.deepEqual(sent.messages.map((m) => m.id), ["q1", "m", "q2"]);
      assert.deepEqual([sent.threadId, sent.state], ["kept", { n: 1 }]);
      assert.equal(got.debug.runs, spared ? 1 : 0);
      assert.deepEqual(page.uncaught, []);
      await page.done();
    });
  }
}

test("61: a program that dies in the middle of a run keeps what came, and a fresh one reads the rest", async () => {
  for (const dialect of /** @type {const} */ (["copilotkit", "tanstack"])) {
    const line = live(agent, dialect);
    const page = await world.page({ html });
    await page.evaluate(({ url, reconnect }) => {
      /** @type {any} */
      const all = globalThis;
      all.tools = 0;
      all.agent = new agui.HttpAgent({ url, reconnect, threadId: "t1",
        tools: [{ name: "f", description: "", handler: () => `done ${++all.tools}` }] });
      all.over = all.agent.send("hi").then(() => "ended", (error) => error.code);
    }, { url: line.url, reconnect: dialect });
    await line.posted();
    line.emit(...text("m", "one ", "two ").slice(0, 3));
    await page.waitForFunction(() => globalThis.agent.messages.at(-1).content === "one two ");
    await page.evaluate(() => { globalThis.arm = 2; });
    line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "three " });
    const died = await page.evaluate(async () => [await globalThis.over, globalThis.agent.messages.at(-1).content]);
    assert.deepEqual(died, ["internal", "one two "]);
    await page.evaluate(() => { globalThis.joined = globalThis.agent.connect(); });
    await page.waitForFunction(() => globalThis.agent.messages.at(-1).content === "one two three ");
    line.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "four" }, { type: "TEXT_MESSAGE_END",
      messageId: "m" }, { type: "RUN_FINISHED", threadId: "t1", runId: line.posts[0].runId });
    const got = await page.evaluate(async () => {
      const { outcome } = await globalThis.joined;
      return [outcome, globalThis.agent.messages.map(({ content }) => content), globalThis.tools];
    });
    assert.deepEqual([got, line.posts.length], [["success", ["hi", "one two three four"], 0], 1], dialect);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  }
});

test("a program that dies before it has taken its memory is not asked to", async () => {
  const page = await world.page({ html });
  const got = await page.evaluate(async () => {
    await agui.ready;
    globalThis.arm = 2;
    const replies = () => ({ fetch: T.fetching(T.sse(T.started, T.finished)) });
    const first = await T.run({}, replies());
    const early = globalThis.settled ?? [];
    const second = await T.run({}, replies());
    await T.sleep(300);
    return {
      first: first.outcome, early, second: second.outcome, settled: globalThis.settled,
      third: (await T.run({}, replies())).outcome, programs: globalThis.programs,
    };
  });
  assert.deepEqual(got, {
    first: "internal", early: [], second: "complete", settled: [2], third: "complete", programs: 2,
  });
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("an agent whose own run is lost keeps what had come, and goes on", async () => {
  const page = await world.page({ html });
  let goOn = () => {};
  /** @type {Promise<void>} */
  const gate = new Promise((resolve) => {
    goOn = resolve;
  });
  const replies = [
    {
      body: [sse(started, { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, ...text("a1", "whole"),
        ...text("a2", "part").slice(0, 2)),
          sse({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 2 }] })], gate, open: true,
    },
    {
      body: sse(started, { type: "STATE_DELTA", delta: [{ op: "add", path: "/m", value: 3 }] }, ...text("a3", "after"),
        finished),
    },
  ];
  const url = agent.reply(() => replies.shift());
  await page.evaluate(async (url) => {
    const a = globalThis.a = new agui.HttpAgent({ url, threadId: "t" });
    a.addMessage({ id: "q", role: "user", content: "?" });
    globalThis.lost = a.runAgent().then(() => "resolved", (e) => e.code);
    await T.until(() => a.messages.some((m) => m.content === "part"), 0);
    globalThis.arm = 2;
  }, url);
  goOn();
  const got = await page.evaluate(async () => {
    const { a, lost } = globalThis;
    const first = await lost;
    const kept = JSON.parse(JSON.stringify([a.messages, a.state, a.isRunning]));
    const { outcome } = await a.runAgent();
    return { first, kept, outcome, messages: a.messages.map((m) => m.content), state: a.state };
  });
  assert.equal(got.first, "internal");
  assert.deepEqual(got.kept[0].map((m) => m.content), ["?", "whole", "part"]);
  assert.deepEqual(got.kept.slice(1), [{ n: 1 }, false]);
  assert.equal(got.outcome, "success");
  assert.deepEqual(got.messages, ["?", "whole", "part", "after"]);
  assert.deepEqual(got.state, { n: 1, m: 3 });
  const [, sent] = agent.seen(url);
  assert.deepEqual(sent.json.messages.map((m) => m.content), ["?", "whole", "part"]);
  assert.deepEqual(sent.json.state, { n: 1 });
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a server that fills the memory ends its run, and the page goes on", async () => {
  const page = await world.page({ html });
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async (url) => {
    // A hundred megabytes of messages in a memory of 64: no event is too large, all together are.
    const large = T.text("m", ..."x".repeat(100)).map((e, i) => (e.delta ? { ...e, delta: "y".repeat(1 << 20) } : e));
    const greedy = await T.run({}, { fetch: T.fetching(T.sse(T.started, ...large, T.finished), { cut: 65536 }) });
    const events = greedy.events.length;
    return {
      outcome: greedy.outcome, endings: greedy.endings, told: events > 5 && events < 102,
      kept: greedy.messages[0].content.length === (events - 2) << 20, next: (await T.run({}, { url })).outcome,
      programs: globalThis.programs,
    };
  }, url);
  assert.deepEqual(got, { outcome: "internal", endings: 1, told: true, kept: true, next: "complete", programs: 2 });
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
