// One stream through this runtime's public API, in strict mode.

import { Random } from "./random.js";

const encoder = new TextEncoder();

/**
 * Runs a stream. Its bytes come in pieces that the seed cuts.
 * @returns {Promise<{outcome: string, error?: string, messages: object[], state: unknown, interrupts: object[]}>}
 *   outcome: complete, or the error's code
 */
export function runOurs(agui, stream, seed) {
  const bytes = encoder.encode(stream.events.map((e) => "data: " + JSON.stringify(e) + "\n\n").join(""));
  const random = new Random(seed);
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
  return new Promise((resolve) => {
    const run = agui.run({ threadId: "t1", runId: "r1", ...structuredClone(stream.input) }, { url: "https://agent.example/run", verify: "strict", fetch, onWarning() {} });
    const done = (outcome, error) => resolve({ outcome, error, messages: subscription.messages, state: subscription.state, interrupts: subscription.interrupts, pending: subscription.pendingToolCallIds });
    const subscription = run.subscribe({
      error: (e) => done(e.code ?? String(e), e.message),
      complete: () => done("complete"),
    });
  });
}
