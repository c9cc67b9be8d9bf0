// What must compile and what must not, judged by tsc --strict. Each @ts-expect-error is itself an error where the line
// after it compiles. Nothing here is run.
import api, * as module from "aguiwasm";
import {
  AbstractAgent, AGUIError, configure, debug, FunctionMiddleware, HttpAgent, isKnownEvent, Middleware, mount,
  Observable, ready, run,
} from "aguiwasm";
import type { AGUIEvent, ContentPart, RunSource, Message, NextAgent, RunAgentInput, Warning } from "aguiwasm";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_proof?: T) => {};

// The script tag's global and the module have the same names.
is<Equal<keyof typeof agui, Exclude<keyof typeof module, "default">>>();
is<Equal<typeof api, typeof agui>>();
agui.run({}).subscribe();
// @ts-expect-error no such name
agui.runs({});

// ready is a promise of nothing.
ready.then((nothing) => is<Equal<typeof nothing, void>>());

// ------------------------------------------------------------------------------------------------------------------ ru

run({});
run({ messages: [{ role: "user", content: "Hi" }], state: { n: 1 }, tools: [], context: [], forwardedProps: null },
  null);
run({
  messages: [{
    id: "1", role: "user", content: [{ type: "text", text: "Hi" }, {
      type: "image", source: { type: "url", value: "x" },
    }],
  }],
});
run({ resume: [{ interruptId: "i", status: "resolved", payload: 1 }] }, {
  url: new URL("https://x.test/"), headers: async () => ({ authorization: "x", absent: undefined }),
  credentials: "include",
  requestInit: { cache: "no-store" }, fetch: (url, init) => fetch(url, init), signal: new AbortController().signal,
  verify: "strict",
  maxEventBytes: 1, keepRaw: false, accept: "proto", idleTimeoutMs: 1, reconnect: "tanstack",
  onConnectionChanged: ({ state, nextAt }) => [state, nextAt],
  onWarning: ({ code, message, event }) => [code, message, event?.type],
});
run({}, { headers: [["a", 1]] });
run({}, { headers: new Headers() });
// @ts-expect-error an input is needed
run();
// @ts-expect-error no such role
run({ messages: [{ role: "robot", content: "Hi" }] });
// @ts-expect-error a tool's message names its call
run({ messages: [{ role: "tool", content: "Hi" }] });
// @ts-expect-error a reasoning has no parts
run({ messages: [{ role: "reasoning", content: [{ type: "text", text: "Hi" }] }] });
// @ts-expect-error no such member
run({ message: [] });
// @ts-expect-error no such mode
run({}, { verify: "loose" });
// @ts-expect-error no such option
run({}, { timeout: 1 });
// @ts-expect-error headers are no number
run({}, { headers: 1 });
// @ts-expect-error no such status
run({ resume: [{ interruptId: "i", status: "maybe" }] });

// --------------------------------------------------------------------------------------------------------------- event

run({}).subscribe((event) => {
  is<Equal<typeof event, AGUIEvent>>();
  switch (event.type) {
    case "TEXT_MESSAGE_CONTENT":
      event.delta.trim();
      event.messageId.trim();
      // @ts-expect-error a text has no such field
      event.toolCallId;
      break;
    case "TOOL_CALL_ARGS":
      event.toolCallId.trim();
      break;
    case "RUN_FINISHED":
      if (event.outcome?.type === "interrupt") event.outcome.interrupts[0]?.reason.trim();
      // @ts-expect-error only an interrupt has them
      event.outcome?.interrupts;
      break;
    case "TOOL_CALL_RESULT":
      if (typeof event.content !== "string") is<Equal<(typeof event.content)[number], ContentPart>>();
      break;
    // @ts-expect-error next() never sees chunks
    case "TEXT_MESSAGE_CHUNK":
      break;
    // @ts-expect-error no such event
    case "TEXT":
      break;
  }
  // @ts-expect-error not every event has it
  event.delta;
  // @ts-expect-error an optional field may be null
  event.timestamp?.toFixed() + event.timestamp.toFixed();
  // Whoever handles all types has handled all that is known.
  const rest: { readonly type: string } = event;
  if (!isKnownEvent(event)) is<Equal<typeof event, never>>();
  else rest.type.trim();
});
const unknown: unknown = JSON.parse("{}");
if (isKnownEvent(unknown)) is<Equal<typeof unknown, AGUIEvent>>();

function exhaustive(event: AGUIEvent): string {
  switch (event.type) {
    case "RUN_STARTED": case "RUN_FINISHED": case "RUN_ERROR": case "STEP_STARTED": case "STEP_FINISHED":
    case "TEXT_MESSAGE_START": case "TEXT_MESSAGE_CONTENT": case "TEXT_MESSAGE_END":
    case "TOOL_CALL_START": case "TOOL_CALL_ARGS": case "TOOL_CALL_END": case "TOOL_CALL_RESULT":
    case "STATE_SNAPSHOT": case "STATE_DELTA": case "MESSAGES_SNAPSHOT":
    case "ACTIVITY_SNAPSHOT": case "ACTIVITY_DELTA":
    case "REASONING_START": case "REASONING_END": case "REASONING_MESSAGE_START": case "REASONING_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_END": case "REASONING_ENCRYPTED_VALUE":
    case "SUBAGENT_STARTED": case "SUBAGENT_FINISHED": case "SUBAGENT_ERROR": case "RAW": case "CUSTOM":
      return event.type;
  }
  // @ts-expect-error nothing is left
  return event.type;
}
exhaustive;

// ----------------------------------------------------------------------------------------------------------- observabl

const subscription = run({}).subscribe({
  next(event) {
    this.complete?.();
    event.type.trim();
  },
  error: (error) => {
    is<Equal<typeof error, AGUIError>>();
    if (error.code === "http_status") error.status?.toFixed();
    // @ts-expect-error no such code
    if (error.code === "http") return;
  },
  complete() {},
}, { signal: null });
subscription.unsubscribe();
subscription.messages.length;
subscription.usage?.[0]?.inputTokens?.toFixed();
// @ts-expect-error the snapshots are read-only
subscription.messages.push({ id: "1", role: "user", content: "" });
// @ts-expect-error the snapshots are read-only
subscription.state = {};
// @ts-expect-error so is this
subscription.closed = true;
run({}).subscribe(null, (error) => error.code, () => {});
run({}).subscribe((event) => event.type, { signal: new AbortController().signal });
// @ts-expect-error a function or an observer
run({}).subscribe("next");
// @ts-expect-error it needs a function
new Observable();
// @ts-expect-error a number is not a teardown
new Observable<string>(() => 1);
new Observable<string>((observer) => {
  observer.next("a");
  // @ts-expect-error a string is wanted
  observer.next(1);
  if (!observer.closed) observer.complete();
  return () => {};
}).subscribe((word) => word.trim()).unsubscribe();
new Observable<number>(() => ({ unsubscribe() {} }));
async function loop() {
  for await (const event of run({})) is<Equal<typeof event, AGUIEvent>>();
  const iterator = run({})[Symbol.asyncIterator]();
  iterator.messages.length;
  await iterator.return();
}
loop;

// ------------------------------------------------------------------------------------------------------------- message

function byRole(message: Message): string {
  switch (message.role) {
    case "user":
      return typeof message.content === "string" ? message.content
      : message.content.map((part) => (part.type === "text" ? part.text : part.source.value)).join("");
    case "assistant":
      // @ts-expect-error an assistant may have tool calls alone
      message.content.trim();
      return message.toolCalls?.[0]?.function.arguments ?? "";
    case "tool":
      return message.toolCallId;
    case "activity":
      // @ts-expect-error an activity's content is an object
      return message.content;
    case "developer": case "system": case "reasoning":
      // @ts-expect-error only a tool's message has it
      message.toolCallId;
      return message.content;
  }
  // @ts-expect-error nothing is left
  return message.role;
}
byRole;

// -------------------------------------------------------------------------------------------------------- configuratio

configure({
  url: "/agent", wasmUrl: new URL("https://x.test/agui.wasm"), wasmIntegrity: "sha384-x",
  onWarning: (warning) => is<Equal<typeof warning, Warning>>(),
});
// @ts-expect-error an option of a run, not of all
configure({ signal: new AbortController().signal });
const counts: number = debug().runs + debug().callbacks + debug().wasmBytes;
counts;
const error = new AGUIError("network", "The connection broke off.", { url: "x", cause: 1 });
is<Equal<typeof error.name, "AGUIError">>();
error satisfies Error;
// @ts-expect-error no such code
new AGUIError("broken", "");

// --------------------------------------------------------------------------------------------------------------- agent

const agent = new HttpAgent({
  url: "/agent", agentId: "a", description: null, threadId: "t", initialMessages: [{ role: "user", content: "Hi" }],
  initialState: [1],
  headers: { authorization: "x" }, history: "new", maxToolRounds: 3, keepRuns: 50, debug: { events: true },
  verify: "lenient",
  tools: [{
    name: "sum", description: "adds", parameters: {},
    handler: ({ a, b }, { signal, toolCall }) => (signal.aborted ? toolCall.id : a + b),
  }],
  onInterrupt: async (interrupt) => (interrupt.reason === "confirmation" ? { status: "resolved", payload: true }
    : null),
});
async function hold() {
  const { result, newMessages, outcome } = await agent.runAgent({ runId: "r", abortController: new AbortController() },
    {
    onTextMessageContentEvent: ({ event, textMessageBuffer }) => { textMessageBuffer + event.delta; },
    onToolCallEndEvent: ({ toolCallArgs, toolCallName }) => { toolCallArgs[toolCallName]; },
    onRunFinishedEvent: (params) => { if (params.outcome === "interrupt") params.interrupts.length; },
    onRunFailed: ({ error }) => ({ stopPropagation: error.code === "network" }),
    onEvent: async ({ messages }) => ({ messages: [...messages, { role: "user", content: "more" }], state: null }),
  });
  [result, newMessages[0]?.id, outcome === "aborted"];
  // @ts-expect-error no such outcome
  outcome === "failed";
  await agent.send("Hi");
  await agent.send([new Blob([]), "words", { type: "text", text: "x" }]);
  await agent.resume([{ interruptId: "i", status: "cancelled" }]);
  await agent.patchState([{ op: "replace", path: "/a", value: 1 }, { op: "move", from: "/a", path: "/b" }]);
  // @ts-expect-error replace needs a value
  await agent.patchState([{ op: "replace", path: "/a" }]);
  // @ts-expect-error no such operation
  await agent.patchState([{ op: "append", path: "/a", value: 1 }]);
  await agent.detachActiveRun();
}
hold;
is<Equal<ReturnType<typeof agent.clone>, HttpAgent>>();
is<Equal<ReturnType<typeof agent.branch>, HttpAgent>>();
agent.messages = [{ role: "user", content: "Hi" }];
agent.messages[0]?.id.trim();
// @ts-expect-error the snapshots are read-only
agent.messages.push({ id: "1", role: "user", content: "" });
// @ts-expect-error told, not set
agent.isRunning = true;
agent.headers = { a: "b" };
const stop: () => void = agent.onChange(({ messages, isRunning }) => [messages.length, isRunning]);
const unwatch: () => void = agent.watch((event) => event.type === "TEXT_MESSAGE_CONTENT" && event.delta);
unwatch();
stop();
agent.subscribe({ onMessagesChanged: ({ messages }) => { messages.length; } }).unsubscribe();
// @ts-expect-error no such hook
agent.subscribe({ onMessage: () => {} });
// @ts-expect-error a config is no URL
new HttpAgent("https://x.test/");
// @ts-expect-error no such history
new HttpAgent({ history: "none" });

class Own extends AbstractAgent {
  run(input: RunAgentInput): RunSource {
    return [{ type: "RUN_STARTED", threadId: input.threadId, runId: input.runId }];
  }
}
new Own({ threadId: "t" }).use((input, next) => next.run(input),
  new FunctionMiddleware((input, next) => next.run(input)));
class Log extends Middleware {
  run(input: RunAgentInput, next: NextAgent) {
    return this.runNextWithState(input, next).pipe((source) => source);
  }
}
agent.use(new Log());
// @ts-expect-error it has no run
class Idle extends Middleware {}
Idle;

// ----------------------------------------------------------------------------------------------------------------- vie

const mounted = mount("#chat", {
  agent, lang: "zh-CN", labels: { send: "Go" }, theme: "auto", attach: false, remoteImages: true, maxFileBytes: 1,
  renderers: {
    tools: {
      sum: (container, call) => {
        container.textContent = call.status === "done" ? String(call.result) : call.argumentsText;
        call.respond(1);
        call.respond(undefined, { error: "no", run: false });
      },
    },
    activities: { plan: (_container, activity) => () => activity.content },
  },
});
mounted.ready.then(() => mounted.unmount());
mount(document.body, { url: "/agent", tools: [], threadId: "t" });
// @ts-expect-error no such theme
mount("#chat", { theme: "blue" });
// @ts-expect-error no such option
mount("#chat", { label: {} });
// @ts-expect-error not an agent of this runtime
mount("#chat", { agent: {} });
// @ts-expect-error no such label
mount("#chat", { labels: { sendButton: "Go" } });

// ------------------------------------------------------------------------------------------------------------ the stat

const typed = new HttpAgent<{ guests: number }>({ url: "/agent" });
const guests: number = typed.state.guests;
typed.onChange(({ state }) => state.guests + guests);
// @ts-expect-error no such member
typed.state.rooms;
typed.clone().state.guests;
