// Opens the first page: with the demo agent behind it, or on a host that only serves files.
import { execFileSync, spawn } from "node:child_process";
import { start } from "../harness/browser.js";
import { root } from "../harness/static.js";

/** Starts a browser, a server of files and the dev server with its agent. */
export async function startPage() {
  const world = await start();
  execFileSync("go", ["build", "-o", "build/serve", "./web/dev/serve"], { cwd: root });
  const server = spawn(`${root}build/serve`, ["-port", "0"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const origin = await new Promise((resolve, reject) => {
    let out = "";
    server.stdout.on("data", (data) => {
      out += data;
      const found = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(out);
      if (found) resolve(found[1]);
    });
    server.on("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });
  return {
    world,
    origin,
    /**
     * A new page.
     * @param {object} [how] path, static (no agent), context (playwright's options), settle (before it loads)
     */
    async open({ path = "/?speed=max", static: alone = false, context: options = {}, prepare = async () => {} } = {}) {
      const page = await world.blank({ locale: "en-US", viewport: { width: 1280, height: 800 }, ...options });
      await prepare(page);
      await page.goto((alone ? world.site.origin : origin) + path);
      await page.waitForSelector("body[data-ready]");
      return page;
    },
    async stop() {
      server.kill();
      await world.stop();
    },
  };
}

/** Presses an ability's button. */
export async function press(page, name) {
  const button = page.locator(`[data-ability="${name}"]`);
  if (!(await button.isVisible())) await page.click("#abilities-title");
  await button.click();
}

/** Waits until nothing runs any more: a run that follows by itself begins in the same task. */
export async function idle(page, timeout = 20_000) {
  await page.waitForFunction(() => document.body.dataset.working === "false", null, { timeout });
  await page.waitForTimeout(30);
  await page.waitForFunction(() => document.body.dataset.working === "false", null, { timeout });
}

/** Presses an ability's button and waits for the end. */
export async function perform(page, name, timeout) {
  await press(page, name);
  await idle(page, timeout);
}

/** Writes a message. */
export async function send(page, text) {
  const input = page.locator("#view [part~=input]");
  await input.fill(text);
  await input.press("Enter");
}

/** Waits until the conversation shows a text. */
export async function shows(page, text, timeout = 20_000) {
  await page.locator("#view [part~=log]").filter({ hasText: text }).waitFor({ timeout });
}

/** The alerts that the conversation shows. */
export const alerts = (page) => page.locator("#chat [role=alert]:visible").allTextContents();

/** The one alert that the conversation must show. */
export const alert = (page) => page.locator("#chat [role=alert]:visible").textContent();

/** The messages, as the inspector's JSON has them. */
export async function messages(page) {
  await page.click("#tab-messages");
  await page.waitForTimeout(200); // they are drawn at most eight times a second
  for (;;) {
    const more = page.locator("#json button").first();
    if (!(await more.isVisible().catch(() => false))) break;
    await more.click();
  }
  return page.$$eval("#json pre", (list) => list.map((pre) => JSON.parse(pre.textContent)));
}

/** The lines of the state tree that are in sight, by their JSON pointers. */
export async function state(page) {
  // A click would take the focus away from the tree.
  if ((await page.getAttribute("#tab-state", "aria-selected")) !== "true") await page.click("#tab-state");
  await page.waitForTimeout(50);
  return page.$$eval("#tree [data-row]:not([hidden])", (rows) =>
    Object.fromEntries(rows.map((row) => [row.dataset.path, row.querySelector(".value").textContent])));
}

/** How many events of each type there are, from the filter's list. */
export async function types(page) {
  await page.click("#tab-events");
  await page.waitForTimeout(50);
  return page.$$eval("#types label", (labels) =>
    Object.fromEntries(labels.map((label) =>
    [label.children[1].textContent, Number(label.children[2].textContent.replaceAll(",", ""))])));
}

/** A figure of the run, as a number. */
export async function figure(page, name) {
  const text = await page.locator(`#figure-${name}`).evaluate((element) => element.title || element.textContent);
  return Number(text.replaceAll(",", ""));
}

/**
 * Asks the agent without the page and gives its events and the body's bytes. Ids have the page's lengths, so bytes
 * compare.
 */
export async function asked(origin, content, more = {}) {
  const response = await fetch(`${origin}/agent?speed=max`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      threadId: crypto.randomUUID(), runId: crypto.randomUUID(), state: {}, tools: [], context: [], forwardedProps: {},
      messages: [{ id: crypto.randomUUID(), role: "user", content }], ...more,
    }),
  });
  const bytes = await response.arrayBuffer();
  const body = new TextDecoder().decode(bytes);
  return { events: [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data)), bytes: bytes.byteLength };
}
