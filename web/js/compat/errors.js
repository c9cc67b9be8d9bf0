"use strict";

import { AGUIError } from "aguiwasm";

/** What connecting gives to an agent that cannot connect. */
export class AGUIConnectNotImplementedError extends AGUIError {
  constructor() {
    super("bad_input", "This agent has no connect(): there is no run that it could join.");
  }
}
Object.defineProperty(AGUIConnectNotImplementedError.prototype, "name", {
  value: "AGUIConnectNotImplementedError", configurable: true, writable: true,
});
