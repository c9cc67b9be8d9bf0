// One browser per test file, a fresh page per test. ENGINE in the environment says which: chromium (the default),
// firefox or webkit. Pages are Playwright's in Chromium, and have those of its methods that the tests use in the others
// (page.js).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serveDist } from "./static.js";

/** @typedef {"chromium" | "firefox" | "webkit"} Engine */
/**
 * @typedef {import("playwright-core").Page & {uncaught: string[], consoled: string[], done: () => Promise<void>}}
 *   TestPage
 */

const engines = {
  chromium: () => import("./engines/chromium.js"),
  firefox: () => import("./engines/firefox.js"),
  webkit: () => import("./engines/webkit.js"),
};

/** The engine that this process tests. */
export const engine = /** @type {Engine} */ (process.env.ENGINE || "chromium");
if (!(engine in engines)) throw new Error(`ENGINE is ${engine}; it can be ${Object.keys(engines).join(", ")}`);

/**
 * What `skip` of a test takes: the reason in the engines that it does not hold for, false in the others.
 * @param {string} reason
 * @param {Engine[]} where
 */
export const not = (reason, ...where) => (where.includes(engine) ? `${engine}: ${reason}` : false);

/** What runs in each page before its own scripts. */
const helpers = readFileSync(fileURLToPath(new URL("inpage.js", import.meta.url)), "utf8");

/**
 * Starts a browser and a server of dist/.
 * @param {object} [options]
 * @param {string[]} [options.args] more arguments for Chromium; other engines ignore them
 */
export async function start(options = {}) {
  const { launch } = await engines[engine]();
  const site = await serveDist();
  const browser = await launch({ helpers, site, ...options });
  /**
   * Opens an empty page.
   * @param {object} [how] Playwright's options of a context: viewport, colorScheme, reducedMotion, locale
   * @returns {Promise<TestPage>} uncaught: what the page told as an error that nobody caught; consoled: "type: text"
   */
  const blank = async (how) => {
    /** @type {string[]} */
    const uncaught = [];
    /** @type {string[]} */
    const consoled = [];
    const { page, close } = await browser.open(how, (error) => uncaught.push(error), (line) => consoled.push(line));
    return Object.assign(page, { uncaught, consoled, done: close });
  };
  return {
    site,
    /** Playwright's browser, for what Chromium alone can: traces. */
    browser: /** @type {import("playwright-core").Browser} */ (browser.playwright),
    blank,
    /**
     * Opens a page.
     * @param {object} [how]
     * @param {string} [how.path] of the page; the default is an empty page that loads agui.js
     * @param {string} [how.html] the page's source instead
     * @param {Record<string, string>} [how.headers] the page's response headers
     * @param {string} [how.origin] another site's origin
     * @param {string} [how.zone] the page's time zone, in Chromium: Asia/Tokyo
     * @param {number} [how.limit] milliseconds that code in the page may take; 60,000
     */
    async page(how = {}) {
      const page = await blank({ serviceWorkers: "block", ...(how.zone && { timezoneId: how.zone }) });
      let path = how.path ?? "/test/plain.html";
      if (how.html !== undefined) path = site.put(how.html, how.headers);
      const evaluate = page.evaluate.bind(page);
      // Code that never ends must fail its own test, not the whole file.
      page.evaluate = (...a) => {
        /** @type {NodeJS.Timeout} */
        let timer;
        const limit = how.limit ?? 60000;
        const late = new Promise((_, reject) => {
          timer = setTimeout(() => reject(new Error(`the page's code did not end within ${limit} ms`)), limit);
        });
        return Promise.race([evaluate(...a), late]).finally(() => clearTimeout(timer));
      };
      await page.goto((how.origin ?? site.origin) + path);
      return page;
    },
    async stop() {
      await browser.close();
      await site.close();
    },
  };
}
