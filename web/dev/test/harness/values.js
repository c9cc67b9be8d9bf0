// Values on their way into a page and back, as text: JSON does not know undefined, NaN, half surrogates in every
// engine's wire, errors or bytes, and not which values are the same.

/** @param {any} value @returns {string} */
export function pack(value) {
  const seen = new Map();
  /** @type {(v: any) => any} */
  const one = (v) => {
    if (v === null || typeof v === "boolean" || typeof v === "string") return v;
    if (typeof v === "number") {
      return Number.isFinite(v) && !Object.is(v, -0) ? v : { n: Object.is(v, -0) ? "-0" : String(v) };
    }
    if (typeof v === "bigint") return { b: String(v) };
    if (typeof v !== "object") return { u: 1 };
    if (seen.has(v)) return { r: seen.get(v) };
    seen.set(v, seen.size);
    if (Array.isArray(v)) return { a: Array.from(v, one) };
    if (v instanceof Date) return { d: v.getTime() };
    if (v instanceof Error) return { e: [v.name, v.message, v.stack] };
    if (ArrayBuffer.isView(v)) {
      return {
        t: [v.constructor.name === "Buffer" ? "Uint8Array" : v.constructor.name, Array.from(/** @type {any} */ (v))],
      };
    }
    return { o: Object.keys(v).map((key) => [key, one(v[key])]) };
  };
  // Without the page's toJSON.
  return JSON.stringify(one(value));
}

/** @param {string} text @returns {any} */
export function unpack(text) {
  /** @type {any[]} */
  const seen = [];
  /** @type {(v: any) => any} */
  const one = (v) => {
    if (v === null || typeof v !== "object") return v;
    if ("n" in v) return Number(v.n);
    if ("b" in v) return BigInt(v.b);
    if ("u" in v) return undefined;
    if ("r" in v) return seen[v.r];
    const keep = (/** @type {any} */ made) => (seen.push(made), made);
    if ("d" in v) return keep(new Date(v.d));
    if ("e" in v) return keep(Object.assign(new Error(v.e[1]), { name: v.e[0], stack: v.e[2] }));
    if ("t" in v) return keep(/** @type {any} */ (globalThis)[v.t[0]].from(v.t[1]));
    if ("a" in v) {
      const list = keep([]);
      for (const each of v.a) list.push(one(each));
      return list;
    }
    const made = keep({});
    for (const [key, each] of v.o) {
      Object.defineProperty(made, key, { value: one(each), writable: true, enumerable: true, configurable: true });
    }
    return made;
  };
  return one(JSON.parse(text));
}
