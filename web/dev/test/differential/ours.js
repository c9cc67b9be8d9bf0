// One stream through this runtime's public API, in strict mode, or lenient where the stream needs it.

import { Random } from "./random.js";

const encoder = new TextEncoder();

/**
 * The body, framed as servers do it: the seed decides the line ends, a [DONE] and whether the last blank line is there.
 */
function bodyOf(stream, random, hits) {
  const frames = stream.events.map((e) => "data: " + JSON.stringify(e));
  if (random.chance(0.1)) {
    frames.splice(random.below(frames.length + 1), 0, "data: [DONE]");
    hits.add("[DONE]");
  }
  const end = random.pick(["\n", "\n", "\r\n", "\r"]);
  if (end !== "\n") hits.add("line ends");
  const body = frames.map((frame) => frame + end + end).join("");
  return random.chance(0.1) ? body.slice(0, -2 * end.length) : body;
}

/**
 * Runs a stream. Its bytes come in pieces that the seed cuts.
 * @returns {Promise<{outcome: string, error?: string, messages: object[], state: unknown, interrupts: object[]}>}
 *   outcome: complete, or the error's code
 */
export function runOurs(agui, stream, seed, hits) {
  const random = new Random(seed);
  const bytes = encoder.encode(bodyOf(stream, random, hits));
  const most = random.pick([bytes.length, bytes.length, 1024, 100, 20]);
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const size = most === bytes.length ? most : 1 + random.below(most);
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  let again = false; // an id of an earlier turn was used for something else
  const onWarning = ({ code, message }) => {
    again ||= code === "id_collision" && message.includes("of an earlier turn");
  };
  return new Promise((resolve) => {
    const run = agui.run({ threadId: "t1", runId: "r1", ...structuredClone(stream.input) },
      { url: "https://agent.example/run", verify: stream.lenient ? "lenient" : "strict", fetch, onWarning });
    const done = (outcome, error) => resolve({
      outcome, error, again, messages: subscription.messages, state: subscription.state,
      interrupts: subscription.interrupts, pending: subscription.pendingToolCallIds,
    });
    const subscription = run.subscribe({
      error: (e) => done(e.code ?? String(e), e.message),
      complete: () => done("complete"),
    });
  });
}
