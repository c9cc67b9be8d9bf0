// What answers hold beside plain Markdown: formulas and code that the page draws, tags, footnotes, directions.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

const ANSWER = `Die Fläche ist \\(\\pi r_1^2\\) und

\\[
\\frac{a}{b}
- c
\\]

مرحبا بالعالم

\`\`\`mermaid
graph
\`\`\`

H<sub>2</sub>O, <kbd>Ctrl</kbd>, a note[^1] and \\(broken\\).

| a | b |
|---|---|
| one<br>two | \\(y\\) |

<details>
<summary>Why</summary>

Because.

</details>

![dot](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)

[^1]: The note.
`;

test("the page draws formulas and code, each once, and the rest of an answer is shown", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(async (/** @type {string} */ content) => {
    const { chat } = globalThis;
    globalThis.drawn = [];
    globalThis.addEventListener("error", (e) => e.preventDefault());
    const note = (/** @type {any} */ el, /** @type {any} */ data, /** @type {string} */ words) => {
      globalThis.drawn.push([el.childElementCount, data]);
      el.append(Object.assign(document.createElement("i"), { textContent: words }));
    };
    await chat.open({
      initialMessages: [{ id: "m", role: "assistant", content }, { id: "u", role: "user", content: "a\nمرحبا" }],
      renderers: {
        math(/** @type {any} */ el, /** @type {any} */ data) {
          if (data.text === "broken") throw new Error("no TeX");
          note(el, data, `[${data.text.trim()}]`);
        },
        code: { mermaid: (/** @type {any} */ el, /** @type {any} */ data) => note(el, data, "a graph") },
      },
    });
    chat.agent.addMessage({ id: "n", role: "assistant", content: "more" });
    await chat.frames(4);
  }, ANSWER);
  assert.deepEqual(await page.evaluate(() => globalThis.drawn), [
    [0, { text: "\\pi r_1^2", display: false }], [0, { text: "\n\\frac{a}{b}\n- c\n", display: true }],
    [0, { code: "graph\n", language: "mermaid" }], [0, { text: "y", display: false }],
  ]);
  assert.deepEqual(await page.evaluate(() => globalThis.chat.root.querySelector(".md").innerText.includes("(broken")
    && [...document.querySelectorAll("#chat > [slot]")].map((el) => el.textContent)),
  ["[\\pi r_1^2]", "[\\frac{a}{b}\n- c]", "a graph", "[y]"]);
  assert.deepEqual(await page.evaluate(() => [...globalThis.chat.root.querySelectorAll(".md > p")]
    .map((p) => getComputedStyle(p).direction).slice(0, 4)), ["ltr", "ltr", "rtl", "ltr"]);
  assert.equal(await page.evaluate(() => globalThis.chat.root.querySelector("img").naturalWidth), 1);
  if (process.env.SHOTS) {
    for (const [width, scheme] of [[900, "light"], [340, "dark"]]) {
      await page.setViewportSize({ width, height: 1000 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${process.env.SHOTS}/texts-${scheme}.png` });
    }
  }
  await page.evaluate(() => globalThis.chat.unmount());
  assert.equal(await page.locator("#chat > *").count(), 0);
  await page.done();
});
