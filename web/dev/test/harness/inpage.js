// Runs inside each test page, before its scripts: what tests need there, under one name.
globalThis.T = {
  started: { type: "RUN_STARTED", threadId: "t1", runId: "r1" },
  finished: { type: "RUN_FINISHED", threadId: "t1", runId: "r1" },

  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),

  /** Waits until something holds, and then a little longer, for what must not follow. */
  async until(holds, after = 100) {
    for (const limit = performance.now() + 20000; !holds(); await T.sleep(5)) {
      if (performance.now() > limit) throw new Error(`never holds: ${holds}`);
    }
    await T.sleep(after);
  },

  /** The frames of events. */
  sse: (...events) => events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join(""),

  /** The events of a text message. */
  text: (id, ...deltas) => [
    { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
    ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
    { type: "TEXT_MESSAGE_END", messageId: id },
  ],

  /** Small numbers that look random and are the same each time. */
  random(seed) {
    return () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  },

  /**
   * A Response as a case describes it. cut: bytes per chunk, "every-byte" or "random".
   */
  response({ status = 200, contentType = "text/event-stream", body = "", cut = 16384, headers = {} }) {
    const head = new Headers(headers);
    if (contentType) head.set("content-type", contentType);
    if (body === null) return new Response(null, { status, headers: head });
    const bytes = new TextEncoder().encode(body);
    const random = T.random(bytes.length);
    let at = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        const n = cut === "every-byte" ? 1 : cut === "random" ? 1 + Math.floor(random() ** 3 * 200) : cut;
        controller.enqueue(bytes.slice(at, at + n));
        at += n;
      },
    }, { highWaterMark: 0 });
    const response = new Response(stream, { status, headers: head });
    // A stream as a body brings no type of its own; a case may ask for none at all.
    if (!contentType) response.headers.delete("content-type");
    return response;
  },

  /** A fetch that answers with a body. */
  fetching: (body, more = {}) => async () => T.response({ body, ...more }),

  /**
   * Runs to the end and tells everything that came of it.
   */
  run(input, options = {}) {
    return new Promise((resolve) => {
      const got = { types: [], events: [], warnings: [], outcome: "", error: null, endings: 0 };
      const observable = agui.run(input, {
        onWarning: (w) => got.warnings.push(w), url: "https://agent.test/", ...options,
      });
      let subscription;
      const over = (outcome, error) => {
        got.outcome = outcome;
        got.error = error;
        if (++got.endings > 1) return;
        got.subscription = subscription;
        got.messages = subscription.messages;
        got.state = subscription.state;
        got.interrupts = subscription.interrupts;
        got.closed = subscription.closed;
        setTimeout(() => resolve(got), 0); // a second ending would show by then
      };
      subscription = observable.subscribe({
        next(event) {
          got.events.push(event);
          got.types.push(event.type);
        },
        error: (error) => over(error?.code ?? String(error), error),
        complete: () => over("complete", null),
      });
    });
  },

  /** What a result says of itself that can leave the page. */
  plain: (got) => ({
    types: got.types,
    outcome: got.outcome,
    endings: got.endings,
    closed: got.closed,
    messages: got.messages,
    state: got.state,
    interrupts: got.interrupts,
    warnings: got.warnings.map((w) => w.code),
    error: got.error && {
      name: got.error.name, code: got.error.code, message: got.error.message, status: got.error.status,
      payload: got.error.payload,
      event: got.error.event, url: got.error.url, retryAfter: got.error.retryAfter, lastEventId: got.error.lastEventId,
      isError: got.error instanceof Error, isAGUIError: got.error instanceof agui.AGUIError,
    },
  }),

  /** Where two values differ, or "". The string "*" in an id stands for any string. */
  differ(want, got, path = "") {
    if (want === "*" && /[iI]d$/.test(path)) return typeof got === "string" ? "" : `${path}: a string is missing`;
    if (want === null || typeof want !== "object") {
      return Object.is(want, got) ? "" : `${path}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
    }
    if (got === null || typeof got !== "object" || Array.isArray(want) !== Array.isArray(got)) {
      return `${path}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
    }
    for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
      const at = `${path}.${key}`;
      if (!Object.hasOwn(want, key)) return `${at}: too much: ${JSON.stringify(got[key])}`;
      if (!Object.hasOwn(got, key)) return `${at}: missing, want ${JSON.stringify(want[key])}`;
      const difference = T.differ(want[key], got[key], at);
      if (difference) return difference;
    }
    return "";
  },

  /** Runs a conformance case or a recording; gives what is wrong, or "". */
  async check(test, cut) {
    const expect = test.expect;
    const response = { ...test.response };
    if (cut !== undefined && response.cut === undefined) response.cut = cut;
    const options = { fetch: async () => T.response(response) };
    if (test.verify) options.verify = test.verify;
    const input = { threadId: "t1", runId: "r1", ...test.input };
    let timer;
    const got = await Promise.race([T.run(input, options), new Promise((r) => { timer = setTimeout(r, 20000); })]);
    clearTimeout(timer);
    if (!got) return "it never ends";
    const faults = [];
    const ask = (what, difference) => difference && faults.push(`${what}${difference}`);
    if (![expect.outcome].flat().includes(got.outcome)) {
      faults.push(`outcome: want ${expect.outcome}, got ${got.outcome} (${got.error?.message})`);
    }
    ask("endings", T.differ(1, got.endings));
    ask("closed", T.differ(true, got.closed));
    if (expect.types) ask("types", T.differ(expect.types, got.types));
    if (expect.messages) ask("messages", T.differ(expect.messages, got.messages));
    if (expect.stateText !== undefined) ask("state", T.differ(JSON.parse(expect.stateText), got.state));
    else if (expect.state !== undefined) ask("state", T.differ(expect.state, got.state));
    if (expect.events) {
      const bare = (e) => {
        const { role, ...rest } = e;
        return e.type === "TEXT_MESSAGE_START" && role === "assistant" ? rest : e;
      };
      ask("events", T.differ(expect.events.map(bare), got.events.map(bare)));
    }
    if (expect.interrupts) ask("interrupts", T.differ(expect.interrupts, (got.interrupts ?? []).map((i) => i.id)));
    if (test.response.status < 400) {
      ask("warnings", T.differ([...(expect.warnings ?? [])].sort(),
        [...new Set(got.warnings.map((w) => w.code))].sort()));
    }
    for (const [key, value] of Object.entries(expect.error ?? {})) {
      ask(`error.${key}`, T.differ(value, got.error?.[key]));
    }
    return faults.join("; ");
  },
};
