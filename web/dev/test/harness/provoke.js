// The build that tests make fail, and memory that has an end.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { root } from "./static.js";

/** The ways to fail, by the numbers of wasm/provoke_js.go. */
export const ways = ["a panic", "a nil pointer", "a panic beside the run", "a stack overflow", "a deadlock",
  "out of memory", "an exit", "a fatal error of Go's runtime", "a panic on a timer", "a stack overflow on a timer",
  "a call that waits"];

/** Builds the WebAssembly with web/dev/tool's settings; gives its bytes. */
export function provokeBuild() {
  execFileSync("go", ["run", "./web/dev/tool", "provoke"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  return readFileSync(`${root}build/provoke.wasm`);
}

/**
 * Gives a WebAssembly file's memory an end, so that running out of it takes 64 MB and not 4 GB.
 * @param {Buffer} wasm
 * @param {number} pages of 64 KB
 */
export function limitMemory(wasm, pages) {
  const number = (/** @type {number} */ at) => {
    let value = 0, shift = 0, byte;
    do {
      byte = wasm[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return { value, at };
  };
  const leb = (/** @type {number} */ n) => {
    const bytes = [];
    do {
      bytes.push((n & 127) | (n > 127 ? 128 : 0));
      n >>>= 7;
    } while (n > 0);
    return bytes;
  };
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const size = number(at + 1);
    if (id === 5) { // one memory: flags, minimum
      const least = number(size.at + 2).value;
      const body = [1, 1, ...leb(least), ...leb(Math.max(least, pages))];
      return Buffer.concat([wasm.subarray(0, at), Buffer.from([5, ...leb(body.length), ...body]),
        wasm.subarray(size.at + size.value)]);
    }
    at = size.at + size.value;
  }
  throw new Error("no memory section");
}

/**
 * Runs in a page before agui.js: makes the next push fail as globalThis.arm says. The exports stand in for the real
 * ones in every other way.
 */
export const arming = `
  const { instantiate } = WebAssembly;
  globalThis.programs = 0;
  WebAssembly.instantiate = async (...a) => {
    const instance = await instantiate.apply(WebAssembly, a);
    globalThis.programs++;
    const exports = { ...instance.exports };
    const program = globalThis.programs;
    exports.settle = () => {
      (globalThis.settled ??= []).push(program);
      instance.exports.settle();
    };
    exports.push = (run, n) => {
      if (globalThis.arm === undefined) return instance.exports.push(run, n);
      const way = globalThis.arm;
      globalThis.arm = undefined;
      return instance.exports.provoke(run, way);
    };
    return new Proxy(instance, { get: (target, key) => (key === "exports" ? exports : Reflect.get(target, key)) });
  };
  const real = WebAssembly.Instance;
  WebAssembly.Instance = class extends real { static [Symbol.hasInstance]() { return true; } };
`;
