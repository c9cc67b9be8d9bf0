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

// inlining is left to the runtime and to the packages that every byte passes through. Everywhere else it makes the
// WebAssembly larger (by 50 KB after brotli for agui and state) and a text event no cheaper.
var inlining = inline("runtime", "internal/runtime/...", "internal/bytealg", "internal/stringslite", "iter", "bytes",
	"strings", "bufio", "unicode/utf8",
	"github.com/tmaxmax/...", "aguiwasm/agui/rawjson", "aguiwasm/wasm/session", "aguiwasm/agui/sse",
	"aguiwasm/wasm/batch")

func inline(packages ...string) []string {
	flags := []string{"-gcflags=all=-l"}
	for _, p := range packages {
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
	if err := compileTo(target, version, tags); err != nil {
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
	return thinned(data, used.version, os.Stdout), nil
}

// compileTo builds ./wasm into target, with more build tags where tags is not empty.
func compileTo(target, version, tags string) error {
	if err := trimModules(); err != nil {
		return err
	}
	used, err := usedToolchain()
	if err != nil {
		return err
	}
	return withTrimmedStd(used, os.Stdout, func(overlay ...string) error {
		args := append([]string{"build", "-modfile=" + wasmMod, "-trimpath", "-buildvcs=false", "-tags=" + tags},
			overlay...)
		args = append(args, inlining...)
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
