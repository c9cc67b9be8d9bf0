// agui.compat.mjs beside @ag-ui/client 1.0.0: every name is there or named in migration.md, and does what theirs does.
import test, { after } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import * as reference from "@ag-ui/client";
import { root } from "./harness/static.js";

const compat = await import(pathToFileURL(`${root}dist/agui.compat.node.mjs`).href);
/** @type {any} */
const theirs = reference;

test("migration.md has every exported name of the reference, and says truly whether it is here", () => {
  const page = readFileSync(`${root}web/docs/migration.md`, "utf8");
  const table = page.slice(page.indexOf("## Every exported name"));
  /** @type {Map<string, string>} */
  const rows = new Map();
  for (const [, names, what] of table.matchAll(/^\| (`.*?) \| (same|differs|elsewhere|left out)\b/gm)) {
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) rows.set(name, what);
  }
  const exported = Object.keys(theirs).sort();
  assert.deepEqual([...rows.keys()].sort(), exported);
  for (const name of exported) {
    assert.equal(name in compat, rows.get(name) === "same" || rows.get(name) === "differs", name);
  }
});

test("it is the same runtime as the module beside it", async () => {
  const main = await import(pathToFileURL(`${root}dist/agui.node.mjs`).href);
  for (const name of Object.keys(main)) assert.equal(compat[name], main[name], name);
  const types = readFileSync(`${root}dist/agui.compat.d.ts`, "utf8");
  const typed = [...types.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name)
    .filter((name) => !(name in main)).sort();
  assert.deepEqual(typed, Object.keys(compat).filter((name) => !(name in main)).sort());
});

test("values that need no run are as theirs", () => {
  assert.deepEqual(compat.EventType, theirs.EventType);
  assert.equal(compat.PROTOCOL_VERSION, theirs.PROTOCOL_VERSION);
  assert.equal(compat.AGUI_METADATA_KEY, theirs.AGUI_METADATA_KEY);
  for (const type of [...Object.keys(theirs.EventType), "NEW", "constructor"]) {
    assert.equal(compat.isRecognizedEvent({ type }), theirs.isRecognizedEvent({ type }), type);
  }
  for (const debug of [undefined, false, true, {}, { events: false }, { lifecycle: false, verbose: true },
    { events: false, lifecycle: false }]) {
    assert.deepEqual(compat.resolveAgentDebugConfig(debug), theirs.resolveAgentDebugConfig(debug));
    assert.equal(Boolean(compat.createDebugLogger(compat.resolveAgentDebugConfig(debug))),
      theirs.resolveAgentDebugConfig(debug).enabled);
  }
  const content = [{ type: "text", text: "a" }, { type: "image", source: { type: "url", value: "u" } },
    { type: "text", text: "b" }];
  for (const each of [undefined, "", "a", [], content, content.slice(0, 1)]) {
    assert.equal(compat.contentToText(each), theirs.contentToText(each));
    assert.equal(compat.contentHasMedia(each), theirs.contentHasMedia(each));
  }
  for (const [a, b] of [[undefined, undefined], [{ a: 1 }, undefined], [undefined, { b: 1 }],
    [{ a: 1, b: 1 }, { b: { c: 2 } }]]) {
    assert.deepEqual(compat.mergeMetadata(a, b), theirs.mergeMetadata(a, b));
  }
  const usage = [{ provider: "p", model: "m", inputTokens: 1 }, { model: "n", outputTokens: 2 },
    { provider: "p", model: "m", inputTokens: 2, totalTokens: 5 },
    { provider: "p m", totalTokens: 1 }];
  assert.deepEqual(JSON.parse(JSON.stringify(compat.aggregateTokenUsage(usage))), [
    { provider: "p", model: "m", inputTokens: 3, totalTokens: 5 }, { model: "n", outputTokens: 2 },
    { provider: "p m", totalTokens: 1 },
  ]);
  assert.match(compat.randomUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(compat.structuredClone_({ a: [1] }), { a: [1] });
  const refused = new compat.AGUIConnectNotImplementedError();
  assert.ok(refused instanceof compat.AGUIError && refused.code === "bad_input" &&
    refused.name === "AGUIConnectNotImplementedError");
});

test("interrupts are answered as theirs", () => {
  const open = [{ id: "a", reason: "x" }, { id: "b", reason: "x", expiresAt: "2020-01-01T00:00:00Z" }];
  for (const answers of [
    { b: { status: "cancelled", metadata: { m: 1 }, payload: 1 }, a: { status: "resolved", payload: { ok: true } } },
    { a: { status: "resolved" } },
    { a: { status: "resolved" }, b: { status: "resolved" }, c: { status: "cancelled" } },
  ]) {
    const give = (/** @type {any} */ from) => {
      try {
        return from.buildResumeArray(open, answers);
      } catch (error) {
        return /** @type {Error} */ (error).message;
      }
    };
    assert.deepEqual(give(compat), give(theirs));
  }
  for (const expiresAt of [undefined, "2020-01-01T00:00:00Z", "2100-01-01T00:00:00+02:00", "nonsense"]) {
    assert.equal(compat.isInterruptExpired({ expiresAt }), theirs.isInterruptExpired({ expiresAt }), expiresAt);
  }
  const now = new Date("2026-01-01T00:00:00Z");
  assert.equal(compat.isInterruptExpired({ expiresAt: "2026-01-01T00:00:00" }, now), true,
    "UTC, whatever the zone here");
  assert.equal(compat.getRunOutcome({ outcome: { type: "cancelled" } }).type, "cancelled");
});

test("the logger writes the lines that theirs writes", () => {
  const { debug } = console;
  for (const config of [true, { verbose: true }, {}, { events: false }, { lifecycle: false }, false]) {
    const lines = [compat, theirs].map((from) => {
      /** @type {any[]} */
      const written = [];
      console.debug = (...line) => void written.push(line);
      const logger = new from.DebugLogger(from.resolveAgentDebugConfig(config));
      logger.event("A", "b:", { type: "c" }, { short: 1 });
      logger.event("A", "b:", "text");
      logger.lifecycle("L", "m:");
      logger.lifecycle("L", "m:", { n: 1 });
      console.debug = debug;
      return [written, logger.enabled, logger.eventsEnabled, logger.lifecycleEnabled];
    });
    assert.deepEqual(lines[0], lines[1]);
  }
  const logger = compat.resolveDebugLogger(true);
  assert.equal(compat.resolveDebugLogger(logger), logger);
  assert.equal(compat.resolveDebugLogger(false), undefined);
});

/** Plays events; gives the snapshots. @param {any[]} events @param {any} [middleware] */
async function play(events, middleware) {
  const agent = new compat.AbstractAgent({ threadId: "t", initialMessages: [{ id: "u", role: "user", content: "x" }],
    run: () => events });
  if (middleware) agent.use(middleware);
  /** @type {string[]} */
  const types = [];
  const outcome = await agent.runAgent({ runId: "r" }, {
    onEvent: (/** @type {any} */ { event }) => void types.push(event.type),
  })
    .then((/** @type {any} */ result) => result.outcome, (/** @type {any} */ error) => error.code);
  const { messages, state, pendingInterrupts } = agent;
  return { snapshots: { messages, state, pendingInterrupts, outcome }, types };
}

test("compacted events make the same snapshots", async () => {
  const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
  const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
  let seed = 7;
  const pick = (/** @type {any[]} */ list) => list[(seed = (seed * 1103515245 + 12345) & 0x7fffffff) % list.length];
  const shapes = [
    () => ({ type: "TEXT_MESSAGE_START", messageId: pick(["m", "n"]), role: "assistant" }),
    () => ({
      type: "TEXT_MESSAGE_CONTENT", messageId: pick(["m", "n"]), delta: pick(["a", "\ud83d", "\ude00", ""]),
      ...pick([{}, { metadata: { k: pick([1, 2]) } }]),
    }),
    () => ({ type: "TEXT_MESSAGE_CONTENT", messageId: pick(["m", "n"]), delta: "b" }),
    () => ({ type: "TEXT_MESSAGE_END", messageId: pick(["m", "n"]) }),
    () => ({ type: "TOOL_CALL_START", toolCallId: pick(["c", "d"]), toolCallName: "f", parentMessageId: "m" }),
    () => ({
      type: "TOOL_CALL_ARGS", toolCallId: pick(["c", "d"]), delta: pick(["{", "}"]),
      ...pick([{}, { metadata: { k: pick([1, 2]) } }]),
    }),
    () => ({ type: "TOOL_CALL_END", toolCallId: pick(["c", "d"]) }),
    () => ({ type: "REASONING_MESSAGE_CONTENT", messageId: "q", delta: "h" }),
    () => ({ type: "STATE_SNAPSHOT", snapshot: { n: pick([1, 2]) } }),
    () => ({ type: "STATE_DELTA", delta: [{ op: "add", path: `/${pick(["x", "y"])}`, value: pick([1, 2]) }] }),
    () => ({ type: "CUSTOM", name: "c", value: 1 }),
    () => ({
      type: "MESSAGES_SNAPSHOT", messages: [{ id: "u", role: "user", content: "x" }, {
        id: "m", role: "assistant", content: "s",
      }],
    }),
    () => ({ type: "RAW", event: {} }),
  ];
  const { warn } = console;
  console.warn = () => {};
  let fewer = 0;
  for (let round = 0; round < 60; round++) {
    const events = [started, ...Array.from({ length: 25 }, () => pick(shapes)()), finished];
    const compacted = compat.compactEvents(events);
    fewer += events.length - compacted.length;
    assert.deepEqual((await play(compacted)).snapshots, (await play(events)).snapshots, JSON.stringify(events));
    assert.deepEqual(compat.compactEvents(compacted), compacted);
  }
  console.warn = warn;
  assert.ok(fewer > 60, `${fewer} fewer`);
  const stream = [started, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    ...Array.from("hello", (delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta })),
    { type: "TEXT_MESSAGE_END", messageId: "m" }, finished];
  assert.deepEqual(compat.compactEvents(stream), theirs.compactEvents(stream));
});

test("a filter leaves out the calls of tools that are not allowed", async () => {
  const call = (/** @type {string} */ id, /** @type {string} */ name) => [
    { type: "TOOL_CALL_CHUNK", toolCallId: id, toolCallName: name, delta: "{}" },
    { type: "TOOL_CALL_RESULT", messageId: `r-${id}`, toolCallId: id, content: "1" },
  ];
  const events = [{ type: "RUN_STARTED", threadId: "t", runId: "r" }, ...call("a", "f"), ...call("b", "g"),
    { type: "RUN_FINISHED", threadId: "t", runId: "r" }];
  for (const config of [{ allowedToolCalls: ["f"] }, { disallowedToolCalls: ["g"] }]) {
    const { snapshots, types } = await play(events, new compat.FilterToolCallsMiddleware(config));
    assert.deepEqual(snapshots.messages.flatMap((/** @type {any} */ m) => m.toolCalls ?? [])
      .map((/** @type {any} */ c) => c.function.name), ["f"]);
    assert.deepEqual(types, ["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT",
      "RUN_FINISHED"]);
  }
  for (const wrong of [{}, { allowedToolCalls: [], disallowedToolCalls: [] }]) {
    assert.throws(() => new compat.FilterToolCallsMiddleware(wrong), /Must specify|Cannot specify/);
  }
});

const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };

test("a message that this run's snapshot brought goes on without a START, in whole events and in chunks", async () => {
  const { warn } = console;
  console.warn = () => {};
  const brought = { type: "MESSAGES_SNAPSHOT", messages: [{ id: "q", role: "reasoning", content: "Hello " },
    { id: "m", role: "assistant", content: "Hello ",
      toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":' } }] }] };
  for (const [type, id, delta] of [["TEXT_MESSAGE_CONTENT", "m", "world"], ["TEXT_MESSAGE_CHUNK", "m", "world"],
    ["REASONING_MESSAGE_CONTENT", "q", "world"], ["REASONING_MESSAGE_CHUNK", "q", "world"]]) {
    const { snapshots } = await play([started, brought, { type, messageId: id, delta }, finished]);
    assert.equal(snapshots.messages.find((/** @type {any} */ message) => message.id === id).content, "Hello world",
      type);
  }
  for (const type of ["TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"]) {
    const { snapshots } = await play([started, brought, { type, toolCallId: "c", delta: "1}" }, finished]);
    assert.equal(snapshots.messages[1].toolCalls[0].function.arguments, '{"a":1}', type);
  }
  console.warn = warn;
});

test("the events of a second run in one response reach onEvent and every hook", async () => {
  const again = { ...started, runId: "s" };
  const text = (/** @type {string} */ id) => [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: "x" }, { type: "TEXT_MESSAGE_END", messageId: id }];
  const events = [started, ...text("m"), finished, again, ...text("n"), { ...finished, runId: "s" }];
  const agent = new compat.AbstractAgent({ run: () => events });
  /** @type {string[]} */
  const heard = [];
  /** @type {string[]} */
  const all = [];
  const hook = (/** @type {any} */ { event }) => void heard.push(event.type);
  await agent.runAgent({ runId: "r" }, {
    onEvent: (/** @type {any} */ { event }) => void all.push(event.type), onRunStartedEvent: hook,
    onRunFinishedEvent: hook,
    onTextMessageStartEvent: hook, onTextMessageContentEvent: hook, onTextMessageEndEvent: hook,
  });
  assert.deepEqual(all, events.map(({ type }) => type));
  assert.deepEqual(heard, all);
});

test(
  "content-type is the runtime's and text/event-stream is added to the caller's accept, once each, with requestInit overridden or not", async () => {
  class Own extends compat.HttpAgent {
    requestInit(/** @type {any} */ input) {
      const init = super.requestInit(input);
      return {
        ...init, headers: { ...init.headers, accept: "application/json", "CONTENT-TYPE": "text/plain", x: "1" },
      };
    }
  }
  for (const [Agent, headers, accept] of /** @type {const} */ ([[compat.HttpAgent, {}, "text/event-stream"],
    [compat.HttpAgent, { ACCEPT: "a/b", "content-Type": "c/d" }, "a/b, text/event-stream"],
    [Own, {}, "application/json, text/event-stream"]])) {
    /** @type {any} */
    let sent;
    const agent = new Agent({ url: "http://example.test/", headers,
      fetch: async (/** @type {any} */ _url, /** @type {any} */ init) => {
      sent = init.headers;
      return new Response(`data: ${JSON.stringify(started)}\n\ndata: ${JSON.stringify(finished)}\n\n`,
        { headers: { "content-type": "text/event-stream" } });
    } });
    await agent.runAgent({ runId: "r" });
    const names = [...(sent instanceof Headers ? sent.keys() : Object.keys(sent))].map((name) => name.toLowerCase());
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual([new Headers(sent).get("accept"), new Headers(sent).get("content-type")],
      [accept, "application/json"]);
  }
});

test("every type that the reference exports is a type here, or a row of migration.md", () => {
  const types = ["agui.d.ts", "agui.compat.d.ts"].map((name) => readFileSync(`${root}dist/${name}`, "utf8")).join("\n");
  const here =
    new Set(
    [...types.matchAll(/^export (?:declare |abstract )*(?:const|let|function|class|interface|type) (\w+)/gm)].map(
      ([, name]) => name));
  const page = readFileSync(`${root}web/docs/migration.md`, "utf8");
  let count = 0;
  for (const from of ["client", "core"]) {
    const text = readFileSync(`${root}web/node_modules/@ag-ui/${from}/dist/index.d.ts`, "utf8");
    const names = (/^export \{([^}]*)\};$/m.exec(text)?.[1] ?? "").split(",")
      .map((name) => name.trim().replace(/^type /, "").replace(/^.* as /, ""));
    for (const name of names) {
      count++;
      assert.ok(here.has(name) || page.includes(`\`${name}\``), `${from}: ${name}`);
    }
  }
  assert.ok(count > 180, `${count} names`);
});

/**
 * What an Observable gives: its values, then "complete" or the error's code.
 * @param {any} observable
 * @returns {Promise<any[]>}
 */
const all = (observable) => new Promise((resolve) => {
  /** @type {any[]} */
  const got = [];
  observable.subscribe({ next: (/** @type {any} */ value) => void got.push(value),
    error: (/** @type {any} */ error) => resolve([...got, error.code ?? error]),
    complete: () => resolve([...got, "complete"]) });
});
const from = (/** @type {any[]} */ ...events) => new compat.Observable((/** @type {any} */ observer) => {
  for (const event of events) observer.next(event);
  observer.complete();
});
const start = { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };
const content = { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" };
const end = { type: "TEXT_MESSAGE_END", messageId: "m" };

test("stages of the pipeline as functions: chunks, order, what is known", async () => {
  const chunk = (/** @type {string} */ delta) => ({
    type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta,
  });
  assert.deepEqual(await all(compat.transformChunks()(from(chunk("x"), chunk("x"), { type: "RAW", event: 1 },
    { type: "STEP_STARTED", stepName: "s" }))),
    [start, content, content, { type: "RAW", event: 1 }, end, { type: "STEP_STARTED", stepName: "s" }, "complete"]);
  assert.deepEqual(await all(compat.transformChunks()(from(started, chunk("x"), finished))),
    [started, start, content, end, finished, "complete"]);
  assert.deepEqual(await all(compat.verifyEvents()(from(started, start, content, end, finished))),
    [started, start, content, end, finished, "complete"]);
  assert.deepEqual(await all(compat.verifyEvents()(from(started, content))), [started, "protocol"]);
  assert.deepEqual(await all(compat.verifyEvents()(from(start))), ["protocol"]);
  assert.deepEqual(await all(compat.enforceEvents()(from(started, { type: "NEW" }, start, finished))),
    [started, start, finished, "complete"]);
  const failing = new compat.Observable((/** @type {any} */ observer) => observer.error("mine"));
  for (const stage of ["transformChunks", "verifyEvents", "enforceEvents"]) {
    assert.deepEqual(await all(compat[stage]()(failing)), ["mine"], stage);
  }
  // A source that does not wait is subscribed to at once, and left when nobody listens.
  /** @type {any} */
  let hot;
  let left = 0;
  const subject = new compat.Observable((/** @type {any} */ observer) => {
    hot = observer;
    return () => void left++;
  });
  const got = all(compat.transformChunks()(subject));
  hot.next(start);
  hot.complete();
  assert.deepEqual(await got, [start, "complete"]);
  compat.transformChunks()(subject).subscribe({}).unsubscribe();
  assert.equal(left, 2);
});

test("applying as a function asks subscribers as the agent's, and changes nothing of the agent", async () => {
  const agent = new compat.AbstractAgent({ initialMessages: [{ id: "u", role: "user", content: "x" }] });
  /** @type {any[]} */
  const heard = [];
  const input = {
    threadId: "t", runId: "r", messages: [], tools: [], context: [], forwardedProps: {}, state: { n: 1 },
  };
  const hooks = {
    onTextMessageContentEvent: (/** @type {any} */ params) =>
      void heard.push(params.textMessageBuffer, params.agent === agent, params.input === input),
    onStateSnapshotEvent: () => ({ stopPropagation: true }),
    onRunStartedEvent: () => void heard.push("made"),
    onRunInitialized: () => void heard.push("made"),
  };
  const changes = await all(compat.defaultApplyEvents(input,
    from(start, content, content, { type: "STATE_SNAPSHOT", snapshot: {} },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/k", value: 2 }] }), agent, [hooks]));
  assert.deepEqual(heard, ["", true, true, "x", true, true]);
  assert.equal(changes.pop(), "complete");
  assert.deepEqual(changes.at(-1), { state: { n: 1, k: 2 } });
  assert.deepEqual(changes.at(-2).messages.map((/** @type {any} */ m) => m.content), ["x", "xx"]);
  assert.deepEqual(agent.messages.map((/** @type {any} */ { id }) => id), ["u"]);
});

test("a response as a function: headers, data, events; a refusal says why", async () => {
  const body =
    `data: ${JSON.stringify(started)}\n\ndata: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}\n\n`;
  const response = (/** @type {string} */ type) =>
    compat.runHttpRequest(async () => new Response(body, { headers: { "content-type": type } }));
  const [headers, data, done] = await all(response("text/event-stream"));
  assert.deepEqual([headers.type, headers.status, headers.headers.get("content-type"), data.type,
    new TextDecoder().decode(data.data), done],
    ["headers", 200, "text/event-stream", "data", body, "complete"]);
  const events = [started, { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" }, "complete"];
  assert.deepEqual(await all(compat.transformHttpEventStream(response("text/event-stream"))), events);
  assert.deepEqual(await all(compat.parseSSEStream(response("text/plain"))), events);
  assert.deepEqual(await all(compat.transformHttpEventStream(response("text/html"))), ["bad_content_type"]);
  const proto = await import("@ag-ui/proto");
  const bytes = proto.encode(/** @type {any} */ (started));
  const framed = new Uint8Array(4 + bytes.length);
  new DataView(framed.buffer).setUint32(0, bytes.length);
  framed.set(bytes, 4);
  const encoded = (/** @type {string} */ type) =>
    compat.runHttpRequest(async () => new Response(framed, { headers: { "content-type": type } }));
  assert.deepEqual(await all(compat.transformHttpEventStream(encoded("application/vnd.ag-ui.event+proto"))),
    [started, "complete"]);
  assert.deepEqual(await all(compat.parseProtoStream(encoded("application/octet-stream"))), [started, "complete"]);
  const refused = await new Promise((resolve) =>
    compat.runHttpRequest(async () => new Response('{"why":1}', {
      status: 403, headers: { "content-type": "application/json" },
    }))
    .subscribe({ error: resolve }));
  assert.deepEqual([refused.code, refused.status, refused.payload, refused.message],
    ["http_status", 403, { why: 1 }, 'HTTP 403: {"why":1}']);
});

test("the types of activities that a snapshot is whole in are said as theirs", () => {
  const metadata = (/** @type {any} */ value) => ({
    type: "MESSAGES_SNAPSHOT", messages: [], metadata: { other: 1, "@ag-ui/client": value },
  });
  const activity = { id: "a", role: "activity", activityType: "t", content: {} };
  for (const event of [{ type: "MESSAGES_SNAPSHOT", messages: [] }, { type: "MESSAGES_SNAPSHOT", messages: [activity] },
    metadata(null), metadata([1]), metadata({}),
    metadata({ more: 1 }), metadata({ authoritativeActivityTypes: null }),
    metadata({ authoritativeActivityTypes: ["a", "b"] }), metadata({ authoritativeActivityTypes: [1] })]) {
    assert.deepEqual(compat.authoritativeActivityTypes(event), theirs.authoritativeActivityTypes(event));
    assert.deepEqual(compat.withAuthoritativeActivityTypes(event, ["a", "c"]),
      theirs.withAuthoritativeActivityTypes(event, ["a", "c"]));
  }
  assert.equal(compat.ACTIVITY_HISTORY_METADATA, theirs.ACTIVITY_HISTORY_METADATA);
});

test("a run asks the protected points that a subclass overrides, and they do what they do in the reference",
  async () => {
  const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "m" },
    { type: "TOOL_CALL_END", toolCallId: "c" }];
  const events = [started, start, content, end, ...call, { type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, finished];
  const initialMessages = [{ id: "1", role: "user", content: "one" }, { id: "2", role: "user", content: "two" }];
  const told = async (/** @type {any} */ from, /** @type {string[]} */ points) => {
    /** @type {any[]} */
    const log = [];
    class Own extends from.AbstractAgent {
      run(/** @type {any} */ { runId, messages, forwardedProps, extra }) {
        log.push(["run", runId, messages.map((/** @type {any} */ { id }) => id), forwardedProps, extra]);
        return new (from === theirs ? rxjs.Observable : compat.Observable)((/** @type {any} */ observer) => {
          for (const event of events) observer.next(event);
          observer.complete();
        });
      }
    }
    const overrides = {
      prepareRunAgentInput(/** @type {any} */ parameters) {
        const input = Own.prototype.prepare.call(this, parameters);
        log.push("prepare");
        return { ...input, forwardedProps: { x: 1 }, messages: input.messages.slice(-1), extra: 5 };
      },
    };
    for (const name of points) {
      const base = Own.prototype[name];
      if (name === "prepareRunAgentInput") Own.prototype.prepare = base;
      Own.prototype[name] = /** @type {any} */ (overrides)[name] ?? function (/** @type {any[]} */ ...args) {
        log.push(name);
        return base.apply(/** @type {any} */ (this), args);
      };
    }
    const agent = new Own({ initialMessages });
    agent.subscribe({
      onRunInitialized: () => void log.push("initialized"), onRunFinalized: () => void log.push("finalized"),
      onEvent: (/** @type {any} */ params) => void log.push(params.event.type, params.agent === agent),
      onNewMessage: (/** @type {any} */ { message }) => void log.push(["new", message.id]),
    });
    const { newMessages } = await agent.runAgent({ runId: "r" });
    return { log, newMessages, messages: agent.messages, state: agent.state };
  };
  const rxjs = await import("rxjs");
  // "finalized" comes after runAgent there.
  const order = ({ log, ...rest }) => ({
    ...rest, log: log.filter((/** @type {any} */ each) => !/^onFinalize|^finalized|^apply|^process/.test(each)),
  });
  for (const points of [["prepareRunAgentInput"], ["onInitialize", "onFinalize"], ["apply"],
    ["processApplyEvents", "apply", "onError"]]) {
    const [ours, reference] = [await told(compat, points), await told(theirs, points)];
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(order(ours), order(reference), String(points));
    assert.deepEqual(ours.log.filter((each) => points.includes(each)).sort(),
      points.filter((each) => each !== "onError" && each !== "prepareRunAgentInput").sort());
  }
});

test("onError and onInitialize decide how a run ends; an input that is another is what a request sends", async () => {
  class Own extends compat.AbstractAgent {
    run() {
      return [started, { type: "RUN_ERROR", message: "no" }];
    }

    onError(/** @type {any} */ input, /** @type {any} */ error, /** @type {any} */ subscribers) {
      this.got = error.code;
      return super.onError(input, this.other ?? error, subscribers);
    }
  }
  const agent = new Own();
  await assert.rejects(agent.runAgent(), { code: "run_error" });
  assert.equal(agent.got, "run_error");
  assert.deepEqual((await agent.runAgent({}, { onRunFailed: () => ({ stopPropagation: true }) })).newMessages, []);
  agent.other = new Error("Mine");
  await assert.rejects(agent.runAgent(), { message: "Mine" });
  class Refuses extends compat.AbstractAgent {
    async onInitialize() {
      throw new compat.AGUIError("bad_input", "Not today.");
    }
  }
  await assert.rejects(new Refuses({ run: () => [] }).runAgent(), { message: "Not today." });
  /** @type {any} */
  let sent;
  class Cut extends compat.HttpAgent {
    prepareRunAgentInput(/** @type {any} */ parameters) {
      return { ...super.prepareRunAgentInput(parameters), extra: 1, messages: [] };
    }
  }
  const cut = new Cut({ url: "http://example.test/", initialMessages: [{ id: "u", role: "user", content: "x" }],
    fetch: async (/** @type {any} */ _url, /** @type {any} */ init) => {
    sent = JSON.parse(init.body);
    return new Response(`data: ${JSON.stringify(started)}\n\ndata: ${JSON.stringify(finished)}\n\n`,
      { headers: { "content-type": "text/event-stream" } });
  } });
  await cut.runAgent({ runId: "r", forwardedProps: { n: 1 } });
  assert.deepEqual([sent.extra, sent.messages, sent.forwardedProps, cut.messages.length], [1, [], { n: 1 }, 1]);
});

test("a run that others make of the protected points, as CopilotKit does", async () => {
  const rxjs = await import("rxjs");
  class Own extends compat.AbstractAgent {
    connect() {
      return from(start, content, end);
    }
  }
  const agent = /** @type {any} */ (new Own({ threadId: "t" }));
  /** @type {string[]} */
  const heard = [];
  agent.subscribe({
    onMessagesChanged: () => void heard.push("changed"), onRunInitialized: () => void heard.push("initialized"),
    onRunFinalized: () => void heard.push("finalized"),
  });
  const input = agent.prepareRunAgentInput({});
  agent.isRunning = true;
  assert.equal(agent.isRunning, true);
  const subscribers = [...agent.subscribers];
  await agent.onInitialize(input, subscribers);
  agent.activeRunDetach$ = new rxjs.Subject();
  const events = rxjs.defer(() => agent.connect(input))
    .pipe(compat.transformChunks(agent.debugLogger), rxjs.takeUntil(agent.activeRunDetach$));
  await rxjs.lastValueFrom(rxjs.from(agent.processApplyEvents(input, agent.apply(input, events, subscribers),
    subscribers)), { defaultValue: undefined });
  await agent.onFinalize(input, subscribers);
  agent.isRunning = false;
  assert.equal(agent.isRunning, false);
  assert.deepEqual(agent.messages, [{ id: "m", role: "assistant", content: "x" }]);
  assert.deepEqual(heard, ["initialized", "changed", "changed", "finalized"]);
  let detached = false;
  agent.activeRunDetach$.subscribe({ next: () => { detached = true; } });
  agent.activeRunCompletionPromise = Promise.resolve();
  await agent.detachActiveRun();
  assert.equal(detached, true);
});

test("what a subclass says that its agent speaks at most is what it gets; a logger of the page's is written to",
  async () => {
  const { warn } = console;
  console.warn = () => {};
  const message = {
    id: "u", role: "user", content: [{ type: "text", text: "a" },
      { type: "image", source: { type: "url", value: "u" } }], subagentRunId: "s",
  };
  const events = [started, { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "n" },
    { ...start, subagentRunId: "s" }, { ...end, subagentRunId: "s" },
    { type: "SUBAGENT_FINISHED", subagentRunId: "s" }, finished];
  const got = async (/** @type {any} */ Agent) => {
    /** @type {any} */
    let input;
    const agent = new Agent({ initialMessages: [message], run: (/** @type {any} */ given) => {
      input = given;
      return events;
    } });
    await agent.runAgent({ parentRunId: "p" });
    const [{ content: sent, subagentRunId }] = input.messages;
    return [sent, subagentRunId, input.protocolVersion, input.parentRunId, agent.messages[1].subagentRunId,
      agent.maxProtocolVersion];
  };
  const ofVersion = (/** @type {string} */ version) => class extends compat.AbstractAgent {
    get maxVersion() {
      return version;
    }
  };
  assert.deepEqual(await got(compat.AbstractAgent),
    [message.content, "s", "1.0", "p", "s", theirs.HttpAgent.prototype.maxProtocolVersion ?? "1.0.0"]);
  assert.deepEqual(await got(ofVersion("0.0.58")), [message.content, "s", undefined, "p", "s", "0.0.58"]);
  assert.deepEqual(await got(ofVersion("0.0.57")), [message.content, undefined, undefined, "p", undefined, "0.0.57"]);
  assert.deepEqual(await got(ofVersion("0.0.39")), ["a", undefined, undefined, undefined, undefined, "0.0.39"]);
  console.warn = warn;
  /** @type {string[]} */
  const lines = [];
  class Logger extends compat.DebugLogger {
    event(/** @type {string} */ stage, /** @type {string} */ label, /** @type {any} */ data) {
      lines.push(`${stage} ${label} ${data.type}`);
    }

    lifecycle(/** @type {string} */ stage, /** @type {string} */ label) {
      lines.push(`${stage} ${label}`);
    }
  }
  const agent = new compat.AbstractAgent({ run: () => [started, finished] });
  assert.equal(agent.debugLogger, undefined);
  agent.debugLogger = new Logger(compat.resolveAgentDebugConfig(true));
  assert.ok(agent.debugLogger instanceof Logger);
  await agent.runAgent();
  assert.deepEqual(lines, ["LIFECYCLE Run started:", "VERIFY Event: RUN_STARTED", "APPLY Event applied: RUN_STARTED",
    "VERIFY Event: RUN_FINISHED", "APPLY Event applied: RUN_FINISHED", "LIFECYCLE Run finished:"]);
  agent.debugLogger = false;
  assert.equal(agent.debugLogger, undefined);
});

test("the agent's logger writes a line of each stage, of a request as of a run of its own", async () => {
  const rxjs = await import("rxjs");
  const sent = [started, { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "x" }, finished];
  const body = sent.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
  class Own extends compat.AbstractAgent {
    run() {
      return rxjs.of(...sent);
    }
  }
  const { debug } = console;
  const linesOf = async (/** @type {any} */ agent) => {
    /** @type {string[]} */
    const lines = [];
    console.debug = (/** @type {string} */ label, /** @type {any} */ { type, parser } = {}) =>
      void lines.push(`${label} ${type ?? parser ?? ""}`.trim());
    try {
      await agent.runAgent();
    } finally {
      console.debug = debug;
    }
    return lines;
  };
  const received = (/** @type {string} */ type) => ["SSE", "HTTP"].map((stage) => `[${stage}] Event received: ${type}`);
  const applied = (/** @type {string} */ type) => [
    ...(type.startsWith("TEXT") ? [`[TRANSFORM] ${type}`] : []), `[VERIFY] Event: ${type}`,
    `[APPLY] Event applied: ${type}`,
  ];
  const life = (/** @type {string[]} */ lines) =>
    ["[LIFECYCLE] Run started:", ...lines, "[LIFECYCLE] Run finished:"];
  const told = ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"]
    .flatMap(applied);
  assert.deepEqual(await linesOf(new Own({ debug: {} })), life(told));
  const http = new compat.HttpAgent({ url: "http://example.test/", debug: {}, fetch: async () =>
    new Response(body, { headers: { "content-type": "text/event-stream" } }) });
  assert.deepEqual(await linesOf(http), life(["[HTTP] Stream format detected: sse",
    ...sent.flatMap(({ type }) => received(type)), ...told]));
  http.debug = false;
  assert.deepEqual(await linesOf(http), []);
});

test("an agent's capabilities come from beside it, or from a CopilotKit runtime", async () => {
  /** @type {any[]} */
  const asked = [];
  const fetch = async (/** @type {string} */ url, /** @type {any} */ init) => {
    asked.push([url, init.method, new Headers(init.headers).get("authorization"),
      new Headers(init.headers).get("content-type")]);
    if (url.endsWith("/info")) {
      return Response.json({ agents: { "my one": { capabilities: { tools: { supported: true } } } } });
    }
    return url.includes("none") ? new Response("", { status: 404 }) : Response.json({ state: { deltas: true } });
  };
  const of = (/** @type {string} */ url) => new compat.HttpAgent({ url, fetch, headers: { authorization: "s" } })
    .getCapabilities();
  assert.deepEqual(await of("http://example.test/agent?k=1"), { state: { deltas: true } });
  assert.deepEqual(await of("http://example.test/api/agent/my%20one/run"), { tools: { supported: true } });
  assert.deepEqual(await of("http://example.test/api/agent/other/run"), {});
  await assert.rejects(of("http://example.test/none"), /404/);
  assert.deepEqual(asked.slice(0, 2), [["http://example.test/agent/capabilities?k=1", "GET", "s", null],
    ["http://example.test/api/info", "GET", "s", null]]);
  class Own extends compat.AbstractAgent {
    async getCapabilities() {
      return { output: {} };
    }
  }
  assert.deepEqual(await new Own().getCapabilities(), { output: {} });
});

test("agent.messages takes changes in place; its messages and its identity are those of the snapshots", async () => {
  /** @type {any} */
  let input;
  const initialMessages = [{ id: "1", role: "user", content: "a" }];
  const agent = new compat.AbstractAgent({ initialMessages, run: (/** @type {any} */ given) => {
    input = given;
    return [started, start, content, end, finished];
  } });
  const list = agent.messages;
  assert.equal(agent.messages, list);
  list.push({ id: "2", role: "user", content: "b" });
  assert.equal(agent.messages, list);
  assert.ok(Object.isFrozen(list[1]));
  list.splice(0, 1);
  await agent.runAgent();
  assert.deepEqual(input.messages.map((/** @type {any} */ { id }) => id), ["2"]);
  assert.deepEqual(agent.messages.map((/** @type {any} */ { id }) => id), ["2", "m"]);
  assert.notEqual(agent.messages, list);
  assert.equal(agent.messages[0], list[0]);
  agent.messages.push({ id: "3", role: "user", content: "c" });
  agent.addMessage({ id: "4", role: "user", content: "d" });
  agent.messages = agent.messages;
  assert.deepEqual(agent.clone().messages.map((/** @type {any} */ { id }) => id), ["2", "m", "3", "4"]);
  assert.deepEqual(structuredClone(agent.messages), agent.messages);
});

test("detachActiveRun leaves the request running; abortRun ends it", async () => {
  const { createServer } = await import("node:http");
  /** @type {((end: string) => void)[]} */
  const ends = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(started)}\n\n`);
    const timer = setTimeout(() => response.end(`data: ${JSON.stringify(start)}\n\n`), 2000);
    response.on("close", () => {
      clearTimeout(timer);
      ends.shift()?.(response.writableFinished ? "whole" : "cut");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  after(() => void server.close().closeAllConnections());
  for (const [method, expected] of [["detachActiveRun", "whole"], ["abortRun", "cut"], ["detach", "cut"]]) {
    const ended = new Promise((resolve) => ends.push(resolve));
    const agent = /** @type {any} */ (new compat.HttpAgent({ url: `http://127.0.0.1:${port}/` }));
    const run = agent.runAgent({}, { onRunStartedEvent: () => void setTimeout(() => agent[method]()) });
    assert.equal((await run).outcome, "aborted", method);
    assert.equal(agent.isRunning, false);
    assert.equal(await ended, expected, method);
    assert.deepEqual(agent.messages, []);
  }
});
