"use strict";

import { guarded } from "../core/error.js";

/** In the part "line": what came by connecting and waits for the page. */

/**
 * Offers the page the waiting calls of its tools: nothing runs by itself, as its effect might come twice.
 * @param {any} agent
 * @param {import("./internals.js").AgentInternals} internals
 */
export async function offer(agent, internals) {
  const { onPendingTool, kept } = internals;
  if (!onPendingTool || internals.run !== null) return;
  const handled = new Set(internals.tools.filter((tool) => tool.handler).map(({ name }) => name));
  const calls = agent.messages.flatMap((/** @type {any} */ { toolCalls = [] }) => toolCalls)
    .filter((/** @type {any} */ call) => agent.pendingToolCallIds.includes(call.id) && handled.has(call.function.name));
  const keeper = await kept;
  for (const toolCall of calls) {
    const yes = await guarded(onPendingTool, undefined, toolCall, { agent, begun: keeper?.began(toolCall.id) });
    if (yes === true && agent.pendingToolCallIds.includes(toolCall.id)) {
      await agent.approve(toolCall.id).catch(() => {});
    }
  }
}
