// Faults that people met with other clients, of the kinds that the other files do not hold. Each names what went wrong.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
/** @type {Awaited<ReturnType<Awaited<ReturnType<typeof start>>["page"]>>} */
let page;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
  page = await world.page();
});
after(async () => {
  await page?.done();
  await Promise.all([world?.stop(), agent?.close()]);
});

const run = (/** @type {string} */ url, input = {}, options = {}) =>
  page.evaluate(async ([input, options]) => T.plain(await T.run(input, options)), [input, { url, ...options }]);
const good = sse(started, ...text("m", "hi"), finished);

test("CR LF and CR line ends: each event comes when its blank line arrives", async () => {
  for (const end of ["\r\n", "\r"]) {
    const frames = [started, ...text("m", "hi"), finished].map((event) => `data: ${JSON.stringify(event)}${end}${end}`);
    const url = agent.reply({ body: [frames[0] + frames[1], frames.slice(2).join("")], delay: 1500 });
    const got = await page.evaluate((url) => new Promise((resolve) => {
      const times = [];
      agui.run({}, { url }).subscribe({
        next: () => times.push(performance.now()), complete: () => resolve(times), error: (e) => resolve(e.code),
      });
    }), url);
    assert.equal(got.length, 5, JSON.stringify(got));
    assert.ok(got[2] - got[1] > 700, `${JSON.stringify(end)}: the first two waited for the rest`);
  }
});

test("a CR and its LF in different chunks are one line end", async () => {
  // Of two data lines each: a frame of one line comes out whole even if the LF counts as a blank line.
  const body = good.replaceAll(',"', ',\ndata: "').replaceAll("\n", "\r\n");
  for (let cut = 1; cut < 9; cut += 2) {
    assert.equal((await run(agent.reply({ body, cut, delay: 2 }))).outcome, "complete");
  }
});

test("the optional space after the colon: at most one is taken", async () => {
  const got = await run(agent.reply({
    body: `data:${JSON.stringify(started)}\n\ndata:  ${JSON.stringify(finished)}\n\n`,
  }));
  assert.deepEqual([got.outcome, got.types], ["complete", ["RUN_STARTED", "RUN_FINISHED"]]);
});

test("several data lines are joined", async () => {
  const got = await run(agent.reply({
    body: `data: {"type":"RUN_STARTED",\ndata: "threadId":"t1",\ndata: "runId":"r1"}\n\n${sse(finished)}`,
  }));
  assert.deepEqual([got.outcome, got.types], ["complete", ["RUN_STARTED", "RUN_FINISHED"]]);
});

test("comments, retry, event and id lines, empty blocks", async () => {
  const body = `: ping\n\nretry: 3000\n\nevent: message\nid: 7\n${sse(started)}\n\n: ping\n\n${sse(finished)}`;
  const got = await run(agent.reply({ body }));
  assert.deepEqual([got.outcome, got.types, got.warnings], ["complete", ["RUN_STARTED", "RUN_FINISHED"], []]);
});

test("invalid UTF-8 becomes U+FFFD, in the text and in what is sent back", async () => {
  const body = Buffer.concat([Buffer.from(sse(started, text("m")[0])),
    Buffer.from('data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a'), Buffer.from([0xff, 0xc3]),
    Buffer.from('b"}\n\n'), Buffer.from(sse(text("m")[1], finished))]);
  const got = await run(agent.reply({ body }));
  assert.equal(got.outcome, "complete");
  assert.equal(got.messages[0].content, "a\ufffd\ufffdb");
});

test("after a stop the next run works at once, and nothing of the abort shows", async () => {
  const url = agent.reply({
    body: [sse(started, ...text("m", "a").slice(0, 2)), sse(finished)], delay: 3000, open: true,
  });
  const next = agent.reply({ body: good });
  const got = await page.evaluate(async ([url, next]) => {
    const calls = [];
    await new Promise((resolve) => {
      const s = agui.run({}, { url }).subscribe({
        next(e) {
          if (e.type !== "TEXT_MESSAGE_CONTENT") return;
          s.unsubscribe();
          resolve();
        },
        error: (e) => calls.push(e.code), complete: () => calls.push("complete"),
      });
    });
    return [(await T.run({}, { url: next })).outcome, calls];
  }, [url, next]);
  assert.deepEqual(got, ["complete", []]);
});

test("two runs in one tick with slow headers: each has its own snapshots and handle", async () => {
  const [a, b] = ["first", "second"].map((words) => agent.reply({ body: sse(started, ...text("m", words), finished) }));
  const got = await page.evaluate(async ([a, b]) => {
    const headers = (ms) => () => new Promise((r) => setTimeout(() => r({}), ms));
    const [x, y] = await Promise.all(
      [T.run({}, { url: a, headers: headers(80) }), T.run({}, { url: b, headers: headers(20) })]);
    return [x.messages[0].content, y.messages[0].content];
  }, [a, b]);
  assert.deepEqual(got, ["first", "second"]);
});

test("callbacks of many short runs, half of them aborted at random points, are all given back", async () => {
  const got = await page.evaluate(async () => {
    const random = T.random(1);
    const body = T.sse(T.started, ...T.text("m", "a", "b", "c"), T.finished);
    const answers = [T.fetching(body, { cut: 40 }), async () =>
      T.response({ status: 500, contentType: "text/plain", body: "no" }), async () => { throw new TypeError("down"); },
      (_url, init) => new Promise((_, reject) =>
        init.signal.addEventListener("abort", () => reject(init.signal.reason)))];
    for (let round = 0; round < 100; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, i) => new Promise((resolve) => {
        const never = i % 4 === 3;
        const s = agui.run({}, { url: "https://x.test/", fetch: answers[i % 4], headers: i % 5 ? undefined
          : async () => ({}) }).subscribe({ next() {}, error: resolve, complete: resolve });
        if (never || random() < 0.5) setTimeout(() => { s.unsubscribe(); resolve(); }, random() * 8);
      })));
    }
    await T.sleep(200);
    return agui.debug();
  });
  assert.equal(got.runs, 0);
  assert.equal(got.callbacks, 0);
});

test("values that break bridges: null, empty, deep, NUL, lone surrogates, huge numbers; back to the agent as they came",
  async () => {
  const snapshot =
    '{"a":null,"k\\u0000":[],"s":"\\ud83d","n":12345678901234567890,"f":1.0,"e":{},"__proto__":{"p":1},"d":' +
    "[".repeat(200) + "]".repeat(200) + "}";
  const url = agent.reply({
    body: `${sse(started)}data: {"type":"STATE_SNAPSHOT","snapshot":${snapshot}}\n\n${sse(finished)}`,
  });
  const got = await page.evaluate(async (url) => {
    const { state, outcome } = await T.run({}, { url });
    return {
      outcome, a: state.a, k: state["k\0"], s: state.s.charCodeAt(0), own: Object.hasOwn(state, "__proto__"),
      proto: Object.getPrototypeOf(state) === Object.prototype, polluted: {}.p,
      depth: (() => { let n = 0; for (let x = state.d; Array.isArray(x); x = x[0]) n++; return n; })(),
    };
  }, url);
  assert.deepEqual(got, {
    outcome: "complete", a: null, k: [], s: 0xd83d, own: true, proto: true, polluted: undefined, depth: 200,
  });
});

test("patch paths through __proto__ and constructor make own members and pollute nothing", async () => {
  const url =
    agent.reply({ body: `${sse(started, { type: "STATE_SNAPSHOT", snapshot: { a: {} } }, {
      type: "STATE_DELTA", delta: [{ op: "add", path: "/__proto__", value: { p1: true } }],
    },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/constructor", value: { prototype: {} } }, { op: "add", path: "/constructor/prototype/p2", value: true }] })}${sse(finished)}` });
  const got = await page.evaluate(async (url) => {
    const { state, outcome, warnings } = await T.run({}, { url });
    return { outcome, warnings: warnings.length, own: Object.keys(state), polluted: [{}.p1, {}.p2] };
  }, url);
  assert.deepEqual(got, {
    outcome: "complete", warnings: 0, own: ["a", "__proto__", "constructor"], polluted: [undefined, undefined],
  });
});

test("five subscribers' worth of runs over a long history: unchanged messages stay the same objects", async () => {
  const got = await page.evaluate(async () => {
    const messages = Array.from({ length: 100 }, (_, i) => ({ id: `h${i}`, role: "user", content: "x".repeat(1200) }));
    const body = T.sse(T.started, ...T.text("m", ...Array(200).fill("word ")), T.finished);
    const seen = [];
    await new Promise((complete, error) => {
      const s = agui.run({ messages }, { url: "https://x.test/", fetch: T.fetching(body) })
        .subscribe({ next: () => seen.push(s.messages), complete, error });
    });
    return {
      same: seen.every((list) => list.slice(0, 100).every((m, i) => m === seen[0][i])), fresh: seen[2] !== seen[3] &&
        seen[2][100] !== seen[3][100], last: seen.at(-1)[100].content.length,
    };
  });
  assert.deepEqual(got, { same: true, fresh: true, last: 1000 });
});

test("without onWarning a kind of warning is told once a run, on the console", async () => {
  const before = page.consoled.length;
  const url = agent.reply({
    body: sse(started, { type: "SPARKLE" }, { type: "SPARKLE" }, { type: "TEXT_MESSAGE_END", messageId: "x" },
      { type: "TEXT_MESSAGE_END", messageId: "y" }, finished),
  });
  const got = await run(url, {}, { onWarning: null });
  assert.equal(got.outcome, "complete");
  const told = page.consoled.slice(before).filter((line) => line.startsWith("warning"));
  assert.equal(told.length, 2, told.join("\n"));
});
