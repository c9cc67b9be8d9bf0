// What a slow device on a slow network sees: a processor slowed 6 times, 1.6 Mbit/s down, 750 kbit/s up, 150 ms a round
// trip (Chromium's emulation). Time from the navigation to ready and to the first event of a run that the page starts
// at once, beside @ag-ui/client 1.0.0; at a first visit, and at one with the files in the cache. No budget: the figures
// go into the README as they are. Argument: how many visits to take the median of (5).
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { start } from "../test/harness/browser.js";
import { faultServer, finished, sse, started, text } from "../test/harness/faults.js";
import { root } from "../test/harness/static.js";

const visits = Number(process.argv[2] ?? 5);
const bundled = await build({
  stdin: { contents: "export { HttpAgent } from '@ag-ui/client'", resolveDir: `${root}web` },
  bundle: true, minify: true, format: "iife", globalName: "reference", target: "es2022", write: false,
  logLevel: "error",
});
const world = await start();
const agent = await faultServer();
const url = agent.reply({ body: sse(started, ...text("m", "hi"), finished) });

/** Serves a file as a host should: brotli, kept for a year. */
const serve = (/** @type {string} */ path, /** @type {string} */ type, /** @type {Buffer} */ packed) =>
  world.site.override(path, (_request, response) => {
  response.writeHead(200, {
    "content-type": type, "content-encoding": "br", "cache-control": "public, max-age=31536000, immutable",
    "content-length": packed.length,
  });
  response.end(packed);
});
const packed = {
  "agui.js": readFileSync(`${root}dist/agui.js.br`), "agui.wasm": readFileSync(`${root}dist/agui.wasm.br`),
  "reference.js": brotliCompressSync(bundled.outputFiles[0].contents),
};
serve("/agui.js", "text/javascript", packed["agui.js"]);
serve("/agui.wasm", "application/wasm", packed["agui.wasm"]);
serve("/reference.js", "text/javascript", packed["reference.js"]);

const head = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">`;
const pages = {
  ours: world.site.put(`${head}<script src="/agui.js"></script><script>
    globalThis.times = {};
    agui.ready.then(() => { times.ready = performance.now(); });
    agui.run({ messages: [{ id: "1", role: "user", content: "Hi" }] }, { url: "${url}" }).subscribe(() => { times.event ??= performance.now(); });
  </script>`),
  theirs: world.site.put(`${head}<script src="/reference.js"></script><script>
    globalThis.times = {};
    const agent = new reference.HttpAgent({ url: "${url}", initialMessages: [{ id: "1", role: "user", content: "Hi" }] });
    times.ready = performance.now();
    agent.runAgent({}, { onEvent() { times.event ??= performance.now(); } });
  </script>`),
};

/** Visits a page twice: with nothing in the cache, and with everything. */
async function visit(/** @type {"ours" | "theirs"} */ who) {
  const context = await world.browser.newContext();
  const times = [];
  for (let i = 0; i < 2; i++) {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", {
      offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8,
    });
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 6 });
    await page.goto(world.site.origin + pages[who], { waitUntil: "commit", timeout: 120000 });
    await page.waitForFunction(() => globalThis.times?.ready && globalThis.times?.event, undefined,
      { timeout: 120000, polling: 200 });
    times.push(await page.evaluate(() => globalThis.times));
    await page.close();
  }
  await context.close();
  return times;
}

const median = (/** @type {number[]} */ values) => values.sort((a, b) => a - b)[values.length >> 1];
const s = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(2)} s`;
/** @type {Record<string, any[][]>} */
const all = { ours: [], theirs: [] };
try {
  for (let i = 0; i < visits; i++) {
    for (const who of /** @type {const} */ (["ours", "theirs"])) all[who].push(await visit(who));
  }
} finally {
  await world.stop();
  await agent.close();
}
const kb = (/** @type {number} */ n) => `${(n / 1000).toFixed(0)} KB`;
console.log(`processor slowed 6 times, 1.6 Mbit/s, 150 ms a round trip; median of ${visits}`);
console.log("| | aguiwasm | @ag-ui/client 1.0.0 |\n|---|---|---|");
console.log(
  `| download, brotli | ${kb(packed["agui.js"].length + packed["agui.wasm"].length)} | ${kb(packed["reference.js"].length)} |`);
for (const [i, when] of ["first visit", "files in the cache"].entries()) {
  for (const [name, what] of [["ready", "to ready"], ["event", "to the first event"]]) {
    const of = (/** @type {string} */ who) => s(median(all[who].map((times) => times[i][name])));
    console.log(`| ${when}: navigation ${what} | ${of("ours")} | ${of("theirs")} |`);
  }
}
