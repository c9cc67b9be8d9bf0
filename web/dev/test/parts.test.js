// The files of ours that load when they are used: agui.chat.js, by a script tag, by import, under policies and with
// hashes.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { start } from "./harness/browser.js";
import { root, serveDist } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof start>>["site"]} */
let cdn;
before(async () => {
  [world, cdn] = await Promise.all([start(), serveDist()]);
});
after(() => Promise.all([world?.stop(), cdn?.close()]));

const dist = (/** @type {string} */ name) => readFileSync(`${root}dist/${name}`, "utf8");
const sums = () => JSON.parse(dist("integrity.json"));
const head = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="a"></div><div id="b"></div>`;

/** Mounts in #a; gives "ready" or the error's code and message. */
const mounted = (/** @type {any} */ page, where = "#a") => page.evaluate((/** @type {string} */ where) => {
  const { ready } = globalThis.agui.mount(where, { url: "/agent" });
  return ready.then(() => (document.querySelector(where)?.shadowRoot?.querySelector("textarea") ? "ready"
    : "nothing drawn"), (/** @type {any} */ e) => `${e.name} ${e.code}: ${e.message}`);
}, where);

/** Serves a path otherwise while f runs. */
async function serving(/** @type {typeof world.site} */ site, /** @type {string} */ path,
  /** @type {(response: any) => void} */ handler, /** @type {() => Promise<void>} */ f) {
  let asked = 0;
  site.override(path, (_request, response) => {
    asked++;
    handler(response);
  });
  try {
    await f();
  } finally {
    site.override(path, undefined);
  }
  return asked;
}

const count = (/** @type {typeof world.site} */ site, /** @type {string} */ path) =>
  site.requests.filter((r) => r.path === path).length;

test("a run needs no part; two chats load it once, from where agui.js is", async () => {
  cdn.requests.length = 0;
  const page = await world.page({ html: `${head}<script src="${cdn.origin}/agui.js"></script>` });
  await page.evaluate(() => globalThis.agui.ready);
  assert.equal(count(cdn, "/agui.chat.js"), 0);
  assert.deepEqual(await Promise.all([mounted(page, "#a"), mounted(page, "#b")]), ["ready", "ready"]);
  assert.equal(count(cdn, "/agui.chat.js"), 1);
  await page.waitForFunction(() => document.querySelectorAll("script").length === 1); // the parts' tags are taken away
  await page.done();
});

test("the part is asked for before agui.wasm has come", async () => {
  const page = await world.page({ html: head });
  await serving(world.site, "/agui.wasm", () => {}, async () => {
    world.site.requests.length = 0;
    await page.addScriptTag({ url: "/agui.js" });
    await page.evaluate(() => void globalThis.agui.mount("#a", { url: "/agent" }));
    for (let i = 0; i < 200 && count(world.site, "/agui.chat.js") === 0; i++) await page.waitForTimeout(10);
    assert.equal(count(world.site, "/agui.chat.js"), 1);
  });
  await page.done();
});

test("as a module, under a policy with a nonce and no host", async () => {
  const page = await world.page({
    html: `${head}<script type="module" nonce="n1">import * as agui from "/agui.mjs"; globalThis.agui = agui;</script>`,
    headers: { "content-security-policy": "script-src 'nonce-n1' 'wasm-unsafe-eval'" },
  });
  await page.waitForFunction(() => "agui" in globalThis);
  assert.equal(await mounted(page), "ready");
  const tagged = await world.page({
    html: `${head}<script src="/agui.js" nonce="n1"></script>`,
    headers: { "content-security-policy": "script-src 'nonce-n1' 'wasm-unsafe-eval'" },
  });
  assert.equal(await mounted(tagged), "ready");
  await Promise.all([page.done(), tagged.done()]);
});

test("Trusted Types that allow nothing", async () => {
  const page = await world.page({
    html: `${head}<script src="/agui.js"></script>`, headers: {
      "content-security-policy": "require-trusted-types-for 'script'; trusted-types 'none'",
    },
  });
  assert.equal(await mounted(page), "ready");
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a page that pins agui.js or agui.wasm has the part pinned; one that does not, does not", async () => {
  const other = `${dist("agui.chat.js")}\n// a host's own line`;
  const answer = (/** @type {any} */ response) =>
    response.writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" }).end(other);
  for (const attributes of [`crossorigin integrity="${sums()["agui.js"]}"`,
    `crossorigin data-wasm-integrity="${sums()["agui.wasm"]}"`]) {
    const page = await world.page({ html: `${head}<script src="${cdn.origin}/agui.js" ${attributes}></script>` });
    await serving(cdn, "/agui.chat.js", answer,
      async () => assert.match(await mounted(page), /^AGUIError load_failed: .*agui\.chat\.js.*hash/));
    assert.equal(await mounted(page), "ready", "and then it is right");
    await page.done();
  }
  const page = await world.page({ html: `${head}<script src="${cdn.origin}/agui.js"></script>` });
  await serving(cdn, "/agui.chat.js", answer, async () => assert.equal(await mounted(page), "ready"));
  await page.done();
});

const broken = [
  ["no file", (/** @type {any} */ r) => r.writeHead(404).end(),
    /load_failed: http.*\/agui\.chat\.js could not be loaded/],
  ["a page in its place", (/** @type {any} */ r) => r.writeHead(200, { "content-type": "text/html" })
    .end("<!doctype html>"), /load_failed: .*agui\.chat\.js/],
  ["another version", (/** @type {any} */ r) => r.writeHead(200, { "content-type": "text/javascript" })
    .end(dist("agui.chat.js").replaceAll('"0.1.0"', '"0.0.9"')),
    /is not the agui\.chat\.js of version 0\.1\.0.*upload all of them/],
];
for (const [what, handler, says] of /** @type {[string, (r: any) => void, RegExp][]} */ (broken)) {
  test(`${what}: load_failed where the chat would be, and the next mount tries again`, async () => {
    const page = await world.page({ html: `${head}<script src="/agui.js"></script>` });
    await serving(world.site, "/agui.chat.js", handler, async () => {
      assert.match(await mounted(page), says);
      assert.match(await page.evaluate(() =>
        document.querySelector("#a")?.shadowRoot?.querySelector("[role=alert]")?.textContent ?? ""), /agui\.chat\.js/);
    });
    assert.equal(await mounted(page), "ready");
    await page.done();
  });
}

test("partsUrl names another folder", async () => {
  const page = await world.page({
    html: `${head}<script src="/agui.js"></script><script>agui.configure({ partsUrl: "${cdn.origin}" })</script>`,
  });
  cdn.requests.length = world.site.requests.length = 0;
  assert.equal(await mounted(page), "ready");
  assert.deepEqual([count(cdn, "/agui.chat.js"), count(world.site, "/agui.chat.js")], [1, 0]);
  await page.done();
});

test("what an agent tells before the part has come is not lost", async () => {
  const page = await world.page({ html: `${head}<script src="/agui.js"></script>` });
  /** @type {any} */
  let held;
  await serving(world.site, "/agui.chat.js", (response) => (held = response), async () => {
    await page.evaluate(() => {
      const agent = new globalThis.agui.HttpAgent({ url: "/none" });
      globalThis.m = globalThis.agui.mount("#a", { agent });
      return agent.runAgent().catch(() => {});
    });
    for (let i = 0; i < 200 && !held; i++) await page.waitForTimeout(10);
    held.writeHead(200, { "content-type": "text/javascript" }).end(dist("agui.chat.js"));
    await page.evaluate(() => globalThis.m.ready);
  });
  await page.locator("#a .error").waitFor();
  await page.done();
});
