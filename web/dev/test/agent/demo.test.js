// The agent in a browser against the demo agent and the recorded answers of real servers.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { startPage } from "../page/open.js";
import { root } from "../harness/static.js";

/** @type {any} */
let dev;
before(async () => {
  dev = await startPage();
});
after(() => dev?.stop());

async function inPage(/** @type {Function} */ f, /** @type {any} */ argument) {
  const page = await dev.world.page();
  try {
    const got = await page.evaluate(f, argument);
    assert.deepEqual(page.uncaught, []);
    return got;
  } finally {
    await page.done();
  }
}

const recordings = readdirSync(`${root}web/dev/demo/testdata/traces`).filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -5));

test("recordings: an agent, with hooks, with middleware and both, holds what a run gives", async () => {
  assert.ok(recordings.length > 30);
  const wrong = await inPage(async (/** @type {any} */ { origin, recordings }) => {
    /** @type {string[]} */
    const wrong = [];
    const quiet = { onWarning: () => {} };
    // An id that the recording does not hold was made here.
    const named = (/** @type {any[]} */ messages, /** @type {string} */ text) =>
      messages.map((m) => (text.includes(m.id) || m.id === "u1" ? m : { ...m, id: "made" }));
    for (const name of recordings) {
      const text = await (await fetch(`/web/dev/demo/testdata/traces/${name}.json`)).text();
      const url = `${origin}/agent?speed=max&replay=${name}`;
      const ids = { threadId: "t1", runId: "r1" };
      const initialMessages = [{ id: "u1", role: "user", content: "x" }];
      const want = await T.run({ ...ids, messages: initialMessages }, { url });
      if (want.outcome === "http_status" && !/"status": ?[45]/.test(text)) wrong.push(`${name} is not replayed`);
      for (const [way, hooks, middleware] of [["plain"], ["hooks", true], ["middleware", false, true],
        ["both", true, true]]) {
        const agent = new agui.HttpAgent({ url, threadId: "t1", initialMessages, ...quiet });
        if (middleware) agent.use((/** @type {any} */ input, /** @type {any} */ next) => next.run(input));
        /** @type {string[]} */
        const types = [];
        if (hooks) agent.subscribe({ onEvent: ({ event }) => { types.push(event.type); } });
        const outcome = await agent.runAgent({ runId: "r1" }).then(() => "complete", (/** @type {any} */ e) => e.code);
        const faults = [T.differ(want.outcome, outcome),
          T.differ(named(want.messages, text), named([...agent.messages], text)),
          T.differ(want.state, agent.state)].filter(Boolean);
        if (hooks && want.outcome === "complete") faults.push(T.differ(want.types, types));
        if (faults.some(Boolean)) wrong.push(`${name}, ${way}: ${faults.filter(Boolean).join("; ")}`);
      }
    }
    return wrong;
  }, { origin: dev.origin, recordings });
  assert.deepEqual(wrong, []);
});

test("tools of the page, asked for by the demo agent", async () => {
  const got = await inPage(async (/** @type {string} */ origin) => {
    const agent = new agui.HttpAgent({ url: `${origin}/agent?speed=max`, tools: [
      {
        name: "paint", description: "paints", parameters: { type: "object", properties: { color: { type: "string" } } },
        handler: async ({ color }) => `painted ${typeof color}`,
      },
      {
        name: "fail", description: "fails", parameters: { type: "object" }, handler: () => {
          throw new Error("it is broken");
        },
      },
    ] });
    const result = await agent.send("Use the page tools");
    return {
      outcome: result.outcome, roles: result.newMessages.map((/** @type {any} */ m) => m.role).join(" "),
      last: agent.messages.at(-1).content,
    };
  }, dev.origin);
  assert.equal(got.outcome, "success");
  assert.match(got.last, /`paint` gave: painted string; `fail` gave: it is broken/);
});

test("approvals of the demo agent: one, several at once, by hand and by onInterrupt", async () => {
  const got = await inPage(async (/** @type {string} */ origin) => {
    const url = `${origin}/agent?speed=max`;
    const agent = new agui.HttpAgent({ url });
    const out = [(await agent.send("Delete the old logs, but ask for my approval")).outcome];
    const [open] = agent.pendingInterrupts;
    out.push(await agent.send("another thing").catch((/** @type {any} */ e) => e.code));
    const kept = agent.messages.some((/** @type {any} */ m) => m.content === "another thing");
    out.push((await agent.resume([{ interruptId: open.id, status: "resolved", payload: { approved: true } }])).outcome,
      agent.pendingInterrupts.length);
    const tools = agent.messages.filter((/** @type {any} */ m) => m.role === "tool").length;
    const other = new agui.HttpAgent({
      url, onInterrupt: (i) => (i.reason === "tool_call" ? { status: "resolved", payload: { approved: true } }
        : { status: "cancelled" }),
    });
    out.push((await other.send("Ask me several things at once")).outcome);
    return { out, kept, reason: open.reason, tools, said: other.messages.at(-1).content };
  }, dev.origin);
  assert.deepEqual(got.out, ["interrupt", "bad_input", "success", 0, "success"]);
  assert.deepEqual([got.reason, got.tools, got.kept], ["tool_call", 1, false]);
});

test("a flood is aborted, and the conversation goes on; a branch goes back before it", async () => {
  const got = await inPage(async (/** @type {string} */ origin) => {
    const agent = new agui.HttpAgent({ url: `${origin}/agent?speed=max` });
    await agent.send("hello", { runId: "r1" });
    const flood = agent.send("flood", { runId: "r2" });
    while (agent.messages.length < 4 || !agent.messages[3].content) await new Promise((r) => setTimeout(r, 5));
    agent.abortRun();
    const outcomes = [(await flood).outcome, (await agent.send("hello again")).outcome];
    const branch = agent.branch("r1");
    outcomes.push((await branch.send("hello from here")).outcome);
    return {
      outcomes, here: agent.messages.length, there: branch.messages.map((/** @type {any} */ m) => m.role).join(" "),
      left: agui.debug().runs,
    };
  }, dev.origin);
  assert.deepEqual(got.outcomes, ["aborted", "success", "success"]);
  assert.deepEqual([got.here, got.there], [6, "user assistant user assistant"]);
});
