// Chromium, by playwright-core.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const arguments_ = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
  "--no-default-browser-check",
];

/** The program: what CHROMIUM says, or where distributions have it. */
export const program = () => [process.env.CHROMIUM ?? "/usr/bin/chromium"].find((path) => existsSync(path));

/** @param {{helpers: string, args?: string[]}} options */
export async function launch({ helpers, args = [] }) {
  const browser = await chromium.launch({
    executablePath: program(),
    headless: true,
    args: [...arguments_, ...args],
  });
  return {
    playwright: browser,
    /**
     * @param {any} how
     * @param {(error: string) => void} uncaught
     * @param {(line: string) => void} consoled
     */
    async open(how, uncaught, consoled) {
      const context = await browser.newContext(how);
      const page = await context.newPage();
      page.on("pageerror", (error) => uncaught(String(error)));
      page.on("console", (message) => consoled(`${message.type()}: ${message.text()}`));
      await page.addInitScript(helpers);
      return { page: /** @type {any} */ (page), close: () => context.close() };
    },
    close: () => browser.close(),
  };
}
