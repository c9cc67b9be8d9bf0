// The differential test without a browser: node node.js [count] [seed] [from]. For quick work on agui/ and state/; the
// test proper is differential.test.js.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

process.env.SUPPRESS_TRANSFORMATION_WARNINGS = "1";
console.warn = console.error = () => {};
const { differential } = await import("./page.js");

const program = join(mkdtempSync(join(tmpdir(), "differential-")), "native");
const built = spawnSync("go", ["build", "-o", program, "./native"], {
  cwd: fileURLToPath(new URL(".", import.meta.url)), stdio: "inherit",
});
if (built.status !== 0) process.exit(1);
const child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = [];
createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()(JSON.parse(line)));

const native = (stream) =>
  new Promise((resolve) => {
    waiting.push(({ outcome, error, again, tree }) => resolve({
      outcome, error, again, messages: tree.messages, state: tree.state, interrupts: tree.interrupts,
      pending: tree.pendingToolCallIds,
    }));
    const input = { threadId: "t1", runId: "r1", ...stream.input };
    child.stdin.write(JSON.stringify(
      { input, lenient: Boolean(stream.lenient), events: stream.events.map((e) => JSON.stringify(e)) }) + "\n");
  });

const [count = 1000, seed = 1, from = 0] = process.argv.slice(2).map(Number);
const begun = performance.now();
const report = await differential(native, { seed, from, count, most: Number(process.env.MOST ?? 3) });
for (const f of report.failures) {
  console.log(
    `stream ${f.number}: ${f.difference}\n  input ${JSON.stringify(f.input)}\n  ${f.events.map((e) => JSON.stringify(e)).join("\n  ")}\n`);
}
delete report.failures;
console.log(JSON.stringify(report, null, 1), `${Math.round(performance.now() - begun)} ms`);
child.stdin.end();
