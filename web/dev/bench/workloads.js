// Runs inside the bench's page. Each workload is the same bytes in the same chunks for both clients: ours, and
// @ag-ui/client with its runAgent, which keeps snapshots as ours does. Both get a handler for each event.
"use strict";

{
  const encoder = new TextEncoder();
  const frame = (event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
  const started = { type: "RUN_STARTED", threadId: "t1", runId: "r1" };
  const finished = { type: "RUN_FINISHED", threadId: "t1", runId: "r1" };
  const text = (id, deltas) => [
    { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
    ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
    { type: "TEXT_MESSAGE_END", messageId: id },
  ];
  const words = (n) => Array.from({ length: n }, (_, i) => `word ${i % 97} `);

  /** Cuts frames into chunks of size bytes; 0: one frame each. */
  function chunks(events, size) {
    const frames = [started, ...events, finished].map(frame);
    if (size === 0) return frames;
    const all = new Uint8Array(frames.reduce((n, f) => n + f.length, 0));
    let at = 0;
    for (const f of frames) {
      all.set(f, at);
      at += f.length;
    }
    const list = [];
    for (let i = 0; i < all.length; i += size) list.push(all.slice(i, i + size));
    return list;
  }

  /** A state of about n bytes: rows of a table. */
  function stateOf(bytes) {
    const rows = [];
    for (let n = 0; n < bytes; n += 92) {
      rows.push({
        id: `row-${rows.length}`, name: `a name of row ${rows.length}`, value: rows.length * 7, tags: ["a", "b"],
        on: true,
      });
    }
    return { title: "table", count: 0, rows };
  }

  const patches = (n, size) => Array.from({ length: n }, (_, i) => ({
    type: "STATE_DELTA",
    delta: [{ op: "replace", path: `/rows/${(i * 37) % size}/value`, value: i }, {
      op: "replace", path: "/count", value: i,
    }],
  }));

  const history = (n) => Array.from({ length: n }, (_, i) => ({
    id: `h${i}`, role: i % 2 ? "assistant" : "user",
    content: `message ${i}: ${"lorem ipsum dolor sit amet ".repeat(20)}`,
  }));

  const argumentsOf = (n) => [
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "write", parentMessageId: "m1" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: `{"text":"` },
    ...Array.from({ length: n - 2 }, (_, i) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: `piece ${i} ` })),
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: `"}` },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
  ];

  const large = stateOf(562 * 1024);
  const tiny = stateOf(1024);
  const array = { list: Array.from({ length: 5000 }, (_, i) => ({ id: i, name: `item ${i}` })) };
  const arrayPatches = Array.from({ length: 200 }, (_, i) => ({
    type: "STATE_DELTA",
    delta: [[{ op: "add", path: "/list/2500", value: { id: 9000 + i } }], [{ op: "remove", path: "/list/1200" }],
      [{ op: "move", from: "/list/10", path: "/list/4000" }]][i % 3],
  }));

  /**
   * name, the least ratio asked for (0: none), and how to make it. after: the time counts from this event's handler.
   * read: every handler reads messages and state. alone: the reference may not come to an end.
   */
  const list = [
    {
      name: "20,000 text events, 16 KB chunks", budget: 10,
      make: () => ({ chunks: chunks(text("m", words(20000)), 16384) }),
    },
    {
      name: "5,000 text events, 1 KB chunks", budget: 8, make: () => ({ chunks: chunks(text("m", words(5000)), 1024) }),
    },
    {
      name: "2,000 text events, one per chunk", budget: 4, make: () => ({ chunks: chunks(text("m", words(2000)), 0) }),
    },
    {
      name: "300 patches on a 1 KB state", budget: 3, after: "STATE_SNAPSHOT",
      make: () => ({
        chunks: chunks([{ type: "STATE_SNAPSHOT", snapshot: tiny }, ...patches(300, tiny.rows.length)], 1024),
      }),
    },
    {
      name: "2,000 text events after 500 messages", budget: 50,
      make: () => ({ chunks: chunks(text("m", words(2000)), 1024), messages: history(500) }),
    },
    { name: "5,000 tool-argument fragments", budget: 10, make: () => ({ chunks: chunks(argumentsOf(5000), 1024) }) },
    {
      name: "300 patches on a 562 KB state", budget: 200, after: "STATE_SNAPSHOT", few: true,
      make: () => ({
        chunks: chunks([{ type: "STATE_SNAPSHOT", snapshot: large }, ...patches(300, large.rows.length)], 1024),
      }),
    },
    {
      name: "the 1 KB state's 300 patches on 562 KB", budget: 0, few: true, after: "STATE_SNAPSHOT",
      make: () => ({
        chunks: chunks([{ type: "STATE_SNAPSHOT", snapshot: large }, ...patches(300, tiny.rows.length)], 1024),
      }),
    },
    {
      name: "a 2 MB snapshot", budget: 0, make: () => ({
        chunks: chunks([{ type: "STATE_SNAPSHOT", snapshot: stateOf(2 << 20) }], 16384),
      }),
    },
    {
      name: "a 4 MB message in 20,000 deltas", budget: 0, few: true, alone: true,
      make: () => ({ chunks: chunks(text("m", Array(20000).fill("x".repeat(209))), 16384) }),
    },
    {
      name: "200 patches on an array of 5,000", budget: 0, few: true, after: "STATE_SNAPSHOT",
      make: () => ({ chunks: chunks([{ type: "STATE_SNAPSHOT", snapshot: array }, ...arrayPatches], 1024) }),
    },
    {
      name: "5,000 text events, each handler reads", budget: 0, read: true,
      make: () => ({ chunks: chunks(text("m", words(5000)), 1024) }),
    },
    {
      name: "300 patches on 562 KB, each handler reads", budget: 0, few: true, read: true, after: "STATE_SNAPSHOT",
      make: () => ({
        chunks: chunks([{ type: "STATE_SNAPSHOT", snapshot: large }, ...patches(300, large.rows.length)], 1024),
      }),
    },
  ];

  /** A response whose chunks are all there: what the source of a stream costs is not what is compared. */
  function fetching(chunks) {
    return async () => {
      const stream = new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
  }

  /** A time that begins at the run, or at the handler of the event `after`. */
  function watch(after) {
    let begin = performance.now();
    let seen = 0;
    let first = 0;
    return {
      event(type) {
        seen++;
        if (type === after) begin = performance.now();
        else if (type === "STATE_DELTA") first ||= performance.now();
      },
      // later: from the first patch on, which opens what a snapshot holds
      end: () => ({ ms: performance.now() - begin, later: performance.now() - first, events: seen }),
    };
  }

  let sink = 0;
  function ours(work, made) {
    return new Promise((resolve, reject) => {
      const time = watch(work.after);
      const subscription = agui.run({ threadId: "t1", runId: "r1", messages: made.messages ?? [] },
        { url: "https://agent.test/", fetch: fetching(made.chunks) }).subscribe({
        next(event) {
          time.event(event.type);
          if (work.read) sink += subscription.messages.length + (subscription.state.count ?? 0);
        },
        error: reject,
        complete: () => resolve({ ...time.end(), messages: subscription.messages, state: subscription.state }),
      });
    });
  }

  async function theirs(work, made) {
    const time = watch(work.after);
    const agent = new reference.HttpAgent({
      url: "https://agent.test/", fetch: fetching(made.chunks), threadId: "t1", initialMessages: made.messages ?? [],
    });
    await agent.runAgent({ runId: "r1" }, {
      onEvent({ event, messages, state }) {
        time.event(event.type);
        if (work.read) sink += messages.length + (state?.count ?? 0);
      },
    });
    return { ...time.end(), messages: agent.messages, state: agent.state };
  }

  /**
   * Runs something until it gets no faster: the engine compiles well only what has run often, beside the page. 10 s at
   * most.
   */
  async function settle(run) {
    const times = [];
    const best = (list) => Math.min(...list);
    for (const limit = performance.now() + 10000; performance.now() < limit; ) {
      times.push((await run()).ms);
      if (times.length >= 30 && best(times.slice(-10)) > 0.97 * best(times.slice(0, -10))) return;
    }
  }

  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

  globalThis.bench = {
    works: list.map(({ name, budget, alone }) => ({ name, budget, alone })),

    /** Runs one workload on both, in turns, after a warm-up; checks once that both hold the same. */
    async compare(index) {
      const work = list[index];
      const made = work.make();
      const a = await ours(work, made);
      const b = await theirs(work, made);
      const same = JSON.stringify([a.messages, a.state]) === JSON.stringify([b.messages, b.state]) &&
        a.events === b.events;
      for (const client of [ours, theirs]) await settle(() => client(work, made));
      const times = { ours: [], later: [], theirs: [] };
      for (let i = 0; i < (work.few ? 3 : 9); i++) {
        for (let k = 0; k < 3; k++) {
          const { ms, later } = await ours(work, made);
          times.ours.push(ms);
          times.later.push(later);
        }
        times.theirs.push((await theirs(work, made)).ms);
      }
      return {
        name: work.name, budget: work.budget, ours: median(times.ours), later: median(times.later),
        theirs: median(times.theirs), events: a.events, same,
      };
    },

    /** The median of some runs of one workload on one client. */
    async alone(index, who, times) {
      const made = list[index].make();
      const took = [];
      for (let i = 0; i < times; i++) took.push((await (who === "ours" ? ours : theirs)(list[index], made)).ms);
      return median(took);
    },

    /**
     * What hooks cost: 20,000 text events through run(), an agent without hooks, and agents with one that does nothing.
     */
    async hooks() {
      const made = { chunks: chunks(text("m", words(20000)), 16384) };
      const agent = (hooks) => async () => {
        const begin = performance.now();
        const agent = new agui.HttpAgent({ url: "https://agent.test/", fetch: fetching(made.chunks), threadId: "t1" });
        if (hooks) agent.subscribe(hooks);
        await agent.runAgent();
        return performance.now() - begin;
      };
      const ways = {
        run: async () => (await ours({}, made)).ms, none: agent(), change: agent({ onMessagesChanged() {} }),
        event: agent({ onTextMessageContentEvent() {} }),
      };
      const times = { run: [], none: [], change: [], event: [] };
      for (let i = 0; i < 9; i++) {
        for (const way of Object.keys(ways)) times[way].push(await ways[way]());
      }
      return Object.fromEntries(Object.entries(times).map(([way, list]) => [way, median(list.slice(2))]));
    },

    /**
     * The weight of a framework's own events: 2,000 text events that carry 4 KB of rawEvent each, and 50 RAW of 1.5 MB,
     * with a handler that gets them, with keepRaw: false, with nobody who listens, and beside the reference with a
     * handler (heard) and without (theirs). Time and longest task of each, in ms.
     */
    async raw() {
      const rawEvent = stateOf(4 << 10);
      const event = stateOf(1536 << 10);
      const events = text("m", words(2000))
        .flatMap((e, i) => [...(i % 40 === 1 ? [{ type: "RAW", event }] : []), { ...e, rawEvent }]);
      const made = { chunks: chunks(events, 65536) };
      const agent = (Agent, subscriber) => () =>
        new Agent({ url: "https://agent.test/", fetch: fetching(made.chunks), threadId: "t1" })
        .runAgent({}, subscriber);
      const run = (options) => () => new Promise((resolve, reject) => {
        agui.run({ threadId: "t1" }, { url: "https://agent.test/", fetch: fetching(made.chunks), ...options })
          .subscribe({ next() {}, error: reject, complete: resolve });
      });
      const ways = {
        kept: run({}), left: run({ keepRaw: false }), unheard: agent(agui.HttpAgent),
        theirs: agent(reference.HttpAgent), heard: agent(reference.HttpAgent, { onEvent() {} }),
      };
      const found = {};
      for (const [name, way] of Object.entries(ways)) {
        const times = [];
        const tasks = [];
        for (let i = 0; i < 4; i++) {
          let worst = 0;
          let last = performance.now();
          let going = true;
          const look = () => {
            const now = performance.now();
            worst = Math.max(worst, now - last);
            last = now;
            if (going) setTimeout(look, 0);
          };
          look();
          const begin = performance.now();
          await way();
          times.push(performance.now() - begin);
          look();
          going = false;
          tasks.push(worst);
        }
        found[name] = { ms: median(times.slice(1)), task: median(tasks.slice(1)) };
      }
      return found;
    },

    /**
     * What coming back costs, in ms: 20,000 text events through an agent with reconnect off and on (sse-id, each event
     * with an id), and 10,000 events over a line that breaks before their end: the whole run, and the part from the
     * second request on, which tells all of them again (copilotkit) or the rest behind a cursor (sse-id).
     */
    async connections() {
      const encode = (events, from = 0) => {
        const frames = events.map((e, i) => i < from ? "" : `id: ${i}\ndata: ${JSON.stringify(e)}\n\n`).join("");
        const pieces = [];
        for (let at = 0; at < frames.length; at += 16384) pieces.push(encoder.encode(frames.slice(at, at + 16384)));
        return pieces;
      };
      const ends = { type: "RUN_FINISHED", threadId: "t1", runId: "r1" };
      const whole = (n) => [{ ...started, threadId: "t1", runId: "r1" }, ...text("m", words(n)), ends];
      const answer = (pieces, breaks) => {
        const stream = new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece);
            if (!breaks) controller.close();
          },
          pull(controller) {
            if (breaks) controller.error(new TypeError("cut")); // when all before it was read
          },
        }, { highWaterMark: 0 });
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      };
      const talk = async (fetch, reconnect) => {
        const begin = performance.now();
        const agent = new agui.HttpAgent({ url: "https://agent.test/agent/a/run", fetch, threadId: "t1", reconnect });
        await agent.runAgent({ runId: "r1" });
        return { ms: performance.now() - begin, length: agent.messages.at(-1).content.length };
      };
      const plain = encode(whole(20000));
      const events = whole(10000);
      const all = encode(events);
      const most = encode(events.slice(0, -3));
      const rest = encode(events, events.length - 3);
      let again = 0;
      const breaking = (second) => {
        let legs = 0;
        return async () => {
          if (legs++ === 0) return answer(most, true);
          again = performance.now();
          return answer(second);
        };
      };
      const ways = {
        off: () => talk(async () => answer(plain), false), on: () => talk(async () => answer(plain), "sse-id"),
        first: () => talk(async () => answer(all), false), replay: () => talk(breaking(all), "copilotkit"),
        cursor: () => talk(breaking(rest), "sse-id"),
      };
      const times = {};
      for (let i = 0; i < 9; i++) {
        for (const [way, f] of Object.entries(ways)) {
          again = 0;
          const { ms, length } = await f();
          if (length !== words(way === "off" || way === "on" ? 20000 : 10000).join("").length) {
            throw new Error(`${way}: the text has ${length} characters`);
          }
          (times[way] ??= []).push(ms);
          if (again) (times[`${way}Again`] ??= []).push(performance.now() - again);
        }
      }
      return Object.fromEntries(Object.entries(times).map(([way, list]) => [way, median(list.slice(2))]));
    },

    /** Keeps a thread of that many messages in this browser. */
    async keep(count) {
      const agent = new agui.HttpAgent({ url: "/x", threadId: "kept", persist: "local" });
      await agent.restored;
      agent.setMessages(Array.from({ length: count }, (_, i) => ({
        id: `m${i}`, role: i % 2 ? "assistant" : "user",
        content: `Message ${i}: some words of **Markdown** and \`code\`.`,
      })));
      await new Promise((resolve) => setTimeout(resolve, 500));
      agent.dispose();
      await new Promise((resolve) => setTimeout(resolve, 2000));
    },

    /** Opens the kept thread in a chat; ms from mount to the frame that shows its last message. */
    async reopen(last) {
      const place = document.createElement("div");
      place.style.height = "600px";
      document.body.append(place);
      const begin = performance.now();
      const chat = agui.mount(place, { url: "/x", threadId: "kept", persist: "local" });
      while (!(place.shadowRoot?.textContent ?? place.textContent).includes(`Message ${last}:`)) {
        await new Promise(requestAnimationFrame);
        if (performance.now() - begin > 20000) throw new Error("the kept thread is not shown");
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))); // painted
      const ms = performance.now() - begin;
      chat.unmount();
      place.remove();
      return ms;
    },

    /** The longest main-thread task while 10 MB of snapshots are kept and 200 events a second come. */
    async longest(seconds) {
      const snapshot = stateOf(10 << 20);
      let controller;
      const stream = new ReadableStream({ start: (c) => { controller = c; } });
      const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
      let kept = false;
      const subscription = agui.run({}, { url: "https://agent.test/", fetch })
        .subscribe({ next: (event) => { kept ||= event.type === "STATE_SNAPSHOT"; } });
      controller.enqueue(frame(started));
      controller.enqueue(frame({ type: "STATE_SNAPSHOT", snapshot }));
      while (!kept) await new Promise((r) => setTimeout(r, 20));
      await new Promise((r) => setTimeout(r, 500));
      let worst = 0;
      let last = performance.now();
      let going = true;
      const look = () => {
        const now = performance.now();
        worst = Math.max(worst, now - last - 4); // a timer cannot come sooner than after 4 ms
        last = now;
        if (going) setTimeout(look, 0);
      };
      setTimeout(look, 0);
      const tasks = [];
      const observer = new PerformanceObserver((entries) => tasks.push(...entries.getEntries().map((e) => e.duration)));
      observer.observe({ type: "longtask" });
      controller.enqueue(frame({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }));
      const begin = performance.now();
      for (let sent = 0; performance.now() - begin < seconds * 1000; ) {
        const due = Math.floor((performance.now() - begin) / 5);
        for (; sent < due; sent++) {
          controller.enqueue(frame(sent % 10 ? { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "some words " }
            : {
              type: "STATE_DELTA", delta: [{
                op: "replace", path: `/rows/${(sent * 37) % snapshot.rows.length}/value`, value: sent,
              }],
            }));
        }
        await new Promise((r) => setTimeout(r, 5));
      }
      going = false;
      await new Promise((r) => setTimeout(r, 100));
      observer.disconnect();
      subscription.unsubscribe();
      return { worst: Math.max(worst, ...tasks), tasks: tasks.length };
    },

    /** 1,000 runs of 100 events: what the memory does after the first 100. */
    async memory() {
      const made = { chunks: chunks(text("m", words(96)), 16384) };
      const sizes = [];
      for (let i = 1; i <= 1000; i++) {
        await ours({}, made);
        if (i === 100 || i === 1000) {
          for (let n = 0; n < 2; n++) { // what only the first collection lets go of, the second frees
            await new Promise((r) => setTimeout(r, 50));
            globalThis.gc?.();
          }
          sizes.push({ wasm: agui.debug().wasmBytes, heap: performance.memory?.usedJSHeapSize ?? 0 });
        }
      }
      return sizes;
    },

    /** One agent of 1,000 turns of 2 KB each, with the page's message first: its memory after 100, 500 and 1,000. */
    async turns() {
      let turn = 0;
      const body = chunks(text("m", words(96)), 16384);
      const fetch = async () => {
        const name = `"m${turn}"`;
        return new Response(new Blob(body.map((chunk) => new TextDecoder().decode(chunk).replaceAll('"m"', name))),
          { headers: { "content-type": "text/event-stream" } });
      };
      const agent = new agui.HttpAgent({ url: "https://agent.test/", fetch, history: "new" });
      const sizes = [];
      for (turn = 1; turn <= 1000; turn++) {
        agent.addMessage({ role: "user", content: "go on ".repeat(250) });
        await agent.runAgent();
        if (turn !== 100 && turn !== 500 && turn !== 1000) continue;
        for (let n = 0; n < 2; n++) {
          await new Promise((r) => setTimeout(r, 50));
          globalThis.gc?.();
        }
        sizes.push({
          wasm: agui.debug().wasmBytes, heap: performance.memory?.usedJSHeapSize ?? 0, messages: agent.messages.length,
        });
      }
      agent.dispose?.();
      return sizes;
    },

    sink: () => sink,
  };
}
