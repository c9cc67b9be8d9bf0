import { HttpAgent } from "aguiwasm";
import { createApp, onScopeDispose, ref, shallowRef } from "vue/dist/vue.esm-browser.prod.js";

/**
 * What an agent holds, as refs. Shallow ones: the snapshots are frozen and new at each change, so there is nothing to
 * look into.
 * @param {HttpAgent} agent
 */
function useAgent(agent) {
  const [messages, state, isRunning] = [shallowRef(agent.messages), shallowRef(agent.state), ref(agent.isRunning)];
  onScopeDispose(agent.onChange(() => {
    messages.value = agent.messages;
    state.value = agent.state;
    isRunning.value = agent.isRunning;
  }));
  return { messages, state, isRunning };
}

createApp({
  setup() {
    const agent = new HttpAgent({ url: "/agent" });
    onScopeDispose(() => agent.dispose());
    const words = ref("");
    const send = () => {
      agent.send(words.value).catch((error) => alert(error.message));
      words.value = "";
    };
    return { ...useAgent(agent), words, send };
  },
}).mount("#app");
