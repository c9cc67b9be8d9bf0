package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The architecture's table of messages at the border names each that the code has, and none that it has not.
func TestBorderIsDocumented(t *testing.T) {
	page := read(t, "../web/docs/architecture.md")
	_, page, _ = strings.Cut(page, "## Calls across the border")
	page, _, _ = strings.Cut(page, "\n## ")
	var have []string
	find := func(text, pattern string) {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("nothing is like %s", pattern)
		}
		for _, m := range found {
			have = append(have, m[1])
		}
	}
	sources, err := filepath.Glob("*_js.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range sources {
		if name != "provoke_js.go" {
			all.WriteString(read(t, name))
		}
	}
	find(all.String(), `//go:wasmexport (\w+)`)
	find(all.String(), `//go:wasmimport agui (\w+)`)
	find(all.String(), `host\.Call\("(\w+)"`)
	find(all.String(), `\{"(\w+)", \w+\}`)
	find(read(t, "view/mount_js.go"), `host\.Set\("(\w+)"`)

	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)\\(").FindAllStringSubmatch(page, -1) {
		rows = append(rows, m[1])
	}
	for _, name := range have {
		if !slices.Contains(rows, name) {
			t.Errorf("no row says what %s is", name)
		}
	}
	for _, name := range rows {
		if !slices.Contains(have, name) {
			t.Errorf("there is no %s", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\tcase ("\w+"(?:, "\w+")*):`).
		FindAllStringSubmatch(read(t, "threadapi/registry.go"), -1) {
		for _, op := range strings.Split(m[1], ", ") {
			op = strings.Trim(op, `"`)
			if !strings.Contains(page, "`"+op+"`") {
				t.Errorf("the operation %s is not named", op)
			}
			if !strings.Contains(read(t, "threadapi/doc.go")+" ", "\n//\t"+op) {
				t.Errorf("threadapi/doc.go has no row for the operation %s", op)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
