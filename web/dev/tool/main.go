// Command tool holds the build's steps that need Go: compiling the WebAssembly, bundling the scripts,
// compressing, collecting notices.
//
//	tool build [-skip-compress]    make dist/
//	tool size                      print what the files weigh and what each module adds
//	tool trace < TRACE             name the functions in the trace of an error with the code "internal"
//	tool provoke                   make build/provoke.wasm, which tests can make fail in every way
//
// It runs in the repository's root folder. dist/ is what a site uploads; build/ holds what can be made again.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

const (
	distDir  = "dist"
	buildDir = "build"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say build, size, trace or provoke")
	}
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it in the repository's root folder")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	fast := flags.Bool("skip-compress", false, "make no .br and .gz files")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "build":
		return build(!*fast)
	case "size":
		return size()
	case "trace":
		return trace(os.Stdin, os.Stdout)
	case "provoke":
		return compileProvoke()
	}
	return fmt.Errorf("unknown command %q", args[0])
}

// build makes dist/. Files of an earlier build that this one does not make are removed at the end.
func build(compress bool) error {
	start := time.Now()
	version, err := productVersion()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(distDir, 0o755); err != nil {
		return err
	}
	out := newOutput(distDir)
	if err := compileWasm(out, version); err != nil {
		return err
	}
	if err := bundleScripts(out, version); err != nil {
		return err
	}
	if err := copyPage(out, version); err != nil {
		return err
	}
	if err := writeRecordings(out); err != nil {
		return err
	}
	if err := writeNotices(out); err != nil {
		return err
	}
	if err := writePackage(out, version); err != nil {
		return err
	}
	if err := writeIntegrity(out); err != nil {
		return err
	}
	if compress {
		if err := out.compress(); err != nil {
			return err
		}
	}
	if err := out.sweep(); err != nil {
		return err
	}
	out.print(os.Stdout)
	fmt.Printf("built %s in %.1f s\n", version, time.Since(start).Seconds())
	return nil
}
