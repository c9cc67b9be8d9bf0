// The list of scripted conversations that the reference client and this runtime both go through. Each gives what came
// of it; what differs on purpose is named with its reason under `differs`: a path into what it gives, or the whole of
// it.
import { map, from, Observable as RxObservable, tap } from "rxjs";
import { call, finished, hanging, listener, plain, run, scriptedAgent, settle, started, text } from "./scripted.js";
import { sse } from "../harness/faults.js";

const user = (/** @type {string} */ id, content = id) => ({ id, role: "user", content });

/** What holds after a conversation. */
const end = (/** @type {any} */ agent, /** @type {any[]} */ log, more = {}) => ({
  messages: plain(agent.messages), state: plain(agent.state), running: agent.isRunning,
  interrupts: plain(agent.pendingInterrupts), log, ...more,
});

const failure = (/** @type {Promise<any>} */ promise) => promise.then(() => "no error",
  (error) => ({ failed: true, names: /** @type {string} */ (error.message).match(/\bi\d\b/g) ?? [] }));

/** What of a result both have. */
const result = (/** @type {any} */ r) => plain({ result: r.result, newMessages: r.newMessages });

/**
 * @typedef {object} Conversation
 * @property {string} name
 * @property {any[]} scripts
 * @property {(lib: any, url: string, log: any[]) => Promise<any>} go
 * @property {Record<string, string>} [differs] path or "order": reason
 */

/** @type {Conversation[]} */
export const conversations = [
  {
    name: "three turns of text",
    scripts: [run(...text("a1", "Hel", "lo")),
      run(...text("a2", "yes"), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }),
      [started, { type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 2 }] }, ...text("a3", "x"),
        finished({ result: { done: true } })]],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      const results = [result(await agent.runAgent({}, listener(log)))];
      for (const id of ["u2", "u3"]) {
        agent.addMessage(user(id));
        await settle();
        results.push(result(await agent.runAgent(
          { forwardedProps: { id }, context: [{ description: "d", value: "v" }] }, listener(log))));
      }
      await settle();
      return end(agent, log, { results });
    },
  },
  {
    name: "a tool that the server answers, and one that the page answers by hand",
    scripts: [
      run(...call("c1", "find", "a1", '{"q":', '"x"}'), { type: "TOOL_CALL_RESULT", messageId: "q1", toolCallId: "c1",
        content: "found", role: "tool" }, ...text("a2", "ok")),
      run(...call("c2", "ask", "a3", "{}")),
      run(...text("a4", "thanks")),
    ],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      agent.subscribe(listener(log));
      const results = [result(await agent.runAgent()),
        result(await agent.runAgent({ tools: [{ name: "ask", description: "asks", parameters: {} }] }))];
      agent.addMessage({ id: "q2", role: "tool", toolCallId: "c2", content: "42" });
      await settle();
      results.push(result(await agent.runAgent()));
      await settle();
      return end(agent, log, { results });
    },
  },
  {
    name: "an interrupt: refused without answers, resumed with them",
    scripts: [
      [started, ...call("c1", "deploy", "a1", "{}"), finished({
        outcome: {
          type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" },
            { id: "i2", reason: "confirmation", message: "Sure?" }],
        },
      })],
      [started, { type: "TOOL_CALL_RESULT", messageId: "q1", toolCallId: "c1", content: "deployed", role: "tool" },
        finished({ outcome: { type: "success" } })],
    ],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      agent.subscribe(listener(log));
      const results = [result(await agent.runAgent())];
      const open = plain(agent.pendingInterrupts);
      const refused = [
        await failure(agent.runAgent()),
        await failure(agent.runAgent({ resume: [{ interruptId: "i1", status: "resolved", payload: true }] })),
      ];
      const running = agent.isRunning;
      results.push(result(await agent.runAgent({
        resume: [{ interruptId: "i1", status: "resolved", payload: true }, { interruptId: "i2", status: "cancelled" }],
      })));
      await settle();
      return end(agent, log, { results, open, refused, running });
    },
    differs: {
      "bodies.1.parentRunId": "a run that answers interrupts names the one that asked: a server demands it",
      "log.*.input.parentRunId": "the same",
    },
  },
  {
    name: "an expired interrupt can only be cancelled",
    scripts: [[started,
      finished({ outcome: { type: "interrupt",
        interrupts: [{ id: "i1", reason: "confirmation", expiresAt: "2020-01-01T00:00:00Z" }] } })],
          run(...text("a1", "ok"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      await agent.runAgent();
      const refused = await failure(agent.runAgent({ resume: [{ interruptId: "i1", status: "resolved" }] }));
      const open = agent.pendingInterrupts.length;
      const done = result(await agent.runAgent({ resume: [{ interruptId: "i1", status: "cancelled" }] }));
      return end(agent, log, { refused, open, done });
    },
    differs: { "bodies.1.parentRunId": "a run that answers interrupts names the one that asked: a server demands it" },
  },
  {
    name: "an aborted run, and the next one at once",
    scripts: [hanging(started, ...text("a1", "part").slice(0, 2)), run(...text("a2", "whole"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      /** @type {Promise<any>} */
      const seen = new Promise((resolve) => agent.subscribe({
        onTextMessageContentEvent: () => setTimeout(resolve, 30),
      }));
      const first = agent.runAgent({}, listener(log));
      await seen;
      agent.abortRun();
      const results = [result(await first)];
      await settle();
      const running = agent.isRunning;
      results.push(result(await agent.runAgent({}, listener(log))));
      await settle();
      return end(agent, log, { results, running });
    },
    differs: {
      order: "the reference makes a RUN_ERROR event of an abort and calls onEvent and onRunErrorEvent with it; here nothing is made up: the run ends, onRunFinalized is called, and the result says outcome \"aborted\"",
    },
  },
  {
    name: "detachActiveRun",
    scripts: [hanging(started, ...text("a1", "part").slice(0, 2))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      /** @type {Promise<any>} */
      const seen = new Promise((resolve) => agent.subscribe({
        onTextMessageContentEvent: () => setTimeout(resolve, 30),
      }));
      const first = agent.runAgent({}, listener(log));
      await seen;
      await agent.detachActiveRun();
      const results = [result(await first)];
      await settle();
      agent.abortRun();
      return end(agent, log, { results });
    },
  },
  {
    name: "hooks that change messages and state",
    scripts: [run(...text("a1", "x", "y"), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }), run()],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")], initialState: { a: 1 } });
      agent.subscribe(listener(log, "1:", {
        onRunInitialized: ({ messages, state }) => ({
          messages: [...messages, user(`i${messages.length}`)], state: { ...state, initialized: true },
        }),
        onTextMessageStartEvent: ({ messages }) => ({ messages: [...messages, user("s")] }),
        onStateSnapshotEvent: ({ state }) => ({ state: { ...state, lost: true } }),
        onRunFinishedEvent: ({ state }) => ({ state: { ...state, finished: true } }),
        onRunFinalized: ({ messages }) => ({ messages: messages.slice(1) }),
      }));
      agent.subscribe(listener(log, "2:"));
      await agent.runAgent();
      await settle();
      await agent.runAgent();
      await settle();
      return end(agent, log);
    },
    differs: Object.fromEntries(["log.*.state.initialized", "log.*.input.state.initialized"].map((path) => [path,
      "where onRunInitialized returns both, onMessagesChanged sees the new state too; the reference sets the state after it"])),
  },
  {
    name: "stopPropagation of a hook and of onEvent",
    scripts: [run(...text("a1", "x", "no", "y"), ...text("a2", "dropped"), ...call("c1", "f", "a3", "{}"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      agent.subscribe(listener(log, "1:", {
        onEvent: ({ event }) => (event.messageId === "a2" ? { stopPropagation: true } : undefined),
        onTextMessageContentEvent: ({ event }) => (event.delta === "no" ? { stopPropagation: true } : {}),
        onToolCallEndEvent: () => ({ stopPropagation: true }),
      }));
      agent.subscribe(listener(log, "2:"));
      await agent.runAgent();
      await settle();
      return end(agent, log);
    },
  },
  {
    name: "stopPropagation of RUN_FINISHED keeps its interrupts away",
    scripts: [[started, finished({
      outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "confirmation" }] },
    })]],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      await agent.runAgent({}, listener(log, "", { onRunFinishedEvent: () => ({ stopPropagation: true }) }));
      return end(agent, log);
    },
  },
  {
    name: "async hooks, in order",
    scripts: [run(...text("a1", "x", "y"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      const slow = async (/** @type {any} */ { event }) => {
        await settle(event.delta === "x" ? 30 : 1);
        log.push({ hook: `waited(${event.type})`, messages: [], state: {} });
      };
      agent.subscribe(listener(log, "1:", {
        onEvent: slow, onTextMessageContentEvent: async ({ messages }) => (
          { messages: [...messages, user("u" + messages.length)] }),
      }));
      agent.subscribe(listener(log, "2:"));
      await agent.runAgent();
      await settle();
      return end(agent, log);
    },
    differs: Object.fromEntries(["messages.0.content", "log.*.textMessageBuffer",
      "log.*.message.content"].map((path) => [path,
      "a hook that replaces the messages while a text streams: the reference goes on writing into the array that was replaced and loses the text"])),
  },
  {
    name: "a hook that throws is passed over",
    scripts: [run(...text("a1", "x"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      agent.subscribe({
        onEvent: () => { throw new Error("hook"); }, onTextMessageEndEvent: async () => {
          throw new Error("async hook");
        },
      });
      agent.subscribe(listener(log));
      const results = [result(await agent.runAgent())];
      return end(agent, log, { results });
    },
  },
  {
    name: "setters tell the subscribers",
    scripts: [],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      const { unsubscribe } = agent.subscribe(listener(log));
      agent.addMessage(user("u1"));
      await settle();
      agent.addMessages([user("u2"), {
        id: "a1", role: "assistant", content: "", toolCalls: [{
          id: "c1", type: "function", function: { name: "f", arguments: "{}" },
        }],
      }]);
      await settle();
      agent.setMessages([user("u3")]);
      await settle();
      agent.setState({ n: 1 });
      await settle();
      agent.messages = [user("u4")];
      agent.state = 5;
      await settle();
      unsubscribe();
      agent.setState({});
      await settle();
      return end(agent, log);
    },
  },
  {
    name: "clone",
    scripts: [run(...text("a1", "x")), run(...text("a2", "y"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({
        url, threadId: "t1", agentId: "me", description: "d", initialMessages: [user("u1")], headers: { "x-a": "1" },
      });
      agent.subscribe(listener(log));
      await agent.runAgent();
      const clone = agent.clone();
      agent.addMessage(user("u2"));
      await settle();
      const at = log.length;
      await clone.runAgent();
      await settle();
      return end(agent, log, {
        clone: {
          messages: plain(clone.messages), agentId: clone.agentId, threadId: clone.threadId,
          description: clone.description, url: clone.url === agent.url, headers: clone.headers,
          kind: clone instanceof HttpAgent,
        },
        heard: log.length > at,
      });
    },
  },
  {
    name: "middleware: a function, a class, and the order of both",
    scripts: [run(...text("a1", "x")), run(...text("a2", "y"))],
    async go({ HttpAgent, Middleware }, url, log) {
      /** @type {string[]} */
      const steps = [];
      class Marked extends Middleware {
        /** @param {any} input @param {any} next */
        run(input, next) {
          steps.push(`class ${input.forwardedProps.by ?? "nobody"} ${next.messages.length}`);
          return this.runNext(input, next)
            .pipe(tap((/** @type {any} */ event) => steps.push(`class saw ${event.type}`)));
        }
      }
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      const back = agent.use((/** @type {any} */ input, /** @type {any} */ next) => {
        steps.push("function");
        return next.run({ ...input, forwardedProps: { by: "function" } })
          .pipe(map((/** @type {any} */ event) => (event.type === "TEXT_MESSAGE_CONTENT"
          ? { ...event, delta: event.delta.toUpperCase() } : event)));
      }, new Marked());
      await agent.runAgent({}, listener(log));
      agent.use((/** @type {any} */ input, /** @type {any} */ next) => from(next.run(input)));
      await agent.runAgent();
      return end(agent, log, { steps, chained: back === agent });
    },
  },
  {
    name: "middleware with chunks: whole events by runNext, states by runNextWithState",
    scripts: [[started, { type: "TEXT_MESSAGE_CHUNK", messageId: "a1", role: "assistant", delta: "x" },
      { type: "TEXT_MESSAGE_CHUNK", delta: "y" }, { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, finished()]],
    async go({ HttpAgent, Middleware }, url, log) {
      /** @type {any[]} */
      const seen = [];
      class Looking extends Middleware {
        /** @param {any} input @param {any} next */
        run(input, next) {
          return this.runNextWithState(input, next).pipe(map((/** @type {any} */ { event, messages, state }) => {
            seen.push([event.type, plain(messages), plain(state)]);
            return event;
          }));
        }
      }
      const agent = new HttpAgent({ url, threadId: "t1" });
      agent.use(new Looking());
      await agent.runAgent({}, listener(log));
      return end(agent, log, { seen });
    },
  },
  {
    name: "a middleware that answers by itself",
    scripts: [],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      agent.use(() => from(run(...text("a1", "from here"))));
      const results = [result(await agent.runAgent({}, listener(log)))];
      return end(agent, log, { results });
    },
  },
  {
    name: "an agent of one's own, with RxJS",
    scripts: [],
    async go({ AbstractAgent }, url, log) {
      class Own extends AbstractAgent {
        /** @param {any} input */
        run(input) {
          return new RxObservable((/** @type {any} */ observer) => {
            for (const event of run(...text("a1", `${input.messages.length} messages`))) observer.next(event);
            observer.complete();
          });
        }
      }
      const agent = new Own({ threadId: "t1", initialMessages: [user("u1")] });
      const results = [result(await agent.runAgent({ runId: "mine" }, listener(log)))];
      return end(agent, log, { results });
    },
  },
  {
    name: "an agent of one's own that fails",
    scripts: [],
    async go({ AbstractAgent }, url, log) {
      class Own extends AbstractAgent {
        run() {
          return new RxObservable((/** @type {any} */ observer) => {
            observer.next(started);
            observer.error(new Error("broken"));
          });
        }
      }
      const agent = new Own({ threadId: "t1" });
      const failed = await agent.runAgent({}, listener(log))
        .then(() => "no error", (/** @type {any} */ e) => /broken/.test(e.message));
      await settle();
      const swallowed = await agent.runAgent({},
        { onRunFailed: () => ({ stopPropagation: true, state: { failed: true } }) }).then(result);
      return end(agent, log, { failed, swallowed });
    },
    differs: {
      order: "the reference's error overtakes the event before it, whose own hook is called after onRunFailed; here everything before the fault is told first",
    },
  },
  {
    name: "an HTTP error",
    scripts: [{ status: 500, headers: { "content-type": "application/json" }, body: '{"detail":"no"}' },
      run(...text("a1", "x"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      const failed = await agent.runAgent({}, listener(log))
        .then(() => null, (/** @type {any} */ e) => ({ status: e.status, payload: e.payload }));
      await settle();
      const results = [result(await agent.runAgent())];
      return end(agent, log, { failed, results });
    },
  },
  {
    name: "RUN_ERROR",
    scripts: [[started, ...text("a1", "x"), { type: "RUN_ERROR", message: "boom", code: "c" }],
      run(...text("a2", "y"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      const failed = await agent.runAgent({}, listener(log)).then(() => "resolves", () => "rejects");
      await settle();
      const results = [result(await agent.runAgent())];
      return end(agent, log, { failed, results });
    },
    differs: {
      failed: "the reference resolves; a failed run rejects here (run_error, with the event)",
      order: "so onRunFailed is called, after onRunErrorEvent",
    },
  },
  {
    name: "reasoning, activities, steps, custom and raw events, subagents",
    scripts: [run(
      { type: "STEP_STARTED", stepName: "s" }, { type: "STEP_FINISHED", stepName: "s" },
      { type: "REASONING_START", messageId: "s1" }, {
        type: "REASONING_MESSAGE_START", messageId: "rm", role: "reasoning",
      },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "rm", delta: "hm" },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "rm", delta: "!" },
      { type: "REASONING_MESSAGE_END", messageId: "rm" }, { type: "REASONING_END", messageId: "s1" },
      { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "rm", encryptedValue: "E" },
      { type: "ACTIVITY_SNAPSHOT", messageId: "ac", activityType: "plan", content: { n: 1 } },
      {
        type: "ACTIVITY_DELTA", messageId: "ac", activityType: "plan", patch: [{ op: "replace", path: "/n", value: 2 }],
      },
      { type: "ACTIVITY_SNAPSHOT", messageId: "ac", activityType: "plan", content: { n: 3 } },
      { type: "SUBAGENT_STARTED", subagentRunId: "sub", name: "helper" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "sub" },
      { type: "CUSTOM", name: "c", value: 1 }, { type: "RAW", event: { x: 1 } }, ...text("a1", "x"),
    ), run()],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1" });
      agent.subscribe(listener(log));
      await agent.runAgent();
      await agent.runAgent();
      await settle();
      return end(agent, log);
    },
  },
  {
    name: "MESSAGES_SNAPSHOT and RUN_STARTED.input",
    scripts: [[{ ...started, input: { threadId: "t1", runId: "r1", messages: [user("u1"), user("u0")], state: {},
      tools: [], context: [] } }, ...text("a1", "x"),
        { type: "MESSAGES_SNAPSHOT", messages: [user("u1"), { id: "a1", role: "assistant", content: "x!" },
          user("u9")] }, finished()]],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", initialMessages: [user("u1")] });
      const results = [result(await agent.runAgent({}, listener(log)))];
      return end(agent, log, { results });
    },
  },
  {
    name: "debug output of a run's life",
    scripts: [run(...text("a1", "x"))],
    async go({ HttpAgent }, url, log) {
      const agent = new HttpAgent({ url, threadId: "t1", agentId: "me", debug: { events: false } });
      const debug = console.debug;
      /** @type {any[]} */
      const lines = [];
      console.debug = (...args) => lines.push(plain(args));
      try {
        await agent.runAgent();
      } finally {
        console.debug = debug;
      }
      return end(agent, log, { lines: lines.filter(([line]) => line.startsWith("[LIFECYCLE]")), config: agent.debug });
    },
  },
];
