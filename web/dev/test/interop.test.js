// Other libraries' Observables: RxJS and the browser's own.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
let rxjs = "";
before(async () => {
  [world, agent] = await Promise.all([start({ args: ["--enable-features=ObservableAPI"] }), faultServer()]);
  const built = await build({
    stdin: { contents: "export * from 'rxjs'", resolveDir: `${root}web` }, bundle: true, format: "iife",
    globalName: "rxjs", write: false,
  });
  rxjs = built.outputFiles[0].text;
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const good = sse(started, ...text("m", "a", "b"), finished);

for (const first of ["rxjs", "agui"]) {
  test(`RxJS from(), ${first} loaded first`, async () => {
    const url = agent.reply({ body: good });
    world.site.override("/rxjs.js", (_request, response) => {
      response.writeHead(200, { "content-type": "text/javascript" });
      response.end(rxjs);
    });
    const tags = [`<script src="/rxjs.js"></script>`, `<script src="/agui.js"></script>`];
    if (first === "agui") tags.reverse();
    const page = await world.page({ html: `<!doctype html><link rel="icon" href="data:,">${tags.join("")}` });
    const got = await page.evaluate(async (url) => {
      const { from, filter, map, toArray, lastValueFrom, take } = rxjs;
      const text = await lastValueFrom(from(agui.run({}, { url }))
        .pipe(filter((e) => e.type === "TEXT_MESSAGE_CONTENT"), map((e) => e.delta), toArray()));
      const taken = await lastValueFrom(from(agui.run({}, { url })).pipe(take(2), toArray()));
      const failed = await lastValueFrom(from(agui.run({}, { url: `${url}-missing` }))).catch((e) => e.code);
      return { text, taken: taken.map((e) => e.type), failed };
    }, url);
    assert.deepEqual(got, { text: ["a", "b"], taken: ["RUN_STARTED", "TEXT_MESSAGE_START"], failed: "http_status" });
    assert.deepEqual(page.uncaught, []);
    await page.done();
  });
}

test("RxJS: take() closes the request", async () => {
  const url = agent.reply({ body: [sse(started), sse(...text("m", "x"))], delay: 50, open: true });
  const page = await world.page();
  await page.addScriptTag({ content: rxjs });
  await page.evaluate((url) => rxjs.lastValueFrom(rxjs.from(agui.run({}, { url })).pipe(rxjs.take(1))), url);
  await agent.cancelled(url);
  await page.done();
});

test("the browser's own Observable.from", async (t) => {
  const url = agent.reply({ body: good });
  const page = await world.page();
  const got = await page.evaluate(async (url) => {
    if (typeof Observable !== "function" || !Observable.from) return null;
    const events = await Observable.from(agui.run({}, { url })).toArray();
    return events.map((e) => e.type);
  }, url);
  await page.done();
  if (!got) return t.skip("this Chromium has no Observable");
  assert.deepEqual(got, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END", "RUN_FINISHED"]);
});
