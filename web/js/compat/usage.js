"use strict";

const COUNTS = ["inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens",
  "cacheWriteInputTokens"];

/**
 * Adds up usage by provider and model, in the order in which they first came.
 * @param {readonly any[]} entries
 * @returns {any[]}
 */
export function aggregateTokenUsage(entries) {
  const sums = new Map();
  for (const { provider, model, ...counts } of entries) {
    const name = JSON.stringify([provider ?? "", model ?? ""]);
    const sum = sums.get(name) ?? { provider, model };
    sums.set(name, sum);
    for (const count of COUNTS) {
      const n = /** @type {any} */ (counts)[count];
      if (n !== undefined && n !== null) sum[count] = (sum[count] ?? 0) + n;
    }
  }
  return [...sums.values()];
}
