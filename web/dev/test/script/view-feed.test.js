// What a view is told of an agent's messages: folded as Go folds it (wasm/view/model), it is the messages in the end,
// whatever changes while a long history comes in pieces.
import test from "node:test";
import assert from "node:assert/strict";
import { INTERNALS } from "../../../js/agent/internals.js";
import { ViewFeed } from "../../../js/view/view-feed.js";

/** An agent as a view's feed sees one. */
function agentWith(/** @type {any[]} */ messages) {
  const internals = { held: [], halves: {}, conversation: { mirror: { get: () => undefined } } };
  return /** @type {any} */ ({
    messages, pendingInterrupts: [], pendingToolCallIds: [], queue: [], tools: [], isRunning: false,
    connection: { state: "idle" }, [INTERNALS]: () => internals,
  });
}

/** What Go makes of the news. */
function model() {
  const byId = new Map();
  /** @type {string[]} */
  let order = [];
  let told = 0;
  return {
    more: false,
    take(/** @type {string} */ text) {
      const { set = [], ids, front = [], append = [], more = false } = JSON.parse(text || "{}");
      told += set.length;
      for (const message of set) byId.set(message.id, message);
      if (ids) {
        order = [...new Set(ids)].filter((id) => byId.has(id));
        for (const id of byId.keys()) if (!order.includes(id)) byId.delete(id);
      } else order = [...front.filter((/** @type {string} */ id) => byId.has(id)), ...order];
      for (const [id, more_] of append) byId.set(id, { ...byId.get(id), content: byId.get(id).content + more_ });
      if (text) this.more = more;
    },
    messages: () => order.map((id) => byId.get(id)),
    told: () => told,
  };
}

const message = (/** @type {string} */ id, content = `text ${id}`) => ({ id, role: "user", content });
const history = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => message(`h${i}`));

test("a long history: the end first, then what is before it, each message once and named once", () => {
  const agent = agentWith(history(1000));
  const feed = new ViewFeed(agent);
  const view = model();
  let named = 0;
  for (let pulls = 0; pulls === 0 || view.more; pulls++) {
    const text = feed.pull();
    const { ids = [], front = [] } = JSON.parse(text);
    named += ids.length + front.length;
    view.take(text);
    assert.equal(view.messages().at(-1).id, "h999");
    assert.ok(pulls < 26);
  }
  assert.deepEqual(view.messages(), agent.messages);
  assert.deepEqual([view.told(), named], [1000, 1000]);
  assert.equal(feed.pull(), "");
});

test("changes of every kind while a long history comes", () => {
  let next = 0;
  /** @type {((list: any[], i: number) => any[])[]} */
  const changes = [
    (list) => [...list, message(`n${next++}`)],
    (list) => list.with(-1, { ...list.at(-1), content: `${list.at(-1).content} more` }),
    (list, i) => list.with(i, { ...list[i], content: `changed ${i}` }),
    (list, i) => list.toSpliced(i, 1),
    (list, i) => list.toSpliced(i, 0, message(`n${next++}`)),
    (list) => list.toReversed(),
    (list) => list.slice(0, list.length >> 1),
    (list) => list.map((each, i) => (i % 3 ? each : { ...each, content: "all" })),
    () => history(70),
    () => [],
    () => history(150),
  ];
  let seed = 17;
  const random = (/** @type {number} */ n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 300; round++) {
    const agent = agentWith(history(90 + random(90)));
    const feed = new ViewFeed(agent);
    let view = model();
    for (let step = 0; step < 12; step++) {
      view.take(feed.pull());
      if (random(2)) {
        const { messages: list } = agent;
        agent.messages = list.length === 0 ? history(99) : changes[random(changes.length)](list, random(list.length));
      }
      if (random(20) === 0) {
        feed.reset();
        view = model();
      }
    }
    for (let pulls = 0; pulls === 0 || view.more; pulls++) {
      view.take(feed.pull());
      assert.ok(pulls < 50, `round ${round} ends`);
    }
    const last = new Map(agent.messages.map((/** @type {any} */ each) => [each.id, each]));
    assert.deepEqual(new Map(view.messages().map((each) => [each.id, each])), last, `round ${round}`);
    if (last.size === agent.messages.length) assert.deepEqual(view.messages(), agent.messages, `round ${round}`);
  }
});
