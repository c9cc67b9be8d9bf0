// Has wasm_exec_node.js lay out the columns of a thinned program, as agui.js does.
import { layOut } from "../../../js/core/columns.js";

const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (...args) => {
  const result = await instantiate(...args);
  layOut(result.module, result.instance.exports.mem.buffer);
  return result;
};
