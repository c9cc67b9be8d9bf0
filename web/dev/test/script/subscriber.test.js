// new Observable(subscriber): the rules that Observables of every library keep.
import assert from "node:assert/strict";
import test from "node:test";
import * as rxjs from "rxjs";
import { Observable } from "../../../js/api/observable.js";
import { live } from "../../../js/core/live.js";
import { reported } from "./fake.js";

/** An observer that writes down its calls. */
function recorder() {
  const calls = [];
  return {
    calls, next: (value) => calls.push(value), error: (error) => calls.push(`error ${error.message}`),
    complete: () => calls.push("complete"),
  };
}

test("the function is called at each subscribe, at once, and what it gives comes at once", () => {
  let called = 0;
  const numbers = new Observable(({ next, complete }) => {
    called++;
    next(1);
    next(2);
    complete();
  });
  assert.equal(called, 0);
  const { calls, ...observer } = recorder();
  const subscription = numbers.subscribe(observer);
  assert.deepEqual(calls, [1, 2, "complete"]);
  assert.equal(subscription.closed, true);
  numbers.subscribe();
  assert.equal(called, 2);
  assert.deepEqual([subscription.messages, subscription.state], [[], {}]);
});

test("nothing comes after the end or after unsubscribe", () => {
  for (const end of ["complete", "error"]) {
    let given;
    const { calls, ...observer } = recorder();
    new Observable((o) => void (given = o)).subscribe(observer);
    assert.equal(given.closed, false);
    given[end](new Error("x"));
    assert.equal(given.closed, true);
    given.next(1);
    given.complete();
    assert.deepEqual(calls, [end === "error" ? "error x" : "complete"]);
  }
  let given;
  const { calls, ...observer } = recorder();
  const subscription = new Observable((o) => void (given = o)).subscribe(observer);
  given.next(1);
  subscription.unsubscribe();
  given.next(2);
  given.complete();
  assert.deepEqual([calls, subscription.closed, given.closed], [[1], true, true]);
});

test("the teardown is called once: after an end, at unsubscribe, at an abort", () => {
  const ends = {
    complete: ({ given }) => given.complete(),
    error: ({ given }) => given.error(new Error("x")),
    unsubscribe: ({ subscription }) => subscription.unsubscribe(),
    abort: ({ controller }) => controller.abort(),
  };
  for (const [name, end] of Object.entries(ends)) {
    for (const kind of ["function", "object"]) {
      const calls = [];
      const controller = new AbortController();
      let given;
      const teardown = () => calls.push("teardown");
      const subscription = new Observable((o) => {
        given = o;
        return kind === "function" ? teardown : { unsubscribe: teardown };
      }).subscribe({ error: () => calls.push("error"), complete: () => calls.push("complete") },
        { signal: controller.signal });
      assert.deepEqual(calls, []);
      end({ given, subscription, controller });
      subscription.unsubscribe();
      given.complete();
      assert.deepEqual(calls, name === "complete" || name === "error" ? [name, "teardown"] : ["teardown"],
        `${name}, ${kind}`);
      assert.equal(live.callbacks, 0);
    }
  }
});

test("the teardown of a source that ended inside the function, or that was left there", () => {
  const calls = [];
  const controller = new AbortController();
  new Observable((o) => {
    o.complete();
    return () => calls.push("after complete");
  }).subscribe();
  new Observable((o) => {
    o.next(1);
    assert.equal(o.closed, true);
    o.next(2);
    return () => calls.push("after abort");
  }).subscribe((value) => {
    calls.push(value);
    controller.abort();
  }, { signal: controller.signal });
  assert.deepEqual(calls, ["after complete", 1, "after abort"]);
});

test("what the function throws is the error; what comes late, or from a teardown, is reported", async () => {
  const { calls, ...observer } = recorder();
  new Observable((o) => {
    o.next(1);
    throw new Error("x");
  }).subscribe(observer);
  new Observable(() => 1).subscribe(observer);
  assert.deepEqual(calls, [1, "error x",
    "error A subscriber function gives nothing, a function, or an object with unsubscribe"]);
  const seen = await reported(() => {
    new Observable((o) => {
      o.complete();
      throw new Error("late");
    }).subscribe(observer);
    new Observable(() => () => {
      throw new Error("teardown");
    }).subscribe().unsubscribe();
    new Observable((o) => o.error(new Error("nobody"))).subscribe();
    new Observable((o) => o.next(1)).subscribe(() => {
      throw new Error("handler");
    });
  });
  assert.deepEqual(seen.map((error) => error.message), ["late", "teardown", "nobody", "handler"]);
});

test("it needs a function, and can be a base class", () => {
  for (const wrong of [undefined, null, 1, {}, "x"]) assert.throws(() => new Observable(wrong), TypeError);
  class Twice extends Observable {
    constructor(value) {
      super((o) => {
        o.next(value);
        o.next(value);
        o.complete();
      });
    }
  }
  const { calls, ...observer } = recorder();
  new Twice(3).subscribe(observer);
  assert.deepEqual(calls, [3, 3, "complete"]);
});

test("for await: what came waits until it is asked for, then the end", async () => {
  const got = [];
  let torn = 0;
  const source = new Observable((o) => {
    o.next(1);
    const timer = setTimeout(() => {
      o.next(2);
      o.next(3);
      o.complete();
    });
    return () => {
      torn++;
      clearTimeout(timer);
    };
  });
  for await (const value of source) got.push(value);
  assert.deepEqual([got, torn], [[1, 2, 3], 1]);
  for await (const value of source) {
    assert.equal(value, 1);
    break;
  }
  assert.equal(torn, 2);
  await assert.rejects(async () => {
    for await (const value of new Observable((o) => {
      o.next(4);
      o.error(new Error("x"));
    })) got.push(value);
  }, /x/);
  assert.deepEqual(got, [1, 2, 3, 4]);
});

test("RxJS: from(), to one of ours, and operators", async () => {
  const ours = new Observable((o) => {
    for (let n = 1; n <= 5; n++) o.next(n);
    o.complete();
  });
  const { from, map, filter, take, toArray, lastValueFrom } = rxjs;
  assert.deepEqual(await lastValueFrom(from(ours).pipe(filter((n) => n % 2 === 1), map((n) => n * 10), toArray())),
    [10, 30, 50]);
  assert.deepEqual(await lastValueFrom(ours.pipe(map((n) => n + 1), toArray())), [2, 3, 4, 5, 6]);
  let torn = 0;
  const endless = new Observable((o) => {
    for (let n = 0; !o.closed; n++) o.next(n);
    return () => torn++;
  });
  assert.deepEqual(await lastValueFrom(from(endless).pipe(take(3), toArray())), [0, 1, 2]);
  assert.equal(torn, 1);
  const { calls, ...observer } = recorder();
  new Observable((o) => rxjs.of("a", "b").subscribe(o)).subscribe(observer);
  assert.deepEqual(calls, ["a", "b", "complete"]);
});
