"use strict";

import { languageOf } from "./language.js";

/** What a chat looks like, of the options that mount was given. */

/**
 * What Go is told of the options.
 * @typedef {object} Looks
 * @property {string} lang
 * @property {string} labels an object as JSON text
 * @property {string[]} tools the tools that the page draws itself
 * @property {string[]} activities
 * @property {boolean} remoteImages
 * @property {boolean} attach
 * @property {boolean} actions
 */

/**
 * @param {Element} host
 * @param {any} given mount's options, checked
 * @returns {Looks}
 */
export function looksOf(host, given) {
  const { lang, labels, renderers, remoteImages, attach = true, messageActions } = given;
  return {
    lang: languageOf(host, lang), labels: JSON.stringify(labels ?? {}),
    tools: Object.keys(renderers?.tools ?? {}), activities: Object.keys(renderers?.activities ?? {}),
    remoteImages: Boolean(remoteImages), attach: Boolean(attach), actions: Boolean(messageActions),
  };
}
