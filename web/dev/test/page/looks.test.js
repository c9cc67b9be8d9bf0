// How the page meets people: languages, keyboard, screen reader, small screens, a strict content security policy.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { root } from "../harness/static.js";
import { idle, messages, perform, press, shows, startPage } from "./open.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; media-src 'self' data: blob:";

let world;
before(async () => {
  world = await startPage();
});
after(() => world?.stop());

test("works under a strict policy, without a violation and without any outside resource", async () => {
  const page = await world.open({
    prepare: async (page) => {
      await page.addInitScript(() => {
        globalThis.violations = [];
        document.addEventListener("securitypolicyviolation",
          (e) => globalThis.violations.push(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
      });
      page.outside = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(world.origin) && !/^(data|blob):/.test(request.url())) {
          page.outside.push(request.url());
        }
      });
      await page.route(`${world.origin}/?speed=max`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
      });
    },
  });
  for (const name of ["text", "media", "plan", "table", "approve"]) await perform(page, name);
  await messages(page);
  await page.click("#tab-state");
  await page.click("#tab-events");
  await page.locator("#events [data-row]").nth(3).click();
  await page.click("#connect");
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
  assert.deepEqual(page.outside, []);
  assert.deepEqual(page.uncaught, []);
  assert.equal(await page.evaluate(() => document.querySelectorAll("style").length), 0);
  // The policy was in force: a style element would have been a violation.
  await page.evaluate(() => document.head.append(
    Object.assign(document.createElement("style"), { textContent: "a{}" })));
  assert.equal(await page.evaluate(
    async () => { await new Promise((r) => setTimeout(r, 50)); return globalThis.violations.length; }), 1);
  await page.done();
});

for (const [name, context] of Object.entries({
  "light, wide": {}, "dark, wide": { colorScheme: "dark" }, "320 px": { viewport: { width: 320, height: 640 } },
  "320 px, dark, Chinese": { viewport: { width: 320, height: 640 }, colorScheme: "dark", locale: "zh-CN" },
  "900 px": { viewport: { width: 900, height: 800 } },
})) {
  test(`axe finds nothing: ${name}`, async () => {
    const page = await world.open({ context });
    const check = async (where) => {
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document));
      // The order of headings in a message is its author's.
      const violations = found.violations.filter(({ id, nodes }) => id !== "heading-order" ||
        nodes.some(({ target }) => target.flat()[0] !== "#view"));
      assert.deepEqual(violations.map(({ id, impact, nodes }) =>
        `${where}: ${impact} ${id}: ${nodes.map(({ target, any }) => `${target} ${any[0]?.message ?? ""}`).join(" | ")}`), []);
      assert.ok(found.passes.length > 20);
    };
    await check("first");
    for (const ability of ["text", "plan", "media", "approve"]) await perform(page, ability);
    await check("conversation");
    if (await page.isVisible("#view-inspector")) await page.click("#view-inspector");
    await page.click("#tab-events");
    await page.locator("#events [data-row]:not([hidden])").nth(2).click();
    await page.click("#filter-title");
    await check("events");
    for (const tab of ["state", "messages", "warnings"]) {
      await page.click(`#tab-${tab}`);
      await check(tab);
    }
    await page.click("#connect");
    await check("connection");
    await page.done();
  });
}

for (const width of [320, 375, 480, 640, 799, 800, 1024, 1099, 1100, 1280, 1920]) {
  test(`nothing sticks out at ${width} px`, async () => {
    const page = await world.open({
      context: { viewport: { width, height: 720 }, locale: width % 2 ? "zh-CN" : "en-US" },
    });
    await perform(page, "text");
    await perform(page, "table");
    for (const view of ["talk", "inspector"]) {
      if (await page.isVisible(`#view-${view}`)) await page.click(`#view-${view}`);
      const out = await page.evaluate(() => {
        const wide = document.documentElement.scrollWidth - innerWidth;
        const cut = [...document.querySelectorAll("button, h1, h2, dt, dd, summary, select")].filter((e) =>
          !e.classList.contains("unseen")).filter((e) => {
          const box = e.getBoundingClientRect();
          return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1 || e.scrollWidth > e.clientWidth + 2);
        });
        return { wide, cut: cut.map((e) => `${e.id || e.tagName} ${e.textContent.slice(0, 20)}`) };
      });
      assert.deepEqual(out, { wide: 0, cut: [] }, view);
    }
    await page.done();
  });
}

test("the language is the browser's, and can be switched", async () => {
  const texts = (page) => page.evaluate(() =>
    [document.documentElement.lang, document.querySelector("#tab-state").textContent,
    document.querySelector("#load").title, document.querySelector("[data-ability=plan]").textContent]);
  const english = await world.open();
  assert.deepEqual(await texts(english), ["en", "State", "Load a file of runs and replay it", "A plan that fills"]);
  await english.done();
  const french = await world.open({ context: { locale: "fr-FR" } });
  assert.equal((await texts(french))[0], "en");
  await french.done();
  const page = await world.open({ context: { locale: "zh-CN" } });
  assert.deepEqual(await texts(page), ["zh-CN", "状态", "打开运行文件并重放", "逐步完成的计划"]);
  await perform(page, "plan");
  assert.match((await messages(page))[0].content, /计划/);
  await page.selectOption("#language", "en");
  assert.equal((await texts(page))[1], "State");
  assert.match(await page.textContent("#figures-title"), /run 1/);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal((await texts(page))[0], "en");
  await page.done();
});

test("every text of the page exists in both languages, and every ability chooses itself in Chinese", async () => {
  const source = readFileSync(`${root}web/page/parts/texts.js`, "utf8");
  const html = readFileSync(`${root}index.html`, "utf8");
  const { keys, promptNames } = await import(
    `data:text/javascript,${encodeURIComponent(`globalThis.sessionStorage ??= {getItem(){}};globalThis.navigator ??= {languages: []};${source}`)}`);
  assert.deepEqual(keys.en, keys["zh-CN"]);
  for (const [, key] of html.matchAll(/data-(?:text|label|hint|empty)="([^"]+)"/g)) {
    assert.ok(keys.en.includes(key), key);
  }
  const { scenarios } = await (await fetch(`${world.origin}/agent`)).json();
  assert.deepEqual([...promptNames.values()].sort(), scenarios.map(({ name }) => name).sort());
  // The agent understands them as the page means them: the same events as for the English words.
  const kinds = async (content) => {
    const response = await fetch(`${world.origin}/agent?speed=max`,
      { method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ threadId: "t", runId: "r", state: {}, messages: [{ id: "1", role: "user", content }],
          tools: [], context: [] }) }).catch(() => null);
    const body = (await response?.text().catch(() => "cut")) ?? "";
    return [...new Set([...body.matchAll(
      /"(?:type|toolCallName|activityType|stepName|reason|name|code)":"([^"]+)"/g)].map(([, word]) => word))].join(" ");
  };
  for (const [prompt, name] of promptNames) {
    const { prompt: english } = scenarios.find((scenario) => scenario.name === name);
    assert.equal(await kinds(prompt), await kinds(english), name);
  }
});

test("by keyboard alone", async () => {
  const page = await world.open();
  const focused = () => page.evaluate(
    () => (document.activeElement.shadowRoot?.activeElement?.classList.contains("input") ? "input" : "") ||
      document.activeElement.id || document.activeElement.dataset.ability || document.activeElement.textContent);
  await page.keyboard.press("Tab");
  assert.match(await focused(), /Skip/);
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "input");
  await page.evaluate(() => document.activeElement.blur());
  await page.locator(".skip").focus();
  const seen = [];
  for (let n = 0; n < 60 && !seen.includes("filter-title"); n++) {
    await page.keyboard.press("Tab");
    seen.push(await focused());
  }
  for (const id of ["connect", "language", "text", "flood", "view", "input", "pause", "load", "tab-events",
    "filter-title"]) {
    assert.ok(seen.includes(id), `${id} is not in ${seen}`);
  }
  // A message, its events, one of them, another tab.
  await page.locator("#view [part~=input]").focus();
  await page.keyboard.type("tool");
  await page.keyboard.press("Enter");
  await shows(page, "21 °C");
  await idle(page);
  await page.focus("#events");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.textContent("#raw-text"), /TEXT_MESSAGE_CONTENT/);
  const active = await page.getAttribute("#events", "aria-activedescendant");
  assert.equal(await page.getAttribute(`#${active}`, "aria-selected"), "true");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#raw"), false);
  await page.focus("#tab-events");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "tab-state");
  assert.equal(await page.isVisible("#panel-state"), true);
  await page.keyboard.press("End");
  assert.equal(await focused(), "tab-warnings");
  // The agent's form opens with its first field and closes with Escape.
  await page.focus("#connect");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "url");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "connect");
  await page.done();
});

test("an ability leaves the focus where it was", async () => {
  const page = await world.open();
  await press(page, "tool");
  await idle(page);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.ability), "tool");
  await page.done();
});
