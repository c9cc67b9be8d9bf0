import { AbstractAgent, CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { adapter } from "../ag-ui-client/adapter.js";

// CopilotKit brings an @ag-ui/client of its own, so the agent extends that one's class. No runtime of CopilotKit's is
// asked: the agent talks to its server by itself. (CopilotKit wants a licence key for that in production.)
const Agent = adapter(AbstractAgent);
const agents = { default: new Agent(new agui.HttpAgent()) };

createRoot(/** @type {HTMLElement} */ (document.getElementById("root"))).render(
  <CopilotKitProvider selfManagedAgents={agents}>
    <CopilotChat agentId="default" />
  </CopilotKitProvider>,
);
