// What a visitor downloads, in bytes after brotli at its highest level. Each file of dist/ has a budget; who needs more
// of one says here why, or makes a part (web/docs/architecture.md, "Parts").

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const dist = fileURLToPath(new URL("../../../../dist", import.meta.url));

/** @type {Record<string, number>} */
const BUDGETS = {
  // 0.35 KB: a chat that is an EventTarget, <agui-chat>, layouts.
  // 0.16 KB: the columns laid out that make agui.wasm 51 KB smaller.
  "agui.js": 29_990,
  "agui.mjs": 30_090,
  "agui.node.mjs": 30_000,
  // The chat's styles, 4.1 KB, are in agui.chat.js. 1.7 KB: what a server replays of past turns. 5 KB: late calls
  // judged alone, and values of JavaScript let go. 4 KB: a run that goes on after a reload, and what the chat says of a
  // connection. 8 KB: mathematics, footnotes, details, small tags and what the page draws of an answer's text: of the
  // 20 KB that the chat's new parts may cost. 4 KB: copying as Markdown and feedback in the chat, and what
  // scenarios in Go mended. The aim is 700,000.
  "agui.wasm": 711_000,
  // 0.4 KB: what a subclass overrides of a run is asked.
  "agui.agent.js": 7_900,
  // 2.9 KB: the styles, which were in agui.wasm; 1.3 KB: what stands there before the program has come; 0.6 KB: the
  // names of mount's options, and which one was meant; 0.5 KB: what a failed run made; 0.2 KB: how a run's connection
  // stands; 0.3 KB: copies of answers, and what people think of them; 0.3 KB: the chat's events; 0.2 KB: the page's own
  // formulas and code; 0.2 KB: what stands around;
  // 0.6 KB: reading aloud, and buttons of the page; 0.1 KB: a long history is named once.
  // 0.55 KB: the page's hand in the composer, what was said before, which files are taken.
  "agui.chat.js": 12_850, // with the files that an agent says it takes
  // 0.2 KB: drafts.
  "agui.around.js": 2_400,
  // With the names of all options.
  "agui.element.js": 1_750,
  "agui.layout.js": 3_250,
  "agui.line.js": 1_700,
  // 700: where a run stands, and which handlers have begun; 150: which answers have no end.
  "agui.persist.js": 3_850,
  "agui.replay.js": 1_200,
  // 0.1 KB: versions that outlive the program.
  "agui.versions.js": 1_450,
  "agui.webmcp.js": 1_400,
  "agui.compat.mjs": 8_300, // with the lines of a debug logger for every stage
  "agui.compat.node.mjs": 8_300,
};

/** @param {string} name */
function packed(name) {
  const data = readFileSync(`${dist}/${name}`);
  // The build's own, where it made one: the WebAssembly takes half a minute.
  if (existsSync(`${dist}/${name}.br`)) return readFileSync(`${dist}/${name}.br`).length;
  return brotliCompressSync(data,
    { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length } }).length;
}

test("no script and no WebAssembly is larger than its budget",
  { skip: !existsSync(`${dist}/agui.js`) && "there is no dist/: run ./build.sh" }, (t) => {
  const files = readdirSync(dist).filter((name) => /^agui\..*(js|wasm)$/.test(name));
  assert.deepEqual(files.toSorted(), Object.keys(BUDGETS).toSorted(),
    "each file that a page may load has a budget, and each budget a file");
  const measured = files.filter((name) => name !== "agui.wasm" || existsSync(`${dist}/agui.wasm.br`));
  if (measured.length < files.length) t.diagnostic("agui.wasm is not measured: this build made no .br files");
  const over = measured.map((name) => ({ name, size: packed(name), budget: BUDGETS[name] }))
    .filter(({ size, budget }) => size > budget);
  assert.deepEqual(over, []);
});
