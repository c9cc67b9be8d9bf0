"use strict";

import { read } from "../agent/recording.js";
import { kindOf } from "./input.js";

/**
 * Makes agui.replay.
 * @param {import("../core/runtime.js").Runtime} runtime
 * @param {new (config: any) => any} HttpAgent
 */
export function makeReplay(runtime, HttpAgent) {
  /**
   * Gives an agent that answers with recorded runs, in their order and around again.
   * @param {any} recording
   * @param {any} [options]
   */
  return function replay(recording, options) {
    if (options !== undefined && options !== null && typeof options !== "object") {
      throw new TypeError(`replay: options must be an object, not ${kindOf(options)}`);
    }
    const { speed = 1, ...config } = options ?? {};
    if (typeof speed !== "number" || !(speed > 0)) throw new TypeError("replay: speed must be a number above 0");
    const recordings = read(recording);
    /** @type {import("../agent/player.js").Player | undefined} */
    let player;
    return new HttpAgent({
      url: "replay:", ...config,
      fetch: async (/** @type {string} */ _url, /** @type {RequestInit} */ init) => {
        const { Player, inTurn } = await runtime.parts.load("replay");
        player ??= new Player(inTurn(recordings), speed);
        return /** @type {import("../agent/player.js").Player} */ (player).answer(init);
      },
    });
  };
}
