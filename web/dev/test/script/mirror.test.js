import assert from "node:assert/strict";
import test from "node:test";
import { freeze, Mirror } from "../../../js/core/mirror.js";

/** A seeded generator of numbers (mulberry32). */
function generator(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) / 4294967296 * below) | 0;
  };
}

/** The same operations, slowly: every operation copies the containers on its path and nothing else. */
class Naive {
  root = { state: {} };

  apply(ops, event) {
    for (let i = 0; i < ops.length; i += 3) {
      let [code, path, value] = ops.slice(i, i + 3);
      if (path === 0) path = this.path;
      if (code & 8) value = value.reduce((node, key) => node[key], event);
      code &= 7;
      if (code === 4 || code === 5) {
        const from = value;
        value = from.reduce((node, key) => node[key], this.root);
        if (code === 4) {
          this.change(from, (node, key) => (Array.isArray(node) ? node.splice(key, 1) : delete node[key]));
        }
      }
      this.change(path, (node, key) => {
        const set = (v) => Object.defineProperty(node, key, {
          value: v, writable: true, enumerable: true, configurable: true,
        });
        if (code === 0) set(value);
        else if (code === 1) node.splice(key, 0, value);
        else if (code === 2) Array.isArray(node) ? node.splice(key, 1) : delete node[key];
        else if (code === 3) set((typeof node[key] === "string" ? node[key] : "") + value);
        else if (code === 6) set(value.map((v) => (typeof v === "number" ? node[key][v] : v[0])));
        else Array.isArray(node) ? node.splice(key, 0, value) : set(value);
      });
      this.path = path;
    }
  }

  change(path, f) {
    const copy = (node) => (Array.isArray(node) ? [...node] : { ...node });
    const root = copy(this.root);
    let node = root;
    for (const key of path.slice(0, -1)) {
      const child = copy(node[key]);
      Object.defineProperty(node, key, { value: child, writable: true, enumerable: true, configurable: true });
      node = child;
    }
    f(node, path.at(-1));
    this.root = root;
  }
}

function* nodes(value, path = []) {
  if (typeof value !== "object" || value === null) return;
  yield [path, value];
  for (const key of Object.keys(value)) yield* nodes(value[key], [...path, Array.isArray(value) ? Number(key) : key]);
}

const KEYS = ["a", "b", "__proto__", "constructor", "toString", "7"];

function value(random, depth = 0) {
  switch (random(depth > 2 ? 4 : 6)) {
    case 0: return random(100);
    case 1: return `s${random(100)}`;
    case 2: return null;
    case 3: return random(2) === 0;
    case 4: return Array.from({ length: random(4) }, () => value(random, depth + 1));
    default: return JSON.parse(
      `{${KEYS.filter(() => random(2)).map((k) => `${JSON.stringify(k)}:${JSON.stringify(value(random, depth + 1))}`)}}`);
  }
}

/** One random operation that is possible on the tree. */
function operation(random, root, event) {
  const all = [...nodes(root)].slice(1); // below the root
  if (all.length === 0) return [0, ["state"], { a: [1] }];
  const [path, node] = all[random(all.length)];
  const keys = Object.keys(node);
  const place = (n) => (Array.isArray(n) ? random(n.length + 1) : KEYS[random(KEYS.length)]);
  const existing = keys.length ? (Array.isArray(node) ? Number(keys[random(keys.length)]) : keys[random(keys.length)])
    : undefined;
  switch (random(8)) {
    case 0: return existing === undefined ? [0, ["state"], value(random)] : [0, [...path, existing], value(random)];
    case 1: return Array.isArray(node) ? [1, [...path, place(node)], value(random)]
      : [0, [...path, place(node)], value(random)];
    case 2: return existing === undefined ? [0, ["state"], {}] : [2, [...path, existing], 0];
    case 3: return Array.isArray(node) ? [0, ["state"], []] : [3, [...path, place(node)], "x"];
    case 4:
    case 5: {
      if (existing === undefined) return [0, ["state"], { a: {} }];
      const from = [...path, existing];
      // Into its own parent: always possible, also after it was taken away.
      const move = random(2) === 0;
      const length = Array.isArray(node) ? node.length - (move ? 1 : 0) : 0;
      return [move ? 4 : 5, [...path, Array.isArray(node) ? random(length + 1) : KEYS[random(KEYS.length)]], from];
    }
    case 6: {
      if (!Array.isArray(node)) return [8, [...path, place(node)], ["big"]];
      const order = node.map((_, i) => i).filter(() => random(3) > 0);
      return [6, path, [...order, [value(random)]]];
    }
    default: return [8, ["state"], ["big"]];
  }
}

test("random changes give what a plain immutable tree gives, with the same sharing", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = generator(seed);
    const naive = new Naive();
    const mirror = new Mirror();
    let [oldNaive, oldMirror] = [naive.root.state, mirror.get("state")];
    const held = [];
    for (let step = 0; step < 40; step++) {
      const event = { big: value(random) };
      const ops = [];
      const shadow = new Naive();
      shadow.root = naive.root;
      for (let n = random(3) + 1; n > 0; n--) {
        const op = operation(random, shadow.root, event);
        shadow.apply(op, event);
        ops.push(...op);
      }
      const text = JSON.stringify(ops);
      naive.apply(JSON.parse(text), event);
      mirror.apply(JSON.parse(text), event);
      if (ops.at(-3) === 3) {
        for (let n = random(4); n > 0; n--) {
          if (random(2)) mirror.get("state"); // what was read is not changed in place
          naive.apply([3, 0, "g"], null);
          mirror.grow("g");
        }
      }
      if (random(3) === 0) continue; // several changes between two reads
      const now = mirror.get("state");
      assert.equal(JSON.stringify(now), JSON.stringify(naive.root.state), `seed ${seed} step ${step}`);
      assert.equal(mirror.get("state"), now);
      // The same nodes are kept, the same are new.
      const before = new Set([...nodes(oldMirror)].map(([, n]) => n));
      const beforeNaive = new Set([...nodes(oldNaive)].map(([, n]) => n));
      const naiveNodes = [...nodes(naive.root.state)];
      [...nodes(now)].forEach(([path, node], i) => {
        assert.ok(Object.isFrozen(node), `frozen ${path}`);
        assert.equal(before.has(node), beforeNaive.has(naiveNodes[i][1]),
          `seed ${seed} step ${step} kept ${path}: ${text}`);
      });
      held.push([now, JSON.stringify(now)]);
      [oldNaive, oldMirror] = [naive.root.state, now];
    }
    for (const [snapshot, text] of held) assert.equal(JSON.stringify(snapshot), text, "an old snapshot changed");
  }
  assert.equal({}.a, undefined);
});

test("path 0 is the path of the operation before, across reads and deliveries", () => {
  const mirror = new Mirror();
  mirror.apply([0, ["messages"], [{ id: "1", content: "a" }, { id: "2", content: "" }]], null);
  mirror.apply([3, ["messages", 1, "content"], "x"], null);
  mirror.apply([3, 0, "y"], null);
  const first = mirror.get("messages");
  mirror.apply([3, 0, "z", 3, 0, "!"], null);
  const second = mirror.get("messages");
  assert.deepEqual(first, [{ id: "1", content: "a" }, { id: "2", content: "xy" }]);
  assert.deepEqual(second, [{ id: "1", content: "a" }, { id: "2", content: "xyz!" }]);
  assert.equal(first[0], second[0]);
  assert.notEqual(first[1], second[1]);
  mirror.grow("1");
  mirror.grow("2");
  assert.equal(second[1].content, "xyz!");
  assert.equal(mirror.get("messages")[1].content, "xyz!12");
  mirror.apply([0, ["messages", 0, "content"], null], null);
  mirror.grow("b"); // what is no string counts as ""
  assert.equal(mirror.get("messages")[0].content, "b");
});

test("keys of Object.prototype are ordinary own keys", () => {
  const mirror = new Mirror();
  const event = { v: JSON.parse('{"p3":true}') };
  mirror.apply([0, ["state"], {}, 8, ["state", "__proto__"], ["v"], 0, ["state", "constructor"], 1, 0,
    ["state", "__proto__", "q"], 2], event);
  const state = mirror.get("state");
  assert.equal(JSON.stringify(state), '{"__proto__":{"p3":true,"q":2},"constructor":1}');
  assert.equal(Object.getPrototypeOf(state), Object.prototype);
  assert.equal({}.p3, undefined);
  assert.throws(() => mirror.apply([0, ["state", "valueOf", "x"], 1], null), /No member/);
  assert.equal(Object.prototype.valueOf.x, undefined);
});

test("a page's setter on Object.prototype is not called", () => {
  let called = 0;
  Object.defineProperty(Object.prototype, "trap", { set: () => called++, configurable: true });
  try {
    const mirror = new Mirror();
    mirror.apply([0, ["state"], {}, 0, ["state", "trap"], 5], null);
    assert.equal(JSON.stringify(mirror.get("state")), '{"trap":5}');
    assert.equal(called, 0);
  } finally {
    delete Object.prototype.trap;
  }
});

test("what is adopted from an event is frozen with it, however deep, and the event's rest is not", () => {
  let deep = 1;
  for (let i = 0; i < 20000; i++) deep = { deep };
  const event = { snapshot: { deep, list: [[{}]] }, other: {} };
  const mirror = new Mirror();
  mirror.apply([8, ["state"], ["snapshot"]], event);
  assert.equal(mirror.get("state"), event.snapshot);
  assert.ok(Object.isFrozen(event.snapshot.list[0][0]));
  let node = event.snapshot.deep;
  while (typeof node === "object") {
    assert.ok(Object.isFrozen(node));
    node = node.deep;
  }
  assert.ok(!Object.isFrozen(event.other));
});

test("whole values are set and taken over", () => {
  const mirror = new Mirror({ state: { a: { b: 1 } }, messages: [{ id: "1" }] });
  const before = mirror.get("state");
  mirror.apply([0, ["state", "c"], 1], null);
  mirror.set("state", { d: 1 });
  mirror.apply([3, ["state", "e"], "x"], null);
  assert.deepEqual(mirror.get("state"), { d: 1, e: "x" });
  assert.deepEqual(before, { a: { b: 1 } });
  assert.equal(mirror.get("stateInSync"), true);
});

test("a change copies what it is in, and nothing beside it", () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({
    id: i, name: `row ${i}`, tags: ["a", "b"], text: "x".repeat(60),
  }));
  const mirror = new Mirror();
  mirror.apply([0, ["state"], { rows, cursor: 0, meta: { a: { b: 0 }, c: {} } }], null);
  const before = mirror.get("state");
  mirror.apply([0, ["state", "meta", "a", "b"], 1], null);
  const deep = mirror.get("state");
  assert.equal(deep.meta.a.b, 1);
  assert.equal(before.meta.a.b, 0);
  assert.equal(deep.rows, before.rows);
  assert.equal(deep.meta.c, before.meta.c);
  mirror.apply([0, ["state", "rows", 2500, "name"], "new"], null);
  const row = mirror.get("state");
  assert.equal(row.meta, deep.meta);
  assert.equal(row.rows[2500].tags, deep.rows[2500].tags);
  assert.deepEqual([row.rows[2500].name, deep.rows[2500].name], ["new", "row 2500"]);
  assert.equal(row.rows.filter((/** @type {any} */ each, /** @type {number} */ i) => each !== deep.rows[i]).length, 1);
});

test("between two reads a container is copied once", () => {
  const mirror = new Mirror();
  mirror.apply([0, ["state"], { big: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i])) }], null);
  const time = (/** @type {boolean} */ reads) => {
    mirror.get("state");
    const from = performance.now();
    for (let i = 0; i < 400; i++) {
      mirror.apply([0, ["state", "big", `k${i}`], 0, 0, ["state", "other"], i], null);
      if (reads) mirror.get("state"); // the next change has to copy again
    }
    return performance.now() - from;
  };
  // Two measurements of one run beside each other: one copy against four hundred.
  const [each, once] = [time(true), Math.min(time(false), time(false))];
  assert.ok(once * 4 < each, `400 changes between two reads took ${once} ms, with a read behind each ${each} ms`);
});

test("freeze leaves primitives and frozen things alone", () => {
  const inner = {};
  const frozen = Object.freeze({ inner });
  assert.equal(freeze(5), 5);
  assert.equal(freeze(null), null);
  assert.equal(freeze(frozen), frozen);
});

test("a long array that changes inside holds what a plain array would, and no step moves the rest of it", (t) => {
  const random = generator(11);
  const naive = new Naive();
  const mirror = new Mirror();
  const start = [0, ["state"], { l: Array.from({ length: 5000 }, (_, i) => ({ i })), m: [], o: {} }];
  naive.apply(JSON.parse(JSON.stringify(start)), null);
  mirror.apply(JSON.parse(JSON.stringify(start)), null);
  let moved = 0;
  const splice = Array.prototype.splice;
  const counted = function (...args) {
    moved = Math.max(moved, this.length - args[0]);
    return splice.apply(this, args);
  };
  t.after(() => { Array.prototype.splice = splice; });
  for (let round = 0; round < 12; round++) {
    const ops = [];
    let n = naive.root.state.l.length;
    for (let i = 0; i < 1500; i++) {
      const at = [0, n - 1, random(n)][random(3)];
      const op = [
        [1, ["state", "l", at], { v: i }], [1, ["state", "l", at], { v: i }], [1, ["state", "l", 0], i],
        [2, ["state", "l", at], 0], [0, ["state", "l", at], { w: i }], [4, ["state", "l", at], ["state", "l", 0]],
        [5, ["state", "l", at], ["state", "l", n - 1]], [0, ["state", "o", "k"], i], [1, ["state", "l", n], i],
        [5, ["state", "o", "c"], ["state", "l", at]],
      ][random(10)];
      ops.push(...op);
      n += op[0] === 1 || (op[0] === 5 && op[1][1] === "l") ? 1 : op[0] === 2 ? -1 : 0;
    }
    if (round === 5) ops.push(5, ["state", "m"], ["state", "l"], 2, ["state", "l", 7], 0);
    if (round === 8) {
      ops.push(4, ["state", "o", "l"], ["state", "m"], 1, ["state", "o", "l", 3], "x", 4, ["state", "m"],
        ["state", "o", "l"]);
    }
    const text = JSON.stringify(ops);
    naive.apply(JSON.parse(text), null);
    Array.prototype.splice = counted;
    mirror.apply(JSON.parse(text), null);
    Array.prototype.splice = splice;
    if (round % 3 === 2) continue; // several changes between two reads
    assert.equal(JSON.stringify(mirror.get("state")), JSON.stringify(naive.root.state), `round ${round}`);
    assert.ok(Object.isFrozen(mirror.get("state").l));
  }
  assert.equal(JSON.stringify(mirror.get("state")), JSON.stringify(naive.root.state));
  assert.ok(moved < 2100, `an array of ${moved} was moved`);
});

test("a value that is shared leaves the rest of its field as it is", () => {
  const mirror = new Mirror();
  mirror.apply([0, ["state"], { wide: Array.from({ length: 3000 }, (_, i) => i), a: { b: {} } }, 1,
    ["state", "wide", 0], -1], null);
  const freeze = Object.freeze;
  const frozen = [];
  Object.freeze = (value) => (frozen.push(value), freeze(value));
  try {
    for (let i = 0; i < 100; i++) {
      mirror.apply([5, ["state", `c${i}`], ["state", "a"], 1, ["state", "wide", 0], i, 0, ["state", "a", "b", "x"], i],
        null);
    }
  } finally {
    Object.freeze = freeze;
  }
  assert.ok(frozen.every((value) => !Array.isArray(value)), "the wide array is copied anew each time");
  const { wide, a, c0, c99 } = mirror.get("state");
  assert.deepEqual([wide.length, wide[0], wide[100], a, c0, c99],
    [3101, 99, -1, { b: { x: 99 } }, { b: {} }, { b: { x: 98 } }]);
});
