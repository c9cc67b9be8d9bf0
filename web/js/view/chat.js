"use strict";

// The part "chat" (agui.chat.js): what only a page with a chat needs.

export { View } from "./view.js";
