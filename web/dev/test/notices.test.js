// NOTICES.txt names whatever is in the files: each module that the WebAssembly links, and nothing else.
import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { root } from "./harness/static.js";

const notices = readFileSync(`${root}dist/NOTICES.txt`, "utf8");
const sections = notices.split(/\n={78}\n/).slice(1).map((section) => {
  const end = section.indexOf("\n");
  return { title: section.slice(0, end), terms: section.slice(end).trim() };
});

test("every linked module is named, with its version and its terms", (t) => {
  const go = (/** @type {string[]} */ ...args) =>
    execFileSync("go", args, { cwd: root, encoding: "utf8", env: { ...process.env, GOOS: "js", GOARCH: "wasm" } });
  const linked = go("list", "-modfile=build/wasm.mod", "-deps", "-f",
    "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./wasm");
  const modules = [...new Set(linked.split("\n").filter(Boolean))].sort();
  assert.ok(modules.length > 0);
  t.diagnostic(`linked: ${modules.join(", ")}`);
  t.diagnostic(`named: ${sections.map(({ title }) => title).join(", ")}`);
  assert.deepEqual(sections.map(({ title }) => title).sort(),
    ["The Go library and wasm_exec.js", "aguiwasm", ...modules].sort());
  for (const { title, terms } of sections) assert.match(terms, /copyright/i, title);
});

test("the scripts hold no library", async () => {
  for (const [entry, folder] of [["api/script.js", "web/js/"], ["api/module.js", "web/js/"],
    ["api/node.js", "web/js/"]]) {
    const { metafile } = await build({
      entryPoints: [`${root}web/js/${entry}`], absWorkingDir: root, bundle: true, write: false, metafile: true,
      format: "esm",
      external: ["wasm_exec", "node:*"], define: { AGUI_VERSION: '"0"' }, logLevel: "error",
    });
    for (const input of Object.keys(metafile.inputs)) assert.ok(input.startsWith(folder), input);
  }
});
