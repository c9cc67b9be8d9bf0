"use strict";

const TYPE = "application/json";
const STREAM = "text/event-stream";

/**
 * The headers of a request. content-type is the runtime's, because the body is; text/event-stream is added to the caller's
 * accept, which may name more. Every other header is the caller's.
 * @param {readonly [string, string][]} given
 * @returns {[string, string][]}
 */
export function requestHeaders(given) {
  const named = (/** @type {string} */ name) => given.filter((pair) => pair[0].toLowerCase() === name);
  const accept = named("accept").map((pair) => pair[1].trim()).filter((value) => value !== "").join(", ");
  const rest = given.filter(([name]) => name.toLowerCase() !== "accept" && name.toLowerCase() !== "content-type");
  return [["Content-Type", TYPE], ["Accept", accept === "" ? STREAM : takesStream(accept) ? accept : `${accept}, ${STREAM}`], ...rest];
}

/**
 * Whether a header is what requestHeaders gives to a caller who names none.
 * @param {[string, string]} pair
 */
export function isDefault([name, value]) {
  return name.toLowerCase() === "accept" && value.trim() === STREAM;
}

/** @param {string} accept */
function takesStream(accept) {
  return accept.split(",").some((range) => range.split(";")[0].trim().toLowerCase() === STREAM);
}
