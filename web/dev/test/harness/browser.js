// One Chromium per test file, a fresh page per test.
import { chromium } from "playwright-core";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serveDist } from "./static.js";

const arguments_ = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps", "--no-default-browser-check",
];

const helpers = readFileSync(fileURLToPath(new URL("inpage.js", import.meta.url)), "utf8");

/**
 * Starts a browser and a server of dist/.
 * @param {object} [options]
 * @param {string[]} [options.args] more arguments for Chromium
 */
export async function start(options = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [...arguments_, ...(options.args ?? [])],
  });
  const site = await serveDist();
  return {
    browser,
    site,
    /**
     * Opens a page.
     * @param {object} [how]
     * @param {string} [how.path] of the page; the default is an empty page that loads agui.js
     * @param {string} [how.html] the page's source instead
     * @param {Record<string, string>} [how.headers] the page's response headers
     * @param {string} [how.origin] another site's origin
     * @param {number} [how.limit] milliseconds that code in the page may take; 60,000
     */
    async page(how = {}) {
      const context = await browser.newContext({ serviceWorkers: "block" });
      const page = await context.newPage();
      /** @type {string[]} what the page told as an error that nobody caught */
      const uncaught = [];
      /** @type {string[]} */
      const consoled = [];
      page.on("pageerror", (error) => uncaught.push(String(error)));
      page.on("console", (message) => consoled.push(`${message.type()}: ${message.text()}`));
      await page.addInitScript(helpers);
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
      return Object.assign(page, { uncaught, consoled, done: () => context.close() });
    },
    async stop() {
      await browser.close();
      await site.close();
    },
  };
}
