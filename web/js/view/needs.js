"use strict";

import { ask } from "../core/needs.js";

/** What the chat needs of a browser beside what runs need. @type {import("../core/needs.js").Needs} */
const CHAT = [
  ["Element.prototype.attachShadow", () => Element.prototype.attachShadow],
  ["Element.prototype.replaceChildren", () => Element.prototype.replaceChildren],
  ["new CSSStyleSheet", () => typeof CSSStyleSheet === "function" && CSSStyleSheet.prototype.replaceSync],
  ["ShadowRoot.prototype.adoptedStyleSheets", () => "adoptedStyleSheets" in ShadowRoot.prototype],
];

/** Throws load_failed where this browser cannot draw the chat. */
export const needsOfChat = () => ask(CHAT, "the chat");
