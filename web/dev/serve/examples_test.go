package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestExamples(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain/index.html":  "plain page",
		"built/index.html":  "built page",
		"built/main.jsx":    `import { run } from "aguiwasm"; import "./own.css"; run({ n: 1 + 1 }); import("./later.js");`,
		"built/later.js":    `export const later = "later";`,
		"built/own.css":     `p { color: red }`,
		"broken/index.html": "broken page",
		"broken/main.js":    `import "a-library-that-is-not-there";`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	handler := http.StripPrefix("/examples", examples(dir))
	for _, test := range []struct {
		name, path  string
		status      int
		body        string // a part of it
		contentType string
	}{
		{"a page", "/examples/plain/", 200, "plain page", "text/html; charset=utf-8"},
		{"no such example", "/examples/none/", 404, "", ""},
		{"nothing to bundle", "/examples/plain/bundle.js", 200, "npm ci", "text/javascript; charset=utf-8"},
		{"a bundle", "/examples/built/bundle.js", 200, `from "aguiwasm"`, "text/javascript; charset=utf-8"},
		{"its styles", "/examples/built/bundle.css", 200, "color: red", "text/css; charset=utf-8"},
		{"a missing library", "/examples/broken/bundle.js", 200, "npm ci", "text/javascript; charset=utf-8"},
		{"above the folder", "/examples/../static.go", 404, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", test.path, nil))
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) ||
				(test.contentType != "" && w.Header().Get("Content-Type") != test.contentType) {
				t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
			}
		})
	}

	// Each is built once, until a file of it changes.
	builds := 0
	buildExample = func(dir string) (map[string][]byte, error) { builds++; return bundleExample(dir) }
	defer func() { buildExample = bundleExample }()
	ask := func() string {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/examples/built/bundle.js", nil))
		return w.Body.String()
	}
	for range 3 {
		ask()
	}
	if builds != 0 {
		t.Errorf("%d builds of what was built", builds)
	}
	if err := os.WriteFile(filepath.Join(dir, "built", "later.js"), []byte(`export const later = "later still";`),
		0o644); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() { ask() })
	}
	wait.Wait()
	if builds != 1 {
		t.Errorf("%d builds after a change", builds)
	}

	// A folder without its slash would make the page's own links relative to the wrong place.
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/examples/plain", nil))
	if w.Code != http.StatusFound || w.Header().Get("Location") != "plain/" {
		t.Errorf("without a slash: got %d %q", w.Code, w.Header().Get("Location"))
	}

	// What is imported later is a file of its own, which is served beside the bundle.
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/examples/built/bundle.js", nil))
	_, chunk, found := strings.Cut(w.Body.String(), `import("./`)
	chunk, _, _ = strings.Cut(chunk, `"`)
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/examples/built/"+chunk, nil))
	if !found || w.Code != 200 || !strings.Contains(w.Body.String(), `"later still"`) {
		t.Errorf("the chunk %q: got %d %q", chunk, w.Code, w.Body)
	}
}
