// No line is longer than 120 columns, so that two files can be read side by side. What may be longer is named here.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const MAX = 120;
/** How much may stand beside a long text. */
const BESIDE = 70;

/** Files whose lines are not ours to break, and why. @type {[RegExp, string][]} */
const FILES = [
  [/\/testdata\/|\.(?:json|sum)$/, "data: one record a line"],
  [/^web\/docs\/api\.md$/, "made from agui.d.ts, a table"],
  [/^CHANGELOG\.md$/, "an entry a line, where somebody wrote it so"],
  [/^web\/dev\/(?:bench\/bench|test\/(?:view\/hostile\.test|harm\.test|harness\/(?:faults|kept|page)|page\/looks\.test|script\/mirror\.test))\.js$/,
    "templates in templates"],
  [/\.(?:css|html)$|^web\/page\/parts\/texts\.js$/, "one rule, one element or one text a line"],
];

/** A line of a document that is not words: a table's row, a heading, a link, a tag. */
const ROW = /^\s*(?:\||#|\[[^\]]+\]:|<)/;

/** @param {string} line */
const width = (line) => [...line.replaceAll("\t", "    ")].length;

/** A text in quotes, a regular expression, a comment; of a template its beginning. */
const TOKEN =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\[(?:[^\]\\]|\\.)*\]|[^/\\[\n]|\\.)+\/|\/\/.*|\/\*[^]*?\*\//g;

/** A row of a table of Go's tests, a case a line; the output of an Example. */
const CASE = /^\s*(?:\/\/ )?[{"`]/;

/**
 * The lines of code that are too long. A text that stands nearly alone may be: a name, a message, a page, data of a
 * test.
 * @param {string} source
 * @param {string} name
 */
function longLines(source, name) {
  const go = name.endsWith(".go"); // its raw strings have no escapes
  /** How many characters of each line are texts. @type {number[]} */
  const texts = [];
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  let line = 0;
  const count = (/** @type {number} */ from, /** @type {number} */ to) => {
    while (line + 1 < starts.length && starts[line + 1] <= from) line++;
    for (let i = line; i < starts.length && starts[i] < to; i++) {
      const own = Math.min(to, (starts[i + 1] ?? Infinity) - 1) - Math.max(from, starts[i]);
      texts[i] = Math.max(texts[i] ?? 0, own);
    }
  };
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(source); found; found = TOKEN.exec(source)) {
    let end = TOKEN.lastIndex;
    if (found[0] === "`") {
      while (end < source.length && source[end] !== "`") end += !go && source[end] === "\\" ? 2 : 1;
      TOKEN.lastIndex = ++end;
    }
    if (!found[0].startsWith("//") && !found[0].startsWith("/*")) count(found.index, end);
  }
  return source.split("\n").flatMap((each, i) => {
    const fits = width(each) <= MAX || width(each) - (texts[i] ?? 0) <= BESIDE ||
      (name.endsWith("_test.go") && CASE.test(each));
    return fits ? [] : [i + 1];
  });
}

test("no line is longer than 120 columns", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n")
    .filter((name) => /\.(?:go|js|mjs|ts|jsx|sh|md)$|^\.ci\/run$/.test(name) &&
      !FILES.some(([file]) => file.test(name)));
  assert.ok(files.length > 300);
  const long = files.flatMap((name) => {
    const source = readFileSync(root + name, "utf8");
    if (!name.endsWith(".md")) return longLines(source, name).map((line) => `${name}:${line}`);
    const words = source.replace(/^```[^]*?^```/gm, (code) => code.replace(/.+/g, ""));
    return words.split("\n").flatMap((each, i) => (width(each) > MAX && !ROW.test(each) ? [`${name}:${i + 1}`] : []));
  });
  assert.equal(long.join("\n"), "", "break these lines");
});
