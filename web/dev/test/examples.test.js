// Every example, as the development server shows it: run in a browser against the demo agent.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { start } from "./harness/browser.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {import("node:child_process").ChildProcess} */
let server;
let origin = "";
/** @type {Set<string>} */
const shown = new Set();

before(async () => {
  world = await start();
  execFileSync("go", ["build", "-o", "build/serve-examples", "./web/dev/serve"], { cwd: root });
  execFileSync("go", ["build", "-o", "build/example-agent", "./web/examples/agents"], { cwd: root });
  server = spawn(`${root}build/serve-examples`, ["-port", "0"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  origin = await new Promise((resolve, reject) => {
    let out = "";
    server.stdout?.on("data", (data) => {
      out += data;
      const found = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(out);
      if (found) resolve(found[1]);
    });
    server.on("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });
});
after(async () => {
  server?.kill();
  await world?.stop();
});

/** Whether a program, or a file that is built here, can be run. */
const has = (/** @type {string} */ command) => command.includes("/") || spawnSync(command, ["--version"]).status === 0;

/** A port that nobody listens on. @returns {Promise<number>} */
const freePort = () => new Promise((resolve) => {
  const listener = createServer().listen(0, "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (listener.address());
    listener.close(() => resolve(port));
  });
});

/** Opens an example; the agent does not wait between its events, unless a speed is given. */
async function open(/** @type {string} */ name, speed = "max") {
  shown.add(name);
  const context = await world.browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  /** @type {string[]} */
  const uncaught = [];
  /** @type {import("playwright-core").Request[]} */
  const asked = [];
  /** @type {string[]} requests to anybody else */
  const elsewhere = [];
  page.on("pageerror", (error) => uncaught.push(String(error)));
  await page.route("**/*", (route, request) => {
    const url = new URL(request.url());
    if (url.origin !== origin) {
      elsewhere.push(request.url());
      return route.abort();
    }
    if (url.pathname !== "/agent") return route.continue();
    asked.push(request);
    return route.continue({ url: `${origin}/agent?speed=${speed}` });
  });
  await page.goto(`${origin}/examples/${name}/`);
  return Object.assign(page, {
    asked,
    inputs: () => asked.map((request) => request.postDataJSON()),
    async over() {
      assert.deepEqual(uncaught, []);
      assert.deepEqual(elsewhere, []);
      await context.close();
    },
  });
}

test("script", async () => {
  const page = await open("script");
  await page.click("#ask");
  await page.waitForSelector("#answer[data-done]");
  assert.match(await page.textContent("#answer") ?? "", /Text comes in pieces/);
  await page.over();
});

test("esm", async () => {
  const page = await open("esm");
  await page.waitForSelector("#log[data-done]");
  assert.match(await page.textContent("#log") ?? "", /\n\d+ tokens came in$/);
  await page.over();

  const stopped = await open("esm", "0.5");
  await stopped.waitForFunction(() => document.getElementById("log")?.textContent);
  const failed = stopped.waitForEvent("requestfailed");
  await stopped.click("#stop");
  assert.match((await failed).url(), /\/agent/);
  await stopped.waitForSelector("#log[data-done]");
  await stopped.over();
});

test("rxjs", async () => {
  const page = await open("rxjs", "0.5");
  const words = page.locator("#words");
  await words.fill("Show me some text with markdown");
  await page.waitForFunction(() => document.getElementById("answer")?.textContent);
  const failed = page.waitForEvent("requestfailed");
  await words.fill("Say this");
  await failed; // the run before it was ended
  await page.waitForFunction(() => /Say this/.test(document.getElementById("answer")?.textContent ?? ""));
  assert.equal(page.asked.length, 2);
  await page.over();
});

test("react: rows that did not change do not render again", async () => {
  const page = await open("react", "4");
  const rows = () => page.$$eval("li", (list) =>
    list.map((row) => ({ role: row.dataset.role, renders: Number(row.dataset.renders), text: row.textContent })));
  const send = async (/** @type {string} */ text) => {
    const before = (await rows()).length;
    await page.fill("input", text);
    await page.click("button");
    await page.waitForFunction((n) => document.querySelectorAll("li").length >= n + 2, before);
    await page.waitForSelector("button:not([disabled])");
    return rows();
  };
  const first = await send("Show me some text with markdown");
  assert.deepEqual(first.map(({ role }) => role), ["user", "assistant"]);
  assert.equal(first[0].renders, 1);
  assert.ok(first[1].renders > 3, `the answer rendered as it grew: ${first[1].renders}`);

  const second = await send("Answer in chunks");
  assert.deepEqual(second.slice(0, 2), first, "the rows of the first run");
  assert.equal(second[2].renders, 1);
  assert.ok(second[3].renders > 1);
  await page.over();
});

test("tools", async () => {
  const page = await open("tools");
  await page.click("#ask");
  await page.waitForSelector("#messages[data-outcome=success]");
  assert.equal(await page.evaluate(() => document.body.style.background), "gold");
  const [first, second] = page.inputs();
  assert.deepEqual(first.tools.map((/** @type {any} */ tool) => Object.keys(tool)),
    [["name", "description", "parameters"], ["name", "description", "parameters"]]);
  assert.equal(page.asked.length, 2);
  const results = second.messages.filter((/** @type {any} */ message) => message.role === "tool");
  assert.deepEqual(results.map((/** @type {any} */ { content, error }) => error ?? JSON.parse(content)),
    [{ painted: "gold" }, "I cannot wait"]);
  await page.waitForFunction(() =>
    /The page has answered/.test(document.getElementById("messages")?.textContent ?? ""));
  await page.over();
});

for (const [value, says, entry] of /** @type {const} */ ([
  ["yes", "The files are deleted.", { status: "resolved", payload: { approved: true } }],
  ["no", "I leave the files where they are.", { status: "cancelled" }],
])) {
  test(`approvals: ${value}`, async () => {
    const page = await open("approvals");
    await page.click("#ask");
    await page.waitForSelector("#question:not([hidden])");
    assert.equal(await page.textContent("#question p"), "Delete 1,204 files in logs/2023?");
    await page.click(`#question button[value=${value}]`);
    await page.waitForFunction((says) => document.getElementById("answer")?.textContent?.includes(says), says);
    await page.waitForSelector("#question[hidden]", { state: "attached" });
    const [{ interruptId, ...sent }] = page.inputs()[1].resume;
    assert.equal(typeof interruptId, "string");
    assert.deepEqual(sent, entry);
    await page.over();
  });
}

test("time travel", async () => {
  const page = await open("time-travel");
  const texts = () => page.$$eval("#messages li", (list) => list.map((item) => item.firstChild?.textContent ?? ""));
  const send = async (/** @type {string} */ text, /** @type {number} */ count) => {
    await page.fill("input", text);
    await page.click("#form button");
    await page.waitForFunction((n) => document.querySelectorAll("#messages li").length === n, count);
    await page.waitForTimeout(200);
  };
  await send("One", 2);
  await send("Two", 4);
  const before = await texts();
  await page.click("#messages button");
  await page.waitForFunction(() => document.querySelectorAll("#messages li").length === 2);
  assert.deepEqual(await texts(), before.slice(0, 2));
  await send("Three", 4);
  const [one, two, three] = page.inputs();
  assert.equal(three.parentRunId, one.runId);
  assert.equal(two.parentRunId, undefined);
  assert.equal(three.threadId, one.threadId);
  assert.deepEqual(three.messages.map((/** @type {any} */ message) => message.content),
    [...before.slice(0, 2), "Three"]);
  await page.over();
});

test("an agent of @ag-ui/client", async () => {
  const page = await open("ag-ui-client");
  await page.click("#ask");
  await page.waitForSelector("#answer[data-done]");
  const [input] = page.inputs();
  assert.equal(input.messages[0].content, "Answer in chunks");
  assert.match(await page.textContent("#answer") ?? "", /chunk/i);
  await page.over();
});

test("CopilotKit's React chat", { timeout: 180000 }, async () => {
  const page = await open("copilotkit");
  const words = page.locator("textarea");
  await words.fill("Show me some text with markdown");
  await words.press("Enter");
  await page.getByRole("heading", { name: "Text comes in pieces" }).waitFor();
  await page.getByRole("cell", { name: "START, ARGS, END, RESULT" }).waitFor(); // the end of the text
  await words.fill("Say this");
  await words.press("Enter");
  await page.waitForFunction(() => /Say this[^]*Say this/.test(document.body.innerText));
  const inputs = page.inputs();
  assert.deepEqual(inputs.map((input) => input.messages.length), [1, 3]);
  assert.equal(inputs[1].threadId, inputs[0].threadId);
  assert.deepEqual(page.asked.map((request) => request.headers().accept), ["text/event-stream", "text/event-stream"]);
  await page.over();
});

test("CopilotKit on this runtime by alias: text, tools, a person, interrupts, connect", { timeout: 180000 }, async () => {
  const page = await open("copilotkit-alias");
  const words = page.locator("textarea");
  const say = async (/** @type {string} */ text) => {
    await words.fill(text);
    await words.press("Enter");
  };
  await page.getByText("This was kept.").waitFor();
  await say("Show me some text with markdown");
  await page.getByRole("cell", { name: "START, ARGS, END, RESULT" }).waitFor();
  await say("Use the page tools");
  await page.click("#choose");
  await page.getByText("get_time gave: 12:34").waitFor();
  await page.getByText("choose gave: left").waitFor();
  await say("Ask me to confirm");
  await page.waitForSelector("#question");
  assert.match(await page.textContent("#question") ?? "", /table for two/);
  await page.click("#yes");
  await page.waitForSelector("#question", { state: "detached" });
  const inputs = page.inputs();
  const [answer, ...more] = inputs.at(-1).resume;
  assert.deepEqual([answer.status, answer.payload, more], ["resolved", { approved: true }, []]);
  assert.deepEqual(inputs[0].messages.map((/** @type {any} */ { role }) => role), ["assistant", "user"]);
  await page.over();
});

test("assistant-ui on this runtime by alias: text, tools, a person, interrupts, a kept thread", { timeout: 180000 },
  async () => {
  const page = await open("assistant-ui-alias");
  const words = page.locator("textarea[name=input]");
  const say = async (/** @type {string} */ text) => {
    await words.fill(text);
    await words.press("Enter");
  };
  await page.getByText("This was kept.").waitFor();
  await say("Show me some text with markdown");
  await page.getByText("START, ARGS, END, RESULT").waitFor();
  await say("Use the page tools");
  await page.click("#choose");
  await page.getByText(/get_time` gave: 12:34/).waitFor();
  await page.getByText(/choose` gave: left/).waitFor();
  await say("Ask me to confirm");
  await page.waitForSelector("#question");
  assert.match(await page.textContent("#question") ?? "", /table for two/);
  await page.click("#yes");
  await page.waitForSelector("#question", { state: "detached" });
  await page.getByText("I noted").waitFor();
  const inputs = page.inputs();
  const [answer, ...more] = inputs.at(-1).resume;
  assert.deepEqual([answer.status, answer.payload, more], ["resolved", { approved: true }, []]);
  assert.deepEqual(inputs[0].messages.map((/** @type {any} */ { role }) => role), ["assistant", "user"]);
  await page.over();
});

test("state: the agent's plan and the page's own change", async () => {
  const page = await open("state");
  await page.fill("#guests", "5");
  await page.press("#guests", "Tab");
  await page.click("#ask");
  await page.waitForFunction(() => document.querySelectorAll("#steps li").length === 5);
  assert.equal(page.inputs()[0].state.guests, 5);
  assert.equal(await page.inputValue("#guests"), "5");
  await page.over();
});

test("errors: each has its words, and what came is kept", async () => {
  const page = await open("errors");
  const status = page.locator("#status");
  const ask = async (/** @type {string} */ value, /** @type {string} */ code) => {
    await page.click(`button[value="${value}"]`);
    await page.waitForSelector(`#status[data-code=${code}]`);
    return status.textContent();
  };
  assert.match(await ask("Fail", "run_error") ?? "", /^The agent says: \S/);
  assert.equal(await ask("Cut the line", "network"), "The line broke. What came is kept.");
  assert.equal(await ask("Say this", "http_status"), "The server answered 405.");
  await page.over();
});

test("theming: colours of one's own, by day and by night", async () => {
  const page = await open("theming");
  const colour = () => page.evaluate(() =>
    getComputedStyle(/** @type {Element} */ (
    document.querySelector("#chat")?.shadowRoot?.querySelector("[part~=send-button]"))).backgroundColor);
  await page.locator("#chat textarea").fill("Say this");
  const day = await colour();
  await page.locator("#chat [part~=send-button]").click();
  await page.locator("#chat [part~=user-bubble]").waitFor();
  assert.equal(await page.evaluate(() =>
    getComputedStyle(/** @type {Element} */ (
    document.querySelector("#chat")?.shadowRoot?.querySelector("[part~=user-bubble]"))).fontStyle), "italic");
  await page.check("#night");
  assert.equal(await page.getAttribute("#chat", "data-theme"), "dark");
  assert.notEqual(await page.evaluate(() =>
    getComputedStyle(/** @type {Element} */ (document.querySelector("#chat")?.shadowRoot?.querySelector(
    "[part~=chat]"))).backgroundColor), "rgb(255, 255, 255)");
  assert.match(day, /^rgb/);
  await page.over();
});

for (const name of ["vue", "svelte", "alpine"]) {
  test(`${name}: a list and a form`, async () => {
    const page = await open(name);
    await page.fill("input", "Say this");
    await page.press("input", "Enter");
    await page.waitForFunction(() => document.querySelectorAll("li").length === 2 &&
      /Say this/.test(document.querySelectorAll("li")[1].textContent ?? ""));
    assert.equal(await page.inputValue("input"), "");
    await page.waitForSelector("button:not([disabled])");
    await page.fill("input", "And this");
    await page.click("button");
    await page.waitForFunction(() => document.querySelectorAll("li").length === 4 &&
      /And this/.test(document.querySelectorAll("li")[3].textContent ?? ""));
    await page.over();
  });
}

test("htmx: a chat that comes and goes with what is swapped in", async () => {
  const page = await open("htmx");
  for (let round = 0; round < 2; round++) {
    await page.getByText("Open the chat").click();
    await page.locator("#place [data-agui] textarea").fill("Say this");
    await page.locator("#place [data-agui] textarea").press("Enter");
    await page.locator("#place [part~=assistant-message]").getByText("Say this").waitFor();
    await page.getByText("Close it").click();
    await page.getByText("The chat is closed.").waitFor();
    await page.waitForFunction(() => globalThis.agui.debug().runs === 0);
  }
  await page.over();
});

for (const [name, ...command] of /** @type {const} */ ([
  ["Node.js", process.execPath, "web/examples/agents/agent.mjs"], ["Python", "python3", "web/examples/agents/agent.py"],
  ["Go", "build/example-agent"],
])) {
  test(`a small agent in ${name}: at most 25 lines, strict, and a page of another origin may ask it`,
    { skip: has(command[0]) ? false : `${command[0]} is not there` }, async () => {
    const port = await freePort();
    const agent = spawn(command[0], [...command.slice(1), String(port)], {
      cwd: root, stdio: ["ignore", "ignore", "pipe"],
    });
    let words = "";
    agent.stderr.on("data", (data) => (words += data));
    try {
      const url = `http://127.0.0.1:${port}/`;
      for (let i = 0; i < 100 && !(await fetch(url, { method: "OPTIONS" }).then(() => true, () => false)); i++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const page = await world.page({
        html: '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/agui.js"></script>',
      });
      assert.deepEqual(await page.evaluate(async (/** @type {string} */ url) => {
        const warnings = /** @type {any[]} */ ([]);
        const agent = new globalThis.agui.HttpAgent({
          url, headers: { authorization: "x" }, verify: "strict",
          onWarning: (/** @type {any} */ w) => warnings.push(w.code),
        });
        await agent.send("Grüße, 世界");
        await agent.send("once more");
        return [agent.messages.map((/** @type {any} */ m) => m.content.trim()), warnings];
      }, url), [["Grüße, 世界", "You said: Grüße, 世界", "once more", "You said: once more"], []], words);
      await page.done();
    } finally {
      agent.kill();
    }
    const source = command[1] ?? "web/examples/agents/main.go";
    assert.ok(readFileSync(`${root}${source}`, "utf8").trim().split("\n").length <= 25);
  });
}

test("every example is shown, and listed", () => {
  const folders = readdirSync(new URL("../../examples/", import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
  // A folder without a page is a Go program, which go test runs.
  const pages = folders.filter((name) => existsSync(new URL(`../../examples/${name}/index.html`, import.meta.url)));
  assert.deepEqual([...shown].sort(), pages);
  const readme = readFileSync(new URL("../../examples/README.md", import.meta.url), "utf8");
  for (const name of folders) assert.ok(readme.includes(`| [${name}](`), name);
});
