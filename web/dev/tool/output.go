package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// output is a folder being filled: it remembers what was written, so that the rest can be swept away.
type output struct {
	dir   string
	files map[string][]byte // by slash path
}

func newOutput(dir string) *output { return &output{dir: dir, files: map[string][]byte{}} }

// write puts a file into the folder. A file that already holds the same bytes keeps its time.
func (o *output) write(name string, data []byte) error {
	o.files[name] = data
	path := filepath.Join(o.dir, filepath.FromSlash(name))
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// names gives the files' names in order.
func (o *output) names() []string {
	names := make([]string, 0, len(o.files))
	for name := range o.files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// compressible says which files get precompressed twins. The npm page has none: npm would pack whatever begins with
// README.
func compressible(name string) bool {
	if name == "README.md" {
		return false
	}
	switch filepath.Ext(name) {
	case ".br", ".gz", ".png", ".woff2", ".webp":
		return false
	}
	return true
}

// compress writes NAME.br and NAME.gz for each file. Brotli at its highest level takes seconds for the WebAssembly, so
// the results are kept in build/cache under the input's hash.
func (o *output) compress() error {
	cache := filepath.Join(buildDir, "cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	type job struct {
		name, ext string
		data      []byte
	}
	var jobs []job
	keep := map[string]bool{}
	for _, name := range o.names() {
		if !compressible(name) {
			continue
		}
		sum := sha256.Sum256(o.files[name])
		for _, ext := range []string{".br", ".gz"} {
			keep[hex.EncodeToString(sum[:])+ext] = true
			jobs = append(jobs, job{name, ext, o.files[name]})
		}
	}
	results := make([][]byte, len(jobs))
	errs := make([]error, len(jobs))
	slots := make(chan struct{}, runtime.NumCPU())
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], errs[i] = cached(cache, j.ext, j.data)
		}()
	}
	wait.Wait()
	for i, j := range jobs {
		if errs[i] != nil {
			return fmt.Errorf("compress %s: %w", j.name, errs[i])
		}
		if err := o.write(j.name+j.ext, results[i]); err != nil {
			return err
		}
	}
	old, err := os.ReadDir(cache)
	if err != nil {
		return err
	}
	for _, entry := range old {
		if !keep[entry.Name()] {
			_ = os.Remove(filepath.Join(cache, entry.Name()))
		}
	}
	return nil
}

func cached(cache, ext string, data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	path := filepath.Join(cache, hex.EncodeToString(sum[:])+ext)
	if old, err := os.ReadFile(path); err == nil {
		return old, nil
	}
	packed, err := pack(ext, data)
	if err != nil {
		return nil, err
	}
	temporary := path + ".part"
	if err := os.WriteFile(temporary, packed, 0o644); err != nil {
		return nil, err
	}
	return packed, os.Rename(temporary, path)
}

// pack compresses data as its ending says: .br with brotli's level 11 and the largest window, .gz with gzip's level 9.
func pack(ext string, data []byte) ([]byte, error) {
	var b bytes.Buffer
	var w io.WriteCloser
	if ext == ".br" {
		w = brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	} else {
		var err error
		if w, err = gzip.NewWriterLevel(&b, gzip.BestCompression); err != nil {
			return nil, err
		}
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sweep removes what an earlier build left in the folder.
func (o *output) sweep() error {
	return filepath.WalkDir(o.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(o.dir, path)
		if err != nil {
			return err
		}
		if _, ok := o.files[filepath.ToSlash(rel)]; !ok {
			return os.Remove(path)
		}
		return nil
	})
}

// print lists the files with their sizes: raw, gzip, brotli.
func (o *output) print(w io.Writer) {
	fmt.Fprintf(w, "%-28s %11s %11s %11s\n", "file", "bytes", "gzip", "brotli")
	for _, name := range o.names() {
		if strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") {
			continue
		}
		twin := func(ext string) string {
			if data, ok := o.files[name+ext]; ok {
				return fmt.Sprint(len(data))
			}
			return "-"
		}
		fmt.Fprintf(w, "%-28s %11d %11s %11s\n", name, len(o.files[name]), twin(".gz"), twin(".br"))
	}
}
