"use strict";

// The entry of agui.compat.mjs: all that agui.mjs exports, and the names besides that users of @ag-ui/client 1.0.0
// import. "aguiwasm" is the module beside it, so that both share one runtime.

export * from "aguiwasm";
export { default } from "aguiwasm";
export { EventType, isRecognizedEvent, PROTOCOL_VERSION } from "./events.js";
export { buildResumeArray, getRunOutcome, isInterruptExpired } from "./interrupts.js";
export { compactEvents } from "./compact.js";
export { createDebugLogger, DebugLogger, resolveAgentDebugConfig, resolveDebugLogger } from "./debug.js";
export { FilterToolCallsMiddleware } from "./filter.js";
export { AGUI_METADATA_KEY, contentHasMedia, contentToText, mergeMetadata, randomUUID,
  structuredClone_ } from "./values.js";
export { aggregateTokenUsage } from "./usage.js";
import "./agents.js";
import "./points.js";
export { parseProtoStream, parseSSEStream, runHttpRequest, transformHttpEventStream } from "./http.js";
export { defaultApplyEvents, enforceEvents, transformChunks, verifyEvents } from "./pipeline.js";
export { ACTIVITY_HISTORY_METADATA, authoritativeActivityTypes, withAuthoritativeActivityTypes } from "./activities.js";
export {
  BackwardCompatibility_0_0_39, BackwardCompatibility_0_0_45, BackwardCompatibility_0_0_57, CompatibilityBoundary,
} from "./downgrade.js";
