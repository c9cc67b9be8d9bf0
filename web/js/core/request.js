"use strict";

/**
 * A run's request as the browser's fetch takes it: what Go says of it (method, address, headers, body) with what the
 * page gave (its function, credentials, further members).
 */

/**
 * What Go says of a request.
 * @typedef {object} Request
 * @property {string} method
 * @property {string} url
 * @property {[string, string][]} headers
 * @property {string} body
 * @property {boolean} [later] another request of the run than its first: a subclass's requestInit must not change
 *   what it is
 */

/**
 * What the page says of its requests.
 * @typedef {object} Page
 * @property {Function} [fetch]
 * @property {object} [requestInit]
 * @property {string} [credentials]
 */

/**
 * What is mostly wrong where a request to another origin fails: browsers do not say it, lest pages look into foreign
 * servers.
 */
const CORS = " The address is of another origin, whose server may not allow this page (CORS): it has to answer with " +
  "Access-Control-Allow-Origin, and its answer to OPTIONS also with Access-Control-Allow-Headers (content-type, and " +
  "what else is sent).";

/**
 * Opens the text in which Go describes a request: a line of JSON, and the body behind it.
 * @param {string} text
 * @returns {Request}
 */
export function requestOf(text) {
  const end = text.indexOf("\n");
  return { ...JSON.parse(text.slice(0, end)), body: text.slice(end + 1) };
}

/**
 * Makes a request.
 * @param {Request} request
 * @param {Page} page
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
export async function send({ method, url, headers, body, later }, { fetch, requestInit, credentials }, signal) {
  /** @type {any} */
  const init = { ...requestInit, method, headers: Object.fromEntries(headers), signal };
  if (method !== "GET") init.body = body;
  if (later) {
    init.leg = true;
    init.cache ??= "no-store"; // a GET would wait in the cache for another reader's that has not ended
    init.redirect ??= "error"; // it might lead to another origin, with the page's headers
  }
  if (credentials) init.credentials = credentials;
  // Called without a receiver: a stored window.fetch refuses any other than the window. The browser's is looked up now.
  const f = fetch ?? globalThis.fetch;
  return f(url, init);
}

/**
 * What to say beside the browser's own words of a request that failed.
 * @param {string} url
 */
export function hintOf(url) {
  return isForeign(url) ? CORS : "";
}

/**
 * Whether an address is of another origin than the page. Where there is no page (Node.js), none is.
 * @param {string} url
 */
function isForeign(url) {
  try {
    if (!globalThis.location) return false;
    const { protocol, origin } = new URL(url, globalThis.document?.baseURI ?? location.href);
    return /^https?:$/.test(protocol) && origin !== location.origin;
  } catch {
    return false;
  }
}
