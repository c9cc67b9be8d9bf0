package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"aguiwasm/agui"
	"aguiwasm/state/thread"
)

// The sources of the scripts.
const (
	scriptSource = "web/js/api/script.js"
	moduleSource = "web/js/api/module.js"
	nodeSource   = "web/js/api/node.js"
	compatSource = "web/js/compat/compat.js"
	typesSources = "web/js"
)

// target is the oldest language level that the scripts may need.
const target = api.ES2022

// bundleScripts writes the parts, then agui.js (for a script tag), agui.mjs (for import), agui.node.mjs (for import in
// Node.js), which know the parts' hashes, and their types.
func bundleScripts(out *output, version string) error {
	exec, err := wasmExec(out.files["agui.wasm"])
	if err != nil {
		return err
	}
	partSums, partSources, err := bundleParts(out, version)
	if err != nil {
		return err
	}
	for _, script := range []struct {
		source, name string
		format       api.Format
	}{
		{scriptSource, "agui.js", api.FormatIIFE},
		{moduleSource, "agui.mjs", api.FormatESModule},
		{nodeSource, "agui.node.mjs", api.FormatESModule},
	} {
		options := bundleOptions(script.format, version)
		options.EntryPoints = []string{script.source}
		options.Plugins = []api.Plugin{virtual("wasm_exec", exec)}
		options.Define["AGUI_PARTS"] = partSums
		code, sources, err := bundle(options)
		if err != nil {
			return err
		}
		for source := range sources {
			if part, twice := partSources[source]; twice {
				return fmt.Errorf("%s is in %s and in the part %q: name what the part takes of it in %s", source,
					script.name, part, kitSource)
			}
		}
		if err := out.write(script.name, code); err != nil {
			return err
		}
	}
	for name, beside := range map[string]string{"agui.compat.mjs": "./agui.mjs",
		"agui.compat.node.mjs": "./agui.node.mjs"} {
		options := bundleOptions(api.FormatESModule, version)
		options.EntryPoints = []string{compatSource}
		kit, err := kitPlugin()
		if err != nil {
			return err
		}
		options.Plugins = []api.Plugin{neighbour("aguiwasm", beside), kit}
		code, _, err := bundle(options)
		if err != nil {
			return err
		}
		if err := out.write(name, code); err != nil {
			return err
		}
	}
	for _, name := range []string{"agui.d.ts", "agui.global.d.ts", "agui.compat.d.ts"} {
		types, err := os.ReadFile(filepath.Join(typesSources, name))
		if err != nil {
			return err
		}
		if err := out.write(name, types); err != nil {
			return err
		}
	}
	return nil
}

// readable keeps names and lines in the scripts, for a debugger or a profile: AGUI_READABLE=1 ./build.sh
var readable = os.Getenv("AGUI_READABLE") != ""

// bundleOptions are those of all scripts.
func bundleOptions(format api.Format, version string) api.BuildOptions {
	types, _ := json.Marshal(agui.Types()) // a list of texts
	return api.BuildOptions{
		Bundle:            true,
		Write:             false,
		Metafile:          true,
		Format:            format,
		Target:            target,
		Platform:          api.PlatformBrowser,
		MinifySyntax:      !readable,
		MinifyWhitespace:  !readable,
		MinifyIdentifiers: !readable,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		Define: map[string]string{
			"AGUI_VERSION":   fmt.Sprintf("%q", version),
			"AGUI_TYPES":     string(types),
			"AGUI_KEEP_RUNS": strconv.Itoa(thread.KeepRuns),
			"AGUI_ROUNDS":    strconv.Itoa(thread.MaxToolRounds),
		},
		Banner:   map[string]string{"js": "/* aguiwasm " + version + ", MIT; see NOTICES.txt */"},
		External: []string{"node:*"},
		LogLevel: api.LogLevelSilent,
	}
}

// bundle makes one script, and gives the files that are in it.
func bundle(options api.BuildOptions) (code []byte, sources map[string]bool, err error) {
	result := api.Build(options)
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, nil, errors.New(strings.TrimSpace(strings.Join(text, "")))
	}
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct{ BytesInOutput int }
		}
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, nil, err
	}
	sources = map[string]bool{}
	for _, output := range meta.Outputs {
		for name, input := range output.Inputs {
			if input.BytesInOutput > 0 && !strings.HasPrefix(name, "virtual:") {
				sources[name] = true
			}
		}
	}
	return result.OutputFiles[0].Contents, sources, nil
}

// neighbour is a plugin that leaves the import of name out of a script and makes it one of a file beside it.
func neighbour(name, file string) api.Plugin {
	return api.Plugin{Name: name, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^" + name + "$"},
			func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: file, External: true}, nil
			})
	}}
}

// virtual is a plugin that answers the import of name with code.
func virtual(name, code string) api.Plugin {
	return api.Plugin{Name: name, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^" + name + "$"},
			func(a api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: a.Path, Namespace: "virtual"}, nil
			})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "virtual"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
		})
	}}
}

// wasmExec reads the wasm_exec.js of the toolchain that compiles and makes a module of it that exports Go, for one
// WebAssembly.
func wasmExec(wasm []byte) (string, error) {
	used, err := usedToolchain()
	if err != nil {
		return "", err
	}
	path := filepath.Join(used.root, "lib", "wasm", "wasm_exec.js")
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return privateLoader(trimLoader(string(source), wasm))
}

// privateLoader wraps wasm_exec.js so that it leaves the page alone: it gets an object of its own in the place of
// globalThis, where it puts its class Go and its stand-ins for Node.js's fs, process and path, if there are any, and
// where it finds none of the page's. The Go program's js.Global() is the real globalThis all the same; only the three
// names that an untrimmed Go library asks it for (fs, process, path) are answered with the stand-ins.
func privateLoader(source string) (string, error) {
	head := loaderHead
	edits := [][2]string{
		{"\t\t\t\tglobalThis,\n", "\t\t\t\tpage,\n"},
		{"[globalThis, 5]", "[page, 5]"},
	}
	if strings.Contains(source, "globalThis.fs") {
		head += standInHead
		const read = "(loadValue(sp + 8), loadString(sp + 16))"
		edits = append(edits, [2]string{"Reflect.get" + read, "get" + read})
	}
	for _, edit := range edits {
		if n := strings.Count(source, edit[0]); n != 1 {
			return "", fmt.Errorf("this toolchain's wasm_exec.js has %d times %q, not once: see privateLoader", n, edit[0])
		}
		source = strings.Replace(source, edit[0], edit[1], 1)
	}
	source = strings.Replace(source, "\tfs.writeSync(", "\tglobalThis.fs.writeSync(", 1) // where it was not taken out
	return head + "(function (globalThis) {\n" + source + loaderTail, nil
}

const (
	loaderHead = `const page = globalThis;
const mine = { crypto, performance, TextEncoder, TextDecoder };
`
	standInHead = `const get = (target, key) =>
  target === page && (key === "fs" || key === "process" || key === "path") ? mine[key] : Reflect.get(target, key);
`
	loaderTail = `
})(mine);
export const Go = mine.Go;
export default Go;
`
)
