"use strict";

import { AGUIError } from "../core/error.js";

/**
 * JSON Patch (RFC 6902) over plain JSON for the time before there is a program: state/patch.go is its home, and judges
 * what a thread holds. A test holds this to it, by the public suite and by random patches
 * (web/dev/test/script/patch.test.js).
 */

/**
 * @param {any} document stays as it is
 * @param {any[]} operations plain JSON
 * @returns {any} the document after all of them; throws bad_input where one does not go
 */
export function patched(document, operations) {
  const root = { "": document };
  operations.forEach((operation, i) => {
    try {
      apply(root, operation);
    } catch (thrown) {
      throw new AGUIError("bad_input",
        `Operation ${i} of the patch does not go: ${/** @type {Error} */ (thrown).message}`);
    }
  });
  return root[""];
}

/**
 * @param {any} root
 * @param {any} operation
 */
function apply(root, operation) {
  const { op, path, from } = operation ?? {};
  if (["add", "replace", "test"].includes(op) && !Object.hasOwn(operation, "value")) {
    throw new Error(`${op} has no value`);
  }
  if (op === "test") {
    if (!alike(read(root, path), operation.value)) {
      throw new Error(`the value at ${JSON.stringify(path)} is another one`);
    }
  } else if (op === "remove") {
    take(root, path);
  } else if (op === "add") {
    put(root, path, structuredClone(operation.value));
  } else if (op === "replace") {
    const [container, key] = place(root, path);
    member(container, key, path);
    define(container, key, structuredClone(operation.value)); // a member keeps its place
  } else if (op === "copy") {
    put(root, path, structuredClone(read(root, from)));
  } else if (op === "move") {
    if (path !== from && `${path}/`.startsWith(`${from}/`)) throw new Error("a value cannot move into itself");
    const value = read(root, from);
    if (path === from) return;
    take(root, from);
    put(root, path, value);
  } else throw new Error(`there is no operation ${JSON.stringify(op)}`);
}

/**
 * The container and the last key of a pointer. The whole document stands under "" of the root.
 * @param {any} root
 * @param {any} path
 * @returns {[any, string]}
 */
function place(root, path) {
  pointer(path);
  const keys = path.split("/").map(unescaped);
  const last = /** @type {string} */ (keys.pop());
  return [keys.reduce((/** @type {any} */ container, /** @type {string} */ key) => {
    const value = member(container, key, path);
    // Snapshots are frozen: what is changed in is a copy, what is not stays the same object.
    return typeof value === "object" && value !== null && Object.isFrozen(value)
      ? (container[key] = Array.isArray(value) ? [...value] : { ...value }) : value;
  }, root), last];
}

/** @param {any} path */
function pointer(path) {
  if (typeof path !== "string" || (path !== "" && path[0] !== "/") || /~(?![01])/.test(path)) {
    throw new Error(`${JSON.stringify(path)} is no JSON Pointer`);
  }
}

/** @param {string} key */
const unescaped = (key) => key.replaceAll("~1", "/").replaceAll("~0", "~");

/**
 * @param {any} container
 * @param {string} key
 * @param {string} path
 */
function member(container, key, path) {
  const there = typeof container === "object" && container !== null && Object.hasOwn(container, key) &&
    (!Array.isArray(container) || /^(0|[1-9]\d*)$/.test(key));
  if (!there) throw new Error(`there is nothing at ${JSON.stringify(path)}`);
  return container[key];
}

/**
 * @param {any} root
 * @param {any} path
 */
function read(root, path) {
  pointer(path);
  return path.split("/").reduce((/** @type {any} */ container, /** @type {string} */ key) =>
    member(container, unescaped(key), path), root);
}

/**
 * @param {any} root
 * @param {any} path
 */
function take(root, path) {
  const [container, key] = place(root, path);
  member(container, key, path);
  if (path === "") throw new Error("the whole document cannot be removed");
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}

/**
 * @param {any} root
 * @param {any} path
 * @param {any} value
 */
function put(root, path, value) {
  const [container, key] = place(root, path);
  if (typeof container !== "object" || container === null) {
    throw new Error(`there is nothing at ${JSON.stringify(path)}`);
  }
  if (Array.isArray(container)) {
    const at = key === "-" ? container.length : Number(key);
    if (key !== "-" && (!/^(0|[1-9]\d*)$/.test(key) || at > container.length)) {
      throw new Error(`${JSON.stringify(path)} is outside of the array`);
    }
    container.splice(at, 0, value);
  } else {
    define(container, key, value);
  }
}

/**
 * Assigns a member; "__proto__" is one too.
 * @param {any} container
 * @param {string} key
 * @param {any} value
 */
function define(container, key, value) {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * @param {any} a
 * @param {any} b
 * @returns {boolean}
 */
function alike(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null ||
    Array.isArray(a) !== Array.isArray(b)) {
    return false;
  }
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && alike(a[key], b[key]));
}
