"use strict";

/** How many items a piece has at most. */
const PIECE = 1024;

/**
 * A rope is a long list in pieces: an item goes in or out anywhere at the cost of one piece, where an array moves all
 * that stands behind.
 */
export class Rope {
  /** @type {unknown[][]} */
  #pieces = [];
  length = 0;
  /** The index in the piece that #piece found. */
  #rest = 0;

  /** @param {unknown[]} items */
  constructor(items) {
    this.length = items.length;
    for (let i = 0; i < items.length; i += PIECE) this.#pieces.push(items.slice(i, i + PIECE));
  }

  /** @param {number} i */
  get(i) {
    return this.#pieces[this.#piece(i)][this.#rest];
  }

  /**
   * @param {number} i
   * @param {unknown} value
   */
  set(i, value) {
    this.#pieces[this.#piece(i)][this.#rest] = value;
  }

  /**
   * Puts a value before the i-th.
   * @param {number} i
   * @param {unknown} value
   */
  insert(i, value) {
    let at = this.#piece(i);
    if (this.#pieces.length === 0) this.#pieces.push([]);
    const piece = this.#pieces[at];
    let rest = this.#rest;
    if (piece.length >= PIECE) {
      // At its ends a full piece stays whole, so that a list that grows there has full pieces.
      const half = rest === 0 || rest === piece.length ? rest : piece.length >> 1;
      this.#pieces.splice(at + 1, 0, piece.splice(half));
      if (rest > half || half === PIECE) {
        at++;
        rest -= half;
      }
    }
    this.#pieces[at].splice(rest, 0, value);
    this.length++;
  }

  /**
   * Takes the i-th value away and gives it.
   * @param {number} i
   */
  remove(i) {
    const at = this.#piece(i);
    const piece = this.#pieces[at];
    const [value] = piece.splice(this.#rest, 1);
    this.length--;
    if (piece.length === 0) this.#pieces.splice(at, 1);
    else if (piece.length < PIECE / 4 && at + 1 < this.#pieces.length && piece.length +
      this.#pieces[at + 1].length < PIECE) {
      for (const next of this.#pieces.splice(at + 1, 1)[0]) piece.push(next);
    }
    return value;
  }

  /**
   * Writes the list into an array.
   * @param {unknown[]} items
   */
  into(items) {
    items.length = 0;
    for (const piece of this.#pieces) for (const item of piece) items.push(item);
  }

  /**
   * Finds the piece of the i-th item, or of the end; #rest is the place in it. It looks from the nearer end.
   * @param {number} i
   */
  #piece(i) {
    const pieces = this.#pieces;
    if (i <= this.length >> 1) {
      let at = 0;
      while (at < pieces.length - 1 && i >= pieces[at].length) i -= pieces[at++].length;
      this.#rest = i;
      return at;
    }
    let left = this.length;
    let at = pieces.length - 1;
    for (; at > 0; at--) {
      if (i >= left - pieces[at].length) break;
      left -= pieces[at].length;
    }
    this.#rest = i - (left - pieces[at].length);
    return at;
  }
}
