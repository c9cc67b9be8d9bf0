// Two builds in different folders, the second with an empty build cache, give the same bytes.
import test from "node:test";
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { root } from "./harness/static.js";

/** The files that a clone has, and those that would be in it. */
const sources = () => execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"],
  { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);

/** Builds a copy; gives each file's hash. */
async function built(/** @type {string} */ folder, /** @type {Record<string, string>} */ env) {
  for (const file of sources()) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  await promisify(execFile)("go", ["run", "./web/dev/tool", "build", "-skip-compress"], {
    cwd: folder, env: { ...process.env, ...env },
  });
  /** @type {Record<string, string>} */
  const hashes = {};
  for (const entry of readdirSync(join(folder, "dist"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? /** @type {any} */ (entry).path, entry.name);
    hashes[relative(join(folder, "dist"), path)] = createHash("sha256").update(readFileSync(path)).digest("hex");
  }
  return hashes;
}

test("a build is the same in every folder", { timeout: 900000 }, async (t) => {
  const base = mkdtempSync(join(tmpdir(), "agui-build-"));
  try {
    const [first, second] = await Promise.all([
      built(join(base, "a"), {}),
      built(join(base, "another", "folder with a space"), {
        GOCACHE: join(base, "cache"), TZ: "Asia/Tokyo", LANG: "C",
      }),
    ]);
    assert.ok(first["agui.wasm"]);
    assert.deepEqual(second, first);
    t.diagnostic(`agui.wasm ${first["agui.wasm"]}`);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
