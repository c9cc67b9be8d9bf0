// Agents, Observables and mounted chats in the reactive data of frameworks; and inputs that React binds to an agent's
// state.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { buildSync } from "esbuild";
import { readFileSync } from "node:fs";
import { not, start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const lib = (/** @type {string} */ path) => readFileSync(`${root}web/node_modules/${path}`, "utf8");
const built = (/** @type {string} */ contents) => buildSync({
  stdin: { contents, resolveDir: `${root}web`, loader: "jsx" }, bundle: true, write: false, format: "iife",
  jsx: "automatic", minify: true,
  define: { "process.env.NODE_ENV": '"production"' }, conditions: ["browser"],
}).outputFiles[0].text;

/** A page with a script of ours. */
async function page(/** @type {string} */ script, body = "") {
  world.site.override("/test/lib.js",
    (_request, response) => response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(script));
  return world.page({
    html: `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="chat"></div><div id="app"></div>${body}<script src="/agui.js"></script><script src="/test/lib.js"></script>`,
  });
}

/** In a page: what a person does with an agent, an Observable and a chat that stand in a framework's data. */
const use = async (/** @type {any} */ page, /** @type {string} */ wrap) => page.evaluate(async ([wrap, url]) => {
  const f = new Function(`return ${wrap}`)();
  const made = new globalThis.agui.HttpAgent({ url });
  const data = f({
    agent: made, source: globalThis.agui.run({}, { url }), chat: globalThis.agui.mount("#chat", { agent: made }),
  });
  await data.agent.send("Hello");
  data.agent.state = { a: 1 };
  await data.agent.patchState([{ op: "add", path: "/b", value: 2 }]);
  const types = [];
  await new Promise((resolve, reject) => {
    data.subscription = data.source.subscribe({
      next: (/** @type {any} */ e) => types.push(e.type), error: reject, complete: () => resolve(null),
    });
  });
  data.subscription.unsubscribe();
  const twin = data.agent.clone();
  await data.chat.ready;
  data.chat.unmount();
  return {
    texts: data.agent.messages.map((/** @type {any} */ m) => m.content), state: data.agent.state, events: types.length,
    twin: twin.messages.length,
  };
}, [wrap, agent.reply({ body: sse(started, ...text("m", "Hi"), finished) })]);
const right = { texts: ["Hello", "Hi"], state: { a: 1, b: 2 }, events: 5, twin: 2 };

const frameworks = {
  "Vue's reactive()": () => [lib("vue/dist/vue.global.prod.js"), "Vue.reactive"],
  "Vue's ref()": () => [lib("vue/dist/vue.global.prod.js"), "(data) => Vue.ref(data).value"],
  "Alpine's x-data": () => [lib("alpinejs/dist/cdn.min.js"), "(data) => Alpine.reactive(data)"],
  "MobX's observable": () => [lib("mobx/dist/mobx.umd.production.min.js"), "mobx.observable"],
  "Svelte's $state": () => [built(`import { proxy } from "svelte/internal/client"; globalThis.$state = proxy;`),
    "$state"],
  "any proxy of a class": () => ["", `(data) => ({ ...data, agent: new Proxy(data.agent, { get(target, key, receiver) {
    const value = Reflect.get(target, key, receiver);
    return typeof value === "object" && value !== null && Object.isExtensible(value) ? new Proxy(value, this) : value;
  } }) })`],
};
for (const [name, parts] of Object.entries(frameworks)) {
  test(`${name}: agent, Observable and chat work in it`, async () => {
    const [script, wrap] = parts();
    const opened = await page(script);
    assert.deepEqual(await use(opened, wrap), right);
    assert.deepEqual(opened.uncaught, []);
    await opened.done();
  });
}

const REACT = `
  import { useSyncExternalStore } from "react";
  import { createRoot } from "react-dom/client";
  const agent = globalThis.agent = new agui.HttpAgent({ url: "/none", initialState: { title: "abcd" } });
  function App() {
    const { title } = useSyncExternalStore((f) => agent.onChange(f), () => agent.state);
    return <input value={title} onChange={(e) => (globalThis.byPatch ? agent.patchState([{ op: "replace", path: "/title", value: e.target.value }]) : (agent.state = { ...agent.state, title: e.target.value }))} />;
  }
  createRoot(document.getElementById("app")).render(<App />);
`;
for (const how of ["state", "patchState", "patchState before the WebAssembly"]) {
  test(`a React input that is bound to ${how} keeps its caret`, async () => {
    const early = how.includes("before");
    if (early) world.site.override("/agui.wasm", () => {});
    try {
      const opened = await page(built(REACT));
      if (!early) await opened.evaluate(() => globalThis.agui.ready);
      await opened.evaluate((/** @type {boolean} */ byPatch) => (globalThis.byPatch = byPatch), how !== "state");
      await opened.locator("input").waitFor();
      await opened.evaluate(() => {
        const input = /** @type {HTMLInputElement} */ (document.querySelector("input"));
        input.focus();
        input.setSelectionRange(2, 2);
      });
      for (const key of ["X", "Y", "Z"]) await opened.keyboard.press(key);
      assert.deepEqual(await opened.evaluate(() => {
        const input = /** @type {HTMLInputElement} */ (document.querySelector("input"));
        return [input.value, input.selectionStart, globalThis.agent.state.title];
      }), ["abXYZcd", 5, "abXYZcd"]);
      await opened.done();
    } finally {
      world.site.override("/agui.wasm", undefined);
    }
  });
}

test("a React input takes a Chinese word from an input method",
  { skip: not("its driver cannot compose", "firefox", "webkit") }, async () => {
  const opened = await page(built(REACT));
  await opened.locator("input").waitFor();
  await opened.evaluate(() => {
    const input = /** @type {HTMLInputElement} */ (document.querySelector("input"));
    input.focus();
    input.setSelectionRange(2, 2);
  });
  const session = await /** @type {any} */ (opened).context().newCDPSession(opened);
  for (const word of ["n", "ni", "ni h", "ni hao"]) {
    await session.send("Input.imeSetComposition", {
      text: word, selectionStart: word.length, selectionEnd: word.length,
    });
  }
  await session.send("Input.insertText", { text: "你好" });
  assert.deepEqual(await opened.evaluate(() => {
    const input = /** @type {HTMLInputElement} */ (document.querySelector("input"));
    return [input.value, input.selectionStart, globalThis.agent.state.title];
  }), ["ab你好cd", 4, "ab你好cd"]);
  await opened.done();
});

test(
  "what the page changes is told at once, what a listener changes in the next frame; a patch that does not go changes nothing", async () => {
  const opened = await page("");
  const got = await opened.evaluate(async () => {
    const agent = new globalThis.agui.HttpAgent({ url: "/none", initialState: { list: [1], a: { b: 1 } } });
    const log = /** @type {any[]} */ ([]);
    agent.onChange(({ state, messages }) => log.push([state.n, messages.length]));
    const off = agent.onChange(() => agent.state.n < 3 && (agent.state = { ...agent.state, n: agent.state.n + 1 }));
    agent.state = { ...agent.state, n: 1 };
    const first = log.length;
    off();
    await new Promise((resolve) => setTimeout(resolve, 300));
    log.length = 0;
    agent.addMessage({ id: "u", role: "user", content: "x" });
    const added = [...log];
    const before = agent.state;
    const bad = [];
    for (const ops of [[{ op: "add", path: "/x", value: 1 }, { op: "test", path: "/n", value: 9 }],
      [{ op: "remove", path: "/list/1" }], [{ op: "move", from: "/a", path: "/a/b" }], [{ op: "nope", path: "" }],
      [{ op: "add", path: "x", value: 1 }], [{ op: "replace", path: "/none", value: 1 }]]) {
      bad.push(await agent.patchState(ops).then(() => "went", (/** @type {any} */ e) => e.code));
    }
    return { first, added, same: agent.state === before, bad };
  });
  assert.equal(got.first, 1);
  assert.equal(got.added.length, 1);
  assert.equal(got.same, true);
  assert.deepEqual([...new Set(got.bad)], ["bad_input"]);
  await opened.done();
});

test("JSON.stringify(agent) shows no headers", async () => {
  const opened = await page("");
  const shown = await opened.evaluate(() => {
    const agent = new globalThis.agui.HttpAgent({
      url: "/a", headers: { authorization: "Bearer secret" }, requestInit: { headers: { "x-key": "secret" } },
      initialState: { a: 1 },
    });
    return JSON.stringify({ agent, chat: globalThis.agui.mount("#chat", { agent }) });
  });
  assert.doesNotMatch(shown, /secret|authorization/i);
  assert.match(shown, /"state":\{"a":1\}/);
  await opened.done();
});
