// Loading on strangers' pages: types, places, policies, two copies, globals.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const dist = (/** @type {string} */ name) => readFileSync(`${root}dist/${name}`);
const good = sse(started, ...text("m", "hi"), finished);
const tag = (/** @type {string} */ attributes) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script ${attributes}></script>`;

/** Runs in a page and gives the outcome; with a load that fails, the code and message of `ready`'s rejection too. */
async function outcome(page, url = agent.reply({ body: good })) {
  return page.evaluate(async (url) => {
    const g = await T.run({}, { url });
    const ready = await agui.ready.then(() => "ready", (e) => e.code);
    return { outcome: g.outcome, message: g.error?.message, url: g.error?.url, status: g.error?.status, ready };
  }, url);
}

/** Serves agui.wasm otherwise while f runs; gives how often it was asked for. */
async function serving(handler, f) {
  let asked = 0;
  world.site.override("/agui.wasm", (request, response) => {
    asked++;
    handler(response, request);
  });
  try {
    await f();
  } finally {
    world.site.override("/agui.wasm", undefined);
  }
  return asked;
}

test("run at once, before the WebAssembly is there", async () => {
  const url = agent.reply({ body: good });
  const page = await world.page({
    html: `${tag('src="/agui.js"')}<script>window.done = new Promise((complete, error) => agui.run({}, { url: "${url}" }).subscribe({ complete: () => complete("complete"), error }));</script>`,
  });
  assert.equal(await page.evaluate(() => window.done), "complete");
  await page.done();
});

test("the ten lines of the README", async () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const url = agent.reply({ body: good });
  const html = /```html\n([\s\S]*?)```/.exec(readme)?.[1].replace("https://agent.example/run", url)
    .replace('src="agui.js"', 'src="/agui.js"') ?? "";
  assert.ok(html.split("\n").length <= 11);
  const page = await world.page({ html: `<link rel="icon" href="data:,">${html}` });
  for (let i = 0; i < 200 && !page.consoled.includes("log: done"); i++) await page.waitForTimeout(20);
  assert.deepEqual(page.consoled,
    [...["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED",
      "done"].map((t) => `log: ${t}`)]);
  await page.done();
});

for (const type of ["application/octet-stream", "", "application/wasm; charset=utf-8", "text/plain", "text/html"]) {
  test(`agui.wasm served as "${type}": one download`, async () => {
    const page = await world.page({ path: "/test/bare.html" });
    const asked = await serving((response) => {
      response.writeHead(200, type ? { "content-type": type } : {});
      response.end(dist("agui.wasm"));
    }, async () => {
      await page.addScriptTag({ url: "/agui.js" });
      assert.equal((await outcome(page)).outcome, "complete");
    });
    assert.equal(asked, 1);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}

for (const [name, answer, expect] of [
  ["404 with HTML", (response) => { response.writeHead(404,
    { "content-type": "text/html" }); response.end("<h1>no</h1>"); }, { status: 404, says: /404/ }],
  ["200 with HTML", (response) => { response.writeHead(200,
    { "content-type": "text/html" }); response.end("<h1>no</h1>"); }, { status: 200, says: /HTML/ }],
  ["a broken file", (response) => { response.writeHead(200,
    { "content-type": "application/wasm" }); response.end(dist("agui.wasm").subarray(0, 5000)); }, { says: /compil/ }],
  ["a broken connection",
    (response) => { response.writeHead(200, { "content-type": "application/wasm" }); response.write(dist("agui.wasm")
      .subarray(0, 5000), () => response.destroy()); }, { says: /./ }],
]) {
  test(`agui.wasm: ${name}: load_failed with the URL, and the next run tries again`, async () => {
    const page = await world.page({ path: "/test/bare.html" });
    await serving(answer, async () => {
      await page.addScriptTag({ url: "/agui.js" });
      const url = agent.reply({ body: good });
      const got = await outcome(page, url);
      assert.equal(got.outcome, "load_failed");
      assert.equal(got.ready, "load_failed");
      assert.match(got.message, expect.says);
      assert.match(got.url, /agui\.wasm$/);
      assert.equal(got.status, expect.status);
      assert.equal(agent.seen(url).length, 0);
    });
    assert.equal((await outcome(page)).outcome, "complete");
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}

test("wasmUrl, data-wasm, and beside the script on another origin", async () => {
  const other = await start();
  try {
    for (const html of [
      `${tag('src="/agui.js"')}<script>agui.configure({ wasmUrl: "${other.site.origin}/agui.wasm" })</script>`,
      tag(`src="/agui.js" data-wasm="${other.site.origin}/agui.wasm"`),
      tag(`src="${other.site.origin}/agui.js"`),
    ]) {
      const before = other.site.requests.filter((r) => r.path === "/agui.wasm").length;
      const page = await world.page({ html });
      assert.equal((await outcome(page)).outcome, "complete");
      assert.equal(other.site.requests.filter((r) => r.path === "/agui.wasm").length, before + 1);
      await page.done();
    }
  } finally {
    await other.stop();
  }
});

test("data-url on another origin asks for a connection, unless data-preconnect is off", async () => {
  // What the tag asks for: this browser without a screen opens no connection ahead, not even for a page's own link.
  const asked = async (/** @type {string} */ attributes) => {
    const page = await world.page({ html: tag(`src="/agui.js" ${attributes}`) });
    const links = await page.evaluate(() => [...document.querySelectorAll("link[rel=preconnect]")]
      .map((link) => `${/** @type {any} */ (link).href} ${/** @type {any} */ (link).crossOrigin}`));
    await page.done();
    return links;
  };
  assert.deepEqual(await asked('data-url="https://agent.example/run"'), ["https://agent.example/run anonymous"]);
  assert.deepEqual(await asked('data-url="https://agent.example/run" data-preconnect="off"'), []);
  for (const url of ["/run", "http://["]) assert.deepEqual(await asked(`data-url="${url}"`), [], url);
});

test("the warm-up: once, when the page is idle; not with data-warm=off, and given up when a run begins", async () => {
  // Its stream is a Response of ours; the page sees none of it otherwise.
  const counting = `<script>globalThis.made = 0; globalThis.Response = class extends Response {
    constructor(...args) { super(...args); made++; }
  };</script>`;
  const html = (/** @type {string} */ warm) => tag("").replace("<script ></script>", counting) +
    `<script src="/agui.js"${warm}></script><script>globalThis.warned = []; console.warn = (w) => warned.push(w);</script>`;
  const url = agent.reply({ body: good });
  const look = (/** @type {any} */ page, /** @type {number} */ made) => page.evaluate(async (
    /** @type {[string, number]} */ [url, wanted]) => {
    await agui.ready;
    for (let i = 0; i < 200 && made < wanted; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    const { runs, callbacks } = agui.debug();
    const g = await T.run({}, { url });
    return [made, runs, callbacks, g.outcome, g.events.length, warned.length];
  }, [url, made]);
  const on = await world.page({ html: html("") });
  const warmed = await look(on, 1);
  const off = await world.page({ html: html(' data-warm="off"') });
  const cold = await look(off, 0);
  assert.deepEqual([warmed, cold], [[1, 0, 0, "complete", 5, 0], [0, 0, 0, "complete", 5, 0]]);
  await Promise.all([on.done(), off.done()]);
});

test("wasmModule, and configure throws once loading has begun", async () => {
  const page = await world.page({
    html: `${tag('src="/agui.js" data-wasm="/nowhere.wasm"')}<script>agui.configure({ wasmModule: WebAssembly.compileStreaming(fetch("/agui.wasm")) })</script>`,
  });
  const got = await page.evaluate(async () => {
    await agui.ready;
    try {
      agui.configure({ wasmUrl: "/other.wasm" });
    } catch (error) {
      return error.name;
    }
  });
  assert.ok(["TypeError", "Error", "AGUIError"].includes(got), got);
  assert.equal((await outcome(page)).outcome, "complete");
  await page.done();
});

test("a .wasm.gz from a host that cannot compress", async () => {
  world.site.override("/agui.wasm.gz", (_request, response) => {
    response.writeHead(200, { "content-type": "application/gzip" });
    response.end(gzipSync(dist("agui.wasm"), { level: 1 }));
  });
  const page = await world.page({
    html: `${tag('src="/agui.js"')}<script>agui.configure({ wasmUrl: "/agui.wasm.gz" })</script>`,
  });
  assert.equal((await outcome(page)).outcome, "complete");
  world.site.override("/agui.wasm.gz", undefined);
  await page.done();
});

test("integrity: the published hashes are right, a wrong one is refused", async () => {
  const sums = JSON.parse(dist("integrity.json").toString());
  const page = await world.page({
    html: tag(
      `src="/agui.js" integrity="${sums["agui.js"]}" data-wasm="/agui.wasm" data-wasm-integrity="${sums["agui.wasm"]}"`),
  });
  assert.equal((await outcome(page)).outcome, "complete");
  await page.done();
  const wrong = await world.page({
    html: tag(`src="/agui.js" data-wasm="/agui.wasm" data-wasm-integrity="${sums["agui.js"]}"`),
  });
  assert.equal((await outcome(wrong)).outcome, "load_failed");
  await wrong.done();
});

test(
  "Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval' suffices, and the error says so where it is missing",
  async () => {
  const allowed =
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ${agent.origin}; img-src data:`;
  const page = await world.page({ html: tag('src="/agui.js"'), headers: { "content-security-policy": allowed } });
  assert.equal((await outcome(page)).outcome, "complete");
  assert.deepEqual(page.consoled.filter((line) => /Security Policy/.test(line)), []);
  await page.done();
  const without = await world.page({
    html: tag('src="/agui.js"'), headers: { "content-security-policy": allowed.replace("'wasm-unsafe-eval'", "") },
  });
  const got = await outcome(without);
  assert.equal(got.outcome, "load_failed");
  assert.match(got.message, /wasm-unsafe-eval/);
  await without.done();
});

test("trusted types are no hindrance", async () => {
  const page = await world.page({
    html: tag('src="/agui.js"'), headers: {
      "content-security-policy": "require-trusted-types-for 'script'; trusted-types 'none'",
    },
  });
  assert.equal((await outcome(page)).outcome, "complete");
  await page.done();
});

test("a page with its own Go, fs, process, path, require, define and exports: nothing is read or changed", async () => {
  const html = `<!doctype html><link rel="icon" href="data:,"><script>
    const trap = (name) => new Proxy({}, { get(_, key) { if (typeof key === "string" && key !== "then") (window.touched ??= []).push(name + "." + key); return undefined; } });
    window.Go = class { mine = true; }; window.fs = trap("fs"); window.process = trap("process"); window.path = trap("path");
    window.require = Object.assign(() => { throw new Error("require was called"); }, {}); window.module = { exports: {} }; window.exports = module.exports;
    window.define = Object.assign(() => { throw new Error("define was called"); }, { amd: {} });
    window.before = null; window.before = new Set(Object.getOwnPropertyNames(window));
  </script><script src="/agui.js"></script>`;
  const page = await world.page({ html });
  assert.equal((await outcome(page)).outcome, "complete");
  const got = await page.evaluate(() => ({
    touched: window.touched, go: new Go().mine, added: Object.getOwnPropertyNames(window)
      .filter((n) => n !== "before" && !window.before.has(n)), exports: Object.keys(window.module.exports),
  }));
  assert.deepEqual(got, { touched: undefined, go: true, added: ["agui"], exports: [] });
  await page.done();
});

test("the globals of a plain page: agui, and nothing else", async () => {
  const page = await world.page({ path: "/test/bare.html" });
  const before = await page.evaluate(() => Object.getOwnPropertyNames(window));
  await page.addScriptTag({ url: "/agui.js" });
  assert.equal((await outcome(page)).outcome, "complete");
  const after = await page.evaluate(() => Object.getOwnPropertyNames(window));
  assert.deepEqual(after.filter((n) => !before.includes(n)), ["agui"]);
  await page.done();
});

test("two script tags, and the module beside them: one instance, one download", async () => {
  const page = await world.page({ html: `${tag('src="/agui.js"')}<script src="/agui.js"></script>` });
  const before = world.site.requests.filter((r) => r.path === "/agui.wasm").length;
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async (url) => {
    const module = await import("/agui.mjs");
    const end = (api) => new Promise((complete, error) => api.run({}, { url })
      .subscribe({ complete: () => complete("complete"), error }));
    const outcomes = [await end(agui), await end(module)];
    let caught = false;
    try {
      await new Promise((complete, error) => module.run({}, { url: `${url}-missing` }).subscribe({ complete, error }));
    } catch (error) {
      caught = error instanceof agui.AGUIError && error instanceof module.AGUIError;
    }
    return { outcomes, caught, version: module.version === agui.version };
  }, url);
  assert.deepEqual(got, { outcomes: ["complete", "complete"], caught: true, version: true });
  assert.ok(world.site.requests.filter((r) => r.path === "/agui.wasm").length - before <= 1);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("agui.mjs alone, from another origin, makes no global", async () => {
  const other = await start();
  const page = await world.page({ path: "/test/bare.html" });
  const url = agent.reply({ body: good });
  const got = await page.evaluate(async ([origin, url]) => {
    const api = await import(`${origin}/agui.mjs`);
    const outcome = await new Promise((complete, error) => api.run({}, { url })
      .subscribe({ complete: () => complete("complete"), error }));
    return [outcome, typeof globalThis.agui];
  }, [other.site.origin, url]);
  assert.deepEqual(got, ["complete", "undefined"]);
  await page.done();
  await other.stop();
});

test("the names: script and module export the same, and the types know them", async () => {
  const page = await world.page();
  const [script, module] = await page.evaluate(async () =>
    [Object.keys(agui).sort(), Object.keys(await import("/agui.mjs")).filter((n) => n !== "default").sort()]);
  assert.deepEqual(script, module);
  const types = dist("agui.d.ts").toString();
  const untyped = module.filter((name) =>
    !new RegExp(`export (declare )?(abstract )?(const|function|class|let) ${name}\\b`).test(types));
  assert.deepEqual(untyped, []);
  await page.done();
});

test("versions that differ are refused with a hint", async () => {
  const page = await world.page({ path: "/test/bare.html" });
  const version = JSON.parse(readFileSync(`${root}web/package.json`, "utf8")).version;
  world.site.override("/old/agui.js", (_request, response) => {
    response.writeHead(200, { "content-type": "text/javascript" });
    response.end(dist("agui.js").toString().replaceAll(`"${version}"`, '"9.9.9"'));
  });
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.src = "/old/agui.js";
    script.dataset.wasm = "/agui.wasm";
    document.head.append(script);
    return new Promise((r) => { script.onload = r; });
  });
  const got = await outcome(page);
  assert.equal(got.outcome, "load_failed");
  assert.match(got.message, /9\.9\.9/);
  assert.ok(got.message.includes(version));
  world.site.override("/old/agui.js", undefined);
  await page.done();
});

test("the page patches JSON, Array and Promise helpers: a run works", async () => {
  const page = await world.page({ html: `<!doctype html><link rel="icon" href="data:,"><script>
    Object.prototype.extra = "x"; Array.prototype.extra = function () {}; String.prototype.extra = 1;
    Array.prototype.toJSON = function () { return "patched"; };
    delete Array.prototype.toJSON;
  </script><script src="/agui.js"></script><div id="chat"></div>` });
  assert.equal((await outcome(page)).outcome, "complete");
  await page.evaluate(() => agui.mount("#chat", { url: "/agent" }).ready); // the parts load too
  await page.done();
});

test("a program that dies is replaced: running observables get internal, the next run works", async () => {
  const page = await world.page({ path: "/test/bare.html" });
  const url = agent.reply({ body: good });
  // Takes hold of the instance while it starts, to make one of its exports trap later.
  await page.evaluate(() => {
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...a) => {
      const instance = await instantiate.apply(WebAssembly, a);
      const exports = { ...instance.exports };
      const { push } = exports;
      exports.push = (...b) => {
        if (!globalThis.broken) return push(...b);
        globalThis.broken = false;
        throw new WebAssembly.RuntimeError("unreachable");
      };
      return new Proxy(instance, { get: (target, key) => (key === "exports" ? exports : Reflect.get(target, key)) });
    };
    WebAssembly.Instance = class extends WebAssembly.Instance { static [Symbol.hasInstance]() { return true; } };
  });
  await page.addScriptTag({ url: "/agui.js" });
  const got = await page.evaluate(async (url) => {
    const open = new ReadableStream({
      start(c) {
        c.enqueue(new TextEncoder().encode(T.sse(T.started)));
        globalThis.pushMore = () => c.enqueue(new TextEncoder().encode(T.sse(T.text("m")[0])));
      },
    });
    const first = T.run({}, {
      fetch: async () => new Response(open, { headers: { "content-type": "text/event-stream" } }),
    });
    await new Promise((r) => setTimeout(r, 300));
    globalThis.broken = true;
    pushMore();
    const outcomes = [(await first).outcome];
    outcomes.push((await T.run({}, { url })).outcome, (await T.run({}, { url })).outcome);
    return outcomes;
  }, url);
  assert.deepEqual(got, ["internal", "complete", "complete"]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

// Older browsers: what they lack is taken away before the script comes.
for (const [feature, away] of [
  ["WebAssembly", "delete globalThis.WebAssembly"], ["bulk memory operations", "WebAssembly.validate = () => false"],
  ["BigInt", "delete globalThis.BigInt"],
  ["Object.hasOwn", "delete Object.hasOwn"], ["Array.prototype.at", "delete Array.prototype.at"],
  ["String.prototype.replaceAll", "delete String.prototype.replaceAll"],
 
  ["ReadableStream", "delete globalThis.ReadableStream"], ["Headers", "delete globalThis.Headers"],
  ["crypto.getRandomValues", "delete Crypto.prototype.getRandomValues"],
]) {
  test(`a browser without ${feature}: load_failed names it, from a run, an agent, the chat and ready`, async () => {
    const page = await world.page({
      html: `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>${away}</script><script src="/agui.js"></script>`,
    });
    const got = await page.evaluate(async () => {
      const said = (error) => `${error?.code}: ${error?.message}`;
      const run = new Promise((resolve) => agui.run({}, { url: "https://a.test/" })
        .subscribe({ error: (error) => resolve(said(error)), complete: () => resolve("complete") }));
      const agent = new agui.HttpAgent({ url: "https://a.test/" });
      const host = document.createElement("div");
      document.documentElement.append(host);
      const { ready } = agui.mount(host, { url: "https://a.test/" });
      return Promise.all([run, agent.runAgent().then(() => "ran", said), ready.then(() => "drawn", said),
        agui.ready.then(() => "ready", said)]);
    });
    for (const line of got) {
      assert.ok(line.startsWith("load_failed: This browser is too old for ") && line.includes(feature), line);
    }
    await page.done();
  });
}

for (const [feature, away] of [
  ["new CSSStyleSheet", "globalThis.CSSStyleSheet = function () { throw new TypeError('Illegal constructor') }"],
  ["adoptedStyleSheets",
    "for (const c of [ShadowRoot, Document, DocumentFragment]) delete c.prototype.adoptedStyleSheets"],
  ["replaceChildren", "delete Element.prototype.replaceChildren"],
]) {
  test(`a browser without ${feature}: runs go, the chat says why it does not`, async () => {
    const page = await world.page({
      html: `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>${away}</script><script src="/agui.js"></script>`,
    });
    const [shown, said] = await page.evaluate(async () => {
      const host = document.createElement("div");
      document.documentElement.append(host);
      const said = await agui.mount(host, { url: "https://a.test/" }).ready.then(() => "drawn",
        (error) => `${error.code}: ${error.message}`);
      await T.sleep(50);
      return [host.shadowRoot.textContent, said];
    });
    assert.ok(said.startsWith("load_failed: This browser is too old for the chat") && said.includes(feature), said);
    assert.ok(said.endsWith(shown) && shown.length > 20, shown);
    assert.equal((await outcome(page)).outcome, "complete");
    await page.done();
  });
}
