"use strict";

/**
 * Puts a chat view into the page; Go draws it.
 * @param {import("./runtime.js").Runtime} runtime
 */
export function makeMount(runtime) {
  /**
   * @param {unknown} element
   * @param {unknown} [options]
   */
  return async function mount(element, options) {
    const instance = await runtime.instance();
    return instance.call("mount", element, options);
  };
}
