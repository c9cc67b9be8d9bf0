"use strict";

import { inTurn, lastWords, Player } from "../../js/agent/player.js";
import { promptNames } from "./texts.js";

/**
 * What is behind the page.
 * @typedef {object} Source
 * @property {"demo" | "own" | "recorded" | "file"} kind
 * @property {string} url
 * @property {string} name shown to the person: the address or the file's name
 * @property {Record<string, string>} [headers]
 * @property {typeof fetch} [fetch] in the place of the network
 * @property {"tanstack"} [reconnect] how its runs are read on after a cut
 * @property {Ability[]} abilities
 */

/** @typedef {{name: string, title: string, prompt: string}} Ability */
/** @typedef {import("../../js/agent/recording.js").Recording} Recording */

const KEY = "agui-page-agent";

/** The pace that the page's address asks for: ?speed=4, ?speed=max. */
const pace = new URLSearchParams(location.search).get("speed");
const speed = pace === "max" ? Infinity : Math.max(0.01, Number(pace) || 1);

/**
 * The person's own agent, kept for this tab.
 * @returns {{url: string, headers: string} | null}
 */
export function kept() {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return typeof value?.url === "string" ? { url: value.url, headers: String(value.headers ?? "") } : null;
  } catch {
    return null; // storage may be forbidden; the page works without it
  }
}

/** @param {{url: string, headers: string} | null} agent */
export function keep(agent) {
  try {
    if (agent) sessionStorage.setItem(KEY, JSON.stringify(agent));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Storage may be forbidden; the agent then lasts until the page is left.
  }
}

/**
 * Reads headers written one a line, "Name: value".
 * @param {string} text
 * @returns {Record<string, string>}
 * @throws {Error} naming the line that is none
 */
export function parseHeaders(text) {
  /** @type {Record<string, string>} */
  const headers = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    const value = line.slice(colon + 1).trim();
    try {
      new Headers([[name, value]]);
    } catch {
      throw new Error(line.trim());
    }
    headers[name] = value;
  }
  return headers;
}

/**
 * @param {string} url
 * @param {string} headers
 * @returns {Source}
 */
export function own(url, headers) {
  const absolute = new URL(url, location.href);
  if (absolute.protocol !== "http:" && absolute.protocol !== "https:") throw new TypeError("not an http address");
  return { kind: "own", url: absolute.href, name: absolute.href, headers: parseHeaders(headers), abilities: [] };
}

/**
 * The demo agent over a line that may break: it keeps its runs.
 * @param {Source} source
 * @returns {Source}
 */
export function overLine(source) {
  const url = new URL(source.url);
  url.searchParams.set("dialect", "tanstack");
  return { ...source, url: url.href, reconnect: "tanstack" };
}

/**
 * Finds what stands behind the page: the demo agent beside it, or else the recorded runs.
 * @returns {Promise<Source>}
 */
export async function find() {
  const url = new URL("agent", location.href);
  if (pace) url.searchParams.set("speed", pace);
  try {
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const { scenarios } = await response.json();
    if (response.ok && Array.isArray(scenarios)) {
      return { kind: "demo", url: url.href, name: url.href, abilities: scenarios };
    }
  } catch {
    // A host that only serves files answers with an error page.
  }
  return recorded();
}

/** The runs that the build recorded, and one that is made here: a file of 20,000 events would weigh two megabytes. */
async function recorded() {
  const list = /** @type {Ability[]} */ (await (await fetch("recordings/index.json")).json());
  const flood = { name: "flood", title: "20,000 events", prompt: "Flood me with 20,000 events" };
  const abilities = list.some((item) => item.name === "flood") ? list : [...list, flood];
  const player = new Player(async (input) => {
    const name = choose(abilities, lastWords(input));
    return name === "flood" ? flooding() : (await fetch(`recordings/${name}.json`)).json();
  }, speed);
  return {
    kind: /** @type {const} */ ("recorded"), url: new URL("recorded", location.href).href, name: "",
    fetch: /** @type {typeof fetch} */ ((_url, init) => player.answer(init)), abilities,
  };
}

/**
 * @param {Ability[]} abilities
 * @param {string} words
 */
function choose(abilities, words) {
  const asked = words.trim().toLowerCase();
  const known = promptNames.get(asked);
  if (known && abilities.some((item) => item.name === known)) return known;
  const exact = abilities.find((item) => item.prompt.toLowerCase() === asked);
  const named = abilities.filter((item) => asked.includes(item.name)).sort((a, b) => b.name.length - a.name.length);
  return (exact ?? named[0] ?? abilities.find((item) => item.name === "help") ?? abilities[0]).name;
}

/** The flood of the demo agent, made here. @returns {Recording} */
function flooding() {
  const event = (/** @type {object} */ value) => `data: ${JSON.stringify(value)}\n\n`;
  const list = [event({ type: "RUN_STARTED", threadId: "THREAD", runId: "RUN" }),
    event({ type: "TEXT_MESSAGE_START", messageId: "RUN-m1", role: "assistant" })];
  while (list.length < 19_998) {
    list.push(event({
      type: "TEXT_MESSAGE_CONTENT", messageId: "RUN-m1", delta: list.length % 20 === 0 ? "word.\n\n" : "word ",
    }));
  }
  list.push(event({ type: "TEXT_MESSAGE_END", messageId: "RUN-m1" }),
    event({ type: "RUN_FINISHED", threadId: "THREAD", runId: "RUN", result: { events: 20_000 } }));
  return { response: { status: 200, contentType: "text/event-stream", body: list.join("") }, times: [0] };
}

/**
 * A loaded file: its runs answer in the place of a server, one after the other or the one that is asked for by its
 * number.
 * @param {string} name
 * @param {Recording[]} recordings
 * @returns {Source & {turn(index: number): void}}
 */
export function file(name, recordings) {
  const abilities = recordings.map((recording, index) => ({
    name: `run ${index + 1}`, prompt: recording.prompt || lastWords(recording.input) || `run ${index + 1}`,
    title: recording.title || recording.name || `run ${index + 1}`,
  }));
  const turns = inTurn(recordings);
  const player = new Player(turns, speed);
  return {
    kind: /** @type {const} */ ("file"), name, url: new URL("recorded", location.href).href, abilities,
    turn: turns.turn,
    fetch: /** @type {typeof fetch} */ ((_url, init) => player.answer(init)),
  };
}
