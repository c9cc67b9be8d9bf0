// What an agent may not do to the page, and what the page's secrets are not sent with. (What the chat draws is tested
// in view/safety.test.js.)
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
/** Another site. @type {Awaited<ReturnType<typeof faultServer>>} */
let other;
before(async () => {
  [world, agent, other] = await Promise.all([start(), faultServer(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close(), other?.close()]));

/** What the page itself loads; whether before or after the listener is there is up to the engine. */
const OWN = /\/(agui\.(js|agent\.js|chat\.js|wasm)|test\/first\.js)$/;

const good = sse(started, ...text("m", "hi"), finished);

test("nothing that ships can make code or HTML of a text", () => {
  for (const name of readdirSync(`${root}dist`).filter((file) => /^agui\..*(js|wasm)$/.test(file))) {
    const code = readFileSync(`${root}dist/${name}`, "latin1");
    for (const word of ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "srcdoc",
      "createContextualFragment", "parseFromString", "setHTML", "new Function", "execScript", "importScripts"]) {
      assert.ok(!code.includes(word), `${name} holds ${word}`);
    }
    if (name !== "agui.wasm") assert.doesNotMatch(code, /\beval\s*\(|setTimeout\(\s*["'`]/, name);
  }
});

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then", "toJSON",
  "length"];

test("names of the prototype are ordinary data, wherever an agent puts them", async () => {
  const page = await world.page({
    headers: { "content-security-policy": "default-src 'self' 'wasm-unsafe-eval'; connect-src *; img-src data:" },
    html: `<!doctype html><link rel="icon" href="data:,"><script src="/agui.js"></script>`,
  });
  /** @type {string[]} */
  const asked = [];
  page.on("request", (/** @type {any} */ request) => asked.push(request.url()));
  const urls = [];
  for (const name of NAMES) {
    const value = `{"polluted":"yes"}`;
    const nested = `{"${name}":${value},"constructor":{"prototype":${value}},"list":[{"${name}":${value}}]}`;
    const body = [
      `{"type":"RUN_STARTED","threadId":"t1","runId":"r1","${name}":${value}}`,
      `{"type":"STATE_SNAPSHOT","snapshot":${nested}}`,
      ...["", "/list/0", "/constructor", "/constructor/prototype", "/__proto__"].map((at) =>
        `{"type":"STATE_DELTA","delta":[{"op":"add","path":"${at}/${name}","value":${value}}]}`),
      `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/${name}/polluted","value":"again"},{"op":"copy","from":"/${name}","path":"/copied"},{"op":"move","from":"/copied","path":"/list/0/${name}"}]}`,
      `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/__proto__/polluted","value":"yes"}]}`,
      // Where no such member is yet: setting it must make one.
      `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/-","value":{"bare":{}}},{"op":"add","path":"/list/1/${name}","value":${value}},{"op":"add","path":"/list/1/bare/${name}","value":[]},{"op":"copy","from":"/list/0","path":"/list/1/bare/${name}"}]}`,
      `{"type":"ACTIVITY_SNAPSHOT","messageId":"${name}","activityType":"${name}","content":${nested}}`,
      `{"type":"ACTIVITY_DELTA","messageId":"${name}","activityType":"${name}","patch":[{"op":"add","path":"/__proto__","value":${value}}]}`,
      `{"type":"TEXT_MESSAGE_START","messageId":"m-${name}","role":"assistant","${name}":${value}}`,
      `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-${name}","delta":"hi","${name}":${value}}`,
      `{"type":"TEXT_MESSAGE_END","messageId":"m-${name}"}`,
      `{"type":"TOOL_CALL_START","toolCallId":"${name}","toolCallName":"${name}","parentMessageId":"m-${name}"}`,
      `{"type":"TOOL_CALL_ARGS","toolCallId":"${name}","delta":${JSON.stringify(nested)}}`,
      `{"type":"TOOL_CALL_END","toolCallId":"${name}"}`,
      `{"type":"TOOL_CALL_RESULT","messageId":"x-${name}","toolCallId":"${name}","content":${JSON.stringify(nested)}}`,
      `{"type":"CUSTOM","name":"${name}","value":${nested}}`,
      `{"type":"${name}","${name}":${value}}`,
      `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u-${name}","role":"user","content":"hi","${name}":${value}}]}`,
      `{"type":"RUN_FINISHED","threadId":"t1","runId":"r1","result":${nested},"outcome":{"type":"success","${name}":${value}}}`,
    ].map((line) => `data: ${line}\n\n`).join("");
    urls.push(agent.reply({ body }));
  }
  const got = await page.evaluate(async (urls) => {
    const violations = [];
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.blockedURI));
    const faults = [];
    const own = (f) => JSON.stringify(
      [Object, Array, String, Function, Promise, Map].map((c) => [Object.getOwnPropertyNames(c).sort(),
        Object.getOwnPropertyNames(c.prototype).sort()])) + f.polluted + Object.keys({}).join();
    const before = own({});
    for (const [i, url] of urls.entries()) {
      const g = await T.run({}, { url });
      if (g.outcome !== "complete") faults.push(`${i}: ${g.outcome} ${g.error.message}`);
      const a = new agui.HttpAgent({ url, tools: [{ name: "other", description: "", handler: () => "" }] });
      a.addMessage({ id: "q", role: "user", content: "?" });
      const stop = a.subscribe({
        onEvent: () => {}, onToolCallEndEvent: ({ toolCallArgs }) => {
          if (({}).polluted || toolCallArgs?.list === undefined) faults.push("arguments");
        },
      });
      await a.runAgent().catch((error) => faults.push(`${i}: ${error.message}`));
      stop.unsubscribe();
      await a.runAgent().catch((error) => faults.push(`${i}: again: ${error.message}`));
      if (own({}) !== before || ({}).polluted !== undefined) faults.push(`${i}: a prototype changed`);
      for (const open = [g.state, g.messages, g.events, a.state, a.messages]; open.length > 0;) {
        const node = open.pop();
        if (![Object.prototype, Array.prototype].includes(Object.getPrototypeOf(node))) {
          faults.push(`${i}: an object has another prototype`);
        }
        for (const key of Object.keys(node)) {
          if (typeof node[key] === "object" && node[key] !== null) open.push(node[key]);
        }
      }
      const [, made] = g.state.list;
      if (Object.keys(made).length !== 2 || Object.keys(made.bare).length !== 1) faults.push(`${i}: a member is lost`);
    }
    await T.sleep(100);
    return { faults, violations };
  }, urls);
  assert.deepEqual(got, { faults: [], violations: [] });
  const places = [...new Set(asked.map((url) => new URL(url).pathname))].filter((path) => !OWN.test(path)).sort();
  assert.deepEqual(places, [...new Set(urls.map((url) => new URL(url).pathname))].sort(), "only the agent is asked");
  // The second request brings the state back, whatever its members are called.
  const sent = agent.seen(urls[0]).at(-1)?.body ?? "";
  assert.match(sent, /"state":\{[^]*"__proto__":\{"polluted"/);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("addresses in what an agent sends are never fetched", async () => {
  const page = await world.page();
  /** @type {string[]} */
  const asked = [];
  page.on("request", (/** @type {any} */ request) => asked.push(request.url()));
  const trap = `${other.origin}/trap.png`;
  const parts = ["image", "audio", "video",
    "document"].map((type) => ({ type, source: { type: "url", value: trap, mimeType: "image/png" } }));
  const url = agent.reply({
    headers: { link: `<${trap}>; rel=preload; as=image`, refresh: `0; url=${trap}`, location: trap },
    body: `retry: 1\nid: ${trap}\n\n` + sse({ ...started, url: trap, href: trap }, {
      type: "STATE_SNAPSHOT", snapshot: { url: trap, $ref: trap, src: trap },
    },
      ...text("m", `![x](${trap}) ${trap}`), { type: "CUSTOM", name: "redirect", value: { url: trap } },
      { type: "RAW", event: { url: trap }, source: trap },
      { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "image", content: { url: trap, image: trap } },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "fetch", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: JSON.stringify({ url: trap }) },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: parts },
      { type: "MESSAGES_SNAPSHOT", messages: [{ id: "u", role: "user", content: parts }] },
      {
        ...finished, outcome: {
          type: "interrupt", interrupts: [{
            id: "i", reason: "input_required", message: trap, responseSchema: { $ref: trap, $schema: trap },
          }],
        },
      }),
  });
  const got = await page.evaluate(async (url) => {
    const outcome = (await T.run({}, { url })).outcome;
    const element = document.createElement("div");
    document.body.append(element);
    const agent = new agui.HttpAgent({ url });
    agui.mount(element, { agent });
    await agent.send("go").catch((error) => error.code);
    await T.sleep(500);
    return [outcome, agent.pendingInterrupts.length];
  }, url);
  assert.deepEqual(got, ["complete", 1]);
  assert.deepEqual([...new Set(asked)].filter((each) => !/^(data|blob):/.test(each) && !OWN.test(each)), [url]);
  assert.equal(other.requests.length + other.preflights.length, 0);
  await page.done();
});

test("credentials stay with the page's own origin, unless it says otherwise", async () => {
  const page = await world.page();
  /** @type {(string | undefined)[]} */
  const cookies = [];
  world.site.override("/own-agent", (request, response) => {
    cookies.push(request.headers.cookie);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(good);
  });
  const url = agent.reply({ body: good });
  await page.evaluate(async (url) => {
    document.cookie = "secret=1; path=/";
    for (const at of ["/own-agent", url]) {
      await T.run({}, { url: at });
      const a = new agui.HttpAgent({ url: at });
      a.addMessage({ id: "q", role: "user", content: "?" });
      await a.runAgent();
    }
    await T.run({}, { url, credentials: "omit" });
    await T.run({}, { url: "/own-agent", credentials: "omit" });
  }, url);
  assert.deepEqual(cookies, ["secret=1", "secret=1", undefined]);
  assert.deepEqual(agent.seen(url).map((seen) => seen.headers.cookie), [undefined, undefined, undefined]);
  world.site.override("/own-agent", undefined);
  await page.done();
});

test("a redirect to another origin loses the caller's headers as in any fetch", async () => {
  const page = await world.page();
  const target = other.reply({ body: good });
  const through = agent.reply({ status: 307, headers: { location: target } });
  world.site.override("/moved", (_request, response) => {
    response.writeHead(307, { location: target });
    response.end();
  });
  const run = (/** @type {string} */ url, /** @type {object} */ headers) => page.evaluate(async ([url, headers]) => {
    document.cookie = "secret=1; path=/";
    const g = await T.run({}, { url, headers, credentials: "same-origin" });
    // What the browser itself does with the same request.
    const plain = await fetch(url,
      { method: "POST", body: "{}", headers: { "content-type": "application/json", accept: "text/event-stream",
        ...headers } }).then((r) => r.status, () => "refused");
    return [g.outcome, plain];
  }, [url, headers]);
  for (const url of ["/moved", through]) {
    other.requests.length = 0;
    const got = await run(url, { authorization: "Bearer secret" });
    assert.deepEqual(got, ["complete", 200], url);
    const [ours, plain] = other.requests;
    assert.equal(ours.headers.authorization, undefined);
    assert.equal(ours.headers.cookie, undefined);
    assert.deepEqual(Object.keys(ours.headers).sort(), Object.keys(plain.headers).sort());
  }
  // A header of the page's own goes there only if that server's CORS answer names it.
  other.requests.length = 0;
  const refused = other.reply({ body: good, noCors: true });
  world.site.override("/moved", (_request, response) => {
    response.writeHead(307, { location: refused });
    response.end();
  });
  assert.deepEqual(await run("/moved", { "x-api-key": "secret" }), ["network", "refused"]);
  assert.equal(other.requests.length, 0, "the key never went there");
  world.site.override("/moved", undefined);
  await page.done();
});

test("the script's files are asked for without the agent's headers, and errors tell no secret", async () => {
  const page = await world.page({ path: "/test/bare.html" });
  world.site.requests.length = 0;
  const url = agent.reply({ status: 500, headers: { "content-type": "text/plain" }, body: "no" });
  await page.addScriptTag({ url: "/agui.js" });
  const said = await page.evaluate(async (url) => {
    agui.configure({ headers: { authorization: "Bearer sesame" }, credentials: "include" });
    const outcomes = [await T.run({}, { url }), await T.run({}, { url: "http://127.0.0.1:1/x" }),
      await T.run({}, { url, headers: { authorization: "Bearer sesame\n" + "x" } }).catch((error) => ({ error }))];
    // Each way in which a value can be none, the browser's own words for it, and a subclass that adds one.
    for (const value of ["Bearer sesame\0", "Bearer sesame\u0100", "Bearer sesame\ud83d", "Bearer \r\nsesame"]) {
      outcomes.push(await T.run({}, { url, headers: { authorization: value } }),
        await T.run({}, { url, headers: async () => ({ "x-key": value }) }));
      class Own extends agui.HttpAgent {
        requestInit(input) {
          return { ...super.requestInit(input), headers: { authorization: value } };
        }
      }
      outcomes.push(await new Own({ url }).runAgent().then(() => ({ error: Error("it ran") }), (error) => ({ error })));
    }
    outcomes.push(await T.run({}, { url, headers: { "sesame sesame": "x" } }));
    return outcomes.map(({ error }) => `${error.message} ${JSON.stringify(error)}`);
  }, url);
  for (const request of world.site.requests) assert.equal(request.headers.authorization, undefined, request.path);
  assert.ok(world.site.requests.some((request) => request.path === "/agui.wasm"));
  assert.equal(agent.seen(url)[0].headers.authorization, "Bearer sesame");
  assert.equal(said.length, 16);
  for (const line of said) assert.doesNotMatch(line, /sesame|it ran/);
  for (const line of said.slice(2)) assert.match(line, /HTTP does not allow/);
  await page.done();
});
