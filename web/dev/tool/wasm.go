package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	sseModule  = "github.com/tmaxmax/go-sse"
	sseCopy    = buildDir + "/go-sse"
	wasmMod    = buildDir + "/wasm.mod"
	wasmSum    = buildDir + "/wasm.sum"
	versionVar = "main.Version"
)

// leftOut names the halves of go-sse that bring net/http, crypto/tls and more into a program: the client and the
// server. sse.Read and its parser need none of them. Without them the WebAssembly is a third smaller.
var leftOut = map[string]bool{
	"client.go": true, "client_connection.go": true, "server.go": true,
	"session.go": true, "joe.go": true, "replay.go": true,
}

// inlining is left to the runtime and to the packages that every byte passes through. Everywhere else it makes the WebAssembly
// larger (by 50 KB after brotli for agui and state) and a text event no cheaper.
var inlining = inline("runtime", "internal/runtime/...", "internal/bytealg", "internal/stringslite", "iter", "bytes", "strings", "bufio", "unicode/utf8",
	"github.com/tmaxmax/...", "aguiwasm/agui/rawjson", "aguiwasm/wasm/session", "aguiwasm/agui/sse", "aguiwasm/wasm/batch")

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

// compileThin builds ./wasm into target and gives it with thinned tables.
func compileThin(target, version, tags string) ([]byte, error) {
	if err := compileTo(target, version, tags); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(target)
	if err != nil {
		return nil, err
	}
	if data, err = thinTables(data); err != nil {
		return nil, fmt.Errorf("thin its tables: %w", err)
	}
	return data, nil
}

// compileTo builds ./wasm into target, with more build tags where tags is not empty.
func compileTo(target, version, tags string) error {
	if err := trimModule(); err != nil {
		return fmt.Errorf("trim %s: %w", sseModule, err)
	}
	args := append([]string{"build", "-modfile=" + wasmMod, "-trimpath", "-buildvcs=false", "-tags=" + tags}, inlining...)
	cmd := exec.Command("go", append(args, "-ldflags=-s -w -buildid= -X "+versionVar+"="+version, "-o", target, "./wasm")...)
	cmd.Env = wasmEnv()
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compile ./wasm: %w", err)
	}
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

// wasmEnv is the environment of every go command about the WebAssembly. GOFLAGS and GOWASM of the shell would
// change the result, so they are fixed. The collector of before Go 1.26 makes the file 11 KB smaller after brotli.
func wasmEnv() []string {
	return append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT=nogreenteagc", "GOWORK=off")
}

// trimModule writes a copy of go-sse without leftOut into build/, and a go.mod beside the real one that points there.
// The replace is relative (to the main module's folder), so no folder of this machine can reach the result.
func trimModule() error {
	raw, err := exec.Command("go", "mod", "download", "-json", sseModule).Output()
	if err != nil {
		return describe(err)
	}
	var info struct{ Dir, Version, Error string }
	if err := json.Unmarshal(raw, &info); err != nil {
		return err
	}
	if info.Error != "" {
		return errors.New(info.Error)
	}
	if err := os.RemoveAll(sseCopy); err != nil {
		return err
	}
	if err := copySources(info.Dir, sseCopy); err != nil {
		return err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	mod = fmt.Appendf(mod, "\nreplace %s => ./%s\n", sseModule, sseCopy)
	if err := os.WriteFile(wasmMod, mod, 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	return os.WriteFile(wasmSum, sum, 0o644)
}

// copySources copies a module's sources, go.mod and licence; no tests, no commands, nothing of leftOut.
func copySources(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); rel != "." && (name == "cmd" || name == "tests" || name == "testdata" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		name := d.Name()
		source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if (!source && name != "go.mod" && !isLicence(name)) || leftOut[filepath.ToSlash(rel)] {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
}

// describe adds what a failed command wrote to its error.
func describe(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
