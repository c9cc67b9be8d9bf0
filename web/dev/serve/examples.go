package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// examples serves the folders under dir. NAME/bundle.js, and the files that belong to it, are made of NAME/main.js or
// NAME/main.jsx when bundle.js is first asked for or they have changed, with the libraries of the node_modules above
// dir. The module "aguiwasm" stays an import, for an import map to answer.
func examples(dir string) http.Handler {
	files := static(os.DirFS(dir))
	bundles := &bundles{dir: dir, kept: map[string]*bundle{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		folder, file, deep := strings.Cut(name, "/")
		if !deep {
			if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && info.IsDir() {
				if !strings.HasSuffix(r.URL.Path, "/") {
					w.Header().Set("Location", path.Base(name)+"/") // relative: the prefix that the server strips stays
					w.WriteHeader(http.StatusFound)
					return
				}
				r.URL.Path = "/" + folder + "/index.html"
			}
			files.ServeHTTP(w, r)
			return
		}
		made, err := bundles.of(folder, file == "bundle.js")
		if file == "bundle.js" && err != nil {
			// A script, because a browser shows nobody the body of a refused one: the page would stay blank.
			w.Header().Set("Content-Type", types[".js"])
			w.Header().Set("Cache-Control", "no-store")
			_, _ = w.Write([]byte("const p = document.createElement(\"pre\");\np.textContent = " +
				quote(err.Error()+"\n\nThe libraries come with: cd web && npm ci") +
				";\ndocument.body.prepend(p);\nthrow new Error(p.textContent);\n"))
			return
		}
		data, ok := made[file]
		if !ok {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(file)])
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(data)
	})
}

// bundles keeps what was bundled, each until a file of its folder or the libraries change: building takes seconds of
// CPU and hundreds of megabytes, so whoever asks meanwhile waits for that one.
type bundles struct {
	dir   string
	mutex sync.Mutex
	kept  map[string]*bundle // by folder
}

type bundle struct {
	stamp   string // of what it was made of
	outputs map[string][]byte
	err     error
}

// of gives a folder's bundle; without build, only one that is there already.
func (b *bundles) of(folder string, build bool) (map[string][]byte, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	old := b.kept[folder]
	if !build {
		if old == nil {
			return nil, nil
		}
		return old.outputs, old.err
	}
	dir := filepath.Join(b.dir, filepath.FromSlash(folder))
	stamp, err := stampOf(dir)
	if err != nil {
		return nil, err
	}
	if old == nil || old.stamp != stamp {
		old = &bundle{stamp: stamp}
		old.outputs, old.err = buildExample(dir)
		b.kept[folder] = old
	}
	return old.outputs, old.err
}

// buildExample is bundleExample; a test counts.
var buildExample = bundleExample

// stampOf gives a text that changes when a file under dir does, or the set of libraries.
func stampOf(dir string) (string, error) {
	var b strings.Builder
	note := func(path string, info fs.FileInfo) {
		b.WriteString(path + " " + strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().String() + "\n")
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			note(path, info)
		}
		return err
	})
	if info, err := os.Stat(filepath.Join(dir, "../../node_modules/.package-lock.json")); err == nil {
		note("libraries", info)
	}
	return b.String(), err
}

// quote gives a text as a JavaScript string.
func quote(text string) string {
	data, _ := json.Marshal(text) // a string always has its JSON
	return string(data)
}

// bundleExample makes bundle.js, bundle.css and the chunks that bundle.js loads later. Fonts are left out: a page draws
// without them.
func bundleExample(dir string) (map[string][]byte, error) {
	entry := filepath.Join(dir, "main.js")
	if _, err := os.Stat(entry); err != nil {
		entry += "x"
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: entry, OutputPath: "bundle"}},
		Bundle:              true,
		Splitting:           true,
		Write:               false,
		Outdir:              "/",
		Format:              api.FormatESModule,
		Target:              api.ES2022,
		Platform:            api.PlatformBrowser,
		JSX:                 api.JSXAutomatic,
		External:            []string{"aguiwasm"},
		Define:              map[string]string{"process.env.NODE_ENV": `"production"`},
		Plugins:             []api.Plugin{svelte(dir), aliased(dir)},
		Loader: map[string]api.Loader{".woff": api.LoaderEmpty, ".woff2": api.LoaderEmpty,
			".ttf": api.LoaderEmpty},
		LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil,
			errors.New(strings.Join(api.FormatMessages(result.Errors,
				api.FormatMessagesOptions{Kind: api.ErrorMessage}), ""))
	}
	outputs := map[string][]byte{}
	for _, file := range result.OutputFiles {
		outputs[strings.TrimPrefix(filepath.ToSlash(file.Path), "/")] = file.Contents
	}
	return outputs, nil
}

// aliased lets an example's libraries import another module in a module's place: alias.json says which. What the other
// one does not export is undefined there.
func aliased(dir string) api.Plugin {
	return api.Plugin{Name: "alias", Setup: func(b api.PluginBuild) {
		data, err := os.ReadFile(filepath.Join(dir, "alias.json"))
		if err != nil {
			return // it has none
		}
		var names map[string]string
		if err := json.Unmarshal(data, &names); err != nil {
			b.OnStart(func() (api.OnStartResult, error) {
				return api.OnStartResult{}, fmt.Errorf("alias.json: %w", err)
			})
			return
		}
		b.OnResolve(api.OnResolveOptions{Filter: `^[^./]`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if _, ok := names[a.Path]; !ok {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: a.Path, Namespace: "alias"}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "alias"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			code := "export * from " + quote(names[a.Path]) + ";"
			return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, nil
		})
	}}
}

// compileSvelte reads a component and writes its JavaScript, by the compiler of the node_modules it runs under.
const compileSvelte = `import { readFileSync } from "node:fs";
import { compile } from "svelte/compiler";
process.stdout.write(compile(readFileSync(process.argv[1], "utf8"), { filename: process.argv[1], css: "injected" }).js.code);`

// svelte lets an example import components of Svelte, which only its own compiler reads.
func svelte(dir string) api.Plugin {
	return api.Plugin{Name: "svelte", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `\.svelte$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			command := exec.Command("node", "--input-type=module", "-e", compileSvelte, a.Path)
			command.Dir = dir
			var words bytes.Buffer
			command.Stderr = &words
			code, err := command.Output()
			if err != nil {
				return api.OnLoadResult{}, fmt.Errorf("the component could not be compiled: %w\n%s", err,
					words.String())
			}
			text := string(code)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
}
