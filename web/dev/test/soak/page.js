// A soak's page: four lanes of runs one after the other, each held against its plan, and one run that lasts throughout.
import { plan, randomOf } from "./traffic.js";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const report = { done: 0, left: 0, events: 0, hostile: 0, byOutcome: {}, byKind: {}, long: 0, wrong: [] };
let going = true;
let resetIsEnd = false;
let next = 0;
let wanted = Promise.resolve();

const wrong = (seed, what) => {
  if (report.wrong.length < 20) report.wrong.push(`${seed}: ${what}`);
};

/** What an error says, and what it came from. */
const said = (error) => `${error.message}${error.cause ? ` (${error.cause.stack ?? error.cause})` : ""}`;

/** Holds what came of a number against its plan. */
function check(seed, planned, got, full) {
  report.done++;
  report.events += got.events.length;
  report.byOutcome[got.outcome] = (report.byOutcome[got.outcome] ?? 0) + 1;
  // WebKit's fetch takes a chunked body that breaks off for a whole one.
  const alike = resetIsEnd && planned.fault === "reset" && got.outcome === "incomplete_stream";
  if (got.outcome !== planned.outcome && !alike) {
    wrong(seed, `${planned.fault} gave ${got.outcome}, not ${planned.outcome}: ${got.message}`);
  }
  if (got.endings !== 1) wrong(seed, `${got.endings} endings`);
  if (full) {
    if (JSON.stringify(got.events) !== JSON.stringify(planned.events)) {
      wrong(seed, `${planned.fault}: ${got.events.length} events came of ${planned.events.length}, or others`);
    }
  } else if (got.events.length < planned.events.length) wrong(seed,
    `${planned.fault}: ${got.events.length} events came of ${planned.events.length}`);
  const message = got.messages.find((m) => m.id === `m${seed}`);
  if ((message?.content ?? "") !== planned.text) wrong(seed, `${planned.fault}: another text`);
  if (planned.state !== undefined && JSON.stringify(got.state) !== JSON.stringify(planned.state)) {
    wrong(seed, `${planned.fault}: another state`);
  }
}

/** Tells the server that all is read that comes before a reset. */
function noteRead(seed, planned, count, read) {
  if (planned.fault === "reset" && count === planned.events.length) {
    fetch(`${read}?seed=${seed}`, { method: "POST" }).catch(() => {});
  }
}

const options = (planned) => ({
  idleTimeoutMs: planned.fault === "stall" ? 2500 : 60000, maxEventBytes: 1 << 20, onWarning() {},
});

/** One run by an observer; some are left at a moment of chance. */
function observed(seed, url, read, random) {
  const planned = plan(seed);
  const leaveAt = random() < 0.15 ? Math.floor(random() * planned.events.length) : -1;
  return new Promise((resolve) => {
    const got = { events: [], outcome: "", endings: 0, message: "" };
    const over = (outcome, message) => {
      got.endings++;
      if (got.endings > 1) return wrong(seed, "a second ending");
      Object.assign(got, { outcome, message, messages: subscription.messages, state: subscription.state });
      setTimeout(() => {
        check(seed, planned, got, true);
        resolve();
      }, 0);
    };
    const subscription = agui.run({}, { url: `${url}?seed=${seed}`, ...options(planned) }).subscribe({
      next(event) {
        got.events.push(event);
        noteRead(seed, planned, got.events.length, read);
        if (got.events.length > leaveAt && leaveAt >= 0) {
          subscription.unsubscribe();
          report.left++;
          resolve();
        }
      },
      error: (error) => over(error.code, said(error)),
      complete: () => over("complete"),
    });
  });
}

/** One run by for await. */
async function iterated(seed, url, read) {
  const planned = plan(seed);
  const got = { events: [], outcome: "complete", endings: 1, message: "" };
  const iterator = agui.run({}, { url: `${url}?seed=${seed}`, ...options(planned) })[Symbol.asyncIterator]();
  try {
    for await (const event of iterator) {
      got.events.push(event);
      noteRead(seed, planned, got.events.length, read);
      if (got.events.length % 500 === 0) await sleep(5);
    }
  } catch (error) {
    Object.assign(got, { outcome: error.code ?? String(error), message: said(error) });
  }
  check(seed, planned, { ...got, messages: iterator.messages, state: iterator.state }, true);
}

/** A conversation of a few runs, with hooks (one event at a time) or without, and a tool of the page's. */
async function conversed(url, read, random) {
  const agent = new agui.HttpAgent({
    url, tools: [{ name: "double", description: "", parameters: {}, handler: ({ n }) => String(2 * n) }],
  });
  const hooks = random() < 0.5;
  for (let turn = 0; turn < 6 && going; turn++) {
    const seed = ++next;
    const planned = plan(seed);
    agent.url = `${url}?seed=${seed}`;
    // What an agent's request has no option for comes by its fetch: a limit on silence.
    if (planned.fault === "stall" || planned.fault === "huge") continue;
    agent.addMessage({ id: `q${seed}`, role: "user", content: "?" });
    const got = { events: [], outcome: "complete", endings: 1, message: "" };
    const hear = (event) => {
      got.events.push(event);
      noteRead(seed, planned, got.events.length, read);
    };
    try {
      const subscriber = hooks || planned.fault === "reset" ? { onEvent: ({ event }) => hear(event) } : undefined;
      const { outcome } = await agent.runAgent({}, subscriber);
      if (outcome !== "success") wrong(seed, `the agent's outcome is ${outcome}`);
      if (planned.tool && agent.messages.at(-1)?.content !== "twice") wrong(seed, "the tool's answer led to nothing");
    } catch (error) {
      Object.assign(got, { outcome: error.code ?? String(error), message: said(error) });
    }
    if (!hooks && planned.fault !== "reset") got.events = planned.events;
    check(seed, planned, { ...got, messages: agent.messages, state: agent.state }, false);
  }
}

/** One hostile stream after the other: each ends once, and the others go on. */
async function attacked(url, kinds) {
  for (let i = 0; going; i++) {
    const kind = kinds[i % kinds.length];
    await new Promise((resolve) => {
      let endings = 0;
      const over = (how) => {
        if (++endings > 1) wrong(kind, "a second ending");
        report.byKind[kind] = how;
        resolve();
      };
      agui.run({}, { url: `${url}?kind=${kind}`, idleTimeoutMs: 60000, onWarning() {} })
        .subscribe({ next() {}, error: (error) => over(error.code), complete: () => over("complete") });
    });
    report.hostile++;
    if ({}.polluted !== undefined) wrong(kind, "a prototype has changed");
    await sleep(50);
  }
}

globalThis.soak = {
  begin({ url, long, hostile, kinds, read, seed, lanes, ...how }) {
    ({ resetIsEnd } = how);
    next = seed;
    const random = randomOf(seed);
    // The run that lasts: each change must follow the one before.
    let last = 0;
    const subscription = agui.run({}, { url: long }).subscribe({
      next(event) {
        if (event.type !== "STATE_DELTA") return;
        const { n } = subscription.state;
        if (n !== last + 1) wrong("long", `${n} came after ${last}`);
        report.long = last = n;
      },
      error: (error) => wrong("long", error.message),
      complete: () => wrong("long", "it ended"),
    });
    wanted = Promise.all([attacked(hostile, kinds), ...Array.from({ length: lanes }, async () => {
      while (going) {
        const luck = random();
        if (luck < 0.5) await observed(++next, url, read, random);
        else if (luck < 0.75) await iterated(++next, url, read);
        else await conversed(url, read, random);
        await sleep(random() * 20);
      }
    })]).then(() => subscription.unsubscribe());
  },
  /** What came so far, with the memory once what is not needed is gone. */
  async look() {
    for (let i = 0; i < 3; i++) {
      await sleep(10);
      globalThis.gc?.();
    }
    return { ...report, heap: performance.memory?.usedJSHeapSize ?? 0, ...agui.debug() };
  },
  async end() {
    going = false;
    await wanted;
    await sleep(1500);
    return this.look();
  },
};
