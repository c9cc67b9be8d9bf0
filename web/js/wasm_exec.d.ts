/** The toolchain's wasm_exec.js, kept private; the build makes this module. */
declare module "wasm_exec" {
  export default class Go {
    exit: (code: number) => void;
    importObject: Record<string, any>;
    run(instance: WebAssembly.Instance): Promise<void>;
  }
}
/** The version of this build. */
declare const AGUI_VERSION: string;
/** The event types that the protocol knows (agui.Types in Go). */
declare const AGUI_TYPES: readonly string[];
/** How many ended runs a thread remembers, and rounds of page tools a run may take, unless the page says otherwise. */
declare const AGUI_KEEP_RUNS: number;
declare const AGUI_ROUNDS: number;
/** The hashes of the parts' files by the part's name, for integrity. */
declare const AGUI_PARTS: Record<string, string>;
/** In the part "chat": the labels that are shown before the program has come, in English and in Chinese. */
declare const AGUI_WORDS: [Record<string, string>, Record<string, string>];
declare module "*.css" {
  const text: string;
  export default text;
}
