package main

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// pageDir holds what index.html loads beside agui.js.
const pageDir = "web/page"

// productVersion reads the one place that names the version.
func productVersion() (string, error) {
	raw, err := os.ReadFile("web/package.json")
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	if err := json.Unmarshal(raw, &p); err != nil {
		return "", fmt.Errorf("web/package.json: %w", err)
	}
	if p.Version == "" {
		return "", fmt.Errorf("web/package.json has no version")
	}
	return p.Version, nil
}

// copyPage writes index.html and what stands in web/page: scripts and styles minified, the rest as it is.
func copyPage(out *output, version string) error {
	html, err := os.ReadFile("index.html")
	if err != nil {
		return err
	}
	if err := out.write("index.html", html); err != nil {
		return err
	}
	entries, err := os.ReadDir(pageDir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() || entry.Name() == "tsconfig.json" { // for the type check, not for the page
			continue
		}
		path := filepath.Join(pageDir, entry.Name())
		var data []byte
		switch filepath.Ext(path) {
		case ".js":
			options := bundleOptions(api.FormatIIFE, version)
			options.EntryPoints = []string{path}
			data, _, err = bundle(options)
		case ".css":
			data, err = minifyCSS(path)
		default:
			data, err = os.ReadFile(path)
		}
		if err != nil {
			return err
		}
		if err := out.write(entry.Name(), data); err != nil {
			return err
		}
	}
	return nil
}

func minifyCSS(path string) ([]byte, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	result := api.Transform(string(source), api.TransformOptions{
		Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8,
		Sourcefile: path, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%s: %s", path, result.Errors[0].Text)
	}
	return result.Code, nil
}

// writeIntegrity writes the hashes that a page may put into integrity attributes.
func writeIntegrity(out *output) error {
	sums := map[string]string{}
	for _, name := range append([]string{"agui.js", "agui.mjs", "agui.wasm"}, partFiles()...) {
		sum := sha512.Sum384(out.files[name])
		sums[name] = "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	return writeJSON(out, "integrity.json", sums)
}

func writeJSON(out *output, name string, value any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	return out.write(name, b.Bytes())
}
