// Servers of others in one process, both before the agent whose URL is the first argument: CopilotKit's runtime at
// /copilotkit, TanStack AI's durable streams at /tanstack. It runs in a folder that has them (see peers.js), tells its
// parent its port and each request, and breaks event streams after as many bytes as the parent says.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime, InMemoryAgentRunner, createCopilotRuntimeHandler } from "@copilotkit/runtime/v2";
import { memoryStream, resumeServerSentEventsResponse, toServerSentEventsResponse } from "@tanstack/ai";

const agent = process.argv[2];

/** CopilotKit's runtime before the agent as `url` tells it. */
const runtimeBefore = (url) => createCopilotRuntimeHandler({
  runtime: new CopilotRuntime({ agents: { demo: new HttpAgent({ url }) }, runner: new InMemoryAgentRunner() }),
  basePath: "/copilotkit",
});
let copilotkit;

/** The agent's events, as TanStack's helper takes them. */
async function* told(input) {
  const response = await fetch(agent, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input),
  });
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) if (frame.startsWith("data: ")) yield JSON.parse(frame.slice(6));
  }
}

/** The agent without what the runtime's older client refuses: an outcome's list of waiting calls. */
async function older(request) {
  const events = told(await request.json());
  const stream = new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) return controller.close();
      if (value.outcome) delete value.outcome.pendingToolCallIds;
      controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`));
    },
    cancel: () => void events.return(),
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

async function tanstack(request) {
  const adapter = memoryStream(request);
  if (request.method === "GET") return resumeServerSentEventsResponse({ adapter });
  return toServerSentEventsResponse(told(await request.json()), { durability: { adapter } });
}

/** Bytes after which the next event streams break. */
const cuts = [];
process.on("message", ({ cut }) => void cuts.splice(0, cuts.length, ...cut));
process.on("disconnect", () => process.exit(0));

const server = createServer(async (incoming, outgoing) => {
  const headers = {
    "access-control-allow-origin": "*", "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": incoming.headers["access-control-request-headers"] ?? "*",
  };
  if (incoming.method === "OPTIONS") {
    outgoing.writeHead(204, headers).end();
    return;
  }
  const body = incoming.method === "POST" ? Buffer.concat(await incoming.toArray()) : undefined;
  if (!incoming.url.startsWith("/older")) process.send({ method: incoming.method, url: incoming.url });
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method, headers: incoming.headers, body,
  });
  const [, where] = incoming.url.split(/[/?]/);
  const response = await { copilotkit, tanstack, older }[where](request);
  outgoing.writeHead(response.status, { "content-type": response.headers.get("content-type") ?? "", ...headers });
  outgoing.flushHeaders();
  const streams = where !== "older" && `${response.headers.get("content-type")}`.startsWith("text/event-stream");
  let left = streams ? cuts.shift() ?? Infinity : Infinity;
  const source = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
  outgoing.on("close", () => source.destroy());
  source.on("error", () => {});
  for await (const piece of source) {
    outgoing.write(piece.subarray(0, left));
    if ((left -= piece.length) <= 0) {
      setTimeout(() => outgoing.destroy(), 20); // what was written goes out first
      return;
    }
  }
  outgoing.end();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  copilotkit = runtimeBefore(`http://127.0.0.1:${port}/older`);
  process.send({ port });
});
