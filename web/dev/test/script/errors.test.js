// What an error says begins with a capital: people read it as a sentence. Go's failures get theirs in wasm/batch
// (sentence).

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

const scripts = fileURLToPath(new URL("../../../js", import.meta.url));

/** What may stand at a message's beginning in small letters: a name that the page writes so itself. */
const NAMES = new Set([
  "addMessages", "agui", "answer", "approve", "branch", "buildResumeArray", "configure", "connect", "dismiss", "edit",
  "headers", "initialMessages", "keepRuns", "maxToolRounds",
  "mount", "new", "onChange", "patchState", "pendingInterrupts", "recreate", "regenerate", "replay", "requestInit",
  "resume", "run", "runAgent",
  "send", "subscribe", "tools", "unqueue", "use", "wasmModule", "watch", "whileRunning",
]);

test("the messages of errors begin with a capital", () => {
  const files = readdirSync(scripts, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  /** @type {string[]} */
  const small = [];
  let seen = 0;
  for (const name of files) {
    if (/patch\.js$/.test(name)) continue; // clauses: "Operation 1 of the patch does not go: ..."
    const code = readFileSync(`${scripts}/${name}`, "utf8");
    for (const [, message] of code.matchAll(/new (?:\w*Error)\(\s*(?:"\w+",\s*)?["`]([^"`]+)/g)) {
      seen++;
      const [word] = /^\w*/.exec(message) ?? [""];
      if (/^[a-z]/.test(word) && !NAMES.has(word)) small.push(`${name}: ${message}`);
    }
  }
  assert.deepEqual(small, []);
  assert.ok(seen > 80, `${seen} messages`);
});
