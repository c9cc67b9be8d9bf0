// HTTP as a person expects it: what is sent, which answers are read, what each failure says. Over real HTTP, from
// another origin.
import test, { after, before, beforeEach, afterEach } from "node:test";
import assert from "node:assert/strict";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
/** @type {Awaited<ReturnType<Awaited<ReturnType<typeof start>>["page"]>>} */
let page;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));
beforeEach(async () => {
  page = await world.page();
});
afterEach(async () => {
  const { uncaught } = page;
  await page.done();
  assert.deepEqual(uncaught, []);
});

const good = sse(started, ...text("m", "hi"), finished);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const message = { id: "1", role: "user", content: "Hi" };

/** Runs in the page and gives what can leave it. */
const run = (/** @type {string} */ url, input = {}, options = {}) =>
  page.evaluate(async ([input, options]) => T.plain(await T.run(input, options)), [input, { url, ...options }]);

test("the request: POST, two headers, a whole body", async () => {
  const url = agent.reply({ body: good });
  const got = await run(url, { messages: [message] });
  assert.equal(got.outcome, "complete");
  const [seen] = agent.seen(url);
  assert.equal(seen.method, "POST");
  assert.equal(seen.headers["content-type"], "application/json");
  assert.equal(seen.headers.accept, "text/event-stream");
  assert.match(seen.json.threadId, uuid);
  assert.match(seen.json.runId, uuid);
  const { threadId, runId, ...rest } = seen.json;
  assert.deepEqual(rest, {
    protocolVersion: "1.0", state: {}, messages: [message], tools: [], context: [], forwardedProps: {},
  });
  const preflight = agent.preflights.find((p) => p.path === new URL(url).pathname);
  assert.equal(preflight?.headers["access-control-request-headers"], "content-type");
  assert.equal(agent.seen(url).length, 1, "one request");
});

test("a body that the engine cannot make a text of is refused, not sent empty", async () => {
  const url = agent.reply({ body: good });
  const { outcome, message: words } = await page.evaluate(async (url) => {
    await agui.ready;
    const { decode } = TextDecoder.prototype;
    TextDecoder.prototype.decode = function (...given) {
      const text = decode.apply(this, given);
      return text.includes('"protocolVersion"') ? "" : text; // as an engine does with more than it takes
    };
    const got = T.plain(await T.run({}, { url }));
    TextDecoder.prototype.decode = decode;
    return { outcome: got.outcome, message: got.error?.message ?? JSON.stringify(got) };
  }, url);
  assert.equal(outcome, "bad_input", words);
  assert.equal(agent.seen(url).length, 0);
});

test("the input's own values are sent as they are", async () => {
  const url = agent.reply({ body: good });
  const input = {
    threadId: "t", runId: "r", parentRunId: "p", state: { a: [1, null, { b: "ü" }] }, messages: [message],
    tools: [{ name: "f", description: "d", parameters: { type: "object" } }],
    context: [{ description: "d", value: "v" }],
    forwardedProps: { x: null }, resume: [{ interruptId: "i", status: "resolved", payload: { ok: true } }],
  };
  await run(url, input);
  assert.deepEqual(agent.seen(url)[0].json, { protocolVersion: "1.0", ...input });
});

test("messages without an id get one, and an id that was given is kept", async () => {
  const url = agent.reply({ body: good });
  await run(url, { messages: [{ role: "user", content: "a" }, { id: "mine", role: "user", content: "b" }] });
  const [first, second] = agent.seen(url)[0].json.messages;
  assert.match(first.id, uuid);
  assert.equal(second.id, "mine");
});

test("runId is new at each subscribe; threadId and message ids are the run's", async () => {
  const url = agent.reply({ body: good });
  await page.evaluate(async (url) => {
    const observable = agui.run({ messages: [{ role: "user", content: "a" }] }, { url });
    for (let i = 0; i < 2; i++) await new Promise((complete, error) => observable.subscribe({ complete, error }));
  }, url);
  const [a, b] = agent.seen(url).map((seen) => seen.json);
  assert.notEqual(a.runId, b.runId);
  assert.equal(a.threadId, b.threadId);
  assert.equal(a.messages[0].id, b.messages[0].id);
});

test("the input is taken at the call", async () => {
  const url = agent.reply({ body: good });
  await page.evaluate(async (url) => {
    const input = { state: { n: 1 }, messages: [{ id: "1", role: "user", content: "before" }] };
    const observable = agui.run(input, { url });
    input.state.n = 2;
    input.messages[0].content = "after";
    await new Promise((complete, error) => observable.subscribe({ complete, error }));
  }, url);
  const { state, messages } = agent.seen(url)[0].json;
  assert.deepEqual([state, messages[0].content], [{ n: 1 }, "before"]);
});

test("typed parts are sent as they are", async () => {
  const url = agent.reply({ body: good });
  const content = [
    { type: "text", text: "look" }, { type: "image", source: { type: "data", value: "iVBOR", mimeType: "image/png" } },
    { type: "document", source: { type: "url", value: "https://x.test/a.pdf" } },
  ];
  await run(url, { messages: [{ id: "1", role: "user", content }] });
  assert.deepEqual(agent.seen(url)[0].json.messages[0].content, content);
});

test("headers as an object, a function, an async function, asked at each request", async () => {
  const url = agent.reply({ body: good });
  await run(url, {}, { headers: { "x-a": "1" } });
  await page.evaluate(async (url) => {
    let n = 0;
    const end = (observable) => new Promise((complete, error) => observable.subscribe({ complete, error }));
    const sync = agui.run({}, { url, headers: () => ({ authorization: `Bearer ${++n}` }) });
    await end(sync);
    await end(sync);
    await end(agui.run({}, { url, headers: async () => new Headers({ "x-b": "later" }) }));
  }, url);
  const seen = agent.seen(url).map((s) => s.headers);
  assert.equal(seen[0]["x-a"], "1");
  assert.deepEqual([seen[1].authorization, seen[2].authorization], ["Bearer 1", "Bearer 2"]);
  assert.equal(seen[3]["x-b"], "later");
  assert.ok(seen.every((h) => h.accept === "text/event-stream" && h["content-type"] === "application/json"));
});

test("a headers function that fails ends the run before a request", async () => {
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async (url) => {
    const one = await T.run({}, { url, headers: () => { throw new Error("no token"); } });
    const two = await T.run({}, { url, headers: async () => { throw new Error("no token"); } });
    return [one, two].map((g) => [g.outcome, g.error.cause?.message, g.endings]);
  }, url);
  for (const [code, cause, endings] of got) {
    assert.equal(code, "bad_input");
    assert.equal(cause, "no token");
    assert.equal(endings, 1);
  }
  assert.equal(agent.seen(url).length, 0);
});

test("credentials and requestInit reach fetch; the default is same-origin", async () => {
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async (url) => {
    const calls = [];
    const fetch = async (...a) => {
      calls.push(a);
      return T.response({ body: T.sse(T.started, T.finished) });
    };
    await T.run({}, { url, fetch });
    await T.run({}, {
      url, fetch, credentials: "include", requestInit: {
        mode: "cors", cache: "no-store", keepalive: false, referrerPolicy: "no-referrer",
      },
    });
    return calls.map(([u, i]) => [u, i.method, i.credentials, i.mode, i.cache, i.referrerPolicy,
      i.signal instanceof AbortSignal, typeof i.body]);
  }, url);
  assert.equal(got[0][0], url);
  assert.equal(got[0][1], "POST");
  assert.ok([undefined, null, "same-origin"].includes(got[0][2]));
  assert.deepEqual(got[1].slice(1), ["POST", "include", "cors", "no-store", "no-referrer", true, "string"]);
});

test("cookies are sent across origins with credentials: include", async () => {
  const url = agent.reply((_seen) => ({ body: good, headers: { "set-cookie": "who=me; SameSite=Lax; Path=/" } }));
  await run(url, {}, { credentials: "include" });
  await run(url, {}, { credentials: "include" });
  await run(url, {});
  // 127.0.0.1 is one site on all ports, so the cookie may go.
  assert.deepEqual(agent.seen(url).map((s) => s.headers.cookie), [undefined, "who=me", undefined]);
});

test("fetch: the page's at the time of the request, a stored window.fetch, one that the page patched", async () => {
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async (url) => {
    const outcomes = [];
    const stored = window.fetch;
    outcomes.push((await T.run({}, { url, fetch: stored })).outcome);
    let patched = 0;
    window.fetch = function (...a) {
      patched++;
      return stored.apply(this, a);
    };
    outcomes.push((await T.run({}, { url })).outcome);
    window.fetch = stored;
    outcomes.push(patched);
    let receiver = "none";
    outcomes.push((await T.run({}, { url, fetch: function (...a) {
      receiver = this === undefined || this === globalThis ? "fine" : "wrong";
      return stored(...a);
    } })).outcome, receiver);
    return outcomes;
  }, url);
  assert.deepEqual(got, ["complete", "complete", 1, "complete", "fine"]);
});

test("a fetch that throws or gives no Response is a network error", async () => {
  const got = await page.evaluate(async () => {
    const list = [() => { throw new TypeError("sync"); }, async () => { throw new TypeError("later"); },
      async () => undefined, async () => ({})];
    return Promise.all(list.map(async (fetch) => {
      const g = await T.run({}, { fetch });
      return [g.outcome, g.endings, g.error instanceof agui.AGUIError];
    }));
  });
  for (const row of got) assert.deepEqual(row, ["network", 1, true]);
});

test("the script's attribute and configure give the URL; options win", async () => {
  const [a, b, c] = [0, 1, 2].map(() => agent.reply({ body: good }));
  const other = await world.page({
    html: `<!doctype html><link rel="icon" href="data:,"><script src="/agui.js" data-url="${a}"></script>`,
  });
  const end = (/** @type {string} */ options) => other.evaluate(async (options) => {
    await new Promise((complete, error) => agui.run({}, eval(`(${options})`)).subscribe({ complete, error }));
  }, options);
  await end("undefined");
  await other.evaluate((b) => agui.configure({ url: b, headers: { "x-default": "1" } }), b);
  await end("{}");
  await end(`{ url: ${JSON.stringify(c)} }`);
  assert.deepEqual([a, b, c].map((url) => agent.seen(url).length), [1, 1, 1]);
  assert.equal(agent.seen(b)[0].headers["x-default"], "1");
  await other.done();
});

test("a relative URL is the page's", async () => {
  // The page stands in /test/.
  for (const [url, path] of [["../relative/agent", "/relative/agent"], ["relative/agent", "/test/relative/agent"]]) {
    world.site.override(path, (request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(good);
    });
    const got = await run(url);
    world.site.override(path, undefined);
    assert.equal(got.outcome, "complete", url);
  }
});

for (const [name, reply, want] of /** @type {[string, import("./harness/faults.js").Reply, object][]} */ ([
  ["401 with JSON", { status: 401, headers: { "content-type": "application/json" },
    body: `{"detail":"token expired"}` }, { status: 401, payload: { detail: "token expired" } }],
  ["422 with a list", {
    status: 422, headers: { "content-type": "application/json" },
    body: `{"detail":[{"loc":["body","messages",0,"id"],"msg":"Field required"}]}`,
  },
    { status: 422, payload: { detail: [{ loc: ["body", "messages", 0, "id"], msg: "Field required" }] } }],
  ["429 with problem+json and Retry-After", {
    status: 429, headers: { "content-type": "application/problem+json", "retry-after": "7" },
    body: `{"title":"slow down"}`,
  },
    { status: 429, payload: { title: "slow down" }, retryAfter: 7 }],
  ["500 with HTML", { status: 500, headers: { "content-type": "text/html" }, body: "<h1>x</h1>" },
    { status: 500, payload: "<h1>x</h1>" }],
  ["500 with broken JSON", { status: 500, headers: { "content-type": "application/json" }, body: `{"a":` },
    { status: 500, payload: `{"a":` }],
  ["503 without a body", { status: 503, headers: { "content-type": "text/plain" } }, { status: 503 }],
  ["404 with an event stream", { status: 404, body: good }, { status: 404 }],
])) {
  test(`status: ${name}`, async () => {
    const got = await run(agent.reply(reply));
    assert.equal(got.outcome, "http_status");
    assert.equal(got.endings, 1);
    assert.deepEqual(got.types, []);
    assert.ok(got.error.isAGUIError && got.error.isError && got.error.name === "AGUIError");
    assert.ok(got.error.message.includes(String(reply.status)), got.error.message);
    assert.match(got.error.message, /^[A-Z]/);
    for (const [key, value] of Object.entries(want)) assert.deepEqual(got.error[key], value, key);
  });
}

test("Retry-After as a date counts from now", async () => {
  const got = await run(agent.reply({
    status: 503, headers: { "content-type": "text/plain", "retry-after": new Date(Date.now() + 60000).toUTCString() },
  }));
  assert.ok(got.error.retryAfter > 50 && got.error.retryAfter <= 61, String(got.error.retryAfter));
});

test("a large error body is bounded and the run ends at once", async () => {
  const url = agent.reply({
    status: 500, headers: { "content-type": "text/plain" }, body: "x".repeat(4 << 20), open: true,
  });
  await page.evaluate(() => agui.ready);
  const begin = performance.now();
  const got = await run(url);
  const took = performance.now() - begin;
  assert.equal(got.outcome, "http_status");
  assert.equal(got.error.payload.length, 64 << 10);
  // A body without an end would be read for 5 s.
  assert.ok(took < 2500, `${took} ms`);
});

for (const [name, type, body, outcome] of [
  ["a login page", "text/html", "<!doctype html>", "bad_content_type"],
  ["JSON", "application/json", `{"error":"no"}`, "bad_content_type"],
  ["protobuf that is cut off", "application/vnd.ag-ui.event+proto", "\u0000\u0000", "incomplete_stream"],
  ["an event stream called text/plain", "text/plain", good, "complete"],
  ["an event stream called octet-stream, after comments", "application/octet-stream", `\ufeff\n\n: hi\n\n${good}`,
    "complete"],
  ["text that is none", "text/plain", "hello", "bad_content_type"],
  ["an upper-case type with parameters", "Text/Event-Stream; charset=UTF-8", good, "complete"],
  ["an empty body of another type", "text/html", "", "incomplete_stream"],
]) {
  test(`content type: ${name}`, async () => {
    const got = await run(agent.reply({ headers: { "content-type": type }, body }));
    assert.equal(got.outcome, outcome, got.error?.message);
    if (type === "application/json") assert.deepEqual(got.error.payload, { error: "no" });
  });
}

test("no content type at all", async () => {
  const url = agent.reply((_seen, response) => {
    response.writeHead(200, { "access-control-allow-origin": "*" });
    response.end(good);
  });
  assert.equal((await run(url)).outcome, "complete");
});

test("204 is an incomplete stream", async () => {
  const url = agent.reply((_seen, response) => {
    response.writeHead(204, { "access-control-allow-origin": "*" });
    response.end();
  });
  assert.equal((await run(url)).outcome, "incomplete_stream");
});

test("a redirect is followed", async () => {
  const target = agent.reply({ body: good });
  const url = agent.reply({ status: 307, headers: { location: target } });
  assert.equal((await run(url)).outcome, "complete");
  assert.equal(agent.seen(target)[0].method, "POST");
});

test("a server that is not there, one that forbids the page", async () => {
  const gone = await faultServer();
  await gone.close();
  const absent = await run(`${gone.origin}/x`);
  const forbidden = await run(agent.reply({ body: good, noCors: true }));
  for (const got of [absent, forbidden]) {
    assert.equal(got.outcome, "network");
    assert.equal(got.endings, 1);
    assert.ok(got.error.message.length > 20);
    for (const word of ["CORS", "Access-Control-Allow-Origin", "Access-Control-Allow-Headers"]) {
      assert.ok(got.error.message.includes(word), got.error.message);
    }
  }
  const own = await run(agent.reply({ body: sse(started, ...text("m", "part").slice(0, 2)), reset: true }));
  assert.ok(!own.error.message.includes("CORS"), "a connection that was there and broke has another cause");
});

test("a broken connection keeps what came and names the last event's id", async () => {
  const body = sse(started, ...text("m", "part").slice(0, 2))
    .replace("data: {\"type\":\"TEXT_MESSAGE_CONTENT\"", "id: r1:4\ndata: {\"type\":\"TEXT_MESSAGE_CONTENT\"");
  const got = await run(agent.reply({ body, reset: true }));
  assert.equal(got.outcome, "network");
  assert.equal(got.endings, 1);
  assert.equal(got.messages[0].content, "part");
  assert.equal(got.error.lastEventId, "r1:4");
});

test("a stream that ends early keeps what came", async () => {
  const got = await run(agent.reply({ body: sse(started, ...text("m", "half").slice(0, 2)) }));
  assert.equal(got.outcome, "incomplete_stream");
  assert.equal(got.messages[0].content, "half");
});

test("keepRaw: false leaves RAW and rawEvent out", async () => {
  const raw = { type: "RAW", event: { blob: "x".repeat(2000) }, source: "s" };
  const events = [started, raw, ...text("m", "hi").map((event) => ({ ...event, rawEvent: { of: event } })), raw,
    finished];
  const url = agent.reply({ body: sse(...events) });
  const seen = (/** @type {object} */ options) => page.evaluate(([options]) => new Promise((resolve, reject) => {
    const events = [];
    const s = agui.run({}, options).subscribe({
      next: (e) => events.push(e), error: reject, complete: () => resolve({ events, messages: s.messages }),
    });
  }), [options]);
  const without = await seen({ url, keepRaw: false });
  assert.deepEqual(without.events.map((e) => e.type), [started, ...text("m", "hi"), finished].map((e) => e.type));
  assert.ok(without.events.every((e) => !("rawEvent" in e)));
  assert.equal(without.messages[0].content, "hi");
  const whole = await seen({ url });
  assert.equal(whole.events.length, events.length);
  assert.deepEqual(whole.events[1], raw);
  const configured = await page.evaluate(([url]) => new Promise((resolve, reject) => {
    agui.configure({ keepRaw: false });
    const types = [];
    agui.run({}, { url }).subscribe({ next: (e) => types.push(e.type), error: reject, complete: () => resolve(types) });
  }), [url]);
  assert.ok(!configured.includes("RAW"));
  const ofAgent = await page.evaluate(async ([url]) => {
    agui.configure({ keepRaw: true });
    const types = [];
    await new agui.HttpAgent({ url, keepRaw: false })
      .runAgent({}, { onEvent: ({ event }) => void types.push(event.type) });
    return types;
  }, [url]);
  assert.deepEqual(ofAgent, without.events.map((e) => e.type), "with hooks, one event at a time");
});

test("RAW and rawEvent do not cross over where nobody listens", async () => {
  const blob = "x".repeat(20000);
  const events = [started, { type: "RAW", event: { blob } },
    ...text("m", "hi").map((event) => ({ ...event, rawEvent: { blob } }))];
  const late = [{ type: "RAW", event: { blob, late: true } }, finished];
  const url = agent.reply({ body: [sse(...events), ...Array(8).fill(": waiting\n\n"), sse(...late)], delay: 60 });
  const got = await page.evaluate(async ([url]) => {
    const { parse } = JSON;
    let parsed = 0;
    JSON.parse = (text, ...rest) => {
      parsed += text.length;
      return parse(text, ...rest);
    };
    const read = async (f) => {
      parsed = 0;
      const seen = await f();
      return { parsed, seen };
    };
    const run = (observer, options) => new Promise((resolve, reject) => {
      const s = agui.run({}, { url, ...options }).subscribe({
        ...observer, error: reject, complete: () => resolve(s.messages[0].content),
      });
    });
    const types = [];
    const heard = (event) => types.push([event.type, JSON.stringify(event).length]);
    const alone = (options) => new agui.HttpAgent({ url, ...options });
    try {
      return {
        observed: await read(() => run({ next() {} })),
        unobserved: await read(() => run({})),
        plain: await read(() => new Promise((resolve, reject) => {
          const s = agui.run({}, { url }).subscribe(undefined, reject, () => resolve(s.messages[0].content));
        })),
        agent: await read(() => alone().runAgent({}, { onMessagesChanged() {} }).then((r) => r.newMessages[0].content)),
        hooks: await read(() => alone().runAgent({}, { onTextMessageContentEvent({ event }) { heard(event); } })
          .then(() => types.splice(0))),
        watched: await read(() => {
          const a = alone();
          a.watch(heard);
          return a.runAgent().then(() => types.splice(0));
        }),
        later: await read(async () => {
          const a = alone();
          const end = a.runAgent();
          await new Promise((resolve) => {
            const look = () => (a.messages[0]?.content === "hi" ? resolve() : setTimeout(look, 5));
            look();
          });
          a.watch(heard);
          await end;
          return types.splice(0);
        }),
        refused: await read(async () => {
          const a = alone({ keepRaw: false });
          a.watch(heard);
          await a.runAgent();
          return types.splice(0);
        }),
      };
    } finally {
      JSON.parse = parse;
    }
  }, [url]);
  const whole = 5 * 20000;
  assert.ok(got.observed.parsed > whole);
  for (const name of ["unobserved", "plain", "agent"]) {
    assert.equal(got[name].seen, "hi", name);
    assert.ok(got[name].parsed < 10000, `${name}: ${got[name].parsed}`);
  }
  assert.ok(got.hooks.seen.every(([type, size]) => type === "TEXT_MESSAGE_CONTENT" && size > 20000));
  assert.deepEqual(got.watched.seen.map(([type]) => type), [...events, ...late].map((e) => e.type));
  assert.ok(got.watched.parsed > whole);
  // The END may come behind the turn in which the text stood.
  assert.deepEqual(got.later.seen.map(([type]) => type).filter((type) => type !== "TEXT_MESSAGE_END"),
    late.map((e) => e.type), "who comes later gets what comes later");
  assert.ok(got.later.parsed > 20000 && got.later.parsed < 2 * 20000 + 10000, String(got.later.parsed));
  assert.ok(got.refused.seen.every(([type, size]) => type !== "RAW" && size < 1000));
});

test("an event larger than maxEventBytes", async () => {
  const large = { type: "CUSTOM", name: "x", value: "y".repeat(5000) };
  const body = sse(started, ...text("m", "hi"), large, finished);
  const got = await run(agent.reply({ body, cut: 700 }), {}, { maxEventBytes: 4096 });
  assert.equal(got.outcome, "event_too_large");
  assert.equal(got.messages[0].content, "hi");
  const whole = await run(agent.reply({ body }), {}, { maxEventBytes: 100 });
  assert.deepEqual([whole.outcome, whole.messages[0]?.content], ["event_too_large", "hi"],
    "what came before it in the same chunk counts");
  assert.equal((await run(agent.reply({ body, cut: 700 }), {}, { maxEventBytes: 8192 })).outcome, "complete");
  assert.equal((await run(agent.reply({ body, cut: 700 }), {}, { maxEventBytes: 0.5 })).outcome, "event_too_large",
    "a part of a byte is not the default");
});

test("a frame that never ends stops at the limit, and so does its request", async () => {
  const url = agent.reply({
    body: [`data: {"type":"CUSTOM","name":"x","value":"`, ...Array(40).fill("z".repeat(1000))], delay: 5, open: true,
  });
  const got = await run(url, {}, { maxEventBytes: 10000 });
  assert.equal(got.outcome, "event_too_large");
  await agent.cancelled(url);
});

test("idleTimeoutMs: silence ends the run and the request, any byte keeps it alive", async () => {
  const silent = agent.reply({ body: sse(started), open: true });
  const [code, waited] = await page.evaluate((url) => new Promise((resolve) => {
    let last = 0;
    const over = (/** @type {any} */ error) => resolve([error?.code, performance.now() - last]);
    agui.run({}, { url, idleTimeoutMs: 300 }).subscribe({
      next: () => { last = performance.now(); }, error: over, complete: over,
    });
  }), silent);
  assert.equal(code, "idle_timeout");
  assert.ok(waited >= 290 && waited < 1000, `${waited} ms after the last byte`);
  await agent.cancelled(silent);
  const comments = agent.reply({
    body: [sse(started), ...Array(8).fill(": keep-alive\n\n"), sse(finished)], delay: 150,
  });
  assert.equal((await run(comments, {}, { idleTimeoutMs: 600 })).outcome, "complete");
  const late = agent.reply({ body: good, late: 3000 });
  assert.equal((await run(late, {}, { idleTimeoutMs: 300 })).outcome, "idle_timeout");
  await agent.cancelled(late);
});

test("without idleTimeoutMs a silent server is waited for", async () => {
  const url = agent.reply({ body: [sse(started), sse(...text("m", "x"), finished)], delay: 2500, late: 1000 });
  assert.equal((await run(url)).outcome, "complete");
});

test("a terminal event reaches next at once and the run ends 1 s after it on a connection that stays open",
  async () => {
  const url = agent.reply({ body: good, open: true });
  const got = await page.evaluate((url) => new Promise((resolve) => {
    /** @type {number[]} */
    const times = [];
    const over = () => resolve([times[4] - times[0], performance.now() - times[4]]);
    agui.run({}, { url }).subscribe({ next: () => void times.push(performance.now()), error: over, complete: over });
  }), url);
  const [first, lingered] = got;
  assert.ok(first < 300, `RUN_FINISHED came ${first} ms after the RUN_STARTED of the same chunk`);
  assert.ok(lingered > 900 && lingered < 1500, `${lingered} ms`);
  await agent.cancelled(url);
});

test("another run may follow within the second; the last one decides", async () => {
  const url = agent.reply({
    body: [good, sse({ ...started, runId: "r2" }, { type: "RUN_ERROR", message: "boom", code: "x" })], delay: 500,
  });
  const got = await run(url);
  assert.equal(got.outcome, "run_error");
  assert.deepEqual(got.types.slice(-2), ["RUN_STARTED", "RUN_ERROR"]);
  assert.equal(got.error.message.includes("boom"), true);
  assert.equal(got.error.event.code, "x");
});

test("bad input is refused before a byte is sent", async () => {
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async (url) => {
    const thrown = (f) => {
      try {
        f();
        return "nothing";
      } catch (error) {
        return error instanceof TypeError ? "TypeError" : String(error);
      }
    };
    const kinds = [
      () => agui.run(7, { url }), () => agui.run("x", { url }), () => agui.run({ messages: "x" }, { url }),
      () => agui.run({ messages: {} }, { url }),
      () => agui.run({ threadId: 1 }, { url }), () => agui.run({ runId: {} }, { url }),
      () => agui.run({ tools: {} }, { url }), () => agui.run({ context: 1 }, { url }),
      () => agui.run({}, 7), () => agui.run({}, { url: 7 }), () => agui.run({}, { url, headers: 7 }),
      () => agui.run({}, { url, fetch: 7 }),
      () => agui.run({}, { url, verify: "loose" }), () => agui.run({}, { url, maxEventBytes: "x" }),
      () => agui.run({}, { url, maxEventBytes: -1 }),
      () => agui.run({}, { url, idleTimeoutMs: NaN }), () => agui.run({}, { url, signal: {} }),
      () => agui.run({}, { url, onWarning: 1 }),
      () => agui.run({ state: { big: 1n } }, { url }), () => {
        const a = {};
        a.a = a;
        agui.run({ state: a }, { url });
      },
    ].map(thrown);
    const protocol = [];
    for (const message of [{ id: "1", role: "robot", content: "x" }, { id: "1", role: "user" },
      { id: "1", role: "tool", content: "x" }, { id: 7, role: "user", content: "x" }]) {
      protocol.push(thrown(() => {
        const g = agui.run({ messages: [message] }, { url });
        protocol.observable = g;
      }));
      const observable = protocol.observable;
      protocol.observable = undefined;
      if (observable) {
        protocol[protocol.length - 1] = await new Promise((resolve) =>
          observable.subscribe({ error: (e) => resolve([e.code, e.message]), complete: () => resolve("complete") }));
      }
    }
    return { kinds, protocol: [...protocol] };
  }, url);
  got.kinds.forEach((kind, index) => assert.equal(kind, "TypeError", `call ${index}`));
  for (const [index, answer] of got.protocol.entries()) {
    if (answer === "TypeError") continue; // a wrong kind may be thrown at the call
    assert.equal(answer[0], "bad_input", `message ${index}: ${answer}`);
    assert.match(answer[1], /messages/);
  }
  assert.equal(agent.seen(url).length, 0);
});

test("no URL is refused at the call", async () => {
  const got = await page.evaluate(() => {
    try {
      agui.run({});
      return "nothing";
    } catch (error) {
      return `${error.name}: ${error.message}`;
    }
  });
  assert.match(got, /^TypeError: .*url/);
});
