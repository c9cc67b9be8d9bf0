"use strict";

/** The event types of AG-UI 1.0: the build takes them from agui/event.go. */
export const TYPES = AGUI_TYPES;

const KNOWN = new Set(TYPES);

/**
 * Whether an event is of a type that the protocol knows.
 * @param {any} event
 */
export function isKnownEvent(event) {
  return typeof event === "object" && event !== null && KNOWN.has(event.type);
}
