"use strict";

/**
 * Reads a member of a document past what the document's own elements name: an `<img name="currentScript">` or a
 * `<form name="body">` in a page stands in the place of the document's member of that name. Strangers' markup may do so
 * where a page shows some. Elements cannot name a member of the prototype.
 * @param {any} document
 * @param {string} name
 * @returns {any} a method is to be called with the document as its receiver
 */
export function member(document, name) {
  const prototype = globalThis.Document?.prototype;
  return prototype && name in prototype ? Reflect.get(prototype, name, document) : document?.[name];
}

/**
 * Calls a method of a document, as member reads it.
 * @param {any} document
 * @param {string} name
 * @param {...any} args
 * @returns {any}
 */
export function call(document, name, ...args) {
  return member(document, name).apply(document, args);
}
