package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Names that stand for all others: traces print functions whose names have a dot, and hide the runtime's own. Which
// function it is, its number says, which the trimmed library prints behind (stdEdits).
const (
	anyName        = "go.f"
	anyRuntimeName = "runtime.f"
	runtimePrefix  = "runtime." // by which the runtime knows goroutines of its own
)

// keptNames are those that the runtime compares with.
var keptNames = map[string]bool{"runtime.gopanic": true}

// blankNames leaves two names to the functions, and gives what they were called by their numbers. Only a trimmed
// library prints the numbers, and does not read the names of methods' wrappers.
func (t *tables) blankNames() (map[int]string, error) {
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(t.table[at:])) }
	const nameOffset, args = 4, 8 // in runtime._func
	const unknownArgs = 1 << 31   // ArgsSizeUnknown
	area := []byte{0}             // offset 0 is no name
	places := map[string]int{}
	names := map[int]string{}
	for i := range t.funcs {
		f := t.entries + u32(t.entries+8*i+4)
		at := t.names + u32(f+nameOffset)
		if at >= t.units {
			return nil, errors.New("a function's name is not among the names")
		}
		end := bytes.IndexByte(t.table[at:t.units], 0)
		if end < 0 {
			return nil, errors.New("a function's name has no end")
		}
		name := string(t.table[at : at+end])
		names[u32(t.entries+8*i)] = name
		switch {
		case keptNames[name] || u32(f+args) == unknownArgs:
		case strings.HasPrefix(name, runtimePrefix):
			name = anyRuntimeName
		default:
			name = anyName
		}
		place, ok := places[name]
		if !ok {
			place = len(area)
			places[name] = place
			area = append(append(area, name...), 0)
		}
		binary.LittleEndian.PutUint32(t.table[f+nameOffset:], uint32(place))
	}
	if len(area) > t.units-t.names {
		return nil, errors.New("the names left are longer than all names")
	}
	clear(t.table[t.names:t.units])
	copy(t.table[t.names:], area)
	return names, nil
}

// symbolsFile keeps what the functions of a WebAssembly are called: a line for each, with its number.
func symbolsFile(wasm string) string {
	return filepath.Join(buildDir, strings.TrimSuffix(filepath.Base(wasm), ".wasm")+".symbols")
}

func writeSymbols(wasm string, names map[int]string) error {
	var b bytes.Buffer
	last := -1
	for number := range names {
		last = max(last, number)
	}
	for number := range last + 1 {
		if name := names[number]; name != "" {
			fmt.Fprintf(&b, "%d %s\n", number, name)
		}
	}
	return os.WriteFile(symbolsFile(wasm), b.Bytes(), 0o644)
}

func readSymbols(r io.Reader) (map[string]string, error) {
	names := map[string]string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		number, name, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			return nil, errors.New("the symbol file is broken: run ./build.sh")
		}
		names[number] = name
	}
	return names, lines.Err()
}

// numbered is a function in a trace: a name, which may stand for all, and the function's number.
var numbered = regexp.MustCompile(`[\w./]+#(\d+)\b`)

// named gives a trace with the functions' names.
func named(trace string, names map[string]string) string {
	return numbered.ReplaceAllStringFunc(trace, func(found string) string {
		if name, ok := names[numbered.FindStringSubmatch(found)[1]]; ok {
			return name
		}
		return found
	})
}

// trace writes the trace of an error with the code "internal" with the functions' names, as the last build knows them.
func trace(in io.Reader, out io.Writer) error {
	file, err := os.Open(symbolsFile("agui.wasm"))
	if err != nil {
		return fmt.Errorf("%w: run ./build.sh with the version that the trace is of", err)
	}
	defer file.Close()
	names, err := readSymbols(file)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, named(string(text), names))
	return err
}
