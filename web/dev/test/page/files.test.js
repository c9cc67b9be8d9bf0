// Saving and loading, the recorded runs of a host without an agent, one's own agent.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { faultServer, finished, sse, started, text } from "../harness/faults.js";
import { alert, alerts, figure, idle, messages, perform, send, shows, startPage, state, types } from "./open.js";

let world;
let agent;
before(async () => {
  world = await startPage();
  agent = await faultServer();
});
after(async () => {
  await agent?.close();
  await world?.stop();
});

async function save(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  return readFile(await download.path(), "utf8");
}

const load = (page, name, content) => page.setInputFiles("#file", {
  name, mimeType: "application/json", buffer: Buffer.from(content),
});

test("what is saved can be loaded and plays again", async () => {
  const page = await world.open({ path: "/?speed=4" });
  assert.equal(await page.isDisabled("#save"), true);
  await perform(page, "tool");
  await perform(page, "plan");
  const told = await types(page);
  const list = await messages(page);
  const content = await save(page);
  const saved = JSON.parse(content);
  assert.equal(saved.format, "agui-recording");
  assert.equal(saved.runs.length, 2);
  for (const run of saved.runs) {
    assert.equal(run.times.length, run.response.body.split("\n\n").length - 1);
    assert.ok(run.times.every((time, n) => n === 0 || time >= run.times[n - 1]));
  }
  await page.done();

  const other = await world.open({ static: true });
  await load(other, "two runs.json", content);
  await idle(other);
  await other.waitForFunction(() => /run 2|第 2/.test(document.querySelector("#figures-title").textContent));
  await idle(other);
  assert.match(await other.textContent("#source"), /two runs\.json/);
  assert.deepEqual(await types(other), told);
  assert.deepEqual(await messages(other), list);
  assert.equal((await state(other))["/plan/done"], "5");
  // Its runs are the abilities now; one alone begins where it began.
  await other.click('[data-ability="run 1"]');
  await idle(other);
  assert.equal((await messages(other)).length, 5);
  // A replay can be saved again, and is the same.
  const again = JSON.parse(await save(other));
  assert.equal(again.runs[1].response.body, saved.runs[1].response.body);
  await other.click("#back");
  assert.match(await other.textContent("#source"), /recorded/);
  assert.deepEqual(other.uncaught, []);
  await other.done();
});

test("a replay keeps the pace at which it was recorded", async () => {
  const body = sse(started, ...text("m", "a", "b"), finished);
  const recording = {
    response: { status: 200, contentType: "text/event-stream", body }, times: [0, 0, 0, 1500, 1500, 1500],
  };
  const page = await world.open({ path: "/" });
  await load(page, "slow.json", JSON.stringify(recording));
  await idle(page);
  const times = await page.$$eval("#events [data-row]:not([hidden]) .time",
    (list) => list.map((t) => Number(t.textContent)).sort((a, b) => a - b));
  assert.equal(times.length, 6);
  assert.ok(times[2] < 1.2 && times[3] >= 1.45 && times[3] < 3, String(times));
  await page.done();
});

test("a broken run is saved and replayed broken", async () => {
  const page = await world.open({ path: "/?speed=1" });
  await perform(page, "cut");
  const content = await save(page);
  assert.equal(JSON.parse(content).runs[0].broken, true);
  await load(page, "cut.json", content);
  await idle(page);
  assert.match(await alert(page), /\S/);
  assert.match((await messages(page)).at(-1).content, /middle of a sen$/);
  await page.done();
});

test("what is no recording is refused, in words", async () => {
  const page = await world.open();
  for (const content of ["", "{", "[]", "{}", "null", '{"runs":[]}', '{"runs":[null]}', '{"response":{"body":1}}',
    '{"response":{"body":""},"times":["a"]}']) {
    await load(page, "odd.json", content);
    await page.waitForFunction(() => !document.querySelector("#load-failure").hidden);
    assert.match(await page.textContent("#load-failure"), /^odd\.json cannot be replayed: /);
  }
  await load(page, "good.json", JSON.stringify({ response: { body: sse(started, finished) } }));
  await idle(page);
  assert.equal(await page.isHidden("#load-failure"), true);
  assert.equal(await figure(page, "events"), 2);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("a host without an agent replays recorded runs and says so", async () => {
  const page = await world.open({ static: true, path: "/" });
  assert.match(await page.textContent("#source"), /No agent behind this page: it replays recorded runs/);
  await send(page, "tool");
  await shows(page, "21 °C");
  assert.ok((await figure(page, "events")) > 20);
  await page.done();
});

test("every recorded run plays to its end", async () => {
  const page = await world.open({ static: true });
  const names = await page.$$eval("[data-ability]", (list) => list.map((button) => button.dataset.ability));
  assert.equal(names.length, 22);
  for (const name of names) {
    await page.click("#new");
    await perform(page, name, 60_000);
    const list = await messages(page);
    assert.ok(list.some(({ role }) => role === "assistant"), name);
    if (name === "error" || name === "cut") await page.locator("#chat [role=alert]:visible").waitFor();
    const told = await alerts(page);
    assert.equal(told.length, name === "error" || name === "cut" ? 1 : 0, `${name}: ${told}`);
    const ids = list.map(({ id }) => id);
    assert.equal(ids.some((id) => /^(RUN|NEXT|MESSAGE|THREAD)\b/.test(id)), false, `${name}: ${ids}`);
    assert.equal(new Set(ids).size, ids.length, `${name}: ${ids}`);
  }
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("recorded questions and page tools go on", async () => {
  const page = await world.open({ static: true });
  await perform(page, "approve");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await shows(page, "The files are deleted.");
  await idle(page);
  let list = await messages(page);
  const call = list.flatMap(({ toolCalls }) => toolCalls ?? [])[0];
  assert.equal(list.find(({ toolCallId }) => toolCallId === call.id)?.content, '{"deleted": 1204}');
  assert.equal(list.at(-1).content, "The files are deleted.");
  await page.click("#new");
  await perform(page, "page-tool");
  list = await messages(page);
  assert.match(list.at(-1).content, /^The page has answered/);
  assert.ok(await page.evaluate(() => document.documentElement.dataset.accent));
  await page.done();
});

test("one's own agent gets its headers, and the tab alone remembers it", async () => {
  const url = agent.reply({ body: sse(started, ...text("m", "From your agent"), finished) });
  const page = await world.open();
  await page.click("#connect");
  await page.fill("#url", url);
  await page.fill("#headers", "Authorization: Bearer key-1\n\nX-Team:  blue  ");
  await page.click("#connection .primary");
  assert.equal(await page.isHidden("#connection"), true);
  assert.match(await page.textContent("#source"), new RegExp(`Your agent: ${url}`));
  assert.equal(await page.getAttribute("#source", "data-answers"), ""); // not asked yet
  assert.equal(await page.isHidden("#abilities"), true);
  await send(page, "Hi");
  await shows(page, "From your agent");
  await idle(page);
  assert.equal(await page.getAttribute("#source", "data-answers"), "yes");
  const [request] = agent.seen(url);
  assert.equal(request.headers.authorization, "Bearer key-1");
  assert.equal(request.headers["x-team"], "blue");
  assert.equal(request.json.messages[0].content, "Hi");
  assert.ok(!(await save(page)).includes("key-1"));

  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.match(await page.textContent("#source"), new RegExp(url));
  await send(page, "Again");
  await shows(page, "From your agent");
  assert.equal(agent.seen(url)[1].headers.authorization, "Bearer key-1");
  assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), {});
  assert.equal(await page.evaluate(() => document.cookie), "");

  const twin = await page.context().newPage(); // another tab
  await twin.goto(world.origin);
  await twin.waitForSelector("body[data-ready]");
  assert.match(await twin.textContent("#source"), /Demo agent/);

  await page.click("#connect");
  await page.fill("#url", agent.reply({ status: 404, body: "nobody" }));
  await page.click("#connection .primary");
  assert.equal(await page.getAttribute("#source", "data-answers"), "");
  await send(page, "Anybody?");
  await page.waitForSelector("#source[data-answers=no]");

  await page.click("#back");
  assert.match(await page.textContent("#source"), /Demo agent/);
  assert.equal(await page.getAttribute("#source", "data-answers"), "yes");
  assert.equal(await page.evaluate(() => sessionStorage.getItem("agui-page-agent")), null);
  await page.done();
});

test("a wrong address or header is named", async () => {
  const page = await world.open();
  await page.click("#connect");
  for (const [url, headers, told] of [["", "", /address/], ["javascript:alert(1)", "", /address/],
    ["http://x.test/", "no colon", /no colon/], ["http://x.test/", "na me: x", /na me/]]) {
    await page.fill("#url", url);
    await page.fill("#headers", headers);
    await page.click("#connection .primary");
    assert.match(await page.textContent("#connect-failure"), told);
    assert.match(await page.textContent("#source"), /Demo agent/);
  }
  await page.fill("#url", `${agent.origin}/nothing`);
  await page.fill("#headers", "");
  await page.click("#connection .primary");
  await send(page, "Hi");
  await page.locator("#view [role=alert]").filter({ hasText: "404" }).waitFor();
  await page.done();
});

test("no agent and no recorded runs: the page says so and takes one's own", async () => {
  const page = await world.open({
    static: true, prepare: (page) => page.route("**/recordings/*", (route) => route.fulfill({ status: 404 })),
  });
  assert.match(await page.textContent("#source"), /neither an agent nor a recorded run/);
  assert.equal(await page.isVisible("#connect"), true);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});
