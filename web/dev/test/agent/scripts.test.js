// Random scripts of what people do, against a server that answers at random, from fixed seeds: sends, answers,
// approvals, dismissals, aborts, second thoughts, reloads, and results that come late from handlers and from the
// server. What must hold is small: never two requests at once; each request holds one answer of each call that a person
// or the page can answer; a handler runs once, and what it says after an abort goes nowhere. state/thread has it
// natively, a thousand scripts long; here are 48, other ones in each engine. SCRIPTS=1000 SEED=5000 looks further.
import test from "node:test";
import assert from "node:assert/strict";
import { engine } from "../harness/browser.js";
import { sse } from "../harness/faults.js";
import { numbers } from "../harness/kept.js";
import { people } from "./people.js";
import { call, text } from "./scripted.js";

const { inPage, respond } = people();

const SAMPLES = { chromium: [24, 0], firefox: [12, 24], webkit: [12, 36] };
const SCRIPTS = Number(process.env.SCRIPTS ?? SAMPLES[engine][0]);
const SEED = Number(process.env.SEED ?? SAMPLES[engine][1]);
const KNOWN = ["ask", "page", "gate"];

/** The calls of a request's messages that it holds no answer of, or two. */
function unfit(/** @type {any[]} */ messages) {
  const answers = messages.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId);
  return messages.flatMap(({ toolCalls = [] }) => toolCalls).flatMap(({ id, function: { name } }) => {
    const n = answers.filter((each) => each === id).length;
    return n > 1 || (n === 0 && KNOWN.includes(name)) ? [`${n} answers of ${name} ${id}`] : [];
  });
}

/** A server that answers the n-th request of a thread with what the thread's own numbers say. */
function server(/** @type {string[]} */ faults) {
  /** @type {Map<string, {random: () => number, n: number, calls: string[]}>} */
  const threads = new Map();
  return respond((seen) => {
    const { threadId, runId, messages } = seen.json;
    const thread = threads.get(threadId) ?? { random: numbers(Number(threadId.slice(1)) + 1), n: 0, calls: [] };
    threads.set(threadId, thread);
    const { random, calls } = thread;
    const n = thread.n++;
    faults.push(...unfit(messages).map((fault) => `${threadId} request ${n}: ${fault}`));
    const pick = (/** @type {any[]} */ list) => list[Math.floor(random() * list.length)];
    // A handler does not run by itself beside an interrupt, which may be about its very call.
    const asks = random() < 0.15;
    const names = asks ? ["ask", "gate", "server"] : [...KNOWN, "page", "server"];
    const ids = Array.from({ length: Math.floor(random() * 3.5) }, (_, i) => `${threadId}-c${n}-${i}`);
    const events = ids.flatMap((id) => call(id, pick(names), `${threadId}-m${n}`, "{}"));
    if (calls.length > 0 && random() < 0.2) {
      const late = { type: "TOOL_CALL_RESULT", messageId: `${threadId}-late${n}`, toolCallId: pick(calls) };
      events.push({ ...late, content: "from the server" });
    }
    calls.push(...ids);
    const first = [{ type: "RUN_STARTED", threadId, runId }, ...events];
    const last = { type: "RUN_FINISHED", threadId, runId };
    const words = text(`${threadId}-a${n}`, "x");
    const outcome = { type: "interrupt", interrupts: [{ id: `${threadId}-i${n}`, reason: "confirmation" }] };
    const well = [...words, last];
    const cut = words.slice(0, 2);
    const failed = [{ type: "RUN_ERROR", message: "no" }];
    const rest = asks ? [{ ...last, outcome }] : pick([well, well, well, [last], cut, failed]);
    return { body: [sse(...first), sse(...rest)], delay: Math.floor(random() * 15) };
  });
}

test(`${SCRIPTS} random scripts: one request at a time, one answer of each call, one run of each handler`, async () => {
  /** @type {string[]} */
  const faults = [];
  const told = await inPage(inThePage, { url: server(faults), scripts: SCRIPTS, from: SEED });
  // A fault is shown with what its script did.
  assert.deepEqual([...faults, ...told.faults].map((line) => `${line}: ${told.logs[line.split(/\W/)[0]]}`), []);
  const kinds = Object.keys(told.did).length;
  // Few scripts may miss one of the twelve.
  assert.ok(kinds === 12 || (SCRIPTS < 24 && kinds > 8), `${kinds} of 12 kinds of steps did their work`);
});

async function inThePage(/** @type {any} */ { url, scripts, from }) {
  const faults = /** @type {string[]} */ ([]);
  const logs = /** @type {Record<string, string[]>} */ ({});
  const did = /** @type {Record<string, boolean>} */ ({});
  const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

  async function script(/** @type {number} */ seed) {
    const random = T.random(seed);
    const below = (/** @type {number} */ n) => Math.floor(random() * n);
    const any = (/** @type {any[]} */ list) => list[below(list.length)] ?? "none";
    const threadId = `t${seed}`;
    const log = logs[threadId] = /** @type {string[]} */ ([]);

    const ran = new Set();
    const handler = async (/** @type {any} */ _args, /** @type {any} */ { toolCall, signal }) => {
      if (ran.has(toolCall.id)) faults.push(`${threadId}: the handler of ${toolCall.id} runs twice`);
      ran.add(toolCall.id);
      await sleep(below(4) === 0 ? 60 : below(12)); // deaf to its signal
      return signal.aborted ? "late" : "done";
    };
    // A request is over when its body has come to its end, or when it was given up.
    const open = new Set();
    const counted = async (/** @type {any} */ url, /** @type {any} */ init) => {
      for (const { signal } of open) if (!signal.aborted) faults.push(`${threadId}: two requests at once`);
      open.add(init);
      log.push(`>${JSON.parse(init.body).messages.length}`);
      const over = () => { open.delete(init); };
      const { status, headers, body } = await fetch(url, init).catch((thrown) => { over(); throw thrown; });
      return new Response(body?.pipeThrough(new TransformStream({ flush: over })), { status, headers });
    };
    const make = (/** @type {any[]} */ initialMessages, initialState = {}) => new agui.HttpAgent({
      url, fetch: counted, threadId, initialMessages, initialState, onWarning: () => {}, tools: [
        { name: "ask", description: "" },
        { name: "page", description: "", handler, ...(below(4) === 0 ? { timeoutMs: 30 } : {}) },
        { name: "gate", description: "", needsApproval: true, handler },
      ],
    });

    let agent = make([]);
    const calls = () => agent.messages.flatMap((/** @type {any} */ m) => m.toolCalls ?? []).map(({ id }) => id);
    const said = () => agent.messages.filter(({ role }) => role === "user").map(({ id }) => id);
    const resumed = ({ id }) => ({ interruptId: id, status: "resolved", payload: true });
    const steps = {
      send: () => agent.send("words", { whileRunning: any(["refuse", "queue", "queue", "interrupt"]) }),
      answer: () => agent.answer(any(calls()), "answer", { run: below(4) > 0 }),
      waiting: () => agent.answer(any(agent.pendingToolCallIds), "answer"),
      approve: () => agent.approve(any(agent.pendingToolCallIds), below(3) > 0),
      pending: () => agent.answerPending(),
      dismiss: () => agent.dismiss(below(2) ? any(agent.pendingToolCallIds) : undefined),
      abort: async () => agent.abortRun(),
      resume: () => agent.resume(agent.pendingInterrupts.map(resumed)),
      edit: () => agent.edit(any(said()), "other words"),
      regenerate: () => agent.regenerate(),
      unqueue: async () => agent.unqueue(any(agent.queue)?.id ?? ""),
      async reload() {
        const { messages, state } = JSON.parse(JSON.stringify({ messages: agent.messages, state: agent.state }));
        agent.dispose();
        agent = make(messages, state);
      },
    };
    const names = Object.keys(steps).concat("send", "send");
    const expected = ["bad_input", "run_error", "incomplete_stream"];
    const doing = new Set();
    for (let i = 0; i < 14; i++) {
      // Half of the steps come when nothing runs, and half of those do what is waited for.
      const calm = below(2) === 0;
      for (let n = 0; calm && agent.isRunning && n < 40; n++) await sleep(8);
      let wanted = agent.pendingToolCallIds.length > 0 ? ["waiting", "approve", "pending"] : names;
      if (agent.pendingInterrupts.length > 0) wanted = ["resume"];
      const name = any(calm && below(2) === 0 ? wanted : names);
      log.push(name);
      // Many of these may not be now: that is an error of the call alone.
      const over = steps[name]().then(() => { did[name] = true; }, (/** @type {any} */ e) => {
        if (!expected.includes(e.code)) faults.push(`${threadId} ${name}: ${e.code} ${e.message}`);
      });
      doing.add(over);
      void over.then(() => doing.delete(over));
      await sleep(below(10));
    }
    // Each call is settled once what runs is stopped, and a person can go on; then each tool call has its answer.
    for (let n = 0; n < 200 && doing.size > 0; n++) {
      agent.abortRun();
      for (const { id } of agent.queue) agent.unqueue(id);
      await sleep(20);
    }
    if (doing.size > 0) faults.push(`${threadId}: ${doing.size} calls are never settled`);
    await sleep(80); // the last handler
    await agent.dismiss();
    await agent.send("the end").catch((/** @type {any} */ e) => {
      if (e.code === "bad_input") faults.push(`${threadId}: stuck, ${e.message}`);
    });
    agent.abortRun();
    const late = agent.messages.filter(({ content }) => content === "late").map(({ toolCallId }) => toolCallId);
    if (late.length > 0) faults.push(`${threadId}: a handler answers ${late} behind its abort`);
    agent.dispose();
  }

  for (let at = 0; at < scripts; at += 24) {
    await Promise.all(Array.from({ length: Math.min(24, scripts - at) }, (_, i) => script(from + at + i)));
  }
  return { faults, did, logs };
}
