package main

import (
	"bytes"
	"regexp"
	"strings"
)

// loaderTrims find what a page never runs in wasm_exec.js: the stand-ins of Node.js's file functions, which nothing
// here calls; checks for what our own wrapper has given; and what Go's own tests use. What does not match stays: the
// loader is only larger.
var loaderTrims = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\t\t\t\w+\([\w, ]*\) \{ callback\((?:enosys\(\)|null)\); \},\n`),
	regexp.MustCompile(
		`(?m)^\tif \(!globalThis\.(?:crypto|performance|TextEncoder|TextDecoder)\) \{\n\t\tthrow .*\n\t\}\n`),
	regexp.MustCompile(`(?m)^\t\t\tconst testCallExport = [^;]*;\n[^;]*;\n\t\t\t\}\n`),
	regexp.MustCompile(`(?m)^\t\t\t\t_gotest: \{\n(?:\t\t\t\t\t.*\n)*\t\t\t\t\},\n`),
}

// hostFunction is one that the loader offers to the WebAssembly, with its body.
var hostFunction = regexp.MustCompile(`(?m)^\t{5}"([\w/.]+)": \(\w+\) => \{\n(?:(?:\t{6}.*)?\n)*\t{5}\},\n`)

// trimLoader takes out of wasm_exec.js what the WebAssembly does not import, and what nothing calls.
func trimLoader(source string, wasm []byte) string {
	for _, trim := range loaderTrims {
		source = trim.ReplaceAllString(source, "")
	}
	return hostFunction.ReplaceAllStringFunc(source, func(function string) string {
		name := hostFunction.FindStringSubmatch(function)[1]
		// An import's name has its length before it. Where the bytes stand there by chance the function stays. Go's
		// package os needs two more, which the tests' own build links.
		if strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "syscall/js.copyBytes") ||
			bytes.Contains(wasm, append([]byte{byte(len(name))}, name...)) {
			return function
		}
		return ""
	})
}
