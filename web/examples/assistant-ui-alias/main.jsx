import { HttpAgent } from "@ag-ui/client";
import {
  AssistantRuntimeProvider, ComposerPrimitive, fromThreadMessageLike, makeAssistantTool, MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import { useAgUiInterrupts, useAgUiRuntime, useAgUiSubmitInterruptResponses } from "@assistant-ui/react-ag-ui";
import { createRoot } from "react-dom/client";
import { from, map } from "rxjs";
import { z } from "zod";

// alias.json answers the import of "@ag-ui/client" with "aguiwasm/compat", assistant-ui's own imports of it too: its
// agent and helpers are this runtime's.

/** @type {any} assistant-ui's types are of another version of @ag-ui/client */
const agent = new HttpAgent({ url: "/agent" });
// To assistant-ui a run of outcome "success" has ended for good, tools of the page that wait or not.
agent.use((/** @type {any} */ input, /** @type {any} */ next) => from(next.run(input)).pipe(
  map((/** @type {any} */ event) => (event.outcome?.type === "success" ? { ...event, outcome: undefined } : event))));

/** A thread that was kept before this page. @type {any} */
const history = {
  async load() {
    const message = fromThreadMessageLike({ id: "kept", role: "assistant", content: "This was kept." }, "kept",
      { type: "complete", reason: "stop" });
    return { headId: "kept", messages: [{ parentId: null, message }] };
  },
  async append() {},
};

const Time = makeAssistantTool({
  toolName: "get_time", type: "frontend", description: "The time on this page", parameters: z.object({}),
  execute: async () => "12:34",
});

const Choose = makeAssistantTool({
  toolName: "choose", type: "human", description: "Asks the person", parameters: z.object({}),
  render: ({ result, addResult }) => (result === undefined
    ? <button id="choose" onClick={() => addResult("left")}>Left</button> : <span>{String(result)}</span>),
});

function Interrupts() {
  const interrupts = useAgUiInterrupts();
  const answer = useAgUiSubmitInterruptResponses();
  return interrupts.map(({ id, message }) => (
    <div key={id}>
      <p id="question">{message}</p>
      <button id="yes" onClick={() => answer([{ interruptId: id, status: "resolved", payload: { approved: true } }])}>
        Yes
      </button>
    </div>
  ));
}

const Message = () => <MessagePrimitive.Root><MessagePrimitive.Parts /></MessagePrimitive.Root>;

function Page() {
  const runtime = useAgUiRuntime({ agent, adapters: { history } });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Time />
      <Choose />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message }} />
        <Interrupts />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(/** @type {HTMLElement} */ (document.getElementById("root"))).render(<Page />);
