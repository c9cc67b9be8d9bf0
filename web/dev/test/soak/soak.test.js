// A minute of what `./build.sh soak` does for thirty.
import test from "node:test";
import assert from "node:assert/strict";
import { soak } from "./soak.js";

test("a minute of mixed traffic with random faults: nothing lost, memory flat", { timeout: 400000 }, async (t) => {
  const { wrong, last } = await soak({ seconds: 60, seed: 20, say: (line) => t.diagnostic(line) });
  assert.deepEqual(wrong, []);
  // Each kind of ending has been seen.
  for (const outcome of ["complete", "network", "incomplete_stream", "idle_timeout", "bad_event", "event_too_large",
    "http_status", "bad_content_type"]) {
    assert.ok(last.byOutcome[outcome] > 0, `no run ended with ${outcome}`);
  }
});
