// What the build gives the scripts of the protocol's event types, for tests that import the scripts' sources: this
// comes before them.

import { readFileSync } from "node:fs";

const source = readFileSync(new URL("../../../../agui/event.go", import.meta.url), "utf8");

export const TYPES = [...source.matchAll(/ Type = "(\w+)"/g)].map(([, type]) => type);

Object.assign(globalThis, { AGUI_TYPES: TYPES });
