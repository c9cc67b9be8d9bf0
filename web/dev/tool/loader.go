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
	// The program has no arguments and no environment, and web/js/core/instance.js sets what the end of the program
	// calls.
	regexp.MustCompile(
		`(?m)^\t\t\tthis\.argv = .*\n\t\t\tthis\.env = .*\n\t\t\tthis\.exit = \(code\) => \{\n(?:\t\t\t\t.*\n)*\t\t\t\};\n`),
	regexp.MustCompile(`(?m)^\t\t\tif \(!\(instance instanceof WebAssembly\.Instance\)\) \{\n\t{4}.*\n\t{3}\}\n`),
}

// programArguments find how the loader hands arguments over; noArguments hands over none: the memory is empty there.
var programArguments = regexp.MustCompile(
	`(?s)\t{3}// Pass command line arguments.*?\n(\t{3}this\._inst\.exports\.run\()argc, argv(\);\n)`)

const noArguments = "${1}0, 4096$2"

// nodeStandIns find the stand-ins of Node.js's fs, process and path, which only an untrimmed standard library asks for
// (stdEdits).
var nodeStandIns = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\tif \(!globalThis\.(?:fs|process|path)\) \{\n(?:\t\t.*\n)*\t\}\n`),
	regexp.MustCompile(`(?m)^\tconst enosys = .*\n(?:\t\t.*\n)*\t\};\n`),
}

// askForFiles is what a WebAssembly holds whose library asks for fs.
const askForFiles = "O_WRONLY"

// hostFunction is one that the loader offers to the WebAssembly, with its body.
var hostFunction = regexp.MustCompile(`(?m)^\t{5}"([\w/.]+)": \(\w+\) => \{\n(?:(?:\t{6}.*)?\n)*\t{5}\},\n`)

// trimLoader takes out of wasm_exec.js what the WebAssembly does not import, and what nothing calls.
func trimLoader(source string, wasm []byte) string {
	for _, trim := range loaderTrims {
		source = trim.ReplaceAllString(source, "")
	}
	source = programArguments.ReplaceAllString(source, noArguments)
	if !bytes.Contains(wasm, []byte(askForFiles)) {
		for _, trim := range nodeStandIns {
			source = trim.ReplaceAllString(source, "")
		}
	}
	return hostFunction.ReplaceAllStringFunc(source, func(function string) string {
		name := hostFunction.FindStringSubmatch(function)[1]
		// instance.js puts its own in the place of this one.
		if name == "runtime.wasmWrite" {
			return ""
		}
		// An import's name has its length before it. Where the bytes stand there by chance the function stays.
		if strings.HasPrefix(name, "runtime.") || bytes.Contains(wasm, append([]byte{byte(len(name))}, name...)) {
			return function
		}
		return ""
	})
}
