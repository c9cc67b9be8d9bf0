import { EventType, HttpAgent } from "@ag-ui/client";
import {
  CopilotChat, CopilotKitProvider, useFrontendTool, useHumanInTheLoop, useInterrupt,
} from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { of } from "rxjs";
import { z } from "zod";

// alias.json answers the import of "@ag-ui/client" with "aguiwasm/compat", CopilotKit's own imports of it too: its
// agents, middleware and helpers are this runtime's. No runtime of CopilotKit's is asked.

/** Connects to a thread that it has kept, as an agent with a store of its own does. */
class KeptAgent extends HttpAgent {
  /** @param {any} input @returns {any} */
  connect({ threadId, runId }) {
    return of(
      { type: EventType.RUN_STARTED, threadId, runId },
      { type: EventType.MESSAGES_SNAPSHOT, messages: [{ id: "kept", role: "assistant", content: "This was kept." }] },
      { type: EventType.RUN_FINISHED, threadId, runId },
    );
  }
}

/** @type {any} CopilotKit's types are of another version of @ag-ui/client */
const agents = { default: new KeptAgent({ url: "/agent" }) };

function Tools() {
  useFrontendTool({
    name: "get_time", description: "The time on this page", parameters: z.object({}),
    handler: async () => "12:34",
  });
  useHumanInTheLoop({
    name: "choose", description: "Asks the person", parameters: z.object({}),
    render: ({ status, respond }) => (status === "executing" && respond
      ? <button id="choose" onClick={() => respond("left")}>Left</button> : <span>{status}</span>),
  });
  useInterrupt({
    render: ({ interrupt, resolve }) => (
      <div>
        <p id="question">{interrupt?.message}</p>
        <button id="yes" onClick={() => resolve({ approved: true })}>Yes</button>
      </div>
    ),
  });
  return null;
}

function Page() {
  const [thread, setThread] = useState("first");
  return (
    <CopilotKitProvider selfManagedAgents={agents}>
      <Tools />
      <button id="other" onClick={() => setThread("second")}>Another thread</button>
      <CopilotChat agentId="default" threadId={thread} />
    </CopilotKitProvider>
  );
}

createRoot(/** @type {HTMLElement} */ (document.getElementById("root"))).render(<Page />);
