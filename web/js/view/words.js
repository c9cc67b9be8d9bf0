"use strict";

/**
 * The words of the chat's parts that are drawn by the script, in English and in Chinese. The page may replace each by
 * `labels`, as those of the program. The names stand in agui.chat.js (known.js), the words in their part.
 */

/** @type {Record<import("./known.js").PartLabel, readonly [string, string]>} */
const WORDS = {
  suggestions: ["Suggestions", "建议"],
};

/**
 * @param {string} lang a language tag
 * @param {Record<string, string> | undefined} own
 * @returns {(name: import("./known.js").PartLabel) => string}
 */
export function wordsFor(lang, own) {
  const i = /^(?:zh|cmn)(?![^-])/i.test(lang) ? 1 : 0;
  return (name) => (typeof own?.[name] === "string" ? own[name] : WORDS[name][i]);
}
