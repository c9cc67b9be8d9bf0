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
