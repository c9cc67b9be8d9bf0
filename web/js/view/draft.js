"use strict";

/**
 * Keeps what is written and not sent over an unmount and a reload, in the tab ("session") or the browser ("local").
 * A browser that refuses its storage keeps nothing.
 * @param {import("./around.js").Place} place
 * @returns {{save(): void, end(): void}}
 */
export function keepDraft({ root, host, given: { draft, threadId }, composer }) {
  const store = () => (draft === "local" ? localStorage : sessionStorage);
  const key = `agui.draft ${location.pathname} ${host.id} ${threadId ?? ""}`;
  const quietly = (/** @type {() => any} */ f) => {
    try {
      return f();
    } catch {
      return undefined;
    }
  };
  let kept = quietly(() => store().getItem(key)) ?? "";
  if (kept && composer.value === "") composer.value = kept;
  const save = () => {
    const { value } = composer;
    if (value === kept) return;
    kept = value;
    quietly(() => (value ? store().setItem(key, value) : store().removeItem(key)));
  };
  root.addEventListener("input", save);
  return { save, end: () => root.removeEventListener("input", save) };
}
