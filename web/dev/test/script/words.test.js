// The protocol's words stay out of the scripts: what they decide is decided in Go. Who needs one says here what for.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

const scripts = fileURLToPath(new URL("../../../js", import.meta.url));

/** Event types, and what decides over calls, questions, ids and outcomes. */
const WORD =
  /\b(?:RUN_(?:STARTED|FINISHED|ERROR)|(?:STEP|TEXT_MESSAGE|TOOL_CALL|STATE|MESSAGES|ACTIVITY|THINKING|REASONING)_[A-Z_]+)\b|"(?:interrupt|cancelled|resolved)"|\bpendingToolCallIds\b|:call\b|:text\b|\bexpiresAt\b|\binterruptId\b/g;

/** @type {Record<string, [string, string[]]>} */
const ALLOWED = {
  "agent/agent.js": ["the agent's own field; whileRunning has a choice of that name",
    ["pendingToolCallIds", '"interrupt"']],
  "agent/config.js": ["whileRunning has a choice of that name", ['"interrupt"']],
  "agent/internals.js": ["which views' tools wait", ["pendingToolCallIds"]],
  "agent/join.js": ["which calls the page is asked about", ["pendingToolCallIds"]],
  "agent/steps.js": ["the hooks' names by event type, and what a hook is given", ["*"]],
  "agent/decisions.js": ["which call a person decides about", ["pendingToolCallIds"]],
  "agent/people.js": ["what a person answers", ["*"]],
  "agent/player.js": ["what a recording answers, as the demo's server does",
    ['"resolved"', '"cancelled"', "interruptId"]],
  "agent/follow.js": ["runAgent's outcome; what onInterrupt may give",
    ['"interrupt"', '"resolved"', '"cancelled"', "interruptId"]],
  "agent/round.js": ["the runs' last event for the hooks, and answers that were held back",
    ["RUN_FINISHED", "RUN_ERROR", "interruptId"]],
  "agent/handlers.js": ["the answer that a handler gives to a question", ['"resolved"', "interruptId"]],
  "agent/versions.js": ["the option whileRunning", ['"interrupt"']],
  "view/element.js": ["the event of the chat", ['"interrupt"']],
  "view/layout.js": ["the event of the chat", ['"interrupt"']],
  "view/events.js": ["the event of the chat", ['"interrupt"']],
  "core/warm.js": ["the stream of the warm-up", ["*"]],
  "core/mirror.js": ["the snapshots' fields", ["pendingToolCallIds"]],
  "view/view-feed.js": ["which events the chat pays attention to, and its news", ["*"]],
  "view/view.js": ["whileRunning has a choice of that name", ['"interrupt"']],
};

/** Code without its comments, good enough for ours. @param {string} text */
const code = (text) => text.replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

test("the protocol's words stand in web/js only where this list says what for", () => {
  const files = readdirSync(scripts, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"))
    // compat repeats the reference's functions over events
    .filter((name) => name.endsWith(".js") && !name.startsWith("compat/"));
  assert.ok(files.length > 50);
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const name of files) {
    const words = new Set(code(readFileSync(`${scripts}/${name}`, "utf8")).match(WORD));
    if (words.size > 0) found.set(name, words);
  }
  for (const [name, words] of found) {
    const allowed = ALLOWED[name]?.[1] ?? [];
    const more = allowed.includes("*") ? [] : [...words].filter((word) => !allowed.includes(word));
    assert.deepEqual(more, [], `${name} has words of the protocol's: decide in Go, or say here what for`);
  }
  for (const [name, [, allowed]] of Object.entries(ALLOWED)) {
    const words = found.get(name) ?? new Set();
    assert.ok(words.size > 0, `${name} needs no exception any more`);
    for (const word of allowed) assert.ok(word === "*" || words.has(word), `${name} does not need ${word} any more`);
  }
});

test("CONTRIBUTING's path of an event type names every file that names a type of today", () => {
  const root = new URL("../../../../", import.meta.url);
  const text = readFileSync(new URL("CONTRIBUTING.md", root), "utf8");
  const path = text.slice(text.indexOf("## The one path of a new event type"), text.indexOf("## What is checked"));
  assert.ok(path.length > 1000);
  const places = [...path.matchAll(/`([^`]+)`/g)].map(([, place]) => place);
  const folders = new Set(places.map((place) => place.slice(0, place.lastIndexOf("/") + 1)));
  const named = (/** @type {string} */ file) => places.some((place) => place === file ||
    place.endsWith("/") && file.startsWith(place) ||
    !place.includes("/") && file.endsWith(`/${place}`) && folders.has(file.slice(0, -place.length)));
  const files = ["agui", "state", "wasm", "web/js", "web/dev/demo"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`))
    .filter((name) => /\.(?:go|js|ts|md)$/.test(name) && !/_test\.go$|testdata\//.test(name));
  assert.ok(files.length > 200);
  for (const type of ["SUBAGENT_FINISHED", "ACTIVITY_DELTA", "STEP_FINISHED"]) {
    const go = type.toLowerCase().replace(/(?:^|_)(.)/g, (_, first) => first.toUpperCase());
    const names = new RegExp(`\\b(?:New|Type)?${go}\\b|\\b${type}\\b`);
    const where = files.filter((file) => names.test(readFileSync(new URL(file, root), "utf8")));
    assert.deepEqual(where.filter((file) => !named(file)), [], `${type} is named there too`);
  }
  for (const place of places) {
    if (place.includes("/") && !place.includes(" ")) assert.ok(existsSync(new URL(place, root)), place);
  }
});
