"use strict";

import { Execution } from "../core/execution.js";
import { Input } from "./input.js";
import { Mirror } from "../core/mirror.js";
import { Observable } from "./observable.js";
import { checkOptions, resolveHeaders, RUN_OPTIONS, warner } from "./options.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */
/** @typedef {import("../core/execution.js").Options} GoOptions */

/**
 * Makes agui.run.
 * @param {Runtime} runtime
 */
export function makeRun(runtime) {
  /**
   * A cold Observable of one run's events; each subscribe is one request. Wrong kinds of argument throw a TypeError here,
   * and the input is copied here.
   * @param {unknown} input
   * @param {unknown} [options]
   */
  return function run(input, options) {
    const settings = settle(runtime, options, "run");
    const own = new Input(input);
    runtime.load();
    return new Observable((receiver, pull) => new Execution({
      runtime,
      mirror: new Mirror({ messages: own.fields.messages, state: own.fields.state }),
      mode: "fast",
      prepare: () => request(settings, own.text()),
      warn: warner(settings.onWarning),
    }, receiver, pull), settings.signal);
  };
}

/**
 * Takes a call's options over the configured ones.
 * @param {Runtime} runtime
 * @param {unknown} options
 * @param {string} caller
 * @param {boolean} [needsUrl]
 */
export function settle(runtime, options, caller, needsUrl = true) {
  const settings = { ...runtime.defaults, ...checkOptions(options, RUN_OPTIONS, caller) };
  if (needsUrl && settings.url === undefined) {
    throw new TypeError(`${caller}: there is no url; give it in the options, by agui.configure({url}), or as data-url on the script tag`);
  }
  return settings;
}

/**
 * Describes a request for Go. The headers are asked for now.
 * @param {Record<string, any>} settings
 * @param {string} input
 * @returns {Promise<GoOptions>}
 */
export async function request(settings, input) {
  const headers = await resolveHeaders(settings.headers);
  return { ...connection(settings), headers, input };
}

/**
 * What of the settings Go gets as it is.
 * @param {Record<string, any>} settings
 */
function connection({ url, credentials, requestInit, fetch, verify, maxEventBytes, keepRaw, idleTimeoutMs }) {
  return { url: url === undefined ? undefined : String(url), credentials, requestInit, fetch, verify, maxEventBytes, keepRaw, idleTimeoutMs };
}
