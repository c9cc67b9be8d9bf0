"use strict";

/**
 * The build takes tables of the Go program out of its memory and puts them, as columns, into sections of the
 * WebAssembly (web/dev/tool/columns.go says how, and why): so they are a fraction of it to load. Here they get back to
 * where the program looks for them, before it starts.
 * @param {WebAssembly.Module} module
 * @param {ArrayBuffer} memory
 */
export function layOut(module, memory) {
  const words = new DataView(memory);
  for (const section of WebAssembly.Module.customSections(module, "columns")) {
    const bytes = new Uint8Array(section);
    let at = 0;
    const number = () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        value |= (byte & 127) << shift;
        if (byte < 128) return value >>> 0;
      }
    };
    while (at < bytes.length) {
      let address = number();
      const stride = number();
      const end = address + stride * number();
      const values = new Int32Array(number());
      for (let i = 0, value = 0; i < values.length; i++) {
        const step = number();
        values[i] = value += step >>> 1 ^ -(step & 1);
      }
      for (let fresh = 0; address < end; address += stride) {
        // Most are one byte, and a call for each would be half of the time.
        const which = bytes[at] < 128 ? bytes[at++] : number();
        words.setInt32(address, values[which ? which - 1 : fresh++], true);
      }
    }
  }
}
