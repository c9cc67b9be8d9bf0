package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// size builds, prints the files' sizes and what each module adds to the WebAssembly: the bytes of its symbols in a
// build that still has its symbol table. (A stripped build is what ships; the table itself is not counted.)
func size() error {
	if err := build(true); err != nil {
		return err
	}
	packages, err := linkedPackages()
	if err != nil {
		return err
	}
	owner := map[string]string{}
	for _, p := range packages {
		switch {
		case p.Standard:
			owner[plainName(p.ImportPath)] = "Go: " + p.ImportPath
		case p.Module != nil && p.Module.Main:
			owner[plainName(p.ImportPath)] = "aguiwasm: " + strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		case p.Module != nil:
			owner[plainName(p.ImportPath)] = p.Module.Path
		}
	}
	binary := filepath.Join(buildDir, "symbols.wasm")
	cmd, err := wasmGo("build", "-modfile="+wasmMod, "-trimpath", "-buildvcs=false", "-o", binary, "./wasm")
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	defer os.Remove(binary)
	names, err := wasmFunctions(binary)
	if err != nil {
		return err
	}
	sums := map[string]int{}
	total := 0
	for name, n := range names {
		sums[ownerOf(name, owner)] += n
		total += n
	}
	keys := make([]string, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool { return sums[keys[i]] > sums[keys[j]] })
	fmt.Printf("\n%-48s %10s %6s\n", "code of (functions, raw)", "bytes", "%")
	for _, key := range keys {
		fmt.Printf("%-48s %10d %6.1f\n", key, sums[key], 100*float64(sums[key])/float64(total))
	}
	return nil
}

// ownerOf finds the package of a function: the longest package path that its name begins with, before a dot.
func ownerOf(function string, owner map[string]string) string {
	if _, instance, generic := strings.Cut(function, "go.shape."); generic &&
		!strings.Contains(function[:len(function)-len(instance)], ".") {
		function = instance
	}
	for end := len(function); end > 0; end = strings.LastIndexByte(function[:end], '.') {
		if name, ok := owner[function[:end]]; ok {
			return name
		}
	}
	switch {
	case strings.HasPrefix(function, "main."):
		return "aguiwasm: wasm"
	case strings.HasPrefix(function, "type_"):
		return "(comparing and hashing of types)"
	case !strings.Contains(function, "."):
		return "Go: runtime"
	}
	return "(other)"
}

// plainName is how the name section writes a package's path: the linker escapes the dots of its last element, and what
// is no letter, digit, dot or underscore becomes an underscore.
func plainName(path string) string {
	slash := strings.LastIndexByte(path, '/') + 1
	path = path[:slash] + strings.ReplaceAll(path[slash:], ".", "%2e")
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, path)
}

// wasmFunctions reads the sizes of a WebAssembly file's functions by name, from its code and name sections.
func wasmFunctions(path string) (map[string]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var imported int
	var sizes []int
	names := map[int]string{}
	r := &wasmReader{bufio.NewReader(bytes.NewReader(data[8:]))}
	for {
		id, err := r.ReadByte()
		if err != nil {
			break
		}
		body := make([]byte, r.number())
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, err
		}
		s := &wasmReader{bufio.NewReader(bytes.NewReader(body))}
		switch id {
		case 2: // imports
			for n := s.number(); n > 0; n-- {
				s.text()
				s.text()
				kind, _ := s.ReadByte()
				if kind != 0 {
					return nil, fmt.Errorf("%s: an import that is no function", path)
				}
				s.number()
				imported++
			}
		case 10: // code
			for n := s.number(); n > 0; n-- {
				size := s.number()
				sizes = append(sizes, size)
				if _, err := s.Discard(size); err != nil {
					return nil, err
				}
			}
		case 0: // custom
			if s.text() != "name" {
				continue
			}
			for {
				kind, err := s.ReadByte()
				if err != nil {
					break
				}
				n := s.number()
				if kind != 1 {
					if _, err := s.Discard(n); err != nil {
						return nil, err
					}
					continue
				}
				for count := s.number(); count > 0; count-- {
					index := s.number()
					names[index] = s.text()
				}
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no names", path)
	}
	result := map[string]int{}
	for i, size := range sizes {
		name := names[imported+i]
		if name == "" {
			name = "?" + strconv.Itoa(i)
		}
		result[name] += size
	}
	return result, nil
}

type wasmReader struct{ *bufio.Reader }

// number reads an unsigned LEB128.
func (r *wasmReader) number() int {
	var n, shift int
	for {
		b, err := r.ReadByte()
		if err != nil {
			return n
		}
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
		shift += 7
	}
}

func (r *wasmReader) text() string {
	b := make([]byte, r.number())
	_, _ = io.ReadFull(r, b)
	return string(b)
}
