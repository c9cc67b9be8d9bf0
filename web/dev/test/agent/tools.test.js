// The page's tools over real HTTP: limits, approvals, schemas, and what the browser's own agents are offered.
import test from "node:test";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { people } from "./people.js";
import { call, finished, run } from "./scripted.js";

const { bodies, inPage, page, requests, scripted } = people();

test("handlers: a time limit, a late result after an abort or a thread switch, and one run of each call on a page",
  async () => {
  const calls = (/** @type {string} */ n) =>
    run(...call(`s${n}`, "slow", `m${n}`, "{}"), ...call(`q${n}`, "quick", `m${n}`, "{}"));
  const deaf = run(...call("s2", "slow", "m2", "{}"), ...call("q2", "deaf", "m2", "{}"));
  const url = scripted(calls("1"), run(), deaf, calls("3"), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const log = [];
    const agent = new agui.HttpAgent({ url, tools: [
      { name: "slow", description: "", timeoutMs: 100, handler: (_args, { signal }) => new Promise((resolve) => {
        signal.addEventListener("abort", () => { log.push("aborted"); setTimeout(() => resolve("late"), 50); });
      }) },
      { name: "quick", description: "", handler: () => "quick" },
      { name: "deaf", description: "", handler: () => new Promise(() => {}) },
    ] });
    await agent.send("1");
    const limited = agent.messages.filter((/** @type {any} */ m) => m.role === "tool")
      .map((/** @type {any} */ m) => [m.toolCallId, m.content, m.error]);
    // An abort while handlers run.
    const second = agent.send("2");
    while (agent.pendingToolCallIds.length > 0 || !agent.messages.some((/** @type {any} */ m) => m.id === "m2")) {
      await new Promise((r) => setTimeout(r, 5));
    }
    await new Promise((r) => setTimeout(r, 50));
    agent.abortRun();
    const outcome = (await second).outcome;
    await new Promise((r) => setTimeout(r, 150));
    const none = agent.messages.some((/** @type {any} */ m) => m.toolCallId === "s2" || m.toolCallId === "q2");
    // A thread switch while handlers run.
    const third = agent.send("3");
    while (!agent.messages.some((/** @type {any} */ m) => m.id === "m3")) await new Promise((r) => setTimeout(r, 5));
    await new Promise((r) => setTimeout(r, 30));
    agent.threadId = "another";
    agent.setMessages([]);
    await third;
    return { limited, outcome, none, log, after: agent.messages.length };
  }, url);
  assert.deepEqual(got, {
    limited: [["s1", "The tool has not answered within 100 ms", "The tool has not answered within 100 ms"],
      ["q1", "quick", undefined]],
    outcome: "aborted", none: false, log: ["aborted", "aborted", "aborted"], after: 0,
  });
  assert.equal(bodies(url).length, 4);
  assert.match(requests(url)[3], /m2 s2=not finished q2=not finished 3$/);
});

test("a tool that needs approval waits; approve runs its handler once, a refusal is told", async () => {
  const url = scripted(run(...call("a1", "buy", "m1", '{"n":1}'), ...call("a2", "buy", "m1", '{"n":500}'),
    ...call("a3", "drop", "m1", "{}")), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const ran = [];
    const handler = (/** @type {any} */ args) => { ran.push(args.n ?? "drop"); return "ok"; };
    const agent = new agui.HttpAgent({ url, tools: [
      { name: "buy", description: "", needsApproval: (/** @type {any} */ { n }) => n > 100, handler },
      { name: "drop", description: "", needsApproval: true, handler },
    ] });
    await agent.send("1");
    const waits = [...agent.pendingToolCallIds];
    const before = [...ran];
    const pending = await agent.answerPending();
    const first = await agent.approve("a2");
    const again = await agent.approve("a2").catch((/** @type {any} */ e) => e.code);
    const last = await agent.approve("a3", false);
    return { waits, before, pending, first: first.outcome ?? null, again, last: last.outcome, ran };
  }, url);
  assert.deepEqual(got, {
    waits: ["a2", "a3"], before: [1], pending: null, first: null, again: "bad_input", last: "success", ran: [1, 500],
  });
  assert.deepEqual(requests(url), ["1", "1 m1 a1=ok a2=ok a3=Rejected by the user"]);
});

test(
  "tools from schema objects: what is sent is JSON Schema, validate judges, anything else is a TypeError (R11); tools come and go", async () => {
  const url = scripted(run(...call("c1", "log", "m1", '{"n":"x"}'), ...call("c2", "log", "m1", '{"n":1}')), run(),
    run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const seen = [];
    const schema = {
      "~standard": {
        version: 1, vendor: "x", jsonSchema: {
          input: () => ({ type: "object", properties: { n: { type: "number" } } }),
        },
        validate: async (/** @type {any} */ value) => (typeof value.n === "number" ? { value: { n: value.n + 1 } }
          : { issues: [{ message: "no number", path: ["n"] }] }),
      },
    };
    let there = true;
    const agent = new agui.HttpAgent({ url, tools: [
      {
        name: "log", description: "", parameters: schema, handler: (/** @type {any} */ args) => {
          seen.push(args);
          agent.setTools([{ name: "next", description: "", parameters: { toJSONSchema: () => ({ type: "object" }) } }]);
        },
      },
      { name: "away", description: "", available: () => there, parameters: { type: "object" } },
    ] });
    await agent.send("1");
    there = false;
    const refused = [];
    for (const parameters of [5, "x", [], { a: () => {} }, { a: { b: new Map() } }, { a: Infinity },
      { "~standard": { validate: () => {} } }, new (class A {})()]) {
      try {
        agent.setTools([{ name: "t", description: "", parameters }]);
        refused.push("taken");
      } catch (thrown) {
        refused.push(thrown.name);
      }
    }
    return {
      seen, refused, told: agent.messages.filter((/** @type {any} */ m) => m.role === "tool")
        .map((/** @type {any} */ m) => m.error ?? null),
    };
  }, url);
  assert.deepEqual(got, {
    seen: [{ n: 2 }], refused: Array(8).fill("TypeError"), told: ["The arguments do not fit: n: no number", null],
  });
  const [first, second] = bodies(url);
  assert.deepEqual(first.tools, [
    { name: "log", description: "", parameters: { type: "object", properties: { n: { type: "number" } } } },
    { name: "away", description: "", parameters: { type: "object" } },
  ]);
  assert.deepEqual(second.tools, [{ name: "next", description: "", parameters: { type: "object" } }]);
});

test("tools from zod 4, valibot and arktype: JSON Schema is sent, and what they refuse the model can mend (R11)",
  async () => {
  const { outputFiles } = await build({
    stdin: { resolveDir: import.meta.dirname, contents: `
      import { z } from "zod";
      import * as v from "valibot";
      import { type } from "arktype";
      globalThis.schemas = {
        zod: z.object({ n: z.number().min(1), word: z.string().default("none") }),
        arktype: type({ n: "number >= 1", "word?": "string" }),
        valibot: v.object({ n: v.pipe(v.number(), v.minValue(1)), word: v.optional(v.string(), "none") }),
      };` },
    bundle: true, write: false, format: "iife", minify: true,
  });
  const names = ["zod", "arktype", "valibot"];
  const url =
    scripted(run(...names.flatMap((name) =>
    [...call(`${name}0`, name, "m1", '{"n":0}'), ...call(`${name}1`, name, "m1", '{"n":1}')])), run());
  const own = await page();
  await own.evaluate(`${outputFiles[0].text};0`);
  const got = await own.evaluate(async (/** @type {string} */ url) => {
    const seen = /** @type {any} */ ({});
    const tools = [];
    let mute = "";
    for (const [name, parameters] of Object.entries(/** @type {any} */ (globalThis).schemas)) {
      const tool = { name, description: "", parameters, handler: (/** @type {any} */ args) => { seen[name] = args; } };
      try {
        new agui.HttpAgent({ url, tools: [tool] });
        tools.push(tool);
      } catch (thrown) {
        // A library that gives no JSON Schema by itself: the page says it, the library still judges.
        mute += `${name} ${/** @type {any} */ (thrown).name}`;
        const standard = {
          ...parameters["~standard"], jsonSchema: {
            input: () => ({ type: "object", properties: { n: { type: "number", minimum: 1 } } }),
          },
        };
        tools.push({ ...tool, parameters: { "~standard": standard } });
      }
    }
    const agent = new agui.HttpAgent({ url, tools });
    await agent.send("go");
    return {
      seen, mute, told: agent.messages.filter((/** @type {any} */ m) => m.role === "tool")
        .map((/** @type {any} */ m) => [m.toolCallId, (m.error ?? "").slice(0, 26)]),
    };
  }, url);
  await own.done();
  assert.deepEqual(got.seen, { zod: { n: 1, word: "none" }, arktype: { n: 1 }, valibot: { n: 1, word: "none" } });
  assert.deepEqual(got.told, names.flatMap((name) => [[`${name}0`, "The arguments do not fit: "], [`${name}1`, ""]]));
  assert.equal(got.mute, "valibot TypeError");
  for (const { parameters } of bodies(url)[0].tools) {
    assert.equal(parameters.type, "object");
    assert.equal(parameters.properties.n.minimum, 1);
    assert.equal(JSON.stringify(parameters).includes("~standard"), false);
  }
});
