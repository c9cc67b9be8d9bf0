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

// trimmed is a module of which the build takes a copy with less in it: what the copy leaves out never reaches the
// WebAssembly.
type trimmed struct {
	module, copy string
	// leftOut names files and folders (by slashes, relative to the module) that the copy does not have.
	leftOut map[string]bool
	// edit changes a source file of the copy; nil changes nothing.
	edit func(name string, source []byte) []byte
	// added maps folders of the copy to folders here whose sources go there.
	added map[string]string
}

const (
	sseModule   = "github.com/tmaxmax/go-sse"
	patchModule = "github.com/evanphx/json-patch/v5"
	leanDir     = "web/dev/tool/lean"
)

var trimmedModules = []trimmed{
	{
		// The client and the server bring net/http, crypto/tls and more into a program, the messages fmt and
		// encoding/json. sse.Read and its parser need none of them. Without them the WebAssembly is a third smaller.
		module: sseModule, copy: buildDir + "/go-sse",
		leftOut: map[string]bool{
			"client.go": true, "client_connection.go": true, "server.go": true, "session.go": true, "joe.go": true,
			"replay.go": true, "message.go": true, "message_fields.go": true,
		},
	},
	{
		// Its own JSON package and fmt bring reflect, 120 KB after brotli; see the package lean.
		module: patchModule, copy: buildDir + "/json-patch",
		leftOut: map[string]bool{"merge.go": true, "internal/json": true},
		edit: func(_ string, source []byte) []byte {
			return []byte(strings.Replace(string(source), `"fmt"`, `"`+patchModule+`/internal/fmt"`, 1))
		},
		added: map[string]string{"internal/json": leanDir + "/json", "internal/fmt": leanDir + "/fmt", ".": leanDir},
	},
}

// trimModules writes the copies into build/, and a go.mod beside the real one that points there. The replaces are
// relative (to the main module's folder), so no folder of this machine can reach the result.
func trimModules() error {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	for _, t := range trimmedModules {
		if err := t.make(); err != nil {
			return fmt.Errorf("trim %s: %w", t.module, err)
		}
		mod = fmt.Appendf(mod, "\nreplace %s => ./%s\n", t.module, t.copy)
	}
	if err := os.WriteFile(wasmMod, mod, 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	return os.WriteFile(wasmSum, sum, 0o644)
}

// make writes the copy.
func (t trimmed) make() error {
	raw, err := exec.Command("go", "mod", "download", "-json", t.module).Output()
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
	if err := os.RemoveAll(t.copy); err != nil {
		return err
	}
	if err := t.copySources(info.Dir); err != nil {
		return err
	}
	for folder, from := range t.added {
		if err := addSources(from, filepath.Join(t.copy, folder)); err != nil {
			return err
		}
	}
	return nil
}

// copySources copies a module's sources, go.mod and licence; no tests, no commands, nothing of leftOut.
func (t trimmed) copySources(from string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if rel != "." && (name == "cmd" || name == "tests" || name == "testdata" || strings.HasPrefix(name, ".") ||
				t.leftOut[filepath.ToSlash(rel)]) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(t.copy, rel), 0o755)
		}
		source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if (!source && name != "go.mod" && !isLicence(name)) || t.leftOut[filepath.ToSlash(rel)] {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if source && t.edit != nil {
			data = t.edit(filepath.ToSlash(rel), data)
		}
		return os.WriteFile(filepath.Join(t.copy, rel), data, 0o644)
	})
}

// addSources copies the sources of a folder of ours. A file for the module's own package cannot be built here: its
// first line keeps it out. A doc.go says something about the folder here alone.
func addSources(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		text := strings.Replace(string(data), "//go:build lean\n", "//go:build go1.23\n", 1)
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// describe adds what a failed command wrote to its error.
func describe(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
