package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestTrimmedStd: each edit fits the toolchain that compiles, so that nobody ships the larger file without knowing.
func TestTrimmedStd(t *testing.T) {
	inRoot(t)
	used, err := usedToolchain()
	if err != nil {
		t.Fatal(err)
	}
	if _, known := layouts[release(used.version)]; !known {
		t.Skipf("%s is not known, so that its standard library stays whole", used.version)
	}
	unfit, err := trimStd(used)
	if err != nil || len(unfit) > 0 {
		t.Errorf("%v, these do not fit: %q", err, unfit)
	}
}

func TestEdit(t *testing.T) {
	const text = "package p\n\nfunc f(a int) int {\n\treturn a\n}\n\nfunc (s *t) f() {\n}\n"
	for _, c := range []struct{ function, want string }{
		{"f", "package p\n\nfunc f(a int) int {\n\treturn 1\n\treturn a\n}\n\nfunc (s *t) f() {\n}\n"},
		{"(s *t) f", "package p\n\nfunc f(a int) int {\n\treturn a\n}\n\nfunc (s *t) f() {\n\treturn 1\n}\n"},
		{"g", ""},
	} {
		got, ok := edit{function: c.function, instead: "return 1"}.apply(text)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q %v", c.function, got, ok)
		}
	}
	if _, ok := (edit{function: "f", instead: "return 1"}).apply(text + text); ok {
		t.Error("an edit that fits twice is taken")
	}
}

// TestUnfitStd: what cannot be trimmed is compiled whole, and says so in one line.
func TestUnfitStd(t *testing.T) {
	inRoot(t)
	used, err := usedToolchain()
	if err != nil {
		t.Fatal(err)
	}
	other := used
	other.version = "go1.98.1"
	for name, c := range map[string]struct {
		used  toolchain
		fails bool // with the overlay
	}{"an unknown release": {other, false}, "an overlay that does not compile": {used, true}} {
		var log bytes.Buffer
		var calls []string
		err := withTrimmedStd(c.used, &log, func(overlay ...string) error {
			calls = append(calls, strings.Join(overlay, " "))
			if c.fails && len(overlay) > 0 {
				return errors.New("as asked")
			}
			return nil
		})
		if err != nil || calls[len(calls)-1] != "" {
			t.Errorf("%s: %v, compiled with %q", name, err, calls)
		}
		if line := log.String(); strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "not trimmed") {
			t.Errorf("%s: said %q", name, line)
		}
	}
}

// inRoot runs a test in a folder that stands for the root folder, so that the real build folder stays as it is.
func inRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir(buildDir, 0o755); err != nil {
		t.Fatal(err)
	}
}
