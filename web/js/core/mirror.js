"use strict";

import { Rope } from "./rope.js";

/**
 * The mirror keeps the snapshots that JavaScript reads. It knows no protocol: Go resolves every change to a path and
 * one of seven operations (see web/docs/architecture.md), and the mirror carries them out.
 *
 * What it hands out is frozen, and what a change did not touch keeps its identity. A node that was made since its field
 * was last read belongs to nobody else yet, so it is changed in place ("draft") and frozen when it is read.
 */

/** @typedef {(string|number)[]} Path */
/** @typedef {Record<string | number, any>} Node an object or array of JSON */

export const ASSIGN = 0;
export const INSERT = 1;
export const REMOVE = 2;
export const APPEND = 3;
export const MOVE = 4;
export const COPY = 5;
export const ARRANGE = 6;
/** Added to a code: the value is a path into the event. */
export const IN_EVENT = 8;

/** The fields of a run's or an agent's tree. */
export const ROOTS = /** @type {const} */ ([
  "messages", "state", "stateInSync", "interrupts", "outcome", "result", "usage", "pendingToolCallIds",
]);

/** From this length on a draft's array is kept as a rope when something goes in or out before its end. */
const LONG = 2048;

/**
 * aliases: whose messages and calls the ids of events mean where the page knows them by another id, as
 * {"TEXT_MESSAGE:m": "m:2"}; undefined: none.
 * @typedef {typeof ROOTS[number] | "aliases"} Root
 */

/** What a tree holds before anything came. */
const EMPTY = Object.freeze({
  messages: Object.freeze([]), state: Object.freeze({}), stateInSync: true, interrupts: Object.freeze([]),
  outcome: undefined, result: undefined, usage: undefined, pendingToolCallIds: Object.freeze([]),
});

export class Mirror {
  /** Grows with every change; equal numbers mean equal snapshots. */
  version = 0;
  /** @type {Node} */
  #root;
  /** The drafts of each field. @type {Map<string | number, Set<object>>} */
  #drafts = new Map();
  /** The path of the last operation: the next one may name it by 0. @type {Path} */
  #path = [];
  /** The last operation's container, if it is a draft still. @type {Node | null} */
  #parent = null;
  /** What long arrays among the drafts hold while they are changed inside. @type {Map<object, Rope> | null} */
  #ropes = null;
  /** The drafts that #parent is one of. @type {Set<object> | null} */
  #among = null;

  /**
   * @param {Partial<Record<Root, unknown>>} [initial] plain JSON values; they become the mirror's own and are frozen
   */
  constructor(initial = {}) {
    this.#root = { ...EMPTY };
    for (const name of ROOTS) {
      if (initial[name] !== undefined) this.#root[name] = freeze(initial[name]);
    }
  }

  /**
   * Gives a field's snapshot: frozen, and the same object until something in it changes.
   * @param {Root} name
   * @returns {any}
   */
  get(name) {
    this.#settle(name);
    return this.#root[name];
  }

  /**
   * Sets a whole field to a plain JSON value, which becomes the mirror's own.
   * @param {Root} name
   * @param {unknown} value
   */
  set(name, value) {
    this.#settle(name);
    this.#root[name] = freeze(value);
    this.#parent = null;
    this.version++;
  }

  /**
   * Carries out a list of changes.
   * @param {any[]} ops triples of code, path and value
   * @param {unknown} event where values with IN_EVENT are found; what is taken from it is frozen with the snapshot
   */
  apply(ops, event) {
    for (let i = 0; i + 2 < ops.length; i += 3) {
      const code = ops[i];
      this.#change(code & ~IN_EVENT, ops[i + 1], code & IN_EVENT ? within(event, ops[i + 2]) : ops[i + 2]);
    }
    this.version++;
  }

  /**
   * Appends to the string at the path of the last operation: what most events do.
   * @param {unknown} delta
   */
  grow(delta) {
    const parent = this.#parent;
    const key = this.#path[this.#path.length - 1];
    if (parent !== null && this.#ropes === null && this.#among?.has(parent) && typeof parent[key] === "string") {
      parent[key] += delta;
    } else this.#change(APPEND, 0, delta);
    this.version++;
  }

  /**
   * @param {number} code
   * @param {Path | 0} path
   * @param {any} value
   */
  #change(code, path, value) {
    let parent = this.#parent;
    if (path === 0) path = this.#path;
    else parent = null;
    if (code === MOVE) value = this.#take(value, path[0]);
    else if (code === COPY) value = this.#share(value);
    else if (code !== ARRANGE) freeze(value);
    if (parent === null || code >= MOVE || !this.#among?.has(parent)) parent = this.#own(path);
    this.#path = path;
    this.#parent = parent;

    const key = path[path.length - 1];
    switch (code) {
      case ASSIGN:
        this.#put(parent, key, value);
        break;
      case INSERT:
      case MOVE:
      case COPY:
        if (code !== INSERT && !Array.isArray(parent)) put(parent, key, value);
        else this.#insert(/** @type {any} */ (parent), /** @type {number} */ (key), value);
        break;
      case REMOVE:
        if (Array.isArray(parent)) this.#remove(parent, /** @type {number} */ (key));
        else delete parent[key];
        break;
      case APPEND: {
        const old = this.#ropes?.has(parent) ? this.#member(parent, key) : Object.hasOwn(parent, key) ? parent[key]
          : "";
        this.#put(parent, key, (typeof old === "string" ? old : "") + value);
        break;
      }
      case ARRANGE:
        this.#arrange(parent, key, value);
        break;
      default:
        throw new Error(`Unknown change ${code}`);
    }
  }

  /**
   * @param {Node} parent
   * @param {string | number} key
   * @param {(number | [unknown])[]} order
   */
  #arrange(parent, key, order) {
    const child = this.#ropes?.has(parent) ? this.#member(parent, key) : parent[key];
    if (this.#ropes !== null) this.#flush(child);
    const old = Array.isArray(child) ? child : [];
    const next = order.map((from) => (typeof from === "number" ? old[from] : freeze(from[0])));
    this.#put(parent, key, next);
    this.#draftsOf(this.#path[0]).add(next);
  }

  /**
   * Makes everything on the way to the path's last key a draft and gives its container.
   * @param {Path} path
   * @returns {Node}
   */
  #own(path) {
    let node = this.#root;
    const last = path.length - 1;
    const drafts = this.#draftsOf(path[0]);
    this.#among = last > 0 ? drafts : null;
    for (let i = 0; i < last; i++) {
      const child = this.#ropes === null ? member(node, path[i]) : this.#member(node, path[i]);
      if (drafts.has(child)) {
        node = child;
        continue;
      }
      // Never slice() here: copying a frozen array by it costs a hundred times more. Spread keeps an own __proto__.
      const copy = Array.isArray(child) ? [...child] : { ...child };
      drafts.add(copy);
      this.#put(node, path[i], copy);
      node = copy;
    }
    return node;
  }

  /** @param {string | number} name */
  #draftsOf(name) {
    let drafts = this.#drafts.get(name);
    if (!drafts) this.#drafts.set(name, (drafts = new Set()));
    return drafts;
  }

  /**
   * Takes a value away from its place.
   * @param {Path} path
   * @param {string | number} target the field that it goes to
   */
  #take(path, target) {
    // Drafts belong to one field: what leaves it is settled first.
    if (path[0] !== target) this.#settle(path[0]);
    const parent = this.#own(path);
    const key = path[path.length - 1];
    if (Array.isArray(parent)) return this.#remove(parent, /** @type {number} */ (key));
    const value = member(parent, key);
    delete parent[key];
    return value;
  }

  /**
   * Gives a value for a second place; from now on both share it, so it may not change any more. The rest of the field
   * stays drafts: what is wide is not copied anew for each small value that is shared.
   * @param {Path} path
   */
  #share(path) {
    /** @type {any} */
    let value = this.#root;
    for (const key of path) value = this.#ropes === null ? member(value, key) : this.#member(value, key);
    const drafts = this.#draftsOf(path[0]);
    if (!drafts.has(value)) return value;
    // What is no draft holds none.
    drafts.delete(value);
    const open = [value];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (this.#ropes !== null) this.#flush(node);
      for (const child of Array.isArray(node) ? node : Object.values(node)) {
        if (drafts.delete(child)) open.push(child);
      }
      Object.freeze(node);
    }
    return value;
  }

  /**
   * Freezes a field's drafts.
   * @param {string | number} name
   */
  #settle(name) {
    const drafts = this.#drafts.get(name);
    if (!drafts || drafts.size === 0) return;
    for (const node of drafts) {
      if (this.#ropes !== null) this.#flush(node);
      Object.freeze(node);
    }
    drafts.clear();
  }

  /**
   * @param {any[]} array a draft
   * @param {number} i
   * @param {unknown} value
   */
  #insert(array, i, value) {
    const rope = this.#rope(array, i);
    if (rope) rope.insert(i, value);
    else array.splice(i, 0, value);
  }

  /**
   * @param {any[]} array a draft
   * @param {number} i
   */
  #remove(array, i) {
    const rope = this.#rope(array, i + 1);
    return rope ? rope.remove(i) : array.splice(i, 1)[0];
  }

  /**
   * Gives the rope that holds a draft's items, if it has one or needs one for a change before the place i.
   * @param {any[]} array
   * @param {number} i
   */
  #rope(array, i) {
    let rope = this.#ropes?.get(array);
    if (rope === undefined && array.length > LONG && i < array.length) {
      this.#ropes ??= new Map();
      this.#ropes.set(array, (rope = new Rope(array)));
    }
    return rope;
  }

  /**
   * Writes a rope's items back into the array that it stands for.
   * @param {any} node
   */
  #flush(node) {
    const rope = this.#ropes?.get(node);
    if (rope === undefined) return;
    rope.into(node);
    this.#ropes?.delete(node);
    if (this.#ropes?.size === 0) this.#ropes = null;
  }

  /**
   * @param {any} node
   * @param {string | number} key
   */
  #member(node, key) {
    const rope = this.#ropes?.get(node);
    if (rope === undefined) return member(node, key);
    if (typeof key !== "number" || key >= rope.length) throw new Error(`No member ${key}`);
    return rope.get(key);
  }

  /**
   * @param {Node} node
   * @param {string | number} key
   * @param {unknown} value
   */
  #put(node, key, value) {
    const rope = this.#ropes === null ? undefined : this.#ropes.get(node);
    if (rope === undefined) put(node, key, value);
    else rope.set(/** @type {number} */ (key), value);
  }
}

/**
 * Sets an own property, whatever its name: `__proto__` is an ordinary key, and neither a setter nor a frozen property
 * that the page put on Object.prototype matters.
 * @param {Node} node
 * @param {string | number} key
 * @param {unknown} value
 */
function put(node, key, value) {
  if (typeof key === "string" && key in Object.prototype) {
    Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    node[key] = value;
  }
}

/**
 * @param {any} node
 * @param {string | number} key
 */
function member(node, key) {
  if (node === null || typeof node !== "object" || !Object.hasOwn(node, key)) throw new Error(`No member ${key}`);
  return node[key];
}

/**
 * @param {any} value
 * @param {Path} path
 */
function within(value, path) {
  for (const key of path) value = member(value, key);
  return value;
}

/**
 * Freezes plain JSON through and through, without recursion. What is frozen already is taken to be so wholly: only
 * snapshots are, and they are.
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function freeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  /** @type {any[]} */
  const open = [Object.freeze(value)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (const child of node) {
        if (typeof child === "object" && child !== null && !Object.isFrozen(child)) open.push(Object.freeze(child));
      }
    } else {
      for (const key of Object.keys(node)) {
        const child = node[key];
        if (typeof child === "object" && child !== null && !Object.isFrozen(child)) open.push(Object.freeze(child));
      }
    }
  }
  return value;
}
