"use strict";

// What agui.js shares with its parts (parts.js): a part is built without these modules and gets these very names from
// the running script, so that there is one AGUIError and one queue on a page. What a part needs more of is named here.
// Only lists of names: the build reads them. An object, not a namespace: a bundler's helper for those walks into what a
// page has put on Object.prototype.

import { call, member } from "./dom.js";
import { AGUIConnectNotImplementedError, AGUIError, because, guarded, isOurs, report, say } from "./error.js";
import { IDLE } from "./connection.js";
import { live } from "./live.js";
import { ask } from "./needs.js";
import { partialObject } from "../agent/partial.js";
import { called, drain, inside, renders } from "../agent/internals.js";
import { answer } from "../agent/people.js";
import { startRun } from "../agent/run.js";
import { checkParameters } from "../agent/config.js";
import { kindOf } from "../api/input.js";
import { each, hookOf, Hooks, isThenable } from "../agent/hooks.js";
import { Execution } from "./execution.js";
import { isDefault, requestHeaders } from "./headers.js";
import { pairs } from "../api/options.js";
import { request, settle } from "../api/run.js";
import { TYPES } from "../api/known.js";
import { contentOf } from "../agent/files.js";
import { freeze } from "./mirror.js";
import { uuid } from "./ids.js";
import { needsApproval, resultContent, schemaOf, truth } from "../agent/tools.js";

export const kit = {
  call, member, AGUIConnectNotImplementedError, AGUIError, because, guarded, isOurs, report, say, IDLE, live, ask,
  partialObject, called, drain, inside, renders, answer, startRun, checkParameters, kindOf, each, hookOf, Hooks,
  isThenable, Execution, isDefault, requestHeaders, pairs, request, settle, TYPES, contentOf, freeze, uuid,
  needsApproval, resultContent, schemaOf, truth,
};
