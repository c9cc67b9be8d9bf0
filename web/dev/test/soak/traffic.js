// What a soak's server sends for a number, and what must come of it. The server and the page make the same plan from
// it.

/** Numbers that look random and are the same each time. */
export function randomOf(/** @type {number} */ seed) {
  let n = Math.imul(seed, 0x9e3779b1) | 0;
  return () => {
    n = (n + 0x6d2b79f5) | 0;
    let t = Math.imul(n ^ (n >>> 15), 1 | n);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The faults, each with what the run ends with. */
const FAULTS = /** @type {const} */ ({
  none: "complete",
  reset: "network",
  close: "incomplete_stream",
  half: "incomplete_stream",
  stall: "idle_timeout",
  garbage: "bad_event",
  binary: "bad_event",
  huge: "event_too_large",
  status: "http_status",
  page: "bad_content_type",
});

/** Characters of one, two, three and four bytes, and what JSON escapes. */
const WORDS = ["alpha ", "né ", "世界 ", "🌍 ", "\"\\\n", "\u2028", "beta\tgamma ", "x".repeat(200)];

/**
 * @typedef {object} Plan
 * @property {keyof typeof FAULTS} fault
 * @property {string} outcome
 * @property {any[]} events those sent before the fault
 * @property {string[]} frames the same as the server sends them, comments and other lines among them
 * @property {string} text of the message, before the fault
 * @property {any} state before the fault
 * @property {boolean} tool the page's tool is called, and a second request follows
 */

/**
 * Makes the plan of a number.
 * @param {number} seed
 * @returns {Plan}
 */
export function plan(seed) {
  const random = randomOf(seed);
  const pick = (/** @type {readonly any[]} */ list) => list[Math.floor(random() * list.length)];
  const fault = random() < 0.4 ? "none" : pick(Object.keys(FAULTS));
  const kind = pick(["text", "text", "state", "tool", "flood"]);
  const id = `m${seed}`;
  const all = /** @type {any[]} */ ([{ type: "RUN_STARTED", threadId: "soak", runId: `r${seed}` }]);
  all.push({ type: "STATE_SNAPSHOT", snapshot: { seed, list: [], n: -1 } });
  all.push({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
  const many = kind === "flood" ? 1500 + Math.floor(random() * 2000) : 5 + Math.floor(random() * 80);
  for (let i = 0; i < many; i++) {
    if (kind === "state" || i % 16 === 5) {
      all.push({
        type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: i }, { op: "add", path: "/list/-", value: i }],
      });
    } else all.push({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: pick(WORDS) });
  }
  all.push({ type: "TEXT_MESSAGE_END", messageId: id });
  if (kind === "tool") {
    all.push({ type: "TOOL_CALL_START", toolCallId: `c${seed}`, toolCallName: "double", parentMessageId: id });
    all.push({ type: "TOOL_CALL_ARGS", toolCallId: `c${seed}`, delta: `{"n":` }, {
      type: "TOOL_CALL_ARGS", toolCallId: `c${seed}`, delta: `${seed}}`,
    });
    all.push({ type: "TOOL_CALL_END", toolCallId: `c${seed}` });
  }
  all.push({ type: "RUN_FINISHED", threadId: "soak", runId: `r${seed}` });

  const refused = fault === "status" || fault === "page";
  // A fault never comes after the last event: it would be none.
  const events = refused ? [] : fault === "none" ? all : all.slice(0, 1 + Math.floor(random() * (all.length - 1)));
  const frames = events.map((event) => {
    const line = `data: ${JSON.stringify(event)}\n\n`;
    const luck = random();
    return luck < 0.03 ? `: comment\n\n${line}` : luck < 0.05 ? `id: ${seed}\nevent: message\n${line}` : luck < 0.06
      ? `retry: 10\r\n\r\n${line}` : line;
  });
  let text = "";
  let state = undefined;
  for (const event of events) {
    if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
    if (event.type === "STATE_SNAPSHOT") state = structuredClone(event.snapshot);
    if (event.type === "STATE_DELTA") {
      state.n = event.delta[0].value;
      state.list.push(event.delta[1].value);
    }
  }
  return { fault, outcome: FAULTS[fault], events, frames, text, state, tool: kind === "tool" && fault === "none" };
}

/** What an agent's second request, with a tool's answer, gets. */
export function answer(/** @type {number} */ seed) {
  return [
    { type: "RUN_STARTED", threadId: "soak", runId: `s${seed}` },
    { type: "TEXT_MESSAGE_START", messageId: `n${seed}`, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: `n${seed}`, delta: "twice" },
    { type: "TEXT_MESSAGE_END", messageId: `n${seed}` },
    { type: "RUN_FINISHED", threadId: "soak", runId: `s${seed}` },
  ];
}
