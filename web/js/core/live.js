"use strict";

/** What is alive on the page, for agui.debug(): timers, readers and listeners of ours. Idle, it is 0. */
export const live = { callbacks: 0 };
