// JSON Patch before the program is there (web/js/agent/patch.js) gives what state/patch.go gives.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { patched } from "../../../js/agent/patch.js";
import { freeze } from "../../../js/core/mirror.js";

const built = new URL("../../../../dist/agui.node.mjs", import.meta.url);

/** What a patch makes of a document, or that it does not go. @param {() => any} f */
const outcome = (f) => {
  try {
    return { value: f() };
  } catch (thrown) {
    assert.equal(/** @type {any} */ (thrown).code, "bad_input", String(thrown));
    return { refused: true };
  }
};

test("the public RFC 6902 suite", { skip: process.env.AGUI_TEST_DATA ? false : "AGUI_TEST_DATA is not set" }, () => {
  let ran = 0;
  for (const name of ["tests.json", "spec_tests.json"]) {
    for (const c of JSON.parse(readFileSync(`${process.env.AGUI_TEST_DATA}/json-patch-tests/${name}`, "utf8"))) {
      if (c.disabled || !("doc" in c) || !("patch" in c)) continue;
      ran++;
      const doc = freeze(structuredClone(c.doc));
      const got = outcome(() => patched(doc, c.patch));
      const what = `${name}: ${c.comment ?? JSON.stringify(c.patch)}`;
      if ("error" in c) assert.deepEqual(got, { refused: true }, what);
      else assert.deepEqual(got, { value: "expected" in c ? c.expected : got.value }, what);
      assert.deepEqual(doc, c.doc, "the document stays as it is");
    }
  }
  assert.ok(ran >= 80, `${ran}`);
});

test("random patches: the script and the program agree, refusals too",
  { skip: existsSync(built) ? false : "dist is not built" }, async () => {
  const agui = await import(built.href);
  await agui.ready;
  let seed = 7;
  const random = (/** @type {number} */ n) => (seed = (seed * 48271) % 2147483647) % n;
  const pick = (/** @type {any[]} */ list) => list[random(list.length)];
  /** @returns {any} */
  const value = (depth = 0) => {
    const kind = random(depth > 2 ? 6 : 9);
    if (kind < 6) return [null, true, 0, 1.5, "x", "1"][kind];
    if (kind === 6) return Array.from({ length: random(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random(4) },
      () => [pick(["a", "b", "", "0", "1", "m~n", "a/b", "__proto__", "é"]), value(depth + 1)]));
  };
  const key = () => pick(["a", "b", "", "0", "1", "2", "-", "01", "m~0n", "a~1b", "__proto__", "é", "~2", "constructor",
    "length"]);
  /** The pointers of what is there. @type {(value: any, at?: string) => string[]} */
  const places = (value, at = "") => (typeof value !== "object" || value === null ? [at]
    : [at, ...Object.keys(value).flatMap((name) =>
    places(value[name], `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`))]);
  /** @type {string[]} */
  let there = [""];
  const pointer = () => (random(3) > 0 ? pick(there) : random(2) > 0 ? `${pick(there)}/${key()}` : wild());
  const wild = () => pick(["", "/a", `/${key()}`, `/${key()}/${key()}`, `/${key()}/${key()}/${key()}`, "a"]);
  let refused = 0;
  for (let i = 0; i < 2000; i++) {
    const state = value();
    there = places(state);
    const patch = Array.from({ length: 1 + random(2) }, () => {
      const operation = /** @type {any} */ ({
        op: pick(["add", "replace", "remove", "copy", "move", "test", "add", "replace", "remove", "merge"]),
        path: pointer(),
      });
      if (random(15) > 0) operation.value = value();
      if (operation.op === "copy" || operation.op === "move") operation.from = pointer();
      return operation;
    });
    const agent = new agui.HttpAgent({ url: "http://127.0.0.1:1/", initialState: state });
    const script = outcome(() => patched(freeze(structuredClone(state)), structuredClone(patch)));
    const program = await agent.patchState(patch).then(() => ({ value: agent.state }), (/** @type {any} */ thrown) => {
      assert.equal(thrown.code, "bad_input", String(thrown));
      return { refused: true };
    });
    if (script.refused) refused++;
    assert.equal(JSON.stringify(script), JSON.stringify(program), JSON.stringify({ i, state, patch }));
    agent.dispose?.();
  }
  assert.ok(refused > 300 && refused < 1700, `${refused} were refused`);
});
