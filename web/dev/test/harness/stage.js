// What tests of several pages need: a browser, a server that plays faults, and an empty page that ends without uncaught
// errors.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { start } from "./browser.js";
import { faultServer } from "./faults.js";

/** Begins both before a file's tests and ends them behind. */
export function stage() {
  /** @type {{world: Awaited<ReturnType<typeof start>>, server: Awaited<ReturnType<typeof faultServer>>}} */
  const there = /** @type {any} */ ({});
  before(async () => {
    [there.world, there.server] = await Promise.all([start(), faultServer()]);
  });
  after(() => Promise.all([there.world?.stop(), there.server?.close()]));
  return there;
}

/**
 * @param {ReturnType<typeof stage>} there
 * @param {(page: any) => Promise<void>} f
 */
export async function onPage({ world }, f) {
  const page = await world.page({ path: "/test/plain.html" });
  try {
    await f(page);
    assert.deepEqual(page.uncaught, []);
  } finally {
    await page.done();
  }
}

/**
 * Waits in a page until something is so.
 * @param {any} page
 * @param {any} f
 * @param {{arg?: any, seen?: () => unknown}} [how] seen: what the error shows of the page
 */
export async function until(page, f, { arg, seen = () => null } = {}) {
  for (const end = Date.now() + 20000; !await page.evaluate(f,
    arg); await new Promise((resolve) => setTimeout(resolve, 5))) {
    if (Date.now() > end) throw new Error(`never so: ${f}; ${JSON.stringify(await page.evaluate(seen))}`);
  }
}
