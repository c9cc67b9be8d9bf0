// A stream as the world sends them, brought to the rules: what the lenient repairs of PROTOCOL section 6 promise,
// written out for a reference that has none of them.

/**
 * Gives the events that an agent which keeps the rules would have sent.
 * @param {any[]} events
 * @param {import("./differences.js").Hits} hits
 */
export function mend(events, hits) {
  return inside(named(events, hits), hits);
}

/** Moves what came after a RUN_FINISHED, without a RUN_STARTED, before it: the run went on. */
function inside(events, hits) {
  const out = [];
  let end = null;
  let begun = new Set();
  const results = new Set(); // the calls of the run's results
  const lanes = new Set(); // the owners of the run's chunks
  const close = () => {
    if (end) out.push(end);
    end = null;
  };
  for (const e of events) {
    if (e.type === "RUN_STARTED" || e.type === "RUN_ERROR") {
      close();
      lanes.clear();
      results.clear();
    }
    if (e.type === "TOOL_CALL_RESULT") results.add(e.toolCallId);
    if (e.type === "RUN_FINISHED") {
      close();
      end = e;
      begun = new Set(out.slice(out.findLastIndex((o) => o.type === "RUN_STARTED") + 1).map((o) => o.toolCallId));
    } else {
      if (!end && e.type.endsWith("_CHUNK")) lanes.add(e.subagentRunId);
      if (end) {
        hits.add("after the end");
        // The end has closed the chunks' streams.
        for (const subagentRunId of lanes) {
          out.push({ type: "CUSTOM", name: "end", value: 0, ...(subagentRunId !== undefined && { subagentRunId }) });
        }
        lanes.clear();
        // What the outcome could not know of waits as well.
        if (end.outcome?.pendingToolCallIds?.length > 0 && typeof e.toolCallId === "string") {
          const list = end.outcome.pendingToolCallIds.filter((id) => e.type !== "TOOL_CALL_RESULT" ||
            id !== e.toolCallId);
          const waits = /^TOOL_CALL_(START|CHUNK)$/.test(e.type) && !begun.has(e.toolCallId) &&
            !results.has(e.toolCallId);
          if (waits && !list.includes(e.toolCallId)) list.push(e.toolCallId);
          if (list.length === 0) list.push("\u0001none"); // an empty list would name none
          end = { ...end, outcome: { ...end.outcome, pendingToolCallIds: list } };
        }
      }
      out.push(e);
    }
  }
  close();
  return out;
}

/** Gives ids to text and reasoning events that have none. */
function named(events, hits) {
  /** What is open, in the order of opening. @type {Record<string, {id: string, owner: unknown}[]>} */
  let open = {};
  let made = 0;
  return events.flatMap((e) => {
    if (e.type === "RUN_STARTED") open = {};
    const [, kind, what] = /^(TEXT_MESSAGE|REASONING_MESSAGE)_(START|CONTENT|END)$/.exec(e.type) ?? [];
    if (!kind) return [e];
    const list = (open[kind] ??= []);
    if (typeof e.messageId === "string") {
      const at = list.findIndex(({ id }) => id === e.messageId);
      if (what === "START" && at < 0) list.push({ id: e.messageId, owner: e.subagentRunId });
      if (what === "END" && at >= 0) list.splice(at, 1);
      return [e];
    }
    hits.add("missing id");
    if (what === "START") {
      list.push({ id: "made-" + ++made, owner: e.subagentRunId });
      return [{ ...e, messageId: list.at(-1).id }];
    }
    const before = [];
    if (list.length === 0) {
      if (what === "END") return [];
      list.push({ id: "made-" + ++made, owner: e.subagentRunId });
      before.push({
        type: kind + "_START", messageId: list.at(-1).id, ...(kind === "REASONING_MESSAGE" && { role: "reasoning" }),
        ...("subagentRunId" in e && { subagentRunId: e.subagentRunId }),
      });
    }
    const last = list.at(-1);
    if (what === "END") list.pop();
    // The opener's owner holds.
    const { subagentRunId: _, ...rest } = e;
    return [...before, { ...rest, messageId: last.id, ...(last.owner !== undefined && { subagentRunId: last.owner }) }];
  });
}
