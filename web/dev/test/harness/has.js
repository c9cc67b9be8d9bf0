// Ends with 0 where the engine that ENGINE names is installed, with 1 where it is not.
import * as chromium from "./engines/chromium.js";
import * as firefox from "./engines/firefox.js";
import * as webkit from "./engines/webkit.js";

/** @type {Record<string, {program: () => unknown}>} */
const engines = { chromium, firefox, webkit };
process.exit(engines[process.env.ENGINE ?? "chromium"]?.program() ? 0 : 1);
