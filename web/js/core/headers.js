"use strict";

const TYPE = "application/json";
const STREAM = "text/event-stream";
const PROTO = `application/vnd.ag-ui.event+proto, ${STREAM}`;

/**
 * The headers of a request. content-type is the runtime's, because the body is; text/event-stream is added to the
 * caller's accept, which may name more, and before it the protobuf encoding where it is asked for. Every other header
 * is the caller's.
 * @param {readonly [string, string][]} given
 * @param {string | null} [encoding] "proto" asks for the protobuf encoding
 * @returns {[string, string][]}
 */
export function requestHeaders(given, encoding) {
  const named = (/** @type {string} */ name) => given.filter((pair) => pair[0].toLowerCase() === name);
  const accept = named("accept").map((pair) => pair[1].trim()).filter((value) => value !== "").join(", ");
  const rest = given.filter(([name]) => name.toLowerCase() !== "accept" && name.toLowerCase() !== "content-type");
  const ours = encoding === "proto" ? PROTO : STREAM;
  const missing = ours.split(", ").filter((type) => !takes(accept, type)).join(", ");
  return [["Content-Type", TYPE], ["Accept", [accept, missing].filter((part) => part !== "").join(", ")], ...rest];
}

/**
 * Whether a header is what requestHeaders gives to a caller who names none.
 * @param {[string, string]} pair
 */
export function isDefault([name, value]) {
  return name.toLowerCase() === "accept" && (value.trim() === STREAM || value.trim() === PROTO);
}

/**
 * @param {string} accept
 * @param {string} type
 */
function takes(accept, type) {
  return accept.split(",").some((range) => range.split(";")[0].trim().toLowerCase() === type);
}
