package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// toolchain is the Go that compiles the WebAssembly. Its compiler and its wasm_exec.js belong together, so everything
// that is read of it is asked in the environment that compiles.
type toolchain struct {
	version string // such as go1.26.8
	root    string // its GOROOT
	// fetched says that GOTOOLCHAIN brought it: it lies in the module cache.
	fetched bool
	// experiment is the value of GOEXPERIMENT that the build asks for; "" where this toolchain refuses it.
	experiment string
}

// smallerCollector is the garbage collector of Go before 1.26. It makes the WebAssembly smaller; see
// web/docs/toolchain.md.
const smallerCollector = "nogreenteagc"

// usedToolchain asks the go command which toolchain it takes for this module: the installed one, or what GOTOOLCHAIN
// names.
var usedToolchain = sync.OnceValues(func() (toolchain, error) {
	ask := func(experiment string) (toolchain, error) {
		cmd := exec.Command("go", "env", "GOVERSION", "GOROOT", "GOMODCACHE")
		cmd.Env = environment(experiment)
		out, err := cmd.Output()
		if err != nil {
			return toolchain{}, fmt.Errorf("ask the go command for its version: %w", describe(err))
		}
		said := strings.Split(strings.ReplaceAll(string(out), "\r", ""), "\n")
		if len(said) < 3 {
			return toolchain{}, fmt.Errorf("the go command told of itself only %q", out)
		}
		version, _, _ := strings.Cut(said[0], " ") // an experiment may follow, as in "go1.26.8 X:nogreenteagc"
		return toolchain{version, said[1], below(said[1], said[2]), experiment}, nil
	}
	if t, err := ask(smallerCollector); err == nil {
		return t, nil
	}
	return ask("")
})

// release gives the toolchain's release without the patch, such as go1.26, by which the layouts of tables are known.
// A development version has none that is known: it is given as it is.
func release(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	minor := parts[1]
	for i := range len(minor) {
		if minor[i] < '0' || minor[i] > '9' { // go1.27rc1
			minor = minor[:i]
			break
		}
	}
	return parts[0] + "." + minor
}

// environment is that of a go command about the WebAssembly. The variables of the shell that would change the result
// are fixed.
func environment(experiment string) []string {
	return append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT="+experiment,
		"GOWORK=off")
}

// below says whether path lies in folder.
func below(path, folder string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(inside)
}

// rootLink is another name of a GOROOT in the module cache, whose files the go command lets no overlay replace.
const rootLink = buildDir + "/goroot"

// home gives the GOROOT as the compiling go command is to know it, so that an overlay may replace its files.
func (t toolchain) home() (string, error) {
	if !t.fetched {
		return t.root, nil
	}
	link, err := filepath.Abs(rootLink)
	if err != nil {
		return "", err
	}
	if to, err := os.Readlink(link); err == nil && to == t.root {
		return link, nil
	}
	if err := os.RemoveAll(link); err != nil { // removes the link, not what it leads to
		return "", err
	}
	return link, os.Symlink(t.root, link)
}

// wasmGo makes a go command about the WebAssembly, in the environment of the toolchain that compiles it.
func wasmGo(args ...string) (*exec.Cmd, error) {
	t, err := usedToolchain()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", args...)
	cmd.Env = environment(t.experiment)
	if home, err := t.home(); err == nil && home != t.root {
		cmd = exec.Command(filepath.Join(home, "bin", "go"), args...)
		cmd.Env = append(environment(t.experiment), "GOROOT="+home, "GOTOOLCHAIN=local")
	} // without a link the library is not trimmed
	return cmd, nil
}
