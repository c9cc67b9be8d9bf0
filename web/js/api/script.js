"use strict";

// The entry of agui.js: a script tag that puts `agui` on the page.

import { shared } from "./api.js";
import { originOfScript } from "../core/origin.js";

const { api } = shared(originOfScript());
// Defined, not assigned: an element with the id "agui" answers to the name too.
Object.defineProperty(globalThis, "agui", { value: api, writable: true, enumerable: true, configurable: true });
