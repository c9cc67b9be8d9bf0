// A soak's server: keeps to the plan of the number in the URL, in pieces and at moments of chance.
import { faultServer } from "../harness/faults.js";
import { HOSTILE } from "./hostile.js";
import { answer, plan, randomOf } from "./traffic.js";

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const frame = (/** @type {object} */ event) => `data: ${JSON.stringify(event)}\n\n`;

/**
 * Starts the server. `url` is where runs go, `long` one that never ends, `hostile` where each of `kinds` is, `read`
 * where the page says that it has read all.
 */
export async function soakServer() {
  const server = await faultServer();
  /**
   * Waits for the page to have read what was sent: a reset takes back what is still on its way.
   * @type {Map<number, () => void>}
   */
  const waiting = new Map();
  const seedOf = (/** @type {any} */ response) =>
    Number(new URL(response.req.url, "http://x").searchParams.get("seed"));

  const url = server.reply(async (seen, response) => {
    server.requests.length = 0; // half an hour of them would fill the memory here
    const seed = seedOf(response);
    const random = randomOf(~seed);
    if (seen.json?.messages?.at(-1)?.role === "tool") return { body: answer(seed).map(frame).join("") };
    const { fault, frames } = plan(seed);
    if (fault === "status") {
      return {
        status: 503, headers: { "content-type": "application/json", "retry-after": "1" }, body: '{"error":"busy"}',
      };
    }
    if (fault === "page") return { headers: { "content-type": "text/html" }, body: "<!doctype html><p>sign in" };
    response.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
    response.flushHeaders();
    const read = new Promise((resolve) => waiting.set(seed, () => resolve(true)));
    const bytes = Buffer.from(frames.join(""));
    for (let at = 0; at < bytes.length && !response.destroyed;) {
      const size = random() < 0.2 ? 1 + Math.floor(random() * 20) : 1 + Math.floor(random() * 40000);
      if (!response.write(bytes.subarray(at, at + size))) {
        await Promise.race([new Promise((r) => response.once("drain", r)), seen.gone]);
      }
      at += size;
      if (random() < 0.3) await sleep(random() * 20);
    }
    if (fault === "garbage") response.write(`data: {"type":"TEXT_MESSAGE_CONTENT",\n\n`);
    if (fault === "binary") {
      response.write(Buffer.concat([Buffer.from("data: "),
        Buffer.from(Array.from({ length: 300 }, () => 128 + Math.floor(random() * 128))), Buffer.from("\n\n")]));
    }
    if (fault === "half") response.write('data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"x","del');
    if (fault === "huge") {
      for (let i = 0; i < 20 && !response.destroyed; i++) {
        response.write((i === 0 ? "data: " : "") + "z".repeat(64 << 10));
      }
    }
    if (fault === "reset") {
      await Promise.race([read, seen.gone, sleep(30000)]);
      response.socket?.resetAndDestroy();
    } else if (fault === "stall") await seen.gone;
    else if (fault === "none" && random() < 0.1) await sleep(random() * 300);
    waiting.delete(seed);
    response.end();
  });

  const long = server.reply(async (seen, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
    response.write(frame({ type: "RUN_STARTED", threadId: "long", runId: "long" }) +
      frame({ type: "STATE_SNAPSHOT", snapshot: { n: 0, kept: "k".repeat(10000) } }));
    for (let n = 1; !response.destroyed; n++) {
      response.write(frame({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: n }] }));
      await Promise.race([sleep(50), seen.gone]);
    }
  });

  const hostile = server.reply(async (seen, response) => {
    server.requests.length = 0;
    const make = HOSTILE[new URL(/** @type {any} */ (response).req.url, "http://x").searchParams.get("kind") ?? ""];
    response.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
    const bytes = Buffer.from(make());
    for (let at = 0; at < bytes.length && !response.destroyed; at += 16384) {
      if (!response.write(bytes.subarray(at, at + 16384))) {
        await Promise.race([new Promise((r) => response.once("drain", r)), seen.gone]);
      }
    }
    response.end();
  });

  const read = server.reply((_seen, response) => {
    server.requests.length = 0;
    waiting.get(seedOf(response))?.();
    return { headers: { "content-type": "text/plain" }, body: "" };
  });
  return { url, long, hostile, kinds: Object.keys(HOSTILE), read, close: () => server.close() };
}
