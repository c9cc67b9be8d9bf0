// Streams that are made to stop a page, for the soak: each is small, and costs far more than its size where a bound is
// missing.

const start = { type: "RUN_STARTED", threadId: "hostile", runId: "hostile" };
const finish = { type: "RUN_FINISHED", threadId: "hostile", runId: "hostile" };
const frame = (/** @type {any} */ event) => `data: ${JSON.stringify(event)}\n\n`;
const many = (/** @type {number} */ n, /** @type {(i: number) => any} */ make) =>
  Array.from({ length: n }, (_, i) => make(i));
const delta = (/** @type {any[]} */ ops) => ({ type: "STATE_DELTA", delta: ops });
const run = (/** @type {any[]} */ ...events) => [start, ...events, finish].map(frame).join("");

/** @type {Record<string, () => string>} The bodies, each with its headers already sent. */
export const HOSTILE = {
  doubling: () => run({ type: "STATE_SNAPSHOT", snapshot: { a: "x".repeat(1000) } },
    ...many(40, () => delta([{ op: "copy", from: "", path: "/b" }, { op: "copy", from: "/b", path: "/c" }]))),
  heads: () => run({ type: "STATE_SNAPSHOT", snapshot: { a: [] } },
    ...many(40, (i) => delta(many(300, (j) => ({ op: "add", path: "/a/0", value: i * j }))))),
  deep: () =>
    `${frame(start)}data: {"type":"STATE_SNAPSHOT","snapshot":${"[".repeat(5000)}${"]".repeat(5000)}}\n\n${frame(finish)}`,
  calls: () => run({ type: "TEXT_MESSAGE_START", messageId: "h", role: "assistant" },
    ...many(3000, (i) => ({ type: "TOOL_CALL_START", toolCallId: `h${i}`, toolCallName: "x", parentMessageId: "h" })),
    ...many(3000, (i) => ({ type: "TOOL_CALL_END", toolCallId: `h${i}` }))),
  results: () => run({ type: "TEXT_MESSAGE_START", messageId: "h", role: "assistant" }, {
    type: "TEXT_MESSAGE_END", messageId: "h",
  },
    ...many(2000, (i) => ({ type: "TOOL_CALL_RESULT", messageId: `r${i}`, toolCallId: `c${i}`, content: "x" }))),
  names: () => run({ type: "STATE_SNAPSHOT",
    snapshot: JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}') },
      delta([{ op: "add", path: "/__proto__/polluted", value: true }])),
  comments: () => frame(start) + ": nothing\n\n".repeat(50000) + frame(finish),
  halves: () =>
    `${frame(start)}data: {"type":"TEXT_MESSAGE_START","messageId":"\\ud800","role":"assistant"}\n\n${frame(finish)}`,
  empty: () => "",
};
