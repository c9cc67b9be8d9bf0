// Runs before a page's own scripts, where an engine does not tell well enough itself: what came to the console, what
// nobody caught, what was asked for. The engine takes it with the answer of each script that it runs (page.js).

/** The script that keeps the log. */
export const keep = `{
  const log = [];
  const text = (value) => { try { return typeof value === "string" ? value : value instanceof Error ? String(value) : typeof value === "object" ? JSON.stringify(value) : String(value); } catch { return "?"; } };
  for (const [name, type] of [["log", "log"], ["info", "info"], ["warn", "warning"], ["error", "error"], ["debug", "debug"]]) {
    const before = console[name];
    console[name] = function (...a) { log.push(["console", type + ": " + a.map(text).join(" ")]); return before.apply(this, a); };
  }
  addEventListener("error", (event) => { if (event.target === globalThis) log.push(["uncaught", text(event.error ?? event.message), event]); }, true);
  addEventListener("unhandledrejection", (event) => log.push(["uncaught", text(event.reason), event]));
  performance.setResourceTimingBufferSize?.(10000);
  const { getEntriesByType } = performance;
  let asked = 0;
  Object.defineProperty(globalThis, Symbol.for("harness"), { value: () => {
    const list = getEntriesByType.call(performance, "resource").map((entry) => entry.name);
    // What a listener of the page's has prevented is caught.
    const told = log.splice(0).filter(([,, event]) => !event?.defaultPrevented).map(([kind, line]) => [kind, line]);
    for (; asked < list.length; asked++) told.push(["request", list[asked]]);
    return told;
  } });
  document.currentScript?.remove();
}`;

/** An expression that takes the log. */
export const take = 'globalThis[Symbol.for("harness")]?.() ?? []';
