"use strict";

import { protocolVersion } from "aguiwasm";

/** Whether the protocol knows an event's type, chunks included. */
export { isKnownEvent as isRecognizedEvent } from "aguiwasm";

export const PROTOCOL_VERSION = protocolVersion;

/** The types of events, each under its own name. @type {Readonly<Record<string, string>>} */
export const EventType = Object.freeze(Object.fromEntries(AGUI_TYPES.map((type) => [type, type])));
