package agui_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImportGraph: what a program imports brings these modules into it and nothing else.
func TestImportGraph(t *testing.T) {
	const sse, patch = "github.com/tmaxmax/go-sse", "github.com/evanphx/json-patch/v5"
	for pkg, want := range map[string][]string{
		"aguiwasm/agui":         {sse},
		"aguiwasm/agui/sse":     {sse},
		"aguiwasm/agui/proto":   {},
		"aguiwasm/agui/server":  {patch, sse},
		"aguiwasm/agui/client":  {patch, sse},
		"aguiwasm/state":        {patch, sse},
		"aguiwasm/state/thread": {patch, sse},
		"aguiwasm/state/rejoin": {patch, sse},
	} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}",
			pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		modules := slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(out)))))
		if !slices.Equal(modules, want) {
			t.Errorf("%s brings %v, want %v", pkg, modules, want)
		}
	}
}

// TestBrowserBringsNoProgram: what is for programs alone is no part of the WebAssembly.
func TestBrowserBringsNoProgram(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "aguiwasm/wasm")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "aguiwasm/agui") {
		t.Fatal("the list is another program's")
	}
	for _, pkg := range []string{"aguiwasm/agui/client", "aguiwasm/agui/server"} {
		if slices.Contains(packages, pkg) {
			t.Errorf("the WebAssembly has %s in it", pkg)
		}
	}
}
