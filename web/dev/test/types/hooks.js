// The hooks of the events, apart: steps.js exports a function "then", so that nothing can wait for an import of it.
import "../harness/types.js";

export { EVENT_HOOKS } from "../../../js/agent/steps.js";
