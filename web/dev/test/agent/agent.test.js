// The agent in a browser against agents over real HTTP: what a person builds with.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "../harness/browser.js";
import { faultServer, sse } from "../harness/faults.js";
import { call, finished, run, started, text } from "./scripted.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let server;
before(async () => {
  [world, server] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), server?.close()]));

/** A URL whose n-th request is answered with the n-th script: events, or a reply. */
function scripted(/** @type {any[]} */ ...scripts) {
  let n = 0;
  return server.reply((seen) => {
    const script = scripts[n++];
    if (script === undefined) return { body: sse(...run()) };
    if (typeof script === "function") return script(seen);
    return Array.isArray(script) ? { body: sse(...script) } : script;
  });
}
const bodies = (/** @type {string} */ url) => server.seen(url).map((seen) => seen.json);
const interrupts = (/** @type {any[]} */ ...list) => finished({ outcome: { type: "interrupt", interrupts: list } });

/** Evaluates in a fresh page and closes it; nothing may be left uncaught. */
async function inPage(/** @type {Function} */ f, /** @type {any} */ argument,
  { uncaught = /** @type {string[]} */ ([]), path = "/test/plain.html" } = {}) {
  const page = await world.page({ path });
  try {
    const got = await page.evaluate(/** @type {any} */ (f), argument);
    assert.deepEqual([...new Set(page.uncaught)].sort(), uncaught);
    return got;
  } finally {
    await page.done();
  }
}

test("snapshots are frozen and shared; assigning and the methods change them", async () => {
  const url = scripted(run(...text("a1", "x"), { type: "STATE_SNAPSHOT", snapshot: { deep: { n: 1 }, other: {} } }),
    [started, { type: "STATE_DELTA", delta: [{ op: "replace", path: "/deep/n", value: 2 }] }, finished()]);
  const got = await inPage(async (/** @type {string} */ url) => {
    "use strict";
    const agent = new agui.HttpAgent({ url, initialMessages: [{ id: "u1", role: "user", content: "x" }] });
    const throws = (/** @type {() => void} */ f) => {
      try { f(); return false; } catch (e) { return e instanceof TypeError; }
    };
    await agent.runAgent();
    const { messages, state } = agent;
    const frozen = [
      throws(() => messages.push({})), throws(() => { messages[0].content = ""; }), throws(() => { state.deep.n = 9; }),
      !throws(() => { agent.isRunning = true; }),
    ];
    await agent.runAgent();
    const shared = [agent.messages === messages, agent.state !== state, agent.state.other === state.other,
      state.deep.n];
    const given = { id: "u2", role: "user", content: "y" };
    agent.messages = [agent.messages[1], given];
    given.content = "changed by the caller";
    const kept = [agent.messages[0] === messages[1], agent.messages[1].content, Object.isFrozen(agent.messages[1])];
    agent.state = { ...agent.state, more: [1] };
    kept.push(agent.state.other === state.other, agent.state.more[0]);
    agent.addMessage({ role: "user", content: "without id" });
    return { frozen, shared, kept, id: typeof agent.messages[2].id };
  }, url);
  assert.deepEqual(got, {
    frozen: [true, true, true, true], shared: [true, true, true, 1], kept: [true, "y", true, true, 1], id: "string",
  });
});

test("before the WebAssembly is there, reads and whole-value sets work, and the first run carries them", async () => {
  const url = scripted(run(...text("a1", "x")));
  /** @type {any} */
  let held;
  world.site.override("/agui.wasm", (_request, response) => { held = response; });
  const page = await world.page();
  try {
    const before = await page.evaluate((url) => {
      const agent = globalThis.agent = new agui.HttpAgent({ url, initialState: { a: 1 } });
      agent.addMessage({ id: "u1", role: "user", content: "x" });
      agent.setState({ a: 2, b: 3 });
      agent.messages = [...agent.messages, { id: "u2", role: "user", content: "y" }];
      globalThis.running = agent.runAgent();
      return { messages: agent.messages.length, state: agent.state, running: agent.isRunning };
    }, url);
    assert.deepEqual(before, { messages: 2, state: { a: 2, b: 3 }, running: true });
    world.site.override("/agui.wasm", undefined);
    while (!held) await new Promise((r) => setTimeout(r, 20));
    const { readFile } = await import("node:fs/promises");
    held.writeHead(200, { "content-type": "application/wasm" });
    held.end(await readFile(new URL("../../../../dist/agui.wasm", import.meta.url)));
    const result = await page.evaluate(() => globalThis.running);
    assert.deepEqual(result.newMessages.map((/** @type {any} */ m) => m.content), ["x"]);
    const [body] = bodies(url);
    assert.deepEqual([body.messages.map((/** @type {any} */ m) => m.id), body.state], [["u1", "u2"], { a: 2, b: 3 }]);
  } finally {
    world.site.override("/agui.wasm", undefined);
    await page.done();
  }
});

test("a second runAgent is refused, in the same tick too and while headers are made; the first has its request",
  async () => {
  const url = scripted(run(...text("a1", "x")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({
      url, headers: async () => {
        await new Promise((r) => setTimeout(r, 20));
        return { accept: "text/event-stream" };
      },
    });
    const [first, second] = await Promise.allSettled([agent.runAgent(), agent.runAgent()]);
    const third = await agent.send("x").catch((/** @type {any} */ e) => e.code);
    return { first: first.status, second: second.reason?.code, message: second.reason?.message, third: third.outcome };
  }, url);
  assert.deepEqual([got.first, got.second, got.third], ["fulfilled", "bad_input", "success"]);
  assert.match(got.message, /abortRun/);
  assert.equal(server.seen(url).length, 2);
});

test("a run lasts through its response: later runs, what comes behind the end, and tools at the end (R02)",
  async () => {
  const result = { type: "TOOL_CALL_RESULT", messageId: "q1", toolCallId: "c1", content: "3 hits" };
  const second = [{ type: "RUN_STARTED", threadId: "t1", runId: "r2" }, result,
    ...call("c2", "open_map", "m2", '{"q":1}'), { type: "RUN_FINISHED", threadId: "t1", runId: "r2" }];
  const first = [started, ...text("a0", "x"), ...call("c1", "search", "m1", "{}"), finished()];
  for (const parts of [[[...first, ...second]], [first, second]]) {
    const url = scripted({ body: parts.map((part) => sse(...part)), delay: 300 }, run(...text("a3", "done")),
      run(...text("a4", "more")));
    const got = await inPage(async (/** @type {string} */ url) => {
      const calls = [];
      const agent = new agui.HttpAgent({
        url, tools: ["search", "open_map"].map((name) => ({
          name, description: "", handler: () => { calls.push(name); return "shown"; },
        })),
      });
      const { outcome, newMessages } = await agent.runAgent();
      const next = await agent.send("x");
      return {
        outcome, running: agent.isRunning, calls, ids: newMessages.map((/** @type {any} */ m) => m.content ?? m.id)
          .join(), next: next.outcome,
      };
    }, url);
    assert.deepEqual(got, {
      outcome: "success", running: false, calls: ["open_map"], ids: "x,m1,3 hits,m2,shown,done", next: "success",
    });
    assert.deepEqual(bodies(url).map((/** @type {any} */ body) => body.messages.length), [0, 5, 7]);
  }
});

test("a call that RUN_STARTED.input answers in a later run of the response is not run (a replayed thread)",
  async () => {
  const answer = { id: "q1", role: "tool", toolCallId: "c1", content: "blue" };
  const url = scripted([
    {
      type: "RUN_STARTED", threadId: "t1", runId: "s1", input: {
        threadId: "t1", runId: "s1", state: {}, messages: [{ id: "u1", role: "user", content: "q" }], tools: [],
        context: [], forwardedProps: {},
      },
    },
    ...call("c1", "f", "m1", "{}"), { type: "RUN_FINISHED", threadId: "t1", runId: "s1" },
    {
      type: "RUN_STARTED", threadId: "t1", runId: "s2", input: {
        threadId: "t1", runId: "s2", state: {}, messages: [{ id: "u1", role: "user", content: "q" }, answer], tools: [],
        context: [], forwardedProps: {},
      },
    },
    ...text("a2", "it is blue"), { type: "RUN_FINISHED", threadId: "t1", runId: "s2" },
    { type: "RUN_STARTED", threadId: "t1", runId: "s3" }, { type: "RUN_ERROR", message: "overloaded" },
    { type: "RUN_STARTED", threadId: "t1", runId: "s4" }, { type: "STATE_SNAPSHOT", snapshot: { n: 4 } },
    { type: "RUN_FINISHED", threadId: "t1", runId: "s4" },
  ]);
  const got = await inPage(async (/** @type {string} */ url) => {
    let calls = 0;
    const agent = new agui.HttpAgent({ url, tools: [{ name: "f", description: "", handler: () => calls++ }] });
    const { outcome } = await agent.runAgent();
    const branches = ["s1", "s2"].map((id) => agent.branch(id).messages.map((/** @type {any} */ m) => m.id).join());
    await agent.branch("s2").runAgent();
    return {
      outcome, calls, state: agent.state, branches, ids: agent.messages.map((/** @type {any} */ m) => m.id).join(),
    };
  }, url);
  assert.deepEqual(got, {
    outcome: "success", calls: 0, state: { n: 4 }, branches: ["u1,m1", "u1,m1,q1,a2"], ids: "u1,m1,q1,a2",
  });
  assert.deepEqual(bodies(url).map((/** @type {any} */ body) => body.parentRunId), [undefined, "s2"]);
});

test(
  "a server that keeps the connection open: the run is over a second after its end, comments or not; the next request waits for that", async () => {
  const url = scripted({ body: [sse(...run(...text("a1", "x"))), ":\n\n", ":\n\n", ":\n\n"], delay: 400, open: true },
    run(...text("a2", "y")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    /** @type {any} */
    let second;
    agent.watch((/** @type {any} */ event) => {
      if (event.type === "RUN_FINISHED" && !second) {
        setTimeout(() => { second = agent.send("next").then((/** @type {any} */ r) => r.outcome); });
      }
    });
    const { outcome, newMessages } = await agent.runAgent();
    return [outcome, newMessages.map((/** @type {any} */ m) => m.id).join(), await second,
      agent.messages.map((/** @type {any} */ m) => m.content).join()];
  }, url);
  assert.deepEqual(got, ["success", "a1", "success", "x,next,y"]);
  await server.seen(url)[0].gone;
});

test("what is set while a later run of the response still comes is kept with what comes after", async () => {
  const url =
    scripted({ body: [sse(...run(...text("a1", "x"))),
    sse({ type: "RUN_STARTED", threadId: "t1", runId: "r2" }, ...text("a2", "la", "te"),
      { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, { type: "RUN_FINISHED", threadId: "t1", runId: "r2" })],
        delay: 500 }, run());
  const got = await inPage(async (/** @type {string} */ url) => {
    await agui.ready;
    const agent = new agui.HttpAgent({ url });
    const ends = [];
    const at = [];
    await agent.runAgent({}, { onRunFinishedEvent: () => { if (ends.push(0) === 1) setTimeout(() => {
      agent.addMessage({ id: "u1", role: "user", content: "y" });
      agent.state = { page: true };
      at.push(agent.messages.map((/** @type {any} */ m) => m.id).join(), agent.state.page);
    }, 50); } });
    at.push(agent.messages.map((/** @type {any} */ m) => `${m.id}:${m.content}`).join(), agent.state.n);
    await agent.runAgent();
    return at;
  }, url);
  assert.deepEqual(got, ["a1,u1", true, "a1:x,u1:y,a2:late", 1]);
  assert.deepEqual([bodies(url)[1].messages.map((/** @type {any} */ m) => m.id).join(), bodies(url)[1].state],
    ["a1,u1,a2", { n: 1 }]);
});

test("tools answer although the server keeps the stream open", async () => {
  const url = scripted({ body: sse(...run(...call("c1", "f", "a1", "{}"))), open: true },
    { body: sse(...run(...text("a3", "x"))), open: true });
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({
      url, tools: [{ name: "f", description: "", handler: () => new Promise((r) => setTimeout(() => r("done"), 300)) }],
    });
    const result = await agent.runAgent();
    return [result.outcome, agent.messages.map((/** @type {any} */ m) => m.content ?? m.id).join()];
  }, url);
  assert.deepEqual(got, ["success", "a1,done,x"]);
});

test(
  "an abort keeps the text, closes the request at once, and the next run starts although the old server hangs (B70, B68)", async () => {
  const url = scripted({ body: sse(started, ...text("a1", "par", "t").slice(0, 3)), open: true },
    run(...text("a2", "whole")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    /** @type {string[]} */
    const told = [];
    agent.subscribe({ onRunFailed: () => { told.push("failed"); }, onRunFinalized: () => { told.push("finalized"); } });
    const first = agent.runAgent();
    while (agent.messages[0]?.content !== "part") await new Promise((r) => setTimeout(r, 5));
    agent.abortRun();
    agent.abortRun();
    const running = agent.isRunning;
    const second = agent.runAgent();
    return {
      first: await first, running, second: await second, messages: agent.messages, told,
      interrupts: agent.pendingInterrupts.length,
    };
  }, url);
  assert.equal(got.first.outcome, "aborted");
  assert.deepEqual(got.first.newMessages, [{ id: "a1", role: "assistant", content: "part" }]);
  assert.deepEqual([got.running, got.second.outcome, got.told, got.interrupts],
    [false, "success", ["finalized", "finalized"], 0]);
  assert.deepEqual(got.messages.map((/** @type {any} */ m) => m.content), ["part", "whole"]);
  await server.seen(url)[0].gone;
  assert.deepEqual(bodies(url)[1].messages, [{ id: "a1", role: "assistant", content: "part" }]);
});

test("an abort in the middle of a large chunk: page and agent hold the same", async () => {
  const url = scripted({ body: sse(started, ...text("a1", ...Array.from({ length: 2000 }, (_, i) => `${i} `))),
    open: true }, run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    let n = 0;
    const stop = agent.onChange(() => {});
    const first = agent.runAgent({}, { onMessagesChanged: () => { if (++n === 10) agent.abortRun(); } });
    await first;
    stop();
    const { content } = agent.messages[0];
    await agent.runAgent();
    return content;
  }, url);
  assert.equal(bodies(url)[1].messages[0].content, got);
});

test("abort before the answer, by an AbortController of the page's, and by dispose", async () => {
  const url = server.reply({ late: 5000 });
  const got = await inPage(async (/** @type {string} */ url) => {
    let asked = 0;
    const agent = new agui.HttpAgent({ url, fetch: (u, init) => { asked++; return fetch(u, init); } });
    const until = async (/** @type {number} */ n) => { while (asked < n) await new Promise((r) => setTimeout(r, 5)); };
    const out = [];
    let running = agent.runAgent();
    await until(1);
    agent.abortRun();
    out.push((await running).outcome);
    const controller = new AbortController();
    running = agent.runAgent({ abortController: controller });
    await until(2);
    controller.abort();
    out.push((await running).outcome);
    running = agent.runAgent({ abortController: controller });
    out.push((await running).outcome);
    running = agent.runAgent();
    agent.dispose();
    out.push((await running).outcome, await agent.runAgent().catch((/** @type {any} */ e) => e.code));
    await new Promise((r) => setTimeout(r, 50));
    return { out, asked, debug: { ...agui.debug(), wasmBytes: 0 } };
  }, url);
  assert.equal(got.asked, 2);
  assert.deepEqual(got.out, ["aborted", "aborted", "aborted", "aborted", "bad_input"]);
  assert.deepEqual(got.debug, { runs: 0, callbacks: 0, wasmBytes: 0 });
});

test("two agents never see each other's events", async () => {
  const one = scripted({
    body: [sse(started), ...["a", "b", "c"].map((x) => sse(...text(`one-${x}`, x))), sse(finished())], delay: 10,
  });
  const two = scripted({
    body: [sse(started), ...["d", "e", "f"].map((x) => sse(...text(`two-${x}`, x))), sse(finished())], delay: 10,
  });
  const got = await inPage(async (/** @type {string[]} */ [one, two]) => {
    const agents = [one, two].map((url) => new agui.HttpAgent({ url, threadId: "the same" }));
    /** @type {Set<string>[]} */
    const seen = [new Set(), new Set()];
    await Promise.all(agents.map((agent, i) =>
      agent.runAgent({}, { onEvent: ({ event }) => { if (event.messageId) seen[i].add(event.messageId); } })));
    return {
      seen: seen.map((s) => [...s].join()),
      messages: agents.map((a) => a.messages.map((/** @type {any} */ m) => m.id).join()),
    };
  }, [one, two]);
  assert.deepEqual(got, {
    seen: ["one-a,one-b,one-c", "two-d,two-e,two-f"], messages: ["one-a,one-b,one-c", "two-d,two-e,two-f"],
  });
});

test("what is set while a chunk's events are told is kept together with what has come already", async () => {
  const url = scripted(run(...text("a1", ..."abcdefghij"), { type: "STATE_SNAPSHOT", snapshot: { server: 1 } }), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    let once = true;
    /** @type {any[]} */
    const shown = [];
    await agent.runAgent({}, { onMessagesChanged: () => {
      if (!once) return;
      once = false;
      agent.addMessage({ id: "u1", role: "user", content: "in between" });
      agent.setState({ page: 1 });
      shown.push(agent.messages.map((/** @type {any} */ m) => m.id).join(), agent.state.page);
    } });
    await agent.runAgent();
    return {
      shown, messages: agent.messages.map((/** @type {any} */ m) => `${m.id}:${m.content}`), state: agent.state,
    };
  }, url);
  assert.deepEqual(got.shown, ["a1,u1", 1]);
  assert.deepEqual(got.messages, ["a1:abcdefghij", "u1:in between"]);
  assert.deepEqual(bodies(url)[1].messages.map((/** @type {any} */ m) => `${m.id}:${m.content}`), got.messages);
  assert.deepEqual(bodies(url)[1].state, got.state);
});

test("a program that dies: the run fails, messages and state stay and go to the fresh one", async () => {
  const url = scripted(run(...text("a1", "x"), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }), run(),
    run(...text("a2", "y")));
  const page = await world.page({ path: "/test/bare.html" });
  await page.evaluate(() => {
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...a) => {
      const instance = await instantiate.apply(WebAssembly, a);
      const exports = { ...instance.exports };
      const { push } = exports;
      exports.push = (...b) => {
        if (!globalThis.broken) return push(...b);
        globalThis.broken = false;
        throw new WebAssembly.RuntimeError("unreachable");
      };
      return new Proxy(instance, { get: (target, key) => (key === "exports" ? exports : Reflect.get(target, key)) });
    };
    WebAssembly.Instance = class extends WebAssembly.Instance { static [Symbol.hasInstance]() { return true; } };
  });
  await page.addScriptTag({ url: "/agui.js" });
  const got = await page.evaluate(async (url) => {
    const agent = new agui.HttpAgent({ url });
    const first = await agent.runAgent({ runId: "r1" });
    globalThis.broken = true;
    const failed = await agent.runAgent().catch((/** @type {any} */ e) => e.code);
    agent.addMessage({ id: "u", role: "user", content: "z" });
    const last = await agent.runAgent();
    return {
      outcomes: [first.outcome, failed, last.outcome], ids: agent.messages.map((/** @type {any} */ m) => m.id).join(),
      branch: agent.branch("r1").messages.map((/** @type {any} */ m) => m.id).join(),
    };
  }, url);
  await page.done();
  assert.deepEqual(got, { outcomes: ["success", "internal", "success"], ids: "a1,u,a2", branch: "a1" });
  const last = bodies(url)[2];
  assert.deepEqual([last.messages.map((/** @type {any} */ m) => m.id), last.state], [["a1", "u"], { n: 1 }]);
});

// ------------------------------------------------------------------------------------------------------------------ to

test("tools run side by side; results stand next to their calls; one follow-up carries them all (B89, B91)",
  async () => {
  const url = scripted(run(...call("c1", "slow", "a1", '{"n":', "1}"), ...call("c2", "none", "a1"),
    ...text("a2", "wait")), run(...text("a3", "done")));
  const got = await inPage(async (/** @type {string} */ url) => {
    /** @type {any[]} */
    const log = [];
    const agent = new agui.HttpAgent({ url, tools: [
      {
        name: "slow", description: "", handler: async (args, { toolCall, signal }) => {
          log.push(["slow", args, toolCall.id, signal instanceof AbortSignal]);
          await new Promise((r) => setTimeout(r, 50));
          log.push("slow done");
          return { sum: args.n };
        },
      },
      { name: "none", description: "", handler: (args) => { log.push(["none", args]); return "text"; } },
      { name: "declared", description: "only told" },
    ] });
    const running = [];
    const result = await agent.runAgent({}, { onRunFinalized: () => { running.push(agent.isRunning); } });
    return { log, result, running, messages: agent.messages, after: agent.isRunning };
  }, url);
  assert.deepEqual(got.log, [["slow", { n: 1 }, "c1", true], ["none", {}], "slow done"]);
  assert.deepEqual(got.messages.map((/** @type {any} */ m) => [m.role, m.toolCallId, m.content]),
    [["assistant", undefined, undefined], ["tool", "c1", '{"sum":1}'], ["tool", "c2", "text"],
      ["assistant", undefined, "wait"],
      ["assistant", undefined, "done"]].map((x) => x.map((y) => (y === undefined ? undefined : y))));
  assert.deepEqual([got.running, got.after, got.result.outcome, got.result.newMessages.length],
    [[true, false], false, "success", 5]);
  const [first, second] = bodies(url);
  assert.equal(bodies(url).length, 2);
  assert.deepEqual(first.tools.map((/** @type {any} */ t) => Object.keys(t)),
    [["name", "description"], ["name", "description"], ["name", "description"]]);
  assert.deepEqual(second.messages.map((/** @type {any} */ m) => m.toolCallId ?? m.id), ["a1", "c1", "c2", "a2"]);
  assert.notEqual(first.runId, second.runId);
});

test(
  "a handler's error is the message's; so is what is wrong with malformed arguments; foreign and unnamed calls are left alone (B91)", async () => {
  const pending = finished({ outcome: { type: "success", pendingToolCallIds: ["c1", "c2", "c3", "c5"] } });
  const url = scripted([started, ...call("c1", "f", "a1", '{"a":'), ...call("c2", "foreign", "a1", "{}"),
    ...call("c3", "f", "a1", "[1]"), ...call("c4", "f", "a1", "{}"), ...call("c5", "f", "a1", "{}"), pending], run());
  const got = await inPage(async (/** @type {string} */ url) => {
    let calls = 0;
    const agent = new agui.HttpAgent({ url });
    await agent.runAgent({
      tools: [{ name: "f", description: "", handler: () => { calls++; throw new RangeError("out of cheese"); } }],
    });
    return { calls, tool: agent.messages.filter((/** @type {any} */ m) => m.role === "tool").map(({ id, ...m }) => m) };
  }, url);
  const failed = (/** @type {string} */ toolCallId,
    /** @type {string} */ error) => ({ role: "tool", toolCallId, content: error, error });
  assert.deepEqual(got, { calls: 1, tool: [
    failed("c1", "the arguments are not valid JSON: expected a value, got the end of the text at byte 5"),
    failed("c3", "the arguments must be a JSON object"), failed("c5", "out of cheese"),
  ] });
  assert.equal(bodies(url)[1].messages.filter((/** @type {any} */ m) => m.role === "tool").length, 3);
});

test("rounds are limited, with a clear error", async () => {
  let n = 0;
  const url = server.reply(() => ({ body: sse(...run(...call(`c${++n}`, "f", `a${n}`, "{}"))) }));
  const got = await inPage(async (/** @type {string} */ url) => {
    let calls = 0;
    const make = (/** @type {any} */ more) =>
      new agui.HttpAgent({
        url, tools: [{ name: "f", description: "", handler: () => { calls++; return ""; } }], ...more,
      });
    const few = await make({ maxToolRounds: 2 }).runAgent().catch((/** @type {any} */ e) => e);
    const after = [few.code, few.message, calls];
    const agent = make({});
    const many = await agent.runAgent().catch((/** @type {any} */ e) => e);
    return { after, many: [many.code, calls], running: agent.isRunning };
  }, url);
  assert.equal(got.after[0], "bad_input");
  assert.match(got.after[1], /maxToolRounds allows 2/);
  assert.deepEqual([got.after[2], got.many, got.running], [2, ["bad_input", 12], false]);
});

test("an abort while tools run: their signal aborts, no follow-up is sent, the call stays unanswered (B93)",
  async () => {
  const url = scripted(run(...call("c1", "f", "a1", "{}")), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    let aborted = false;
    const agent = new agui.HttpAgent({
      url, tools: [{
        name: "f", description: "", handler: (_args, { signal }) => new Promise((resolve) => {
          signal.onabort = () => { aborted = true; resolve("too late"); };
          setTimeout(() => agent.abortRun(), 20);
        }),
      }],
    });
    const result = await agent.runAgent();
    await new Promise((r) => setTimeout(r, 50));
    return {
      outcome: result.outcome, aborted,
      tools: agent.messages.filter((/** @type {any} */ m) => m.role === "tool").length,
    };
  }, url);
  assert.deepEqual(got, { outcome: "aborted", aborted: true, tools: 0 });
  assert.equal(server.seen(url).length, 1);
});

// -------------------------------------------------------------------------------------------------------------- approv

test("interrupts: every field, refused in part, resumed whole and once, with the server's own result (B84, B86, B88)",
  async () => {
  const list = [{ id: "i1", reason: "tool_call", toolCallId: "c1", message: "?", responseSchema: { type: "string" },
    expiresAt: "2999-01-01T00:00:00Z", metadata: { k: 1 } }, { id: "i2", reason: "input_required" }];
  const url = scripted([started, ...call("c1", "deploy", "a1", "{}"), interrupts(...list)],
    [started, { type: "TOOL_CALL_RESULT", messageId: "q1", toolCallId: "c1", role: "tool", content: "deployed" },
      finished()]);
  const got = await inPage(async (/** @type {string} */ url) => {
    let handled = 0;
    const agent = new agui.HttpAgent({
      url, tools: [{ name: "deploy", description: "", handler: () => { handled++; } }],
    });
    const first = await agent.runAgent();
    const open = agent.pendingInterrupts;
    const refused = [];
    for (const resume of [undefined, [{ interruptId: "i1", status: "resolved" }],
      [{ interruptId: "i1", status: "resolved" }, { interruptId: "i2", status: "cancelled" },
        { interruptId: "i3", status: "cancelled" }]]) {
      refused.push(await agent.runAgent({ resume }).catch((/** @type {any} */ e) => [e.code, e.message]));
    }
    const last = await agent.resume([{ interruptId: "i1", status: "resolved", payload: { ok: true } },
      { interruptId: "i2", status: "cancelled" }], { runId: "mine" });
    const none = await agent.resume([]).catch((/** @type {any} */ e) => e.code);
    return {
      first: first.outcome, open, refused, last: last.outcome, left: agent.pendingInterrupts.length, none, handled,
      messages: agent.messages.map((/** @type {any} */ m) => m.content ?? m.id),
    };
  }, url);
  assert.deepEqual(got.open, list);
  assert.deepEqual(got.refused.map(([code]) => code), ["bad_input", "bad_input", "bad_input"]);
  assert.match(got.refused[0][1], /i1, i2/);
  assert.match(got.refused[1][1], /: i2$/);
  assert.match(got.refused[2][1], /i3/);
  assert.deepEqual([got.first, got.last, got.left, got.none, got.handled, got.messages],
    ["interrupt", "success", 0, "bad_input", 0, ["a1", "deployed"]]);
  assert.equal(bodies(url).length, 2);
  assert.deepEqual([bodies(url)[1].runId, bodies(url)[1].resume],
    ["mine", [{ interruptId: "i1", status: "resolved", payload: { ok: true } }, {
      interruptId: "i2", status: "cancelled",
    }]]);
});

test("a resume whose request fails keeps the interrupts", async () => {
  const url = scripted([started, interrupts({ id: "i1", reason: "confirmation" })], { status: 503 },
    { body: sse(started, { type: "RUN_ERROR", message: "no" }) }, run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    await agent.runAgent();
    const out = [];
    for (let i = 0; i < 3; i++) {
      out.push(await agent.resume([{ interruptId: "i1", status: "resolved" }])
        .then((r) => r.outcome, (/** @type {any} */ e) => e.code), agent.pendingInterrupts.length);
    }
    return out;
  }, url);
  assert.deepEqual(got, ["http_status", 1, "run_error", 1, "success", 0]);
});

test("onInterrupt answers and the run goes on by itself; what it leaves stays open", async () => {
  const url = scripted([started, interrupts({ id: "i1", reason: "confirmation" },
    { id: "i2", reason: "confirmation" })], [started, interrupts({ id: "i3", reason: "x" })], run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, onInterrupt: async (interrupt, { agent: self }) => {
      await new Promise((r) => setTimeout(r, 10));
      if (interrupt.id === "i3") throw new Error("nobody is there");
      return interrupt.id === "i1" ? { status: "resolved", payload: self.pendingInterrupts.length }
        : { status: "cancelled" };
    } });
    const result = await agent.runAgent();
    return { outcome: result.outcome, open: agent.pendingInterrupts.map((i) => i.id), running: agent.isRunning };
  }, url, { uncaught: ["Error: nobody is there"] });
  assert.deepEqual(got, { outcome: "interrupt", open: ["i3"], running: false });
  assert.deepEqual(bodies(url)[1].resume,
    [{ status: "resolved", payload: 2, interruptId: "i1" }, { status: "cancelled", interruptId: "i2" }]);
  assert.equal(bodies(url).length, 2);
});

test("the older dialect is offered the same way, and the outcome wins over it (B102)", async () => {
  const asked = { type: "CUSTOM", name: "on_interrupt", value: JSON.stringify({ question: "age?" }) };
  const url = scripted([started, asked, finished()], [started, asked, interrupts({ id: "i1", reason: "x" })], run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    /** @type {any[]} */
    const custom = [];
    const first = await agent.runAgent({}, { onCustomEvent: ({ event }) => { custom.push(event.value); } });
    const [open] = agent.pendingInterrupts;
    await agent.resume([{ interruptId: open.id, status: "resolved", payload: 42 }]);
    const next = agent.pendingInterrupts.map((i) => i.id);
    await agent.resume([{ interruptId: "i1", status: "resolved", payload: 43 }]);
    return { first: first.outcome, custom, open, next };
  }, url);
  assert.deepEqual([got.first, got.custom, got.next], ["interrupt", ['{"question":"age?"}'], ["i1"]]);
  assert.deepEqual([got.open.message, got.open.metadata.value], ["age?", { question: "age?" }]);
  assert.deepEqual([bodies(url)[1].forwardedProps, bodies(url)[1].resume], [{ command: { resume: 42 } }, undefined]);
  assert.equal(bodies(url)[2].resume[0].payload, 43);
});

// ------------------------------------------------------------------------------------------- sending, history, time tr

test("send makes the right parts of files", async () => {
  const url = scripted(run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    await agent.send(["look", new File([new Uint8Array([1, 2, 3])], "a.png", { type: "image/png" }),
      new Blob(["{}"], { type: "application/json" }), {
        type: "image", source: { type: "url", value: "https://x.test/i.png" },
      }]);
    const wrong = [];
    for (const bad of [[], [5], 5, null]) {
      wrong.push(await agent.send(bad).catch((/** @type {any} */ e) => e instanceof TypeError));
    }
    return wrong;
  }, url);
  assert.deepEqual(got, [true, true, true, true]);
  assert.deepEqual(bodies(url)[0].messages[0].content, [
    { type: "text", text: "look" },
    { type: "image", source: { type: "data", value: "AQID", mimeType: "image/png" }, metadata: { filename: "a.png" } },
    { type: "document", source: { type: "data", value: "e30=", mimeType: "application/json" } },
    { type: "image", source: { type: "url", value: "https://x.test/i.png" } },
  ]);
});

test("history \"new\" sends what the thread has not had, with results and their calls", async () => {
  const url = scripted(run(...call("c1", "f", "a1", "{}")), { status: 500 }, run(...text("a2", "x")), run());
  await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({
      url, history: "new", initialMessages: [{ id: "u1", role: "user", content: "x" }],
    });
    await agent.runAgent();
    agent.addMessages([{ id: "q1", role: "tool", toolCallId: "c1", content: "r" }, {
      id: "u2", role: "user", content: "y",
    }]);
    await agent.runAgent().catch(() => {});
    await agent.runAgent();
    agent.addMessage({ id: "u3", role: "user", content: "z" });
    await agent.runAgent();
  }, url);
  assert.deepEqual(bodies(url).map((b) => b.messages.map((/** @type {any} */ m) => m.id).join()),
    ["u1", "a1,q1,u2", "a1,q1,u2", "u3"]);
});

test("branch: the conversation as it was, with every number as it came, and parentRunId once", async () => {
  const state = (/** @type {string} */ n) => `data: {"type":"STATE_SNAPSHOT","snapshot":{"big":${n},"f":1.0}}\n\n`;
  const script = (/** @type {string} */ id,
    /** @type {string} */ n) => ({ body: sse(started, ...text(id, id)) + state(n) + sse(finished()) });
  const url = scripted(script("a1", "12345678901234567890"), script("a2", "2"), run(), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, threadId: "t1", headers: { accept: "text/event-stream" } });
    await agent.send("one", { runId: "r1" });
    await agent.send("two", { runId: "r2" });
    const branch = agent.branch("r1");
    const ids = branch.messages.map((/** @type {any} */ m) => m.content);
    const same = branch.messages[1] === agent.messages[1];
    branch.addMessage({ id: "u", role: "user", content: "other" });
    await branch.patchState([{ op: "add", path: "/page", value: true }]);
    await branch.runAgent();
    await branch.runAgent();
    const none = (() => { try { agent.branch("r9"); return ""; } catch (e) { return e.code; } })();
    return {
      ids, same, thread: branch.threadId, kind: branch instanceof agui.HttpAgent, untouched: agent.messages.length,
      none,
    };
  }, url);
  assert.deepEqual(got, { ids: ["one", "a1"], same: true, thread: "t1", kind: true, untouched: 4, none: "bad_input" });
  assert.match(server.seen(url)[2].body,
    /"parentRunId":"r1".*"state":\{"big":12345678901234567890,"f":1\.0,"page":true\}/);
  assert.deepEqual(bodies(url)[2].messages.map((/** @type {any} */ m) => m.content), ["one", "a1", "other"]);
  assert.equal(bodies(url)[3].parentRunId, undefined);
});

test("patchState: at once, all or nothing, the failing operation named, before the WebAssembly too", async () => {
  const url = scripted(run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, initialState: { a: { b: 1 }, c: {} } });
    const { c } = agent.state;
    let told = 0;
    agent.subscribe({ onStateChanged: () => { told++; } });
    await agent.patchState([{ op: "replace", path: "/a/b", value: 2 }]);
    agent.patchState([{ op: "add", path: "/a/d", value: 3 }]);
    const atOnce = agent.state.a.d;
    const failed = await agent.patchState([{ op: "remove", path: "/c" }, { op: "remove", path: "/nope" }])
      .catch((/** @type {any} */ e) => [e.code, e.message]);
    const wrong = await agent.patchState({}).catch((/** @type {any} */ e) => e instanceof TypeError);
    await agent.runAgent();
    return { state: agent.state, same: agent.state.c === c, atOnce, failed, wrong, told };
  }, url);
  assert.deepEqual([got.state, got.same, got.atOnce, got.wrong, got.told],
    [{ a: { b: 2, d: 3 }, c: {} }, true, 3, true, 2]);
  assert.equal(got.failed[0], "bad_input");
  assert.match(got.failed[1], /nope/);
  assert.deepEqual(bodies(url)[0].state, got.state);
});

// ------------------------------------------------------------------------------------------------------- changes, hook

test("onChange: at most once per frame, at once for the last change, with stable snapshots, in a hidden tab too",
  async () => {
  const url = scripted({ body: [sse(started), ...Array.from({ length: 60 }, (_, i) => sse(...text(`m${i}`, ..."abc"))),
    sse(finished())], delay: 4 }, run(...text("z", "x")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    let frames = 0;
    let stop = false;
    const count = () => { frames++; if (!stop) requestAnimationFrame(count); };
    requestAnimationFrame(count);
    /** @type {any[]} */
    const told = [];
    const off = agent.onChange((now) => told.push(now));
    await agent.runAgent();
    const last = told.at(-1);
    stop = true;
    const result = {
      calls: told.length, frames, last: [last.messages.length, last.isRunning, last.messages === agent.messages,
        last.state === agent.state],
    };
    globalThis.requestAnimationFrame = () => 0; // as in a hidden tab: no frame comes
    const before = told.length;
    agent.addMessage({ id: "u", role: "user", content: "" });
    await new Promise((r) => setTimeout(r, 300));
    const hidden = told.length - before;
    off();
    agent.setState(1);
    await new Promise((r) => setTimeout(r, 150));
    return { ...result, hidden, afterOff: told.length - before - hidden };
  }, url);
  assert.ok(got.calls > 3 && got.calls <= got.frames + 3, JSON.stringify(got));
  assert.deepEqual([got.last, got.hidden, got.afterOff], [[60, false, true, true], 1, 0]);
});

test("watch: each event with the snapshots as of it, holding nothing up; what it throws is reported; it can be stopped",
  async () => {
  const url = scripted(run(...text("a1", "x", "y")), run(...text("a2", "z")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    /** @type {string[]} */
    const told = [];
    const stop = agent.watch((event) => told.push(`${event.type} ${agent.messages.at(-1)?.content ?? ""}`));
    const stopThrowing = agent.watch(() => { throw new Error("watching"); });
    await agent.runAgent();
    stopThrowing();
    stop();
    await agent.runAgent();
    return told;
  }, url, { uncaught: ["Error: watching"] });
  assert.deepEqual(got, [
    "RUN_STARTED ", "TEXT_MESSAGE_START ", "TEXT_MESSAGE_CONTENT x", "TEXT_MESSAGE_CONTENT xy", "TEXT_MESSAGE_END xy",
    "RUN_FINISHED xy",
  ]);
});

test("a throwing hook goes to reportError; an onChange that throws too; the run goes on", async () => {
  const url = scripted(run(...text("a1", "x")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    let after = 0;
    agent.onChange(() => { throw new Error("a"); });
    agent.subscribe({ onTextMessageContentEvent: () => { throw new Error("b"); } });
    agent.subscribe({ onTextMessageContentEvent: () => { after++; } });
    const result = await agent.runAgent();
    return [result.outcome, after, agent.messages[0].content];
  }, url, { uncaught: ["Error: a", "Error: b"] });
  assert.deepEqual(got, ["success", 1, "x"]);
});

test("custom agents: a subclass or the option run gives an async iterable, an array, a Response or a promise of one",
  async () => {
  const url = scripted(run(...text("a1", "over HTTP")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const events = [T.started, ...T.text("m", "x"), T.finished];
    class Own extends agui.AbstractAgent {
      async *run(/** @type {any} */ input) {
        yield* [T.started, ...T.text("m", `${input.messages.length}`), T.finished];
      }
    }
    const agents = [
      new Own({ initialMessages: [{ id: "u", role: "user", content: "" }] }),
      new agui.AbstractAgent({ run: () => events }),
      new agui.AbstractAgent({
        run: () => fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
      }),
      new agui.AbstractAgent({
        run: async () => new Response(T.sse(...events), { headers: { "content-type": "text/event-stream" } }),
      }),
      new agui.AbstractAgent({ run: () => 5 }),
      new agui.AbstractAgent(),
    ];
    const out = [];
    for (const agent of agents) {
      out.push(await agent.runAgent().then(() => agent.messages.at(-1).content, (/** @type {any} */ e) => e.code));
    }
    return out;
  }, url);
  assert.deepEqual(got.slice(0, 4), ["1", "x", "over HTTP", "x"]);
  assert.ok(got.slice(4).every((/** @type {string} */ code) => typeof code === "string" && code !== "x"), got.join());
});

test("middleware around a request: what it does not touch goes to the agent as it came", async () => {
  const first = {
    body: `${sse(started, ...text("a1", "x"))}data: {"type":"STATE_SNAPSHOT","snapshot":{"big":12345678901234567890}}\n\n${sse(finished())}`,
  };
  const url = scripted(first, run(), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    await agent.runAgent();
    agent.use((/** @type {any} */ input, /** @type {any} */ next) =>
      next.run({ ...input, messages: [...input.messages, { id: "mw", role: "user", content: "by middleware" }] }));
    await agent.runAgent();
    agent.use((/** @type {any} */ input, /** @type {any} */ next) => next.run({ ...input, state: { changed: true } }));
    await agent.runAgent();
    return agent.messages.length;
  }, url);
  assert.equal(got, 1);
  const [, second, third] = server.seen(url);
  assert.match(second.body, /"state":\{"big":12345678901234567890\},"messages":\[\{"id":"a1"[^\]]*"id":"mw"/);
  assert.match(third.body, /"state":\{"changed":true\}/);
});

test("a subclass's requestInit, and fields that change between runs", async () => {
  const url = scripted(run(), run());
  await inPage(async (/** @type {string} */ url) => {
    class Signed extends agui.HttpAgent {
      requestInit(/** @type {any} */ input) {
        const init = super.requestInit(input);
        return { ...init, headers: { ...init.headers, "x-thread": input.threadId } };
      }
    }
    const agent = new Signed({ url: "https://nowhere.test/", threadId: "t7", headers: { "x-a": "1" } });
    agent.url = url;
    await agent.runAgent();
    agent.headers = { "x-a": "2" };
    agent.threadId = "t8";
    await agent.clone().runAgent();
  }, url);
  assert.deepEqual(server.seen(url).map((seen) => [seen.headers["x-thread"], seen.headers["x-a"], seen.json.threadId]),
    [["t7", "1", "t7"], ["t8", "2", "t8"]]);
});

test("an abortController that is none is refused, and one that throws still ends the run", async () => {
  const url = scripted();
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    const { signal } = new AbortController();
    const refused = [];
    for (const abortController of [0, "", false, NaN, 5, {}, { signal }, { abort() {}, signal: {} }]) {
      refused.push(await agent.runAgent({ abortController })
        .catch((/** @type {any} */ e) => `${e.constructor.name} ${agent.isRunning}`));
    }
    const running = agent.runAgent({ abortController: { signal, abort() { throw new Error("a"); } } });
    agent.abortRun();
    const { outcome } = await running;
    return { refused, outcome, isRunning: agent.isRunning };
  }, url, { uncaught: ["Error: a"] });
  assert.deepEqual([...new Set(got.refused)], ["TypeError false"]);
  assert.deepEqual([got.outcome, got.isRunning], ["aborted", false]);
});

test("what the page's own fields keep from being sent ends the run with bad_input, whatever was thrown", async () => {
  const url = scripted();
  const got = await inPage(async (/** @type {string} */ url) => {
    /** @type {[string, any][]} */
    const fields = [["threadId", { toJSON() { throw null; } }], ["url", undefined], ["headers", "x"], ["fetch", 5],
      ["threadId", 5n]];
    const codes = [];
    for (const [name, value] of fields) {
      const agent = new agui.HttpAgent({ url });
      agent[name] = value;
      codes.push(await agent.runAgent()
        .then(() => "resolved", (/** @type {any} */ e) => `${e.code} ${agent.isRunning}`));
    }
    return codes;
  }, url);
  assert.deepEqual(got, Array(5).fill("bad_input false"));
  assert.equal(server.seen(url).length, 0);
});

test("patchState in a handler of the chunk that ends the run: it settles, and page and agent hold it", async () => {
  const bad = "data: {\n\n";
  const url = scripted({ body: sse(started, ...text("a1", "x")) + bad }, run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, initialState: { a: 1 } });
    /** @type {Promise<string> | undefined} */
    let patched;
    agent.watch((/** @type {any} */ event) => {
      if (event.type === "TEXT_MESSAGE_CONTENT") {
        patched = agent.patchState([{ op: "add", path: "/b", value: 2 }]).then(() => "patched");
      }
    });
    const code = await agent.runAgent().catch((/** @type {any} */ e) => e.code);
    const settled = await Promise.race([patched, T.sleep(500).then(() => "never")]);
    const { state } = agent;
    await agent.runAgent();
    return { code, settled, state };
  }, url);
  assert.deepEqual(got, { code: "bad_event", settled: "patched", state: { a: 1, b: 2 } });
  assert.deepEqual(bodies(url)[1].state, { a: 1, b: 2 });
});

test("wrong kinds of argument throw at once, malformed messages and tools are refused before a byte is sent, by name",
  async () => {
  const url = scripted();
  const got = await inPage(async (/** @type {string} */ url) => {
    const thrown = (/** @type {() => void} */ f) => {
      try { f(); return "nothing"; } catch (e) { return e.constructor.name; }
    };
    const agent = new agui.HttpAgent({ url });
    const types = [
      () => new agui.HttpAgent({}), () => new agui.HttpAgent({ url: 5 }), () => new agui.HttpAgent({ url, tools: {} }),
      () => new agui.HttpAgent({ url, history: "some" }),
      () => new agui.HttpAgent({ url, initialMessages: {} }), () => new agui.HttpAgent({ url, maxToolRounds: -1 }),
      () => { agent.messages = {}; },
      () => agent.addMessage(5), () => { agent.state = () => {}; }, () => agent.onChange(), () => agent.watch(),
      () => agent.use(5), () => agent.subscribe(), () => agent.branch(),
    ].map(thrown);
    const refused = [];
    const attempt = async (/** @type {any} */ setup, /** @type {any} */ parameters) => {
      const a = new agui.HttpAgent({ url });
      setup(a);
      refused.push(await a.runAgent(parameters).catch((/** @type {any} */ e) => `${e.code}: ${e.message}`));
    };
    await attempt((a) => a.addMessages([{ id: "1", role: "user", content: "x" }, { id: "2", role: "user" }]));
    await attempt((a) => a.addMessage({ id: "2", role: "nobody", content: "" }));
    await attempt(() => {}, { tools: [{ name: "x", description: 5 }] });
    await attempt(() => {}, { resume: [{ interruptId: "x", status: "maybe" }] });
    const mended = new agui.HttpAgent({ url });
    mended.addMessage({ id: "1", role: "user" });
    await mended.runAgent().catch(() => {});
    mended.messages = [{ id: "1", role: "user", content: "ok" }];
    refused.push((await mended.runAgent()).outcome);
    return { types, refused };
  }, url);
  assert.deepEqual([...new Set(got.types)], ["TypeError"]);
  assert.match(got.refused[0], /^bad_input: .*messages\[1\]\.content/);
  assert.match(got.refused[1], /^bad_input: .*messages\[0\]\.role/);
  assert.match(got.refused[2], /^bad_input: .*tools\[0\]\.description/);
  assert.match(got.refused[3], /^bad_input: .*resume\[0\]\.status/);
  assert.equal(got.refused[4], "success");
  assert.equal(server.seen(url).length, 1);
});
