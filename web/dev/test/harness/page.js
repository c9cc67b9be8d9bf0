// A page of an engine that Playwright does not drive (Firefox and WebKit as distributions build them), with those of
// its methods that the tests use. An engine gives it a handful of commands (engines/*.js): run a script, keys, the
// mouse.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pack, unpack } from "./values.js";

/** Runs inside the page: finds and judges elements. */
const find = readFileSync(fileURLToPath(new URL("find.js", import.meta.url)), "utf8");
const values = `const pack = ${pack}; const unpack = ${unpack};`;

const TIMEOUT = 30_000;
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks until it gets something that is not undefined.
 * @template T
 * @param {() => Promise<T | undefined>} ask
 * @param {number} timeout ms
 * @param {() => string} what it waits for
 * @returns {Promise<T>}
 */
async function until(ask, timeout, what) {
  const end = performance.now() + timeout;
  for (;;) {
    const got = await ask();
    if (got !== undefined) return got;
    if (performance.now() > end) throw new Error(`Timeout ${timeout}ms exceeded: ${what()}`);
    await sleep(20);
  }
}

export class Page {
  #driver;
  #at = { x: 0, y: 0 };
  #size = { width: 1280, height: 720 };

  /** @param {any} driver what an engine gives */
  constructor(driver) {
    this.#driver = driver;
    this.keyboard = {
      press: (/** @type {string} */ keys) => this.#press(keys),
      type: (/** @type {string} */ text) => driver.type(text),
      insertText: (/** @type {string} */ text) => driver.type(text),
      down: (/** @type {string} */ key) => driver.down(key),
      up: (/** @type {string} */ key) => driver.up(key),
    };
    this.mouse = {
      move: async (/** @type {number} */ x, /** @type {number} */ y) => {
        this.#at = { x, y };
        await driver.move(x, y);
      },
      click: (/** @type {number} */ x, /** @type {number} */ y) => driver.click(x, y),
      wheel: (/** @type {number} */ x, /** @type {number} */ y) => driver.wheel(this.#at.x, this.#at.y, x, y),
    };
  }

  /** Takes on Playwright's options of a context, as far as the engine can. @param {any} [how] */
  async as(how = {}) {
    const { width, height } = how.viewport ?? this.#size;
    await this.setViewportSize({ width, height });
    await this.emulateMedia(how);
  }

  /** Runs a function, or an expression, in the page. @param {any} code @param {any} [argument] */
  evaluate(code, argument) {
    return this.#call("page.evaluate", code, [argument]);
  }

  /**
   * @param {string} name for errors
   * @param {any} code a function, or the text of an expression
   * @param {any[]} a
   * @param {string} [before] text in front
   */
  async #call(name, code, a, before = "") {
    const source = typeof code === "string" ? undefined : String(code);
    // A method's text is no expression.
    const callee = source === undefined ? "" : /^(async\s+)?(function|\(|[\w$]+\s*=>)/.test(source) ? source
      : source.replace(/^(async\s+)?/, "$1function ");
    const text = await this.#driver.run(`${values}${before}
      try {
        const given = unpack(${JSON.stringify(pack(a))});
        const turn = () => new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
        ${source === undefined ? `const f = ${expression(code)}; const value = await (typeof f === "function" ? f(...given) : f);` : `const value = await (${callee})(...given);`}
        ${name === "page.evaluate" ? "await turn(); // what nobody catches shows by then" : ""}
        return pack({ value });
      } catch (error) {
        return pack({ error: error instanceof Error ? String(error) : "thrown: " + String(error), stack: error?.stack });
      }`);
    const { value, error, stack } = unpack(text);
    if (error !== undefined) throw Object.assign(new Error(`${name}: ${error}`), { there: stack });
    return value;
  }

  // Where.

  /** @param {string} url */
  async goto(url) {
    await this.#driver.goto(url);
  }

  async reload() {
    await this.#driver.reload();
  }

  url() {
    return this.evaluate(() => location.href);
  }

  title() {
    return this.evaluate(() => document.title);
  }

  // How it looks.

  /** @param {{width: number, height: number}} size */
  async setViewportSize(size) {
    this.#size = size;
    await this.#driver.size(size.width, size.height);
  }

  viewportSize() {
    return this.#size;
  }

  /** @param {{colorScheme?: string | null, reducedMotion?: string | null}} media */
  async emulateMedia({ colorScheme, reducedMotion }) {
    if (colorScheme === "dark") throw new Error(`${this.#driver.name} cannot be told to be dark`);
    if (reducedMotion === "reduce") throw new Error(`${this.#driver.name} cannot be told to reduce motion`);
  }

  /** Nothing has to be permitted where the engine's tests are allowed the clipboard. */
  context() {
    return { grantPermissions: async () => {} };
  }

  screenshot() {
    return this.#driver.screenshot();
  }

  // What happens in it. "request" alone.

  /** @param {string} what @param {(value: any) => void} told */
  on(what, told) {
    if (what !== "request") throw new Error(`${this.#driver.name} does not tell of "${what}"`);
    this.#driver.requests((/** @type {string} */ url) => told({ url: () => url }));
  }

  /** @param {string} source */
  addInitScript(source) {
    return this.#driver.init(typeof source === "function" ? `(${source})()` : source);
  }

  /** @param {{url?: string, content?: string, type?: string}} script */
  async addScriptTag({ url, content, type }) {
    await this.evaluate(([url, content, type]) => new Promise((resolve, reject) => {
      const script = document.createElement("script");
      if (type) script.type = type;
      script.onerror = () => reject(new Error(`${url} cannot be loaded`));
      if (url) {
        script.src = url;
        script.onload = () => resolve(undefined);
      } else script.text = content;
      document.head.append(script);
      if (!url) resolve(undefined);
    }), [url, content, type]);
  }

  // Waiting.

  /** @param {any} code @param {any} [argument] @param {{timeout?: number}} [options] */
  waitForFunction(code, argument, { timeout = TIMEOUT } = {}) {
    return until(async () => (await this.#call("page.waitForFunction", code, [argument])) || undefined, timeout,
      () => String(code));
  }

  /** @param {number} ms */
  async waitForTimeout(ms) {
    await sleep(ms);
    await this.evaluate("0"); // with it comes what is told
  }

  /** @param {string} selector @param {{timeout?: number, state?: string}} [options] */
  waitForSelector(selector, options) {
    return this.locator(selector).first().waitFor(options);
  }

  // Elements.

  /** @param {string} selector */
  locator(selector) {
    return new Locator(this, [{ css: selector }]);
  }

  /** @param {string} role @param {{name?: string | RegExp, exact?: boolean}} [options] */
  getByRole(role, options) {
    return new Locator(this, []).getByRole(role, options);
  }

  /** @param {string | RegExp} text @param {{exact?: boolean}} [options] */
  getByText(text, options) {
    return new Locator(this, []).getByText(text, options);
  }

  /** @param {string | RegExp} text */
  getByLabel(text) {
    return new Locator(this, [{ label: pattern(text) }]);
  }

  /** @param {string} selector @param {any} code @param {any} [argument] */
  $$eval(selector, code, argument) {
    return this.locator(selector).evaluateAll(code, argument);
  }

  /** @param {string} selector @param {any} code @param {any} [argument] */
  $eval(selector, code, argument) {
    return this.locator(selector).first().evaluate(code, argument);
  }

  /**
   * Calls a function of the page with what a locator finds.
   * @param {any[]} steps
   * @param {string} body of a function of (elements, argument, find)
   * @param {any} [argument]
   */
  inside(steps, body, argument) {
    const before = `const find = globalThis[Symbol.for("find")] ?? (${find.trim()});
      if (!globalThis[Symbol.for("find")]) Object.defineProperty(globalThis, Symbol.for("find"), { value: find });`;
    return this.#call("locator", { toString: () =>
      `((steps, argument) => { const elements = find.all(steps); ${body} })` }, [steps, argument], before);
  }

  /** Presses keys, such as "Shift+Enter". @param {string} keys */
  async #press(keys) {
    const list = keys === "+" ? ["+"] : keys.split("+");
    for (const key of list) await this.#driver.down(key);
    for (const key of list.reverse()) await this.#driver.up(key);
  }

  /** @param {number} x @param {number} y */
  async clickAt(x, y) {
    this.#at = { x, y };
    await this.#driver.click(x, y);
  }

  /** @param {number} x @param {number} y */
  async moveTo(x, y) {
    await this.mouse.move(x, y);
  }
}

// The page's short forms: those of its first element.
for (const name of ["click", "fill", "focus", "press", "type", "check", "hover", "textContent", "innerText",
  "getAttribute", "isVisible", "isHidden", "isDisabled", "isChecked", "inputValue", "selectOption", "setInputFiles"]) {
  /** @type {any} */ (Page.prototype)[name] = function (/** @type {string} */ selector, /** @type {any[]} */ ...a) {
    return /** @type {any} */ (this.locator(selector).first())[name](...a);
  };
}

/**
 * The text of an expression that gives what code gives: a policy against eval counts only for what is no expression.
 * @param {string} code
 */
function expression(code) {
  try {
    new Function(`return (${code}\n)`);
    return `(${code}\n)`;
  } catch {
    return `(0, eval)(${JSON.stringify(code)})`;
  }
}

/** @param {string | RegExp} text @param {boolean} [exact] */
function pattern(text, exact = false) {
  return text instanceof RegExp ? { source: text.source, flags: text.flags } : { text, exact };
}

class Locator {
  #page;
  #steps;

  /** @param {Page} page @param {any[]} steps */
  constructor(page, steps) {
    this.#page = page;
    this.#steps = steps;
  }

  /** @param {any} step */
  #with(step) {
    return new Locator(this.#page, [...this.#steps, step]);
  }

  /** @param {string} css */
  locator(css) {
    return this.#with({ css });
  }

  /** @param {string} role @param {{name?: string | RegExp, exact?: boolean}} [options] */
  getByRole(role, { name, exact } = {}) {
    return this.#with({ role, name: name === undefined ? undefined : pattern(name, exact) });
  }

  /** @param {string | RegExp} text @param {{exact?: boolean}} [options] */
  getByText(text, { exact } = {}) {
    return this.#with({ words: pattern(text, exact) });
  }

  /** @param {{hasText: string | RegExp}} options */
  filter({ hasText }) {
    return this.#with({ hasText: pattern(hasText) });
  }

  /** @param {number} n */
  nth(n) {
    return this.#with({ nth: n });
  }

  first() {
    return this.nth(0);
  }

  last() {
    return this.nth(-1);
  }

  /** @param {string} body @param {any} [argument] @param {number} [timeout] @returns {Promise<any>} */
  #one(body, argument, timeout = TIMEOUT) {
    return until(async () => {
      const got = await this.#page.inside(
        this.#steps, `if (elements.length > 1) throw new Error("strict mode violation: " + elements.length + " elements");
        if (elements.length === 0) return; const element = elements[0]; return (async () => [await (async () => { ${body} })()])();`, argument);
      return got;
    }, timeout, () => `no element is ${JSON.stringify(this.#steps)}`).then((list) => list[0]);
  }

  /** @param {any} code @param {any} [argument] */
  evaluate(code, argument) {
    return this.#one(`return (${code})(element, argument);`, argument);
  }

  /** @param {any} code @param {any} [argument] */
  evaluateAll(code, argument) {
    return this.#page.inside(this.#steps, `return (${code})(elements, argument);`, argument);
  }

  count() {
    return this.#page.inside(this.#steps, "return elements.length;");
  }

  /** @param {{state?: string, timeout?: number}} [options] */
  async waitFor({ state = "visible", timeout = TIMEOUT } = {}) {
    const test = { visible: "elements.some(find.visible)", attached: "elements.length > 0",
      hidden: "!elements.some(find.visible)", detached: "elements.length === 0" }[state];
    await until(async () => (await this.#page.inside(this.#steps, `return ${test};`)) || undefined, timeout,
      () => `${JSON.stringify(this.#steps)} is never ${state}`);
  }

  /** Where its middle is, once it is in sight, enabled and stands still. @param {number} [timeout] */
  async #point(timeout = TIMEOUT) {
    return until(() => this.#page.inside(
      this.#steps, `if (elements.length > 1) throw new Error("strict mode violation: " + elements.length + " elements");
      return elements.length ? find.point(elements[0]) : undefined;`), timeout, () => `${JSON.stringify(this.#steps)} cannot be clicked`);
  }

  /** @param {{timeout?: number}} [options] */
  async click({ timeout } = {}) {
    const { x, y } = await this.#point(timeout);
    await this.#page.clickAt(x, y);
  }

  async hover() {
    const { x, y } = await this.#point();
    await this.#page.moveTo(x, y);
  }

  async check() {
    if (!(await this.isChecked())) await this.click();
  }

  async focus() {
    await this.#one("element.focus();");
  }

  /** @param {string} keys */
  async press(keys) {
    await this.focus();
    await this.#page.keyboard.press(keys);
  }

  /** @param {string} text */
  async type(text) {
    await this.focus();
    await this.#page.keyboard.type(text);
  }

  /** @param {string} text */
  async pressSequentially(text) {
    await this.type(text);
  }

  /** @param {string} text */
  async fill(text) {
    await until(() => this.#page.inside(this.#steps,
      "return elements.length === 1 && find.point(elements[0]) ? (find.fill(elements[0], argument), true) : undefined;",
      text),
      TIMEOUT, () => `${JSON.stringify(this.#steps)} cannot be filled`);
  }

  /** @param {string | {label?: string, value?: string}} option */
  async selectOption(option) {
    await this.#one("find.select(element, argument);", typeof option === "string" ? { value: option } : option);
  }

  /**
   * @param {{name: string, mimeType: string, buffer: Buffer} | {name: string, mimeType: string, buffer: Buffer}[]}
   *   files
   */
  async setInputFiles(files) {
    const list = [files].flat().map(
      ({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString("base64") }));
    await this.#one("find.give(element, argument);", list);
  }

  textContent() {
    return this.#one("return element.textContent;");
  }

  innerText() {
    return this.#one("return element.innerText;");
  }

  inputValue() {
    return this.#one("return element.value;");
  }

  /** @param {string} name */
  getAttribute(name) {
    return this.#one("return element.getAttribute(argument);", name);
  }

  isDisabled() {
    return this.#one("return element.disabled === true || element.ariaDisabled === 'true';");
  }

  isChecked() {
    return this.#one("return element.checked;");
  }

  isVisible() {
    return this.#page.inside(this.#steps, "return elements.length > 0 && find.visible(elements[0]);");
  }

  isHidden() {
    return this.#page.inside(this.#steps, "return elements.length === 0 || !find.visible(elements[0]);");
  }

  allTextContents() {
    return this.#page.inside(this.#steps, "return elements.map((element) => element.textContent);");
  }

  allInnerTexts() {
    return this.#page.inside(this.#steps, "return elements.map((element) => element.innerText);");
  }

  boundingBox() {
    return this.#one(
      "const { x, y, width, height } = element.getBoundingClientRect(); return { x, y, width, height };");
  }
}
