// What a chat tells the page, and <agui-chat>.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

/** Runs in the page: notes the chat's events at a target. */
const note = () => {
  globalThis.noted = [];
  const brief = {
    ready: () => "", send: (/** @type {any} */ d) => d.content, message: (/** @type {any} */ d) => d.message.id,
    tool: (/** @type {any} */ d) => d.toolCall.function.arguments, threadchange: (/** @type {any} */ d) => d.threadId,
    interrupt: (/** @type {any} */ d) => d.interrupts.map((/** @type {any} */ { id }) => id).join(),
    error: (/** @type {any} */ d) => d.error?.code ?? String(d.error),
  };
  globalThis.listen = (/** @type {EventTarget} */ target) => {
    for (const [name, f] of Object.entries(brief)) {
      target.addEventListener(name, (/** @type {any} */ e) => globalThis.noted.push(`${name} ${f(e.detail)}`.trim()));
    }
  };
};

test("a chat's events, at what mount gave; a listener that throws harms nothing", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(note);
  const got = await page.evaluate(async () => {
    const { chat, listen, noted, agui } = globalThis;
    chat.errors = [];
    globalThis.addEventListener("error", (/** @type {any} */ e) => {
      chat.errors.push(e.message);
      e.preventDefault();
    });
    const handle = agui.mount("#chat", {
      url: "/agent", fetch: chat.fetch, onError: (/** @type {any} */ error) => noted.push(`onError ${error.code}`),
    });
    handle.addEventListener("send", () => {
      throw new Error("mine");
    });
    listen(handle);
    await handle.ready;
    const { agent } = handle;
    const root = document.querySelector("#chat").shadowRoot;
    const send = async (/** @type {string} */ words) => {
      const input = root.querySelector(".input");
      input.value = words;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      chat.controller = null;
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true }));
      while (!chat.controller) await chat.frames(1);
    };
    await send("one");
    chat.start();
    chat.feed({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hi" }, { type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{\"a\":1}" }, { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "ok" });
    chat.finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "input_required", message: "?" }] } });
    while (!noted.some((/** @type {string} */ each) => each.startsWith("interrupt"))) await chat.frames(1);
    agent.threadId = "other";
    await chat.frames(2);
    chat.reply = () => new Response("", { status: 503 });
    await agent.resume([{ interruptId: "i", status: "cancelled" }]).catch(() => {});
    await chat.frames(4);
    handle.unmount();
    return { noted, errors: chat.errors };
  });
  const order = got.noted.filter((/** @type {string} */ each) => !/^message (?!m$)/.test(each));
  assert.deepEqual(order.slice(0, 5), ["ready", "send one", "message m", "tool {\"a\":1}", "interrupt i"],
    String(order));
  assert.ok(order.includes("threadchange other"), String(order));
  assert.equal(order.filter((/** @type {string} */ each) => each === "error http_status").length, 1, String(order));
  assert.equal(order.filter((/** @type {string} */ each) => each === "onError http_status").length, 1, String(order));
  assert.equal(got.errors.length, 1);
  assert.match(got.errors[0], /mine/);
  await page.done();
});

test("<agui-chat>: attributes, properties set before it is defined, events, what keeps its conversation", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(note);
  const got = await page.evaluate(async () => {
    const { chat, listen, noted, agui } = globalThis;
    const el = /** @type {any} */ (document.createElement("agui-chat"));
    el.setAttribute("url", "/agent");
    el.setAttribute("thread-id", "t9");
    el.setAttribute("message-actions", "copy edit");
    el.labels = { empty: "Ask me" };
    el.fetch = chat.fetch;
    el.setAttribute("lang", "de");
    listen(el);
    document.querySelector("#chat").append(el);
    const until = async (/** @type {() => any} */ f) => {
      for (let i = 0; i < 600 && !f(); i++) await chat.frames(1);
      return f();
    };
    await until(() => noted.includes("ready"));
    const empty = () => el.shadowRoot.querySelector(".empty")?.textContent;
    const first = [empty(), el.agent.threadId, el.threadId, el.messageActions, el.url, el.mounted.agent === el.agent,
      Object.hasOwn(el, "labels")];
    const { agent } = el;
    agent.addMessage({ id: "u", role: "user", content: "hello" });
    el.theme = "dark";
    el.labels = { empty: "Other", send: "Go" };
    await until(() => noted.filter((/** @type {string} */ each) => each === "ready").length === 2);
    await chat.frames(2);
    const second = [el.dataset.theme, el.getAttribute("theme"), el.agent === agent,
      el.shadowRoot.querySelector(".user")?.textContent.includes("hello"),
      noted.filter((/** @type {string} */ each) => each === "ready").length];
    const main = document.createElement("section");
    document.querySelector("#chat").append(main);
    main.append(el);
    await chat.frames(3);
    const moved = el.agent === agent && noted.length;
    el.url = "/other";
    await until(() => noted.filter((/** @type {string} */ each) => each === "ready").length === 3);
    const third = [el.agent !== agent, el.agent.url, el.agent.messages.length, el.getAttribute("url")];
    el.remove();
    await chat.frames(2);
    const gone = [el.mounted, String(el.agent), el.shadowRoot.childElementCount];
    const bad = /** @type {any} */ (document.createElement("agui-chat"));
    const failed = new Promise((resolve) =>
      bad.addEventListener("error", (/** @type {any} */ e) => resolve(e.detail.error)));
    bad.whileRunning = "never";
    globalThis.addEventListener("error", (e) => e.preventDefault(), { once: true });
    document.querySelector("#chat").append(bad);
    const error = String(await failed);
    bad.remove();
    return { first, second, moved, third, gone, error, debug: agui.debug().runs };
  });
  assert.deepEqual(got.first, ["Ask me", "t9", "t9", ["copy", "edit"], "/agent", true, false]);
  assert.deepEqual(got.second, ["dark", "dark", true, true, 2]);
  assert.ok(got.moved);
  assert.deepEqual(got.third, [true, "/other", 0, "/other"]);
  assert.deepEqual(got.gone, [null, "undefined", 0]);
  assert.match(got.error, /TypeError.*whileRunning/);
  await page.done();
});
