"use strict";

import { Middleware, Observable } from "aguiwasm";
import { contentToText } from "./values.js";

/** @param {string} text */
function warn(text) {
  /** @type {any} */
  const { process } = globalThis;
  if (!process?.env?.SUPPRESS_TRANSFORMATION_WARNINGS) console.warn(`agui: ${text}`);
}

/** @param {any} value */
const ownerless = ({ subagentRunId: _, ...rest }) => rest;

/**
 * For agents up to 0.0.39: content is a text, and no run has a parent. What they cannot take is left out with a
 * warning.
 */
export class BackwardCompatibility_0_0_39 extends Middleware {
  /** @param {any} input @param {any} next @returns {any} */
  run({ parentRunId: _, ...input }, next) {
    return this.runNext({ ...input, messages: input.messages.map(flat) }, next);
  }
}

/** @param {any} message */
function flat(message) {
  const { content } = message;
  if (content === undefined) return { ...message, content: "" };
  // What is malformed is no media: the run says what is wrong with it.
  const malformed = (/** @type {any} */ part) => part?.type === "text" && typeof part.text !== "string";
  if (!Array.isArray(content) || content.some(malformed)) return message;
  const lost = content.filter((part) => part?.type !== "text").map((part) => part?.type);
  if (lost.length > 0) warn(`An agent of 0.0.39 or before takes no ${lost.join(", ")}; these parts are not sent.`);
  return { ...message, content: contentToText(content.filter((part) => part?.type === "text")) };
}

/** For agents up to 0.0.45. Retired shapes are translated for every agent, so that there is nothing to do. */
export class BackwardCompatibility_0_0_45 extends Middleware {
  /** @param {any} input @param {any} next @returns {any} */
  run(input, next) {
    return this.runNext(input, next);
  }
}

/** Retired shapes are translated for every agent, so that there is nothing to do. */
export class CompatibilityBoundary extends BackwardCompatibility_0_0_45 {}

/** For agents up to 0.0.57, which know no subagents: nothing says whose it is, and subagents' events are left out. */
export class BackwardCompatibility_0_0_57 extends Middleware {
  /** @param {any} input @param {any} next @returns {any} */
  run(input, next) {
    const events = this.runNext({ ...input, messages: input.messages.map(ownerless) }, next);
    return mapped(events, (event) => {
      if (event.type.startsWith("SUBAGENT_")) {
        warn(`${event.type} is left out: the agent is said to be of 0.0.57 or before, which knows no subagents.`);
        return undefined;
      }
      const own = ownerless(event);
      if (Array.isArray(own.messages)) own.messages = own.messages.map(ownerless);
      if (Array.isArray(own.input?.messages)) own.input = { ...own.input, messages: own.input.messages.map(ownerless) };
      if (Array.isArray(own.outcome?.interrupts)) {
        own.outcome = { ...own.outcome, interrupts: own.outcome.interrupts.map(ownerless) };
      }
      return own;
    });
  }
}

/** An agent that is said to be older than 1.0.0 is not told a version that it might refuse. */
export class Versionless extends Middleware {
  /** @param {any} input @param {any} next @returns {any} */
  run({ protocolVersion: _, ...input }, next) {
    return next.run(input);
  }
}

/** @param {any} source @param {(event: any) => any} f undefined leaves an event out */
function mapped(source, f) {
  return new Observable((observer) => {
    const subscription = source.subscribe({
      next: (/** @type {any} */ event) => {
        const made = f(event);
        if (made !== undefined) observer.next(made);
      },
      error: (/** @type {unknown} */ error) => observer.error(error),
      complete: () => observer.complete(),
    });
    return () => subscription.unsubscribe();
  });
}

/** The numbers of a version; null: it has none. @param {unknown} version */
function numbers(version) {
  const isVersion = typeof version === "string" && /^\d+\.\d+\.\d+/.test(version);
  return isVersion ? version.split(/[.+-]/, 3).map(Number) : null;
}

/**
 * Whether a version is at most another.
 * @param {readonly number[]} version
 * @param {readonly number[]} other
 */
function atMost(version, other) {
  const at = version.findIndex((n, i) => n !== other[i]);
  return at < 0 || version[at] < other[at];
}

/**
 * What stands around an agent that speaks at most a version.
 * @param {unknown} ceiling
 * @returns {any[]}
 */
export function downgrades(ceiling) {
  const version = numbers(ceiling);
  if (version === null || !atMost(version, [0, 9999, 0])) return [];
  return [
    ...(atMost(version, [0, 0, 57]) ? [new BackwardCompatibility_0_0_57()] : []),
    ...(atMost(version, [0, 0, 39]) ? [new BackwardCompatibility_0_0_39()] : []),
    new Versionless(),
  ];
}
