"use strict";

/** Under this name the metadata of a MESSAGES_SNAPSHOT says which types of activities it is whole in. */
export const ACTIVITY_HISTORY_METADATA = "@ag-ui/client";

/** @param {any} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The types of activities that a snapshot is whole in: null all, undefined what its messages say. A declaration that
 * cannot be read is of none.
 * @param {any} event
 * @returns {string[] | null | undefined}
 */
export function authoritativeActivityTypes({ metadata }) {
  if (!metadata || !Object.hasOwn(metadata, ACTIVITY_HISTORY_METADATA)) return undefined;
  const declared = metadata[ACTIVITY_HISTORY_METADATA];
  if (!isObject(declared)) return [];
  if (!Object.hasOwn(declared, "authoritativeActivityTypes")) return undefined;
  const types = declared.authoritativeActivityTypes;
  if (types === null) return null;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

/**
 * Adds types to those that a snapshot is whole in. One that is whole in all stays so.
 * @param {any} event a MESSAGES_SNAPSHOT, with its messages as they came
 * @param {readonly string[]} activityTypes
 */
export function withAuthoritativeActivityTypes(event, activityTypes) {
  const declared = event.metadata?.[ACTIVITY_HISTORY_METADATA];
  const before = authoritativeActivityTypes(event);
  const all = before === null ||
    (before === undefined && event.messages.some((/** @type {any} */ { role }) => role === "activity"));
  return {
    ...event,
    metadata: {
      ...event.metadata,
      [ACTIVITY_HISTORY_METADATA]: {
        ...(isObject(declared) ? declared : {}),
        authoritativeActivityTypes: all ? null : [...new Set([...(before ?? []), ...activityTypes])],
      },
    },
  };
}
