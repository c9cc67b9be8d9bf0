// One rule, one answer: what Go and the script once answered differently.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { not, start } from "../harness/browser.js";
import { faultServer, sse } from "../harness/faults.js";
import { chatPage } from "../view/chat.js";
import { call, finished, run, started, text } from "./scripted.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let server;
before(async () => {
  [world, server] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), server?.close()]));

/** A URL whose n-th request is answered with the n-th list of events. */
function scripted(/** @type {any[][]} */ ...scripts) {
  let n = 0;
  return server.reply(() => ({ body: sse(...(scripts[n++] ?? run())) }));
}

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

/** A time without a zone, so many hours from now in UTC. */
const inHours = (/** @type {number} */ hours) => new Date(Date.now() + hours * 3600_000).toISOString().slice(0, 19);

// Asia/Tokyo is 9 hours before UTC and America/Los_Angeles 7 or 8 behind: read as local time each would be wrong.
for (const [zone, hours, expired] of /** @type {[string, number, boolean][]} */ ([
  ["Asia/Tokyo", 2, false], ["Asia/Tokyo", -2, true], ["America/Los_Angeles", 2, false],
  ["America/Los_Angeles", -2, true],
])) {
  test(`an expiry without a zone is UTC for the card and for the thread: ${hours} hours from now in ${zone}`, {
    skip: not("the time zone of a page cannot be set", "firefox", "webkit"),
  }, async () => {
    const page = await chatPage(world, { zone });
    const expiresAt = inHours(hours);
    await page.evaluate((/** @type {string} */ expiresAt) => {
      chat.agent.pendingInterrupts = [{ id: "i", reason: "confirmation", message: "Go?", expiresAt }];
    }, expiresAt);
    await page.locator("#chat .card").waitFor();
    const card = await page.locator("#chat .card").innerText();
    assert.equal(card.includes("expired"), expired, card);
    // What the card says as a time is the same moment.
    if (!expired) {
      const said = await page.evaluate((at) => new Date(`${at}Z`).toLocaleString("en"), expiresAt);
      assert.ok(card.replace(/\s/g, " ").includes(said.replace(/\s/g, " ")), `${card} has no ${said}`);
    }
    const answer = await page.evaluate(async () => {
      const over = chat.agent.runAgent({ resume: [{ interruptId: "i", status: "resolved", payload: {} }] })
        .then(() => "sent", (/** @type {any} */ error) => error.message);
      return Promise.race([over, new Promise((r) => { setInterval(() => chat.bodies.length > 0 && r("sent"), 10); })]);
    });
    if (expired) assert.match(answer, /expired interrupt/);
    else assert.equal(answer, "sent");
    await page.done();
  });
}

test("unfinished arguments have one reading, for hooks and for renderers", async () => {
  const cases = ['{"a":true', '{"a":null', '{"a":12', '{"a":"x\\ud83d', '{"a":"x\\u00', '{"a":[1,{"b":"c', '{"a":1,"b',
    "[1,2", '"x', "", "  ", '{"__proto__":{"x":1}'];
  const want = [{ a: true }, { a: null }, {}, { a: "x" }, { a: "x" }, { a: [1, { b: "c" }] }, { a: 1 }, {}, {}, {}, {},
    JSON.parse('{"__proto__":{"x":1}}')];
  const url = scripted(...cases.map((delta) => run(...call("c1", "f", "m1", ...(delta === "" ? [] : [delta]), "!"))));
  // A hook sees the arguments as they were before its event: the "!" is not among them.
  const got = await inPage(async (/** @type {{url: string, n: number}} */ { url, n }) => {
    const list = [];
    for (let i = 0; i < n; i++) {
      const agent = new agui.HttpAgent({ url });
      let seen = "{}";
      await agent.runAgent({}, {
        onToolCallArgsEvent: ({ partialToolCallArgs }) => { seen = JSON.stringify(partialToolCallArgs); },
      });
      list.push(seen);
    }
    return list;
  }, { url, n: cases.length });
  assert.deepEqual(got, want.map((value) => JSON.stringify(value)));
});

test("the calls that wait at RUN_FINISHED are those that the conversation does not answer, for the hook too",
  async () => {
  const answered = { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "m1", role: "assistant", content: "", toolCalls: [
      { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
      { id: "c2", type: "function", function: { name: "f", arguments: "{}" } },
    ] },
    { id: "r1", role: "tool", toolCallId: "c1", content: "ok" },
  ] };
  const two = [...call("c1", "f", "m1", "{}"), ...call("c2", "f", "m1", "{}")];
  const scripts = [
    run(...two, answered),
    run(...two),
    [started, ...two, finished({ outcome: { type: "success", pendingToolCallIds: ["c2", "x"] } })],
    [started, ...two, finished({ outcome: { type: "success", pendingToolCallIds: [] } })],
    [started, ...two, finished({ result: { n: 1 }, outcome: null })],
    [started, ...two, finished({ outcome: { type: "cancelled" } })],
    [started, ...two, finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } })],
    run(...two, { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c2", content: "x" }),
  ];
  const got = await inPage(async (/** @type {{url: string, n: number}} */ { url, n }) => {
    const list = [];
    for (let i = 0; i < n; i++) {
      const agent = new agui.HttpAgent({ url });
      /** @type {any} */
      let seen;
      await agent.runAgent({}, { onRunFinishedEvent: ({ outcome, result, pendingToolCallIds, interrupts }) => {
        seen = { outcome, result, pendingToolCallIds, interrupts };
      } });
      list.push(JSON.parse(JSON.stringify(seen)));
    }
    return list;
  }, { url: scripted(...scripts), n: scripts.length });
  assert.deepEqual(got, [
    { outcome: "success", pendingToolCallIds: ["c2"] },
    { outcome: "success", pendingToolCallIds: ["c1", "c2"] },
    { outcome: "success", pendingToolCallIds: ["c2", "x"] },
    { outcome: "success", pendingToolCallIds: ["c1", "c2"] },
    { outcome: "success", result: { n: 1 }, pendingToolCallIds: ["c1", "c2"] },
    { outcome: "cancelled" },
    { outcome: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] },
    { outcome: "success", pendingToolCallIds: ["c1"] },
  ]);
});

test("with history new a run sends what is new, also where a hook changed the conversation before it", async () => {
  const url = scripted(run(...text("a1", "x")), run(...text("a2", "y")), run());
  const got = await inPage(async (/** @type {string} */ url) => {
    const agent = new agui.HttpAgent({
      url, history: "new", initialMessages: [{ id: "u1", role: "user", content: "1" }],
    });
    /** @type {string[][]} */
    const inputs = [];
    agent.use((input, next) => {
      inputs.push(input.messages.map((message) => message.id));
      return next.run(input);
    });
    await agent.runAgent();
    agent.addMessage({ id: "u2", role: "user", content: "2" });
    await agent.runAgent({}, {
      onRunInitialized: ({ messages }) => ({
        messages: [...messages, { id: "h1", role: "user", content: "from a hook" }],
      }),
    });
    await agent.runAgent({}, { onRunInitialized: () => ({ state: { changed: true } }) });
    return inputs;
  }, url);
  const bodies = server.seen(url).map((seen) => seen.json.messages.map((/** @type {any} */ message) => message.id));
  assert.deepEqual(got, [["u1"], ["u2", "h1"], []]);
  assert.deepEqual(bodies, got);
});

test("content-type is the runtime's, and text/event-stream is added to a caller's accept", async () => {
  /** @type {[Record<string, string>, string][]} */
  const cases = [
    [{}, "text/event-stream"],
    [{ accept: "application/x-own" }, "application/x-own, text/event-stream"],
    [{ ACCEPT: "application/x-own;q=0.5", "CONTENT-TYPE": "text/plain" }, "application/x-own;q=0.5, text/event-stream"],
    [{ Accept: "Text/Event-Stream;q=1, */*" }, "Text/Event-Stream;q=1, */*"],
    [{ accept: "" }, "text/event-stream"],
  ];
  for (const kind of ["run", "agent", "function", "super", "headers function under super", "own"]) {
    const url = scripted();
    await inPage(async (/** @type {any} */ { url, kind, list }) => {
      for (const given of list) {
        const headers = { ...given, "x-a": "1" };
        if (kind === "run") await new Promise((complete, error) => {
          agui.run({}, { url, headers }).subscribe({ complete, error });
        });
        else if (kind === "agent") await new agui.HttpAgent({ url, headers }).runAgent();
        else if (kind === "function") await new agui.HttpAgent({ url, headers: () => headers }).runAgent();
        else if (kind === "own") {
          await new (class extends agui.HttpAgent {
            requestInit() { return { headers }; }
          })({ url, headers: { accept: "application/x-lost", "x-b": "2" } }).runAgent();
        } else {
          await new (class extends agui.HttpAgent {
            requestInit(/** @type {any} */ input) {
              const init = super.requestInit(input);
              return { ...init, headers: { ...init.headers, "x-c": "3" } };
            }
          })({ url, headers: kind === "super" ? headers : () => headers }).runAgent();
        }
      }
    }, { url, kind, list: cases.map(([headers]) => headers) });
    const seen = server.seen(url);
    assert.deepEqual(seen.map(({ headers }) => headers["content-type"]), cases.map(() => "application/json"), kind);
    assert.deepEqual(seen.map(({ headers }) => headers["x-a"]), cases.map(() => "1"), kind);
    // A subclass that gives an accept of its own has the last word over the agent's headers.
    const want = cases.map(([headers, accept]) => (kind === "own" && Object.keys(headers).length === 0
      ? "application/x-lost, text/event-stream" : accept));
    assert.deepEqual(seen.map(({ headers }) => headers.accept), want, kind);
  }
});

test("requestInit names the two headers once, whatever the caller's spelling", async () => {
  const got = await inPage(() => [{}, { ACCEPT: "a/b", "content-TYPE": "text/plain", "X-A": "1" }].map((headers) => {
    const agent = new agui.HttpAgent({ url: "https://nowhere.test/", headers });
    return agent.requestInit(/** @type {any} */ ({ messages: [] })).headers;
  }), undefined);
  assert.deepEqual(got, [
    { "Content-Type": "application/json", Accept: "text/event-stream" },
    { "Content-Type": "application/json", Accept: "a/b, text/event-stream", "X-A": "1" },
  ]);
});

// A server that counts its ids from the start in each turn: hooks hear of what the turn made, not of the first turn's.
test("hooks and the chat speak of what a later turn made under an id used again", async () => {
  const turn = (/** @type {string} */ word) => run(
    ...text("m", word, "!"), ...call("c", "f", "m", `{"n":"${word}"`, "}"),
    { type: "TOOL_CALL_RESULT", messageId: "q", toolCallId: "c", content: `of ${word}` },
    { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "m", delta: `why ${word}` },
    { type: "REASONING_MESSAGE_END", messageId: "m" },
    { type: "ACTIVITY_SNAPSHOT", messageId: "m", activityType: "plan", content: { word } },
    { type: "ACTIVITY_DELTA", messageId: "m", activityType: "plan", patch: [{ op: "add", path: "/n", value: 1 }] });
  const got = await inPage(async (/** @type {string} */ url) => {
    /** @type {string[]} */
    const heard = [];
    const agent = new agui.HttpAgent({ url, tools: [], onWarning() {} });
    agent.subscribe({
      onTextMessageEndEvent: ({ textMessageBuffer }) => void heard.push(`text ${textMessageBuffer}`),
      onReasoningMessageEndEvent: ({ reasoningMessageBuffer }) => void heard.push(`thought ${reasoningMessageBuffer}`),
      onActivityDeltaEvent: ({ activityMessage }) => void heard.push(`plan ${activityMessage?.content.word}`),
      onToolCallArgsEvent: ({ event, toolCallBuffer }) => {
        if (event.delta === "}") heard.push(`args ${toolCallBuffer}`);
      },
      onToolCallEndEvent: ({ toolCallArgs }) => void heard.push(`end ${JSON.stringify(toolCallArgs)}`),
      onNewToolCall: ({ toolCall }) => void heard.push(`call ${toolCall.id}`),
      onNewMessage: ({ message }) => {
        if (message.role !== "user" && message.role !== "activity") heard.push(`${message.role} ${message.content}`);
      },
    });
    await agent.send("one");
    const first = heard.splice(0);
    await agent.send("two");
    const copy = agent.clone();
    const second = heard.splice(0);
    await copy.send("three");
    return { first, second, third: heard };
  }, scripted(turn("one"), turn("two"), turn("three")));
  const heard = (/** @type {string} */ word, /** @type {string} */ id) => [`text ${word}!`, `assistant ${word}!`,
    `args {"n":"${word}"`, `end {"n":"${word}"}`, `call ${id}`, `tool of ${word}`, `thought why ${word}`,
    `reasoning why ${word}`, `plan ${word}`];
  assert.deepEqual(got.first, heard("one", "c"));
  assert.deepEqual(got.second, heard("two", "c:2"));
  assert.deepEqual(got.third, heard("three", "c:3"));

  const page = await chatPage(world);
  const shown = await page.evaluate(async (/** @type {any} */ [one, two]) => {
    const send = async (/** @type {any[]} */ events, /** @type {string} */ words) => {
      chat.controller = null;
      void chat.agent.send(words);
      while (chat.controller === null) await new Promise((r) => setTimeout(r, 5));
      chat.feed(...events);
      await new Promise((r) => setTimeout(r, 60));
      await chat.frames(2);
    };
    await send(one, "one");
    chat.end();
    while (chat.agent.isRunning) await new Promise((r) => setTimeout(r, 20));
    await send(two, "two");
    return [...chat.root.querySelectorAll(".tool .state")].map((el) => el.textContent);
  }, [turn("one"), turn("two").slice(0, 8)]);
  assert.deepEqual(shown, ["Done", "Preparing"]);
  await page.done();
});
