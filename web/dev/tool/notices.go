package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// linked is one package of the WebAssembly, as go list tells it.
type linked struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// linkedPackages lists every package that the WebAssembly links.
func linkedPackages() ([]linked, error) {
	cmd, err := wasmGo("list", "-modfile="+wasmMod, "-deps", "-json=ImportPath,Dir,Standard,Module", "./wasm")
	if err != nil {
		return nil, err
	}
	raw, err := cmd.Output()
	if err != nil {
		return nil, describe(err)
	}
	var packages []linked
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var p linked
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// isLicence says whether a file of that name holds terms that a copy must carry.
func isLicence(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"} {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}

// writeNotices writes NOTICES.txt: the terms of this project, of Go (its library, its wasm_exec.js) and of each
// module whose code is linked. A module without a licence file stops the build: nobody could pass such a copy on.
func writeNotices(out *output) error {
	packages, err := linkedPackages()
	if err != nil {
		return err
	}
	used, err := usedToolchain()
	if err != nil {
		return err
	}
	type module struct {
		title string
		dirs  map[string]bool
	}
	modules := map[string]*module{}
	for _, p := range packages {
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &module{title: strings.TrimSpace(p.Module.Path + " " + p.Module.Version), dirs: map[string]bool{}}
			modules[p.Module.Path] = m
		}
		// A package may hold a copy of somebody else's code with its own terms: look on the way up to the root.
		for dir := p.Dir; ; dir = filepath.Dir(dir) {
			m.dirs[dir] = true
			if dir == p.Module.Dir || len(dir) < len(p.Module.Dir) {
				break
			}
		}
	}
	var b strings.Builder
	b.WriteString("agui.wasm, agui.js and agui.mjs hold the following works.\n")
	if err := section(&b, "aguiwasm", []string{"."}); err != nil {
		return err
	}
	if err := goSection(&b, used.root); err != nil {
		return err
	}
	paths := make([]string, 0, len(modules))
	for path := range modules {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		m := modules[path]
		dirs := make([]string, 0, len(m.dirs))
		for dir := range m.dirs {
			dirs = append(dirs, dir)
		}
		sort.Strings(dirs)
		if err := section(&b, m.title, dirs); err != nil {
			return err
		}
	}
	return out.write("NOTICES.txt", []byte(b.String()))
}

// goSection writes Go's own terms, from the toolchain's root.
func goSection(b *strings.Builder, root string) error {
	dirs := []string{root}
	if _, err := os.Stat(filepath.Join(root, "LICENSE")); err != nil {
		dirs = append(dirs, "/usr/share/doc/golang-go") // where a distribution moved it
	}
	return section(b, "The Go library and wasm_exec.js", dirs)
}

// section writes a heading and every licence file of dirs.
func section(b *strings.Builder, title string, dirs []string) error {
	found := false
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if entry.IsDir() || !isLicence(entry.Name()) || strings.HasSuffix(entry.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			if !found {
				fmt.Fprintf(b, "\n%s\n%s\n", strings.Repeat("=", 78), title)
			}
			found = true
			fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		}
	}
	if !found {
		return fmt.Errorf("%s has no licence file", title)
	}
	return nil
}
