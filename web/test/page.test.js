// The first page, served by the dev server with its demo agent, and by a host that only serves files.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { start } from "./harness/browser.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {import("node:child_process").ChildProcess} */
let server;
let origin = "";
before(async () => {
  world = await start();
  const { execFileSync } = await import("node:child_process");
  execFileSync("go", ["build", "-o", "build/serve", "./web/serve"], { cwd: root });
  server = spawn(`${root}build/serve`, ["-port", "0"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  origin = await new Promise((resolve, reject) => {
    let out = "";
    server.stdout?.on("data", (data) => {
      out += data;
      const found = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(out);
      if (found) resolve(found[1]);
    });
    server.on("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });
});
after(async () => {
  server?.kill();
  await world?.stop();
});

async function send(page, text) {
  await page.fill("#message", text);
  await page.press("#message", "Enter");
}

test("send a message, read the answer", async () => {
  const page = await world.page({ origin, path: "/" });
  await page.waitForSelector("body[data-ready]");
  assert.match(await page.textContent("#source"), /\/agent/);
  await send(page, "Good morning");
  await page.waitForFunction(() => [...document.querySelectorAll("#conversation li")].some((li) => /“Good morning”.*help/s.test(li.textContent)), null, { timeout: 15000 });
  await page.waitForSelector("#send:not([hidden])");
  assert.ok(Number(await page.textContent("#count")) > 5);
  assert.equal(await page.locator("#failure").isHidden(), true);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("an error is shown", async () => {
  const page = await world.page({ origin, path: "/" });
  await page.waitForSelector("body[data-ready]");
  await send(page, "error");
  await page.waitForFunction(() => /model is not available/.test(document.querySelector("#failure").textContent), null, { timeout: 15000 });
  await page.done();
});

test("without an agent it replays recorded runs and says so", async () => {
  const page = await world.page({ path: "/" });
  await page.waitForSelector("body[data-ready]");
  assert.match(await page.textContent("#source"), /recorded/);
  await send(page, "tool");
  await page.waitForFunction(() => /21 °C/.test(document.querySelector("#conversation").textContent), null, { timeout: 20000 });
  await page.done();
});

test("the dev server sends the WebAssembly compressed and with its type", async () => {
  const response = await fetch(`${origin}/agui.wasm`, { headers: { "accept-encoding": "br" } });
  assert.equal(response.headers.get("content-type"), "application/wasm");
  assert.equal(response.headers.get("content-encoding"), "br");
  await response.arrayBuffer();
});
