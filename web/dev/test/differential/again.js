// What the reference gets where this runtime made a text or call one of its own, because its id had been used in an
// earlier turn: the same stream from an agent that uses each id once.

const MARK = "\u0001";

/**
 * Gives the ids that were used again names of their own, from where they start again.
 * @param {any} stream
 * @param {{at: number, id: string, call: boolean}[]} splits where it happened: the index of the event that showed it
 * @returns {any} null where a list of messages names such an id behind it: what that means is not this simple
 */
export function once(stream, splits) {
  const events = structuredClone(stream.events);
  for (const [n, { at, id, call }] of splits.entries()) {
    const run = events.slice(0, at + 1).map((/** @type {any} */ e) => e.type).lastIndexOf("RUN_STARTED");
    const opens = (/** @type {any} */ e) =>
      (call ? OPENS_CALL : OPENS_TEXT).test(e.type) && wire(call ? e.toolCallId : e.messageId) === id;
    const from = events.findIndex((/** @type {any} */ e, /** @type {number} */ i) => i > run && i <= at && opens(e));
    if (from < 0) return null;
    // What comes of it before it differs is the earlier one's, as of a repetition.
    const early = events.slice(from, at).some((/** @type {any} */ { type, toolCallId, entityId }) =>
      type === "TOOL_CALL_RESULT" && toolCallId === id || type === "REASONING_ENCRYPTED_VALUE" && entityId === id);
    if (early || (events[from].role ?? "assistant") !== "assistant") return null;
    const fresh = `${id}${MARK}again${n}`;
    for (const e of events.slice(from)) {
      const lists = [e.messages, e.input?.messages].flat().filter(Boolean);
      const calls = lists.flatMap((m) => (Array.isArray(m.toolCalls) ? m.toolCalls : []));
      if ([...lists, ...calls].some((each) => each.id === id || each.toolCallId === id)) return null;
      const name = (/** @type {any} */ o, /** @type {string} */ key) => {
        if (o && wire(o[key]) === id) o[key] = fresh;
      };
      if (call) {
        // The message that was made for the call has an id that the server never knew.
        if (wire(e.parentMessageId) === id) return null;
        if (/^TOOL_CALL_/.test(e.type)) name(e, "toolCallId");
        if (e.type === "REASONING_ENCRYPTED_VALUE" && e.subtype === "tool-call") name(e, "entityId");
        for (const interrupt of e.outcome?.interrupts ?? []) name(interrupt, "toolCallId");
        const ids = e.outcome?.pendingToolCallIds;
        if (Array.isArray(ids)) e.outcome.pendingToolCallIds = ids.map((each) => (wire(each) === id ? fresh : each));
      } else {
        if (/^TEXT_MESSAGE_/.test(e.type)) name(e, "messageId");
        if (OPENS_CALL.test(e.type)) {
          // Without a parent a call goes into the message of its own id.
          if (!e.parentMessageId && e.toolCallId === id) return null;
          if (e.parentMessageId) name(e, "parentMessageId");
        }
        if (e.type === "REASONING_ENCRYPTED_VALUE" && e.subtype === "message") name(e, "entityId");
      }
    }
  }
  return { ...stream, events };
}

const OPENS_TEXT = /^TEXT_MESSAGE_(START|CHUNK)$/;
const OPENS_CALL = /^TOOL_CALL_(START|CHUNK)$/;

/** @param {any} id */
const wire = (id) => (typeof id === "string" && id.includes(MARK) ? id.slice(0, id.indexOf(MARK)) : id);
