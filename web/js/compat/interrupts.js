"use strict";

/** @param {any} event a RUN_FINISHED */
export function getRunOutcome(event) {
  return event.outcome;
}

/**
 * Whether an interrupt can no longer be answered. A time without a zone is UTC, as everywhere in this runtime.
 * @param {any} interrupt
 * @param {Date} [now]
 */
export function isInterruptExpired({ expiresAt }, now = new Date()) {
  if (typeof expiresAt !== "string") return false;
  const zoned = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(expiresAt) ? `${expiresAt}Z` : expiresAt;
  return new Date(zoned).getTime() <= now.getTime();
}

/**
 * The answers to all open interrupts, in the interrupts' order, as runAgent's `resume` takes them. Throws where an open
 * one is not answered, or an answer is of none.
 * @param {readonly any[]} interrupts
 * @param {Record<string, any>} responses by the interrupts' ids
 */
export function buildResumeArray(interrupts, responses) {
  const open = interrupts.map(({ id }) => id);
  const missing = open.filter((id) => !Object.hasOwn(responses, id));
  if (missing.length > 0) {
    throw new Error(`buildResumeArray: missing responses for open interrupts: ${missing.join(", ")}`);
  }
  const unknown = Object.keys(responses).filter((id) => !open.includes(id));
  if (unknown.length > 0) {
    throw new Error(`buildResumeArray: responses reference unknown interrupt ids: ${unknown.join(", ")}`);
  }
  return open.map((interruptId) => {
    const { status, payload, metadata } = responses[interruptId];
    return {
      interruptId, status,
      ...(status === "resolved" && payload !== undefined ? { payload } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    };
  });
}
