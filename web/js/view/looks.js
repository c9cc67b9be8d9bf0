"use strict";

import { known } from "./known.js";
import { earlyWords, languageOf } from "./language.js";

/** What a chat looks like, of the options that mount was given. */

/**
 * What Go is told of the options.
 * @typedef {object} Looks
 * @property {string} lang
 * @property {string} labels an object as JSON text
 * @property {string[]} tools the tools that the page draws itself
 * @property {string[]} activities
 * @property {boolean} math the page draws formulas
 * @property {string[]} codes the languages of the code that it draws
 * @property {boolean} remoteImages
 * @property {boolean} attach
 * @property {string[]} actions what a person can do with a message
 * @property {string} own the page's own of these, by label whose messages have it, as JSON text
 */

/**
 * @param {Element} host
 * @param {any} given mount's options, checked
 * @returns {Looks}
 */
export function looksOf(host, given) {
  const { lang, renderers, remoteImages, attach = true, welcome, assistant } = given;
  const labels = {
    ...(typeof welcome === "string" && { empty: welcome }), ...(assistant?.name && { assistant: assistant.name }),
    ...given.labels,
  };
  const { code = {}, math = Function } = renderers ?? {};
  for (const f of [math, ...Object.values(code)]) {
    if (typeof f !== "function") throw new TypeError("mount: the renderers of formulas and code must be functions");
  }
  return {
    lang: languageOf(host, lang), labels: JSON.stringify(labels),
    tools: Object.keys(renderers?.tools ?? {}), activities: Object.keys(renderers?.activities ?? {}),
    math: Boolean(renderers?.math), codes: Object.keys(renderers?.code ?? {}), remoteImages: Boolean(remoteImages),
    attach: Boolean(attach), actions: actionsOf(given),
    own: JSON.stringify(Object.fromEntries(ownOf(given, languageOf(host, lang))
      .map(({ label, role }) => [label, role ?? ""]))),
  };
}

/** @param {any} given */
function actionsOf({ messageActions, onFeedback, onError }) {
  const all = ["copy", "edit", "regenerate"];
  const list = Array.isArray(messageActions) ? messageActions : messageActions ? all : [];
  known(list.filter((each) => typeof each !== "object"), [...all, "readAloud"], "action");
  for (const [name, f] of Object.entries({ onFeedback, onError })) {
    if (f && typeof f !== "function") throw new TypeError(`mount: ${name} must be a function`);
  }
  const names = list.filter((each) => all.includes(each));
  return onFeedback ? [...names, "feedback"] : names;
}

/**
 * The actions that the script does: the page's own, and reading aloud, where the browser can.
 * @param {any} given
 * @param {string} lang
 * @returns {{label: string, role?: string, onClick?: Function}[]}
 */
export function ownOf({ messageActions, labels }, lang) {
  const list = Array.isArray(messageActions) ? messageActions : [];
  return list.flatMap((each) => {
    if (each === "readAloud") {
      return globalThis.speechSynthesis ? [{ label: earlyWords(lang, labels).readAloud, role: "assistant" }] : [];
    }
    if (typeof each !== "object") return [];
    if (typeof each?.label !== "string" || typeof each.onClick !== "function") {
      throw new TypeError("mount: an action needs a label and onClick");
    }
    return [each];
  });
}
