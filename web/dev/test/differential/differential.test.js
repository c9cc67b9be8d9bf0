// The differential test: seeded streams through @ag-ui/client 1.0.0 and through this runtime, in one page.
//
// AGUI_DIFFERENTIAL=100000 compares that many streams (3,000 where absent), AGUI_SEED=7 takes others (1 where absent).

import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { start } from "../harness/browser.js";
import { DIFFERENCES } from "./differences.js";

const streams = Number(process.env.AGUI_DIFFERENTIAL ?? 3000);
const seed = Number(process.env.AGUI_SEED ?? 1);
const BATCH = 500; // streams per call into the page, so that progress shows

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

test(`${streams} streams of seed ${seed}: the same as the reference but for the named differences`, async (t) => {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL("page.js", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    logLevel: "warning",
  });
  const page = await world.page();
  await page.addScriptTag({ content: bundle.outputFiles[0].text });
  const total = { streams: 0, skipped: 0, hits: {}, outcomes: {}, kinds: {} };
  const add = (into, from) => {
    for (const key of Object.keys(from)) into[key] = (into[key] ?? 0) + from[key];
  };
  for (let from = 0; from < streams; from += BATCH) {
    const report = await page.evaluate((options) => globalThis.differential(options), {
      seed, from, count: Math.min(BATCH, streams - from),
    });
    total.streams += report.streams;
    total.skipped += report.skipped;
    add(total.hits, report.hits);
    add(total.outcomes, report.outcomes);
    add(total.kinds, report.kinds);
    for (const f of report.failures) {
      t.diagnostic(
        `stream ${f.number}: ${f.difference}\n  input ${JSON.stringify(f.input)}\n  ${f.events.map((e) => JSON.stringify(e)).join("\n  ")}`);
    }
    assert.equal(report.failures.length, 0, `${report.failures.length} streams differ; the shortest forms are above`);
  }
  assert.equal(total.streams, streams);
  assert.ok(total.skipped <= streams / 100, `${total.skipped} streams broke other rules than those that are mended`);
  t.diagnostic(`seed ${seed}, ${total.streams} streams`);
  t.diagnostic(`outcomes of the reference: ${JSON.stringify(total.outcomes)}`);
  t.diagnostic(`what they held: ${JSON.stringify(total.kinds)}`);
  t.diagnostic(`named differences: ${JSON.stringify(total.hits)}`);
  if (streams >= 3000) {
    for (const name of Object.keys(DIFFERENCES)) {
      if (name !== "id used once") // node.js alone knows where
      assert.ok(total.hits[name] > 0, `no stream needed the difference "${name}"`);
    }
  }
  await page.done();
});
