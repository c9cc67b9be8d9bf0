/**
 * The AG-UI runtime for the browser. A script tag puts these names on `globalThis.agui`; agui.mjs exports them.
 *
 * Every error that comes later than the call is an {@link AGUIError}; arguments of the wrong kind throw a TypeError at
 * the call.
 */

/** The version of this script; agui.wasm must be of the same. */
export const version: string;

/** The version of the AG-UI protocol that it speaks: "1.0". */
export const protocolVersion: string;

/**
 * Resolves when the WebAssembly runs. Nobody has to wait for it: every call does. Rejects with code `load_failed`
 * (never as an unhandled rejection); the next use tries again, with a new promise. Loading begins at the first use
 * (waiting for this promise is one) or at DOMContentLoaded, whichever is first.
 */
export const ready: Promise<void>;

/**
 * Sets defaults for all runs and agents that are made from now on. May be called several times; what is absent stays.
 * Throws where wasmUrl, wasmModule or wasmIntegrity come after loading has begun (until a start has failed).
 */
export function configure(options: Configuration): void;

export interface Configuration extends Pick<RunOptions, "url" | "headers" | "credentials" | "requestInit" | "fetch" |
  "keepRaw" | "accept" | "onWarning"> {
  /**
   * Where agui.wasm is. Default: the script tag's data-wasm, or beside the script. A URL that ends in `.gz` is unpacked
   * here, for hosts that cannot compress.
   */
  wasmUrl?: string | URL | null;
  /** The compiled module instead of a URL. */
  wasmModule?: WebAssembly.Module | Promise<WebAssembly.Module> | null;
  /** Subresource integrity of agui.wasm ("sha384-..."). Default: the script tag's data-wasm-integrity. */
  wasmIntegrity?: string | null;
  /**
   * The folder of the files of ours that load when they are used (`agui.chat.js` for a chat, `agui.line.js` for
   * `reconnect`). Default: the script's own, and agui.wasm's where that cannot be told.
   */
  partsUrl?: string | URL | null;
}

// ---------------------------------------------------------------------------------------------------------------- runs

/**
 * Describes one run of an agent. Nothing is sent until something subscribes to the Observable, and each subscribe is
 * one request. The input is copied now (as JSON.stringify does); threadId and ids of messages without one are made now,
 * runId at each subscribe. The run ends with the stream, or 1 s after its terminal event if the server keeps the stream
 * open.
 *
 * Throws a TypeError for arguments of the wrong kind, an input that JSON cannot hold, and where there is no url.
 */
export function run(input: RunInput, options?: RunOptions | null): Observable<AGUIEvent>;

/** A RunAgentInput of which everything may be left out. */
export interface RunInput {
  /** The conversation. Default: a new UUID. */
  threadId?: string | null;
  /** This run. Default: a new UUID at each subscribe. */
  runId?: string | null;
  /** Default: "1.0". */
  protocolVersion?: string | null;
  /** The earlier run that this one branches from. */
  parentRunId?: string | null;
  /** The shared state. Default: {}. */
  state?: unknown;
  /** The conversation so far, and what is new. Default: []. */
  messages?: readonly InputMessage[] | null;
  /** What the agent may call. Default: []. */
  tools?: readonly Tool[] | null;
  /** Default: []. */
  context?: readonly Context[] | null;
  /** Default: {}. */
  forwardedProps?: unknown;
  /** Answers to the interrupts that the last run ended with. */
  resume?: readonly ResumeEntry[] | null;
}

/** A message whose id may be left out: a UUID is made. */
export type InputMessage = Message extends infer M
  ? (M extends Message ? Omit<M, "id"> & { id?: string | null } : never) : never;

export interface RunOptions {
  /** The agent. Default: what was configured, or the script tag's data-url. Relative to the page. */
  url?: string | URL | null;
  /**
   * Headers of the request, instead of the configured ones. A function is asked at each request, and may be async. What
   * it throws ends that run with `bad_input`. content-type is always application/json, and text/event-stream is added
   * to an accept that is given.
   */
  headers?: HeadersLike | (() => HeadersLike | null | undefined | Promise<HeadersLike | null | undefined>) | null;
  /** As fetch has it. Default: "same-origin". */
  credentials?: "omit" | "same-origin" | "include" | null;
  /**
   * More of fetch's options: mode, cache, keepalive, redirect, ... Its headers and signal count where these options
   * name none; method and body are the run's own.
   */
  requestInit?: RequestInit | null;
  /** Called instead of the browser's fetch. Default: globalThis.fetch, looked up at each request. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response> | Response) | null;
  /** Ends the run silently, as unsubscribe does. Aborted already: no request is sent. */
  signal?: AbortSignal | null;
  /**
   * "lenient" (the default) repairs what a server does wrong, with a warning; "strict" ends the run with `protocol` or
   * `bad_event`.
   */
  verify?: "lenient" | "strict" | null;
  /** The largest event, in bytes. Default: 16 MiB. */
  maxEventBytes?: number | null;
  /**
   * false leaves RAW events out, and rawEvent out of every other event, before they cross into JavaScript: the copies
   * of the framework's own events, often the greater part of a stream. Default: true. Where nobody gets the events (an
   * observer without `next`, an agent that no hook of an event, `watch` and `debug` listens to) they are left out in
   * any case.
   */
  keepRaw?: boolean | null;
  /**
   * The encoding that is asked for. "proto" asks for the protocol's protobuf encoding
   * (application/vnd.ag-ui.event+proto) before text/event-stream. Whatever was asked for, what the server sends is read
   * by its content type. Default: "sse".
   */
  accept?: "sse" | "proto" | null;
  /**
   * Ends the run with `idle_timeout` when no byte has come for so many ms; waiting for the headers counts. Default:
   * never.
   */
  idleTimeoutMs?: number | null;
  /** Takes the run's warnings. Default: console.warn, once per code and run. */
  onWarning?: ((warning: Warning) => void) | null;
  /**
   * How the server lets a client come back to a run whose connection broke ([connections.md](connections.md)): the name
   * of a dialect, or an adapter of the page's own. Then a cut does not end the run: its rest is read by another
   * request, never by one that could start a run, and events, text and hooks come once. Default: false, a cut ends the
   * run with `network`.
   */
  reconnect?: Reconnect | null;
  /** Called when the run's connection changed. */
  onConnectionChanged?: ((connection: Connection) => void) | null;
}

/** How a server lets a client come back to a run. */
export type Reconnect = false | "sse-id" | "tanstack" | "agno" | "copilotkit" | "hydrate" | ReconnectAdapter;

/** How the connection of a run stands. Frozen. */
export interface Connection {
  /** "lost": no further attempt makes sense; the run ends with an error of the same code. */
  readonly state: "idle" | "connecting" | "connected" | "reconnecting" | "lost";
  /** Attempts since the last progress. */
  readonly attempt: number;
  /** When the next attempt is made, on performance.now()'s clock; null: none is due, or the page is offline. */
  readonly nextAt: number | null;
  /**
   * What broke: "network", "incomplete_stream", "http_status", "idle_timeout", or "watchdog" for a line that fell
   * silent.
   */
  readonly reason?: string;
  /** Why the connection is lost. */
  readonly code?: AGUIErrorCode;
}

/**
 * A dialect of the page's own. Its functions are called with nothing else going on, and must give their answer at once.
 */
export interface ReconnectAdapter {
  /**
   * How the events of a further connection are placed: behind a cursor (the default), by what a replay says, or behind
   * a snapshot.
   */
  shape?: "cursor" | "replay" | "snapshot";
  /** The cursor of an event: its data as JSON text, and the SSE id of its frame. Default: the id. null: it has none. */
  cursor?(event: string, id: string): string | null;
  /** Orders two cursors of a run, as sort has it. Default: they are opaque. */
  compare?(a: string, b: string): number;
  /** The request that reads the rest of a run, or null. It must never start one. */
  attach(context: ReconnectContext): ReconnectRequest | null;
  /**
   * The request that reads a thread and what runs there, for connect(), or null. It must never start a run. Default:
   * what attach gives.
   */
  load?(context: ReconnectContext): ReconnectRequest | null;
  /** The request that stops a run; its method is POST. */
  stop?(context: ReconnectContext): ReconnectRequest | null;
}

export interface ReconnectContext {
  /** Where the run's POST went. */
  url: string;
  threadId: string;
  runId: string | null;
  /** The last event's that was handed out. */
  cursor: string | null;
  agentId: string | null;
  /** The body of the run's first request; of connect(): of one without messages. */
  body: string;
  /** What the request is for: a connection broke, or the page joins what runs. */
  why: "cut" | "join";
}

/** Headers come beside the run's own. */
export interface ReconnectRequest {
  url: string;
  /** Default: "GET". */
  method?: string;
  body?: string;
  headers?: { [name: string]: string };
  shape?: "cursor" | "replay" | "snapshot";
}

/** A Headers object, pairs, or an object; members that are undefined or null are left out. */
export type HeadersLike =
  | Headers
  | Iterable<readonly [string, string | number | boolean | null | undefined]>
  | { readonly [name: string]: string | number | boolean | null | undefined };

/** Something that was mended, kept or passed over; the run goes on. */
export interface Warning {
  code: WarningCode;
  /** One sentence for a person. */
  message: string;
  /** The event that it is about, or null. */
  event: AGUIEvent | null;
}

export type WarningCode =
  | "repaired" | "bad_event" | "odd_field" | "unknown_event" | "legacy_shape" | "patch_failed" | "id_collision"
  | "newer_protocol";

/** The snapshots of a run, frozen: what a change did not touch stays the same object (`===`). */
export interface Snapshots {
  /** The conversation: the input's messages and what the run has made of them. */
  readonly messages: readonly Message[];
  /** The shared state. */
  readonly state: any;
  /** False after a patch that failed, until the next STATE_SNAPSHOT. */
  readonly stateInSync: boolean;
  /** What the agent waits for: the open interrupts of the last RUN_FINISHED. */
  readonly interrupts: readonly Interrupt[];
  /** The outcome of the last RUN_FINISHED. */
  readonly outcome: Outcome | undefined;
  /** The result of the last RUN_FINISHED. */
  readonly result: any;
  /** The usage that the last terminal event told. */
  readonly usage: readonly TokenUsage[] | undefined;
  /** Tool calls that wait for a result from here. */
  readonly pendingToolCallIds: readonly string[];
}

/** A handle of one run. Its fields show the snapshots exactly as of the event that was handed out last. */
export interface Subscription extends Snapshots {
  /** Ends the run silently and aborts its request. May be called again. */
  unsubscribe(): void;
  /** The run has ended or was ended. True already when error or complete is called. */
  readonly closed: boolean;
  [Symbol.dispose](): void;
}

/**
 * Takes a run's events. Each method is optional, looked up when it is called, and called with the observer as `this`.
 */
export interface Observer<T> {
  next?(event: T): void;
  /** The run failed. Without this method the error goes to reportError. */
  error?(error: AGUIError): void;
  complete?(): void;
}

/** What a subscriber function calls: needs no `this`, and does nothing after the end. */
export interface SubscriberObserver<T> {
  next(value: T): void;
  error(error: unknown): void;
  complete(): void;
  /** Nobody listens any more, or error or complete was called. */
  readonly closed: boolean;
}

/**
 * A cold source of events. Of error and complete one is called, once; nothing is called after it or after unsubscribe.
 * An exception in a handler goes to reportError and does not stop the source. A run calls nothing inside subscribe.
 */
export class Observable<T = AGUIEvent> {
  /**
   * An Observable of your own, as in RxJS and TC39's proposal. Each subscribe calls the function, at once. It gives
   * nothing, or what is to be called when the subscription has ended: a function, or an object with `unsubscribe`. What
   * it throws is the subscription's error. The snapshots of such a subscription stay empty.
   */
  constructor(subscriber: (observer: SubscriberObserver<T>) => (() => void) | { unsubscribe(): void } | null |
    undefined | void);
  subscribe(observer?: Observer<T> | null, options?: { signal?: AbortSignal | null } | null): Subscription;
  subscribe(
    next: ((event: T) => void) | null | undefined,
    error?: ((error: AGUIError) => void) | null,
    complete?: (() => void) | null,
  ): Subscription;
  subscribe(next: ((event: T) => void) | null | undefined, options: { signal?: AbortSignal | null }): Subscription;
  /**
   * For `for await`: the request starts with the first step, a break cancels it, an error is thrown. Up to 1,000 events
   * wait for a slow reader; then the server waits.
   */
  [Symbol.asyncIterator](): EventIterator<T>;
  /** For RxJS's from() and others. */
  "@@observable"(): this;
  /** Calls functions one after the other, each with what the one before gave. RxJS's operators work here. */
  pipe(...operators: ((source: any) => any)[]): any;
  /** What RxJS's operators ask for. */
  lift(operator: unknown): any;
}

/** The iterator of a run. Its fields show the snapshots as of the event that it gave last. */
export interface EventIterator<T = AGUIEvent> extends Snapshots {
  next(): Promise<IteratorResult<T, undefined>>;
  /** Cancels the run. */
  return(value?: unknown): Promise<IteratorResult<T, undefined>>;
  /** Cancels the run and rejects. */
  throw(error?: unknown): Promise<IteratorResult<T, undefined>>;
  readonly closed: boolean;
  [Symbol.asyncIterator](): EventIterator<T>;
}

/** Counts what is alive on the page, to find leaks. */
export function debug(): {
  /** Runs that have begun and not ended. */
  runs: number;
  /** Timers, body readers and signal listeners of ours; 0 while nothing runs. */
  callbacks: number;
  /** Bytes of the WebAssembly memory. It grows with the largest work at one time and never shrinks. */
  wasmBytes: number;
};

// -------------------------------------------------------------------------------------------------------------- errors

export type AGUIErrorCode =
  /** What only the protocol can judge: a malformed message, an unanswered interrupt, a second run. Nothing was sent. */
  | "bad_input"
  /** The WebAssembly could not be loaded. */
  | "load_failed"
  /** The request failed, or the connection broke off. */
  | "network"
  /** The server refused: `status`, `payload`, `retryAfter`. */
  | "http_status"
  /** The answer is no event stream: `payload` has its start. */
  | "bad_content_type"
  /** An event that cannot be read: `event`, and an excerpt in the message. */
  | "bad_event"
  /** An event larger than maxEventBytes. */
  | "event_too_large"
  /** Nothing came for idleTimeoutMs. */
  | "idle_timeout"
  /** A violation of the sequence rules (verify: "strict"). */
  | "protocol"
  /** The stream ended without a terminal event. */
  | "incomplete_stream"
  /** With `reconnect`: the server did not go on with the run, but began something else. */
  | "resume_refused"
  /** With `reconnect`: the server does not have the run any more. */
  | "resume_gone"
  /** With `reconnect`: connecting again brought nothing new, eight times and for a minute. */
  | "no_progress"
  /** With `reconnect`: the connection broke, and nothing that came says how to read the rest. */
  | "not_resumable"
  /** With `reconnect`: the server works on another run of this thread. */
  | "busy"
  /** The agent said RUN_ERROR: `event`. */
  | "run_error"
  /** The runtime itself failed; it starts anew with the next run. */
  | "internal";

export interface AGUIErrorFields {
  /** The HTTP status. */
  status?: number;
  /** The body of a refused answer: parsed if it is JSON, else its text (the first 64 KiB). */
  payload?: any;
  /** The event that it is about. */
  event?: any;
  url?: string;
  /** What the server asked to wait, in seconds. */
  retryAfter?: number;
  /** The last `id:` of the stream. */
  lastEventId?: string;
}

/** What ends or refuses a run, or a failed start. `message` is one plain sentence for a person. */
export class AGUIError extends Error implements AGUIErrorFields {
  constructor(code: AGUIErrorCode, message: string, fields?: AGUIErrorFields & { cause?: unknown });
  readonly name: "AGUIError";
  code: AGUIErrorCode;
  status?: number;
  payload?: any;
  event?: any;
  url?: string;
  retryAfter?: number;
  lastEventId?: string;
  cause?: unknown;
}

/** What connecting gives to an agent that cannot connect; its code is bad_input. */
export class AGUIConnectNotImplementedError extends AGUIError {
  constructor();
}

// ------------------------------------------------------------------------------------------------------------ messages

/** A message of the conversation; `role` decides its kind. */
export type Message = DeveloperMessage | SystemMessage | UserMessage | AssistantMessage | ToolMessage |
  ReasoningMessage | ActivityMessage;

interface MessageBase {
  id: string;
  /** The subagent that it belongs to; absent: the agent itself. */
  subagentRunId?: string;
  metadata?: Metadata;
}

export type Metadata = { [key: string]: any };

export interface DeveloperMessage extends MessageBase {
  role: "developer";
  content: string;
  name?: string;
  encryptedValue?: string;
}

export interface SystemMessage extends MessageBase {
  role: "system";
  content: string;
  name?: string;
  encryptedValue?: string;
}

export interface UserMessage extends MessageBase {
  role: "user";
  content: string | readonly ContentPart[];
  name?: string;
  encryptedValue?: string;
}

export interface AssistantMessage extends MessageBase {
  role: "assistant";
  content?: string;
  toolCalls?: readonly ToolCall[];
  name?: string;
  encryptedValue?: string;
}

export interface ToolMessage extends MessageBase {
  role: "tool";
  content: string | readonly ContentPart[];
  toolCallId: string;
  error?: string;
  encryptedValue?: string;
}

export interface ReasoningMessage extends MessageBase {
  role: "reasoning";
  content: string;
  encryptedValue?: string;
}

/** Never sent to the agent. */
export interface ActivityMessage extends MessageBase {
  role: "activity";
  activityType: string;
  content: { [key: string]: any };
}

export interface ToolCall {
  id: string;
  type: "function";
  function: {
    name: string;
    /** JSON text; incomplete while it streams. */
    arguments: string;
  };
  encryptedValue?: string;
  metadata?: Metadata;
}

export type ContentPart = TextPart | MediaPart;

export interface TextPart {
  type: "text";
  text: string;
  id?: string;
  metadata?: Metadata;
}

export interface MediaPart {
  type: "image" | "audio" | "video" | "document";
  source:
    | { type: "data"; /** base64 */ value: string; mimeType: string }
    | { type: "url"; value: string; mimeType?: string }
    | { type: "file"; value: string; provider?: string; mimeType?: string };
  id?: string;
  metadata?: Metadata;
}

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters?: any;
  metadata?: Metadata;
}

export interface Context {
  description: string;
  value: string;
}

export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: any;
  metadata?: Metadata;
}

export interface Interrupt {
  id: string;
  /** tool_call, input_required, confirmation, or any other. */
  reason: string;
  message?: string;
  toolCallId?: string;
  /** JSON Schema. */
  responseSchema?: any;
  /** ISO 8601. */
  expiresAt?: string;
  metadata?: Metadata;
  subagentRunId?: string;
}

export type Outcome =
  | { type: "success"; pendingToolCallIds?: readonly string[] }
  | { type: "interrupt"; interrupts: readonly Interrupt[] }
  | { type: "cancelled" };

export interface TokenUsage {
  provider?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
  reasoningTokens?: number;
  cachedInputTokens?: number;
  cacheWriteInputTokens?: number;
}

// -------------------------------------------------------------------------------------------------------------- events

/**
 * What next() gets: an event as the server sent it. Optional fields may be null, events may have more fields, and at
 * run time there are events of unknown types too: see {@link isKnownEvent}.
 */
export type AGUIEvent =
  | RunStartedEvent | RunFinishedEvent | RunErrorEvent | StepStartedEvent | StepFinishedEvent
  | TextMessageStartEvent | TextMessageContentEvent | TextMessageEndEvent
  | ToolCallStartEvent | ToolCallArgsEvent | ToolCallEndEvent | ToolCallResultEvent
  | StateSnapshotEvent | StateDeltaEvent | MessagesSnapshotEvent | ActivitySnapshotEvent | ActivityDeltaEvent
  | ReasoningStartEvent | ReasoningEndEvent
  | ReasoningMessageStartEvent | ReasoningMessageContentEvent | ReasoningMessageEndEvent | ReasoningEncryptedValueEvent
  | SubagentStartedEvent | SubagentFinishedEvent | SubagentErrorEvent | RawEvent | AGUICustomEvent;

/** What a source of events may give besides: shorthands that next() never sees, because they are expanded first. */
export type ChunkEvent = TextMessageChunkEvent | ToolCallChunkEvent | ReasoningMessageChunkEvent;

/** Removes every thread that `persist` kept in this browser, and ends its keeping. */
export function forgetAll(): Promise<void>;

/** Whether an event is of a type that the protocol knows (chunks included). */
export function isKnownEvent(event: unknown): event is AGUIEvent;

interface EventBase {
  timestamp?: number | null;
  rawEvent?: any;
  metadata?: Metadata | null;
}

interface OwnedEventBase extends EventBase {
  /** The subagent that it belongs to; absent: the agent itself. */
  subagentRunId?: string;
}

export interface RunStartedEvent extends EventBase {
  type: "RUN_STARTED";
  threadId: string;
  runId: string;
  protocolVersion?: string | null;
  parentRunId?: string | null;
  input?: any;
}

export interface RunFinishedEvent extends EventBase {
  type: "RUN_FINISHED";
  threadId: string;
  runId: string;
  result?: any;
  outcome?: Outcome | null;
  usage?: TokenUsage[] | null;
}

export interface RunErrorEvent extends EventBase {
  type: "RUN_ERROR";
  message: string;
  code?: string | null;
  usage?: TokenUsage[] | null;
}

export interface StepStartedEvent extends OwnedEventBase {
  type: "STEP_STARTED";
  stepName: string;
}

export interface StepFinishedEvent extends OwnedEventBase {
  type: "STEP_FINISHED";
  stepName: string;
}

export interface TextMessageStartEvent extends OwnedEventBase {
  type: "TEXT_MESSAGE_START";
  messageId: string;
  /** Absent: assistant. */
  role?: "developer" | "system" | "assistant" | "user" | null;
  name?: string | null;
}

export interface TextMessageContentEvent extends OwnedEventBase {
  type: "TEXT_MESSAGE_CONTENT";
  messageId: string;
  delta: string;
}

export interface TextMessageEndEvent extends OwnedEventBase {
  type: "TEXT_MESSAGE_END";
  messageId: string;
}

export interface TextMessageChunkEvent extends OwnedEventBase {
  type: "TEXT_MESSAGE_CHUNK";
  messageId?: string | null;
  role?: "developer" | "system" | "assistant" | "user" | null;
  delta?: string | null;
  name?: string | null;
}

export interface ToolCallStartEvent extends OwnedEventBase {
  type: "TOOL_CALL_START";
  toolCallId: string;
  toolCallName: string;
  parentMessageId?: string | null;
}

export interface ToolCallArgsEvent extends OwnedEventBase {
  type: "TOOL_CALL_ARGS";
  toolCallId: string;
  delta: string;
}

export interface ToolCallEndEvent extends OwnedEventBase {
  type: "TOOL_CALL_END";
  toolCallId: string;
}

export interface ToolCallChunkEvent extends OwnedEventBase {
  type: "TOOL_CALL_CHUNK";
  toolCallId?: string | null;
  toolCallName?: string | null;
  parentMessageId?: string | null;
  delta?: string | null;
}

export interface ToolCallResultEvent extends OwnedEventBase {
  type: "TOOL_CALL_RESULT";
  messageId: string;
  toolCallId: string;
  content: string | ContentPart[];
  role?: "tool" | null;
}

export interface StateSnapshotEvent extends OwnedEventBase {
  type: "STATE_SNAPSHOT";
  snapshot: any;
}

/** One operation of RFC 6902. */
export type PatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: any }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

export interface StateDeltaEvent extends OwnedEventBase {
  type: "STATE_DELTA";
  delta: PatchOperation[];
}

export interface MessagesSnapshotEvent extends EventBase {
  type: "MESSAGES_SNAPSHOT";
  messages: Message[];
}

export interface ActivitySnapshotEvent extends OwnedEventBase {
  type: "ACTIVITY_SNAPSHOT";
  messageId: string;
  activityType: string;
  content: { [key: string]: any };
  /** Absent: true. */
  replace?: boolean | null;
}

export interface ActivityDeltaEvent extends OwnedEventBase {
  type: "ACTIVITY_DELTA";
  messageId: string;
  activityType: string;
  patch: PatchOperation[];
}

export interface ReasoningStartEvent extends OwnedEventBase {
  type: "REASONING_START";
  messageId: string;
}

export interface ReasoningEndEvent extends OwnedEventBase {
  type: "REASONING_END";
  messageId: string;
}

export interface ReasoningMessageStartEvent extends OwnedEventBase {
  type: "REASONING_MESSAGE_START";
  messageId: string;
  role?: "reasoning" | null;
}

export interface ReasoningMessageContentEvent extends OwnedEventBase {
  type: "REASONING_MESSAGE_CONTENT";
  messageId: string;
  delta: string;
}

export interface ReasoningMessageEndEvent extends OwnedEventBase {
  type: "REASONING_MESSAGE_END";
  messageId: string;
}

export interface ReasoningMessageChunkEvent extends OwnedEventBase {
  type: "REASONING_MESSAGE_CHUNK";
  messageId?: string | null;
  delta?: string | null;
}

export interface ReasoningEncryptedValueEvent extends OwnedEventBase {
  type: "REASONING_ENCRYPTED_VALUE";
  subtype: "tool-call" | "message";
  entityId: string;
  encryptedValue: string;
}

export interface SubagentStartedEvent extends EventBase {
  type: "SUBAGENT_STARTED";
  subagentRunId: string;
  name: string;
  description?: string | null;
  parentSubagentRunId?: string | null;
  parentToolCallId?: string | null;
  parentMessageId?: string | null;
}

export interface SubagentFinishedEvent extends EventBase {
  type: "SUBAGENT_FINISHED";
  subagentRunId: string;
  result?: any;
  outcome?: { type: "success" } | { type: "suspended"; interruptIds?: string[] | null } | null;
}

export interface SubagentErrorEvent extends EventBase {
  type: "SUBAGENT_ERROR";
  subagentRunId: string;
  message: string;
  code?: string | null;
}

export interface RawEvent extends OwnedEventBase {
  type: "RAW";
  event: any;
  source?: string | null;
}

export interface AGUICustomEvent extends OwnedEventBase {
  type: "CUSTOM";
  name: string;
  value: any;
}

// ------------------------------------------------------------------------------------------------------- the chat view

/** What a renderer of tool calls is given. */
export interface ToolDrawing {
  readonly id: string;
  readonly name: string;
  readonly status: "preparing" | "running" | "done" | "failed" | "waiting" | "stopped" | "declined" | "dismissed";
  /** The arguments as far as they came: what is unfinished is left out. */
  readonly arguments: Record<string, any>;
  readonly argumentsText: string;
  readonly result?: string | readonly ContentPart[];
  readonly error?: string;
  /** As the agent's answer(): a string, or a value that becomes JSON. A second answer does nothing. */
  respond(value?: unknown, options?: AnswerOptions | null): void;
  /** As the agent's dismiss(): leaves the call without an answer. */
  dismiss(): void;
}

/** What a renderer of activities is given. */
export interface ActivityDrawing {
  readonly id: string;
  readonly activityType: string;
  readonly content: any;
}

/** What the renderer of formulas is given: LaTeX without its marks, \(x\) in a line, \[x\] or $$x$$ by itself. */
export interface MathDrawing {
  readonly text: string;
  readonly display: boolean;
}

/** What a renderer of fenced code is given, once the block is whole. */
export interface CodeDrawing {
  readonly code: string;
  /** As the fence names it: the renderer's name. */
  readonly language: string;
}

/**
 * Draws into the container, which stands in the page's own tree, so that the page's styles reach it. It is called
 * again, with the same container, whenever what it draws changed, at most once per animation frame. It may return a
 * function that is called when the container goes. If it throws, that is reported and the chat draws the thing itself.
 */
export type Renderer<Data> = (container: HTMLElement, data: Data) => void | (() => void);

/** The names of the chat's own words. */
export type LabelName =
  | "chat" | "conversation" | "you" | "assistant" | "message" | "placeholder" | "send" | "stop" | "retry" | "attach"
  | "remove" | "attachments" | "drop" | "tooLarge" | "notTaken"
  | "unreadable" | "empty" | "newMessages" | "working" | "thinking"
  | "thought" | "reasoning" | "copy" | "copied" | "copyFailed" | "code" | "table" | "tool" | "arguments" | "result"
  | "failed" | "error" | "preparing" | "running" | "done" | "waiting" | "stopped" | "declined" | "dismissed"
  | "activity" | "subagent" | "empty value" | "more" | "showMore" | "yes" | "no" | "true" | "false" | "none"
  | "image" | "audio" | "video" | "document" | "file" | "load" | "from" | "download" | "open" | "unsupported"
  | "question" | "approve" | "reject" | "edit" | "cancel" | "dismiss" | "queued" | "refused" | "submit" | "answer"
  | "approval" | "editArguments" | "answered" | "expires" | "expired" | "choose" | "answerFirst" | "required"
  | "invalid" | "invalidNumber" | "invalidRange" | "invalidJSON" | "networkError" | "httpError" | "formatError"
  | "cutError" | "timeoutError" | "runError" | "inputError" | "loadError" | "regenerate" | "version"
  | "previousVersion" | "nextVersion" | "brokeOff" | "good" | "bad" | "otherError" | "todo" | "jump" | "lostError"
  | "suggestions" | "readAloud" | "stopReading" | "busyError" | "reconnecting" | "offline" | "reconnect" | "sendAgain"
  | "workTwice" | "openChat" | "closeChat" | "notAccepted" | "tooMany";

/** A button of the page's own with messages. */
export interface MessageAction {
  label: string;
  /** Whose messages have it. Default both. */
  role?: "user" | "assistant";
  /** Given a person's message, or the last of an answer. */
  onClick(message: Message, about: { threadId: string; runId?: string }): void;
}

/** What a person may say next: the button's words, and what is sent where that is something else. */
export type Suggestion = string | { label: string; message?: string };

/**
 * The view's options, and those of the HttpAgent that is made where no agent is given (url, headers, tools, ...). With
 * any other option, or a label of no such name, `ready` rejects with a TypeError that names the nearest.
 */
export interface MountOptions extends HttpAgentConfig {
  /** The agent; without one an HttpAgent is made of these options, or of the page's defaults. */
  agent?: AbstractAgent;
  /** A language tag: "en", "zh-CN". The page's `lang` where absent, else the browser's. */
  lang?: string;
  /** Words to replace. {} is replaced by a name. */
  labels?: { [name in LabelName]?: string };
  /**
   * "fill", the default: the chat is in its element. "popup" and "sidebar" stand over the page, closed until the button
   * at its lower end, or show(), opens them; on a phone they are the whole screen. Escape closes them.
   */
  layout?: "fill" | "popup" | "sidebar";
  /** Sets the element's data-theme; "auto" follows the system, as no theme does. */
  theme?: "light" | "dark" | "auto";
  renderers?: {
    tools?: Record<string, Renderer<ToolDrawing>>;
    activities?: Record<string, Renderer<ActivityDrawing>>;
    /** Formulas, which are else shown as they are written. Drawn anew in an empty container where the text changes. */
    math?: Renderer<MathDrawing>;
    /** Fenced code by its language. */
    code?: Record<string, Renderer<CodeDrawing>>;
  };
  /** Fetch images, audio and video that the agent names by address without asking. Default false: a click does. */
  remoteImages?: boolean;
  /**
   * What people can do with messages: copy them as Markdown, edit their own, have answers made again, and switch
   * between the versions. true: all of it. A list names some, "readAloud" (an answer, by the browser's own voice, where
   * it has one) and buttons of the page's own. Default false.
   */
  messageActions?: boolean | readonly ("copy" | "edit" | "regenerate" | "readAloud" | MessageAction)[];
  /**
   * Lets people say what they think of an answer: called with its last message and "good", "bad", or null where they
   * take it back. The runId is known of answers that this page saw begin.
   */
  onFeedback?(message: Message, value: "good" | "bad" | null, about: { threadId: string; runId?: string }): void;
  /**
   * Of the runs that the chat begins, as runAgent takes it. A function is asked at each: what the page shows now, or
   * who is signed in.
   */
  context?: readonly Context[] | (() => readonly Context[] | undefined);
  forwardedProps?: unknown;
  /** Called with what the event `error` tells. */
  onError?(error: unknown): void;
  /** What stands there before the first message: a text, or an element of the page's, which is moved there. */
  welcome?: string | Element;
  /**
   * What a person may say next, at a click: a list that stands there before the first message; a function that is asked
   * then and after each run; where the agent's state has the list, as a JSON Pointer; or the name of a CUSTOM event
   * whose value it is, until the next run begins.
   */
  suggestions?: readonly Suggestion[] | { state: string } | { event: string } |
    ((conversation: { messages: readonly Message[]; state: any; threadId: string }) =>
      readonly Suggestion[] | undefined | Promise<readonly Suggestion[] | undefined>);
  /** A line below the composer. */
  disclaimer?: string;
  /** Who answers: a name above the answers, and the address of a picture beside them. */
  assistant?: { name?: string; avatar?: string };
  /**
   * Let people attach files. Default true. An agent with a method getCapabilities() is asked which kinds it takes
   * (`multimodal.input`), and the chat offers those.
   */
  attach?: boolean;
  /** The types that may be attached, as an <input>'s `accept`: "image/*,.pdf". Default any. */
  acceptFiles?: string;
  /** How many files one message may have. Default any number. */
  maxFiles?: number;
  /** On a phone, "environment" or "user": attaching opens that camera. */
  capture?: "environment" | "user";
  /** Keeps what is written and not sent over an unmount and a reload: in the tab or in the browser. */
  draft?: "session" | "local";
  /** The largest file that may be attached, in bytes. Default 20 MiB. */
  maxFileBytes?: number;
}

/** The detail of each event of a chat. The events do not bubble and cannot be cancelled. */
export interface ChatEventDetails {
  /** The chat is drawn. */
  ready: {};
  /** A person sends: text, or a list of text and files. */
  send: { readonly content: string | readonly (string | File)[] };
  /** A message is complete. */
  message: { readonly message: Message };
  /** A tool call is complete. */
  tool: { readonly toolCall: ToolCall };
  /** A run is over, and the agent waits for answers. */
  interrupt: { readonly interrupts: readonly Interrupt[] };
  /** A run, or what a person wanted, failed: an AGUIError, or what the page's own code threw. Each is told once. */
  error: { readonly error: unknown };
  /** The agent's threadId is another. */
  threadchange: { readonly threadId: string };
  /** A sidebar or popup was opened or closed. */
  openchange: { readonly open: boolean };
}

/** The chat's events by name: CustomEvents, for addEventListener. */
export type ChatEventMap = { [name in keyof ChatEventDetails]: CustomEvent<ChatEventDetails[name]> };

/** A chat's composer. submit() sends what is written, as Enter does. */
export interface Composer {
  value: string;
  focus(): void;
  submit(): void;
}

/** A mounted chat. Its events are those of ChatEventMap. */
export interface Mounted<Agent extends AbstractAgent = HttpAgent> extends EventTarget {
  readonly agent: Agent;
  /** Resolves when the chat is drawn; rejects with an AGUIError where it cannot be. */
  readonly ready: Promise<void>;
  /** The composer, once the part of the chat has come. */
  readonly composer?: Composer;
  /** Opens a sidebar or popup, and gives it the focus. Absent where the chat fills its element. */
  show?(): void;
  /** Closes it, and gives the focus back. */
  close?(): void;
  /** Takes the chat away. An agent that was not given is disposed of. */
  unmount(): void;
  addEventListener<Name extends keyof ChatEventMap>(name: Name, listener: (event: ChatEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(name: string, listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions): void;
}

/**
 * Puts the ready chat view into an element, or into the first one that a selector names. What was mounted there before
 * is taken away. While the page is still read, an element that a selector does not find yet is waited for. `<div
 * data-agui="URL"></div>` does the same when the page has loaded or when it is added later, and goes when it is
 * removed; data-resume-run-id and data-unanswered are the options resumeRunId and unanswered. The script tag's
 * data-mount (a selector, or "none") says which of these elements the page wrote itself: others are not mounted.
 */
export function mount<Agent extends AbstractAgent = HttpAgent>(element: Element | string,
  options?: MountOptions & { agent?: Agent }): Mounted<Agent>;

/**
 * `<agui-chat url="...">`: mount() as a custom element, defined when a page has the first one. It is a chat while it is
 * in the page. Attributes: url, theme, layout, persist, reconnect, unanswered, credentials, thread-id, agent-id,
 * resume-run-id, while-running, max-file-bytes, remote-images, message-actions (empty for all, or a list), attach
 * ("false"), lang.
 * Properties: every option of mount(), text ones in step with their attributes; they may be set before the element is
 * defined. Events: those of ChatEventMap, at the element. A change of the looks keeps the conversation, one of the
 * agent's options begins another. What data-mount says of elements with data-agui holds for these as well.
 */
export interface ChatElement extends HTMLElement, Omit<MountOptions, "lang" | "agent"> {
  /** The page's own, or the one that was made of the options: undefined while there is no chat. */
  agent?: AbstractAgent;
  /** What mount() gave; null while there is no chat. */
  readonly mounted: Mounted<AbstractAgent> | null;
  addEventListener<Name extends Exclude<keyof ChatEventMap, "error">>(name: Name,
    listener: (event: ChatEventMap[Name]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(name: string, listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions): void;
}

// -------------------------------------------------------------------------------------------------------------- replay

/** A recorded run: what was asked, and the body of the answer with the time at which each of its frames came. */
export interface Recording {
  name?: string;
  title?: string;
  /** What a person said to get this. */
  prompt?: string;
  /**
   * What was asked. Where it is absent, the names THREAD, RUN, NEXT and MESSAGE in the body stand for the ids of the
   * run that asks.
   */
  input?: any;
  /** Default: status 200, text/event-stream. */
  response: { status?: number; contentType?: string; body: string };
  /** One for each frame (what a blank line ends) of the body, in ms from the start. Default: one frame every 25 ms. */
  times?: number[];
  /** The connection broke after the body. */
  broken?: boolean;
  /** What follows: "resolved" and "cancelled" for answers to its interrupts, "tool" for results of its calls. */
  after?: Record<string, Recording>;
}

/** The file that the first page saves. */
export interface RecordingFile {
  format?: "agui-recording";
  version?: 1;
  runs: Recording[];
}

export interface ReplayOptions extends Omit<HttpAgentConfig, "fetch"> {
  /** 1 is the recorded pace, 2 twice as fast, Infinity does not wait. Default: 1. */
  speed?: number;
}

/**
 * Gives an agent that answers with recorded runs, in their order and around again, so that a page, a test or a bug
 * report plays without a server: a file that the first page saved (Save), one of dist/recordings/, or a run written by
 * hand, as a value or as its JSON. Throws a TypeError for anything else.
 */
export function replay(recording: Recording | RecordingFile | string, options?: ReplayOptions | null): HttpAgent;

// -------------------------------------------------------------------------------------------------------------- agents

/**
 * What a source of events may be: an Observable of ours or of another library, an (async) iterable, a Response, or a
 * promise of one.
 */
export type RunSource =
  | { subscribe(observer: { next(event: any): void; error(error: any): void; complete(): void }): any }
  | AsyncIterable<any> | Iterable<any> | Response
  | PromiseLike<{ subscribe(observer: { next(event: any): void; error(error: any): void; complete(): void }): any } |
  AsyncIterable<any> | Iterable<any> | Response>;

/**
 * A RunAgentInput, as hooks, middleware and agents of one's own get it. Its messages and state are snapshots: frozen.
 */
export interface RunAgentInput {
  threadId: string;
  runId: string;
  protocolVersion?: string;
  parentRunId?: string;
  state: any;
  messages: readonly Message[];
  tools: readonly Tool[];
  context: readonly Context[];
  forwardedProps: any;
  resume?: readonly ResumeEntry[];
}

/** A tool that runs in the page, or (without a handler) one that the agent is only told of. */
export interface FrontendTool<Args = any> extends Tool {
  /**
   * A JSON Schema, or a schema object of a library that gives one by `~standard.jsonSchema` or a method toJSONSchema
   * (or toJsonSchema): that is sent. Its `~standard.validate` judges the arguments before the handler, which gets what
   * it gives; a refusal becomes the message's error, which the model can mend. Anything else is a TypeError.
   */
  parameters?: any;
  /**
   * Answers a call after the run, side by side with the others. Its result becomes the tool message: a string or
   * content parts as they are, nothing as "", anything else as its JSON text. What it throws becomes the message's
   * error. Called only for whole calls whose arguments are a JSON object ({} where there are none).
   */
  handler?(args: Args, call: { toolCall: ToolCall; signal: AbortSignal; agent: AbstractAgent }): unknown;
  /** Whether the agent is told of the tool; asked before each request. Default: it is. */
  available?(): boolean;
  /**
   * How long the handler may take, in ms. Then its signal aborts and the call is answered with an error. Default: no
   * limit.
   */
  timeoutMs?: number;
  /**
   * A person is asked before the handler runs: the call waits (pendingToolCallIds) for approve(), answer() or
   * dismiss(). A function is asked with the arguments; one that throws asks. Default: false.
   */
  needsApproval?: boolean | ((args: any) => boolean);
  /**
   * Offers the tool to the browser's own agents too, where it has a modelContext (WebMCP); the agent is not told of it.
   * Its handler, timeoutMs, available and needsApproval hold there as well: the browser's confirm() shows the
   * arguments. It is withdrawn with the tool (setTools) and by dispose(). Default: false.
   */
  webmcp?: boolean |
    { annotations?: { readOnlyHint?: boolean; untrustedContentHint?: boolean; [name: string]: unknown } };
}

/** A way in which the conversation went on. Frozen. */
export interface MessageVersion {
  /** The conversation holds it. */
  readonly shown: boolean;
  /** Its messages: the edited message or the answer, and what followed. */
  readonly messages: readonly Message[];
  /**
   * Puts it into the place of the shown one, with the state and the questions that it had; the next run goes on from
   * its last run. Rejects with bad_input during a run.
   */
  show(): Promise<void>;
}

export type DebugConfig = boolean | {
  /** Each event. Default: true. */
  events?: boolean;
  /** Begin, end and failure of runs. Default: true. */
  lifecycle?: boolean;
  /** Whole events instead of their types. Default: false. */
  verbose?: boolean;
};

export interface AgentConfig {
  /** Default: a UUID, made at the first run. */
  agentId?: string | null;
  description?: string | null;
  /** The conversation. Default: a new UUID. */
  threadId?: string | null;
  initialMessages?: readonly InputMessage[];
  /** Default: {}. */
  initialState?: unknown;
  /** console.debug lines. Default: false. */
  debug?: DebugConfig;
  tools?: readonly FrontendTool[] | null;
  /** How many runs the answers of tools may start after one another. Default: 10. */
  maxToolRounds?: number | null;
  /**
   * How many ended runs the agent remembers, to branch from: a whole number from 0. The messages of all of them
   * together cost what the conversation costs, but each keeps its own state: with a large state that changes in each
   * run take fewer. Default: 1000.
   */
  keepRuns?: number | null;
  /**
   * Asked about each interrupt of a run; where every one is answered, the agent runs on. What it leaves open stays
   * open.
   */
  onInterrupt?: ((interrupt: Interrupt, about: { agent: AbstractAgent; signal: AbortSignal }) =>
    MaybePromise<InterruptAnswer | null | undefined>) | null;
  /**
   * Asked after connect() about each waiting call of a tool with a handler, which does not run by itself then: its
   * effect may be there. true runs the handler; anything else leaves the call waiting. begun: with `persist`, whether
   * the handler had begun in a page before; undefined where nothing says so, as where another tab has the thread.
   */
  onPendingTool?: ((toolCall: ToolCall, about: { agent: AbstractAgent; begun?: boolean }) => MaybePromise<boolean |
    null | undefined |
    void>) | null;
  /**
   * Keeps messages, state and open questions beyond the page ([connections.md](connections.md)): "session" for a reload
   * of the tab, "local" for later visits too, both in IndexedDB; or a store of the page's own. Without a threadId an
   * agent of the same url and agentId goes on with the thread that was kept last. No headers are kept. Default: false.
   */
  persist?: "session" | "local" | ThreadStore | false | null;
  /**
   * "full" (the default) sends the whole conversation; "new" only what the agent's thread has not had since the last
   * run that finished, with the calls that new tool results answer. Where the page has taken away, changed or moved
   * messages that the agent has, the next run carries the latest run whose messages are all kept as parentRunId, and
   * what came after it; where none is kept, it carries the whole conversation, once.
   */
  history?: "full" | "new" | null;
  /**
   * The runId of a run that answers interrupts: "new" (the default), or the interrupted run's own ("same"), for servers
   * that know a paused run by it. A new one carries the interrupted run as parentRunId.
   */
  resumeRunId?: "new" | "same" | null;
  /**
   * What becomes of tool calls without a result at the next request: those that nobody will answer any more (cut off by
   * an abort or an error, or approved without the server giving a result) always get a tool message; "close" gives one
   * to every other too, except to those that the agent named as pending. Default: "keep".
   */
  unanswered?: "keep" | "close" | null;
  /**
   * What becomes of a send() during a run: "refuse" (the default) rejects it with bad_input; "queue" lets it wait for
   * the end of the run, and of questions and calls that wait for a person; "interrupt" aborts the run. The chat queues
   * where the agent would refuse.
   */
  whileRunning?: "refuse" | "queue" | "interrupt" | null;
  /** Gives a run's events instead of a subclass's method. */
  run?(input: RunAgentInput): RunSource;
  verify?: RunOptions["verify"];
  maxEventBytes?: RunOptions["maxEventBytes"];
  keepRaw?: RunOptions["keepRaw"];
  accept?: RunOptions["accept"];
  idleTimeoutMs?: RunOptions["idleTimeoutMs"];
  onWarning?: RunOptions["onWarning"];
  reconnect?: RunOptions["reconnect"];
}

/** A place for threads. What its functions reject with is told as a warning `persist_failed`; the agent goes on. */
export interface ThreadStore {
  /** Gives what save was given last for a thread, or nothing. */
  load(threadId: string): MaybePromise<KeptThread | null | undefined>;
  /** Called after a change, at most once a frame, and not again before it has ended. */
  save(thread: KeptThread): MaybePromise<void>;
  /** Called by forget(). */
  remove(threadId: string): MaybePromise<void>;
}

/** A thread as it is kept: plain JSON, frozen. */
export interface KeptThread {
  version: 1;
  threadId: string;
  /** Counts the writes, where the store is ours. */
  rev: number;
  /** When it was written, in ms since 1970. */
  updated: number;
  messages: readonly Message[];
  state: any;
  interrupts: readonly Interrupt[];
  /** A run was under way. */
  open: boolean;
  /** Where that run stood, for a server with cursors: it goes back as it came. */
  at: any;
  /** The ids of the calls without an answer whose handlers have begun. */
  begun: readonly string[];
  /**
   * The messages whose end did not come, by id: a person stopped them, or they broke off, and how long their text was.
   * The chat shows it. Absent in what older versions wrote.
   */
  halves?: Readonly<Record<string, { how: "stopped" | "brokeOff"; length: number }>>;
}

export interface HttpAgentConfig extends AgentConfig, Pick<RunOptions,
  "headers" | "credentials" | "requestInit" | "fetch"> {
  /** Default: what was configured. */
  url?: string | URL | null;
}

export type InterruptAnswer =
  | { status: "resolved"; payload?: any; metadata?: Metadata }
  | { status: "cancelled"; metadata?: Metadata };

export interface RunAgentParameters {
  /** Default: a new UUID. */
  runId?: string;
  /**
   * Default: after branch(), the run that was branched from; where it answers interrupts, the run that asked; else
   * none.
   */
  parentRunId?: string;
  /** For this run, beside the agent's own; of two with one name these count. */
  tools?: readonly FrontendTool[];
  context?: readonly Context[];
  forwardedProps?: any;
  /** Answers to every open interrupt. */
  resume?: readonly ResumeEntry[];
  /** For send(), edit() and regenerate(): see the agent's whileRunning. */
  whileRunning?: "refuse" | "queue" | "interrupt" | null;
  /** Aborting it is abortRun(). */
  abortController?: AbortController;
}

export interface RunAgentResult {
  /** The result of the last run's RUN_FINISHED. */
  result: any;
  /** The messages that were not there before, of all the runs that followed from this one. */
  newMessages: Message[];
  /** Undefined: the run failed, and onRunFailed stopped that. */
  outcome: "success" | "interrupt" | "cancelled" | "aborted" | undefined;
}

export interface AnswerOptions {
  /** The tool message's error; without a result also its content. */
  error?: string;
  /** false: no run follows; the next request carries the answer. Default: true. */
  run?: boolean;
  /** Of the run that follows. */
  parameters?: RunAgentParameters;
}

type MaybePromise<T> = T | Promise<T>;

/** What a hook may return. Snapshots in it (what messages and state held already) stay the same objects. */
export interface AgentStateMutation {
  messages?: readonly InputMessage[];
  state?: unknown;
  /** No later subscriber is asked, and the event is not applied. In onRunFailed: runAgent resolves. */
  stopPropagation?: boolean;
}

export interface AgentSubscriberParams {
  /** The snapshots before the event. */
  readonly messages: readonly Message[];
  readonly state: any;
  agent: AbstractAgent;
  input: RunAgentInput;
}

type HookResult = MaybePromise<AgentStateMutation | null | undefined | void>;
type EventHook<E, Extra = unknown> = (params: AgentSubscriberParams & { event: E } & Extra) => HookResult;
type ChangeParams<Extra = unknown> = Omit<AgentSubscriberParams, "input"> & { input?: RunAgentInput } & Extra;

/**
 * Hooks into an agent's runs. They are asked in the order of subscription, and the run waits for those that are async.
 * What a hook throws goes to reportError, and it is passed over. A run whose subscribers have no event hook does not
 * stop at any event.
 */
export interface AgentSubscriber {
  /** Before the request. Messages and state that it returns are sent. */
  onRunInitialized?(params: AgentSubscriberParams): HookResult;
  onRunFailed?(params: AgentSubscriberParams & { error: AGUIError }): HookResult;
  onRunFinalized?(params: AgentSubscriberParams): HookResult;
  /** With `reconnect`: the connection of the run changed. */
  onConnectionChanged?(params: ChangeParams<{ connection: Connection }>): void | Promise<void>;
  /** By connect(): what the server had is in messages and state; `replayed` events of the past made it. */
  onConnected?(params: ChangeParams<{ replayed: number }>): void | Promise<void>;
  /** Before an event's own hook. */
  onEvent?(params: AgentSubscriberParams & { event: AGUIEvent }): HookResult;
  onRunStartedEvent?: EventHook<RunStartedEvent>;
  onRunFinishedEvent?: EventHook<RunFinishedEvent,
    | { outcome: "success"; result?: any; pendingToolCallIds: string[] }
    | { outcome: "interrupt"; interrupts: readonly Interrupt[] }
    | { outcome: "cancelled" }>;
  onRunErrorEvent?: EventHook<RunErrorEvent>;
  onStepStartedEvent?: EventHook<StepStartedEvent>;
  onStepFinishedEvent?: EventHook<StepFinishedEvent>;
  onSubagentStartedEvent?: EventHook<SubagentStartedEvent>;
  onSubagentFinishedEvent?: EventHook<SubagentFinishedEvent>;
  onSubagentErrorEvent?: EventHook<SubagentErrorEvent>;
  onTextMessageStartEvent?: EventHook<TextMessageStartEvent>;
  /** textMessageBuffer: the text before this delta. */
  onTextMessageContentEvent?: EventHook<TextMessageContentEvent, { textMessageBuffer: string }>;
  onTextMessageEndEvent?: EventHook<TextMessageEndEvent, { textMessageBuffer: string }>;
  onToolCallStartEvent?: EventHook<ToolCallStartEvent>;
  /**
   * toolCallBuffer: the arguments before this delta; partialToolCallArgs: what of them can be read, parsed when it is
   * read.
   */
  onToolCallArgsEvent?: EventHook<ToolCallArgsEvent,
    { toolCallBuffer: string; toolCallName: string; readonly partialToolCallArgs: Record<string, any> }>;
  onToolCallEndEvent?: EventHook<ToolCallEndEvent, { toolCallName: string; toolCallArgs: Record<string, any> }>;
  onToolCallResultEvent?: EventHook<ToolCallResultEvent>;
  onStateSnapshotEvent?: EventHook<StateSnapshotEvent>;
  onStateDeltaEvent?: EventHook<StateDeltaEvent>;
  onMessagesSnapshotEvent?: EventHook<MessagesSnapshotEvent>;
  onActivitySnapshotEvent?: EventHook<ActivitySnapshotEvent,
    { activityMessage?: ActivityMessage; existingMessage?: Message }>;
  onActivityDeltaEvent?: EventHook<ActivityDeltaEvent, { activityMessage?: ActivityMessage }>;
  onRawEvent?: EventHook<RawEvent>;
  onCustomEvent?: EventHook<AGUICustomEvent>;
  onReasoningStartEvent?: EventHook<ReasoningStartEvent>;
  onReasoningMessageStartEvent?: EventHook<ReasoningMessageStartEvent>;
  onReasoningMessageContentEvent?: EventHook<ReasoningMessageContentEvent, { reasoningMessageBuffer: string }>;
  onReasoningMessageEndEvent?: EventHook<ReasoningMessageEndEvent, { reasoningMessageBuffer: string }>;
  onReasoningEndEvent?: EventHook<ReasoningEndEvent>;
  onReasoningEncryptedValueEvent?: EventHook<ReasoningEncryptedValueEvent>;
  /** The messages changed. Nobody waits for this one, nor for the next. */
  onMessagesChanged?(params: ChangeParams): MaybePromise<void>;
  onStateChanged?(params: ChangeParams): MaybePromise<void>;
  /** A message is complete, or was added. */
  onNewMessage?(params: ChangeParams<{ message: Message }>): MaybePromise<void>;
  onNewToolCall?(params: ChangeParams<{ toolCall: ToolCall }>): MaybePromise<void>;
}

/** An agent without a transport: a subclass's run(input) gives the events. */
export class AbstractAgent<State = any> {
  constructor(config?: AgentConfig);
  agentId?: string;
  description: string;
  threadId: string;
  subscribers: AgentSubscriber[];
  /**
   * The snapshots, frozen; what a change did not touch stays the same object. Assigning replaces them: what is assigned
   * is copied as JSON has it, but for snapshots, which stay as they are. During a run, what has come meanwhile is kept
   * too.
   */
  get messages(): readonly Message[];
  set messages(messages: readonly InputMessage[]);
  state: State;
  get pendingInterrupts(): readonly Interrupt[];
  set pendingInterrupts(interrupts: readonly Interrupt[]);
  /**
   * The tool calls that wait for an answer which nothing gives by itself, in the conversation's order: their run is
   * over, they have no tool message, no open interrupt is about them, they were not cut off, and no assistant has
   * spoken since a person went on without answering. Also those of a stored thread. The same array until it changes.
   */
  readonly pendingToolCallIds: readonly string[];
  /**
   * From runAgent to the end of the response, which may hold several runs, and of the runs that follow from it by
   * themselves. A response that stays open ends a second after a terminal event that nothing followed. Assigning
   * it, as a subclass made for a plain field may, changes nothing.
   */
  readonly isRunning: boolean;
  /** How the connection of the run stands, with the option `reconnect`; else its state is "idle". */
  readonly connection: Connection;
  tools: readonly FrontendTool[];
  maxToolRounds: number;
  /** How many ended runs are remembered. Setting it forgets those before the last so many at once; 0 forgets all. */
  keepRuns: number;
  history: "full" | "new";
  whileRunning: "refuse" | "queue" | "interrupt";
  /** What was sent during a run and waits, in the order in which it goes out, each in a run of its own. */
  readonly queue: readonly { readonly id: string; readonly content: any }[];
  /** Takes back what waits; its send() resolves with outcome "aborted". false: it is not there any more. */
  unqueue(id: string): boolean;
  onInterrupt: AgentConfig["onInterrupt"];
  onPendingTool: AgentConfig["onPendingTool"];
  /**
   * With `persist`: resolves when what was kept is in messages, state and pendingInterrupts; false where nothing was.
   */
  readonly restored: Promise<boolean>;
  /** Removes what `persist` kept of the thread, and keeps nothing more of it. What the page shows stays. */
  forget(): Promise<void>;
  get debug(): { enabled: boolean; events: boolean; lifecycle: boolean; verbose: boolean };
  set debug(debug: DebugConfig | undefined);

  /** Gives one run's events. */
  run(input: RunAgentInput): RunSource;
  /**
   * Runs the agent: one run, and those that follow from it (answers of tools, of onInterrupt). Rejects where a run
   * fails, with the AGUIError; with code bad_input where another run is under way or an interrupt is not answered. A
   * run whose terminal event has come is waited for. A person's message at the end dismisses waiting calls, as send()
   * does.
   */
  runAgent(parameters?: RunAgentParameters | null, subscriber?: AgentSubscriber | null): Promise<RunAgentResult>;
  /**
   * Adds a user's message and runs. Waiting calls of `tools` and of renderers are dismissed. Where it is refused
   * because an interrupt waits for its answer, the message is not kept. Files become image, audio, video or document
   * parts.
   */
  send(content: string | File | Blob | ContentPart | readonly (string | File | Blob | ContentPart)[],
    parameters?: RunAgentParameters | null, subscriber?: AgentSubscriber | null): Promise<RunAgentResult>;
  /**
   * Answers every open interrupt and runs on. They stay open if the request fails. Waiting calls that no interrupt
   * names are answered first: handlers run, unless an answer is cancelled, false, or an object with a false and no
   * true, and then the calls are dismissed; a call that a person answers has to be answered or dismissed before
   * (bad_input).
   */
  resume(entries: readonly ResumeEntry[], parameters?: RunAgentParameters | null,
    subscriber?: AgentSubscriber | null): Promise<RunAgentResult>;
  /**
   * Answers a tool call: its tool message stands behind it, in the calls' order. A run follows, once, when no other
   * call waits that a person answers (where the call's tool is among `tools` or has a renderer: none of such tools) and
   * no interrupt is open; after an answer during a run, when that is over. Resolves with that run's result, with null
   * where none follows. Answers the interrupt that asks the page to execute the call, where one does. Rejects with
   * bad_input where the call has its answer, is unknown, or waits for another interrupt's answer.
   * @param result As a handler's: a string or content parts as they are, nothing as "", anything else as its JSON text.
   */
  answer(toolCallId: string, result?: unknown, options?: AnswerOptions | null): Promise<RunAgentResult | null>;
  /**
   * Runs the handlers of the waiting calls that have one, and what follows. Never by itself: after a reload an effect
   * might come twice. Resolves with null where no call waits for a handler.
   */
  answerPending(parameters?: RunAgentParameters | null,
    subscriber?: AgentSubscriber | null): Promise<RunAgentResult | null>;
  /**
   * Lets the handler of a waiting call run, and what follows from its answer; false refuses the call: its tool message
   * has the error "Rejected by the user". Rejects with bad_input where the call does not wait or has no handler here.
   */
  approve(toolCallId: string, approved?: boolean, parameters?: RunAgentParameters): Promise<RunAgentResult | null>;
  /** Replaces the tools, from the next request on, a follow-up included. */
  setTools(tools: readonly FrontendTool[]): void;
  /**
   * Leaves a question or a waiting call, by the id of the interrupt or the call; without an id all. No run follows. An
   * interrupt is no longer open; the next request says that it is cancelled, and if the agent refuses that too, the one
   * after it says nothing. A call gets a tool message with the content and error "dismissed". Rejects with bad_input
   * during a run, and where nothing waits under that id.
   */
  dismiss(id?: string): Promise<void>;
  /**
   * Replaces a person's message, takes out what followed, and runs the agent; gives what runAgent does. The new message
   * has an id of its own. The state is again what the run got that answered the old one, where that run is known
   * (keepRuns); the next run carries the last run before it as parentRunId, and with history "new" only what that run
   * has not had. What was taken out is kept: see versions. Rejects with bad_input where there is no such message of a
   * person, and during a run, unless whileRunning is "interrupt".
   */
  edit(messageId: string, content: string | File | Blob | ContentPart | readonly (string | File | Blob | ContentPart)[],
    parameters?: RunAgentParameters | null, subscriber?: AgentSubscriber | null): Promise<RunAgentResult>;
  /**
   * Has an answer made again, as edit does: all that follows the last message of a person (or of the system) before the
   * message with that id, or the last answer.
   */
  regenerate(messageId?: string | null, parameters?: RunAgentParameters | null,
    subscriber?: AgentSubscriber | null): Promise<RunAgentResult>;
  /**
   * The versions of a person's message that was edited, or of the answer that a message belongs to, in the order in
   * which they were made; none where there is only one. They last as long as the agent, also where the program died
   * (then they are there again with the next one, of the last 100 changes), and go where setMessages takes their place
   * away.
   */
  versions(messageId: string): readonly MessageVersion[];
  /**
   * Ends the run: the request is aborted, runAgent resolves with outcome "aborted", what came stays. Another may begin
   * at once.
   */
  abortRun(): void;
  /**
   * Stops the run on its server, where the dialect of `reconnect` has a stop ("copilotkit"; "agno" with the agent's own
   * agentId), and ends it here as `abortRun` does, unless its end comes within a second. Only this run is stopped, not
   * a later one of the thread. Gives false where the server was not asked or did not stop it; then nothing has changed.
   * Rejects where the request fails.
   */
  stop(): Promise<boolean>;
  /** As abortRun; resolves when the run's hooks are through. */
  detachActiveRun(): Promise<void>;
  /** Drops the connection and says nothing to the server, which may go on. As detachActiveRun. */
  detach(): Promise<void>;
  /**
   * With `reconnect`: loads the thread from the server and joins the run that is under way there, by requests that only
   * read. What the server has goes into messages and state without events (one `onConnected`); what follows comes as in
   * any run. Resolves when that run is over, or at once where none runs (its outcome is then undefined, or
   * "interrupt"), with what runAgent gives. `target` is {threadId?, runId?}; its default is the agent's thread. Tools
   * of the page do not run by themselves: their calls wait, and `onPendingTool` is asked. Several calls for one thread
   * are one. While it is under way the agent runs, so send() is refused or queued (whileRunning). Another threadId than
   * the agent's begins with what the server has of that.
   *
   * Rejects with AGUIConnectNotImplementedError where there is no way to connect, and with `bad_input` during a run.
   *
   * A subclass may override it as in @ag-ui/client: given a RunAgentInput, it gives the events for connectAgent.
   */
  connect(target?: any): any;
  /**
   * As connect(), or what a subclass's connect(input) gives. Where there is no way to connect it resolves with nothing.
   */
  connectAgent(parameters?: RunAgentParameters | null, subscriber?: AgentSubscriber | null): Promise<RunAgentResult>;

  subscribe(subscriber: AgentSubscriber): { unsubscribe(): void };
  /** Puts middleware around the runs to come, the first outermost. */
  use(...middlewares: (Middleware | MiddlewareFunction)[]): this;
  /** What JSON.stringify(agent) writes: the fields, messages and state, without headers. */
  toJSON(): any;
  /**
   * Calls back when messages, state or isRunning changed: what events change at most once per animation frame, and at
   * once when a run has ended; what the page itself assigns, adds or patches at once, so that an input that a framework
   * draws from it keeps its caret. What a callback changes is told in the next frame. Gives the function that stops it.
   */
  onChange(callback: (agent: { messages: readonly Message[]; state: State; isRunning: boolean }) => void): () => void;
  /**
   * Calls back with each event that was applied, the snapshots as of it. Unlike a subscriber's hooks it can neither
   * hold an event up nor change what it does, so runs stay fast. Gives what stops it.
   */
  watch(callback: (event: AGUIEvent) => void): () => void;

  addMessage(message: InputMessage): void;
  addMessages(messages: readonly InputMessage[]): void;
  setMessages(messages: readonly InputMessage[]): void;
  setState(state: unknown): void;
  /**
   * Changes the state by JSON Patch operations, all or none, keeping every other value as the agent sent it. Where no
   * run is under way the new state is there when the call returns, before the WebAssembly too; during a run after the
   * events that came before.
   */
  patchState(operations: readonly PatchOperation[]): Promise<void>;

  /** An agent of its own that begins as this one. Of a subclass, public fields are copied; see recreate. */
  clone(): this;
  /**
   * Makes a new agent of the class for clone() and branch(), which then copy the public fields and set the
   * conversation. A subclass with private fields defines it, because nobody else can give these to a copy.
   */
  protected recreate?(): this;
  /**
   * An agent whose conversation is as that run left it, and whose next run carries it as parentRunId. The run may be
   * named by the id that was asked for or by the server's own.
   */
  branch(runId: string): this;
  /** Ends the run and lets go of everything; the agent runs no more. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** An agent behind a URL. */
export class HttpAgent<State = any> extends AbstractAgent<State> {
  constructor(config?: HttpAgentConfig);
  url: string;
  headers: { [name: string]: string } |
    (() => HeadersLike | null | undefined | Promise<HeadersLike | null | undefined>);
  fetch: (url: string, init: RequestInit) => Promise<Response> | Response;
  /** That of the run under way, or of the last one. */
  abortController: AbortController;
  /** The events of one request as the server sent them: not expanded, not judged. */
  run(input: RunAgentInput): Observable<any>;
  /** The request as fetch takes it; for subclasses, whose changes are sent. */
  requestInit(input: RunAgentInput): RequestInit;
}

/** The rest of a chain of middleware. */
export interface NextAgent {
  run(input: RunAgentInput): any;
  readonly messages: readonly Message[];
  readonly state: any;
}

export type MiddlewareFunction = (input: RunAgentInput, next: NextAgent) => RunSource;

/** Stands around an agent's run. */
export abstract class Middleware {
  abstract run(input: RunAgentInput, next: NextAgent): RunSource;
  /** Runs the next one and gives whole events. */
  protected runNext(input: RunAgentInput, next: NextAgent): Observable<any>;
  /** The same with the snapshots after each event. */
  protected runNextWithState(input: RunAgentInput,
    next: NextAgent): Observable<{ event: any; messages: readonly Message[]; state: any }>;
}

export class FunctionMiddleware extends Middleware {
  constructor(run: MiddlewareFunction);
  run(input: RunAgentInput, next: NextAgent): RunSource;
}

// ---------------------------------------------------------------------------------------------------------- the global

declare const names: Omit<typeof import("./agui.d.ts"), "default">;
/** All names in one object, as the script tag puts them on globalThis. */
export default names;

declare global {
  /** What the script tag puts on the page. */
  var agui: Omit<typeof import("./agui.d.ts"), "default">;
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
  interface HTMLElementTagNameMap {
    "agui-chat": import("./agui.d.ts").ChatElement;
  }
}
