// People in the loop, by the agent's API over real HTTP: calls that wait, answers, dismissals, second thoughts.
import test from "node:test";
import assert from "node:assert/strict";
import { ask, brief, people, quiet, slow } from "./people.js";
import { call, finished, run, started, text } from "./scripted.js";

const { bodies, inPage, requests, scripted } = people();

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

test("calls beside a question that does not name them: handlers run once it is answered, and not after a no", async () => {
  const asks = (/** @type {string} */ n) => run(...call(`h${n}`, "page", `m${n}`, "{}"), finished({
    outcome: { type: "interrupt", interrupts: [{ id: `i${n}`, reason: "confirmation" }] },
  })).slice(0, -1);
  const url = scripted(asks("1"), run(), asks("2"), run(), asks("3"), run(...text("a4", "x")));
  const got = await inPage(async (/** @type {string} */ url) => {
    let ran = 0;
    const agent = new agui.HttpAgent({ url, tools: [{ name: "page", description: "", handler: () => ++ran }] });
    const answer = (/** @type {any} */ payload) => agent.resume([{
      interruptId: agent.pendingInterrupts[0].id, status: "resolved", payload,
    }]);
    await agent.send("1");
    const before = [ran, ...agent.pendingToolCallIds];
    await answer({ approved: true });
    await agent.send("2");
    await answer({ approved: false });
    agent.onInterrupt = () => ({ status: "resolved", payload: "words" });
    await agent.send("3");
    return { before, ran, outcome: agent.messages.at(-1).content, waits: agent.pendingToolCallIds };
  }, url);
  assert.deepEqual(got, { before: [0, "h1"], ran: 2, outcome: "x", waits: [] });
  assert.deepEqual(requests(url).slice(1), ["1 m1 h1=1", "1 m1 h1=1 2", "1 m1 h1=1 2 m2 h2=dismissed",
    "1 m1 h1=1 2 m2 h2=dismissed 3", "1 m1 h1=1 2 m2 h2=dismissed 3 m3 h3=2"]);
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

test("an edit during a run: refused, or it ends the run first, whose late words go nowhere; attachments go along",
  async () => {
  const late = () =>
    slow([started, ...text("a1", "one").slice(0, 2)], [...text("a1", "late").slice(1), finished()], 250);
  const url = scripted(late(), late(), late(), run(...text("a8", "eight")), run(...text("a9", "nine")));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    const until = (/** @type {string} */ id) => T.until(() => agent.messages.at(-1)?.id === id, 0);
    const first = agent.send(["words", new File(["hi"], "a.png", { type: "image/png" })]);
    await until("a1");
    const [{ id, content }] = agent.messages;
    const refused = [];
    for (const whileRunning of [undefined, "refuse", "queue"]) {
      refused.push(await agent.edit(id, "x", { whileRunning }).catch((/** @type {any} */ e) => e.code));
    }
    refused.push(await agent.regenerate().catch((/** @type {any} */ e) => e.code));
    const whole = agent.messages.length === 2 && agent.isRunning;
    // Content is replaced whole: parts of the former one are kept by being in the new one.
    const second = agent.edit(id, ["other words", ...content.slice(1)], { whileRunning: "interrupt" });
    const outcomes = [(await first).outcome];
    await until("a1");
    const queued = agent.send("wait", { whileRunning: "queue" });
    agent.whileRunning = "interrupt";
    const third = agent.regenerate();
    outcomes.push((await second).outcome);
    await until("a1");
    // What interrupts goes before what waits.
    const fourth = agent.send("now");
    outcomes.push((await third).outcome, (await fourth).outcome, (await queued).outcome);
    await T.sleep(300);
    const words = (/** @type {any} */ { content: c }) => (
      Array.isArray(c) ? c.map(({ type, text }) => text ?? type).join("+") : c);
    return {
      refused, whole, outcomes, said: agent.messages.map(words),
      versions: agent.versions(agent.messages[0].id).map(({ messages, shown }) => [words(messages[0]), shown]),
    };
  }, url);
  assert.deepEqual(got, {
    refused: Array(4).fill("bad_input"), whole: true, outcomes: ["aborted", "aborted", "aborted", "success", "success"],
    said: ["other words+image", "one", "now", "eight", "wait", "nine"],
    versions: [["words+image", false], ["other words+image", true]],
  });
  const [first, ...others] = bodies(url).map(({ messages }) => messages[0].content[1]);
  assert.equal(first.source.value, "aGk=");
  assert.deepEqual(others, Array(4).fill(first));
});
