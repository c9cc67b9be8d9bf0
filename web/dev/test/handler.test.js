// The reference client, in Node.js, talks to an agent of package agui/server: each scenario comes through as it was
// told.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { HttpAgent } from "@ag-ui/client";
import { root } from "./harness/static.js";

/** @type {import("node:child_process").ChildProcess} */
let program;
let url = "";
let demoUrl = "";
before(async () => {
  execFileSync("go", ["build", "-o", "build/handler", "./web/dev/test/handler"], { cwd: root });
  program = spawn(`${root}build/handler`, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: /** @type {any} */ (program.stdout) })[Symbol.asyncIterator]();
  url = (await lines.next()).value;
  demoUrl = (await lines.next()).value;
});
after(() => program?.kill());

/** Asks the agent with the reference client; gives what it has then, and each event's type. */
async function ask(/** @type {string} */ word, /** @type {any} */ parameters = {},
  /** @type {any} */ agent = new HttpAgent({ url, threadId: `t-${word}` })) {
  /** @type {string[]} */
  const types = [];
  agent.addMessage({ id: `u-${word}-${agent.messages.length}`, role: "user", content: word });
  const outcome = await agent.runAgent(parameters, { onEvent: ({ event }) => void types.push(event.type) });
  return { agent, types, outcome };
}

const texts = (/** @type {any} */ agent) => agent.messages.filter((/** @type {any} */ m) => m.role === "assistant" &&
  m.content).map((/** @type {any} */ m) => m.content);

test("text", async () => {
  const { agent, types } = await ask("héllo 😀");
  assert.deepEqual(texts(agent), ["You said: héllo 😀"]);
  assert.equal(types[0], "RUN_STARTED");
  assert.equal(types.at(-1), "RUN_FINISHED");
});

test("reasoning", async () => {
  const { agent, types } = await ask("reasoning");
  assert.deepEqual(texts(agent), ["thought"]);
  assert.ok(types.includes("REASONING_MESSAGE_CONTENT"));
});

test("a tool of the server", async () => {
  const { agent } = await ask("tool");
  const call = agent.messages.find((/** @type {any} */ m) => m.toolCalls)?.toolCalls[0];
  assert.equal(call.function.arguments, '{"city":"Lisbon"}');
  const result = agent.messages.find((/** @type {any} */ m) => m.role === "tool");
  assert.equal(result.toolCallId, call.id);
  assert.equal(result.content, '{"degrees":21}');
});

test("a tool of the page", async () => {
  const { agent } = await ask("page-tool");
  const call = agent.messages.at(-1).toolCalls[0];
  agent.addMessage({ id: "r1", role: "tool", toolCallId: call.id, content: "here" });
  await agent.runAgent();
  assert.deepEqual(texts(agent), ["the page said so"]);
});

test("state and activities, by what differs", async () => {
  const { agent, types } = await ask("state");
  assert.deepEqual(agent.state, { plan: ["one"], title: "a title that stays as it is" });
  assert.ok(types.includes("STATE_DELTA"));
  const other = await ask("activity");
  assert.deepEqual(other.agent.messages.at(-1).content, { found: [1, 2], query: "a question that stays as it is" });
  assert.ok(other.types.includes("ACTIVITY_DELTA"));
});

test("a question and its answer", async () => {
  const { agent } = await ask("interrupt");
  assert.deepEqual(agent.pendingInterrupts.map((/** @type {any} */ i) => i.id), ["i1"]);
  await agent.runAgent({ resume: [{ interruptId: "i1", status: "resolved" }] });
  assert.deepEqual(texts(agent), ["answered resolved"]);
  assert.equal(agent.pendingInterrupts.length, 0);
});

test("subagents, steps, a result, and what is left open", async () => {
  assert.deepEqual(texts((await ask("subagents")).agent), ["from below", "from above"]);
  assert.deepEqual((await ask("steps")).types,
    ["RUN_STARTED", "STEP_STARTED", "CUSTOM", "STEP_FINISHED", "RUN_FINISHED"]);
  assert.deepEqual((await ask("result")).outcome.result, { n: 1 });
  const { agent, types } = await ask("open");
  assert.deepEqual(texts(agent), ["left open"]);
  assert.equal(types.at(-2), "TEXT_MESSAGE_END");
});

test("errors and panics are RUN_ERROR, without the server's secrets", async () => {
  for (const [word, says] of [["error", /no model today/], ["panic", /The agent failed/]]) {
    const agent = new HttpAgent({ url });
    /** @type {any} */
    let seen;
    agent.addMessage({ id: "u", role: "user", content: String(word) });
    await agent.runAgent({}, { onRunErrorEvent: ({ event }) => { seen = event; } }).catch(() => {});
    assert.match(seen.message, /** @type {RegExp} */ (says));
    assert.doesNotMatch(JSON.stringify(seen), /secret/);
  }
});

test("chunks", async () => {
  const { agent, types } = await ask("chunks");
  assert.deepEqual(texts(agent), ["in pieces", "whole"]);
  assert.deepEqual(agent.messages.find((/** @type {any} */ m) => m.toolCalls).toolCalls[0].function,
    { name: "where", arguments: '{"a":1}' });
  assert.equal(types.filter((type) => type.endsWith("_CHUNK")).length, 0,
    "the reference hands chunks out as whole sequences");
  assert.equal(types.at(-1), "RUN_FINISHED");
});

test("whatever a request accepts, the answer is an event stream that the reference reads", async () => {
  const kinds = ["text/event-stream", "*/*", "application/json", "application/vnd.ag-ui.event+proto",
    "application/vnd.ag-ui.event+proto, text/event-stream;q=0.5", "TEXT/Event-Stream; charset=utf-8", ""];
  for (const Accept of kinds) {
    const agent = new HttpAgent({ url, threadId: `accept-${kinds.indexOf(Accept)}`, headers: { Accept } });
    const { types } = await ask("in order", {}, agent);
    assert.deepEqual(texts(agent), ["You said: in order"], Accept);
    assert.equal(types.at(-1), "RUN_FINISHED", Accept);
  }
});

// In a process of its own: after a broken line the reference leaves a rejection that nobody can catch.
test("a line that breaks is no success for the reference, and what came before stands", async () => {
  // A kept run whose agent breaks off says so; a plain one breaks the connection.
  for (const [address, words, why] of [[url, "cut", "The run was broken off."],
    [`${demoUrl}?speed=max`, "Cut the connection", "terminated"]]) {
    const script = `
      import { HttpAgent } from "@ag-ui/client";
      process.on("unhandledRejection", () => {});
      const agent = new HttpAgent({ url: ${JSON.stringify(address)}, threadId: "cut" });
      agent.addMessage({ id: "u", role: "user", content: ${JSON.stringify(words)} });
      let ended = "", failed = "";
      await agent.runAgent({}, {
        onRunFinishedEvent: () => { ended = "finished"; },
        onRunErrorEvent: ({ event }) => { failed = event.message; },
        onRunFailed: ({ error }) => { failed = error.message; },
      }).catch((error) => { failed ||= error.message; });
      const last = agent.messages.at(-1);
      console.log(JSON.stringify({ ended, failed, said: last.role + ": " + last.content }));
      process.exit(0);`;
    const out = execFileSync("node", ["--input-type=module", "-e", script], {
      cwd: `${root}web`, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"],
    });
    const got = JSON.parse(out.trim().split("\n").at(-1) ?? "");
    assert.equal(got.ended, "", words);
    assert.equal(got.failed, why, words);
    assert.match(got.said, /^assistant: .+/, words);
  }
});

test("every scenario of the demo agent comes through", async () => {
  const demo = /** @type {string} */ (demoUrl);
  const { scenarios } = await (await fetch(demo)).json();
  assert.ok(scenarios.length > 20);
  // The line that breaks has a test of its own.
  for (const { name, prompt } of scenarios.filter((/** @type {any} */ s) => s.name !== "cut")) {
    /** @type {string[]} */
    const types = [];
    const agent = new HttpAgent({ url: `${demo}?speed=max`, threadId: `demo-${name}` });
    agent.addMessage({ id: "u", role: "user", content: prompt });
    /** @type {any} */
    let failure;
    await agent.runAgent({ tools: [{ name: "page_title", description: "", parameters: {} }] }, {
      onEvent: ({ event }) => void types.push(event.type),
    }).catch((error) => { failure = error; });
    assert.equal(types[0], "RUN_STARTED", name);
    if (name === "error") {
      assert.ok(failure || types.at(-1) === "RUN_ERROR", name);
    } else {
      assert.equal(failure, undefined, `${name}: ${failure}`);
      assert.equal(types.at(-1), "RUN_FINISHED", name);
      assert.ok(agent.messages.length > 1 || types.length > 2, `${name} says something`);
    }
  }
});

test("a stop on the server is the outcome cancelled", async () => {
  const agent = new HttpAgent({ url, threadId: "stopped" });
  /** @type {any} */
  let end;
  agent.addMessage({ id: "u", role: "user", content: "wait" });
  await agent.runAgent({ runId: "w1" }, {
    onTextMessageContentEvent: async () => {
      const response = await fetch(`${url}/stop/stopped`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: '{"runId":"w1"}',
      });
      assert.equal(response.status, 200);
    },
    onRunFinishedEvent: ({ event }) => { end = event; },
  });
  assert.deepEqual(end.outcome, { type: "cancelled" });
});
