import { HttpAgent } from "aguiwasm";
import { memo, useCallback, useRef, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

/**
 * A part of an agent, kept up to date. What a change did not touch is the same object as before, so React sees what is
 * new.
 * @template T
 * @param {HttpAgent} agent
 * @param {(agent: HttpAgent) => T} part
 */
function useAgent(agent, part) {
  const subscribe = useCallback((/** @type {() => void} */ changed) => agent.onChange(changed), [agent]);
  const now = () => part(agent);
  return useSyncExternalStore(subscribe, now, now); // the third is for rendering on a server: what the agent began with
}

/** One message. It renders again only when this message changed. */
const Row = memo(function Row(/** @type {{message: import("aguiwasm").Message}} */ { message }) {
  const renders = useRef(0);
  return <li data-role={message.role} data-renders={++renders.current}>{typeof message.content === "string"
    ? message.content : "…"}</li>;
});

function Chat(/** @type {{agent: HttpAgent}} */ { agent }) {
  const messages = useAgent(agent, ({ messages }) => messages);
  const isRunning = useAgent(agent, ({ isRunning }) => isRunning);
  const send = (/** @type {FormData} */ form) => {
    agent.send(String(form.get("words"))).catch((error) => alert(error.message));
  };
  return (
    <>
      <ul>{messages.map((message) => <Row key={message.id} message={message} />)}</ul>
      <form action={send}>
        <input name="words" aria-label="Message" />
        <button disabled={isRunning}>Send</button>
      </form>
    </>
  );
}

createRoot(/** @type {HTMLElement} */ (document.getElementById("root")))
  .render(<Chat agent={new HttpAgent({ url: "/agent" })} />);
