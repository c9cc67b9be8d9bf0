"use strict";

// The first page: a conversation and what it is made of. With the demo agent behind it (./build.sh serve) it talks to
// that; on a host that only serves files it replays recorded runs through the same API, and says so.

import { read } from "../js/agent/recording.js";
import { Chat } from "./parts/chat.js";
import { byId, download, make } from "./parts/dom.js";
import { Inspector } from "./parts/inspector.js";
import { Line } from "./parts/line.js";
import { Recorder } from "./parts/recording.js";
import { file, find, keep, kept, overLine, own, parseHeaders } from "./parts/sources.js";
import { fill, language, say, setLanguage, translated } from "./parts/texts.js";

/** @typedef {import("./parts/sources.js").Source} Source */

/** The groups of abilities, in the order of the page. */
const GROUPS = {
  talk: ["help", "text", "reasoning", "chunks", "steps", "media", "usage", "history"],
  tools: ["tool", "page-tool"],
  state: ["plan", "table", "activity"],
  questions: ["approve", "ask", "confirm", "several"],
  helpers: ["subagents"],
  trouble: ["error", "cut", "slow", "flood"],
};

const inspector = new Inspector();
const recorder = new Recorder();
const line = new Line();
/** @type {Source | null} */
let source = null;
/** What stands behind the page itself. @type {Source | null} */
let home = null;
/** @type {Chat | null} */
let chat = null;

/** The errors that say that there is no agent at the address. */
const UNREACHED = new Set(["network", "http_status", "bad_content_type", "incomplete_stream", "idle_timeout"]);

/** @type {import("./parts/chat.js").Observer} */
const observer = {
  begin: () => inspector.log.begin(),
  event(run, event) {
    answers("yes");
    inspector.log.event(run, event);
  },
  warning: (run, warning) => inspector.log.warn(run, warning),
  finish(run, error) {
    if (error?.code === "network") recorder.broke();
    if (run.events === 0 && UNREACHED.has(error?.code)) answers("no");
    inspector.log.finish(run, error);
    byId("save").disabled = recorder.empty;
  },
  changed() {
    if (chat) document.body.dataset.working = String(chat.working);
    inspector.refresh();
  },
  recording: (inner, run) => recorder.through(source?.kind === "demo" ? line.through(inner) : inner, run),
  connection: shown,
};

/** Shows how the connection stands. @param {{state: string, code?: string}} connection */
function shown({ state, code }) {
  const { cuts } = line;
  byId("line-state").dataset.state = state;
  byId("line-state").textContent = say(`line.${state}`, { code: code ?? "" }) +
    (cuts > 0 ? say("line.cuts", { count: String(cuts) }) : "");
}

/** Cuts the line again and again, or lets it be. What was said goes on over a line that can be read on. */
function cutLine() {
  line.cutting = !line.cutting;
  byId("cut").setAttribute("aria-pressed", String(line.cutting));
  byId("line-state").hidden = false;
  if (line.cutting && source && chat && !chat.readsOn) {
    const before = chat;
    before.close();
    chat = new Chat(overLine(source), observer);
    chat.takeOver(before);
    inspector.snapshots = chat;
  }
  if (chat) shown(chat.agent.connection);
}

/** Talks to another source from now on, in a new conversation. @param {Source | null} to */
function turnTo(to) {
  chat?.close();
  source = to;
  byId("load-failure").hidden = true;
  inspector.reset();
  line.cutting = false;
  byId("cut").setAttribute("aria-pressed", "false");
  byId("cut").hidden = to?.kind !== "demo";
  byId("line-state").hidden = true;
  chat = to && new Chat(to, observer);
  if (chat) inspector.snapshots = chat;
  answers(to?.kind === "demo" ? "yes" : to ? "" : "no");
  byId("new").disabled = to === null;
  told();
}

/** Shows whether the source has answered: "yes", "no", or "" before it was asked. @param {string} how */
function answers(how) {
  byId("source").dataset.answers = how;
}

/** Draws what depends on the source and the language. */
function told() {
  byId("source").textContent = source ? say(`source.${source.kind}`, { name: source.name }) : say("source.none");
  byId("source").dataset.kind = source?.kind ?? "none";
  byId("back").hidden = source === home || home === null;
  const list = source?.abilities ?? [];
  byId("abilities").hidden = list.length === 0;
  byId("abilities-title").textContent = say(source?.kind === "file" ? "abilities.file" : "abilities.title");
  const grouped = new Set(Object.values(GROUPS).flat());
  const groups = source?.kind === "file" ? [["", list.map(({ name }) => name)]]
    : [...Object.entries(GROUPS), ["other", list.map(({ name }) => name).filter((name) => !grouped.has(name))]];
  byId("groups").replaceChildren(...groups.map(([group, names]) => {
    const members = list.filter(({ name }) => names.includes(name));
    if (members.length === 0) return "";
    return make("li", {},
      group === "" ? null : make("h3", { text: say(`group.${group}`) }),
      make("ul", {}, ...members.map((ability) => {
        const { title, prompt } = translated(ability);
        return make("li", {}, make("button", {
          type: "button", "data-ability": ability.name, title: prompt, text: short(title, String(group)),
          onclick: () => perform(ability),
        }));
      })));
  }));
}

/** A title under its group's heading need not repeat it. @param {string} title @param {string} group */
function short(title, group) {
  const cut = { state: /^(Shared state: |共享状态：)/, questions: /^(An interrupt: |中断：)/ }[group];
  const text = cut ? title.replace(cut, "") : title;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {import("./parts/sources.js").Ability} ability */
function perform(ability) {
  if (!chat || !source) return;
  if (matchMedia("(max-width: 1099px)").matches) byId("abilities").open = false;
  if (GROUPS.state.includes(ability.name) && ability.name !== "activity") inspector.lend("state");
  else inspector.back();
  if (source.kind === "file") {
    chat.rewind();
    play(source.abilities.indexOf(ability));
  } else {
    chat.send(translated(ability).prompt);
  }
}

/** @type {import("../js/agent/recording.js").Recording[]} */
let recordings = [];

/** Replays one run of the loaded file. @param {number} index */
function play(index) {
  /** @type {any} */ (source).turn(index);
  const { input, prompt } = recordings[index];
  return chat?.replay(input ?? { messages: [{ id: "1", role: "user", content: prompt ?? "" }] });
}

/** @param {File} given */
async function load(given) {
  byId("load-failure").hidden = true;
  try {
    recordings = read(await given.text());
  } catch (error) {
    byId("load-failure").textContent = say("inspector.loadFailed", {
      name: given.name, reason: /** @type {Error} */ (error).message,
    });
    byId("load-failure").hidden = false;
    return;
  }
  turnTo(file(given.name, recordings));
  inspector.clear();
  recorder.clear();
  const mine = chat;
  for (let n = 0; n < recordings.length && chat === mine; n++) await play(n);
}

/** @param {boolean} open */
function connection(open) {
  byId("connection").hidden = !open;
  byId("connect").setAttribute("aria-expanded", String(open));
  if (open) byId("url").focus();
}

function useOwn() {
  const url = byId("url").value.trim();
  const headers = byId("headers").value;
  const complain = (/** @type {string} */ text, /** @type {string} */ id) => {
    byId("connect-failure").textContent = text;
    byId("connect-failure").hidden = text === "";
    for (const name of ["url", "headers"]) byId(name).toggleAttribute("aria-invalid", name === id);
    if (id) byId(id).focus();
  };
  try {
    parseHeaders(headers);
  } catch (error) {
    return complain(say("connect.badHeader", { line: /** @type {Error} */ (error).message }), "headers");
  }
  try {
    if (url === "") throw new TypeError("no address");
    turnTo(own(url, headers));
  } catch {
    return complain(say("connect.badUrl"), "url");
  }
  complain("", "");
  keep({ url, headers });
  connection(false);
  chat?.focus();
}

/** Shows the texts in the page's language. */
function translate() {
  document.documentElement.lang = language;
  document.title = say("page.title");
  byId("language").value = language;
  fill(document);
  inspector.translate();
  chat?.mount();
  if (chat) shown(chat.agent.connection);
  if (home || source) told();
}

/** @param {string} view */
function view(view) {
  document.body.dataset.view = view;
  for (const name of ["talk", "inspector"]) byId(`view-${name}`).setAttribute("aria-pressed", String(name === view));
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  view("talk");
  chat?.focus();
});
byId("new").addEventListener("click", () => turnTo(source));
byId("cut").addEventListener("click", cutLine);
byId("connect").addEventListener("click", () => connection(byId("connection").hidden));
byId("connection").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  useOwn();
});
byId("connection").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== "Escape") return;
  connection(false);
  byId("connect").focus();
});
byId("back").addEventListener("click", () => {
  keep(null);
  connection(false);
  turnTo(home);
  byId("connect").focus();
});
byId("save").addEventListener("click", () => download("agui-runs.json", recorder.file()));
byId("load").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", () => {
  const [given] = byId("file").files;
  if (given) load(given);
  byId("file").value = "";
});
byId("clear").addEventListener("click", () => {
  inspector.clear();
  recorder.clear();
  byId("save").disabled = true;
});
byId("language").addEventListener("change", () => {
  setLanguage(byId("language").value);
  translate();
});
for (const name of ["talk", "inspector"]) byId(`view-${name}`).addEventListener("click", () => view(name));

view("talk");
if (matchMedia("(max-width: 1099px)").matches) {
  byId("abilities").open = matchMedia("(min-height: 700px) and (min-width: 700px)").matches;
}
translate();

/** Finds out what is behind the page. */
async function start() {
  const asked = new URLSearchParams(location.search).get("agent");
  const mine = asked === null ? kept() : { url: asked, headers: "" };
  home = await find().catch(() => null);
  if (mine) {
    byId("url").value = mine.url;
    byId("headers").value = mine.headers;
    try {
      turnTo(own(mine.url, mine.headers));
    } catch {
      turnTo(home);
    }
  } else {
    turnTo(home);
  }
  document.body.dataset.ready = "true";
}
start();
