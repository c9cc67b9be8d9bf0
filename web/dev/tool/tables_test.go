package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const crashing = `package main

import (
	"os"
	"reflect"
)

func main() {
	println(reflect.PointerTo(reflect.TypeOf(struct{ asked int }{})).String()) // looks for it among the types
	defer func() {
		recover()
		deep(40)
		panic("as asked " + os.Args[0][:0])
	}()
	var none []int
	println(none[len(os.Args)])
}

//go:noinline
func deep(n int) int { // grows the stack, which needs the tables that stay
	var a [512]int
	if n == 0 {
		return 0
	}
	a[n%512] = n
	return deep(n-1) + a[n%512]
}
`

// madeUp gives layouts that no release has: each has one word somewhere else.
func madeUp(known layout) map[string]layout {
	change := func(f func(*layout)) layout {
		l := known
		f(&l)
		return l
	}
	return map[string]layout{
		"the end before":     change(func(l *layout) { l.end -= 8 }),
		"the end behind":     change(func(l *layout) { l.end += 8 }),
		"buckets elsewhere":  change(func(l *layout) { l.buckets += 8 }),
		"counters elsewhere": change(func(l *layout) { l.minPC, l.maxPC = l.maxPC, l.text }),
		"the text elsewhere": change(func(l *layout) { l.text += 8 }),
		"no end":             change(func(l *layout) { l.size = 1 << 30 }),
	}
}

// TestUnknownLayout: what is not known ships whole, and says so in one line.
func TestUnknownLayout(t *testing.T) {
	module := []byte("\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x00\x0b\x01\x07")
	for _, version := range []string{"go1.26.8", "go1.98", "devel", "devel go1.99-abcdef", ""} {
		var log bytes.Buffer
		if got, _ := thinned(module, version, true, &log); !bytes.Equal(got, module) {
			t.Errorf("%q: gave %q", version, got)
		}
		if line := log.String(); strings.Count(line, "\n") != 1 || !strings.Contains(line, version+": ") {
			t.Errorf("%q: said %q", version, line)
		}
	}
}

func TestRelease(t *testing.T) {
	for version, want := range map[string]string{
		"go1.26": "go1.26", "go1.26.8": "go1.26", "go1.27rc1": "go1.27", "go1.27.4-custom": "go1.27", "devel": "devel",
	} {
		if got := release(version); got != want {
			t.Errorf("%s: %s, not %s", version, got, want)
		}
	}
}

// TestThinTables runs a program with thinned tables: it recovers, grows its stack, crashes and names its functions.
func TestThinTables(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js, which runs the program, is not installed")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.wasm")
	if err := os.WriteFile(source, []byte(crashing), 0o644); err != nil {
		t.Fatal(err)
	}
	used, err := usedToolchain()
	if err != nil {
		t.Fatal(err)
	}
	known, ok := layouts[release(used.version)]
	if !ok {
		t.Skipf("the layout of %s is not known, so that its tables stay whole", used.version)
	}
	build, err := wasmGo("build", "-ldflags=-s -w", "-o", binary, source)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	less, _, err := thinTables(bytes.Clone(whole), known, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(less) >= len(whole) {
		t.Errorf("%d bytes became %d", len(whole), len(less))
	}
	if got, _ := thinned(whole, used.version, false, io.Discard); !bytes.Equal(got, less) {
		t.Errorf("thinned gives %d bytes, not %d", len(got), len(less))
	}
	for name, l := range madeUp(known) {
		layouts["go1.999"] = l
		var log bytes.Buffer
		if got, _ := thinned(whole, "go1.999.1", true, &log); !bytes.Equal(got, whole) {
			t.Errorf("%s: %d bytes became %d", name, len(whole), len(got))
		}
		if line := log.String(); strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "not thinned") {
			t.Errorf("%s: said %q", name, line)
		}
	}
	delete(layouts, "go1.999")
	image := func(module []byte) []byte {
		sections, err := sectionsOf(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			if s.id == 11 {
				memory, _, err := imageOf(s.body)
				if err != nil {
					t.Fatal(err)
				}
				return memory
			}
		}
		return nil
	}
	before, now := image(whole), image(less)
	tables, err := tablesOf(before, known)
	if err != nil {
		t.Fatal(err)
	}
	for i := range now {
		if now[i] != before[i] && (i < tables.header+tables.units || i >= tables.limit) {
			t.Fatalf("byte %d changed, which is none of the tables' (%d to %d)", i, tables.header, tables.limit)
		}
	}
	again, _, err := thinTables(bytes.Clone(less), known, false)
	if err != nil || !bytes.Equal(again, less) {
		t.Errorf("a second time is not the same (%v)", err)
	}
	trace := func(module []byte) string {
		if err := os.WriteFile(binary, module, 0o644); err != nil {
			t.Fatal(err)
		}
		return runProgram(t, node, used, here, binary)
	}
	if before := trace(whole); !strings.Contains(before, "main.go:") {
		t.Fatalf("the whole program's trace names no line: %s", before)
	}
	after := trace(less)
	for _, want := range []string{"*struct { asked int }", "index out of range", "panic: as asked", "main.main.func1"} {
		if !strings.Contains(after, want) {
			t.Errorf("the trace has no %q: %s", want, after)
		}
	}
	if strings.Contains(after, "main.go:") {
		t.Errorf("the trace still names lines: %s", after)
	}
}

// runProgram runs a thinned program with the toolchain's runner and gives what it says; here is this package's folder.
func runProgram(t *testing.T, node string, used toolchain, here, binary string) string {
	t.Helper()
	preload := "file://" + filepath.ToSlash(filepath.Join(here, "testdata/columns.mjs"))
	runner := filepath.Join(used.root, "lib/wasm/wasm_exec_node.js")
	out, _ := exec.Command(node, "--import", preload, runner, binary).CombinedOutput()
	return string(out)
}

func TestThinTablesRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, module := range map[string][]byte{
		"nothing":              nil,
		"no module":            []byte("hello, world"),
		"no data":              []byte("\x00asm\x01\x00\x00\x00"),
		"a cut section":        []byte("\x00asm\x01\x00\x00\x00\x0b\x7f\x00"),
		"data of another kind": []byte("\x00asm\x01\x00\x00\x00\x0b\x05\x01\x01\x41\x00\x0b"),
		"no tables":            []byte("\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x00\x0b\x01\x07"),
	} {
		if out, _, err := thinTables(module, layouts["go1.26"], true); err == nil {
			t.Errorf("%s: gave %q", name, out)
		}
	}
}
