/** The types of agui.js, which exports nothing and puts `agui` on globalThis. */
import type {} from "./agui.d.ts";
export {};
