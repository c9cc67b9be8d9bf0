"use strict";

import { handled } from "./handlers.js";
import { needsApproval, schemaOf } from "./tools.js";
import { report } from "../core/error.js";
import { uuid } from "../core/ids.js";

/**
 * Offers an agent's tools to the browser's own agents (WebMCP): the same handler, limit and approval. A part: it loads
 * with the first tool that asks for it, where the browser has such agents.
 */

export class Offers {
  #agent;
  #place;
  /** What is offered, and what withdraws it. @type {Map<any, AbortController>} */
  #offered = new Map();

  /**
   * @param {any} agent
   * @param {any} place the browser's modelContext
   */
  constructor(agent, place) {
    this.#agent = agent;
    this.#place = place;
  }

  /**
   * Offers these tools, and withdraws the others.
   * @param {any[]} tools
   */
  set(tools) {
    const wanted = tools.filter(({ webmcp, handler }) => webmcp && handler);
    for (const [tool, controller] of this.#offered) if (!wanted.includes(tool)) this.#withdraw(tool, controller);
    for (const tool of wanted) if (!this.#offered.has(tool)) this.#offer(tool);
  }

  /** @param {any} tool */
  #offer(tool) {
    const controller = new AbortController();
    this.#offered.set(tool, controller);
    const { name, description, webmcp } = tool;
    const inputSchema = schemaOf(tool.parameters, "parameters") ?? { type: "object", properties: {} };
    const offer = {
      name, description, inputSchema, execute: (/** @type {any} */ args, /** @type {any} */ more) =>
        this.#run(tool, args ?? {}, controller.signal, more?.signal),
    };
    const told = webmcp.annotations ? { ...offer, annotations: webmcp.annotations } : offer;
    // Older browsers throw, newer ones reject: of a name that is taken, or a schema that they do not take.
    const failed = (/** @type {unknown} */ thrown) => {
      if (controller.signal.aborted) return;
      this.#offered.delete(tool);
      report(thrown);
    };
    try {
      Promise.resolve(this.#place.registerTool(told, { signal: controller.signal })).catch(failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  /**
   * @param {any} tool
   * @param {AbortController} controller
   */
  #withdraw(tool, controller) {
    this.#offered.delete(tool);
    controller.abort();
    // Before registrations took a signal there was a method.
    if (typeof this.#place.unregisterTool === "function") this.#place.unregisterTool(tool.name);
  }

  /**
   * Runs a tool's handler for the browser's agent.
   * @param {any} tool
   * @param {any} args
   * @param {AbortSignal} withdrawn
   * @param {AbortSignal | undefined} cancelled
   */
  async #run(tool, args, withdrawn, cancelled) {
    const text = JSON.stringify(args);
    const call = { id: uuid(), name: tool.name, arguments: text, message: "" };
    if (tool.available && !tool.available()) throw new Error("The tool is not available now");
    if (needsApproval(call, [tool]) && !globalThis.confirm(`${tool.name}\n\n${JSON.stringify(args, null, 2)}`)) {
      throw new Error("Rejected by the user");
    }
    const toolCall = Object.freeze({
      id: call.id, type: "function", function: Object.freeze({ name: tool.name, arguments: text }),
    });
    const own = new AbortController();
    const stop = () => own.abort();
    for (const signal of [withdrawn, cancelled]) {
      if (signal?.aborted) stop();
      signal?.addEventListener("abort", stop, { once: true, signal: own.signal });
    }
    try {
      return (await handled(tool, JSON.parse(text), { toolCall, signal: own.signal, agent: this.#agent })) ?? "";
    } finally {
      stop();
    }
  }
}
