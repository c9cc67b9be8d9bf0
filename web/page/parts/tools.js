"use strict";

/**
 * What the page offers to an agent: two tools that run here. The build records a run with them
 * (web/dev/demo/record.go), so names and parameters stand in both places.
 */
export const tools = [
  {
    name: "set_accent_color",
    description: "Colours the page's buttons and marks.",
    parameters: {
      type: "object",
      properties: { color: { type: "string", enum: ["blue", "green", "purple", "orange"] } },
      required: ["color"],
    },
    /** @param {any} args */
    handler(args) {
      const color = String(args?.color);
      if (!["blue", "green", "purple", "orange"].includes(color)) throw new Error(`no such colour: ${color}`);
      document.documentElement.dataset.accent = color;
      return "done";
    },
  },
  {
    name: "get_page_facts",
    description: "Tells the page's language, width and colour scheme.",
    parameters: { type: "object", properties: {} },
    handler() {
      return JSON.stringify({
        language: document.documentElement.lang, width: innerWidth,
        scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
      });
    },
  },
];
