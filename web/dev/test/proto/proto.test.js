// The protobuf encoding against its oracle, @ag-ui/proto 1.0.0.
// UPDATE=1 writes the samples of the native test anew.
import test from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { root } from "../harness/static.js";
import { carried, events, samples, wire } from "./samples.js";

const file = `${root}agui/proto/testdata/samples.json`;

test("the samples of the native test are what the oracle makes of them", () => {
  for (const event of events) assert.ok(wire(event), `their encoder does not take ${JSON.stringify(event).slice(0, 80)}`);
  assert.equal(new Set(events.map((event) => event.type)).size, 31);
  assert.ok(carried().length > 100, `${carried().length} events of the conformance cases`);
  const text = `[\n${samples().map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
  if (process.env.UPDATE) writeFileSync(file, text);
  assert.equal(readFileSync(file, "utf8"), text, "run UPDATE=1 node --test web/dev/test/proto/proto.test.js");
});
