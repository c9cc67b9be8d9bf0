// What the tests of people in the loop share: an agent whose requests are answered by scripts, and a page for a file's
// tests.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { start } from "../harness/browser.js";
import { faultServer, sse } from "../harness/faults.js";
import { call, run } from "./scripted.js";

/** Begins a browser and a server before a file's tests, and ends them behind. */
export function people() {
  /** @type {Awaited<ReturnType<typeof start>>} */
  let world;
  /** @type {Awaited<ReturnType<typeof faultServer>>} */
  let server;
  /** @type {any} */
  let shared;
  before(async () => {
    [world, server] = await Promise.all([start(), faultServer()]);
  });
  after(async () => {
    await Promise.all([world?.stop(), server?.close()]);
    assert.deepEqual(shared?.uncaught ?? [], []);
  });

  const bodies = (/** @type {string} */ url) => server.seen(url).map((/** @type {any} */ seen) => seen.json);
  return {
    bodies,
    requests: (/** @type {string} */ url) => bodies(url).map(brief),

    /** A URL whose n-th request is answered with the n-th script: events, or a reply. */
    scripted(/** @type {any[]} */ ...scripts) {
      let n = 0;
      return server.reply(() => {
        const script = scripts[n++] ?? run();
        return Array.isArray(script) ? { body: sse(...script) } : script;
      });
    },

    /** A URL whose requests a function answers, as the fault server's do. */
    respond: (/** @type {Parameters<typeof server.reply>[0]} */ f) => server.reply(f),

    /** An empty page, whose test ends it. */
    page: (/** @type {any} */ how = {}) => world.page(how),

    /** Evaluates in the page that a file's tests share: the program is there, earlier agents are idle. */
    async inPage(/** @type {Function} */ f, /** @type {any} */ argument) {
      shared ??= await world.page();
      shared.uncaught.length = 0;
      const got = await shared.evaluate(f, argument);
      assert.deepEqual(shared.uncaught, []);
      return got;
    },

    /** The page that a file's tests share, with a chat of that URL in the place of the one before. */
    async chat(/** @type {string} */ url, /** @type {string} */ options = "{}") {
      shared ??= await world.page();
      assert.deepEqual(shared.uncaught, []);
      await shared.evaluate(async (/** @type {any} */ [url, options]) => {
        globalThis.mounted?.unmount();
        document.body.innerHTML = '<main id="chat"></main>';
        const given = (0, eval)(`(${options})`);
        globalThis.seen = [];
        globalThis.mounted = agui.mount("#chat", { url, lang: "en", ...given });
        await mounted.ready;
      }, [url, options]);
      await shared.locator("#chat .input").waitFor();
      return shared;
    },
  };
}

/** Events in two parts, with a wait between them. */
export const slow = (/** @type {any[]} */ first, /** @type {any[]} */ second, ms = 400) => (
  { body: [sse(...first), sse(...second)], delay: ms });

/** A request's messages, each in a word: a tool message is its call and its content. */
export const brief = (/** @type {any} */ body) => body.messages.map((/** @type {any} */ m) =>
  (m.role === "tool" ? `${m.toolCallId}=${m.content}` : m.role === "user" ? m.content : m.id)).join(" ");

export const until = (/** @type {() => boolean} */ what, ms = 8000) => new Promise((resolve, reject) => {
  const end = Date.now() + ms;
  const look = () => {
    if (what()) resolve(undefined);
    else if (Date.now() > end) reject(new Error(`not in time: ${what}`));
    else setTimeout(look, 20);
  };
  look();
});

export const quiet = (ms = 300) => new Promise((resolve) => setTimeout(resolve, ms));

/** A call of a tool that a person answers. */
export const ask = (/** @type {string} */ id, parent = "m1") => call(id, "ask", parent, "{}");
