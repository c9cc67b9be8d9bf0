// dist/ as a package for npm: packed, judged by publint and arethetypeswrong, and used from Vite, from a page without a
// bundler, and from Node.js.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer as createFileServer } from "node:http";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { build, createServer } from "vite";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";

const run = promisify(execFile);
const good = sse(started, ...text("m", "Hello", " world"), finished);

let folder = "";
/** @type {Buffer} */
let tarball;
/** @type {string[]} */
let packed = [];
/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "agui-package-"));
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    { cwd: join(root, "dist") });
  const [{ filename, files }] = JSON.parse(stdout);
  packed = files.map((/** @type {{path: string}} */ file) => file.path).sort();
  tarball = readFileSync(join(folder, filename));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", `./${filename}`],
    { cwd: folder });
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(async () => {
  await Promise.all([world?.stop(), agent?.close()]);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("what is packed", () => {
  const parts = readdirSync(join(root, "dist")).filter((name) => /^agui\.[a-z]+\.js$/.test(name));
  const twins = existsSync(join(root, "dist/agui.wasm.br")) ? ["agui.wasm.br", "agui.wasm.gz"] : [];
  assert.deepEqual(packed, [
    "NOTICES.txt", "README.md", ...parts, "agui.compat.d.ts", "agui.compat.mjs", "agui.compat.node.mjs", "agui.d.ts",
    "agui.global.d.ts", "agui.js", "agui.mjs", "agui.node.mjs", "agui.wasm", ...twins,
    "integrity.json", "package.json",
  ].sort());
  const { version } = JSON.parse(readFileSync(join(root, "web/package.json"), "utf8"));
  const manifest = JSON.parse(readFileSync(join(folder, "node_modules/aguiwasm/package.json"), "utf8"));
  assert.equal(manifest.version, version);
  assert.equal(manifest.dependencies, undefined);
});

test("publint finds nothing", async () => {
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
  assert.deepEqual(messages.map((message) => formatMessage(message, pkg)), []);
});

test("arethetypeswrong finds nothing", async () => {
  // agui.wasm is no script, so it has no types.
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)),
    { excludeEntrypoints: ["./agui.wasm", "./package.json"] });
  assert.ok(result.types, "the package has types");
  assert.deepEqual(Object.keys(result.entrypoints).sort(), [".", "./agui.js", "./compat"]);
  // An ES module, and nothing else: require() needs a Node.js that can require one (20.19, 22.12).
  assert.deepEqual(result.problems.filter((problem) => problem.kind !== "CJSResolvesToESM"), []);
});

const program = (/** @type {string} */ more) => `
  import { run, version${more.includes("configure") ? ", configure" : ""} } from "aguiwasm";
  ${more}
  const events = [];
  run({}, { url: ${JSON.stringify("AGENT")} }).subscribe({
    next: (event) => events.push(event.type),
    error: (error) => { globalThis.outcome = { error: error.code + ": " + error.message }; },
    complete() { globalThis.outcome = { events, text: this.messages?.[0]?.content, version }; },
  });
`;

/** A project of its own inside the folder, with a page that runs the agent. */
function project(/** @type {string} */ name, more = "") {
  const at = join(folder, name);
  mkdirSync(at);
  const url = agent.reply({ body: good });
  writeFileSync(join(at, "index.html"),
    `<!doctype html><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>`);
  writeFileSync(join(at, "main.js"), program(more).replace("AGENT", url));
  writeFileSync(join(at, "package.json"), JSON.stringify({ private: true, type: "module" }));
  mkdirSync(join(at, "node_modules"));
  cpSync(join(folder, "node_modules/aguiwasm"), join(at, "node_modules/aguiwasm"), { recursive: true });
  return at;
}

/** Opens a page and checks that its run went well. */
async function works(/** @type {string} */ origin) {
  const page = await world.page({ origin, path: "/" });
  await page.waitForFunction(() => /** @type {any} */ (globalThis).outcome, null, { timeout: 60000 });
  const outcome = await page.evaluate(() => /** @type {any} */ (globalThis).outcome);
  assert.deepEqual(outcome.events, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END", "RUN_FINISHED"], outcome.error);
  assert.deepEqual(page.uncaught, []);
  await page.done();
}

/** Serves a folder. */
async function served(/** @type {string} */ at, /** @type {(origin: string) => Promise<void>} */ use) {
  const types = {
    ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
  };
  const server = createFileServer((request, response) => {
    const file = join(at, new URL(request.url ?? "/", "http://x").pathname.replace(/\/$/, "/index.html"));
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[/** @type {keyof typeof types} */ (extname(file))] ??
      "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  try {
    await use(`http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const named = `import wasmUrl from "aguiwasm/agui.wasm?url"; configure({ wasmUrl });`;

for (const [name, more] of [["plain", ""], ["named", named]]) {
  test(`Vite, development server, agui.wasm ${name}`, async () => {
    const server = await createServer({
      root: project(`dev-${name}`, more), configFile: false, logLevel: "error", server: { host: "127.0.0.1", port: 0 },
    });
    try {
      await server.listen();
      await works(`http://127.0.0.1:${/** @type {any} */ (server.httpServer?.address()).port}`);
    } finally {
      await server.close();
    }
  });

  test(`Vite, build, agui.wasm ${name}`, async () => {
    const at = project(`build-${name}`, more);
    await build({ root: at, configFile: false, logLevel: "error" });
    const assets = readdirSync(join(at, "dist/assets"));
    assert.equal(assets.filter((asset) => asset.endsWith(".wasm")).length, 1, `one agui.wasm: ${assets}`);
    await served(join(at, "dist"), works);
  });
}

test("a page without a bundler", async () => {
  const at = project("plain");
  const html = readFileSync(join(at, "index.html"), "utf8");
  const map = { imports: { aguiwasm: "/node_modules/aguiwasm/agui.mjs" } };
  writeFileSync(join(at, "index.html"),
    html.replace("<script", `<script type="importmap">${JSON.stringify(map)}</script><script`));
  await served(at, works);
});

test("Node.js: import", async () => {
  const at = project("node");
  writeFileSync(join(at, "show.js"),
    `import "./main.js"; process.on("exit", () => console.log(JSON.stringify(globalThis.outcome)));`);
  // It ends by itself: nothing of the runtime keeps the process alive.
  const { stdout, stderr } = await run(process.execPath, ["show.js"], { cwd: at, timeout: 60000 });
  const outcome = JSON.parse(stdout);
  assert.equal(outcome.events?.length, 6, stdout + stderr);
  assert.equal(stderr, "");
});

test("Node.js: require", async (t) => {
  if (!(/** @type {any} */ (process.features).require_module)) {
    return t.skip("this Node.js cannot require an ES module");
  }
  const at = project("require");
  writeFileSync(join(at, "use.cjs"),
    `const { ready, version } = require("aguiwasm"); ready.then(() => console.log(version));`);
  const { stdout } = await run(process.execPath, ["use.cjs"], { cwd: at, timeout: 60000 });
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test("Node.js: what is missing is said", async () => {
  const at = project("missing");
  rmSync(join(at, "node_modules/aguiwasm/agui.wasm"));
  writeFileSync(join(at, "use.js"),
    `import { ready } from "aguiwasm"; await ready.catch((e) => console.log(e.code, e.message));`);
  const { stdout } = await run(process.execPath, ["use.js"], { cwd: at, timeout: 60000 });
  assert.match(stdout, /^load_failed file:.*agui\.wasm could not be read/);
});
