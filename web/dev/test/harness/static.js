// Serves dist/ and pages made by tests, with whatever headers a test wants.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));

const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8", ".json": "application/json", ".wasm": "application/wasm", ".ts": "text/plain",
};

const plain =
  `<!doctype html><meta charset="utf-8"><title>test</title><link rel="icon" href="data:,"><script src="/agui.js"></script>`;
const bare = `<!doctype html><meta charset="utf-8"><title>test</title><link rel="icon" href="data:,">`;

/** Starts a server of dist/ on a free port of 127.0.0.1. */
export async function serveDist() {
  /** @type {Map<string, {body: string, headers: Record<string, string>}>} */
  const pages = new Map([["/test/plain.html", { body: plain, headers: {} }],
    ["/test/bare.html", { body: bare, headers: {} }]]);
  /** @type {Map<string, (request: any, response: any) => void>} */
  const overrides = new Map();
  /** @type {{path: string, headers: import("node:http").IncomingHttpHeaders}[]} */
  const requests = [];
  /** A page's source, with the script first that an engine wants there. */
  const page = (/** @type {string | Buffer} */ body) => (site.first ? String(body)
    .replace(/^(\s*<!doctype html>)?/i, `$1<script src="/test/first.js"></script>`) : body);
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    requests.push({ path, headers: request.headers });
    const override = overrides.get(path);
    if (override) return override(request, response);
    if (path === "/test/first.js") {
      requests.pop(); // not the page's doing
      response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" });
      return response.end(site.first);
    }
    const made = pages.get(path);
    if (made) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...made.headers });
      return response.end(page(made.body));
    }
    const name = normalize(path === "/" ? "/index.html" : path);
    // Tests may also load what lies in web/ and wasm/: libraries, test data.
    const file = /^\/(web|wasm)\//.test(name) ? join(root, name) : join(root, "dist", name);
    if (name.includes("..") || !existsSync(file)) {
      response.writeHead(404, { "content-type": "text/plain" });
      return response.end("not found");
    }
    response.writeHead(200, {
      "content-type": types[extname(file)] ?? "application/octet-stream", "access-control-allow-origin": "*",
    });
    const content = await readFile(file);
    response.end(extname(file) === ".html" ? page(content) : content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  let made = 0;
  const site = {
    /**
     * The text of a script that each page loads before its own: for engines that have no other way (engines/webkit.js).
     */
    first: "",
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    /** Makes a page of a source; gives its path. */
    put(/** @type {string} */ body, /** @type {Record<string, string>} */ headers = {}) {
      const path = `/test/made-${++made}.html`;
      pages.set(path, { body, headers });
      return path;
    },
    /** Answers a path with a handler instead; without one, as usual again. */
    override(/** @type {string} */ path, /** @type {((request: any, response: any) => void) | undefined} */ handler) {
      if (handler) overrides.set(path, handler);
      else overrides.delete(path);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}
