// The reference client and this runtime through the same scripted conversations: messages, state, requests, and the
// order of hook calls with what they are given. What differs must be named, with its reason, in conversations.js.
import test, { before } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as reference from "@ag-ui/client";
import { conversations } from "./conversations.js";
import { order, scriptedAgent } from "./scripted.js";

const dist = new URL("../../../../dist/", import.meta.url);
/** @type {any} */
let ours;
before(async () => {
  ours = await import(new URL("agui.mjs", dist).href);
  ours.configure({ wasmModule: new WebAssembly.Module(readFileSync(fileURLToPath(new URL("agui.wasm", dist)))) });
});

/** Runs a conversation with one of the two. */
async function hold(/** @type {any} */ conversation, /** @type {any} */ lib) {
  const agent = await scriptedAgent(...conversation.scripts);
  const { error, warn } = console;
  const reportError = globalThis.reportError;
  console.error = console.warn = () => {};
  globalThis.reportError = () => {};
  try {
    const got = await conversation.go(lib, agent.url, []);
    return { ...got, bodies: agent.bodies() };
  } finally {
    console.error = error;
    console.warn = warn;
    globalThis.reportError = reportError;
    await agent.close();
  }
}

/** Where two values differ: paths. */
function* differences(/** @type {any} */ a, /** @type {any} */ b, path = "") {
  if (Object.is(a, b)) return;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object" ||
    Array.isArray(a) !== Array.isArray(b)) {
    yield { path, reference: a, ours: b };
    return;
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    yield* differences(a[key], b[key], path ? `${path}.${key}` : key);
  }
}

/** Whether a path is the named one or below it; a step * stands for any. */
const under = (/** @type {string} */ path, /** @type {string} */ name) => {
  const steps = path.split(".");
  return name.split(".").every((step, i) => step === "*" || step === steps[i]);
};

for (const conversation of conversations) {
  test(conversation.name, async () => {
    const [theirs, mine] = [await hold(conversation, reference), await hold(conversation, ours)];
    const named = conversation.differs ?? {};
    const [a, b] = [order(theirs.log), order(mine.log)];
    const sameOrder = JSON.stringify(a) === JSON.stringify(b);
    if (named.order) assert.ok(!sameOrder, `the order of the hooks does not differ any more: ${named.order}`);
    else assert.deepEqual(b, a, "the order of the hooks");
    const found = [...differences({ ...theirs, log: sameOrder ? theirs.log : 0 }, {
      ...mine, log: sameOrder ? mine.log : 0,
    })];
    const unnamed = found.filter(({ path }) => !Object.keys(named).some((name) => under(path, name)));
    assert.deepEqual(unnamed, []);
    for (const name of Object.keys(named)) {
      if (name !== "order") {
        assert.ok(found.some(({ path }) => under(path, name)), `${name} does not differ any more: ${named[name]}`);
      }
    }
  });
}
