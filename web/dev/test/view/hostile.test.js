// What strangers can put into a page beside the chat or through it: markup, files, events of the page's own renderers,
// ids.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { chatPage, start } from "./chat.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let world;
before(async () => {
  world = await start();
});
after(() => world?.stop());

const head = '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">';
const script = '<script src="/agui.js"></script>';

/** Shows interrupts in #chat and gives what the answers were. */
const ask = (page, interrupts, events = []) => page.evaluate(async ([list, more]) => {
  chat.reply = async () => new Response(
    T.sse(T.started, ...(chat.bodies.length === 1
      ? [...more, { ...T.finished, outcome: { type: "interrupt", interrupts: list } }] : [T.finished])),
      { headers: { "content-type": "text/event-stream" } });
  await chat.agent.send("go").catch(() => {});
  await T.until(() => chat.root.querySelector(".card") || !list.length, 50);
}, [interrupts, events]);
const answers = (page) => page.evaluate(async () => {
  await T.sleep(150);
  return chat.bodies.slice(1).map((body) => body.resume);
});

test("files that are alike at both ends have their own bytes", async () => {
  const page = await chatPage(world, { options: null, policy: false }); // fetch may read blob: addresses
  const got = await page.evaluate(async () => {
    const data = (n) => btoa(`${"a".repeat(90)} number ${n} ${"b".repeat(90)}`);
    await chat.open({
      initialMessages: [1, 2].map((n) => ({
        id: `u${n}`, role: "user", content: [{
          type: "document", source: { type: "data", value: data(n), mimeType: "text/plain" },
          metadata: { filename: `${n}.txt` },
        }],
      })),
    });
    return Promise.all([...chat.root.querySelectorAll("a[download]")].map(async (a) =>
      `${a.download}:${(await (await fetch(a.href)).text()).match(/number \d/)}`));
  });
  assert.deepEqual(got, ["1.txt:number 1", "2.txt:number 2"]);
  await page.done();
});

test("what happens inside a renderer is the page's", async () => {
  const page = await chatPage(world, { options: null });
  await page.evaluate(() => chat.open({ renderers: { activities: { form(el) {
    el.innerHTML = '<form><textarea></textarea><button>ok</button></form><form class="card" data-id="i"><button data-do="submit" data-id="i">s</button></form><input class="picker" type="file">' +
      '<button data-do="yes" data-id="i">free prize</button><a data-do="cancel" data-id="i"><b>x</b></a><button data-do="send">y</button><div class="code"><pre>z</pre><button data-do="copy">c</button></div>';
    for (const form of el.querySelectorAll("form")) form.addEventListener("submit", (e) => e.preventDefault());
  } } } }));
  await ask(page, [{ id: "i", reason: "confirmation", message: "Delete all?" }], [{
    type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "form", content: {},
  }]);
  const got = await page.evaluate(async () => {
    const host = document.querySelector("#chat");
    const input = chat.root.querySelector(".input");
    input.value = "a draft";
    const n = chat.bodies.length;
    for (const el of host.querySelectorAll("button, a, b")) el.click();
    const transfer = new DataTransfer();
    transfer.items.add(new File(["x"], "secret.txt"));
    const prevented = [];
    for (const type of ["paste", "dragenter", "dragover", "drop"]) {
      const event = type === "paste"
        ? new ClipboardEvent(type, { clipboardData: transfer, bubbles: true, cancelable: true, composed: true })
        : new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true, composed: true });
      host.querySelector("textarea").dispatchEvent(event);
      if (event.defaultPrevented) prevented.push(type);
    }
    const picker = host.querySelector(".picker");
    picker.files = transfer.files;
    picker.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
    host.querySelector("textarea")
      .dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true, composed: true }));
    await T.sleep(200);
    return {
      sent: chat.bodies.length - n, files: chat.root.querySelectorAll(".file-name").length, prevented,
      draft: input.value, cards: chat.root.querySelectorAll(".card:not(.answered)").length,
    };
  });
  assert.deepEqual(got, { sent: 0, files: 0, prevented: [], draft: "a draft", cards: 1 });
  await page.locator("#chat .card [data-do=yes]").click(); // the chat's own does it
  assert.deepEqual(await answers(page), [[{ interruptId: "i", status: "resolved", payload: { approved: true } }]]);
  await page.done();
});

test("a language that is none, and one in another form, draw a question with a time", async () => {
  for (const [lang, words] of [["en_US", "Approve"], ["zh_CN", "批准"], ["x", "Approve"], ["en-US.UTF-8", "Approve"],
    ["no language", "Approve"]]) {
    const page = await chatPage(world, { lang });
    await ask(page, [{ id: "i", reason: "tool_call", toolCallId: "c", expiresAt: "2999-01-01T00:00:00Z" }],
      [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "n" }, { type: "TOOL_CALL_END", toolCallId: "c" }]);
    const shown = await page.locator("#chat .card").innerText();
    assert.match(shown, /2999/, lang);
    assert.ok(shown.includes(words), `${lang}: ${shown}`);
    assert.deepEqual(page.uncaught, []);
    await page.done();
  }
});

test("a sandboxed frame that may not send forms answers a form", async () => {
  const inner = world.site.put(`${head}${script}<div id="chat"></div>`);
  const page = await world.page({
    html: `${head}<iframe sandbox="allow-scripts allow-same-origin" src="${inner}"></iframe>`,
  });
  const got = await page.evaluate(async () => {
    const frame = document.querySelector("iframe");
    await T.until(() => frame.contentWindow.agui, 0);
    const bodies = [];
    const { agui, Response } = frame.contentWindow;
    const handle = agui.mount("#chat", { url: "/agent", fetch: async (_, init) => {
      bodies.push(JSON.parse(init.body));
      const end = bodies.length === 1
        ? { ...T.finished, outcome: { type: "interrupt",
        interrupts: [{ id: "i", reason: "input_required", responseSchema: { type: "object", required: ["a"],
          properties: { a: { type: "string" }, b: { type: "string" } } } }] } } : T.finished;
      return new Response(T.sse(T.started, end), { headers: { "content-type": "text/event-stream" } });
    } });
    await handle.ready;
    await handle.agent.send("go");
    const root = frame.contentDocument.querySelector("#chat").shadowRoot;
    await T.until(() => root.querySelector(".card"), 50);
    root.querySelector(".card [data-field]").value = "words";
    root.querySelector(".card [data-do=submit]").click();
    await T.until(() => bodies.length === 2, 0);
    return bodies[1].resume;
  });
  assert.deepEqual(got, [{ interruptId: "i", status: "resolved", payload: { a: "words" } }]);
  await page.done();
});

test("Enter in the comment of a yes or no says neither", async () => {
  const page = await chatPage(world);
  await ask(page, [{
    id: "i", reason: "confirmation", message: "?", responseSchema: {
      type: "object", properties: { reject: { type: "boolean" }, comment: { type: "string" } },
    },
  }]);
  await page.locator("#chat .card input").fill("but why");
  await page.locator("#chat .card input").press("Enter");
  assert.deepEqual(await answers(page), []);
  await page.locator("#chat .card [data-do=no]").click();
  assert.deepEqual(await answers(page), [[{
    interruptId: "i", status: "resolved", payload: { reject: true, comment: "but why" },
  }]]);
  await page.done();
});

test("two questions of one id are answered together", async () => {
  const page = await chatPage(world);
  await ask(page, [{ id: "an id", reason: "confirmation", message: "one" }, {
    id: "an id", reason: "confirmation", message: "two",
  }]);
  const card = page.locator("#chat .card");
  assert.equal(await card.count(), 1);
  assert.match(await card.innerText(), /one[\s\S]*two/);
  assert.equal(await page.evaluate(() => {
    const form = chat.root.querySelector(".card");
    return chat.root.getElementById(form.getAttribute("aria-labelledby")).textContent;
  }), "one");
  await card.locator("[data-do=yes]").click();
  assert.deepEqual(await answers(page), [[{ interruptId: "an id", status: "resolved", payload: { approved: true } }]]);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("places to mount: drawn, or a TypeError at the call", async () => {
  const page = await world.page({
    html: `${head}${script}<iframe src="${world.site.put(`${head}<div id="there"></div>`)}"></iframe><form id="form"></form><button id="button"></button><input id="input"><table id="table"></table><div id="closed"></div><p id="p">Please wait.</p><x-y id="xy"></x-y>`,
  });
  const got = await page.evaluate(async () => {
    const of = async (target) => {
      try {
        const handle = agui.mount(target, { url: "/agent" });
        await handle.ready;
        const host = typeof target === "string" ? document.querySelector(target) : target;
        const shown = getComputedStyle(host.shadowRoot.querySelector(".chat")).display;
        handle.unmount();
        return shown;
      } catch (thrown) {
        return `${thrown.name}: ${thrown.message.slice(0, 40)}`;
      }
    };
    await T.until(() => document.querySelector("iframe").contentDocument?.querySelector("#there"), 0);
    document.querySelector("#closed").attachShadow({ mode: "closed" });
    const out = {};
    for (const id of ["form", "button", "input", "table", "closed", "p", "xy"]) out[id] = await of(`#${id}`);
    out.frame = await of(document.querySelector("iframe").contentDocument.querySelector("#there"));
    out.nowhere = await of(new DOMParser().parseFromString("<div></div>", "text/html").querySelector("div"));
    out.detached = await of(document.createElement("div"));
    return out;
  });
  for (const id of ["form", "button", "input", "table", "closed", "nowhere"]) {
    assert.match(got[id], /^TypeError: mount: /, id);
  }
  for (const id of ["p", "xy", "frame"]) assert.equal(got[id], got.p, id);
  assert.match(got.p, /^(flex|grid|block)$/);
  assert.doesNotMatch(got.detached, /Error/);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

const members = ["currentScript", "createElement", "createTextNode", "body", "head", "forms", "documentElement",
  "querySelector", "querySelectorAll", "addEventListener", "readyState", "activeElement", "baseURI", "defaultView",
  "ownerDocument", "adoptedStyleSheets", "getElementById", "location", "cookie", "URL"];
const clobbered = members.map((name) =>
  `<img name="${name}" alt="" data-wasm="/hacked.wasm" data-url="/hacked"><form name="${name}"></form>`).join("") +
  ["setImmediate", "fetch", "agui", "fs", "process", "path", "Go", "MessageChannel",
  "performance"].map((name) => `<a id="${name}"></a><a id="${name}" href="x:y">.</a>`).join("");

test("markup that takes the names of a document's members changes nothing", async () => {
  const asked = [];
  world.site.override("/hacked.wasm", (_, response) => (asked.push(1), response.writeHead(404).end()));
  const page = await world.page({
    html: `${head}<body><div>${clobbered}</div>${script}<div id="chat" data-agui="/agent"></div></body>`,
  });
  const got = await page.evaluate(async () => {
    await agui.ready;
    const find = Document.prototype.querySelector;
    const host = find.call(document, "#chat");
    await T.until(() => host.shadowRoot?.querySelector(".chat"), 0);
    const second = Document.prototype.createElement.call(document, "div");
    host.after(second);
    const handle = agui.mount(second, {
      url: "/a", fetch: async () => new Response(
        T.sse(T.started, ...T.text("m", "hello"),
          { ...T.finished, outcome: { type: "interrupt",
            interrupts: [{ id: "i", reason: "confirmation", message: "?" }] } }),
              { headers: { "content-type": "text/event-stream" } }), renderers: { tools: {}, activities: {} },
    });
    await handle.ready;
    await handle.agent.send("x");
    await T.until(() => second.shadowRoot.querySelector(".card"), 50);
    return second.shadowRoot.querySelector(".assistant").textContent;
  });
  assert.match(got, /hello/);
  assert.deepEqual(asked, []);
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("configured headers go to the configured origin alone; a page says what it mounts", async () => {
  const other = await start();
  try {
    const seen = [];
    for (const [name, site] of [["own", world.site], ["other", other.site]]) {
      site.override("/agent", (request, response) => {
        const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
        if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
        seen.push(`${name} ${request.headers.authorization}`);
        response.writeHead(200, { ...cors, "content-type": "text/event-stream" })
          .end(
          'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\ndata: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n\n');
      });
    }
    const there = `${other.site.origin}/agent`;
    const divs =
      `<div id="mine" data-agui="/agent"></div><div class="comment"><div id="theirs" data-agui="${there}"></div></div>`;
    const say = async (page, id) => {
      await page.locator(`#${id} .input`).fill("hi");
      await page.locator(`#${id} .input`).press("Enter");
      await page.waitForFunction((each) => document.querySelector(`#${each}`).shadowRoot.querySelector(".user"), id);
      await page.waitForTimeout(300);
    };
    for (const configured of ['url: "/agent", ', "", `url: "${there}", `]) {
      seen.length = 0;
      const page = await world.page({
        html: `${head}${script}<script>agui.configure({ ${configured}headers: { Authorization: "Bearer SECRET" } })</script>${divs}`,
      });
      await say(page, "mine");
      await say(page, "theirs");
      const away = configured.includes("http");
      assert.deepEqual(seen, [`own ${away ? undefined : "Bearer SECRET"}`,
        `other ${away ? "Bearer SECRET" : undefined}`], configured);
      seen.length = 0;
      // What the page's own script names: with headers of its own, and without.
      await page.evaluate(async (url) => {
        for (const options of [{ url }, { url, headers: { authorization: "own" } }]) {
          await new Promise((end) => agui.run({}, options).subscribe({ error: end, complete: end }));
          await new agui.HttpAgent(options).runAgent();
        }
      }, there);
      // no place is configured: the script names it
      const default_ = configured === "" || away ? "Bearer SECRET" : undefined;
      assert.deepEqual(seen, [default_, default_, "own", "own"].map((value) => `other ${value}`), configured);
      await page.done();
    }
    for (const [tag, want] of [['data-mount="none"', []], ['data-mount="#mine"', ["mine"]],
      ['data-mount="main > div"', []], ['data-mount="!"', []], ['data-mount="#element"', ["element"]],
      ["", ["mine", "theirs", "element"]]]) {
      const element = `<agui-chat id="element" url="${there}"></agui-chat>`;
      const page = await world.page({ html: `${head}<script src="/agui.js" ${tag}></script>${divs}${element}` });
      await page.evaluate(() => agui.ready);
      await page.waitForTimeout(200);
      assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("[data-agui],agui-chat")]
        .filter((each) => each.shadowRoot).map((each) => each.id)), want, tag);
      await page.done();
    }
  } finally {
    await other.stop();
  }
});

test("HTML of the agent in a page's renderer mounts nothing, whatever it declares", async () => {
  const page = await chatPage(world, { options: null });
  const got = await page.evaluate(async () => {
    const asked = [];
    const { fetch } = globalThis;
    globalThis.fetch = (url, init) => asked.push(String(url)) && fetch(url, init);
    const show = (el, { content, result }) => {
      el.innerHTML = content?.html ?? result ?? "";
    };
    const beside = Object.assign(document.createElement("div"), { id: "beside" });
    const evil = (id) =>
      `<section slot="x"><div id="${id}" data-agui="/evil"><p data-agui="/evil"></p></div>
       <agui-chat url="/evil"></agui-chat></section>`;
    await chat.open({ renderers: { activities: { card: show }, tools: { look: show } } });
    chat.reply = async () => new Response(T.sse(T.started,
      { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "card", content: { html: evil("first") } },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look" }, { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: evil("second") },
      { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "card", content: { html: evil("third") } },
      T.finished),
      { headers: { "content-type": "text/event-stream" } });
    await chat.agent.send("go");
    await T.until(() => document.querySelector("#second") && document.querySelector("#third"), 50);
    const inside = document.querySelectorAll("#chat [data-agui], #chat agui-chat").length;
    // What the page declares beside it is mounted.
    beside.setAttribute("data-agui", "/agent");
    const element = Object.assign(document.createElement("agui-chat"), { id: "element", url: "/agent" });
    document.body.append(beside, element);
    await T.until(() => beside.shadowRoot && customElements.get("agui-chat") && element.shadowRoot, 50);
    return {
      inside, mounted: [...document.querySelectorAll("[data-agui], agui-chat")].filter((el) => el.shadowRoot)
        .map((el) => el.id), asked,
    };
  });
  assert.deepEqual(got, { inside: 6, mounted: ["beside", "element"], asked: [] });
  assert.deepEqual(page.uncaught, []);
  await page.done();
});

test("the button that loads a picture names the host that is asked", async () => {
  const page = await chatPage(world);
  const urls = ["https://good.example\\@evil.example/x.png", "https:/evil.example/x.png", "https:evil.example/x.png",
    "https:\\\\evil.example/x.png", "//evil.example/x.png", "\\\\evil.example\\x.png",
    "https://good.example%2f@evil.example/x.png", `https://${"good.example.".repeat(12)}evil.example/x.png`,
    "https://evil.example:8443/good.example/x.png", "https://EVIL.example/x.png", "https://ev\til.example/x.png",
    "ht\ntps://evil.example/x.png"];
  const got = await page.evaluate(async (list) => {
    chat.reply = async () => new Response(
      T.sse(T.started, { type: "MESSAGES_SNAPSHOT",
        messages: [{ id: "u", role: "user",
          content: list.map((value) => ({ type: "image", source: { type: "url", value } })) }] }, T.finished),
            { headers: { "content-type": "text/event-stream" } });
    await chat.agent.runAgent();
    await T.sleep(200);
    return [...chat.root.querySelectorAll("button.load")].map((button) =>
      [button.textContent, new URL(button.dataset.id, document.baseURI).host]);
  }, urls);
  assert.ok(got.length >= 6, `${got.length} buttons`);
  for (const [words, host] of got) assert.ok(words.endsWith(host.slice(-60)), `${words} asks ${host}`);
  await page.done();
});
