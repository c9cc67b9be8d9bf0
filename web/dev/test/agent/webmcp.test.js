// WebMCP: an agent's tools, offered to the browser's own agents. Chromium has it behind a flag; Firefox and WebKit have
// none, so for them, and for the older place (navigator), the documented shape stands in.
import test from "node:test";
import assert from "node:assert/strict";
import { not, start } from "../harness/browser.js";
import { people } from "./people.js";
import { run } from "./scripted.js";

const { bodies, page, scripted } = people();

/** Evaluates in a page of its own: what stands in for the browser's part must not outlast a test. */
async function inPage(/** @type {Function} */ f, /** @type {any} */ argument) {
  const own = await page();
  try {
    const got = await own.evaluate(/** @type {any} */ (f), argument);
    assert.deepEqual(own.uncaught, []);
    return got;
  } finally {
    await own.done();
  }
}

test("WebMCP: a tool is offered with the same handler and approval, withdrawn with it, and never sent to the agent",
  async () => {
  const url = scripted(run(), run());
  for (const where of ["document", "navigator", "nowhere"]) {
    const got = await inPage(async (/** @type {any} */ { url, where }) => {
      const tools = new Map();
      const context = {
        async registerTool(/** @type {any} */ tool, /** @type {any} */ { signal }) {
          tools.set(tool.name, tool);
          signal.addEventListener("abort", () => tools.delete(tool.name));
        },
      };
      if (where === "document") {
        Object.defineProperty(Document.prototype, "modelContext", { configurable: true, get: () => context });
      }
      if (where === "navigator") Object.defineProperty(navigator, "modelContext", { value: context });
      const asked = [];
      globalThis.confirm = (words) => { asked.push(words); return !words?.includes("500"); };
      const agent = new agui.HttpAgent({ url, tools: [
        {
          name: "sum", description: "adds", webmcp: { annotations: { readOnlyHint: true } },
          parameters: { type: "object" },
          handler: ({ a, b }, { toolCall, agent: mine }) => (
            { sum: a + b, name: toolCall.function.name, mine: mine === agent }),
        },
        { name: "buy", description: "", webmcp: true, needsApproval: ({ n }) => n > 100, handler: ({ n }) => n },
        { name: "own", description: "", handler: () => 1 },
      ] });
      for (let i = 0; i < 100 && tools.size < 2; i++) await new Promise((r) => setTimeout(r, 5));
      const call = (/** @type {string} */ name, /** @type {any} */ args) => tools.get(name).execute(args)
        .catch((/** @type {any} */ e) => e.message);
      const offered = [...tools.keys()];
      const results = tools.size === 0 ? [] : [await call("sum", { a: 1, b: 2 }), await call("buy", { n: 5 }),
        await call("buy", { n: 500 }), await call("buy", { n: 200 })];
      const annotations = tools.get("sum")?.annotations;
      await agent.send("go");
      agent.setTools([agent.tools[0]]);
      await new Promise((r) => setTimeout(r, 20));
      const left = [...tools.keys()];
      agent.dispose();
      await new Promise((r) => setTimeout(r, 20));
      return { offered, results, annotations, asked: asked.length, left, none: tools.size };
    }, { url, where });
    const offers = where !== "nowhere";
    assert.deepEqual(got, {
      offered: offers ? ["sum", "buy"] : [],
      results: offers ? [{ sum: 3, name: "sum", mine: true }, 5, "Rejected by the user", 200] : [],
      annotations: offers ? { readOnlyHint: true } : undefined, asked: offers ? 2 : 0, left: offers ? ["sum"] : [],
      none: 0,
    }, where);
  }
  for (const tool of bodies(url)[0].tools) {
    assert.deepEqual(Object.keys(tool).filter((key) => key === "webmcp" || key === "handler"), []);
  }
});

test("WebMCP in the browser itself: its list, its calls, its cancelling, tools that come and go", {
  skip: not("the engine has no modelContext, and no flag for one", "firefox", "webkit"),
}, async () => {
  const url = scripted(run());
  const world = await start({ args: ["--enable-features=WebMCP"] });
  try {
    const own = await world.page();
    const got = await own.evaluate(async (/** @type {string} */ url) => {
      const context = /** @type {any} */ (document).modelContext;
      if (!context) return "this Chromium has no document.modelContext behind its flag any more: look for the new one";
      const log = [];
      const asked = [];
      /** @type {(v: string) => void} */
      let stops = () => {};
      const stopped = new Promise((resolve) => { stops = resolve; });
      globalThis.confirm = (words) => { asked.push(words); return words.includes('"n": 5'); };
      const make = (/** @type {number} */ n) => ({
        name: "sum", description: `adds ${n}`, webmcp: { annotations: { readOnlyHint: true } },
        parameters: { toJSONSchema: () => ({ type: "object", properties: { a: { type: "number" } } }) },
        handler: ({ a }) => ({ sum: a + n }),
      });
      const strict = { "~standard": {
        jsonSchema: { input: () => ({ type: "object" }) },
        validate: (args) => (args.n ? { value: { n: args.n } } : { issues: [{ message: "no n" }] }),
      } };
      const waits = (_args, { signal }) => new Promise((resolve) => {
        signal.addEventListener("abort", () => { stops("slow stops"); resolve("late"); });
      });
      const agent = new agui.HttpAgent({ url, tools: [
        make(1), { name: "own", description: "", handler: () => 1 },
        { name: "buy", description: "x", webmcp: true, needsApproval: true, handler: ({ n }) => `bought ${n}` },
        { name: "never", description: "x", webmcp: true, timeoutMs: 50, handler: () => new Promise(() => {}) },
        { name: "strict", description: "x", webmcp: true, handler: (args) => args, parameters: strict },
        { name: "slow", description: "x", webmcp: true, handler: waits },
      ] });
      const names = async () => (await context.getTools()).map(({ name }) => name).sort().join(" ");
      const until = async (/** @type {string} */ want) => {
        for (let i = 0; i < 400 && (await names()) !== want; i++) await new Promise((r) => setTimeout(r, 5));
        return names();
      };
      const call = async (/** @type {string} */ name, /** @type {any} */ args, /** @type {any} */ more) => {
        const tool = (await context.getTools()).find((/** @type {any} */ each) => each.name === name);
        return context.executeTool(tool, args, more).catch((/** @type {any} */ e) => e.name);
      };
      log.push(await until("buy never slow strict sum"));
      const [sum] = (await context.getTools()).filter(({ name }) => name === "sum");
      log.push([sum.description, JSON.stringify(sum.inputSchema), sum.annotations.readOnlyHint]);
      const calls = [["sum", { a: 5 }], ["buy", { n: 5 }], ["buy", { n: 6 }], ["never", {}], ["strict", { n: 1, m: 2 }],
        ["strict", {}]];
      for (const [name, args] of calls) log.push(await call(name, args));
      const controller = new AbortController();
      const slow = call("slow", {}, { signal: controller.signal });
      await new Promise((r) => setTimeout(r, 50));
      controller.abort();
      log.push(await slow, await stopped);
      await agent.send("go");
      agent.setTools([make(10), agent.tools[2]]); // the same name, another handler
      log.push(await until("buy sum"));
      log.push(await call("sum", { a: 5 }));
      // A name that another agent has is told as an error, and taken once it is free.
      const failed = new Promise((resolve) => {
        addEventListener("error", (e) => { e.preventDefault(); resolve(e.error.name); }, { once: true });
      });
      const other = new agui.HttpAgent({ url, tools: [make(100)] });
      log.push(await failed);
      agent.dispose();
      log.push(await until(""));
      other.setTools([...other.tools]);
      log.push(await until("sum"), await call("sum", { a: 5 }));
      return { log, asked: asked.length };
    }, url);
    const failed = "UnknownError"; // the browser keeps a tool's own words from its agents; the console has them
    assert.deepEqual(got, {
      log: ["buy never slow strict sum", ["adds 1", '{"type":"object","properties":{"a":{"type":"number"}}}', true],
        '{"sum":6}', "bought 5", failed, failed, '{"n":1}', failed, "AbortError", "slow stops", "buy sum", '{"sum":15}',
        "InvalidStateError", "", "sum", '{"sum":105}'],
      asked: 2,
    });
    const told = bodies(url)[0].tools.map((/** @type {any} */ tool) => Object.keys(tool).join(" "));
    const plain = "name description";
    assert.deepEqual(told, [`${plain} parameters`, plain, plain, plain, `${plain} parameters`, plain]);
  } finally {
    await world.stop();
  }
});
