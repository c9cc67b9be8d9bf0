// agui.d.ts: what must and must not compile, and that it says exactly what the runtime has.
import test from "node:test";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventType } from "@ag-ui/core";
import { root } from "../harness/static.js";
import { exact } from "./exact.js";

/** Runs the compiler; gives what it says. */
const tsc = (/** @type {string} */ project) => new Promise((resolve) => {
  execFile(join(root, "web/node_modules/.bin/tsc"), ["--project", project], { cwd: root },
    (_error, stdout, stderr) => resolve(stdout + stderr));
});

test("what must and must not compile", async () => {
  assert.equal(await tsc("web/dev/test/types/tsconfig.json"), "");
});

test("the types say exactly what the runtime has", async () => {
  const agui = await import(new URL("../../../../dist/agui.node.mjs", import.meta.url).href);
  const folder = mkdtempSync(join(tmpdir(), "agui-types-"));
  try {
    const text = exact(agui, Object.values(EventType));
    writeFileSync(join(folder, "exact.ts"), text);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
      extends: join(root, "web/dev/test/types/tsconfig.json"),
      compilerOptions: { paths: { aguiwasm: [join(root, "web/js/agui.d.ts")] } },
      files: ["exact.ts"],
    }));
    const lines = text.split("\n");
    const said = await tsc(folder);
    assert.equal(said, "", lines.find((_line, i) => String(said).includes(`exact.ts(${i + 1},`))?.slice(0, 80));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
