package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"aguiwasm/wasm/view/model"
)

// part is a file of ours beside agui.js that loads when it is used (web/js/core/parts.js).
type part struct{ name, source, export string }

// parts are all of them. agui.mjs must name each as well, in web/js/api/module.js, so that bundlers find it.
var parts = []part{
	{"agent", "web/js/agent/runs.js", "follow, describe, stop, approve, dismiss, runPending, filePart"},
	{"chat", "web/js/view/chat.js", "View"},
	{"replay", "web/js/agent/player.js", "Player, inTurn"},
	{"line", "web/js/core/line.js", "Line, describe, offer"},
	{"persist", "web/js/agent/persist.js", "Keeper, forgetAll"},
	{"webmcp", "web/js/agent/webmcp.js", "Offers"},
	{"versions", "web/js/agent/versions.js", "Versions"},
	{"layout", "web/js/view/layout.js", "lay"},
	{"around", "web/js/view/around.js", "Around"},
	{"element", "web/js/view/element.js", "define"},
}

// kitSource names what agui.js shares with its parts.
const kitSource = "web/js/core/kit.js"

func partFile(name string) string { return "agui." + name + ".js" }

// partFiles are the parts' files.
func partFiles() []string {
	files := make([]string, len(parts))
	for i, p := range parts {
		files[i] = partFile(p.name)
	}
	return files
}

// bundleParts writes the parts. It gives their hashes by name as JSON, and the files that are in each, with the part's
// name.
func bundleParts(out *output, version string) (sums string, sources map[string]string, err error) {
	kit, err := kitPlugin()
	if err != nil {
		return "", nil, err
	}
	hashes := map[string]string{}
	sources = map[string]string{}
	for _, p := range parts {
		options := bundleOptions(api.FormatIIFE, version)
		options.Stdin = &api.StdinOptions{
			Contents: fmt.Sprintf("import { %[3]s } from %[1]q;\n"+
				"globalThis[Symbol.for(\"agui.runtimes\")]?.get(AGUI_VERSION)?.runtime.parts.take(%[2]q, { %[3]s });",
				"./"+p.source, p.name, p.export),
			ResolveDir: ".",
		}
		if options.Stdin.ResolveDir, err = os.Getwd(); err != nil {
			return "", nil, err
		}
		options.Plugins = []api.Plugin{kit}
		if options.Define["AGUI_WORDS"], err = earlyWords(); err != nil {
			return "", nil, err
		}
		options.Loader = map[string]api.Loader{".css": api.LoaderText}
		code, in, err := bundle(options)
		if err != nil {
			return "", nil, err
		}
		for source := range in {
			sources[source] = p.name
		}
		sum := sha256.Sum256(code) // agui.js holds them, and they do not compress: no more of them than needs be
		hashes[p.name] = base64.RawStdEncoding.EncodeToString(sum[:])
		if err := out.write(partFile(p.name), code); err != nil {
			return "", nil, err
		}
	}
	text, err := json.Marshal(hashes)
	return string(text), sources, err
}

// earlyWords are the labels that the chat shows before the program has come, and around the program's chat, in English
// and in Chinese, as JSON.
func earlyWords() (string, error) {
	var both [2]map[string]string
	for i, labels := range []model.Labels{model.English, model.Chinese} {
		both[i] = map[string]string{}
		for _, name := range []string{"chat", "conversation", "you", "message", "placeholder", "send", "attach",
			"readAloud", "stopReading", "empty", "newMessages", "openChat", "closeChat"} {
			both[i][name] = labels.Get(name)
		}
	}
	text, err := json.Marshal(both)
	return string(text), err
}

var importList = regexp.MustCompile(`(?m)^import \{([^}]*)\} from "([^"]+)";`)

// kitPlugin puts what the running script shares in the place of the modules that kitSource lists. A name that the kit
// has not is an error of the build.
func kitPlugin() (api.Plugin, error) {
	source, err := os.ReadFile(kitSource)
	if err != nil {
		return api.Plugin{}, err
	}
	shared := map[string]bool{}
	var names []string
	for _, match := range importList.FindAllStringSubmatch(string(source), -1) {
		names = append(names, strings.TrimSpace(match[1]))
		module, err := filepath.Abs(filepath.Join(filepath.Dir(kitSource), filepath.FromSlash(match[2])))
		if err != nil {
			return api.Plugin{}, err
		}
		shared[module] = true
	}
	object := "export const kit = { " + strings.Join(names, ", ") + ", };"
	if !strings.Contains(strings.Join(strings.Fields(string(source)), " "), object) { // whatever its lines
		return api.Plugin{}, fmt.Errorf("%s should end with %s", kitSource, object)
	}
	code := "export const { " + strings.Join(names, ", ") +
		" } = globalThis[Symbol.for(\"agui.runtimes\")]?.get(AGUI_VERSION)?.kit ?? {};"
	return api.Plugin{Name: "kit", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^\.`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if !shared[filepath.Join(a.ResolveDir, filepath.FromSlash(a.Path))] {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: "kit", Namespace: "virtual"}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: "^kit$", Namespace: "virtual"},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
			})
	}}, nil
}
