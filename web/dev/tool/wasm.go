package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	wasmMod    = buildDir + "/wasm.mod"
	wasmSum    = buildDir + "/wasm.sum"
	versionVar = "main.Version"
)

// barriers are kept in what may run while the collector marks: the runtime.
var barriers = []string{"runtime", "internal/runtime/..."}

// inlined are the packages that every byte passes through. Everywhere else inlining makes the WebAssembly larger (by
// 50 KB after brotli for agui and state) and a text event no cheaper. It is left to the runtime as well.
var inlined = []string{"internal/bytealg", "internal/stringslite", "iter", "bytes", "strings", "bufio", "unicode/utf8",
	"github.com/tmaxmax/...", "aguiwasm/agui/rawjson", "aguiwasm/wasm/session", "aguiwasm/agui/sse",
	"aguiwasm/wasm/batch"}

// compilerFlags are those of the compiler, by package. Of a trimmed library, whose collector lets the program stand
// (stdEdits), no package but the runtime needs write barriers.
func compilerFlags(trimmed bool) []string {
	noBarriers := ""
	if trimmed {
		noBarriers = "-wb=false"
	}
	flags := []string{"-gcflags=all=-l " + noBarriers}
	for _, p := range inlined {
		flags = append(flags, "-gcflags="+p+"="+noBarriers)
	}
	for _, p := range barriers {
		flags = append(flags, "-gcflags="+p+"=")
	}
	return flags
}

// compileWasm builds ./wasm. The flags make the result the same in every folder and at every time.
func compileWasm(out *output, version string) error {
	data, err := compileThin(filepath.Join(buildDir, "agui.wasm"), version, "")
	if err != nil {
		return err
	}
	return out.write("agui.wasm", data)
}

// compileThin builds ./wasm into target and gives it, with thinned tables where the toolchain's layout is known.
func compileThin(target, version, tags string) ([]byte, error) {
	trimmed, err := compileTo(target, version, tags)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(target)
	if err != nil {
		return nil, err
	}
	used, err := usedToolchain()
	if err != nil {
		return nil, err
	}
	data, names := thinned(data, used.version, trimmed, os.Stdout)
	return data, writeSymbols(target, names)
}

// compileTo builds ./wasm into target, with more build tags where tags is not empty. It says whether the standard
// library is the trimmed one.
func compileTo(target, version, tags string) (trimmed bool, err error) {
	if err := trimModules(); err != nil {
		return false, err
	}
	used, err := usedToolchain()
	if err != nil {
		return false, err
	}
	err = withTrimmedStd(used, os.Stdout, func(overlay ...string) error {
		trimmed = len(overlay) > 0
		args := append([]string{"build", "-modfile=" + wasmMod, "-trimpath", "-buildvcs=false", "-tags=" + tags},
			overlay...)
		args = append(args, compilerFlags(len(overlay) > 0)...)
		cmd, err := wasmGo(append(args, "-ldflags=-s -w -buildid= -X "+versionVar+"="+version, "-o", target,
			"./wasm")...)
		if err != nil {
			return err
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("compile ./wasm: %w\n%s", err, out)
		}
		return nil
	})
	return trimmed, err
}

// withTrimmedStd calls compile with the flag that has the go command take the trimmed standard library. Trimming only
// makes the WebAssembly smaller: where the release is not known, or an edit does not fit, or the edited library does
// not compile, one line goes to log and compile is called without the flag.
func withTrimmedStd(used toolchain, log io.Writer, compile func(overlay ...string) error) error {
	unfit, err := trimStd(used)
	if err == nil && len(unfit) > 0 {
		err = fmt.Errorf("these do not fit: %s", strings.Join(unfit, ", "))
	}
	if err == nil {
		if err = compile("-overlay=" + overlayFile); err == nil {
			return nil
		}
		err = errors.New("the trimmed standard library does not compile")
	}
	if err := compile(); err != nil { // also where the program itself is what does not compile
		return err
	}
	fmt.Fprintf(log, "not trimmed, agui.wasm is larger: %s: %v (see web/docs/toolchain.md)\n", used.version, err)
	return nil
}

// compileProvoke builds the WebAssembly that tests make fail (see wasm/provoke_js.go). It never goes into dist/.
func compileProvoke() error {
	version, err := productVersion()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(buildDir, 0o755); err != nil {
		return err
	}
	target := filepath.Join(buildDir, "provoke.wasm")
	data, err := compileThin(target, version, "provoke")
	if err != nil {
		return err
	}
	return os.WriteFile(target, data, 0o644)
}
