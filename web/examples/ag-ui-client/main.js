import { AbstractAgent } from "@ag-ui/client";
import { adapter } from "./adapter.js";

const Agent = adapter(AbstractAgent);
const agent = new Agent(new agui.HttpAgent());
const answer = /** @type {HTMLElement} */ (document.getElementById("answer"));

/** @type {any} */ (document.getElementById("ask")).onclick = async () => {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "Answer in chunks" });
  const { newMessages } = await agent.runAgent({}, {
    onTextMessageContentEvent: ({ textMessageBuffer }) => { answer.textContent = textMessageBuffer; },
    onRunFailed: ({ error }) => { answer.textContent = error.message; },
  });
  answer.textContent = newMessages.map((message) => message.content).join("\n");
  answer.dataset.done = "true";
};
