"use strict";

/** What mount may be given: a name that is none of these is a slip of the pen. */

/** Those of the chat itself. */
export const VIEW_OPTIONS = [
  "agent", "lang", "labels", "theme", "renderers", "remoteImages", "messageActions", "attach", "maxFileBytes",
  "context", "forwardedProps", "onFeedback", "onError", "layout", "welcome", "suggestions", "disclaimer", "assistant",
  "acceptFiles", "maxFiles", "capture", "draft",
];

/** Those for which the part "around" is needed. */
export const AROUND = ["welcome", "suggestions", "disclaimer", "assistant", "draft"];

/**
 * The names of the words that the script's parts say; see words.js.
 * @typedef {"suggestions"} PartLabel
 */
/** @type {PartLabel[]} */
export const PART_LABELS = ["suggestions"];

export const OPTIONS = [
  ...VIEW_OPTIONS,
  // HttpAgent's.
  "url", "headers", "credentials", "requestInit", "fetch", "agentId", "description", "threadId", "initialMessages",
  "initialState", "debug", "tools", "maxToolRounds", "keepRuns", "onInterrupt", "onPendingTool", "persist", "history",
  "resumeRunId", "unanswered", "whileRunning", "run", "verify", "maxEventBytes", "keepRaw", "accept", "idleTimeoutMs",
  "onWarning", "reconnect",
];

/**
 * Throws a TypeError for an option that mount does not have.
 * @param {any} given
 */
export const checkOptions = (given) => known(Object.keys(given), OPTIONS, "option");

/**
 * Throws a TypeError for the first name that is not known, with the one that was meant.
 * @param {string[]} names
 * @param {string[]} all
 * @param {string} what
 */
export function known(names, all, what) {
  const odd = names.find((name) => !all.includes(name));
  if (odd === undefined) return;
  const near = all.map((name) => ({ name, far: distance(odd, name) })).reduce((a, b) => (b.far < a.far ? b : a));
  const hint = near.far <= Math.max(2, odd.length / 3) ? `; did you mean ${JSON.stringify(near.name)}?` : "";
  throw new TypeError(`mount: there is no ${what} ${JSON.stringify(odd)}${hint}`);
}

/**
 * How many letters must be put in, left out or changed to make one word of another; upper case does not count.
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()];
  let row = [...to, ""].map((_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + Number(from[i] !== to[j])));
    }
    row = next;
  }
  return row[to.length];
}
