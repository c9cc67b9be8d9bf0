"use strict";

import { absolute } from "../core/origin.js";
import { Execution } from "../core/execution.js";
import { requestHeaders } from "../core/headers.js";
import { Input } from "./input.js";
import { Mirror } from "../core/mirror.js";
import { observableOf } from "./observable.js";
import { base, checkOptions, resolveHeaders, RUN_OPTIONS, warner } from "./options.js";

/** @typedef {import("../core/runtime.js").Runtime} Runtime */
/** @typedef {import("../core/execution.js").Options} GoOptions */

/**
 * Makes agui.run.
 * @param {Runtime} runtime
 */
export function makeRun(runtime) {
  /**
   * A cold Observable of one run's events; each subscribe is one request. Wrong kinds of argument throw a TypeError
   * here, and the input is copied here.
   * @param {unknown} input
   * @param {unknown} [options]
   */
  return function run(input, options) {
    const settings = settle(runtime, options, "run");
    const own = new Input(input);
    runtime.load();
    return observableOf((receiver, pull) => new Execution({
      runtime,
      mirror: new Mirror({ messages: own.fields.messages, state: own.fields.state }),
      mode: "fast",
      prepare: () => request(settings, own.text()),
      warn: warner(settings.onWarning),
      connection: settings.onConnectionChanged,
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
  const own = checkOptions(options, RUN_OPTIONS, caller);
  const settings = { ...runtime.defaults, ...own };
  // Configured headers hold the page's secrets: they go where they are configured for, whoever named another place.
  const { headers, url } = runtime.defaults;
  if (headers !== undefined && own.headers === undefined && own.url !== undefined && url !== undefined &&
    originOf(own.url) !== originOf(url)) {
    delete settings.headers;
    if (!away.has(originOf(own.url))) {
      away.add(originOf(own.url));
      console.warn(
        `agui: the configured headers are not sent to ${originOf(own.url)}; ` +
          `they are for ${originOf(url)}. Give that agent headers of its own.`);
    }
  }
  if (needsUrl && settings.url === undefined) {
    throw new TypeError(
      `${caller}: there is no url; give it in the options, by agui.configure({url}), or as data-url on the script tag`);
  }
  return settings;
}

/** The origins whose requests go without the configured headers: each is told of once. */
const away = new Set();

/** @param {any} url */
export function originOf(url) {
  const whole = absolute(String(url), base());
  return whole === undefined ? "" : new URL(whole).origin;
}

/**
 * Describes a request for Go. The headers are asked for now.
 * @param {Record<string, any>} settings
 * @param {string} input
 * @returns {Promise<GoOptions>}
 */
export async function request(settings, input) {
  const renew = async () => requestHeaders(await resolveHeaders(settings.headers), settings.accept);
  return {
    ...connection(settings), headers: await renew(), input,
    ...(settings.reconnect ? { reconnect: settings.reconnect, renew } : {}),
  };
}

/**
 * What of the settings Go gets as it is.
 * @param {Record<string, any>} settings
 */
function connection({ url, credentials, requestInit, fetch, verify, maxEventBytes, keepRaw, idleTimeoutMs }) {
  return {
    url: url === undefined ? undefined : String(url), credentials, requestInit, fetch, verify, maxEventBytes, keepRaw,
    idleTimeoutMs,
  };
}
