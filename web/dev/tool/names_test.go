package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// churning moves pointers between old and new objects while the collector comes again and again, from goroutines that
// take turns, and calls a method of a value by a nil pointer; then it crashes.
const churning = `package main

import "runtime"

type node struct {
	next  *node
	table map[int]*node
	value int
}

type shown interface{ show() int }

func (n node) show() int { return n.value }

func main() {
	const size = 2000
	nodes := make([]*node, size)
	for i := range nodes {
		nodes[i] = &node{value: i, table: map[int]*node{}}
	}
	turn, done := make(chan int), make(chan bool)
	for range 3 {
		go func() {
			for at := range turn {
				for k := range 40 {
					i, j := (at*7+k*13)%size, (at*11+k*17)%size
					nodes[i].next, nodes[j].next = &node{value: at, next: nodes[j]}, nodes[i]
					nodes[i], nodes[j] = nodes[j], nodes[i]
					nodes[i].table[k] = &node{value: k, table: map[int]*node{k: nodes[j]}}
					nodes[j].next = nil
				}
				if at%100 == 0 {
					runtime.GC()
				}
			}
			done <- true
		}()
	}
	for at := range 4000 {
		turn <- at
	}
	close(turn)
	for range 3 {
		<-done
	}
	seen := 0
	for _, n := range nodes {
		seen += n.value
		for k, t := range n.table {
			if t.value != k || t.table[k] == nil || t.table[k].value < 0 || t.table[k].value >= size {
				panic("something is gone")
			}
		}
	}
	println("sum", seen, size*(size-1)/2)
	defer func() {
		println("recovered", recover() != nil)
		broken(nil)
	}()
	println(shown((*node)(nil)).show())
}

//go:noinline
func broken(n *node) { println(n.value) }
`

// TestTrimmedProgram runs a program with the trimmed library, without write barriers and without names: what it holds
// stays, and its trace is given the names back.
func TestTrimmedProgram(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js, which runs the program, is not installed")
	}
	used, err := usedToolchain()
	if err != nil {
		t.Fatal(err)
	}
	if _, known := layouts[release(used.version)]; !known {
		t.Skipf("%s is not known, so that its standard library stays whole", used.version)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	inRoot(t)
	if unfit, err := trimStd(used); err != nil || len(unfit) > 0 {
		t.Fatal(err, unfit)
	}
	if err := os.WriteFile("main.go", []byte(churning), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"build", "-overlay=" + overlayFile, "-ldflags=-s -w", "-o", "main.wasm"},
		compilerFlags(true)...)
	build, err := wasmGo(append(args, "main.go")...)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole, err := os.ReadFile("main.wasm")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	thin, names := thinned(whole, used.version, true, &log)
	if len(thin) >= len(whole) || log.Len() > 0 {
		t.Fatalf("%d bytes became %d: %s", len(whole), len(thin), log.String())
	}
	if err := os.WriteFile("main.wasm", thin, 0o644); err != nil {
		t.Fatal(err)
	}
	said := runProgram(t, node, used, here, "main.wasm")
	for _, want := range []string{"sum 1999000 1999000", "recovered true", "nil pointer dereference"} {
		if !strings.Contains(said, want) {
			t.Errorf("the program did not say %q: %s", want, said)
		}
	}
	if strings.Contains(said, "main.broken") {
		t.Errorf("the names are still there: %s", said)
	}
	if err := writeSymbols("agui.wasm", names); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	if err := trace(strings.NewReader(said), &told); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"main.broken(", "main.main.func", "panic#", "main.main("} {
		if !strings.Contains(strings.ReplaceAll(told.String(), "panic(", "panic#"), want) {
			t.Errorf("the trace has no %q: %s", want, told.String())
		}
	}
}

func TestNamed(t *testing.T) {
	names, err := readSymbols(strings.NewReader("1 main.main\n20 runtime.gopanic\n"))
	if err != nil {
		t.Fatal(err)
	}
	const trace = "go.f#1(...)\n\t?:0 +0x5\npanic#20(...)\ngo.f#7(...)\nissue #1"
	const want = "main.main(...)\n\t?:0 +0x5\nruntime.gopanic(...)\ngo.f#7(...)\nissue #1"
	if got := named(trace, names); got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if _, err := readSymbols(strings.NewReader("broken\n")); err == nil {
		t.Error("a broken file is read")
	}
}
