// The names besides those of agui.mjs that users of @ag-ui/client import (web/docs/migration.md has a table of all of
// them).
import {
  ActivityDeltaEvent, ActivitySnapshotEvent, AGUICustomEvent, AGUIEvent, AbstractAgent as BaseAgent, AgentConfig,
  AgentStateMutation, AgentSubscriber, ChunkEvent, ContentPart, HeadersLike, HttpAgentConfig, DebugConfig, Interrupt,
  MediaPart, Message, MessagesSnapshotEvent, Metadata, Middleware, NextAgent, Observable, Outcome, PatchOperation,
  RawEvent, ReasoningEncryptedValueEvent, ReasoningEndEvent, ReasoningMessageChunkEvent, ReasoningMessageContentEvent,
  ReasoningMessageEndEvent, ReasoningMessageStartEvent, ReasoningStartEvent, ResumeEntry, RunAgentParameters,
  RunAgentResult, RunSource, RunAgentInput, RunErrorEvent, RunFinishedEvent, RunStartedEvent, StateDeltaEvent,
  StateSnapshotEvent, StepFinishedEvent, StepStartedEvent, SubagentErrorEvent, SubagentFinishedEvent,
  SubagentStartedEvent, TextMessageChunkEvent, TextMessageContentEvent, TextMessageEndEvent, TextMessageStartEvent,
  TextPart, TokenUsage, Tool, ToolCall, ToolCallArgsEvent, ToolCallChunkEvent, ToolCallEndEvent, ToolCallResultEvent,
  ToolCallStartEvent,
} from "aguiwasm";

export * from "aguiwasm";
export { default } from "aguiwasm";

/** The types of events, each under its own name. */
export const EventType: { readonly [T in EventType]: T };
export type EventType = (AGUIEvent | ChunkEvent)["type"];
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
export type BaseEventFields = Pick<BaseEvent, "timestamp" | "rawEvent" | "metadata">;
export type BaseEventProps = BaseEventFields;
/** What a middleware may meet before the protocol's own stages. */
export type UnrecognizedEvent = { type: string; [key: string]: unknown };
type Known = AGUIEvent | ChunkEvent;
export type Event = Known;
export type AGUIEventByType = { [T in EventType]: Extract<Known, { type: T }> };
export type AGUIEventOf<T extends EventType> = AGUIEventByType[T];
/** An event without what every event has. */
export type EventPayloadOf<T extends EventType> = Props<AGUIEventOf<T>>;
type Props<E> = E extends unknown ? Omit<E, "type" | keyof BaseEventFields> : never;
export type ActivityDeltaEventProps = Props<ActivityDeltaEvent>;
export type ActivitySnapshotEventProps = Props<ActivitySnapshotEvent>;
export type MessagesSnapshotEventProps = Props<MessagesSnapshotEvent>;
export type RawEventProps = Props<RawEvent>;
export type ReasoningEncryptedValueEventProps = Props<ReasoningEncryptedValueEvent>;
export type ReasoningEndEventProps = Props<ReasoningEndEvent>;
export type ReasoningMessageChunkEventProps = Props<ReasoningMessageChunkEvent>;
export type ReasoningMessageContentEventProps = Props<ReasoningMessageContentEvent>;
export type ReasoningMessageEndEventProps = Props<ReasoningMessageEndEvent>;
export type ReasoningMessageStartEventProps = Props<ReasoningMessageStartEvent>;
export type ReasoningStartEventProps = Props<ReasoningStartEvent>;
export type RunErrorEventProps = Props<RunErrorEvent>;
export type RunFinishedEventProps = Props<RunFinishedEvent>;
export type RunStartedEventProps = Props<RunStartedEvent>;
export type StateDeltaEventProps = Props<StateDeltaEvent>;
export type StateSnapshotEventProps = Props<StateSnapshotEvent>;
export type StepFinishedEventProps = Props<StepFinishedEvent>;
export type StepStartedEventProps = Props<StepStartedEvent>;
export type SubagentErrorEventProps = Props<SubagentErrorEvent>;
export type SubagentFinishedEventProps = Props<SubagentFinishedEvent>;
export type SubagentStartedEventProps = Props<SubagentStartedEvent>;
export type TextMessageChunkEventProps = Props<TextMessageChunkEvent>;
export type TextMessageContentEventProps = Props<TextMessageContentEvent>;
export type TextMessageEndEventProps = Props<TextMessageEndEvent>;
export type TextMessageStartEventProps = Props<TextMessageStartEvent>;
export type ToolCallArgsEventProps = Props<ToolCallArgsEvent>;
export type ToolCallChunkEventProps = Props<ToolCallChunkEvent>;
export type ToolCallEndEventProps = Props<ToolCallEndEvent>;
export type ToolCallResultEventProps = Props<ToolCallResultEvent>;
export type ToolCallStartEventProps = Props<ToolCallStartEvent>;
export type CustomEventProps = Props<AGUICustomEvent>;
export type CustomEvent = AGUICustomEvent;
export type ReasoningEncryptedValueSubtype = ReasoningEncryptedValueEvent["subtype"];
export type TextMessageRole = NonNullable<TextMessageStartEvent["role"]>;

export type State = any;
export type Role = Message["role"];
export type BaseMessage = Pick<Message, "id" | "role" | "metadata"> & { name?: string; subagentRunId?: string };
export type FunctionCall = ToolCall["function"];
export type SubagentRunId = string;
export interface Attributable {
  subagentRunId?: SubagentRunId;
}
export type ResumeStatus = ResumeEntry["status"];

export type InputContent = ContentPart;
export type InputContentPart = ContentPart;
type Part<T extends string> = MediaPart & { type: T };
export type TextInputContent = TextPart;
export type ImageInputContent = Part<"image">;
export type AudioInputContent = Part<"audio">;
export type VideoInputContent = Part<"video">;
export type DocumentInputContent = Part<"document">;
export type ImagePart = ImageInputContent;
export type AudioPart = AudioInputContent;
export type VideoPart = VideoInputContent;
export type DocumentPart = DocumentInputContent;
export type ImageInputPart = ImageInputContent;
export type AudioInputPart = AudioInputContent;
export type VideoInputPart = VideoInputContent;
export type DocumentInputPart = DocumentInputContent;
export type PartSource = MediaPart["source"];
export type InputContentSource = PartSource;
export type DataSource = Extract<PartSource, { type: "data" }>;
export type UrlSource = Extract<PartSource, { type: "url" }>;
export type FileSource = Extract<PartSource, { type: "file" }>;
export type InputContentDataSource = DataSource;
export type InputContentUrlSource = UrlSource;

export type RunFinishedOutcome = Outcome;
export type RunFinishedSuccessOutcome = Extract<Outcome, { type: "success" }>;
export type RunFinishedInterruptOutcome = Extract<Outcome, { type: "interrupt" }>;
export type RunFinishedCancelledOutcome = Extract<Outcome, { type: "cancelled" }>;
export type SubagentFinishedOutcome = NonNullable<SubagentFinishedEvent["outcome"]>;
export type SubagentFinishedSuccessOutcome = Extract<SubagentFinishedOutcome, { type: "success" }>;
export type SubagentFinishedSuspendedOutcome = Extract<SubagentFinishedOutcome, { type: "suspended" }>;

export type JsonPointer = string;
export type JsonPatchOperation = PatchOperation;
export type JsonPatch = JsonPatchOperation[];
export type AddOperation = Extract<PatchOperation, { op: "add" }>;
export type RemoveOperation = Extract<PatchOperation, { op: "remove" }>;
export type ReplaceOperation = Extract<PatchOperation, { op: "replace" }>;
export type MoveOperation = Extract<PatchOperation, { op: "move" }>;
export type CopyOperation = Extract<PatchOperation, { op: "copy" }>;
export type TestOperation = Extract<PatchOperation, { op: "test" }>;

/** What an agent says that it can do; every part is optional. */
export interface AgentCapabilities {
  identity?: IdentityCapabilities;
  transport?: TransportCapabilities;
  tools?: ToolsCapabilities;
  output?: OutputCapabilities;
  state?: StateCapabilities;
  multiAgent?: MultiAgentCapabilities;
  reasoning?: ReasoningCapabilities;
  multimodal?: MultimodalCapabilities;
  execution?: ExecutionCapabilities;
  humanInTheLoop?: HumanInTheLoopCapabilities;
  custom?: { [name: string]: any };
}
export interface IdentityCapabilities {
  name?: string;
  type?: string;
  description?: string;
  version?: string;
  provider?: string;
  documentationUrl?: string;
  metadata?: Metadata;
}
export interface TransportCapabilities {
  streaming?: boolean;
  websocket?: boolean;
  httpBinary?: boolean;
  pushNotifications?: boolean;
  resumable?: boolean;
}
export interface ToolsCapabilities {
  supported?: boolean;
  items?: Tool[];
  parallelCalls?: boolean;
  clientProvided?: boolean;
}
export interface OutputCapabilities {
  structuredOutput?: boolean;
  supportedMimeTypes?: string[];
}
export interface StateCapabilities {
  snapshots?: boolean;
  deltas?: boolean;
  memory?: boolean;
  persistentState?: boolean;
}
export interface SubagentInfo {
  name: string;
  description?: string;
}
export interface MultiAgentCapabilities {
  supported?: boolean;
  delegation?: boolean;
  handoffs?: boolean;
  subagents?: SubagentInfo[];
}
export interface ReasoningCapabilities {
  supported?: boolean;
  streaming?: boolean;
  encrypted?: boolean;
}
export interface MultimodalInputCapabilities {
  image?: boolean;
  audio?: boolean;
  video?: boolean;
  pdf?: boolean;
  file?: boolean;
}
export interface MultimodalOutputCapabilities {
  image?: boolean;
  audio?: boolean;
}
export interface MultimodalCapabilities {
  input?: MultimodalInputCapabilities;
  output?: MultimodalOutputCapabilities;
}
export interface ExecutionCapabilities {
  codeExecution?: boolean;
  sandboxed?: boolean;
  maxIterations?: number;
  maxExecutionTime?: number;
}
export interface HumanInTheLoopCapabilities {
  supported?: boolean;
  approvals?: boolean;
  interventions?: boolean;
  feedback?: boolean;
  interrupts?: boolean;
  approveWithEdits?: boolean;
}
export type AgentDebugConfig = DebugConfig;
export type HttpAgentFetchFn = (url: string, requestInit: RequestInit) => Promise<Response>;
export interface ResolvedAgentDebugConfig {
  enabled: boolean;
  events: boolean;
  lifecycle: boolean;
  verbose: boolean;
}

/**
 * An agent as in agui.mjs, with what @ag-ui/client has besides. The protected points are asked where a subclass
 * overrides them; a run without that goes its fast way.
 */
export abstract class AbstractAgent<State = any> extends BaseAgent<State> {
  constructor(config?: AgentConfig);
  /** Code that makes a run of its own says so here. */
  isRunning: boolean;
  /** Writes the lines of `debug`; a logger of your own, or true, or false. */
  get debugLogger(): DebugLogger | undefined;
  set debugLogger(logger: DebugLogger | boolean | undefined);
  /** The release that the agent behind this speaks at most; a subclass says it. Older ones get what they understand. */
  get maxProtocolVersion(): string;
  /** @deprecated maxProtocolVersion */
  get maxVersion(): string;
  getCapabilities?(): Promise<AgentCapabilities>;
  abstract run(input: RunAgentInput): RunSource;
  protected prepareRunAgentInput(parameters?: RunAgentParameters): RunAgentInput;
  protected onInitialize(input: RunAgentInput, subscribers: AgentSubscriber[]): Promise<void>;
  /** Applies events in the place of the runtime; handlers of tools do not run then. */
  protected apply(input: RunAgentInput, events: Subscribable<any>,
    subscribers: AgentSubscriber[]): Observable<AgentStateMutation>;
  protected processApplyEvents(input: RunAgentInput, mutations: Subscribable<AgentStateMutation>,
    subscribers: AgentSubscriber[]): Observable<AgentStateMutation>;
  protected onError(input: RunAgentInput, error: Error, subscribers: AgentSubscriber[]): Observable<AgentStateMutation>;
  protected onFinalize(input: RunAgentInput, subscribers: AgentSubscriber[]): Promise<void>;
}
export class HttpAgent<State = any> extends AbstractAgent<State> {
  constructor(config?: HttpAgentConfig);
  url: string;
  headers: { [name: string]: string } |
    (() => HeadersLike | null | undefined | Promise<HeadersLike | null | undefined>);
  fetch: (url: string, init: RequestInit) => Promise<Response> | Response;
  abortController: AbortController;
  run(input: RunAgentInput): Observable<any>;
  protected requestInit(input: RunAgentInput): RequestInit;
  /**
   * Asks the server what its agent can do: GET of the agent's address with /capabilities behind it, or of a CopilotKit
   * runtime's /info. Rejects where the server does not say it.
   */
  getCapabilities(): Promise<AgentCapabilities>;
}

/** For agents up to 0.0.39: content is a text, and no run has a parent. */
export class BackwardCompatibility_0_0_39 extends Middleware {
  run(input: RunAgentInput, next: NextAgent): any;
}
/** Retired shapes are translated for every agent: this one and the next do nothing more. */
export class BackwardCompatibility_0_0_45 extends Middleware {
  run(input: RunAgentInput, next: NextAgent): any;
}
export class CompatibilityBoundary extends BackwardCompatibility_0_0_45 {}
/** For agents up to 0.0.57, which know no subagents. */
export class BackwardCompatibility_0_0_57 extends Middleware {
  run(input: RunAgentInput, next: NextAgent): any;
}

/** Anything that gives events to an observer: an Observable of ours, of RxJS, or another. */
export interface Subscribable<T> {
  subscribe(observer: { next?: (value: T) => void; error?: (error: any) => void; complete?: () => void }): {
    unsubscribe(): void;
  };
}
/** What a response is told as. */
export type HttpEvent = { type: "headers"; status: number; headers: Headers } | { type: "data"; data?: Uint8Array };
/** Makes the request when it is subscribed to. A status of failure is an error http_status. */
export function runHttpRequest(fetchResponse: () => Promise<Response>): Observable<HttpEvent>;
/** The events of a response, server-sent or protobuf as its content type says; chunks are not expanded. */
export function transformHttpEventStream(source: Subscribable<HttpEvent>,
  debugLogger?: DebugLoggerInput): Observable<any>;
export function parseSSEStream(source: Subscribable<HttpEvent>, debugLogger?: DebugLoggerInput): Observable<any>;
export function parseProtoStream(source: Subscribable<HttpEvent>, debugLogger?: DebugLoggerInput): Observable<any>;
/** Expands chunks, and translates retired shapes. */
export function transformChunks(debugLogger?: DebugLoggerInput): (source: Subscribable<BaseEvent>) => Observable<any>;
/** Ends with an error of code protocol where events break the order that the protocol has. */
export function verifyEvents(debugLogger?: DebugLoggerInput): (source: Subscribable<BaseEvent>) => Observable<any>;
/** Leaves out events that the protocol does not know; what is malformed is for the stages behind it. */
export function enforceEvents(debugLogger?: DebugLoggerInput):
  (source: Subscribable<BaseEvent | UnrecognizedEvent>) => Observable<any>;
/** Gives what each event changes, with the subscribers asked; the agent itself is left alone. */
export function defaultApplyEvents(input: RunAgentInput, events: Subscribable<BaseEvent>, agent: AbstractAgent,
  subscribers?: readonly AgentSubscriber[], debugLogger?: DebugLoggerInput): Observable<AgentStateMutation>;

/** Under this name the metadata of a MESSAGES_SNAPSHOT says which types of activities it is whole in. */
export const ACTIVITY_HISTORY_METADATA: "@ag-ui/client";
/** null: all. undefined: not said. */
export function authoritativeActivityTypes(event: MessagesSnapshotEvent): string[] | null | undefined;
/** Adds types to those that a snapshot is whole in. */
export function withAuthoritativeActivityTypes(event: MessagesSnapshotEvent,
  activityTypes: readonly string[]): MessagesSnapshotEvent;

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
  readonly verbose: boolean;
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
