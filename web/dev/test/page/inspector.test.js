// The inspector: filter, pause, the raw event, the tree's flashes, 20,000 events without stutter.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { figure, idle, messages, perform, press, send, shows, startPage, state, types } from "./open.js";

let world;
before(async () => {
  world = await startPage();
});
after(() => world?.stop());

const rows = (page) => page.$$eval("#events [data-row]:not([hidden])", (list) =>
  list.sort((a, b) => a.at - b.at).map((row) => ({
    at: row.at, type: row.querySelector(".type").textContent, size: row.querySelector(".size").textContent,
  })));

test("a click shows the raw event, and the size is its own", async () => {
  const page = await world.open();
  await perform(page, "tool");
  await page.focus("#events");
  await page.keyboard.press("Home");
  let [first] = await rows(page);
  // The list is drawn a frame after it was scrolled.
  for (let tries = 0; first.type !== "RUN_STARTED" && tries < 100; tries++) {
    await page.waitForTimeout(50);
    [first] = await rows(page);
  }
  const raw = JSON.parse(await page.textContent("#raw-text"));
  assert.equal(raw.type, "RUN_STARTED");
  assert.match(raw.runId, /^[0-9a-f-]{36}$/);
  assert.equal(first.size, `${JSON.stringify(raw).length} B`);
  await page.locator("#events [data-row]", { hasText: "TOOL_CALL_RESULT" }).click();
  assert.equal(JSON.parse(await page.textContent("#raw-text")).content,
    '{"now": 21, "sky": "clear", "next": [22, 19, 20]}');
  await page.click("#raw-close");
  assert.equal(await page.isVisible("#raw"), false);
  await page.done();
});

test("the types close by Escape and by a click elsewhere", async () => {
  const page = await world.open();
  assert.equal(await page.isVisible("#events"), false); // no empty box under "No events yet"
  await perform(page, "history");
  const snapshot = page.locator("#events [data-row]:not([hidden])", { hasText: "MESSAGES_SNAPSHOT" });
  assert.match(await snapshot.locator(".preview").textContent(), /role: "assistant"/);
  const open = () => page.$eval("#filter", (/** @type {any} */ details) => details.open);
  await page.click("#filter-title");
  await page.focus("#types-none");
  await page.keyboard.press("Escape");
  assert.equal(await open(), false);
  assert.equal(await page.evaluate(() => document.activeElement.id), "filter-title");
  await page.keyboard.press("Enter");
  assert.equal(await open(), true);
  await page.click("#inspector h2");
  assert.equal(await open(), false);
  await page.done();
});

test("the state comes forward for what is about it, and the tab from before returns", async () => {
  const page = await world.open();
  const tab = () => page.$eval("[role=tab][aria-selected=true]", (element) => element.id);
  await perform(page, "plan");
  assert.equal(await tab(), "tab-state");
  await perform(page, "text");
  assert.equal(await tab(), "tab-events");
  await page.click("#tab-state");
  await perform(page, "text");
  assert.equal(await tab(), "tab-state"); // chosen by hand: it stays
  await page.done();
});

test("the filter hides and shows types", async () => {
  const page = await world.open();
  await perform(page, "tool");
  const all = await types(page);
  await page.click("#filter-title");
  await page.click("#types-none");
  assert.deepEqual(await rows(page), []);
  await page.locator("#types label", { hasText: "TOOL_CALL_ARGS" }).click();
  let shown = await rows(page);
  assert.equal(shown.length, all.TOOL_CALL_ARGS);
  assert.ok(shown.every(({ type }) => type === "TOOL_CALL_ARGS"));
  assert.match(await page.textContent("#filter-title"), /1 of \d+/);
  // What comes later goes through the filter too.
  await page.click("#filter-title");
  await perform(page, "tool");
  await page.focus("#events");
  await page.keyboard.press("End");
  shown = await rows(page);
  assert.ok(shown.every(({ type }) => type === "TOOL_CALL_ARGS"));
  assert.equal(shown.at(-1).at, 2 * all.TOOL_CALL_ARGS - 1);
  assert.match(await page.textContent("#raw-text"), /"TOOL_CALL_ARGS"/);
  await page.click("#filter-title");
  await page.click("#types-all");
  await page.click("#filter-title");
  await page.focus("#events");
  await page.keyboard.press("End");
  assert.equal((await rows(page)).at(-1).type, "RUN_FINISHED");
  await page.done();
});

test("a pause holds the list, not the run", async () => {
  const page = await world.open({ path: "/" });
  await press(page, "text");
  await page.waitForFunction(() => document.querySelectorAll("#events [data-row]:not([hidden])").length > 4);
  await page.click("#pause");
  assert.equal(await page.getAttribute("#pause", "aria-pressed"), "true");
  const size = () => page.locator("#events [data-row]:not([hidden])").first().getAttribute("aria-setsize");
  const before = Number(await size());
  await page.waitForFunction(() => /\d/.test(document.querySelector("#waiting").textContent));
  await idle(page);
  assert.equal(Number(await size()), before);
  const all = await figure(page, "events");
  assert.ok(all > before + 50, `${all} after ${before}`);
  assert.equal(await page.textContent("#waiting"), `${all - before} new`);
  await page.click("#pause");
  assert.equal(Number(await size()), all);
  assert.equal(await page.textContent("#waiting"), "");
  await page.done();
});

test("the tree flashes what changed and nothing else", async () => {
  const page = await world.open({ path: "/" });
  await page.click("#tab-state");
  await page.evaluate(() => {
    globalThis.flashed = new Set();
    new MutationObserver((list) => {
      for (const { target } of list) if (target.dataset.flash) globalThis.flashed.add(target.dataset.path);
    }).observe(document.querySelector("#tree"), { subtree: true, attributes: true, attributeFilter: ["data-flash"] });
  });
  await press(page, "plan");
  await idle(page);
  const flashed = await page.evaluate(() => [...globalThis.flashed]);
  assert.ok(flashed.includes("/plan/done") && flashed.includes("/plan/steps/4/status"), String(flashed));
  assert.ok(!flashed.includes("/plan/title"), String(flashed));
  await page.done();
});

test("the tree opens and closes by click and by key", async () => {
  const page = await world.open();
  await perform(page, "plan");
  assert.ok("/plan/steps/0/text" in (await state(page)));
  await page.locator('#tree [data-path="/plan/steps"]').click();
  assert.ok(!("/plan/steps/0" in (await state(page))));
  await page.focus("#tree");
  await page.keyboard.press("ArrowRight");
  assert.ok("/plan/steps/0/text" in (await state(page)));
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(Object.keys(await state(page)), ["/plan"]);
  assert.equal(await page.locator('#tree [data-path="/plan"]').getAttribute("aria-expanded"), "false");
  await page.done();
});

test("warnings are listed", async () => {
  const page = await world.open({
    prepare: (page) => page.route("**/odd", (route) => route.fulfill({
      contentType: "text/event-stream",
      body: [{ type: "RUN_STARTED", threadId: "t", runId: "r" }, {
        type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "No start",
      },
        { type: "WHAT_IS_THIS" }, { type: "RUN_FINISHED", threadId: "t", runId: "r" }].map((e) =>
          `data: ${JSON.stringify(e)}\n\n`).join(""),
    })),
    path: "/?agent=odd",
  });
  await send(page, "x");
  await shows(page, "No start");
  await idle(page);
  await page.click("#tab-warnings");
  const codes = await page.$$eval("#warnings code", (list) => list.map((code) => code.textContent));
  assert.ok(codes.includes("repaired") && codes.includes("unknown_event"), String(codes));
  assert.equal(Number(await page.textContent("#count-warnings")), codes.length);
  assert.equal((await types(page)).WHAT_IS_THIS, 1);
  await page.done();
});

test("the state says when a delta failed, until the next snapshot", async () => {
  const bodies = [
    [{ type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, { type: "STATE_DELTA", delta: [{ op: "remove", path: "/gone" }] }],
    [{ type: "STATE_SNAPSHOT", snapshot: { n: 2 } }],
  ].map((events) => [{ type: "RUN_STARTED", threadId: "t", runId: "r" }, ...events, {
    type: "RUN_FINISHED", threadId: "t", runId: "r",
  }]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  const page = await world.open({
    prepare: (page) => page.route("**/odd",
      (route) => route.fulfill({ contentType: "text/event-stream", body: bodies.shift() })),
    path: "/?agent=odd",
  });
  await page.click("#tab-state");
  for (const [n, words] of [[1, /out of sync/], [2, /^in sync$/]]) {
    await send(page, "x");
    await page.locator('#tree [data-path="/n"] .value').filter({ hasText: String(n) }).waitFor();
    await idle(page);
    await page.waitForTimeout(50);
    assert.match(await page.textContent("#sync"), words);
  }
  assert.equal((await types(page)).STATE_SNAPSHOT, 2);
  await page.done();
});

test("20,000 events without stutter", async () => {
  const page = await world.open();
  await perform(page, "text"); // what is compiled once does not count
  await page.click("#clear");
  // The processor's time of each task, not the clock's: other programs may run beside the test.
  await world.world.browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await perform(page, "flood", 60_000);
  await page.waitForTimeout(200);
  assert.equal(await figure(page, "events"), 20_000);
  const drawn = await page.locator("#events [data-row]").count();
  assert.ok(drawn < 100, `${drawn} rows exist`);
  // Up, down and through the list.
  await page.focus("#events");
  for (const key of ["Home", "PageDown", "PageDown", "End", "PageUp"]) await page.keyboard.press(key);
  await page.evaluate(async () => {
    const list = document.querySelector("#events");
    for (let n = 0; n < 40; n++) {
      list.scrollTop = (list.scrollHeight / 40) * n;
      await new Promise(requestAnimationFrame);
    }
  });
  await page.click("#filter-title");
  await page.locator("#types label", { hasText: "TEXT_MESSAGE_CONTENT" }).click();
  // The list is drawn a frame after what it shows was chosen.
  await page.waitForFunction(() => document.querySelectorAll("#events [data-row]:not([hidden])").length === 4,
    undefined, { timeout: 5000 });
  const { traceEvents } = JSON.parse(await world.world.browser.stopTracing());
  const main = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = traceEvents.filter(({ name, pid, tid, tdur }) => name === "RunTask" && tdur > 0 &&
    main.includes(`${pid} ${tid}`))
    .map(({ tdur }) => tdur / 1000).sort((a, b) => b - a);
  assert.ok(tasks.length > 100, `${tasks.length} tasks were seen`);
  console.log(`longest tasks (ms): ${tasks.slice(0, 8).map(Math.round).join(" ")}`);
  // A share of the whole, which no machine's speed changes.
  const whole = tasks.reduce((sum, each) => sum + each, 0);
  assert.ok(tasks[0] <= whole / 10, `longest tasks: ${tasks.slice(0, 8)} of ${whole}`);
  assert.equal((await messages(page)).at(-1).content.length > 100_000, true);
  await page.done();
});
