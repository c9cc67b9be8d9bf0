// The conformance cases and the recordings of real servers, through the public API: the body in chunks of 16 KiB,
// byte by byte, and cut at random.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { start } from "./harness/browser.js";
import { root } from "./harness/static.js";

const data = "wasm/session/testdata";
const cases = JSON.parse(readFileSync(`${root}${data}/conformance/cases.json`, "utf8"));
const recorded = "web/dev/demo/testdata/traces";
const traces = readdirSync(root + recorded).filter((name) => name.endsWith(".json")).sort();

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

for (const cut of [16384, "every-byte", "random"]) {
  test(`conformance cases, cut ${cut}`, async (t) => {
    const page = await world.page();
    // The page reads the cases itself: half surrogates would not survive the way through the debugger.
    const faults = await page.evaluate(async ([url, cut]) => {
      const cases = await (await fetch(url)).json();
      const faults = [];
      for (const test of cases) faults.push(await T.check(test, cut));
      return faults;
    }, [`/${data}/conformance/cases.json`, cut]);
    assert.equal(faults.length, cases.length);
    for (const [index, fault] of faults.entries()) {
      const { kind, name, verify } = cases[index];
      await t.test(`${kind}: ${name}${verify ? ` (${verify})` : ""}`, () => assert.equal(fault, ""));
    }
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
  test(`recordings, cut ${cut}`, async (t) => {
    const page = await world.page();
    for (const name of traces) {
      await t.test(name, async () => {
        const fault = await page.evaluate(async ([url, cut]) => T.check(await (await fetch(url)).json(), cut),
          [`/${recorded}/${name}`, cut]);
        assert.equal(fault, "");
      });
    }
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}
