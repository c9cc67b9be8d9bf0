// agui.replay: an agent from a recording, in a page and in Node.js, without a server.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { start } from "./harness/browser.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

const { replay } = await import(pathToFileURL(`${root}dist/agui.node.mjs`).href);
const recorded = (/** @type {string} */ name) => readFileSync(`${root}dist/recordings/${name}.json`, "utf8");
const body = (/** @type {any[]} */ ...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const run = (/** @type {string} */ text, more = {}) => ({
  response: {
    body: body({ type: "RUN_STARTED", threadId: "THREAD", runId: "RUN" }, {
      type: "TEXT_MESSAGE_CHUNK", messageId: "RUN-m1", role: "assistant", delta: text,
    },
      { type: "RUN_FINISHED", threadId: "THREAD", runId: "RUN" }),
  },
  times: [0], ...more,
});

test("runs in their order and around again, with the ids of the run that asks", async () => {
  const warnings = /** @type {any[]} */ ([]);
  const agent = replay({ format: "agui-recording", version: 1, runs: [run("one"), run("two")] },
    { threadId: "t", onWarning: (/** @type {any} */ w) => warnings.push(w) });
  for (const words of ["one", "two", "one"]) {
    const { newMessages } = await agent.send("Next");
    assert.deepEqual(newMessages.map((/** @type {any} */ m) => m.content), [words]);
    assert.match(newMessages[0].id, /^[0-9a-f-]{36}-m1$/);
  }
  assert.deepEqual(warnings, []);
});

test("a recorded answer that names its input plays as it is", async () => {
  const agent = replay(run("as it was", { input: { threadId: "THREAD" } }));
  assert.equal((await agent.runAgent()).newMessages[0].id, "RUN-m1");
});

test("questions: each answer has what follows it", async () => {
  for (const [status, payload, holds] of /** @type {const} */ (
    [["resolved", { approved: true }, /resolved/], ["cancelled", undefined, /cancelled/]])) {
    const recording = JSON.parse(recorded("approve"));
    const wanted = recording.after[status].response.body.match(/"delta":"[^"]+"/)?.[0] ?? "";
    const agent = replay(recording, { speed: Infinity });
    await agent.send("Go");
    assert.equal(agent.pendingInterrupts.length > 0, true, String(holds));
    const { newMessages } = await agent.resume(
      agent.pendingInterrupts.map((/** @type {any} */ { id }) => (
        { interruptId: id, status, ...(payload ? { payload } : {}) })));
    assert.ok(newMessages.some((/** @type {any} */ m) => m.content?.startsWith(JSON.parse(`{${wanted}}`).delta)),
      status);
    assert.deepEqual(agent.pendingInterrupts, []);
  }
});

test("a status, a type, a line that broke", async () => {
  const refused = replay({ response: { status: 409, contentType: "application/json", body: '{"message":"busy"}' } });
  await assert.rejects(refused.runAgent(), { code: "http_status", status: 409 });
  const cut = replay({
    ...run("half"), response: { body: run("half").response.body.split("\n\n").slice(0, 2).join("\n\n") + "\n\n" },
    broken: true,
  });
  await assert.rejects(cut.runAgent(), { code: "network" });
  assert.equal(cut.messages[0].content, "half");
});

test("a type that no header can have is as none", async () => {
  const { outcome } = await replay({ response: { ...run("x").response, contentType: "text/event-stream\r\nx: y" } })
    .runAgent();
  assert.equal(outcome, "success");
});

test("what is no recording is a TypeError at the call", () => {
  for (const odd of [undefined, null, 1, "", "{", "[]", "{}", {}, { runs: [] }, { runs: [null] },
    { response: { body: 1 } }, { ...run("x"), times: ["a"] }, run("x", { after: { resolved: 5 } })]) {
    assert.throws(() => replay(odd), { name: "TypeError", message: /^The recording/ }, JSON.stringify(odd));
  }
  for (const speed of [0, -1, NaN, "2"]) assert.throws(() => replay(run("x"), { speed }), /replay: speed/);
  assert.throws(() => replay(run("x"), 2), /replay: options must be an object/);
});

test("in a page: a chat plays it at its pace, and abort ends the waiting", async () => {
  const page = await world.page({
    html: '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="chat"></div><script src="/agui.js"></script>',
  });
  world.site.requests.length = 0;
  const got = await page.evaluate(async (/** @type {any} */ { text, slow }) => {
    const { agui } = globalThis;
    const agent = agui.replay(text, { speed: 20 });
    await agui.mount("#chat", { agent }).ready;
    await agent.send("Hello");
    const waits = agui.replay(slow);
    const running = waits.runAgent();
    await agui.ready;
    waits.abortRun();
    const own = new agui.HttpAgent({ url: "replay:", fetch: () => { throw new Error("mine"); } });
    const words = await own.runAgent().catch((/** @type {any} */ e) => e.message);
    return {
      text: agent.messages.at(-1).content, aborted: (await running).outcome, callbacks: agui.debug().runs, words,
    };
  }, { text: recorded("text"), slow: run("never", { times: [3_600_000] }) });
  assert.equal(got.aborted, "aborted");
  assert.equal(got.callbacks, 0);
  assert.match(got.words, /mine$/, "no advice on other origins: there is none");
  await page.locator("#chat .assistant-message, #chat [part~=assistant-message]").first().waitFor();
  assert.ok(got.text.length > 20);
  assert.equal(world.site.requests.filter((r) => r.path === "/agui.replay.js").length, 1);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
