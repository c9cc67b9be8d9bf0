// Serves dist/ and pages made by tests, with whatever headers a test wants.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));

const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8", ".json": "application/json", ".wasm": "application/wasm", ".ts": "text/plain",
};

const plain = `<!doctype html><meta charset="utf-8"><title>test</title><link rel="icon" href="data:,"><script src="/agui.js"></script>`;
const bare = `<!doctype html><meta charset="utf-8"><title>test</title><link rel="icon" href="data:,">`;

/** Starts a server of dist/ on a free port of 127.0.0.1. */
export async function serveDist() {
  /** @type {Map<string, {body: string, headers: Record<string, string>}>} */
  const pages = new Map([["/test/plain.html", { body: plain, headers: {} }], ["/test/bare.html", { body: bare, headers: {} }]]);
  /** @type {Map<string, (request: any, response: any) => void>} */
  const overrides = new Map();
  /** @type {{path: string, headers: import("node:http").IncomingHttpHeaders}[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    requests.push({ path, headers: request.headers });
    const override = overrides.get(path);
    if (override) return override(request, response);
    const made = pages.get(path);
    if (made) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...made.headers });
      return response.end(made.body);
    }
    const name = normalize(path === "/" ? "/index.html" : path);
    // Tests may also load what lies in web/ and wasm/: libraries, test data.
    const file = /^\/(web|wasm)\//.test(name) ? join(root, name) : join(root, "dist", name);
    if (name.includes("..") || !existsSync(file)) {
      response.writeHead(404, { "content-type": "text/plain" });
      return response.end("not found");
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "access-control-allow-origin": "*" });
    response.end(await readFile(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  let made = 0;
  return {
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
}
