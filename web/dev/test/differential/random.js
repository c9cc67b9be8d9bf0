// A small seeded generator of random numbers: the same seed gives the same streams in every engine.

export class Random {
  /** @param {number} seed any integer */
  constructor(seed) {
    this.state = seed >>> 0 || 1;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** A number in [0, 1). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer in [0, n). */
  below(n) {
    return Math.floor(this.next() * n);
  }

  /** Whether something of that probability happens. */
  chance(p) {
    return this.next() < p;
  }

  /** One of the list's elements. */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** One of the keys of a {key: weight} table. */
  weighted(table) {
    let sum = 0;
    for (const key in table) sum += table[key];
    let at = this.next() * sum;
    for (const key in table) {
      at -= table[key];
      if (at < 0) return key;
    }
    return Object.keys(table).at(-1);
  }
}
