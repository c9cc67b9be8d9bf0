import assert from "node:assert/strict";
import test from "node:test";
import { PULL_LIMIT, Queue } from "../../../js/core/queue.js";
import { reported, tick } from "./fake.js";

/** Keeps the thread busy. */
function work(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("what is pushed is handled in order, on an empty stack", async () => {
  const queue = new Queue();
  const seen = [];
  const lane = queue.lane((entry) => void seen.push(entry[1]));
  for (let i = 0; i < 100; i++) lane.push([0, i]);
  queue.schedule();
  assert.deepEqual(seen, []);
  await tick();
  assert.deepEqual(seen, Array.from({ length: 100 }, (_, i) => i));
  assert.equal(lane.drained, true);
});

test("no handler runs inside a handler", async () => {
  const queue = new Queue();
  let inside = 0;
  const seen = [];
  const other = queue.lane((entry) => {
    assert.equal(inside, 0);
    seen.push(`other ${entry[1]}`);
  });
  const lane = queue.lane((entry) => {
    assert.equal(inside++, 0);
    seen.push(entry[1]);
    other.push([0, entry[1]]);
    queue.drain();
    queue.schedule();
    inside--;
  });
  lane.push([0, 1]);
  lane.push([0, 2]);
  queue.drain();
  await tick();
  assert.deepEqual(seen.sort(), [1, 2, "other 1", "other 2"].sort());
});

test("after 8 ms of handlers the browser gets a turn, and the lane is not drained meanwhile", async () => {
  const queue = new Queue();
  let seen = 0;
  const lane = queue.lane(() => {
    seen++;
    work(3);
  });
  for (let i = 0; i < 12; i++) lane.push([0, i]);
  queue.drain();
  assert.ok(seen >= 1 && seen <= 4, `${seen} handled in the first slice`);
  assert.equal(lane.drained, false);
  const turns = [];
  const timer = setInterval(() => turns.push(seen), 1);
  await lane.whenDrained();
  clearInterval(timer);
  assert.equal(seen, 12);
  assert.ok(turns.length >= 2, "other tasks ran between the slices");
});

test("short slices add up across drains", async () => {
  const queue = new Queue();
  let seen = 0;
  const lane = queue.lane(() => {
    seen++;
    work(3);
  });
  // As a read loop does whose chunks are all there already: no task of the browser's between them.
  for (let i = 0; i < 10; i++) {
    lane.push([0, i]);
    queue.drain();
    await null;
  }
  assert.ok(seen >= 1 && seen <= 4, `${seen} handled before the browser had a turn`);
  await lane.whenDrained();
  assert.equal(seen, 10);
});

test("lanes have their turns", () => {
  const queue = new Queue();
  const seen = [];
  const [a, b] = ["a", "b"].map((name) => queue.lane(() => void seen.push(name)));
  for (let i = 0; i < 200; i++) a.push([0, i]);
  b.push([0, 0]);
  queue.drain();
  assert.ok(seen.indexOf("b") < 100, `b came after ${seen.indexOf("b")} of a`);
});

test("a closed lane drops what it has, also from inside its handler", () => {
  const queue = new Queue();
  const seen = [];
  const lane = queue.lane((entry) => {
    seen.push(entry[1]);
    if (entry[1] === 2) lane.close();
  });
  for (let i = 0; i < 5; i++) lane.push([0, i]);
  queue.drain();
  lane.push([0, 9]);
  queue.drain();
  assert.deepEqual(seen, [0, 1, 2]);
  assert.equal(lane.drained, true);
});

test("a promise holds the lane, and no other", async () => {
  const queue = new Queue();
  const seen = [];
  let release;
  const lane = queue.lane((entry) => {
    seen.push(entry[1]);
    if (entry[1] === "wait") return new Promise((resolve) => (release = resolve));
  });
  const other = queue.lane((entry) => void seen.push(entry[1]));
  lane.push([4, "wait"]);
  lane.push([0, "after"]);
  other.push([0, "other"]);
  queue.drain();
  assert.deepEqual(seen, ["wait", "other"]);
  assert.equal(lane.drained, false);
  const drained = lane.whenDrained();
  release();
  await drained;
  assert.deepEqual(seen, ["wait", "other", "after"]);
});

test("a rejected hold is reported and the lane goes on", async () => {
  const queue = new Queue();
  const seen = [];
  const errors = await reported(async () => {
    const lane = queue.lane((entry) => {
      seen.push(entry[1]);
      if (entry[1] === 1) return Promise.reject(new Error("no"));
    });
    lane.push([0, 1]);
    lane.push([0, 2]);
    queue.drain();
    await lane.whenDrained();
  });
  assert.deepEqual(seen, [1, 2]);
  assert.equal(errors[0].message, "no");
});

test("a pulling lane hands out what is wanted and holds its source back at the limit", async () => {
  const queue = new Queue();
  const seen = [];
  const lane = queue.lane((entry) => {
    lane.wanted--;
    seen.push(entry[1]);
  });
  lane.pull = true;
  for (let i = 0; i < PULL_LIMIT; i++) lane.push([0, i]);
  queue.drain();
  assert.deepEqual(seen, []);
  assert.equal(lane.drained, false);
  const drained = lane.whenDrained();
  lane.want();
  await drained;
  assert.deepEqual(seen, [0]);
  assert.equal(lane.drained, true);
});

test("a long queue is let go of as it is handled", () => {
  const queue = new Queue();
  let sum = 0;
  const lane = queue.lane((entry) => void (sum += entry[1]));
  for (let i = 0; i < 10000; i++) lane.push([0, 1]);
  while (!lane.drained) {
    lane.step();
  }
  assert.equal(sum, 10000);
  assert.equal(lane.length, 0);
});

// Clocks as browsers have them: WebKit's gives whole milliseconds, Firefox's steps of up to 100 with its fingerprinting
// protection, and a page's tests may have put one that stands still or goes back.

test("a slice that a clock of whole milliseconds ends just short of 8 ms stalls nothing", async (t) => {
  for (const spent of [7.999999999999773, 7.9999999999, 8 - Number.EPSILON * 4, 7.5, 8, 1e9, 0, -3, NaN]) {
    for (const now of [0, 2062, 1e9, 2 ** 40]) {
      t.mock.method(performance, "now", () => now);
      const queue = new Queue();
      const seen = [];
      const lane = queue.lane((entry) => void seen.push(entry[1]));
      queue.spend(spent);
      for (let i = 0; i < 5; i++) {
        lane.push([0, i]);
        queue.drain();
        await tick();
      }
      await tick();
      assert.deepEqual(seen, [0, 1, 2, 3, 4], `spent ${spent} at ${now}`);
      t.mock.restoreAll();
    }
  }
});

test("sums of what coarse clocks give never stall a stream", async (t) => {
  for (const step of [1, 1 / 3, 0.1, 0.02, 16.67, 100]) {
    let real = 1999.7;
    // As WebKit does it: seconds, cut to its steps, then made milliseconds.
    t.mock.method(performance, "now", () => Math.floor(real / step) * (step / 1000) * 1000);
    const queue = new Queue();
    let seen = 0;
    const lane = queue.lane(() => {
      seen++;
      real += 0.37;
    });
    for (let i = 0; i < 5000; i++) {
      const before = performance.now();
      real += 0.61;
      queue.spend(performance.now() - before);
      lane.push([0, i]);
      queue.drain();
      if (lane.drained) continue;
      const drained = await Promise.race(
        [lane.whenDrained(), new Promise((resolve) => setTimeout(resolve, 1000, "late"))]);
      assert.equal(drained, undefined, `a clock of ${step} ms: event ${i} waits for ever`);
    }
    assert.equal(seen, 5000);
    t.mock.restoreAll();
  }
});

test("a clock that stands still lets the browser have its turns all the same", async (t) => {
  t.mock.method(performance, "now", () => 5);
  const queue = new Queue();
  let seen = 0;
  const lane = queue.lane(() => void seen++);
  for (let i = 0; i < 50000; i++) {
    lane.push([0, i]);
    if (i % 100 === 0) queue.drain();
  }
  assert.ok(seen < 10000, `${seen} handled before the browser had a turn`);
  await lane.whenDrained();
  assert.equal(seen, 50000);
});

test("a clock that is set back lends no time", async (t) => {
  let now = 1e6;
  t.mock.method(performance, "now", () => now);
  const queue = new Queue();
  let seen = 0;
  const lane = queue.lane(() => {
    seen++;
    now += 1;
  });
  lane.push([0, 0]);
  queue.spend(-1e6);
  queue.drain();
  now = 0;
  for (let i = 0; i < 100; i++) lane.push([0, i]);
  queue.drain();
  assert.ok(seen < 10, `${seen} handled before the browser had a turn`);
  await lane.whenDrained();
  assert.equal(seen, 101);
});
