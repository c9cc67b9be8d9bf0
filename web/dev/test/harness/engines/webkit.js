// WebKitGTK, by WebDriver: WebKitWebDriver drives MiniBrowser, on a display that Xvfb makes. What WebDriver has no
// command for is done by a script that each page of the site loads first: the helpers, and a log of errors and of the
// console.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { keep, take } from "../log.js";
import { Page } from "../page.js";

/** Where the programs are: what the environment says, or where distributions have them. */
export function program() {
  const libraries = ["/usr/lib", ...folders("/usr/lib").filter((name) => name.includes("-linux-")), "/usr/libexec"];
  const browser = [process.env.MINIBROWSER,
    ...libraries.flatMap((folder) => folders(folder).filter((name) => /\/webkit2?gtk-/.test(name))
      .map((name) => `${name}/MiniBrowser`))];
  const found = {
    driver: [process.env.WEBKITWEBDRIVER, "/usr/bin/WebKitWebDriver"].find((path) => path && existsSync(path)),
    browser: browser.sort().reverse().find((path) => path && existsSync(path)),
    xvfb: ["/usr/bin/Xvfb"].find((path) => existsSync(path)),
  };
  return found.driver && found.browser && found.xvfb
    ? /** @type {{driver: string, browser: string, xvfb: string}} */ (found) : null;
}

/** @param {string} folder */
function folders(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      .map((entry) => `${folder}/${entry.name}`);
  } catch {
    return [];
  }
}

/** @param {{helpers: string, site: Awaited<ReturnType<typeof import("../static.js").serveDist>>}} options */
export async function launch({ helpers, site }) {
  const found = program();
  if (!found) throw new Error("WebKitWebDriver, MiniBrowser or Xvfb is missing");
  site.first = `${helpers}\n${keep}`;
  const display = await xvfb(found.xvfb);
  const port = await freePort();
  const driver = spawn(found.driver, [`--port=${port}`], {
    stdio: "ignore", detached: true, env: {
      ...process.env, DISPLAY: display.name, LANG: "en_US.UTF-8", LANGUAGE: "en_US", GTK_A11Y: "none",
    },
  });
  const gone = () => {
    for (const pid of [driver.pid, display.pid]) {
      try {
        process.kill(-(/** @type {number} */ (pid)));
      } catch {
        // It has ended.
      }
    }
  };
  process.once("exit", gone);
  const session = await newSession(port, found.browser);
  /** Tabs that no test uses. @type {string[]} */
  const free = [await session.command("GET", "/window")];
  return {
    playwright: /** @type {import("playwright-core").Browser | undefined} */ (undefined),
    /**
     * @param {any} how
     * @param {(error: string) => void} uncaught
     * @param {(line: string) => void} consoled
     */
    async open(how, uncaught, consoled) {
      const handle = free.pop() ?? (await session.command("POST", "/window/new", { type: "window" })).handle;
      const webkit = new WebKit(session, handle, { console: consoled, uncaught });
      const page = new Page(webkit);
      await page.as(how);
      return {
        page: /** @type {any} */ (page),
        close: async () => {
          await webkit.leave();
          free.push(handle);
        },
      };
    },
    async close() {
      await session.command("DELETE", "").catch(() => {});
      gone();
      process.off("exit", gone);
    },
  };
}

/** @param {string} program */
async function xvfb(program) {
  const child = spawn(program, ["-displayfd", "3", "-screen", "0", "1400x1100x24", "-nolisten", "tcp"],
    { stdio: ["ignore", "ignore", "ignore", "pipe"], detached: true });
  const name = await new Promise((resolve, reject) => {
    let text = "";
    /** @type {any} */ (child.stdio[3]).on("data", (/** @type {Buffer} */ data) => {
      text += data;
      if (text.endsWith("\n")) resolve(`:${text.trim()}`);
    });
    child.on("exit", () => reject(new Error("Xvfb does not start")));
  });
  return { name, pid: child.pid };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @param {number} port @param {string} binary */
async function newSession(port, binary) {
  const capabilities = {
    alwaysMatch: { browserName: "MiniBrowser", "webkitgtk:browserOptions": { binary, args: ["--automation"] } },
  };
  for (let left = 100; ; left--) {
    try {
      const { sessionId } = await call(port, "POST", "/session", { capabilities });
      const session = new Session(port, `/session/${sessionId}`);
      await session.command("POST", "/timeouts", { script: 600_000, pageLoad: 60_000 });
      return session;
    } catch (error) {
      if (left === 0 || /** @type {any} */ (error).code !== "ECONNREFUSED") throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * One WebDriver command; gives its value. (By node:http: a script may take longer than fetch waits.)
 * @param {number} port @param {string} method @param {string} path @param {object} [body]
 * @returns {Promise<any>}
 */
function call(port, method, path, body) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, method, path, headers: { "content-type": "application/json" } },
      async (response) => {
      let text = "";
      response.setEncoding("utf8");
      for await (const piece of response) text += piece;
      try {
        const { value } = JSON.parse(text);
        if (response.statusCode === 200) resolve(value);
        else reject(new Error(`WebDriver ${path}: ${value?.error}: ${value?.message}`));
      } catch (error) {
        reject(error);
      }
    });
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A session has one current window; commands for another switch to it first, one after the other. */
class Session {
  #current = "";
  /** @type {Promise<any>} */
  #switching = Promise.resolve();

  /** @param {number} port @param {string} path */
  constructor(port, path) {
    this.port = port;
    this.path = path;
  }

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  command(method, path, body) {
    return call(this.port, method, this.path + path, body ?? (method === "POST" ? {} : undefined));
  }

  /**
   * A command in a window.
   * @param {string} handle
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async in(handle, method, path, body) {
    if (this.#current !== handle) {
      this.#switching = this.#switching.then(async () => {
        if (this.#current === handle) return;
        await this.command("POST", "/window", { handle });
        this.#current = handle;
      });
    }
    await this.#switching;
    return this.command(method, path, body);
  }
}

/** WebDriver's code points of named keys. @type {Record<string, string>} */
const KEYS = {
  Enter: "\ue006", Tab: "\ue004", Backspace: "\ue003", Escape: "\ue00c", Space: " ", ArrowLeft: "\ue012",
  ArrowUp: "\ue013",
  ArrowRight: "\ue014", ArrowDown: "\ue015", Home: "\ue011", End: "\ue010", PageUp: "\ue00e", PageDown: "\ue00f",
  Delete: "\ue017", Shift: "\ue008", Control: "\ue009", ControlOrMeta: "\ue009", Alt: "\ue00a", Meta: "\ue03d",
};

/** What Page asks of an engine. */
class WebKit {
  name = "webkit";
  #session;
  #handle;
  #told;

  /**
   * @param {Session} session @param {string} handle
   * @param {Record<string, (line: string) => void>} told who is told of the log's kinds
   */
  constructor(session, handle, told) {
    this.#session = session;
    this.#handle = handle;
    this.#told = told;
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  #do(method, path, body) {
    return this.#session.in(this.#handle, method, path, body);
  }

  /** @param {string} body @returns {Promise<string>} */
  async run(body) {
    const script = `const done = arguments[arguments.length - 1];
      (async () => {${body}})().then((text) => done([text, ${take}]), (error) => done([null, [], String(error)]));`;
    const [text, log, error] = await this.#do("POST", "/execute/async", { script, args: [] });
    for (const [kind, line] of log) this.#told[kind]?.(line);
    if (error !== undefined) throw new Error(error);
    return text;
  }

  async init() {
    throw new Error("WebDriver has no scripts that run before a page's own");
  }

  /** @param {string} url */
  goto(url) {
    return this.#do("POST", "/url", { url });
  }

  reload() {
    return this.#do("POST", "/refresh");
  }

  /** Gives the window to the next test: nothing of this one stays in it. */
  async leave() {
    await this.#do("POST", "/execute/sync",
      { script: "try { localStorage.clear(); sessionStorage.clear(); } catch {}", args: [] }).catch(() => {});
    await this.goto("about:blank");
  }

  /** @param {number} width @param {number} height */
  async size(width, height) {
    const inner = () => this.#do("POST", "/execute/sync", {
      script: "return [innerWidth, innerHeight, outerWidth, outerHeight]", args: [],
    });
    for (let left = 20; left > 0; left--) {
      const [w, h, outerWidth, outerHeight] = await inner();
      if (w === width && h === height) return;
      await this.#do("POST", "/window/rect", { width: width + outerWidth - w, height: height + outerHeight - h });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the window cannot be made ${width} by ${height}: ${await inner()}`);
  }

  /** @param {object[]} actions of one device @param {object} device */
  #act(actions, device) {
    return this.#do("POST", "/actions", { actions: [{ ...device, actions }] });
  }

  /** @param {string} key */
  down(key) {
    return this.#act([{ type: "keyDown", value: KEYS[key] ?? key }], { type: "key", id: "keys" });
  }

  /** @param {string} key */
  up(key) {
    return this.#act([{ type: "keyUp", value: KEYS[key] ?? key }], { type: "key", id: "keys" });
  }

  /** @param {string} text */
  type(text) {
    return this.#act([...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]),
      { type: "key", id: "keys" });
  }

  /** @param {object[]} actions */
  #mouse(actions) {
    return this.#act(actions, { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" } });
  }

  /** @param {number} x @param {number} y */
  move(x, y) {
    return this.#mouse([{ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y) }]);
  }

  /** @param {number} x @param {number} y */
  click(x, y) {
    return this.#mouse([{ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y) },
      { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }]);
  }

  /** @param {number} x @param {number} y @param {number} deltaX @param {number} deltaY */
  wheel(x, y, deltaX, deltaY) {
    return this.#act([{ type: "scroll", x: Math.round(x), y: Math.round(y), deltaX, deltaY, duration: 0,
      origin: "viewport" }], { type: "wheel", id: "wheel" });
  }

  /** @returns {Promise<Uint8Array>} a PNG */
  async screenshot() {
    return Buffer.from(await this.#do("GET", "/screenshot"), "base64");
  }

  /** @param {(url: string) => void} told */
  requests(told) {
    this.#told.request = told;
  }
}
