// People in the loop: calls that wait, answers, dismissals; by the agent's API and in the view, over real HTTP.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";
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
  return server.reply(() => {
    const script = scripts[n++] ?? run();
    return Array.isArray(script) ? { body: sse(...script) } : script;
  });
}

/** Events in two parts, with a wait between them. */
const slow = (/** @type {any[]} */ first, /** @type {any[]} */ second,
  ms = 400) => ({ body: [sse(...first), sse(...second)], delay: ms });

const bodies = (/** @type {string} */ url) => server.seen(url).map((/** @type {any} */ seen) => seen.json);
/** A request's messages, each in a word: a tool message is its call and its content. */
const brief = (/** @type {any} */ body) =>
  body.messages.map((/** @type {any} */ m) => (m.role === "tool" ? `${m.toolCallId}=${m.content}` : m.role === "user"
  ? m.content : m.id)).join(" ");
const requests = (/** @type {string} */ url) => bodies(url).map(brief);

async function inPage(/** @type {Function} */ f, /** @type {any} */ argument) {
  const page = await world.page();
  try {
    const got = await page.evaluate(/** @type {any} */ (f), argument);
    assert.deepEqual(page.uncaught, []);
    return got;
  } finally {
    await page.done();
  }
}

/** A page with a chat of that URL and, in it, renderers whose parts answer. */
async function chat(/** @type {string} */ url, /** @type {string} */ options = "{}") {
  const page = await world.page();
  await page.evaluate(async ([url, options]) => {
    document.body.innerHTML = '<main id="chat"></main>';
    const given = (0, eval)(`(${options})`);
    globalThis.seen = [];
    globalThis.mounted = agui.mount("#chat", { url, lang: "en", ...given });
    await mounted.ready;
  }, [url, options]);
  await page.locator("#chat .input").waitFor();
  return page;
}

const until = (/** @type {() => boolean} */ what, ms = 8000) => new Promise((resolve, reject) => {
  const end = Date.now() + ms;
  const look = () => (what() ? resolve(undefined) : Date.now() > end ? reject(new Error(`not in time: ${what}`))
    : setTimeout(look, 20));
  look();
});
const quiet = (ms = 300) => new Promise((resolve) => setTimeout(resolve, ms));

const ask = (/** @type {string} */ id, parent = "m1") => call(id, "ask", parent, "{}");

test("a call waits once its run is over, and the run follows its answer (R08)", async () => {
  const url = scripted(run(...ask("c1")), run(...text("a2", "thanks")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    const during = [];
    agent.watch(() => { during.push(agent.pendingToolCallIds.length); });
    await agent.send("go");
    const waits = [...agent.pendingToolCallIds];
    const same = agent.pendingToolCallIds === agent.pendingToolCallIds;
    const result = await agent.answer("c1", { colour: "blue" });
    const twice = await agent.answer("c1", "x").catch((/** @type {any} */ e) => `${e.code}: ${e.message}`);
    const unknown = await agent.answer("nope", "x").catch((/** @type {any} */ e) => `${e.code}: ${e.message}`);
    const bad = await agent.answer("c1", "x", { error: 5 }).catch((/** @type {any} */ e) => e.name);
    return {
      during, waits, same, outcome: result.outcome, after: agent.pendingToolCallIds,
      roles: agent.messages.map((/** @type {any} */ m) => m.role).join(" "), twice, unknown, bad,
    };
  }, url);
  assert.deepEqual(got, {
    during: got.during.map(() => 0), waits: ["c1"], same: true, outcome: "success", after: [],
    roles: "user assistant tool assistant",
    twice: 'bad_input: The tool call "c1" has its answer.',
    unknown: 'bad_input: There is no tool call "nope" in this thread.', bad: "TypeError",
  });
  assert.deepEqual(requests(url), ["go", 'go m1 c1={"colour":"blue"}']);
});

test("a call waits after a reload, a snapshot and where an outcome names it; before and after the WebAssembly is there",
  async () => {
  const assistant = (/** @type {string} */ id, /** @type {string[]} */ ...calls) => ({
    id, role: "assistant", toolCalls: calls.map((id) => ({
      id, type: "function", function: { name: "ask", arguments: "{}" },
    })),
  });
  const user = (/** @type {string} */ id) => ({ id, role: "user", content: id });
  const tool = (/** @type {string} */ id) => ({ id: `r${id}`, role: "tool", toolCallId: id, content: "x" });
  const said = (/** @type {string} */ id) => ({ id, role: "assistant", content: "." });
  const histories = [
    [[user("u1"), assistant("m1", "c1")], ["c1"]],
    [[user("u1"), assistant("m1", "c1", "c2"), tool("c1"), said("a")], ["c2"]],
    [[user("u1"), assistant("m1", "c1"), user("u2")], ["c1"]],
    [[user("u1"), assistant("m1", "c1"), user("u2"), said("a"), assistant("m2", "c2")], ["c2"]],
    [[assistant("m1", "c1"), tool("c1")], []],
    [[], []],
  ];
  const got = await inPage(async (/** @type {any} */ { url, histories }) => {
    const list = [];
    for (const [initialMessages] of histories) {
      const agent = new agui.HttpAgent({ url, initialMessages });
      const before = [...agent.pendingToolCallIds];
      await agent.answerPending(); // asks Go, and runs nothing
      agent.addMessage({ role: "system", content: "x" });
      list.push([before, [...agent.pendingToolCallIds]]);
    }
    const agent = new agui.HttpAgent({ url });
    const seen = [];
    for (let i = 0; i < 3; i++) {
      agent.setMessages([]);
      await agent.send("x");
      seen.push([...agent.pendingToolCallIds]);
    }
    return { list, seen };
  }, {
    url: scripted(
      [started, { type: "MESSAGES_SNAPSHOT", messages: [user("u1"), assistant("m1", "c9")] }, finished()],
      [started, ...ask("c1"), finished({ outcome: { type: "success", pendingToolCallIds: ["c1"] } })],
      [started, ...ask("c1"), ...ask("c2"), finished({
        outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "tool_call", toolCallId: "c1" }] },
      })],
    ),
    histories,
  });
  assert.deepEqual(got.list, histories.map(([, want]) => [want, want]));
  assert.deepEqual(got.seen, [["c9"], ["c1"], ["c2"]]);
});

test("an answer while the run streams: one run follows, once; a snapshot that lacks the answer does not lose it (R07)",
  async () => {
  const snapshot = { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "m1", role: "assistant",
      toolCalls: [{ id: "c1", type: "function", function: { name: "ask", arguments: "{}" } }] },
        { id: "m2", role: "assistant", content: "Please choose." },
  ] };
  for (const more of [[], [snapshot]]) {
    const url = scripted(slow([started, ...ask("c1"), ...text("m2", "Please choose.").slice(0, 2)],
      [...text("m2", "").slice(-1), ...more, finished()]), run(...text("a3", "ok")));
    const got = await inPage(async (/** @type {string} */ url) => {
      const agent = new agui.HttpAgent({ url });
      const over = agent.runAgent();
      await new Promise((resolve) => {
        agent.watch((/** @type {any} */ event) => event.type === "TEXT_MESSAGE_CONTENT" && setTimeout(resolve, 20));
      });
      const running = agent.isRunning;
      const answered = await agent.answer("c1", "blue");
      const result = await over;
      return {
        running, same: answered.newMessages.length === result.newMessages.length, outcome: result.outcome,
        after: agent.isRunning,
      };
    }, url);
    assert.deepEqual(got, { running: true, same: true, outcome: "success", after: false });
    await quiet(200);
    assert.deepEqual(requests(url), ["", "m1 c1=blue m2"]);
  }
});

test("several calls: the run follows the last answer; an error, content parts; run: false leaves it for the next send",
  async () => {
  const two = run(...ask("c1"), ...ask("c2"));
  const url = scripted(two, run(),
    two.map((event) => JSON.parse(JSON.stringify(event).replaceAll("c1", "c3").replaceAll("c2", "c4")
      .replaceAll("m1", "m2"))), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    await agent.send("1");
    const first = await agent.answer("c2", undefined, { error: "no idea" });
    const last = await agent.answer("c1", [{ type: "text", text: "x" }]);
    await agent.send("2");
    const none = [await agent.answer("c3", "a", { run: false }), await agent.answer("c4", null, { run: false })];
    await agent.send("3");
    return { first, last: last.outcome, none };
  }, url);
  assert.deepEqual(got, { first: null, last: "success", none: [null, null] });
  assert.deepEqual(requests(url).slice(2),
    ["1 m1 c1=[object Object] c2=no idea 2", "1 m1 c1=[object Object] c2=no idea 2 m2 c3=a c4=null 3"]);
  assert.deepEqual(bodies(url)[1].messages.filter((/** @type {any} */ m) => m.role === "tool")
    .map(({ id, role, ...rest }) => rest), [
    { toolCallId: "c1", content: [{ type: "text", text: "x" }] },
    { toolCallId: "c2", content: "no idea", error: "no idea" },
  ]);
});

test("handlers and persons answer side by side: one run carries both, whichever comes last", async () => {
  const both = (/** @type {number} */ n) => run(...call(`h${n}`, "page", `m${n}`, "{}"), ...ask(`p${n}`, `m${n}`));
  const url = scripted(both(1), run(), both(2), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    /** @type {(value: string) => void} */
    let finish = () => {};
    const agent = new agui.HttpAgent({ url, tools: [
      { name: "page", description: "",
        handler: () => new Promise((resolve) => { finish = resolve; setTimeout(() => resolve("slow"), 500); }) },
          { name: "ask", description: "" },
    ] });
    // The handler is first.
    const over = agent.send("1");
    while (agent.pendingToolCallIds.length === 0) await new Promise((r) => setTimeout(r, 10));
    finish("handled");
    const early = await over;
    const waits = [...agent.pendingToolCallIds];
    await agent.answer("p1", "said");
    // The person is first.
    const second = agent.send("2");
    while (agent.pendingToolCallIds.length === 0) await new Promise((r) => setTimeout(r, 10));
    const answered = agent.answer("p2", "said");
    finish("handled");
    await answered;
    return { early: early.outcome, waits, outcome: (await second).outcome };
  }, url);
  assert.deepEqual(got, { early: "success", waits: ["p1"], outcome: "success" });
  assert.deepEqual(requests(url),
    ["1", "1 m1 h1=handled p1=said", "1 m1 h1=handled p1=said 2", "1 m1 h1=handled p1=said 2 m2 h2=handled p2=said"]);
});

test("after a reload nothing runs by itself; answerPending runs each handler once (R09)", async () => {
  const initialMessages = [{ id: "u1", role: "user", content: "near me?" }, {
    id: "m1", role: "assistant", toolCalls: ["c1",
      "c2"].map((id) => ({ id, type: "function", function: { name: "where", arguments: "{}" } })),
  }];
  const url = scripted(run(...text("a1", "here")));
  const got = await inPage(async (/** @type {any} */ given) => {
    let calls = 0;
    const make = () => new agui.HttpAgent({
      ...given, tools: [{ name: "where", description: "", handler: () => { calls++; return { lat: calls }; } }],
    });
    const agent = make();
    const idle = await agent.answerPending();
    const second = await agent.answerPending();
    return { calls, outcome: idle.outcome, second, pending: agent.pendingToolCallIds };
  }, { url, initialMessages });
  assert.deepEqual(got, { calls: 2, outcome: "success", second: null, pending: [] });
  assert.deepEqual(requests(url), ['near me? m1 c1={"lat":1} c2={"lat":2}']);
});

test(
  "the view: status waiting, with a renderer and without, also for a stored thread; a renderer's answer while the run streams", async () => {
  const renderer =
    `{ renderers: { tools: { ask(el, data) { el.textContent = data.status; globalThis.answer = data.respond; } } } }`;
  const url = scripted(slow([started, ...ask("c1"), ...text("m2", "Please choose.").slice(0, 2)],
    [...text("m2", "").slice(-1), finished()]), run(...ask("c2", "m3")), run(...text("a4", "fine")));
  const page = await chat(url, renderer);
  await page.locator("#chat .input").fill("go");
  await page.locator("#chat .input").press("Enter");
  await page.getByText("Please choose.").first().waitFor();
  await page.evaluate(() => { globalThis.answer("blue"); globalThis.answer("twice"); });
  await until(() => bodies(url).length === 2);
  assert.equal(requests(url)[1], "go m1 c1=blue m2");
  await page.getByText("waiting", { exact: true }).waitFor();
  await page.evaluate(() => globalThis.answer({ ok: true }));
  await page.getByText("fine").first().waitFor();
  assert.equal(requests(url)[2], 'go m1 c1=blue m2 m3 c2={"ok":true}');
  await page.done();

  const stored = await chat(scripted(),
    `{ initialMessages: [{ id: "u", role: "user", content: "x" }, { id: "m1", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "ask", arguments: "{}" } }] }] }`);
  await stored.locator("#chat .tool.waiting").waitFor();
  assert.match(await stored.locator("#chat .tool.waiting summary").innerText(), /Waiting for you/);
  await stored.done();
});

test("dismiss: calls are told, interrupts are cancelled with the next run, what waits for a person is left by a send",
  async () => {
  const asks = finished({
    outcome: {
      type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" },
        { id: "i2", reason: "confirmation" }],
    },
  });
  const url = scripted([started, ...ask("c1"), ...ask("c2"), asks], run(...ask("c3", "m2")), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, tools: [{ name: "ask", description: "" }] });
    await agent.send("1");
    const beside = await agent.resume([{ interruptId: "i1", status: "cancelled" },
      { interruptId: "i2", status: "cancelled" }]).catch((/** @type {any} */ e) => e.message);
    const unknown = await agent.dismiss("x").catch((/** @type {any} */ e) => e.code);
    await agent.dismiss("i2");
    const one = agent.pendingInterrupts.map(({ id }) => id);
    await agent.dismiss();
    const none = [agent.pendingInterrupts.length, agent.pendingToolCallIds.length];
    const over = agent.send("2");
    const during = await agent.dismiss("x").catch((/** @type {any} */ e) => e.code);
    await over;
    const waits = [...agent.pendingToolCallIds];
    await agent.send("3");
    return { beside, unknown, one, none, during, waits };
  }, url);
  assert.match(got.beside, /c2/);
  assert.deepEqual({ ...got, beside: "" }, {
    beside: "", unknown: "bad_input", one: ["i1"], none: [0, 0], during: "bad_input", waits: ["c3"],
  });
  const [, second, third] = bodies(url);
  assert.deepEqual(second.resume.map((/** @type {any} */ e) => `${e.interruptId} ${e.status}`),
    ["i2 cancelled", "i1 cancelled"]);
  assert.match(brief(second), /^1 m1 c2=dismissed (c1=cancelled )?2$/);
  assert.match(brief(third), /2 m2 c3=dismissed 3$/);
  assert.equal(third.resume, undefined);
});

test("the view by keyboard: an approval that the server has forgotten can be left, and the composer is free (R10)",
  async () => {
  const refused = [{ ...started, runId: "r2" }, {
    type: "RUN_ERROR", message: "no such approval", code: "APPROVAL_RESUME_NOT_FOUND",
  }];
  const url = scripted(
    [started, ...call("c1", "delete", "m1", "{}"), finished({
      outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" }] },
    })],
    refused, refused, refused, run(...text("a9", "here again")),
  );
  const page = await chat(url);
  const press = async (/** @type {string} */ name) => {
    const button = page.locator("#chat .card").getByRole("button", { name, exact: true });
    await button.waitFor();
    for (let i = 0; i < 20 &&
      !(await button.evaluate((/** @type {any} */ el) => el.getRootNode().activeElement === el)); i++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  };
  await page.locator("#chat .input").focus();
  await page.keyboard.type("go");
  await page.keyboard.press("Enter");
  await press("Approve");
  await until(() => bodies(url).length === 2);
  await page.locator("#chat .card").getByText("Your answer was not accepted.").waitFor();
  await press("Retry");
  await until(() => bodies(url).length === 3);
  assert.deepEqual(bodies(url)[2].resume, bodies(url)[1].resume);
  await press("Dismiss");
  await page.locator("#chat .card").waitFor({ state: "detached" });
  await page.waitForFunction(() =>
    document.querySelector("#chat")?.shadowRoot?.activeElement?.className.includes("input"));
  await page.keyboard.type("hello");
  await page.keyboard.press("Enter");
  await until(() => bodies(url).length === 4);
  assert.deepEqual(bodies(url)[3].resume, [{ interruptId: "i1", status: "cancelled" }]);
  await page.locator("#chat .error").waitFor();
  await page.keyboard.type("again");
  await page.keyboard.press("Enter");
  await page.getByText("here again").first().waitFor();
  assert.equal(bodies(url)[4].resume, undefined);
  await page.done();
});

test("the view by keyboard: a waiting call is dismissed", async () => {
  const url = scripted(run(...ask("c1")), run(...text("a2", "well then")));
  const page = await chat(url);
  await page.locator("#chat .input").focus();
  await page.keyboard.type("go");
  await page.keyboard.press("Enter");
  const button = page.locator("#chat .tool.waiting").getByRole("button", { name: "Dismiss" });
  await button.waitFor();
  await button.focus();
  await page.keyboard.press("Enter");
  await page.locator("#chat .tool.dismissed").waitFor();
  assert.equal(bodies(url).length, 1);
  await page.keyboard.type("no");
  await page.keyboard.press("Enter");
  await page.getByText("well then").first().waitFor();
  assert.equal(requests(url)[1], "go m1 c1=dismissed no");
  await page.done();
});

test("handlers: a time limit, a late result after an abort or a thread switch, and one run of each call on a page",
  async () => {
  const calls = (/** @type {string} */ n) =>
    run(...call(`s${n}`, "slow", `m${n}`, "{}"), ...call(`q${n}`, "quick", `m${n}`, "{}"));
  const url = scripted(calls("1"), run(), calls("2"), calls("3"), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const log = [];
    const agent = new agui.HttpAgent({ url, tools: [
      { name: "slow", description: "", timeoutMs: 100, handler: (_args, { signal }) => new Promise((resolve) => {
        signal.addEventListener("abort", () => { log.push("aborted"); setTimeout(() => resolve("late"), 50); });
      }) },
      { name: "quick", description: "", handler: () => "quick" },
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

test("send during a run: refused, queued, taken back, or it interrupts; what waits is held while a person is asked",
  async () => {
  const wait = (/** @type {any[]} */ ...events) => slow([started, ...events], [finished()], 150);
  const url = scripted(wait(...text("a1", "x")), wait(...text("a2", "x")), wait(...text("a3", "x")),
    wait(...ask("c1", "m4")), run(), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const make = (/** @type {any} */ more) =>
      new agui.HttpAgent({ url, tools: [{ name: "ask", description: "" }], ...more });
    let agent = make({});
    const first = agent.send("1");
    const refused = await agent.send("2").catch((/** @type {any} */ e) => e.code);
    agent.whileRunning = "queue";
    const second = agent.send("3");
    const third = agent.send("4");
    const queued = agent.queue.map(({ content }) => content);
    const back = [agent.unqueue(agent.queue[1].id), agent.unqueue("x"), (await third).outcome];
    const outcomes = [(await first).outcome, (await second).outcome, agent.queue.length];
    agent = make({ whileRunning: "interrupt", initialMessages: [] });
    const cut = agent.send("5");
    await new Promise((resolve) => {
      agent.watch((/** @type {any} */ event) => event.type === "TEXT_MESSAGE_END" && resolve(undefined));
    });
    const next = agent.send("6");
    const interrupted = (await cut).outcome;
    const held = agent.send("7", { whileRunning: "queue" });
    await next;
    await new Promise((r) => setTimeout(r, 100));
    const holds = [agent.queue.length, [...agent.pendingToolCallIds]];
    await agent.answer("c1", "ok");
    await held;
    return { refused, queued, back, outcomes, interrupted, holds, after: agent.queue.length };
  }, url);
  assert.deepEqual(got, {
    refused: "bad_input", queued: ["3", "4"], back: [true, false, "aborted"], outcomes: ["success", "success", 0],
    interrupted: "aborted", holds: [1, ["c1"]], after: 0,
  });
  assert.match(requests(url).at(-2), /m4 c1=ok$/);
  assert.match(requests(url).at(-1), /m4 c1=ok 7$/);
});

test("the view by keyboard: words wait while the agent works, can be taken back, and go out at the end; Stop stays",
  async () => {
  const url = scripted(slow([started, ...text("a1", "thinking")], [finished()], 2500),
    run(...text("a2", "second answer")));
  const page = await chat(url);
  await page.locator("#chat .input").focus();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.locator("#chat .send.stop").waitFor();
  for (const words of ["two", "three"]) {
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
    await page.locator("#chat .queue").getByText(words).waitFor();
  }
  await page.keyboard.type("x");
  await page.locator("#chat .send:not(.stop)").waitFor();
  assert.equal(await page.locator("#chat .send.stop").count(), 1);
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "Remove three" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#chat .queue").getByText("three").waitFor({ state: "detached" });
  await page.getByText("second answer").first().waitFor();
  await quiet(200);
  assert.deepEqual(requests(url), ["one", "one a1 two"]);
  assert.equal(await page.locator("#chat .queue").count(), 0);
  await page.done();
});

test(
  "second thoughts: a message is edited, an answer made again, a former version shown; the server learns of the cut (R17)", async () => {
  const turn = (/** @type {string} */ id, /** @type {number} */ n) =>
    run(...text(id, id), { type: "STATE_SNAPSHOT", snapshot: { n } });
  const script = [turn("a1", 1), turn("a2", 2), turn("a3", 3), turn("a4", 4), turn("a5", 5)];
  for (const history of ["full", "new"]) {
    const url = scripted(...script);
    const got = await inPage(async (/** @type {any} */ { url, history }) => {
      const agent = new agui.HttpAgent({ url, history });
      const ids = () => agent.messages.map((/** @type {any} */ m) => (m.role === "user" ? m.content : m.id)).join(" ");
      const runs = (/** @type {any[]} */ list) =>
        list.map((v) =>
        `${v.shown ? "*" : ""}${v.messages.map((/** @type {any} */ m) => (m.role === "user" ? m.content : m.id)).join(" ")}`);
      const log = [agent.versions("x").length];
      await agent.send("1", { runId: "r-1" });
      await agent.send("2", { runId: "r-2" });
      const second = agent.messages[2].id;
      const { outcome } = await agent.edit(second, "two", { runId: "r-3" });
      log.push(outcome, ids(), agent.state.n, runs(agent.versions(agent.messages[2].id)));
      await agent.regenerate(undefined, { runId: "r-4" });
      log.push(ids(), runs(agent.versions("a4")));
      await agent.versions("a4")[0].show();
      log.push(ids(), agent.state.n);
      await agent.versions(agent.messages[2].id)[0].show();
      log.push(ids(), agent.state.n, agent.messages[2].id === second);
      await agent.send("3", { runId: "r-5" });
      const code = (/** @type {Promise<any>} */ p) => p.then(() => "none", (/** @type {any} */ e) => e.code ?? e.name);
      log.push(await code(agent.edit("a1", "x")), await code(agent.edit("nope", "x")),
        await code(agent.edit(second, undefined)), await code(agent.regenerate("nope")));
      log.push(await agent.edit(second, 7).catch((/** @type {any} */ e) => e.message));
      const over = agent.send("4");
      log.push(await code(agent.regenerate()), await code(agent.versions(second)[1].show()));
      await over;
      const twin = agent.clone();
      await twin.versions(second)[1].show();
      log.push(twin.messages[2].content, agent.messages[2].content);
      return log;
    }, { url, history });
    assert.deepEqual(got, [
      0, "success", "1 a1 two a3", 3, ["2 a2", "*two a3"], "1 a1 two a4", ["a3", "*a4"], "1 a1 two a3", 3, "1 a1 2 a2",
      2, true,
      "bad_input", "bad_input", "TypeError", "bad_input",
      "edit: item 0 must be a string, a File, a Blob or a content part",
      "bad_input", "bad_input", "two", "2",
    ]);
    const sent = bodies(url).map((/** @type {any} */ body) =>
      `${brief(body)} < ${body.parentRunId ?? ""} ${body.state.n ?? ""}`);
    assert.deepEqual(sent.slice(0, 5), history === "full"
      ? ["1 <  ", "1 a1 2 <  1", "1 a1 two < r-1 1", "1 a1 two < r-1 1", "1 a1 2 a2 3 < r-2 2"]
      : ["1 <  ", "2 <  1", "two < r-1 1", "two < r-1 1", "3 < r-2 2"]);
  }
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
  const page = await world.page();
  await page.evaluate(`${outputFiles[0].text};0`);
  const got = await page.evaluate(async (/** @type {string} */ url) => {
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
  await page.done();
  assert.deepEqual(got.seen, { zod: { n: 1, word: "none" }, arktype: { n: 1 }, valibot: { n: 1, word: "none" } });
  assert.deepEqual(got.told, names.flatMap((name) => [[`${name}0`, "The arguments do not fit: "], [`${name}1`, ""]]));
  assert.equal(got.mute, "valibot TypeError");
  for (const { parameters } of bodies(url)[0].tools) {
    assert.equal(parameters.type, "object");
    assert.equal(parameters.properties.n.minimum, 1);
    assert.equal(JSON.stringify(parameters).includes("~standard"), false);
  }
});

test(
  "the view by keyboard: a call that needs approval shows its whole arguments; Approve runs it, Reject tells the agent",
  async () => {
  const long = "x".repeat(3000);
  const url = scripted(run(...call("a1", "buy", "m1", JSON.stringify({ n: 1, words: `${long}END` })),
    ...call("a2", "buy", "m1", '{"n":2}')), run(...text("a9", "all done")));
  const page =
    await chat(url,
    `{ tools: [{ name: "buy", description: "", needsApproval: true, handler: ({ n }) => { seen.push(n); return "bought"; } }] }`);
  await page.locator("#chat .input").focus();
  await page.keyboard.type("go");
  await page.keyboard.press("Enter");
  const waiting = page.locator("#chat .tool.waiting");
  await waiting.first().getByRole("button", { name: "Approve" }).waitFor();
  assert.match(await waiting.first().innerText(), /END/);
  assert.match(await waiting.first().innerText(), /Approval needed/);
  assert.deepEqual(await page.evaluate(() => globalThis.seen), []);
  const press = async (/** @type {string} */ name) => {
    const button = waiting.first().getByRole("button", { name, exact: true });
    for (let i = 0; i < 30 &&
      !(await button.evaluate((/** @type {any} */ el) => el.getRootNode().activeElement === el)); i++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  };
  await page.locator("#chat .log").focus();
  await press("Approve");
  await page.locator("#chat .tool.done").waitFor();
  assert.equal(bodies(url).length, 1, "the other call waits");
  await page.locator("#chat .log").focus();
  await press("Reject");
  await page.getByText("all done").first().waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.seen), [1]);
  assert.equal(requests(url)[1], "go m1 a1=bought a2=Rejected by the user");
  await page.done();
});

test("WebMCP: a tool is offered with the same handler and approval, withdrawn with it, and never sent to the agent",
  async () => {
  const url = scripted(run(), run());
  for (const where of ["document", "navigator", "nowhere"]) {
    const got = await inPage(async (/** @type {any} */ { url, where }) => {
      const tools = new Map();
      const context = {
        async registerTool(/** @type {any} */ tool, /** @type {any} */ { signal }) {
          tools.set(tool.name, tool);
          signal.addEventListener("abort", () => tools.delete(tool.name));
        },
      };
      if (where === "document") {
        Object.defineProperty(Document.prototype, "modelContext", { configurable: true, get: () => context });
      }
      if (where === "navigator") Object.defineProperty(navigator, "modelContext", { value: context });
      const asked = [];
      globalThis.confirm = (words) => { asked.push(words); return !words?.includes("500"); };
      const agent = new agui.HttpAgent({ url, tools: [
        {
          name: "sum", description: "adds", webmcp: { annotations: { readOnlyHint: true } },
          parameters: { type: "object" },
          handler: ({ a, b }, { toolCall, agent: mine }) => (
            { sum: a + b, name: toolCall.function.name, mine: mine === agent }),
        },
        { name: "buy", description: "", webmcp: true, needsApproval: ({ n }) => n > 100, handler: ({ n }) => n },
        { name: "own", description: "", handler: () => 1 },
      ] });
      for (let i = 0; i < 100 && tools.size < 2; i++) await new Promise((r) => setTimeout(r, 5));
      const call = (/** @type {string} */ name, /** @type {any} */ args) => tools.get(name).execute(args)
        .catch((/** @type {any} */ e) => e.message);
      const offered = [...tools.keys()];
      const results = tools.size === 0 ? [] : [await call("sum", { a: 1, b: 2 }), await call("buy", { n: 5 }),
        await call("buy", { n: 500 }), await call("buy", { n: 200 })];
      const annotations = tools.get("sum")?.annotations;
      await agent.send("go");
      agent.setTools([agent.tools[0]]);
      await new Promise((r) => setTimeout(r, 20));
      const left = [...tools.keys()];
      agent.dispose();
      await new Promise((r) => setTimeout(r, 20));
      return { offered, results, annotations, asked: asked.length, left, none: tools.size };
    }, { url, where });
    const offers = where !== "nowhere";
    assert.deepEqual(got, {
      offered: offers ? ["sum", "buy"] : [],
      results: offers ? [{ sum: 3, name: "sum", mine: true }, 5, "Rejected by the user", 200] : [],
      annotations: offers ? { readOnlyHint: true } : undefined, asked: offers ? 2 : 0, left: offers ? ["sum"] : [],
      none: 0,
    }, where);
  }
  for (const tool of bodies(url)[0].tools) {
    assert.deepEqual(Object.keys(tool).filter((key) => key === "webmcp" || key === "handler"), []);
  }
});

test("the view by keyboard: edit one's message, have the answer made again, switch between the versions", async () => {
  for (const [lang, edit, again, back] of [["en", "Edit", "Regenerate", "Previous version"],
    ["zh-CN", "修改", "重新生成", "上一个版本"]]) {
    const url = scripted(run(...text("a1", "first answer")), run(...text("a2", "second answer")),
      run(...text("a3", "third answer")));
    const page = await chat(url, `{ lang: ${JSON.stringify(lang)}, messageActions: true }`);
    const press = async (/** @type {string} */ name, /** @type {string} */ keys = "Enter") => {
      const button = page.locator("#chat .log").getByRole("button", { name, exact: true }).first();
      await button.waitFor();
      await page.locator("#chat .log").focus();
      for (let i = 0; i < 20 &&
        !(await button.evaluate((/** @type {any} */ el) => el.getRootNode().activeElement === el)); i++) {
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press(keys);
    };
    await page.locator("#chat .input").focus();
    await page.keyboard.type("one");
    await page.keyboard.press("Enter");
    await page.locator("#chat .log").getByText("first answer").waitFor();
    await press(edit);
    await page.locator("#chat [data-rewrite]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#chat [data-rewrite]").waitFor({ state: "detached" });
    await press(edit);
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.locator("#chat .log").getByText("second answer").waitFor();
    assert.equal(await page.locator("#chat .log").getByText("first answer").count(), 0);
    await press(again);
    await page.locator("#chat .log").getByText("third answer").waitFor();
    await page.locator("#chat .act-count").first().waitFor();
    if (!process.env.ENGINE) {
      await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
      const found = await page.evaluate(
        async () => (await globalThis.axe.run("#chat",
          { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })).violations.map(
            (/** @type {any} */ v) => v.id + v.nodes.map((/** @type {any} */ n) => n.html)));
      assert.deepEqual(found, []);
    }
    assert.match(requests(url)[1], /one/);
    assert.match(requests(url)[1], /!/);
    assert.equal(requests(url)[2], requests(url)[1]);
    await press(back);
    await page.locator("#chat .log").getByText("first answer").waitFor();
    assert.equal(bodies(url).length, 3);
    await page.done();
  }
});
