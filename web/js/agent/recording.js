"use strict";

/**
 * A recorded run: what was asked and the answer's body, with the time at which each of its frames came. It holds no
 * header of the request, so no key can get into a file.
 * @typedef {object} Recording
 * @property {string} [name]
 * @property {string} [title]
 * @property {string} [prompt]
 * @property {any} [input] the RunAgentInput
 * @property {{status: number, contentType: string, body: string}} response
 * @property {number[]} [times] ms from the start, one for each frame of the body
 * @property {boolean} [broken] the connection broke after the body
 * @property {Record<string, Recording>} [after] what follows: "resolved" and "cancelled" for answers to interrupts,
 *   "tool" for results
 */

/**
 * Reads what was recorded: a file of recorded runs or a single run, as a value or as its JSON.
 * @param {any} given
 * @returns {Recording[]} at least one
 * @throws {TypeError} saying what is wrong with it
 */
export function read(given) {
  let file = given;
  if (typeof given === "string") {
    try {
      file = JSON.parse(given);
    } catch {
      throw new TypeError("The recording is not JSON");
    }
  }
  const runs = Array.isArray(file?.runs) ? file.runs : [file];
  if (runs.length === 0) throw new TypeError("The recording holds no recorded runs");
  return runs.map(recordingOf);
}

/**
 * @param {any} run
 * @returns {Recording}
 */
function recordingOf(run) {
  const response = run?.response;
  if (typeof response?.body !== "string") throw new TypeError("The recording holds no recorded runs");
  if (run.times !== undefined && !(Array.isArray(run.times) && run.times.every(Number.isFinite))) {
    throw new TypeError("The recording's times are not numbers");
  }
  const { body, status, contentType } = response;
  const after = Object.entries(run.after ?? {}).map(([how, next]) => [how, recordingOf(next)]);
  return {
    ...run, after: Object.fromEntries(after),
    response: {
      body,
      status: Number.isInteger(status) && status >= 200 && status <= 599 ? status : 200,
      contentType: typeof contentType === "string" && !/[^\t\x20-\x7e]/.test(contentType) ? contentType
        : "text/event-stream",
    },
  };
}
