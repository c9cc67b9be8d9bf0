// The differential test as it runs in the page: many streams through both, a report at the end.

import { Hits } from "./differences.js";
import { generate, generateLoose } from "./generate.js";
import { mutate } from "./mutate.js";
import { runReference } from "./reference.js";
import { runOurs } from "./ours.js";
import { compare } from "./compare.js";
import { once } from "./again.js";
import { shrink } from "./shrink.js";

/**
 * Compares streams.
 * @param ours a function (stream, seed, hits) that runs one through this runtime
 * @param {{seed: number, from: number, count: number, most?: number}} options most: failures to look for
 */
export async function differential(ours, { seed, from, count, most = 3 }) {
  const hits = new Hits();
  const report = { streams: 0, skipped: 0, outcomes: {}, kinds: {}, failures: [], hits: hits.counts };
  const differs = async (stream, cut, counted = new Hits(), note) => {
    const mine = await ours(stream, cut, counted);
    let fresh = Array.isArray(mine.again) && mine.again.length > 0 ? once(stream, mine.again) : null;
    let reference = await runReference(fresh ?? stream, counted);
    if (fresh && reference.outcome === "protocol") { // an owner that only the earlier one has
      fresh = null;
      reference = await runReference(stream, counted);
    }
    if (stream.lenient && reference.outcome === "protocol") { // it breaks another rule than the two that are mended
      if (note) report.skipped++;
      return "";
    }
    note?.(reference);
    const again = fresh ? "once" : Array.isArray(mine.again) ? mine.again.length > 0 : mine.again;
    return compare(stream, reference, { ...mine, again }, counted);
  };
  for (let i = from; i < from + count && report.failures.length < most; i++) {
    const number = (seed * 1000003 + i) >>> 0;
    let stream = i % 8 === 6 ? generateLoose(number) : generate(number);
    if (i % 2 === 1) stream = mutate(stream, number);
    const cut = number ^ 0x5bd1e995;
    const difference = await differs(stream, cut, hits, (reference) => {
      const name = (stream.faults ? "mutated " : "valid ") + reference.outcome;
      report.outcomes[name] = (report.outcomes[name] ?? 0) + 1;
    });
    report.streams++;
    for (const kind of stream.faults ?? stream.features) {
      const name = (stream.faults ? "fault: " : "feature: ") + kind;
      report.kinds[name] = (report.kinds[name] ?? 0) + 1;
    }
    if (difference === "") continue;
    const short = await shrink(stream, async (s) => (await differs(s, cut)) !== "");
    report.failures.push({
      number, difference: (await differs(short, cut)) || difference, input: short.input, events: short.events,
      faults: stream.faults,
    });
  }
  return report;
}

globalThis.differential ??= (options) => {
  console.warn = console.error = () => {}; // the reference tells of each deviation; there are hundreds of thousands
  return differential((stream, seed, hits) => runOurs(globalThis.agui, stream, seed, hits), options);
};
