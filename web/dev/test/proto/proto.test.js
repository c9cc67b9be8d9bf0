// The protobuf encoding against its oracle, @ag-ui/proto 1.0.0.
// UPDATE=1 writes the samples of the native test anew.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { start } from "../harness/browser.js";
import { faultServer, finished, started, text } from "../harness/faults.js";
import { root } from "../harness/static.js";
import { carried, events, odd, samples, wire } from "./samples.js";

const type = "application/vnd.ag-ui.event+proto";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));

/** Messages as a body. @param {Uint8Array[]} messages */
function body(messages) {
  return Buffer.concat(messages.flatMap((message) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(message.length);
    return [length, message];
  }));
}

/** The body of events that their encoder takes; null where it does not take one. @param {any[]} events */
function encoded(events) {
  const messages = events.map(wire);
  return messages.includes(null) ? null : body(/** @type {Uint8Array[]} */ (messages));
}

const file = `${root}agui/proto/testdata/samples.json`;

test("the samples of the native test are what the oracle makes of them", () => {
  for (const event of events) {
    assert.ok(wire(event), `their encoder does not take ${JSON.stringify(event).slice(0, 80)}`);
  }
  assert.equal(new Set(events.map((event) => event.type)).size, 31);
  assert.ok(carried().length > 100, `${carried().length} events of the conformance cases`);
  const text = `[\n${samples().map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
  if (process.env.UPDATE) writeFileSync(file, text);
  assert.equal(readFileSync(file, "utf8"), text, "run UPDATE=1 node --test web/dev/test/proto/proto.test.js");
});

/** A response in pieces of so many bytes. @param {Uint8Array} bytes @param {number} cut @param {string} contentType */
function response(bytes, cut, contentType) {
  let at = 0;
  return new Response(new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += cut));
    },
  }, { highWaterMark: 0 }), { headers: { "content-type": contentType } });
}

/** @param {any} agui @param {any} input @param {() => Response} answer @param {any} options */
function play(agui, input, answer, options) {
  return new Promise((resolve) => {
    /** @type {any} */
    const got = { events: [], warnings: [] };
    const run = agui.run(input, {
      url: "https://agent.test/", fetch: async () => answer(),
      onWarning: (/** @type {any} */ w) => got.warnings.push(w.code), ...options,
    }).subscribe({
      next: (/** @type {any} */ event) => got.events.push(event),
      error: (/** @type {any} */ error) => resolve({
        ...got, outcome: error.code, messages: run.messages, state: run.state,
      }),
      complete: () => resolve({
        ...got, outcome: "complete", messages: run.messages, state: run.state, interrupts: run.interrupts,
      }),
    });
  });
}

test("every conformance case that it can carry is the same run in both encodings, byte by byte", async () => {
  const agui = (await import(pathToFileURL(`${root}dist/agui.node.mjs`).href)).default;
  const cases = JSON.parse(readFileSync(`${root}wasm/session/testdata/conformance/cases.json`, "utf8"));
  const whole = new Set(carried().map((event) => JSON.stringify(event)));
  let played = 0;
  for (const { name, input, verify, response: { body: text } } of cases) {
    const list = (text ?? "").split(/\r\n|\r|\n/).filter((/** @type {string} */ line) => line.startsWith("data:"))
      .map((/** @type {string} */ line) => line.slice(5).trim());
    // Only what both encodings can say: each line a whole event, and no event that their encoder changes.
    if (list.length === 0 || /^(id|event):/m.test(text) || !/\n$/.test(text)) continue;
    let said;
    try {
      said = list.map((/** @type {string} */ line) => JSON.parse(line));
      if (!said.every((/** @type {any} */ event) => whole.has(JSON.stringify(event)))) continue;
    } catch {
      continue; // no JSON, or nested too deep for JSON.stringify
    }
    const frames = Buffer.from(said.map((/** @type {any} */ event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    const bytes = /** @type {Buffer} */ (encoded(said));
    const given = { threadId: "t1", runId: "r1", ...input };
    const asJSON = await play(agui, given, () => response(frames, frames.length, "text/event-stream"), { verify });
    for (const cut of [1, bytes.length]) {
      const asProto = await play(agui, given, () => response(bytes, cut, type), { verify });
      // Ids that are made here differ from run to run.
      assert.deepEqual(settled(asProto), settled(asJSON), `${name}, ${cut} bytes at once`);
    }
    played++;
  }
  assert.ok(played > 100, `${played} of ${cases.length} cases`);
});

/** @param {any} value @returns {any} */
function settled(value) {
  const seen = new Map();
  return JSON.parse(JSON.stringify(value), (_key, each) => {
    if (typeof each !== "string" || !/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(each)) return each;
    if (!seen.has(each)) seen.set(each, `made ${seen.size}`);
    return seen.get(each);
  });
}

const good = [started, ...text("m", "Hel", "lo 😀"), { type: "STATE_SNAPSHOT", snapshot: { a: [1, null] } },
  { type: "STATE_DELTA", delta: [{ op: "add", path: "/a/-", value: "x" }] }, finished];

test("a server that sends it is understood, whether it was asked for it or not", async () => {
  const page = await world.page();
  for (const accept of [undefined, "proto"]) {
    for (const cut of [1, undefined]) {
      const url = agent.reply({
        body: /** @type {Buffer} */ (encoded(good)), cut, headers: { "content-type": `${type}; charset=x` },
      });
      const got = await page.evaluate(async ([url, accept]) => T.plain(await T.run({}, { url, accept })),
        [url, accept]);
      assert.equal(got.outcome, "complete");
      assert.deepEqual(got.types, good.map((event) => event.type));
      assert.deepEqual([got.messages, got.state, got.warnings],
        [[{ id: "m", role: "assistant", content: "Hello 😀" }], { a: [1, null, "x"] }, []]);
      const asked = accept ? `${type}, text/event-stream` : "text/event-stream";
      assert.equal(agent.seen(url)[0].headers.accept, asked);
    }
  }
  const url = agent.reply({ body: /** @type {Buffer} */ (encoded(good)), headers: { "content-type": type } });
  const agents = await page.evaluate(async (url) => {
    const agent = new agui.HttpAgent({ url, accept: "proto", headers: { Accept: "text/event-stream;q=0.5, x/y" } });
    const hooks = [];
    const result = await agent.runAgent({}, {
      onTextMessageContentEvent: ({ textMessageBuffer }) => void hooks.push(textMessageBuffer),
    });
    const copy = agent.clone();
    await copy.runAgent();
    let wrong = "";
    try {
      new agui.HttpAgent({ url, accept: "xml" });
    } catch (thrown) {
      wrong = `${thrown.name}: ${thrown.message}`;
    }
    return { hooks, outcome: result.outcome, state: agent.state, wrong };
  }, url);
  assert.deepEqual(agents, { hooks: ["", "Hel"], outcome: "success", state: { a: [1, null, "x"] },
    wrong: 'TypeError: HttpAgent: accept must be "sse" or "proto", not "xml"' });
  assert.deepEqual(agent.seen(url).map((seen) => seen.headers.accept),
    Array(2).fill(`text/event-stream;q=0.5, x/y, ${type}`));
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("its faults are those of server-sent events", async () => {
  const page = await world.page();
  const message = /** @type {[string, Uint8Array][]} */ (odd);
  const bytes = (/** @type {string} */ name) => /** @type {[string, Uint8Array]} */ (
    message.find(([each]) => each === name))[1];
  const wired = (/** @type {any[]} */ ...list) =>
    list.map((each) => (each instanceof Uint8Array ? each : /** @type {Uint8Array} */ (wire(each))));
  const long = { type: "CUSTOM", name: "x".repeat(3000), value: 1 };
  /** @type {[string, Buffer, any, string, string[], any?][]} */
  const faults = [
    ["nothing", Buffer.alloc(0), {}, "incomplete_stream", []],
    ["cut off in a message", body(wired(...good)).subarray(0, -5), {}, "incomplete_stream", []],
    ["cut off in a length", Buffer.concat([body(wired(started)), Buffer.from([0, 0])]), {}, "incomplete_stream", []],
    ["cut off after the end", Buffer.concat([body(wired(...good)), Buffer.from([0, 0, 0, 9, 1])]), {}, "complete", []],
    ["too large", body(wired(started, long)), { maxEventBytes: 2000 }, "event_too_large", []],
    ["a length of 4 GiB", Buffer.concat([body(wired(started)), Buffer.from([255, 255, 255, 255, 1])]), {},
      "event_too_large", []],
    ["no protobuf", Buffer.from("data: {}\n\n".repeat(1)), {}, "event_too_large", []],
    ["a malformed message", body(wired(started, bytes("no protobuf"))), {}, "bad_event", []],
    ["a malformed one of small worth", body(wired(started, bytes("a user with an object"), finished)), {}, "complete",
      ["bad_event"]],
    ["the same, strict", body(wired(started, bytes("a user with an object"), finished)), { verify: "strict" },
      "bad_event", []],
    ["an event of a later version", body(wired(started, bytes("an event of a later version"), finished)), {},
      "complete", ["unknown_event"]],
    ["a broken sequence, strict", body(wired(started, { type: "TEXT_MESSAGE_END", messageId: "m" })),
      { verify: "strict" }, "protocol", []],
    ["a refused request", body(wired(started)), {}, "http_status", [], { status: 500 }],
  ];
  for (const [name, bytes, options, outcome, warnings, reply] of faults) {
    const url = agent.reply({ body: bytes, headers: { "content-type": type }, ...reply });
    const got = await page.evaluate(async ([url, options]) => T.plain(await T.run({}, { url, ...options })),
      [url, options]);
    assert.deepEqual([got.outcome, got.warnings], [outcome, warnings], `${name}: ${got.error?.message}`);
  }
  await page.done();
});

test("a run in protobuf is read on after a cut where the server tells it again, and cannot be without", async () => {
  const list = [started, ...text("m", "Grüße ", "漢字 ", "🚀"), { type: "CUSTOM", name: "note", value: 1 }, finished];
  const whole = /** @type {Buffer} */ (encoded(list));
  const page = await world.page();
  const got = await page.evaluate(async ({ bytes, type }) => {
    const all = new Uint8Array(bytes);
    const found = [];
    for (const [dialect, stepped] of [["copilotkit", false], ["copilotkit", true], ["sse-id", false]]) {
      for (let cut = 60; cut < all.length; cut += 61) {
        let requests = 0;
        const fetch = async () => {
          let from = 0;
          const to = requests++ === 0 ? cut : all.length;
          return new Response(new ReadableStream({
            pull(controller) {
              if (from < to) controller.enqueue(all.slice(from, from = Math.min(to, from + 23)));
              else if (to < all.length) controller.error(new TypeError("cut"));
              else controller.close();
            },
          }, { highWaterMark: 0 }), { headers: { "content-type": type } });
        };
        const agent = new agui.HttpAgent({ url: "https://agent.test/", fetch, reconnect: dialect, threadId: "t1" });
        let notes = 0;
        agent.subscribe(stepped ? { onCustomEvent: () => void notes++ } : {});
        agent.watch((event) => void (notes += Number(!stepped && event.type === "CUSTOM")));
        const code = await agent.runAgent({ runId: "r1" }).then(() => "", (error) => error.code);
        found.push([dialect, code, code === "" ? agent.messages[0]?.content : "", notes <= 1 && requests]);
        agent.dispose();
      }
    }
    return [...new Set(found.map((each) => JSON.stringify(each)))];
  }, { bytes: [...whole], type });
  assert.deepEqual(got, ['["copilotkit","","Grüße 漢字 🚀",2]', '["sse-id","not_resumable","",1]']);
  await page.done();
});
