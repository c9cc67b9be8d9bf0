"use strict";

// agent.messages as code written for the reference takes it: a list that may be changed in place. The messages in it
// are the snapshots themselves, and each snapshot of ours has one such list, so that both stay the same objects
// (===).

import { AbstractAgent } from "aguiwasm";

/** @type {WeakMap<object, {snapshot: readonly any[], list: any[]}>} */
const lists = new WeakMap();

const own = /** @type {{get: () => readonly any[], set: (messages: any) => void}} */ (
  Object.getOwnPropertyDescriptor(AbstractAgent.prototype, "messages"));

/** @param {readonly any[]} a @param {readonly any[]} b */
function same(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** @param {any} agent */
function read(agent) {
  const snapshot = own.get.call(agent);
  const entry = lists.get(agent);
  if (!entry) return fresh(agent, snapshot);
  const changed = !same(entry.list, entry.snapshot);
  if (entry.snapshot === snapshot) {
    if (!changed) return entry.list;
    own.set.call(agent, [...entry.list]);
    entry.snapshot = own.get.call(agent);
    // As they are now: with ids, frozen.
    for (let i = 0; i < entry.snapshot.length; i++) entry.list[i] = entry.snapshot[i];
    return entry.list;
  }
  if (changed) { // and events came since: what was added stands behind them
    const known = new Set([...entry.snapshot, ...snapshot].map(({ id }) => id));
    const added = entry.list.filter((message) => !known.has(message?.id));
    if (added.length > 0) own.set.call(agent, [...snapshot, ...added]);
  }
  return fresh(agent, own.get.call(agent));
}

/** @param {any} agent @param {readonly any[]} snapshot */
function fresh(agent, snapshot) {
  const list = [...snapshot];
  lists.set(agent, { snapshot, list });
  return list;
}

/**
 * Takes what was changed in place.
 * @param {any} agent
 */
export function settle(agent) {
  if (lists.has(agent)) read(agent);
}

Object.defineProperty(AbstractAgent.prototype, "messages", {
  configurable: true,
  /** @this {any} */
  get() {
    return read(this);
  },
  /** @this {any} @param {any} messages */
  set(messages) {
    own.set.call(this, messages);
    lists.delete(this);
  },
});
