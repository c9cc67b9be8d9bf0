// The documents: the reference is what agui.d.ts says, the README's page works, links lead somewhere.
// UPDATE=1 writes the reference anew.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { start } from "./harness/browser.js";
import { faultServer, finished, sse, started, text } from "./harness/faults.js";
import { root } from "./harness/static.js";
import { declarations, reference } from "./docs/reference.js";

const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");
const readmes = ["README.md", "README.zh-CN.md"];
const documents = [
  ...readmes, "CONTRIBUTING.md", "CHANGELOG.md", "web/js/README.md", "web/examples/README.md",
  ...["web/docs", "web/docs/guide"].flatMap((folder) => readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`)),
];

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
/** @type {Awaited<ReturnType<typeof faultServer>>} */
let agent;
before(async () => {
  [world, agent] = await Promise.all([start(), faultServer()]);
});
after(() => Promise.all([world?.stop(), agent?.close()]));

const BEGIN = "<!-- reference: made from agui.d.ts -->\n\n";
const END = "\n\n<!-- /reference -->\n";

test("api.md says what agui.d.ts says", async () => {
  const types = read("web/js/agui.d.ts");
  const page = read("web/docs/api.md");
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  assert.ok(from >= BEGIN.length && to > from, "the marks are there");
  const want = reference(types);
  if (process.env.UPDATE) writeFileSync(join(root, "web/docs/api.md"), page.slice(0, from) + want + page.slice(to));
  else {
    const [got, should] = [page.slice(from, to).split("\n"), want.split("\n")];
    const at = should.findIndex((line, i) => line !== got[i]);
    assert.equal(got[at], should[at],
      "the first line that differs; run UPDATE=1 node --test web/dev/test/docs.test.js");
    assert.equal(got.length, should.length);
  }

  // And the reference leaves nothing out: each export that the runtime has, and each that only TypeScript sees.
  const agui = await import(new URL("../../../dist/agui.node.mjs", import.meta.url).href);
  const names = [...types.matchAll(/^export (?:abstract )?(?:const|function|class|interface|type) (\w+)/gm)].map(
    ([, name]) => name);
  for (const name of [...Object.keys(agui).filter((name) => name !== "default"), ...names]) {
    assert.ok(want.includes(`\`${name}\``), name);
  }
  const members = declarations(types).flatMap(({ members }) => members ?? []);
  assert.ok(members.length > 300, `${members.length} members`);
  for (const { type } of members) assert.ok(want.includes(type.replace(/\|/g, "\\|")) || /^type: "/.test(type), type);
});

test("api.md names every option of the script tag", () => {
  const origin = read("web/js/core/origin.js");
  const page = read("web/docs/api.md");
  const names = /const \{ (.*?) \} = script\?\.dataset/.exec(origin)?.[1].split(", ") ?? [];
  assert.ok(names.length >= 3);
  for (const name of names) {
    assert.ok(page.includes(`data-${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`), name);
  }
});

for (const name of readmes) {
  test(`the page of ten lines in ${name}`, async () => {
    const html = /```html\n(<!doctype html>[^]*?)```/.exec(read(name))?.[1] ?? "";
    assert.ok(html.trim().split("\n").length <= 10);
    const url = agent.reply({ body: sse(started, ...text("m", "Hello"), finished) });
    const page = await world.page({
      html: html.replace("https://agent.example/run", url).replace('src="agui.js"', 'src="/agui.js"'),
    });
    for (const end = Date.now() + 20000; !page.consoled.includes("log: done") && Date.now() < end;) {
      await page.waitForTimeout(50);
    }
    assert.deepEqual(page.consoled.filter((line) => line.startsWith("log: ")),
      ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED",
        "done"].map((word) => `log: ${word}`));
    assert.deepEqual(agent.seen(url)[0].json.messages, [{ id: "1", role: "user", content: "Hi" }]);
    await page.done();
  });
}

test("both READMEs have the same pages, commands, files and links", () => {
  const parts = readmes.map((name) => {
    const text = read(name);
    return {
      code: [...text.matchAll(/```\w+\n[^]*?```/g)].map(([block]) => block),
      commands: [...text.matchAll(/^    (\.\/build\.sh \w+)/gm)].map(([, command]) => command),
      files: [...text.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell]) => cell.match(/`[^`]+`/g)?.join()),
      links: [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link).filter((link) => !link.startsWith("README"))
        .sort(),
      sections: text.match(/^## /gm)?.length,
    };
  });
  assert.deepEqual(parts[1], parts[0]);
  assert.deepEqual(parts[0].commands, ["./build.sh serve", "./build.sh test"]);
});

test("migration.md begins with what breaks first", () => {
  assert.match(read("web/docs/migration.md"), /^# .*\n\n\*\*Snapshots are read-only\*\*/);
});

test("the guide shows the examples as they are, and each page has one", () => {
  const pages = documents.filter((name) => name.startsWith("web/docs/guide/") && !/README|install/.test(name));
  assert.ok(pages.length >= 8);
  for (const name of pages) {
    const shown = [...read(name).matchAll(/^<!-- (web\/examples\/\S+) -->\n```\w+\n([^]*?)\n```$/gm)];
    assert.ok(shown.length > 0, name);
    for (const [, path, code] of shown) assert.equal(code, read(path).trim(), `${name} shows another ${path}`);
  }
});

for (const name of documents) {
  test(`links of ${name}`, () => {
    const text = read(name);
    for (const [, link] of text.replace(/```[^]*?```/g, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path, anchor] = link.split("#");
      const file = path ? join(dirname(name), path) : name;
      assert.ok(existsSync(join(root, file)), `${link} leads nowhere`);
      if (!anchor) continue;
      const anchors = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, "").replace(/ /g, "-"));
      assert.ok(anchors.includes(anchor), `${link}: ${file} has no such heading`);
    }
    // Folders and files that are named stand where they are said to be.
    for (const [, path] of text.matchAll(/`((?:agui|state|web|wasm)\/[\w./-]+)`/g)) {
      assert.ok(existsSync(join(root, path)) || existsSync(join(root, path.replace(/\/?\*.*$/, ""))),
        `${path} is not there`);
    }
  });
}
