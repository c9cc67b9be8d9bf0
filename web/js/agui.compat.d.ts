// The names besides those of agui.mjs that users of @ag-ui/client import (web/docs/migration.md has a table of all of
// them).
import {
  AGUICustomEvent, AGUIError, AgentSubscriber, ContentPart, DebugConfig, Interrupt, MediaPart, Metadata, Middleware,
  NextAgent, Outcome, ResumeEntry,
  RunAgentInput, RunFinishedEvent, TextPart, TokenUsage,
} from "aguiwasm";

export * from "aguiwasm";
export { default } from "aguiwasm";

/** The types of events, each under its own name. */
export const EventType: { readonly [T in EventType]: T };
export type EventType =
  | "TEXT_MESSAGE_START" | "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_END" | "TEXT_MESSAGE_CHUNK" | "TOOL_CALL_START" |
  "TOOL_CALL_ARGS"
  | "TOOL_CALL_END" | "TOOL_CALL_CHUNK" | "TOOL_CALL_RESULT" | "STATE_SNAPSHOT" | "STATE_DELTA" | "MESSAGES_SNAPSHOT"
  | "ACTIVITY_SNAPSHOT" | "ACTIVITY_DELTA" | "RAW" | "CUSTOM" | "RUN_STARTED" | "RUN_FINISHED" | "RUN_ERROR" |
  "STEP_STARTED"
  | "STEP_FINISHED" | "REASONING_START" | "REASONING_MESSAGE_START" | "REASONING_MESSAGE_CONTENT" |
  "REASONING_MESSAGE_END"
  | "REASONING_MESSAGE_CHUNK" | "REASONING_END" | "REASONING_ENCRYPTED_VALUE" | "SUBAGENT_STARTED" | "SUBAGENT_FINISHED"
  | "SUBAGENT_ERROR";
/** The protocol's version that this runtime speaks. */
export const PROTOCOL_VERSION: string;
/** Whether the protocol knows an event's type, chunks included. */
export function isRecognizedEvent(event: { type: string }): boolean;

export interface BaseEvent {
  type: EventType;
  timestamp?: number;
  rawEvent?: any;
  metadata?: Metadata;
  [key: string]: unknown;
}
export type State = any;
export type CustomEvent = AGUICustomEvent;
export type InputContent = ContentPart;
export type TextInputContent = TextPart;
export type ImageInputContent = MediaPart;
export type AudioInputContent = MediaPart;
export type VideoInputContent = MediaPart;
export type DocumentInputContent = MediaPart;
export type InputContentSource = MediaPart["source"];
export type RunFinishedOutcome = Outcome;
export type RunFinishedInterruptOutcome = Extract<Outcome, { type: "interrupt" }>;
export type AgentDebugConfig = DebugConfig;
export interface ResolvedAgentDebugConfig {
  enabled: boolean;
  events: boolean;
  lifecycle: boolean;
  verbose: boolean;
}


export function getRunOutcome(event: RunFinishedEvent): RunFinishedOutcome | null | undefined;
/** Whether an interrupt can no longer be answered. A time without a zone is UTC. */
export function isInterruptExpired(interrupt: Interrupt, now?: Date): boolean;
/**
 * The answers to all open interrupts, by id, as `resume` takes them. Throws where one is missing or answers nothing.
 */
export function buildResumeArray(interrupts: readonly Interrupt[], responses: {
  [id: string]: { status: "resolved"; payload?: any; metadata?: Metadata } |
    { status: "cancelled"; metadata?: Metadata };
}): ResumeEntry[];

/** Fewer events that make the same snapshots. */
export function compactEvents<T extends { type: string }>(events: readonly T[]): T[];

export class DebugLogger {
  constructor(config: ResolvedAgentDebugConfig);
  readonly enabled: boolean;
  readonly eventsEnabled: boolean;
  readonly lifecycleEnabled: boolean;
  event(stage: string, label: string, data: unknown, summary?: unknown): void;
  lifecycle(stage: string, label: string, data?: unknown): void;
}
export type DebugLoggerInput = DebugLogger | boolean | null | undefined;
export function resolveAgentDebugConfig(debug: AgentDebugConfig | undefined): ResolvedAgentDebugConfig;
export function createDebugLogger(config: ResolvedAgentDebugConfig): DebugLogger | undefined;
export function resolveDebugLogger(given: DebugLoggerInput): DebugLogger | undefined;

/** Leaves out the calls of tools that are not allowed, and their results. */
export class FilterToolCallsMiddleware extends Middleware {
  constructor(config: { allowedToolCalls: readonly string[]; disallowedToolCalls?: undefined }
    | { disallowedToolCalls: readonly string[]; allowedToolCalls?: undefined });
  run(input: RunAgentInput, next: NextAgent): any;
}

export const AGUI_METADATA_KEY: "ag-ui";
/** Folds metadata key by key; the last value wins. */
export function mergeMetadata(before: Metadata | undefined, added: Metadata | undefined): Metadata | undefined;
/** The text of a message's content, parts joined. */
export function contentToText(content: string | readonly ContentPart[] | null | undefined): string;
export function contentHasMedia(content: string | readonly ContentPart[] | null | undefined): boolean;
/** Adds up usage by provider and model. */
export function aggregateTokenUsage(entries: readonly TokenUsage[]): TokenUsage[];
export function randomUUID(): string;
export function structuredClone_<T>(value: T): T;
export type { AgentSubscriber };
