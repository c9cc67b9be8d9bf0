"use strict";
// The first page: a conversation and its events. With the demo agent behind it (./build.sh serve) it talks to that;
// on a host that only serves files it replays recorded runs through the same API, and says so.

const element = (id) => document.getElementById(id);
const threadId = crypto.randomUUID();
let messages = [];
let state = {};
let subscription = null;
let options = {};
let interrupts = [];

/** Shows what the run's snapshots hold. */
function show(list) {
  const box = element("conversation");
  list.forEach((message, index) => {
    let item = box.children[index];
    if (!item || item.dataset.id !== message.id) {
      item = document.createElement("li");
      item.dataset.id = message.id;
      box.insertBefore(item, box.children[index] ?? null);
    }
    item.dataset.role = message.role;
    const text = describe(message);
    if (item.textContent !== text) item.textContent = text;
  });
  while (box.children.length > list.length) box.lastChild.remove();
}

function describe(message) {
  const parts = [];
  if (typeof message.content === "string") parts.push(message.content);
  else if (message.content) parts.push(JSON.stringify(message.content));
  for (const call of message.toolCalls ?? []) parts.push(`${call.function.name}(${call.function.arguments})`);
  return parts.join("\n");
}

function log(event) {
  const item = document.createElement("li");
  item.textContent = `${event.type} ${JSON.stringify(event)}`;
  element("events").append(item);
  while (element("events").children.length > 500) element("events").firstChild.remove();
  element("count").textContent = String(Number(element("count").textContent) + 1);
}

function send(text) {
  element("failure").hidden = true;
  messages = [...messages, { id: crypto.randomUUID(), role: "user", content: text }];
  show(messages);
  const input = { threadId, messages, state };
  if (interrupts.length > 0) input.resume = interrupts.map((i) => ({ interruptId: i.id, status: "cancelled" }));
  let frame = 0;
  const refresh = () => {
    frame = 0;
    if (subscription) show(subscription.messages);
  };
  const over = () => {
    messages = subscription.messages;
    state = subscription.state;
    interrupts = subscription.interrupts ?? [];
    show(messages);
    subscription = null;
    busy(false);
  };
  busy(true);
  subscription = agui.run(input, options).subscribe({
    next: (event) => {
      log(event);
      frame ||= requestAnimationFrame(refresh);
    },
    error: (error) => {
      element("failure").textContent = `${error.code}: ${error.message}`;
      element("failure").hidden = false;
      over();
    },
    complete: over,
  });
}

function busy(is) {
  element("send").hidden = is;
  element("stop").hidden = !is;
}

/** A fetch that answers with recorded runs: the one whose words fit best, at the pace at which it was recorded. */
function replaying(recordings) {
  return async (_url, init) => {
    const input = JSON.parse(init.body);
    const asked = String(input.messages.at(-1)?.content ?? "").toLowerCase();
    const chosen = recordings.find((r) => asked.includes(r.name) || asked === r.prompt.toLowerCase()) ?? recordings[0];
    const run = await (await fetch(`runs/${chosen.name}.json`)).json();
    const body = run.response.body.replaceAll('"THREAD"', JSON.stringify(input.threadId)).replaceAll('"RUN"', JSON.stringify(input.runId))
      .replaceAll('"RUN-', `"${input.runId}-`);
    const frames = body.split(/(?<=\n\n)/);
    const start = performance.now();
    let next = 0;
    const stream = new ReadableStream({
      async pull(controller) {
        if (next === frames.length) return controller.close();
        const wait = run.times[next] - (performance.now() - start);
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        if (!init.signal?.aborted) controller.enqueue(new TextEncoder().encode(frames[next++]));
      },
    });
    return new Response(stream, { status: run.response.status, headers: { "content-type": run.response.contentType } });
  };
}

/** Finds out what is behind the page. */
async function start() {
  const asked = new URLSearchParams(location.search).get("agent");
  const url = asked ?? "agent";
  try {
    if (!asked) {
      const response = await fetch(url);
      if (!response.ok || !(response.headers.get("content-type") ?? "").startsWith("application/json")) throw new Error("no agent");
      await response.json();
    }
    options = { url };
    element("source").textContent = `Agent: ${new URL(url, location.href)}`;
  } catch {
    const recordings = await (await fetch("runs/index.json")).json();
    options = { url: "recorded:", fetch: replaying(recordings) };
    element("source").textContent = "There is no agent behind this page: it replays recorded runs.";
  }
  document.body.dataset.ready = "true";
}

element("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = element("message").value.trim();
  if (!text || subscription) return;
  element("message").value = "";
  send(text);
});
element("stop").addEventListener("click", () => {
  if (!subscription) return;
  subscription.unsubscribe();
  messages = subscription.messages;
  state = subscription.state;
  subscription = null;
  busy(false);
});
start();
