// A minimal agent in Node.js, with nothing but its library: node agent.mjs 8000
import { createServer } from "node:http";
createServer(async (request, response) => {
  const open = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
  // What a browser asks first, where the page comes from another origin.
  if (request.method !== "POST") return response.writeHead(204, open).end();
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece;
  const { threadId, runId, messages } = JSON.parse(body);
  const words = messages.findLast(({ role }) => role === "user")?.content ?? "";
  response.writeHead(200, { ...open, "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  const event = (type, fields) => response.write(`data: ${JSON.stringify({ type, ...fields })}\n\n`);
  const messageId = `${runId}-1`;
  event("RUN_STARTED", { threadId, runId });
  event("TEXT_MESSAGE_START", { messageId, role: "assistant" });
  for (const word of `You said: ${words}`.split(" ")) { // here your model's answer comes, piece by piece
    event("TEXT_MESSAGE_CONTENT", { messageId, delta: `${word} ` });
  }
  event("TEXT_MESSAGE_END", { messageId });
  event("RUN_FINISHED", { threadId, runId });
  response.end();
}).listen(Number(process.argv[2]), "127.0.0.1");
