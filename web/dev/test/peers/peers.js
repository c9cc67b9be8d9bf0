// Real peers: CopilotKit's runtime and TanStack AI's durable streams, as npm has them, in a process of their own. Run
// by `./build.sh interop`; they are not among the development dependencies, for they bring hundreds of packages.
import test, { after, before, beforeEach } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, fork, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { root } from "../harness/static.js";
import { onPage, stage, until } from "../harness/stage.js";

const here = `${root}web/dev/test/peers/`;
const place = `${root}build/peers/`;
const there = stage();
/** @type {import("node:child_process").ChildProcess} */
let peers;
/** @type {import("node:child_process").ChildProcess} */
let demo;
let base = "";
/** @type {{method: string, url: string}[]} */
const requests = [];

/** Installs the peers in build/, unless what is there is of these versions. */
function install() {
  mkdirSync(place, { recursive: true });
  const wanted = readFileSync(`${here}package.json`, "utf8");
  const mark = `${place}installed.json`;
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== wanted) {
    cpSync(`${here}package.json`, `${place}package.json`);
    const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    execFileSync("npm", ["install", ...quietly], { cwd: place, stdio: "inherit" });
    writeFileSync(mark, wanted);
  }
  cpSync(`${here}server.js`, `${place}server.js`);
}

before(async () => {
  install();
  execFileSync("go", ["build", "-o", "build/handler", "./web/dev/test/handler"], { cwd: root });
  demo = spawn(`${root}build/handler`, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: /** @type {any} */ (demo.stdout) })[Symbol.asyncIterator]();
  await lines.next();
  const agent = (await lines.next()).value;
  peers = fork(`${place}server.js`, [`${agent}?speed=12`], {
    cwd: place, stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, COPILOTKIT_TELEMETRY_DISABLED: "true", DO_NOT_TRACK: "1" },
  });
  base = await new Promise((resolve, reject) => {
    peers.on("exit", (code) => reject(new Error(`the peers ended with ${code}`)));
    peers.on("message", (/** @type {any} */ told) => {
      if (told.port) resolve(`http://127.0.0.1:${told.port}`);
      else requests.push(told);
    });
  });
});
after(() => {
  peers?.removeAllListeners("exit");
  if (peers?.connected) peers.disconnect();
  demo?.kill();
});
beforeEach(() => void (requests.length = 0));

const urls = { copilotkit: "/copilotkit/agent/demo/run", tanstack: "/tanstack" };
const runs = () => requests
  .filter(({ method, url }) => method === "POST" && !url.endsWith("/connect") && !url.includes("/stop/")).length;

/** Talks in a page: each sentence a run; gives what the page has then and what it heard. */
const talk = async (/** @type {any} */ { url, reconnect, threadId, sentences }) => {
  let ran = 0;
  const agent = new agui.HttpAgent({ url, reconnect, threadId, tools: [{
    name: "get_page_facts", description: "Tells facts of the page", handler: () => `facts ${++ran}`,
  }] });
  const /** @type {string[]} */ heard = [];
  const states = new Set();
  agent.subscribe({
    onRunInitialized: () => void heard.push("initialized"), onRunFinalized: () => void heard.push("finalized"),
    onRunFailed: () => void heard.push("failed"),
    onConnectionChanged: ({ connection }) => void states.add(connection.state),
  });
  for (const content of sentences) {
    agent.addMessage({ role: "user", content });
    await agent.runAgent();
  }
  return {
    messages: agent.messages.map(({ id, ...rest }) => rest).map((/** @type {any} */ m) => ({
      role: m.role, content: m.content, calls: m.toolCalls?.map((/** @type {any} */ c) => c.function),
    })),
    state: agent.state, heard, ran, states: [...states],
  };
};

const sentences = ["Show me some text with markdown", "Make a plan and share it as state", "Use the page tools",
  "Show your reasoning"];

for (const dialect of /** @type {const} */ (["copilotkit", "tanstack"])) {
  test(`${dialect}: runs over a line that is cut are those of a whole line`, async () => {
    await onPage(there, async (page) => {
      const url = base + urls[dialect];
      const whole = await page.evaluate(talk, { url, reconnect: false, threadId: `whole-${dialect}`, sentences });
      const begun = runs();
      requests.length = 0;
      peers.send({ cut: [700, 900, 1500, 600, 2500, 800, 1200] });
      const cut = await page.evaluate(talk, { url, reconnect: dialect, threadId: `cut-${dialect}`, sentences });
      assert.ok(cut.states.includes("reconnecting"), "the line was cut");
      assert.deepEqual(cut.messages, whole.messages);
      assert.deepEqual(cut.state, whole.state);
      assert.deepEqual(cut.heard, whole.heard);
      assert.equal(cut.ran, whole.ran);
      assert.equal(runs(), begun, `no run was started twice: ${JSON.stringify(requests)}`);
    });
  });
}

test("copilotkit: a second page joins a run and reads it to its end", async () => {
  await onPage(there, (first) => onPage(there, async (second) => {
    const url = base + urls.copilotkit;
    await first.evaluate((/** @type {string} */ url) => {
      /** @type {any} */
      const page = globalThis;
      page.agent = new agui.HttpAgent({ url, reconnect: "copilotkit", threadId: "joined" });
      page.agent.addMessage({ role: "user", content: "Show me some text with markdown" });
      page.over = page.agent.runAgent();
    }, url);
    await until(first, () => /** @type {any} */ (globalThis).agent.messages.length > 1);
    const joined = await second.evaluate(async (/** @type {string} */ url) => {
      const agent = new agui.HttpAgent({ url, reconnect: "copilotkit", threadId: "joined" });
      await agent.connect();
      return agent.messages;
    }, url);
    const own = await first.evaluate(async () => {
      /** @type {any} */
      const page = globalThis;
      await page.over;
      return page.agent.messages;
    });
    assert.deepEqual(joined, own);
    assert.equal(runs(), 1);
  }));
});

test("copilotkit: stop ends the run on the server", async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async (/** @type {string} */ url) => {
      const agent = new agui.HttpAgent({ url, reconnect: "copilotkit", threadId: "stopped" });
      agent.addMessage({ role: "user", content: "Show me some text with markdown" });
      const over = agent.runAgent().then(() => "ended", (error) => error.code);
      while (agent.messages.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const stopped = await agent.stop();
      return { stopped, how: await over, running: agent.isRunning };
    }, base + urls.copilotkit);
    assert.deepEqual({ stopped: got.stopped, running: got.running }, { stopped: true, running: false });
    assert.ok(requests.some(({ url }) => url.includes("/stop/stopped")));
  });
});

test("copilotkit: a thread that it does not know is nothing, and what the page has stays", async () => {
  await onPage(there, async (page) => {
    const got = await page.evaluate(async (/** @type {string} */ url) => {
      const agent = new agui.HttpAgent({ url, reconnect: "copilotkit", threadId: "nobody's" });
      agent.addMessage({ id: "u", role: "user", content: "kept" });
      await agent.connect();
      return { messages: agent.messages, state: agent.connection.state };
    }, base + urls.copilotkit);
    assert.deepEqual(got, { messages: [{ id: "u", role: "user", content: "kept" }], state: "idle" });
    assert.equal(runs(), 0);
  });
});
