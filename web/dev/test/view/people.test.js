// People in the loop in the chat, by keyboard alone: answers, approvals, what waits to be sent, second thoughts.
import test from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ask, people, quiet, slow, until } from "../agent/people.js";
import { call, finished, run, started, text } from "../agent/scripted.js";

const { bodies, chat, requests, scripted } = people();

test(
  "the view: status waiting, with a renderer and without, also for a stored thread; a renderer's answer while the run streams", async () => {
  const renderer =
    `{ renderers: { tools: { ask(el, data) { el.textContent = data.status; globalThis.answer = data.respond; } } } }`;
  const url = scripted(slow([started, ...ask("c1"), ...text("m2", "Please choose.").slice(0, 2)],
    [...text("m2", "").slice(-1), finished()]), run(...ask("c2", "m3")), run(...text("a4", "fine")));
  const page = await chat(url, renderer);
  await page.locator("#chat .input").fill("go");
  await page.locator("#chat .input").press("Enter");
  await page.getByText("Please choose.").first().waitFor();
  await page.evaluate(() => { globalThis.answer("blue"); globalThis.answer("twice"); });
  await until(() => bodies(url).length === 2);
  assert.equal(requests(url)[1], "go m1 c1=blue m2");
  await page.getByText("waiting", { exact: true }).waitFor();
  // As answer(): without a run the next words carry it.
  await page.evaluate(() => globalThis.answer(undefined, { error: "none", run: false }));
  await page.locator("#chat .input").fill("more");
  await page.locator("#chat .input").press("Enter");
  await page.getByText("fine").first().waitFor();
  assert.equal(requests(url)[2], "go m1 c1=blue m2 m3 c2=none more");

  const stored = await chat(scripted(),
    `{ initialMessages: [{ id: "u", role: "user", content: "x" }, { id: "m1", role: "assistant", toolCalls: [{ id: "c1", type: "function", function: { name: "ask", arguments: "{}" } }] }] }`);
  await stored.locator("#chat .tool.waiting").waitFor();
  assert.match(await stored.locator("#chat .tool.waiting summary").innerText(), /Waiting for you/);
});

test("the view by keyboard: an approval that the server has forgotten can be left, and the composer is free (R10)",
  async () => {
  const refused = [{ ...started, runId: "r2" }, {
    type: "RUN_ERROR", message: "no such approval", code: "APPROVAL_RESUME_NOT_FOUND",
  }];
  const url = scripted(
    [started, ...call("c1", "delete", "m1", "{}"), finished({
      outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "tool_call", toolCallId: "c1" }] },
    })],
    { status: 409, body: "gone" }, refused, refused, run(...text("a9", "here again")),
  );
  const page = await chat(url);
  const press = async (/** @type {string} */ name) => {
    const button = page.locator("#chat .card").getByRole("button", { name, exact: true });
    await button.waitFor();
    for (let i = 0; i < 20 &&
      !(await button.evaluate((/** @type {any} */ el) => el.getRootNode().activeElement === el)); i++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  };
  await page.locator("#chat .input").focus();
  await page.keyboard.type("go");
  await page.keyboard.press("Enter");
  await press("Approve");
  await until(() => bodies(url).length === 2);
  await page.locator("#chat .card").getByText("Your answer was not accepted.").waitFor();
  await press("Retry");
  await until(() => bodies(url).length === 3);
  assert.deepEqual(bodies(url)[2].resume, bodies(url)[1].resume);
  await press("Dismiss");
  await page.locator("#chat .card").waitFor({ state: "detached" });
  await page.waitForFunction(() =>
    document.querySelector("#chat")?.shadowRoot?.activeElement?.className.includes("input"));
  await page.keyboard.type("hello");
  await page.keyboard.press("Enter");
  await until(() => bodies(url).length === 4);
  assert.deepEqual(bodies(url)[3].resume, [{ interruptId: "i1", status: "cancelled" }]);
  await page.locator("#chat .error").waitFor();
  await page.keyboard.type("again");
  await page.keyboard.press("Enter");
  await page.getByText("here again").first().waitFor();
  assert.equal(bodies(url)[4].resume, undefined);
});

test("the view by keyboard: a waiting call is dismissed", async () => {
  const url = scripted(run(...ask("c1")), run(...text("a2", "well then")));
  const page = await chat(url);
  await page.locator("#chat .input").focus();
  await page.keyboard.type("go");
  await page.keyboard.press("Enter");
  const button = page.locator("#chat .tool.waiting").getByRole("button", { name: "Dismiss" });
  await button.waitFor();
  await button.focus();
  await page.keyboard.press("Enter");
  await page.locator("#chat .tool.dismissed").waitFor();
  assert.equal(bodies(url).length, 1);
  await page.keyboard.type("no");
  await page.keyboard.press("Enter");
  await page.getByText("well then").first().waitFor();
  assert.equal(requests(url)[1], "go m1 c1=dismissed no");
});

test("the view by keyboard: words wait while the agent works, can be taken back, and go out at the end; Stop stays",
  async () => {
  const url = scripted(slow([started, ...text("a1", "thinking")], [finished()], 1500),
    run(...text("a2", "second answer")));
  const page = await chat(url);
  await page.locator("#chat .input").focus();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.locator("#chat .send.stop").waitFor();
  for (const words of ["two", "three"]) {
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
    await page.locator("#chat .queue").getByText(words).waitFor();
  }
  await page.keyboard.type("x");
  await page.locator("#chat .send:not(.stop)").waitFor();
  assert.equal(await page.locator("#chat .send.stop").count(), 1);
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "Remove three" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#chat .queue").getByText("three").waitFor({ state: "detached" });
  await page.getByText("second answer").first().waitFor();
  await quiet(200);
  assert.deepEqual(requests(url), ["one", "one a1 two"]);
  assert.equal(await page.locator("#chat .queue").count(), 0);
});

test(
  "the view by keyboard: a call that needs approval shows its whole arguments; Approve runs it, Reject tells the agent",
  async () => {
  const long = "x".repeat(3000);
  const url = scripted(run(...call("a1", "buy", "m1", JSON.stringify({ n: 1, words: `${long}END` })),
    ...call("a2", "buy", "m1", '{"n":2}')), run(...text("a9", "all done")));
  const page =
    await chat(url,
    `{ tools: [{ name: "buy", description: "", needsApproval: true, handler: ({ n }) => { seen.push(n); return "bought"; } }] }`);
  await page.locator("#chat .input").focus();
  await page.keyboard.type("go");
  await page.keyboard.press("Enter");
  const waiting = page.locator("#chat .tool.waiting");
  await waiting.first().getByRole("button", { name: "Approve" }).waitFor();
  assert.match(await waiting.first().innerText(), /END/);
  assert.match(await waiting.first().innerText(), /Approval needed/);
  assert.deepEqual(await page.evaluate(() => globalThis.seen), []);
  const press = async (/** @type {string} */ name) => {
    const button = waiting.first().getByRole("button", { name, exact: true });
    for (let i = 0; i < 30 &&
      !(await button.evaluate((/** @type {any} */ el) => el.getRootNode().activeElement === el)); i++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  };
  await page.locator("#chat .log").focus();
  await press("Approve");
  await page.locator("#chat .tool.done").waitFor();
  assert.equal(bodies(url).length, 1, "the other call waits");
  await page.locator("#chat .log").focus();
  await press("Reject");
  await page.getByText("all done").first().waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.seen), [1]);
  assert.equal(requests(url)[1], "go m1 a1=bought a2=Rejected by the user");
});

test("the view by keyboard: edit one's message, have the answer made again, switch between the versions", async () => {
  const url = scripted(run(...text("a1", "first answer")), run(...text("a2", "second answer")),
    run(...text("a3", "third answer")));
  const page = await chat(url, "{ messageActions: true }");
  const press = async (/** @type {string} */ name, /** @type {string} */ keys = "Enter") => {
    const button = page.locator("#chat .log").getByRole("button", { name, exact: true }).first();
    await button.waitFor();
    await page.locator("#chat .log").focus();
    for (let i = 0; i < 20 &&
      !(await button.evaluate((/** @type {any} */ el) => el.getRootNode().activeElement === el)); i++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press(keys);
  };
  await page.locator("#chat .input").focus();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.locator("#chat .log").getByText("first answer").waitFor();
  await press("Edit");
  await page.locator("#chat [data-rewrite]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#chat [data-rewrite]").waitFor({ state: "detached" });
  await press("Edit");
  await page.keyboard.type("!");
  await page.keyboard.press("Enter");
  await page.locator("#chat .log").getByText("second answer").waitFor();
  assert.equal(await page.locator("#chat .log").getByText("first answer").count(), 0);
  await press("Regenerate");
  await page.locator("#chat .log").getByText("third answer").waitFor();
  await page.locator("#chat .act-count").first().waitFor();
  if (!process.env.ENGINE) {
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const found = await page.evaluate(
      async () => (await globalThis.axe.run("#chat",
        { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })).violations.map(
          (/** @type {any} */ v) => v.id + v.nodes.map((/** @type {any} */ n) => n.html)));
    assert.deepEqual(found, []);
  }
  assert.match(requests(url)[1], /one/);
  assert.match(requests(url)[1], /!/);
  assert.equal(requests(url)[2], requests(url)[1]);
  await press("Previous version");
  await page.locator("#chat .log").getByText("first answer").waitFor();
  assert.equal(bodies(url).length, 3);
  await page.evaluate(() => {
    globalThis.kept = mounted.agent.clone();
  });
  // In another language.
  await chat(url, '{ lang: "zh-CN", messageActions: true, agent: kept }');
  for (const name of ["修改", "重新生成", "上一个版本"]) {
    await page.locator("#chat .log").getByRole("button", { name, exact: true }).first().waitFor();
  }
});

test("the view by keyboard: an edit while the agent works ends that run; attachments stay, and words that wait come after",
  async () => {
  const long = slow([started, ...text("a1", "long answer").slice(0, 2)],
    [...text("a1", "late").slice(1), finished()], 3000);
  const url = scripted(long, run(...text("a2", "second answer")), run(...text("a3", "third answer")),
    run(...text("a4", "fourth answer")));
  const page = await chat(url, "{ messageActions: true }");
  await page.evaluate(() => {
    void mounted.agent.send(["look", new File(["hi"], "a.png", { type: "image/png" })]);
  });
  await page.locator("#chat .log").getByText("long answer").waitFor();
  await page.locator("#chat .input").focus();
  await page.keyboard.type("later");
  await page.keyboard.press("Enter");
  await page.locator("#chat .queue").getByText("later").waitFor();
  const edit = page.locator("#chat .log").getByRole("button", { name: "Edit", exact: true }).first();
  await edit.waitFor();
  await edit.focus();
  await page.keyboard.press("Enter");
  await page.locator("#chat [data-rewrite]").waitFor();
  await page.keyboard.type(" here");
  await page.keyboard.press("Enter");
  await page.locator("#chat .log").getByText("third answer").waitFor();
  const [first, second, third] = bodies(url).map(({ messages }) => messages.map(({ content }) => content));
  assert.equal(second.length, 1);
  assert.deepEqual(second[0].map(({ text, type }) => text ?? type), ["look here", "image"]);
  assert.deepEqual(second[0][1], first[0][1]);
  assert.deepEqual(third.slice(1), ["second answer", "later"]);
  // Without its words the message is its picture.
  await edit.waitFor();
  await edit.focus();
  await page.keyboard.press("Enter");
  await page.locator("#chat [data-rewrite]").fill(" ");
  await page.keyboard.press("Enter");
  await page.locator("#chat .log").getByText("fourth answer").waitFor();
  assert.deepEqual(bodies(url)[3].messages.map(({ content }) => content), [[first[0][1]]]);
  assert.equal(await page.locator("#chat .error").count(), 0);
});
