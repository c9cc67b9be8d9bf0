package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHome: a toolchain in the module cache is called by a link outside of it, any other by its own name.
func TestHome(t *testing.T) {
	inRoot(t)
	cache := t.TempDir()
	for _, name := range []string{"go1.27.4", "go1.27.5", "go1.27.5"} {
		root := filepath.Join(cache, name)
		if err := os.MkdirAll(root, 0o755); err != nil {
			t.Fatal(err)
		}
		if home, err := (toolchain{root: root}).home(); home != root || err != nil {
			t.Errorf("an installed one is called %q, %v", home, err)
		}
		home, err := toolchain{root: root, fetched: below(root, cache)}.home()
		if err != nil || below(home, cache) {
			t.Fatalf("one in the cache is called %q, %v", home, err)
		}
		if to, err := filepath.EvalSymlinks(home); err != nil || filepath.Base(to) != name {
			t.Errorf("%q leads to %q, %v", home, to, err)
		}
	}
	if below("/usr/local/go", "/home/go/pkg/mod") || below("/a/bc", "/a/b") {
		t.Error("a folder beside the cache is taken for one in it")
	}
}
