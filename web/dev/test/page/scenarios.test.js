// Each ability of the demo agent, from the button to the snapshots.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { alert, asked, figure, idle, messages, perform, press, send, shows, startPage, state, types } from "./open.js";

let world;
before(async () => {
  world = await startPage();
});
after(() => world?.stop());

const tool = (list, name) => list.flatMap((message) => message.toolCalls ?? [])
  .find((call) => call.function.name === name);
const result = (list, call) =>
  list.find((message) => message.role === "tool" && message.toolCallId === call.id)?.content;
const said = (list) => list.filter(({ role }) => role === "assistant").map(({ content }) => content ?? "").join("\n");
const roles = (list) => list.map(({ role }) => role).join(" ");

/** What stands in the snapshots after each ability. */
const expected = {
  help: (list) => assert.match(said(list), /\*\*flood\*\*/),
  text: (list) => assert.match(said(list), /^## Text comes[\s\S]*世界, Ελλάδα, עברית, नमस्ते, 👩‍🚀\.\n$/),
  reasoning(list) {
    assert.equal(roles(list), "user reasoning assistant");
    assert.match(list[1].content, /^The person wants[\s\S]*briefly\.$/);
    assert.equal(list[1].encryptedValue, "b3BhcXVlLXRvLXRoZS1wYWdl");
  },
  tool(list) {
    assert.equal(roles(list), "user assistant assistant tool assistant");
    const call = tool(list, "get_weather");
    assert.deepEqual(JSON.parse(call.function.arguments), { city: "Lisbon", unit: "celsius", days: 3 });
    assert.deepEqual(JSON.parse(result(list, call)), { now: 21, sky: "clear", next: [22, 19, 20] });
  },
  async "page-tool"(list, page) {
    const color = JSON.parse(tool(list, "set_accent_color").function.arguments).color;
    assert.equal(await page.evaluate(() => document.documentElement.dataset.accent), color);
    assert.equal(JSON.parse(result(list, tool(list, "get_page_facts"))).width, 1280);
    assert.match(said(list), /`set_accent_color` gave: done; `get_page_facts` gave: \{/);
  },
  async plan(_list, page) {
    const lines = await state(page);
    assert.equal(lines["/plan/done"], "5");
    for (let n = 0; n < 5; n++) assert.equal(lines[`/plan/steps/${n}/status`], '"done"');
  },
  async table(_list, page) {
    await state(page);
    await page.focus("#tree");
    await page.keyboard.press("End");
    assert.equal((await state(page))["/table/tick"], "120");
  },
  activity(list) {
    const activity = list.find(({ role }) => role === "activity");
    assert.equal(activity.content.progress, 100);
    assert.deepEqual(activity.content.found.map(({ title }) => title),
      ["Gulbenkian", "MAAT", "Azulejo", "Berardo", "Carmo"]);
  },
  approve: (list) => assert.equal(result(list, tool(list, "delete_files")), undefined),
  ask: (list) => assert.match(said(list), /address/),
  confirm: (list) => assert.match(said(list), /table for two/),
  several: (list) => assert.match(said(list), /Two things/),
  subagents(list) {
    const owners = new Set(list.map(({ subagentRunId }) => subagentRunId).filter(Boolean));
    assert.equal(owners.size, 2);
    assert.match(said(list), /I read four reports on tides and list the two that agree\./);
    assert.match(said(list), /I outline the article: an opening, the data, a chart, and what remains open\./);
    assert.equal(result(list, tool(list, "delegate")), "Both helpers are done.");
  },
  chunks(list) {
    assert.equal(result(list, tool(list, "exchange_rate")), '{"rate": 163.2}');
    assert.equal(tool(list, "exchange_rate").function.arguments, '{"from": "EUR", "to": "JPY"}');
    assert.equal(list.find(({ role }) => role === "reasoning").content, "163.2 yen for one euro.");
    assert.equal(list.at(-1).content, "One euro is 163.2 yen.");
  },
  media(list) {
    const parts = result(list, tool(list, "make_media"));
    assert.deepEqual(parts.map(({ type }) => type), ["text", "image", "audio", "document"]);
  },
  steps: (list) => assert.equal(said(list),
    "I collect what is known. \nI compare the offers. \nI decide: the second one."),
  usage: (list) => assert.deepEqual(list[1].metadata, { model: "demo-1" }),
  history: (list) => assert.equal(roles(list), "system user assistant"),
  async error(list, page) {
    assert.equal(said(list), "I begin well, and then ");
    assert.match(await alert(page), /The model is not available/);
  },
  async cut(list, page) {
    assert.equal(said(list), "The connection will break in the middle of a sen");
    assert.match(await alert(page), /\S/);
  },
  slow: (list) => assert.match(said(list), /^Here I am\./),
  flood: (list) => assert.equal(list[1].content.match(/word/g).length, 19_996),
};

test("the page shows every ability of the agent", async () => {
  const { scenarios } = await (await fetch(`${world.origin}/agent`)).json();
  assert.deepEqual(scenarios.map(({ name }) => name).sort(), Object.keys(expected).sort());
  const page = await world.open();
  assert.deepEqual((await page.$$eval("[data-ability]", (list) => list.map((b) => b.dataset.ability))).sort(),
    Object.keys(expected).sort());
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

for (const name of Object.keys(expected)) {
  test(`ability: ${name}`, async () => {
    // At the highest speed the connection breaks before what was sent has arrived.
    const page = await world.open({ path: `/?speed=${name === "cut" ? 1 : "max"}` });
    await perform(page, name, 30_000);
    await expected[name](await messages(page), page);
    assert.deepEqual(page.uncaught, []);
    // No event of the demo agent needs a repair.
    await page.click("#tab-warnings");
    assert.deepEqual(await page.$$eval("#warnings li", (list) => list.map((li) => li.textContent)), []);
    await page.done();
  });
}

test("the figures agree with what the server sent", async () => {
  // A chunk that opens a stream becomes its START and CONTENT, and its END comes with what closes it.
  for (const [name, prompt, more] of [["text", "Show me some text with markdown", 0],
    ["flood", "Flood me with 20,000 events", 0], ["chunks", "Answer in chunks", 8]]) {
    const page = await world.open();
    const sent = await asked(world.origin, prompt);
    await perform(page, name, 30_000);
    await page.waitForTimeout(100);
    assert.equal(await figure(page, "events"), sent.events.length + more, name);
    // A reader that lets the server wait gets comments in between, which hold the connection.
    const comments = (await figure(page, "bytes") - sent.bytes) / ": keep-alive\n\n".length;
    assert.ok(comments >= 0 && comments <= 10 && Number.isInteger(comments), `${name}: ${comments}`);
    if (more === 0) {
      const tally = {};
      for (const { type } of sent.events) tally[type] = (tally[type] ?? 0) + 1;
      assert.deepEqual(await types(page), tally);
    }
    assert.match(await page.textContent("#figure-duration"), /^[\d.]+ m?s$/);
    assert.match(await page.textContent("#figure-first"), /^[\d.]+ m?s$/);
    await page.done();
  }
});

test("times are those at which the events came", async () => {
  const page = await world.open({ path: "/" }); // at a human pace
  await press(page, "steps");
  await idle(page);
  const times = await page.$$eval("#events [data-row]:not([hidden])", (rows) =>
    rows.sort((a, b) => a.at - b.at).map((row) => [row.at, Number(row.querySelector(".time").textContent)]));
  for (let n = 1; n < times.length; n++) assert.ok(times[n][1] >= times[n - 1][1], `${times[n - 1]} ${times[n]}`);
  const last = times.at(-1)[1];
  assert.ok(last > 1 && last < 8, `the run took ${last} s`);
  await page.done();
});

test("questions are answered in the conversation", async () => {
  const page = await world.open();
  await perform(page, "several");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByLabel(/^City/).fill("Porto");
  await page.getByLabel(/^Street/).fill("Rua das Flores 1");
  await page.getByRole("button", { name: "Submit" }).click();
  await shows(page, "I noted");
  await idle(page);
  assert.match(said(await messages(page)), /The files are deleted\. Thank you\. I noted: `\{[^`]*"Porto"[^`]*\}`/);
  await page.done();
});

test("another ability cancels the questions that are open", async () => {
  const page = await world.open();
  await perform(page, "several");
  await perform(page, "tool");
  assert.match(said(await messages(page)), /I leave the files where they are\. Then not\.[\s\S]*It is \*\*21 °C/);
  await page.done();
});

test("a conversation goes on from run to run", async () => {
  const page = await world.open();
  await send(page, "Good morning");
  await shows(page, "“Good morning”");
  await idle(page);
  await perform(page, "plan");
  await perform(page, "table");
  const list = await messages(page);
  assert.equal(list.filter(({ role }) => role === "user").length, 3);
  const lines = await state(page);
  assert.equal(lines["/plan/done"], "5");
  await page.click("#new");
  assert.deepEqual(await messages(page), []);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a run can be stopped, and another one begun", async () => {
  const page = await world.open({ path: "/" });
  await press(page, "text");
  await shows(page, "Text comes");
  await page.locator("#view [part~=stop-button]").click();
  await idle(page, 2000);
  const count = await figure(page, "events");
  await page.waitForTimeout(300);
  assert.equal(await figure(page, "events"), count);
  await press(page, "confirm");
  await press(page, "error"); // while the other still runs
  await shows(page, "not available");
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("the line is cut again and again: what the agent says is whole, and the page shows how the line stands",
  async () => {
  const whole = await asked(world.origin, "Show me some text with markdown");
  const text = whole.events.map(({ delta = "" }) => delta).join("");
  const page = await world.open({ path: "/?speed=2" });
  await perform(page, "usage");
  const states = await page.evaluate(() => {
    const shown = /** @type {Set<string>} */ (new Set());
    const place = document.querySelector("#line-state");
    const look = () => shown.add(place.dataset.state);
    new MutationObserver(look).observe(place, { attributes: true });
    globalThis.shown = shown;
    return place.hidden;
  });
  assert.equal(states, true, "nothing is said of a line that nobody cuts");
  await page.click("#cut");
  assert.equal(await page.getAttribute("#cut", "aria-pressed"), "true");
  for (let i = 0, cuts = 0; cuts < 1 && i < 8; i++) {
    await perform(page, "text", 60_000);
    assert.equal((await messages(page)).at(-1).content, text);
    cuts = Number(/cut (\d+)/.exec(await page.textContent("#line-state"))?.[1] ?? 0);
  }
  assert.match(await page.textContent("#line-state"), /^Line at rest, cut \d+ times$/);
  assert.deepEqual((await page.evaluate(() => [...globalThis.shown])).sort(),
    ["connected", "connecting", "idle", "reconnecting"]);
  assert.equal((await messages(page)).filter(({ role }) => role === "user").length > 1, true, "it is one conversation");
  await page.click("#new");
  assert.deepEqual([await page.getAttribute("#cut", "aria-pressed"), await page.isHidden("#line-state")],
    ["false", true]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
