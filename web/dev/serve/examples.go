package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// examples serves the folders under dir. NAME/bundle.js, and the files that belong to it, are made of NAME/main.js or
// NAME/main.jsx when bundle.js is asked for, with the libraries of the node_modules above dir. The module "aguiwasm"
// stays an import, for an import map to answer.
func examples(dir string) http.Handler {
	files := static(os.DirFS(dir))
	var mutex sync.Mutex
	built := map[string][]byte{} // by NAME/file
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
		if file == "bundle.js" {
			outputs, err := bundleExample(filepath.Join(dir, filepath.FromSlash(folder)))
			if err != nil {
				// A script, because a browser shows nobody the body of a refused one: the page would stay blank.
				w.Header().Set("Content-Type", types[".js"])
				w.Header().Set("Cache-Control", "no-store")
				_, _ = w.Write([]byte("const p = document.createElement(\"pre\");\np.textContent = " + quote(err.Error()+"\n\nThe libraries come with: cd web && npm ci") +
					";\ndocument.body.prepend(p);\nthrow new Error(p.textContent);\n"))
				return
			}
			mutex.Lock()
			for output, data := range outputs {
				built[folder+"/"+output] = data
			}
			mutex.Unlock()
		}
		mutex.Lock()
		data, ok := built[name]
		mutex.Unlock()
		if !ok {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(file)])
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(data)
	})
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
		Loader:              map[string]api.Loader{".woff": api.LoaderEmpty, ".woff2": api.LoaderEmpty, ".ttf": api.LoaderEmpty},
		LogLevel:            api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}), ""))
	}
	outputs := map[string][]byte{}
	for _, file := range result.OutputFiles {
		outputs[strings.TrimPrefix(filepath.ToSlash(file.Path), "/")] = file.Contents
	}
	return outputs, nil
}
