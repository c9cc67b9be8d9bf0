// Firefox, by WebDriver BiDi through puppeteer-core.
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { keep, take } from "../log.js";
import { Page } from "../page.js";

/** The program: what FIREFOX says, or where distributions have it. */
export const program = () => [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => path &&
  existsSync(path));

/** @param {{helpers: string}} options */
export async function launch({ helpers }) {
  const executablePath = program();
  if (!executablePath) throw new Error("there is no Firefox; FIREFOX names one");
  const browser = await puppeteer.launch({
    browser: "firefox", executablePath, headless: true, protocolTimeout: 600_000,
    extraPrefsFirefox: {
      "intl.accept_languages": "en-US, en",
      "dom.events.testing.asyncClipboard": true, // the clipboard without a person who allows it
      "dom.disable_open_during_load": false,
    },
  });
  return {
    playwright: /** @type {import("playwright-core").Browser | undefined} */ (undefined),
    /**
     * @param {any} how
     * @param {(error: string) => void} uncaught
     * @param {(line: string) => void} consoled
     */
    async open(how, uncaught, consoled) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.on("console", (message) => consoled(`${message.type().replace(/^warn$/, "warning")}: ${message.text()}`));
      await page.evaluateOnNewDocument(`${helpers}\n${keep}`);
      // Not its "pageerror": Firefox tells its own remarks (a request that CORS forbids) in the same way.
      const driver = new Firefox(page, { uncaught });
      const made = new Page(driver);
      await made.as(how);
      return { page: /** @type {any} */ (made), close: () => context.close() };
    },
    close: () => browser.close(),
  };
}

const KEYS = { ControlOrMeta: "Control", Space: " " };

/** What Page asks of an engine. */
class Firefox {
  name = "firefox";

  /** @param {import("puppeteer-core").Page} page @param {Record<string, (line: string) => void>} told */
  constructor(page, told) {
    this.page = page;
    this.told = told;
  }

  /** Runs a function body, asynchronous, that gives a string. @param {string} body @returns {Promise<string>} */
  async run(body) {
    const [text, log] = JSON.parse(/** @type {any} */ (await this.page.evaluate(`(async () => {
      const text = await (async () => {${body}})();
      return JSON.stringify([text, ${take}]);
    })()`)));
    for (const [kind, line] of log) this.told[kind]?.(line);
    return text;
  }

  /** @param {string} source */
  async init(source) {
    await this.page.evaluateOnNewDocument(source);
  }

  /** @param {string} url */
  async goto(url) {
    await this.page.goto(url);
  }

  async reload() {
    await this.page.reload();
  }

  /** @param {number} width @param {number} height */
  async size(width, height) {
    await this.page.setViewport({ width, height });
  }

  /** @param {string} key */
  async down(key) {
    await this.page.keyboard.down(/** @type {any} */ (KEYS[key] ?? key));
  }

  /** @param {string} key */
  async up(key) {
    await this.page.keyboard.up(/** @type {any} */ (KEYS[key] ?? key));
  }

  /** @param {string} text */
  async type(text) {
    await this.page.keyboard.type(text);
  }

  /** @param {number} x @param {number} y */
  async move(x, y) {
    await this.page.mouse.move(x, y);
  }

  /** @param {number} x @param {number} y */
  async click(x, y) {
    await this.page.mouse.click(x, y);
  }

  /** Where the mouse is. @param {number} _x @param {number} _y @param {number} deltaX @param {number} deltaY */
  async wheel(_x, _y, deltaX, deltaY) {
    await this.page.mouse.wheel({ deltaX, deltaY });
  }

  /** @returns {Promise<Uint8Array>} a PNG */
  screenshot() {
    return this.page.screenshot();
  }

  /** @param {(url: string) => void} told */
  requests(told) {
    this.told.request = told;
  }
}
