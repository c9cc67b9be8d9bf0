// Makes a failing stream as short as possible.

const OPTIONAL = ["metadata", "timestamp", "rawEvent", "zz", "subagentRunId", "usage", "result", "name", "role",
  "protocolVersion", "parentRunId", "input", "outcome", "parentMessageId", "delta"];

/**
 * @param stream a stream that fails
 * @param {(stream: object) => Promise<boolean>} fails whether a stream still fails
 */
export async function shrink(stream, fails) {
  let best = structuredClone(stream);
  let budget = 600;
  const attempt = async (change) => {
    if (budget-- <= 0) return false;
    const candidate = structuredClone(best);
    if (change(candidate) === false) return false;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  let again = true;
  while (again && budget > 0) {
    again = false;
    // All events of one id together first: a START without its END would be another stream.
    for (const key of ["messageId", "toolCallId", "stepName", "subagentRunId", "runId"]) {
      for (const id of new Set(best.events.map((e) => e[key]))) {
        if (id !== undefined && (await attempt((s) => void (s.events = s.events.filter((e) => e[key] !== id))))) {
          again = true;
        }
      }
    }
    for (let size = Math.max(1, best.events.length >> 1); ; size >>= 1) {
      for (let at = 0; at < best.events.length; ) {
        if (await attempt((s) => void s.events.splice(at, size))) again = true;
        else at += size;
      }
      if (size <= 1) break;
    }
    for (let at = best.input.messages.length - 1; at >= 0; at--) {
      if (await attempt((s) => void s.input.messages.splice(at, 1))) again = true;
    }
    if (Object.keys(best.input.state ?? {}).length && (await attempt((s) => void (s.input.state = {})))) again = true;
    for (let i = 0; i < best.events.length; i++) {
      for (const key of OPTIONAL) {
        // theirs, and required
        if (["subagentRunId", "name"].includes(key) && best.events[i].type.startsWith("SUBAGENT_")) continue;
        if (key in best.events[i] && (await attempt((s) => void delete s.events[i][key]))) again = true;
      }
      for (const key of Object.keys(best.events[i])) {
        for (const list of [best.events[i][key], best.events[i][key]?.messages, best.events[i][key]?.interrupts]) {
          if (!Array.isArray(list)) continue;
          for (let at = list.length - 1; at >= 0; at--) {
            const inner = list === best.events[i][key] ? (s) => s.events[i][key]
              : list === best.events[i][key]?.messages ? (s) => s.events[i][key].messages
              : (s) => s.events[i][key].interrupts;
            if (await attempt((s) => void inner(s)?.splice(at, 1))) again = true;
          }
        }
      }
    }
  }
  return best;
}
