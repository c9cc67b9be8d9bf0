package main

import (
	"bytes"
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

// TestThinTables runs a program with thinned tables: it recovers, grows its stack, crashes and names its functions.
func TestThinTables(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js, which runs the program, is not installed")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.wasm")
	if err := os.WriteFile(source, []byte(crashing), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, source)
	build.Env = wasmEnv()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	less, err := thinTables(bytes.Clone(whole))
	if err != nil {
		t.Fatal(err)
	}
	if len(less) >= len(whole) {
		t.Errorf("%d bytes became %d", len(whole), len(less))
	}
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
	tables, err := tablesOf(before)
	if err != nil {
		t.Fatal(err)
	}
	for i := range now {
		if now[i] != before[i] && (i < tables.header+tables.units || i >= tables.end) {
			t.Fatalf("byte %d changed, which is none of the tables' (%d to %d)", i, tables.header, tables.end)
		}
	}
	again, err := thinTables(bytes.Clone(less))
	if err != nil || !bytes.Equal(again, less) {
		t.Errorf("a second time is not the same (%v)", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	trace := func(module []byte) string {
		if err := os.WriteFile(binary, module, 0o644); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(node, filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec_node.js"), binary).CombinedOutput()
		return string(out)
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

func TestThinTablesRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, module := range map[string][]byte{
		"nothing":              nil,
		"no module":            []byte("hello, world"),
		"no data":              []byte("\x00asm\x01\x00\x00\x00"),
		"a cut section":        []byte("\x00asm\x01\x00\x00\x00\x0b\x7f\x00"),
		"data of another kind": []byte("\x00asm\x01\x00\x00\x00\x0b\x05\x01\x01\x41\x00\x0b"),
		"no tables":            []byte("\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x00\x0b\x01\x07"),
	} {
		if out, err := thinTables(module); err == nil {
			t.Errorf("%s: gave %q", name, out)
		}
	}
}
