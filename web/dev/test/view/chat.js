// What the view's tests share: a page with a chat whose agent answers as the test says.
import { start } from "../harness/browser.js";

/** The policy of the first page: no inline style, no inline script. */
export const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; media-src 'self' data: blob:";

export { start };

/**
 * Opens a page with a chat in #chat. In the page, `chat` has:
 * agent, unmount, ready; root, the shadow root; feed(...events), which sends events in the run that goes on (one begins
 * with send); end(), which closes that stream; bodies, the requests' bodies as JSON; violations, what broke the policy.
 * @param {Awaited<ReturnType<typeof start>>} world
 * @param {{lang?: string, dir?: string, width?: number, height?: number, scheme?: "light" | "dark", options?: object
 *   | null, policy?: boolean, style?: string, reducedMotion?: "reduce", zone?: string}} [how]
 *   options: of mount; null: the test opens the chat itself
 */
export async function chatPage(world, how = {}) {
  const { lang = "en", dir = "ltr", width = 900, height = 700, scheme = "light", policy = true } = how;
  const script = "/test/chat.js";
  world.site.override(script, (/** @type {any} */ _request, /** @type {any} */ response) => {
    response.writeHead(200, { "content-type": "text/javascript" });
    response.end(`(${inPage})()`);
  });
  world.site.override("/test/chat.css", (/** @type {any} */ _request, /** @type {any} */ response) => {
    response.writeHead(200, { "content-type": "text/css" });
    response.end("html, body { margin: 0; height: 100% } #chat { --agui-height: 100vh }");
  });
  const page = await world.page({
    html: `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><title>Chat</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/test/chat.css"><script src="/agui.js"></script></head><body><h1 hidden>Chat</h1><main id="chat"></main><script src="${script}"></script></body></html>`,
    headers: policy ? { "content-security-policy": POLICY } : {},
    zone: how.zone,
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: how.reducedMotion ?? "no-preference" });
  if (how.options === null) return page;
  await page.evaluate((/** @type {any} */ given) => globalThis.chat.open(given), how.options ?? {});
  await page.locator("#chat .input").waitFor();
  return page;
}

/* Runs in the page. */
function inPage() {
  const encoder = new TextEncoder();
  const chat = {
    bodies: [], violations: [], controller: null, reply: null,
    async fetch(url, init) {
      chat.bodies.push(JSON.parse(init.body));
      if (chat.reply) return chat.reply(url, init);
      return new Response(new ReadableStream({
        start(controller) {
          chat.controller = controller;
          init.signal?.addEventListener("abort", () => {
            try {
              controller.error(new DOMException("aborted", "AbortError"));
            } catch {}
          });
        },
      }), { headers: { "content-type": "text/event-stream" } });
    },
    feed(...events) {
      for (const event of events) chat.controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
    },
    end() {
      try {
        chat.controller.close();
      } catch {
        // After RUN_FINISHED the runtime waits a second for the end, then cancels the request itself.
      }
    },
    start() {
      chat.feed({ type: "RUN_STARTED", threadId: "t", runId: "r" });
    },
    finish(more = {}) {
      chat.feed({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...more });
      chat.end();
    },
    frames: (n = 2) => new Promise((resolve) => {
      const next = () => (n-- > 0 ? requestAnimationFrame(next) : resolve(undefined));
      next();
    }),
    async open(options) {
      const handle = agui.mount("#chat", { fetch: chat.fetch, url: "/agent", ...options });
      Object.assign(chat, { agent: handle.agent, unmount: handle.unmount, ready: handle.ready });
      await handle.ready;
      chat.root = document.querySelector("#chat").shadowRoot;
      await chat.frames();
    },
  };
  document.addEventListener("securitypolicyviolation",
    (e) => chat.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
  globalThis.chat = chat;
}
