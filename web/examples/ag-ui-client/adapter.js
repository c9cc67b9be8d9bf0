import { catchError, EMPTY, from, throwError } from "rxjs";

/**
 * Makes an agent of this runtime an agent of @ag-ui/client: its run() is ours, everything above it is theirs. The class
 * to extend is passed in, because a library (CopilotKit, for one) may bring a copy of its own.
 * @template Theirs
 * @param {abstract new (...args: any[]) => Theirs} AbstractAgent of @ag-ui/client
 * @returns {new (agent: InstanceType<typeof agui.HttpAgent>, config?: object) => Theirs}
 */
export function adapter(AbstractAgent) {
  /** @type {any} */
  const Base = AbstractAgent;
  /** @type {any} */
  const Adapted = class extends Base {
    /** @param {any} agent @param {object} [config] */
    constructor(agent, config) {
      super({ agentId: agent.agentId, threadId: agent.threadId, ...config });
      this.agent = agent;
    }

    /** @param {any} input */
    run(input) {
      const { url, headers } = this.agent;
      // Theirs takes RUN_ERROR as an event; ours then calls error() too.
      return from(agui.run(input, { url, headers }))
        .pipe(catchError((error) => (error.code === "run_error" ? EMPTY : throwError(() => error))));
    }

    clone() {
      return Object.assign(super.clone(), { agent: this.agent });
    }
  };
  return Adapted;
}
