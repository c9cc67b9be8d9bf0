// Pages that we know nothing about: another Go program, hosts that mislabel or forbid, frames, workers, files. It
// works, or the error says what to do. (Types, statuses and two copies of the script: loading.test.js.)
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** A server of the same files under another origin. @type {Awaited<ReturnType<typeof start>>} */
let cdn;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, cdn, agent] = await Promise.all([start(), start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), cdn?.stop(), agent?.close()]));

const dist = (/** @type {string} */ name) => readFileSync(`${root}dist/${name}`);
const good = sse(started, ...text("m", "hi"), finished);
const head = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">`;
const sums = () => JSON.parse(dist("integrity.json").toString());

/** Runs in a page and tells what came of it. */
const outcome = (page, options = {}) => page.evaluate(async ([url, options]) => {
  if (options.configure) agui.configure(options.configure);
  const g = await T.run({}, { url });
  const ready = await agui.ready.then(() => "ready", (error) => `${error.name} ${error.code}`);
  return { outcome: g.outcome, message: g.error?.message ?? "", url: g.error?.url, status: g.error?.status, ready };
}, [agent.reply({ body: good }), options]);

/** Serves a path otherwise while f runs. */
async function serving(site, path, headers, body, f) {
  site.override(path, (_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  try {
    return await f();
  } finally {
    site.override(path, undefined);
  }
}

// How it is compiled.

for (const type of ["application/wasm", "application/octet-stream", "application/wasm; charset=utf-8", ""]) {
  test(`served as "${type}" it is compiled while it loads`, async () => {
    await serving(world.site, "/agui.wasm", type ? { "content-type": type } : {}, dist("agui.wasm"), async () => {
      const page = await world.page({ html: `${head}<script>
        globalThis.used = [];
        for (const name of ["compileStreaming", "compile"]) { const f = WebAssembly[name]; WebAssembly[name] = (...a) => { used.push(name); return f.apply(WebAssembly, a); }; }
      </script><script src="/agui.js"></script>` });
      assert.equal((await outcome(page)).outcome, "complete");
      assert.deepEqual(await page.evaluate(() => globalThis.used), ["compileStreaming"]);
      await page.done();
    });
  });
}

for (const [name, code, says] of [
  ["no WebAssembly", "delete globalThis.WebAssembly", /no WebAssembly/],
  ["a WebAssembly that is switched off",
    "WebAssembly.compileStreaming = WebAssembly.compile = WebAssembly.instantiate = async () => { throw new TypeError('WebAssembly is disabled'); }", /disabled/],
]) {
  test(`a browser with ${name}: said, and the rest of the page goes on`, async () => {
    const page = await world.page({
      html: `${head}<script>${code}</script><script src="/agui.js"></script><script>globalThis.after = agui.version</script>`,
    });
    const got = await outcome(page);
    assert.equal(got.outcome, "load_failed");
    assert.equal(got.ready, "AGUIError load_failed");
    assert.match(got.message, says);
    assert.equal(typeof await page.evaluate(() => globalThis.after), "string");
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}

// Other origins and policies.

test("a CDN under a policy that names it, with hashes for both files", async () => {
  const policy =
    `default-src 'none'; script-src ${cdn.site.origin} 'wasm-unsafe-eval'; connect-src ${cdn.site.origin} ${agent.origin}; img-src data:`;
  const html =
    `${head}<script src="${cdn.site.origin}/agui.js" crossorigin integrity="${sums()["agui.js"]}" data-wasm-integrity="${sums()["agui.wasm"]}"></script>`;
  const page = await world.page({ html, headers: { "content-security-policy": policy } });
  assert.equal((await outcome(page)).outcome, "complete");
  assert.deepEqual(page.consoled.filter((line) => /Security Policy|integrity/i.test(line)), []);
  await page.done();
  const module = await world.page(
    { html: `${head}<link rel="modulepreload" href="${cdn.site.origin}/agui.mjs" crossorigin integrity="${sums()["agui.mjs"]}"><script type="importmap" nonce="n">{"integrity": {"${cdn.site.origin}/agui.mjs": "${sums()["agui.mjs"]}"}}</script>
    <script type="module" nonce="n">import * as agui from "${cdn.site.origin}/agui.mjs"; agui.configure({ wasmIntegrity: "${sums()["agui.wasm"]}" }); globalThis.agui = agui; await agui.ready;</script>`,
  headers: { "content-security-policy": policy.replace("'wasm-unsafe-eval'", "'wasm-unsafe-eval' 'nonce-n'") } });
  await module.waitForFunction(() => "agui" in globalThis);
  assert.equal((await outcome(module)).outcome, "complete");
  await module.done();
});

test("a wrong hash: agui.wasm is refused, with its address and a word about the hash", async () => {
  for (const html of [
    `${head}<script src="/agui.js" data-wasm-integrity="${sums()["agui.mjs"]}"></script>`,
    `${head}<script src="/agui.js"></script><script>agui.configure({ wasmIntegrity: "${sums()["agui.mjs"]}" })</script>`,
  ]) {
    const page = await world.page({ html });
    const got = await outcome(page);
    assert.equal(got.outcome, "load_failed");
    assert.match(got.message, /integrity/);
    assert.match(got.url, /\/agui\.wasm$/);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  }
});

test("what keeps agui.wasm away is named: no CORS headers on the other origin, no connect-src, no 'wasm-unsafe-eval'",
  async () => {
  const html = `${head}<script src="${cdn.site.origin}/agui.js"></script>`;
  const expect = async (page, words, where = cdn.site.origin) => {
    const got = await outcome(page);
    assert.equal(got.outcome, "load_failed");
    for (const word of words) assert.match(got.message, word);
    assert.equal(got.url, `${where}/agui.wasm`);
    assert.ok(got.message.includes(got.url) || /Content-Security-Policy/.test(got.message), got.message);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  };
  await serving(cdn.site, "/agui.wasm", { "content-type": "application/wasm" }, dist("agui.wasm"),
    async () => expect(await world.page({ html }), [/CORS/]));
  const policy = (/** @type {string} */ more) => ({
    "content-security-policy": `script-src 'self' ${cdn.site.origin} ${more}`,
  });
  await expect(await world.page({ html, headers: policy(`'wasm-unsafe-eval'; connect-src 'self' ${agent.origin}`) }),
    [/connect-src/]);
  await expect(await world.page({ html, headers: policy("") }), [/script-src/, /'wasm-unsafe-eval'/]);
  // Without streaming the same.
  await serving(world.site, "/bare.js", { "content-type": "text/javascript" },
    "delete WebAssembly.compileStreaming; delete WebAssembly.instantiateStreaming;",
    async () =>
      expect(await world.page({ html: `${head}<script src="/bare.js"></script><script src="/agui.js"></script>`,
      headers: policy("") }), [/script-src/, /'wasm-unsafe-eval'/], world.site.origin));
});

test("a page in a sandbox, whose origin is null", async () => {
  const url = agent.reply({ body: good });
  const page = await world.page(
    { html: `${head}<iframe sandbox="allow-scripts" srcdoc='<script src="${cdn.site.origin}/agui.js"></script><script>
    agui.run({}, { url: "${url}" }).subscribe({ complete: () => parent.postMessage("complete", "*"), error: (e) => parent.postMessage(e.message, "*") });
  </script>'></iframe><script>globalThis.told = new Promise((r) => addEventListener("message", (e) => r(e.data)))</script>` });
  assert.equal(await page.evaluate(() => globalThis.told), "complete");
  await page.done();
});

// What web/docs/hosting.md tells people to write.

const hosting = readFileSync(`${root}web/docs/hosting.md`, "utf8");

test("the preload of the hosting page is the one download", async () => {
  const link = /<link rel="preload".*>/.exec(hosting)?.[0] ?? "";
  assert.ok(link);
  const from = world.site.requests.length;
  const page = await world.page({ html: `${head}<base href="/">${link}<script src="agui.js"></script>` });
  assert.equal((await outcome(page)).outcome, "complete");
  assert.equal(world.site.requests.slice(from).filter((r) => r.path === "/agui.wasm").length, 1);
  await page.done();
});

test("the policies of the hosting page are enough, in a header and in the page", async () => {
  const policies = [/```\n(script-src .*)\n```/, /<meta http-equiv="Content-Security-Policy" content="(.*)">/].map(
    (pattern) => pattern.exec(hosting)?.[1].replace("https://agent.example", agent.origin) ?? "");
  const script = `<script src="/agui.js"></script>`;
  for (const [policy, how] of [
    [policies[0], {
      html: head + script, headers: { "content-security-policy": `default-src 'self'; img-src data:; ${policies[0]}` },
    }],
    [policies[1], { html: `${head}<meta http-equiv="Content-Security-Policy" content="${policies[1]}">${script}` }],
  ]) {
    assert.ok(policy);
    const page = await world.page(/** @type {any} */ (how));
    assert.equal((await outcome(page)).outcome, "complete");
    // The chat too, and its style.
    const size = await page.evaluate(async () => {
      agui.mount(document.body.appendChild(document.createElement("div")), { url: "/agent" });
      const shadow = () => document.querySelector("div")?.shadowRoot;
      await T.until(() => shadow()?.querySelector("textarea"), 0);
      return shadow().adoptedStyleSheets.length;
    });
    assert.equal(size, 1);
    assert.deepEqual(page.consoled.filter((line) => /Security Policy/.test(line)), []);
    await page.done();
  }
});

// Where agui.wasm is.

test("async, defer, added by a script, under another base, with a query: agui.wasm is beside the script", async () => {
  const files = ["agui.js", "agui.wasm"].map((name) => [`/deep/er/${name}`, name]);
  for (const [path, name] of files) world.site.override(path, (_request, response) => {
    response.writeHead(200, { "content-type": name.endsWith(".js") ? "text/javascript" : "application/wasm" });
    response.end(dist(name));
  });
  for (const html of [
    `<script async src="/deep/er/agui.js"></script>`, `<script defer src="/deep/er/agui.js?v=1.2#x"></script>`,
    `<base href="/deep/"><script src="er/agui.js"></script>`,
    `<script>document.head.append(Object.assign(document.createElement("script"), { src: "/deep/er/agui.js" }))</script>`,
  ]) {
    const page = await world.page({ html: head + html });
    await page.waitForFunction(() => "agui" in globalThis);
    const before = world.site.requests.length;
    assert.equal((await outcome(page)).outcome, "complete", html);
    assert.ok(!world.site.requests.slice(before).some((r) => r.path === "/agui.wasm"));
    await page.done();
  }
  for (const [path] of files) world.site.override(path, undefined);
});

test("wasmUrl comes before data-wasm, data-wasm before the place of the script", async () => {
  const asked = (/** @type {number} */ from) => world.site.requests.slice(from).filter((r) => /\.wasm/.test(r.path))
    .map((r) => r.path);
  for (const [path, html] of [
    ["/one.wasm",
      `<script src="/agui.js" data-wasm="/two.wasm"></script><script>agui.configure({ wasmUrl: new URL("/one.wasm", location.href) })</script>`],
    ["/two.wasm", `<script src="/agui.js" data-wasm="two.wasm"></script>`.replace("two.wasm", "../two.wasm")],
    ["/agui.wasm", `<script src="/agui.js" data-wasm=""></script>`],
  ]) {
    const from = world.site.requests.length;
    await serving(world.site, path, { "content-type": "application/wasm" }, dist("agui.wasm"), async () => {
      const page = await world.page({ html: head + html });
      assert.equal((await outcome(page)).outcome, "complete", html);
      await page.done();
    });
    assert.deepEqual(asked(from), [path]);
  }
});

test("configure too late says when it is in time, and changes nothing", async () => {
  const page = await world.page();
  const got = await page.evaluate(async () => {
    await agui.ready;
    return ["wasmUrl", "wasmModule", "wasmIntegrity"].map((name) => {
      try {
        agui.configure({ [name]: name === "wasmModule" ? {} : "/x.wasm", headers: { late: "1" } });
        return "nothing";
      } catch (error) {
        return error.message;
      }
    });
  });
  for (const message of got) assert.match(message, /too late.*before the first run/);
  const url = agent.reply({ body: good });
  await page.evaluate((url) => T.run({}, { url }), url);
  assert.equal(agent.seen(url)[0].headers.late, undefined, "a refused configure takes nothing over");
  await page.done();
});

test("a page opened as a file is told to serve the folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  try {
    for (const name of ["agui.js", "agui.wasm"]) copyFileSync(`${root}dist/${name}`, join(folder, name));
    writeFileSync(join(folder, "index.html"), `${head}<script src="agui.js"></script>`);
    const page = await world.page();
    await page.goto(pathToFileURL(join(folder, "index.html")).href);
    const got = await outcome(page);
    assert.equal(got.outcome, "load_failed");
    assert.match(got.message, /serve the folder over HTTP/);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("in a worker, by importScripts and as a module", async () => {
  const url = agent.reply({ body: good });
  const code =
    `agui.run({}, { url: ${JSON.stringify(url)} }).subscribe({ complete: () => postMessage("complete"), error: (e) => postMessage(e.message) });`;
  const page = await world.page({ path: "/test/bare.html" });
  for (const [path, body, type] of [
    ["/classic.js", `importScripts("/agui.js"); agui.configure({ wasmUrl: "/agui.wasm" }); ${code}`, "classic"],
    ["/module.js", `import agui from "/agui.mjs"; ${code}`, "module"],
  ]) {
    const told = await serving(world.site, path, { "content-type": "text/javascript" }, body,
      () => page.evaluate(([path, type]) => new Promise((resolve) => {
      const worker = new Worker(path, { type });
      worker.onmessage = (event) => { resolve(event.data); worker.terminate(); };
      worker.onerror = (event) => resolve(event.message);
    }), [path, type]));
    assert.equal(told, "complete", type);
  }
  await page.done();
});

// .gz, where a host cannot compress.

for (const [name, headers, packed] of [
  ["as a file", { "content-type": "application/gzip" }, true],
  ["as a file without a type", {}, true],
  ["with Content-Encoding: the browser unpacks it", { "content-type": "application/wasm", "content-encoding": "gzip" },
    true],
  ["that is not packed at all", { "content-type": "application/octet-stream" }, false],
]) {
  test(`agui.wasm.gz ${name}`, async () => {
    await serving(world.site, "/agui.wasm.gz", /** @type {any} */ (headers),
      dist(packed ? "agui.wasm.gz" : "agui.wasm"), async () => {
      for (const html of [`<script src="/agui.js" data-wasm="/agui.wasm.gz"></script>`,
        `<script src="/agui.js"></script><script>agui.configure({ wasmUrl: "/agui.wasm.gz?v=1" })</script>`]) {
        const page = await world.page({ html: head + html });
        assert.equal((await outcome(page)).outcome, "complete");
        await page.done();
      }
    });
  });
}

/** The files that load when they are used. */
const parts = readdirSync(`${root}dist`).filter((name) => /^agui\.[a-z]+\.js$/.test(name));

test("each file has its .br and .gz beside it, which unpack to it, and the hashes are those of the files", () => {
  for (const name of [...parts, "agui.js", "agui.mjs", "agui.wasm", "index.html", "agui.d.ts", "integrity.json"]) {
    assert.ok(brotliDecompressSync(dist(`${name}.br`)).equals(dist(name)), `${name}.br`);
    assert.ok(gunzipSync(dist(`${name}.gz`)).equals(dist(name)), `${name}.gz`);
  }
  for (const [name, sum] of Object.entries(sums())) {
    assert.equal(sum, `sha384-${createHash("sha384").update(dist(name)).digest("base64")}`, name);
  }
  assert.deepEqual(Object.keys(sums()).sort(), [...parts, "agui.js", "agui.mjs", "agui.wasm"].sort());
});

test("agui.wasm.gz that breaks off, and a browser that cannot unpack", async () => {
  const html = `${head}<script src="/agui.js" data-wasm="/agui.wasm.gz"></script>`;
  const broken = await serving(world.site, "/agui.wasm.gz", {}, dist("agui.wasm.gz").subarray(0, 100000), async () => {
    const broken = await world.page({ html });
    const got = await outcome(broken);
    assert.equal(got.outcome, "load_failed");
    assert.match(got.url, /agui\.wasm\.gz$/);
    return broken;
  });
  assert.equal((await outcome(broken)).outcome, "complete", "and then it is whole");
  assert.deepEqual(broken.uncaught, []);
  await broken.done();
  const old = await world.page({
    html: `${head}<script>delete globalThis.DecompressionStream</script><script src="/agui.js" data-wasm="/agui.wasm.gz"></script>`,
  });
  const got = await outcome(old);
  assert.equal(got.outcome, "load_failed");
  assert.match(got.message, /unpack.*serve agui\.wasm/);
  await old.done();
});

// Another Go program.

test("beside another Go program with the toolchain's own wasm_exec.js, before it, after it and dying",
  { timeout: 240000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "other-"));
  let other, exec;
  try {
    writeFileSync(join(folder, "go.mod"), "module other\n\ngo 1.26\n");
    writeFileSync(join(folder, "main.go"), `package main

import (
	"os"
	"syscall/js"
	"time"
)

func main() {
	ticks := 0
	js.Global().Set("otherTicks", js.FuncOf(func(js.Value, []js.Value) any { return ticks }))
	js.Global().Set("otherDie", js.FuncOf(func(js.Value, []js.Value) any { os.Exit(7); return nil }))
	println("the other program's own words")
	for {
		time.Sleep(20 * time.Millisecond)
		ticks++
	}
}
`);
    execFileSync("go", ["build", "-ldflags=-s -w", "-o", "other.wasm", "."], {
      cwd: folder, env: { ...process.env, GOOS: "js", GOARCH: "wasm", GOFLAGS: "", GOWORK: "off" },
    });
    other = readFileSync(join(folder, "other.wasm"));
    const goroot = execFileSync("go", ["env", "GOROOT"]).toString().trim();
    exec = readFileSync(join(goroot, "lib/wasm/wasm_exec.js"));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const begin = `<script src="/wasm_exec.js"></script><script>
    globalThis.otherGo = new Go(); otherGo.exit = (code) => { globalThis.otherExit = code; };
    globalThis.otherRuns = WebAssembly.instantiateStreaming(fetch("/other.wasm"), otherGo.importObject).then(({ instance }) => void otherGo.run(instance));
  </script>`;
  const ours = `<script src="/agui.js"></script>`;
  await serving(world.site, "/other.wasm", { "content-type": "application/wasm" }, other,
    () => serving(world.site, "/wasm_exec.js", { "content-type": "text/javascript" }, exec, async () => {
    for (const html of [begin + ours, ours + begin]) {
      const page = await world.page({ html: head + html });
      const url = agent.reply({ body: good });
      const got = await page.evaluate(async (url) => {
        await otherRuns;
        await T.until(() => typeof otherTicks === "function" && otherTicks() > 2, 0);
        const between = otherTicks();
        const first = await Promise.all(Array.from({ length: 5 }, () => T.run({}, { url })));
        await T.until(() => otherTicks() > between + 2, 0);
        const go = globalThis.Go === otherGo.constructor;
        otherDie();
        await T.sleep(50);
        const second = await T.run({}, { url });
        return { outcomes: first.map((g) => g.outcome), second: second.outcome, go, exit: globalThis.otherExit };
      }, url);
      assert.deepEqual(got, { outcomes: Array(5).fill("complete"), second: "complete", go: true, exit: 7 });
      // What the other program prints is its own.
      assert.ok(page.consoled.some((line) => line.includes("the other program's own words")));
      assert.deepEqual(page.uncaught.filter((error) => !/already exited/.test(error)), []);
      await page.done();
    }
  }));
});
