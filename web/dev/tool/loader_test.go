package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The loader of this toolchain loses what no page runs, and nothing that the WebAssembly imports.
func TestTrimLoader(t *testing.T) {
	used, err := usedToolchain()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(used.root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	source := string(raw)
	const imported = "syscall/js.valueDelete"
	got := trimLoader(source, []byte("\x00"+string(rune(len(imported)))+imported+"\x00"))
	for _, kept := range []string{`"` + imported + `"`, `"runtime.wasmExit"`, `"runtime.walltime"`,
		"exports.run(0, 4096)", "_makeFuncWrapper", "const loadString"} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	for _, gone := range []string{"chmod", "utimes", "_gotest", "testCallExport", "polyfill required", "enosys",
		"globalThis.fs", "process", "argv", "this.env", "this.exit =", `"runtime.wasmWrite"`,
		`"syscall/js.copyBytesToGo"`, `"syscall/js.valueInstanceOf"`, `"syscall/js.valueGet"`, `"debug"`} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	if n, m := strings.Count(got, "{"), strings.Count(got, "}"); n != m {
		t.Errorf("%d braces open and %d close", n, m)
	}
	if got := trimLoader(source, []byte(askForFiles)); !strings.Contains(got, "constants: {") ||
		!strings.Contains(got, "process = {") {
		t.Error("a library that asks for fs and process gets none")
	}
	if other := "another loader() { callback(); }\n"; trimLoader(other, nil) != other {
		t.Error("a loader of another shape is changed")
	}
	if _, err := privateLoader(strings.Replace(got, "[globalThis, 5]", "", 1)); err == nil {
		t.Error("privateLoader should refuse a loader without the place of js.Global()")
	}
	if _, err := privateLoader(trimLoader(source, []byte("O_WRONLY"))); err == nil {
		t.Error("without valueGet privateLoader should refuse a loader with stand-ins")
	}
	for _, wasm := range []string{"", "O_WRONLY"} {
		got, err := privateLoader(trimLoader(source, []byte(wasm+"\x13syscall/js.valueGet \x14syscall/js.valueCall")))
		if err != nil {
			t.Error(err)
		}
		if answers := strings.Contains(got, `key === "fs"`); answers != (wasm != "") {
			t.Errorf("%q: fs is answered: %v", wasm, answers)
		}
	}
}
