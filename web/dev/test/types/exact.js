// What the runtime has, found at run time, as a TypeScript file that compiles only where agui.d.ts says exactly the
// same: a name too many and a name too few are both errors.
import { readFileSync } from "node:fs";
import { CONFIGURATION, RUN_OPTIONS } from "../../../js/api/options.js";
import { PART_LABELS } from "../../../js/view/known.js";

const { EVENT_HOOKS } = await import(String(new URL("hooks.js", import.meta.url)));

/** The names that an object and what it inherits have, up to a class's end; symbols by their name. */
function members(/** @type {any} */ object, /** @type {any} */ end = Object.prototype) {
  /** @type {Set<string>} */
  const names = new Set();
  for (let at = object; at && at !== end; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) {
      if (key === "constructor") continue;
      if (typeof key === "string") names.add(JSON.stringify(key));
      // Other symbols are the inside's own.
      else if (key === Symbol.asyncIterator) names.add("[Symbol.asyncIterator]");
      else if (key === /** @type {any} */ (Symbol).dispose) names.add("[Symbol.dispose]");
    }
  }
  return [...names].sort();
}

/**
 * @param {any} agui the module
 * @param {string[]} types event types that may be known
 */
export function exact(agui, types) {
  const observable = agui.run({}, { url: "http://localhost/" });
  const iterator = observable[Symbol.asyncIterator]();
  const subscription = observable.subscribe({ error() {} });
  subscription.unsubscribe();
  const agent = new agui.AbstractAgent({});
  const http = new agui.HttpAgent({ url: "http://localhost/" });
  const source = (/** @type {string} */ name) => readFileSync(new URL(`../../../js/${name}`, import.meta.url), "utf8");
  const written = (source("agent/steps.js") + source("agent/hooks.js") + source("agent/round.js") +
    source("agent/internals.js")).match(/(?<=")on[A-Z]\w+(?=")/g) ?? [];
  const hooks = [...new Set([...written, ...EVENT_HOOKS.values()])].map((name) => JSON.stringify(name));
  const fields = JSON.parse(/FIELDS = .*?(\[.*?\])/.exec(source("core/error.js"))?.[1] ?? "[]");
  const labels = /var English = Labels\{([^]*?)\n\}/.exec(
    readFileSync(new URL("../../../../wasm/view/model/labels.go", import.meta.url), "utf8"))?.[1] ?? "";
  const quoted = (/** @type {string[]} */ names) => names.map((name) => JSON.stringify(name));
  /** @type {[string, string[]][]} */
  const checks = [
    ["keyof typeof import('aguiwasm')", quoted(Object.keys(agui))],
    ["keyof typeof agui", quoted(Object.keys(agui.default))],
    ["keyof import('aguiwasm').Observable", members(agui.Observable.prototype)],
    ["keyof import('aguiwasm').Subscription", members(subscription)],
    ["keyof import('aguiwasm').EventIterator", members(iterator)],
    ["keyof import('aguiwasm').AbstractAgent", members(agent)],
    ["keyof import('aguiwasm').HttpAgent", members(http)],
    // keyof leaves protected members out.
    ["keyof import('aguiwasm').FunctionMiddleware", members(new agui.FunctionMiddleware(() => []))
      .filter((name) => !/runNext/.test(name))],
    ["keyof import('aguiwasm').AgentSubscriber", hooks],
    ["keyof import('aguiwasm').RunOptions", quoted(RUN_OPTIONS)],
    ["keyof import('aguiwasm').Configuration", quoted(CONFIGURATION)],
    ["keyof import('aguiwasm').AGUIErrorFields", quoted(fields)],
    ["(import('aguiwasm').AGUIEvent | import('aguiwasm').ChunkEvent)['type']",
      quoted(types.filter((type) => agui.isKnownEvent({ type })))],
    ["import('aguiwasm').LabelName", [...labels.match(/"[^"]*"(?=: +")/g) ?? [], ...quoted(PART_LABELS)]],
    ["keyof ReturnType<typeof agui.debug>", quoted(Object.keys(agui.debug()))],
  ];
  agent.dispose();
  http.dispose();
  return checks.map(([type, names], i) =>
    `const check${i}: Record<${type}, 1> = { ${names.map((name) => `${name}: 1`).join(", ")} };\ncheck${i};`)
    .join("\n") + "\nexport {};\n";
}
