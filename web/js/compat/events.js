"use strict";

import { isKnownEvent, protocolVersion } from "aguiwasm";

export const PROTOCOL_VERSION = protocolVersion;

const MESSAGE = ["START", "CONTENT", "END", "CHUNK"];

/** The types of events, each under its own name. @type {Readonly<Record<string, string>>} */
export const EventType = Object.freeze(Object.fromEntries([
  ...MESSAGE.map((part) => `TEXT_MESSAGE_${part}`),
  ...["START", "ARGS", "END", "CHUNK", "RESULT"].map((part) => `TOOL_CALL_${part}`),
  "STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "RAW", "CUSTOM",
  "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED",
  "REASONING_START", ...MESSAGE.map((part) => `REASONING_MESSAGE_${part}`), "REASONING_END",
  "REASONING_ENCRYPTED_VALUE",
  "SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR",
].map((type) => [type, type])));

/** Whether the protocol knows an event's type, chunks included. @param {any} event */
export function isRecognizedEvent(event) {
  return isKnownEvent(event) || Object.hasOwn(EventType, event?.type);
}
