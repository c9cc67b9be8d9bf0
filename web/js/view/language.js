"use strict";

/**
 * A chat's language: what the page named, that of the page around the element, or the browser's: the first that is a
 * language tag, as Intl takes it.
 * @param {Element} host
 * @param {string | null | undefined} named
 */
export function languageOf(host, named) {
  const around = host.closest("[lang]")?.getAttribute("lang");
  return language(named) || language(around) || language(globalThis.navigator?.language) || "en";
}

/**
 * Gives a language tag in its right form: "en_US" is "en-US". "" for what is none.
 * @param {string | null | undefined} tag
 */
function language(tag) {
  try {
    return Intl.getCanonicalLocales((tag ?? "").trim().replaceAll("_", "-").replace(/[.@].*$/, ""))[0] ?? "";
  } catch {
    return "";
  }
}

/**
 * The words that are shown before the program has come, or without it.
 * @param {string} lang
 * @param {Record<string, string> | undefined} labels the page's own
 * @returns {Record<string, string>}
 */
export const earlyWords = (lang, labels) => ({ ...AGUI_WORDS[/^(?:zh|cmn)(?![^-])/i.test(lang) ? 1 : 0], ...labels });
