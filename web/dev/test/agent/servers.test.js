// The agent against five kinds of servers that people run, each as a small server of its own, over real HTTP: what they
// refuse and how they answer was seen on live ones.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { start } from "../harness/browser.js";
import { faultServer, sse } from "../harness/faults.js";
import { call, text } from "./scripted.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let server;
before(async () => {
  [world, server] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), server?.close()]));

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bodies = (/** @type {string} */ url) => server.seen(url).map((seen) => seen.json);
const headersOf = (/** @type {any} */ seen) => ({
  "access-control-allow-origin": seen.headers.origin ?? "*", "access-control-allow-credentials": "true",
});

/** The events of a run as a request asked for it. */
const runOf = (/** @type {any} */ input, /** @type {any[]} */ events, /** @type {any} */ more = {}) => [
  { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId }, ...events,
  { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, ...more },
];
const asks = (/** @type {any[]} */ ...interrupts) => ({ outcome: { type: "interrupt", interrupts } });

/** What a provider says of a history in which a call has no tool message; undefined: nothing. */
function refusal(/** @type {any[]} */ messages) {
  const answered = new Set(messages.map((message) => message.toolCallId));
  const open = messages.flatMap((message) => message.toolCalls ?? []).filter(({ id }) => !answered.has(id))
    .map(({ id }) => id);
  if (open.length === 0) return undefined;
  return {
    status: 400, headers: { "content-type": "application/json" },
    body: JSON.stringify({ error: { message: `tool_calls without a tool message: ${open.join()}` } }),
  };
}

/** Evaluates in a fresh page and closes it; nothing may be left uncaught. */
async function inPage(/** @type {Function} */ f, /** @type {any} */ argument) {
  const page = await world.page({ path: "/test/plain.html" });
  try {
    const got = await page.evaluate(/** @type {any} */ (f), argument);
    assert.deepEqual(page.uncaught, []);
    return got;
  } finally {
    await page.done();
  }
}

test(
  "a server that saves before it ends the response, and refuses a busy thread: no request meets it busy, none is cut",
  async () => {
  const busy = new Set();
  let cut = 0;
  const url = server.reply(async (seen, response) => {
    const { json: input } = seen;
    if (busy.has(input.threadId)) {
      return { status: 409, headers: { "content-type": "application/json" }, body: '{"error":"the thread is busy"}' };
    }
    busy.add(input.threadId);
    let over = false;
    response.on("close", () => { if (!over) cut++; });
    response.writeHead(200, { ...headersOf(seen), "content-type": "text/event-stream" });
    const asked = input.messages.at(-1)?.role === "user" && input.messages.at(-1).content === "tool";
    const n = input.messages.length;
    response.write(sse(...runOf(input, asked ? call(`c${n}`, "f", `m${n}`, "{}") : text(`a${n}`, "ok"))));
    await sleep(150);
    busy.delete(input.threadId);
    over = true;
    response.end();
  });
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, tools: [{ name: "f", description: "", handler: () => "42" }] });
    const outcomes = [];
    for (let i = 0; i < 4; i++) outcomes.push((await agent.send(i % 2 ? "tool" : "text")).outcome);
    // One that is sent as soon as the terminal event is seen waits for the end too.
    let last;
    const stop = agent.watch((/** @type {any} */ event) => {
      if (event.type === "RUN_FINISHED") {
        stop();
        setTimeout(() => { last = agent.send("at once").then((/** @type {any} */ r) => r.outcome); });
      }
    });
    await agent.send("text");
    outcomes.push(await last);
    return { outcomes, tools: agent.messages.filter((/** @type {any} */ m) => m.role === "tool").length };
  }, url);
  assert.deepEqual(got, { outcomes: ["success", "success", "success", "success", "success"], tools: 2 });
  assert.equal(server.seen(url).length, 8);
  assert.equal(cut, 0);
});

/** A server that pauses at the first request and goes on when a resume is as it wants. */
function pausing(/** @type {(input: any, first: any) => string | undefined} */ judge, /** @type {any} */ interrupt,
  result = true) {
  /** @type {any} */
  let first;
  return server.reply(({ json: input }) => {
    if (!input.resume) {
      first ??= input;
      return {
        body: sse(...runOf(input, call("c1", "pay", "m1", '{"n":1}'),
          asks({ id: "i1", reason: "tool_call", toolCallId: "c1", ...interrupt }))),
      };
    }
    const wrong = judge(input, first);
    if (wrong) {
      return {
        body: sse({ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId }, {
          type: "RUN_ERROR", message: wrong,
        }),
      };
    }
    const results = result ? [{ type: "TOOL_CALL_RESULT", messageId: "q1", toolCallId: "c1", content: "paid" }] : [];
    return { body: sse(...runOf(input, [...results, ...text("a1", JSON.stringify(input.resume[0].payload ?? null))])) };
  });
}
const needsParent = (/** @type {any} */ input, /** @type {any} */ first) => (input.parentRunId === first.runId
  ? undefined : "a resume must carry parentRunId");
const needsSame = (/** @type {any} */ input, /** @type {any} */ first) => (input.runId === first.runId ? undefined
  : "cannot resume: no such run");

/** Resumes in each of the ways there are. */
async function resumed(/** @type {{url: string, options: any}} */ { url, options }) {
  const answer = () => ({ status: /** @type {const} */ ("resolved"), payload: { ok: true } });
  const last = (/** @type {any} */ agent) => agent.messages.at(-1).content;
  const asked = new agui.HttpAgent({ url, ...options });
  await asked.send("buy");
  await asked.resume([{ interruptId: "i1", ...answer() }]);
  const byItself = new agui.HttpAgent({ url, ...options, onInterrupt: answer });
  await byItself.send("buy");
  return [last(asked), last(byItself)];
}

test("a server that refuses a resume without parentRunId", async () => {
  const results = [];
  for (let i = 0; i < 1; i++) {
    results.push(await inPage(resumed, {
      url: pausing((input) => (input.parentRunId && input.parentRunId !== input.runId ? undefined
        : "a resume must carry parentRunId"), {}), options: {},
    }));
  }
  assert.deepEqual(results, [['{"ok":true}', '{"ok":true}']]);
  // It is the interrupted run's, also when the run was somebody's own id, and when a first try failed.
  const url = pausing(needsParent, {});
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    await agent.send("buy", { runId: "mine" });
    const refused = await agent.resume([{ interruptId: "i1", status: "resolved" }], { parentRunId: "another" })
      .then(() => "", (/** @type {any} */ e) => `${e.code}: ${e.message}`);
    const { outcome } = await agent.resume([{ interruptId: "i1", status: "resolved", payload: 1 }]);
    return { refused, outcome, last: agent.messages.at(-1).content, open: agent.pendingInterrupts.length };
  }, url);
  assert.deepEqual(got, {
    refused: "run_error: a resume must carry parentRunId", outcome: "success", last: "1", open: 0,
  });
  assert.deepEqual(bodies(url).map((body) => body.parentRunId), [undefined, "another", "mine"]);
});

test("a server that refuses another runId than the interrupted run's", async () => {
  const started = [];
  const url = server.reply(({ json: input }) => {
    if (!input.resume) {
      started.push(input.runId);
      return {
        body: sse(...runOf(input, call("c1", "pay", "m1", "{}"),
          asks({ id: "i1", reason: "tool_call", toolCallId: "c1" }))),
      };
    }
    if (!started.includes(input.runId)) {
      return {
        body: sse({ type: "RUN_STARTED", threadId: "t", runId: input.runId }, {
          type: "RUN_ERROR", message: "cannot resume",
        }),
      };
    }
    return {
      body: sse(...runOf(input, [{ type: "TOOL_CALL_RESULT", messageId: "q", toolCallId: "c1", content: "x" },
        ...text("a1", JSON.stringify(input.resume[0].payload))])),
    };
  });
  assert.deepEqual(await inPage(resumed, { url, options: { resumeRunId: "same" } }), ['{"ok":true}', '{"ok":true}']);
  const refused = await inPage((/** @type {any} */ given) => {
    const agent = new agui.HttpAgent(given);
    return agent.send("buy").then(() => agent.resume([{ interruptId: "i1", status: "cancelled" }]))
      .then(() => "", (/** @type {any} */ e) => e.message);
  }, { url });
  assert.equal(refused, "cannot resume");
  await assert.rejects(inPage((/** @type {string} */ url) => void new agui.HttpAgent({ url, resumeRunId: "old" }), url),
    /resumeRunId must be "new" or "same"/);
});

test("the view resumes as the page declares it", async () => {
  const wrong = [];
  const url = pausing((input, first) => { const w = needsSame(input, first); wrong.push(w); return w; },
    { message: "Pay?", reason: "confirmation" });
  const page = await world.page({
    html: `<!doctype html><meta charset="utf-8"><title>x</title><link rel="icon" href="data:,"><script src="/agui.js"></script><div data-agui="${url}" data-resume-run-id="same"></div>`,
  });
  try {
    await page.locator(".input").fill("buy");
    await page.keyboard.press("Enter");
    await page.locator(".card button").first().waitFor();
    await page.locator(".card button").first().click();
    await page.getByText("true").last().waitFor();
    assert.deepEqual(wrong, [undefined]);
  } finally {
    await page.done();
  }
});

test("a server whose page tools come as interrupts: the handler answers them", async () => {
  const url = pausing(needsParent, { reason: "some:client_tool_execution" }, false);
  const got = await inPage(async (/** @type {string} */ url) => {
    const given = [];
    const tools = [{
      name: "pay", description: "", handler: (/** @type {any} */ args) => {
        given.push(args);
        return { paid: args.n };
      },
    }];
    const agent = new agui.HttpAgent({ url, tools, onInterrupt: () => { throw new Error("asked"); } });
    const { outcome, newMessages } = await agent.send("buy");
    return { outcome, given, last: newMessages.at(-1).content, open: agent.pendingInterrupts.length };
  }, url);
  assert.deepEqual(got, { outcome: "success", given: [{ n: 1 }], last: '{"paid":1}', open: 0 });
  assert.deepEqual(bodies(url)[1].resume, [{ interruptId: "i1", status: "resolved", payload: { paid: 1 } }]);

  // Beside a question to a person the result waits for the person's answer. A handler that fails answers with its
  // error.
  const mixed = server.reply(({ json: input }) => {
    if (input.resume) return { body: sse(...runOf(input, text("a1", JSON.stringify(input.resume)))) };
    return { body: sse(...runOf(input, [...call("c1", "pay", "m1", "{}"), ...call("c2", "other", "m1", "{}")], asks(
      { id: "i1", reason: "x:client_tool_execution", toolCallId: "c1" },
      { id: "i2", reason: "tool_call", toolCallId: "c2" },
    ))) };
  });
  const second = await inPage(async (/** @type {string} */ url) => {
    let calls = 0;
    const agent = new agui.HttpAgent({
      url, tools: [{ name: "pay", description: "", handler: () => { calls++; throw new Error("no money"); } }],
    });
    const { outcome } = await agent.send("buy");
    const before = agent.pendingInterrupts.length;
    await agent.resume([{ interruptId: "i2", status: "cancelled" }]);
    return { outcome, calls, before, resume: JSON.parse(agent.messages.at(-1).content) };
  }, mixed);
  assert.deepEqual(second, { outcome: "interrupt", calls: 1, before: 2, resume: [
    { interruptId: "i2", status: "cancelled" }, {
      interruptId: "i1", status: "resolved", payload: { error: "no money" },
    },
  ] });
});

test("the view asks a person for the rest of such a mixed answer", async () => {
  const url = server.reply(({ json: input }) => {
    if (input.resume) return { body: sse(...runOf(input, text("a1", JSON.stringify(input.resume)))) };
    return { body: sse(...runOf(input,
      [...call("c1", "pay", "m1", "{}"), ...call("c2", "ship", "m1", "{}"), ...call("c3", "pick", "m1", "{}")], asks(
      { id: "i1", reason: "x:client_tool_execution", toolCallId: "c1" },
      { id: "i2", reason: "tool_call", message: "Ship it?", toolCallId: "c2" },
      { id: "i3", reason: "x:client_tool_execution", toolCallId: "c3" },
    ))) };
  });
  const page = await world.page();
  try {
    await page.evaluate((/** @type {string} */ url) => {
      const host = document.body.appendChild(document.createElement("div"));
      const pick = (/** @type {Element} */ place, /** @type {any} */ data) => {
        place.textContent = `pick ${data.status}`;
        Object.assign(window, { pick: data.respond });
      };
      Object.assign(window, {
        agent: agui.mount(host, { url, tools: [{ name: "pay", description: "", handler: () => ({ paid: 1 }) }],
          renderers: { tools: { pick } } }).agent,
      });
    }, url);
    await page.locator(".input").fill("buy");
    await page.keyboard.press("Enter");
    await page.locator(".card").nth(1).waitFor();
    assert.deepEqual(await page.locator(".card").count(), 2, "what the page's tool answered is no question");
    await page.evaluate(() => /** @type {any} */ (window).agent.answer("c3", { at: 2 }));
    await page.waitForFunction(() =>
      document.body.lastElementChild?.shadowRoot?.querySelectorAll(".card").length === 1);
    assert.match(await page.locator(".card-title").textContent() ?? "", /Ship it/);
    await page.locator(".card button").first().click();
    await page.getByText("i2").last().waitFor();
    assert.deepEqual(bodies(url)[1].resume, [
      { interruptId: "i2", status: "resolved", payload: { approved: true } },
      { interruptId: "i1", status: "resolved", payload: { paid: 1 } },
      { interruptId: "i3", status: "resolved", payload: { at: 2 } },
    ]);
  } finally {
    await page.done();
  }
});

test("a server that rejects a history with an unanswered call", async () => {
  /** The answer to a request with these words; each makes a call that somebody does not answer. */
  const turns = (/** @type {any} */ input) => {
    const start = { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
    const words = input.messages.findLast((/** @type {any} */ m) => m.role === "user")?.content;
    if (input.messages.at(-1)?.role === "tool" || input.resume) {
      return { body: sse(...runOf(input, text(`a${input.messages.length}`, "ok"))) };
    }
    switch (words) {
      case "abort": return { body: sse(start, ...call("c1", "find", "m1", '{"a":').slice(0, 2)), open: true };
      case "fail": return {
        body: sse(start, ...call("c1", "find", "m1", "{}"), { type: "RUN_ERROR", message: "overloaded" }),
      };
      case "break": return { body: sse(start, ...call("c1", "find", "m1", "{}")), reset: true };
      case "cancelled": return {
        body: sse(...runOf(input, call("c1", "find", "m1", "{}"), { outcome: { type: "cancelled" } })),
      };
      case "malformed": return { body: sse(...runOf(input, call("c1", "page", "m1", '{"a":'))) };
      case "stop": return { body: sse(...runOf(input, call("c1", "page", "m1", "{}"))) };
      case "ask": return {
        body: sse(...runOf(input, call("c1", "find", "m1", "{}"),
          asks({ id: "i1", reason: "tool_call", toolCallId: "c1" }))),
      };
      case "forget": return { body: sse(...runOf(input, call("c1", "find", "m1", "{}"))) };
      default: return { body: sse(...runOf(input, text(`a${input.messages.length}`, "ok"))) };
    }
  };
  const closed = "not finished|not finished";
  for (const [words, want, options] of /** @type {[string, string, any?][]} */ ([
    ["abort", closed], ["fail", closed], ["break", closed], ["cancelled", closed], ["stop", closed],
    ["malformed",
      "the arguments are not valid JSON: expected a value, got the end of the text at byte 5|the arguments are not valid JSON: expected a value, got the end of the text at byte 5"],
    ["ask", '{"approved":true}|undefined'], ["forget", closed, { unanswered: "close" }],
  ])) {
    const url = server.reply(({ json: input }) => refusal(input.resume ? [] : input.messages) ?? turns(input));
    const got = await inPage(async (/** @type {any} */ { url, words, options }) => {
      const agent = new agui.HttpAgent({
        url, ...options, onInterrupt: () => ({ status: "resolved", payload: { approved: true } }), onWarning: () => {},
        tools: [{
          name: "page", description: "", handler: () => new Promise((resolve) => {
            if (words === "stop") setTimeout(() => agent.abortRun(), 10); else resolve("x");
          }),
        }],
      });
      if (words === "abort") {
        agent.watch((/** @type {any} */ event) => {
          if (event.type === "TOOL_CALL_ARGS") setTimeout(() => agent.abortRun(), 10);
        });
      }
      await agent.send(words).catch(() => {});
      await agent.send("next");
      const tool = agent.messages.find((/** @type {any} */ m) => m.role === "tool");
      return {
        tool: `${tool?.content}|${tool?.error}`, roles: agent.messages.map((/** @type {any} */ m) => m.role).join(" "),
        last: agent.messages.at(-1).content,
      };
    }, { url, words, options });
    assert.equal(got.tool, want, words);
    assert.ok(got.roles.startsWith("user assistant tool"), `${words}: ${got.roles}`);
    assert.equal(got.last, "ok", words);
    // What the page shows is what was sent.
    assert.deepEqual(bodies(url).at(-1).messages.map((/** @type {any} */ m) => m.role).join(" "),
      got.roles.replace(/ assistant$/, ""), words);
  }
  // A call that somebody else may answer stays, and what the agent named as pending always does.
  for (const options of [{}, { unanswered: "close" }]) {
    const url = server.reply(({ json: input }) => ({
      body: sse(...runOf(input, input.messages.length > 1 ? [] : call("c1", "find", "m1", "{}"),
        options.unanswered ? { outcome: { type: "success", pendingToolCallIds: ["c1"] } } : {})),
    }));
    const roles = await inPage(async (/** @type {any} */ given) => {
      const agent = new agui.HttpAgent(given);
      await agent.send("x");
      await agent.send("y");
      return agent.messages.map((/** @type {any} */ m) => m.role).join(" ");
    }, { url, ...options });
    assert.equal(roles, "user assistant user");
  }
});

test("a server that replays the thread as many runs in each response", async () => {
  /** @type {any[][]} */
  const past = [];
  const seenTools = [];
  const url = server.reply(({ json: input }) => {
    const known = new Set(past.flat()
      .flatMap((event) => [event.messageId, ...(event.input?.messages ?? []).map((/** @type {any} */ m) => m.id)]));
    const fresh = input.messages.filter((/** @type {any} */ m) => m.role !== "assistant" && !known.has(m.id));
    const n = past.length;
    const tool = fresh.some((/** @type {any} */ m) => m.content === "tool");
    seenTools.push(...fresh.filter((/** @type {any} */ m) => m.role === "tool")
      .map((/** @type {any} */ m) => m.toolCallId));
    past.push([
      {
        type: "RUN_STARTED", threadId: input.threadId, runId: `s${n}`,
        input: { ...input, runId: `s${n}`, messages: fresh },
      },
      ...(tool ? call(`c${n}`, "f", `m${n}`, "{}") : text(`a${n}`, `answer ${n}`)),
      { type: "RUN_FINISHED", threadId: input.threadId, runId: `s${n}` },
    ]);
    return { body: sse(...past.flat()) };
  });
  const got = await inPage(async (/** @type {string} */ url) => {
    let calls = 0;
    const agent = new agui.HttpAgent({
      url, history: "new", tools: [{ name: "f", description: "", handler: () => `result ${++calls}` }],
    });
    const fresh = [];
    for (const words of ["hi", "tool", "bye"]) {
      fresh.push((await agent.send(words)).newMessages.map((/** @type {any} */ m) => m.content ?? m.id));
    }
    return { calls, fresh, all: agent.messages.map((/** @type {any} */ m) => m.content ?? m.id) };
  }, url);
  assert.deepEqual(got, {
    calls: 1, fresh: [["answer 0"], ["m1", "result 1", "answer 2"], ["answer 3"]],
    all: ["hi", "answer 0", "tool", "m1", "result 1", "answer 2", "bye", "answer 3"],
  });
  assert.deepEqual(seenTools, ["c1"]);
});

test("a result between two runs of a response belongs to its call: the page's tool does not run for it", async () => {
  const result = { type: "TOOL_CALL_RESULT", messageId: "q1", toolCallId: "c1", content: "server's" };
  const url = server.reply(({ json: input }) => ({ body: sse(
    ...runOf(input, [...call("c1", "f", "m1", "{}"), ...call("c2", "f", "m1", "{}")]),
    ...(input.messages.length > 1 ? [] : [result]),
    ...runOf({ ...input, runId: "s2" }, text(`a${input.messages.length}`, "done")),
  ) }));
  const got = await inPage(async (/** @type {string} */ url) => {
    const ran = /** @type {string[]} */ ([]);
    const agent = new agui.HttpAgent({
      url, onWarning: () => {}, tools: [{
        name: "f", description: "", handler: (/** @type {any} */ _args, /** @type {any} */ { toolCall }) => {
          ran.push(toolCall.id);
          return "page's";
        },
      }],
    });
    const { newMessages } = await agent.send("go");
    return {
      ran, made: newMessages.slice(0, 4)
        .map((/** @type {any} */ m) => m.toolCallId ? `${m.toolCallId}: ${m.content}` : m.content ?? m.id),
    };
  }, url);
  assert.deepEqual(got.ran.slice(0, 1), ["c2"]);
  assert.deepEqual(got.made.slice(0, 3), ["m1", "c1: server's", "c2: page's"]);
});

test("an interrupt that the server shuts by itself stays open: the next send is refused before a byte goes out (R01)",
  async () => {
  const url = server.reply(({ json: input }) => ({ body: sse(
    ...runOf(input, [], asks({ id: "i1", reason: "confirmation", message: "Pay?" })),
    ...runOf({ ...input, runId: "s2" }, []),
  ) }));
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url });
    const { outcome } = await agent.send("buy");
    const open = agent.pendingInterrupts.map((/** @type {any} */ i) => i.id);
    const refused = await agent.send("next").then(() => "", (/** @type {any} */ e) => e.code);
    return { outcome, open, refused, messages: agent.messages.length };
  }, url);
  assert.deepEqual(got, { outcome: "interrupt", open: ["i1"], refused: "bad_input", messages: 1 });
  assert.equal(server.seen(url).length, 1);
});

test("history \"new\" after a cut: the run that is kept, or the whole once (R17)", async () => {
  const url = server.reply(({ json: input }) => ({
    body: sse(...runOf(input, text(`a${server.seen(url).length}`, "x"))),
  }));
  await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({ url, history: "new" });
    await agent.send("1", { runId: "r1" });
    await agent.send("2", { runId: "r2" });
    agent.setMessages(agent.messages.slice(0, 2));
    await agent.send("other");
    agent.messages = agent.messages.map(
      (/** @type {any} */ m, /** @type {number} */ i) => (i === 0 ? { ...m, content: "edited" } : m));
    await agent.send("again");
    await agent.send("on");
  }, url);
  const sent = bodies(url).map((body) => [body.parentRunId, ...body.messages.map((/** @type {any} */ m) => m.content)]);
  assert.deepEqual(sent, [[undefined, "1"], [undefined, "2"], ["r1", "other"],
    [undefined, "edited", "x", "other", "x", "again"], [undefined, "on"]]);
});

test("clone and branch of a subclass with private fields: recreate, or an error that names the method (R14)",
  async () => {
  const url = server.reply(({ json: input }) => ({ body: sse(...runOf(input, text("a1", "x"))) }));
  const got = await inPage(async (/** @type {string} */ url) => {
    class Bare extends agui.HttpAgent {
      tag = "a";
      #token = "x";
      requestInit(/** @type {any} */ input) {
        const init = super.requestInit(input);
        return { ...init, headers: { ...init.headers, "x-token": this.#token } };
      }
    }
    class Whole extends Bare {
      recreate() { return new Whole({ url: this.url }); }
    }
    class Source extends agui.AbstractAgent {
      #events = [{ type: "RUN_STARTED", threadId: "t", runId: "r" }, {
        type: "RUN_FINISHED", threadId: "t", runId: "r",
      }];
      run() { return this.#events; }
    }
    const at = async (/** @type {any} */ agent) => agent.runAgent()
      .then((/** @type {any} */ r) => r.outcome, (/** @type {any} */ e) => `${e.code}: ${e.message}`);
    const bare = new Bare({ url });
    const whole = new Whole({ url, initialMessages: [{ id: "u1", role: "user", content: "q" }] });
    whole.tag = "b";
    const first = [await at(bare), await bare.runAgent({ runId: "r9" }).then(() => at(bare.branch("r9"))),
      await at(bare.clone())];
    await whole.runAgent({ runId: "r1" });
    const [clone, branch] = [whole.clone(), whole.branch("r1")];
    const second = [await at(clone), await at(branch), clone.tag, clone.threadId === whole.threadId,
      clone.messages.map((/** @type {any} */ m) => m.id).join()];
    return { first, second, source: [await at(new Source()), await at(new Source().clone())] };
  }, url);
  assert.equal(got.first[0], "success");
  for (const error of got.first.slice(1)) {
    assert.match(error, /^bad_input: requestInit\(\) failed in a copy of the agent: .*recreate\(\)/);
  }
  assert.deepEqual(got.second, ["success", "success", "b", true, "u1,a1"]);
  assert.equal(got.source[0], "success");
  assert.match(got.source[1], /^bad_input: run\(\) failed in a copy of the agent: .*recreate\(\)/);
});
