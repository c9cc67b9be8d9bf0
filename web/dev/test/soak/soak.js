// Mixed traffic over a time, with random faults from the server and hostile streams among it: nothing is lost before a
// fault, the memory stays flat.
import { engine, start } from "../harness/browser.js";
import { soakServer } from "./server.js";

const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script>
  const { instantiate } = WebAssembly;
  globalThis.programs = 0;
  WebAssembly.instantiate = (...a) => { globalThis.programs++; return instantiate.apply(WebAssembly, a); };
</script><script src="/agui.js"></script><script type="module" src="/web/dev/test/soak/page.js"></script>`;

const MB = 1 << 20;

/**
 * Soaks.
 * @param {object} how
 * @param {number} how.seconds
 * @param {number} [how.seed]
 * @param {number} [how.lanes] runs at a time, besides the one that lasts
 * @param {(line: string) => void} [how.say]
 * @returns {Promise<{wrong: string[], last: any}>}
 */
export async function soak({ seconds, seed = 1, lanes = 4, say = () => {} }) {
  const world = await start({ args: ["--js-flags=--expose-gc", "--enable-precise-memory-info"] });
  const server = await soakServer();
  try {
    const page = await world.page({ html, limit: 180000 });
    await page.waitForFunction(() => "soak" in globalThis);
    await page.evaluate(() => agui.ready);
    await page.evaluate((how) => soak.begin(how), {
      url: server.url, long: server.long, hostile: server.hostile, kinds: server.kinds, read: server.read, seed, lanes,
      resetIsEnd: engine === "webkit",
    });
    const looks = [];
    const from = performance.now();
    const until = from + seconds * 1000;
    const step = Math.max(3000, seconds * 25);
    while (performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(step, Math.max(0, until - performance.now()))));
      const look = await page.evaluate(() => soak.look());
      looks.push(look);
      say(
        `${((performance.now() - from) / 1000).toFixed(0).padStart(5)} s  ${look.done} runs, ${look.left} left, ${look.hostile} hostile, ${look.events} events, the lasting run at ${look.long}; ` +
        `heap ${(look.heap / MB).toFixed(1)} MB, wasm ${(look.wasmBytes / MB).toFixed(1)} MB${look.wrong.length ? `; WRONG: ${look.wrong[0]}` : ""}`);
    }
    const last = await page.evaluate(() => soak.end());
    const wrong = [...last.wrong, ...page.uncaught.map((text) => `uncaught: ${text}`)];
    const programs = await page.evaluate(() => globalThis.programs);
    if (programs !== 1) wrong.push(`${programs - 1} programs died`);
    if (last.done === 0 || last.long === 0 || last.hostile === 0) wrong.push("nothing ran");
    if (last.runs !== 0) wrong.push("runs are left over");
    // Flat: the last third against the second; the first is warming up. A WebAssembly memory never shrinks, so it
    // stands at the most that ever came together by chance: several floods at once.
    const third = Math.floor(looks.length / 3);
    const least = (/** @type {any[]} */ list, /** @type {string} */ name) =>
      Math.min(...list.map((look) => look[name]));
    const most = (/** @type {any[]} */ list, /** @type {string} */ name) => Math.max(...list.map((look) => look[name]));
    const [second, end] = [looks.slice(third, 2 * third), looks.slice(2 * third)];
    if (third > 0) {
      if (least(end, "heap") > least(second, "heap") + 3 * MB) {
        wrong.push(`the heap grew from ${least(second, "heap")} to ${least(end, "heap")} bytes`);
      }
      if (most(end, "wasmBytes") > most(second, "wasmBytes") + 12 * MB) {
        wrong.push(`the WebAssembly memory grew from ${most(second, "wasmBytes")} to ${most(end, "wasmBytes")} bytes`);
      }
    }
    if (last.callbacks !== 0) wrong.push(`${last.callbacks} callbacks are left over`);
    say(JSON.stringify({ ...last.byOutcome, hostile: last.byKind }));
    await page.done();
    return { wrong, last };
  } finally {
    await world.stop();
    await server.close();
  }
}
