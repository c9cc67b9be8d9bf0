package main

import "os"

// manifest is the package.json of dist/, which is also a package for npm. A struct, not a map: the order of conditions
// in exports counts (the first that holds is taken), and "types" must stand first.
type manifest struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	Description string          `json:"description"`
	Keywords    []string        `json:"keywords"`
	License     string          `json:"license"`
	Type        string          `json:"type"`
	Main        string          `json:"main"`
	Module      string          `json:"module"`
	Types       string          `json:"types"`
	Unpkg       string          `json:"unpkg"`
	JSDelivr    string          `json:"jsdelivr"`
	Exports     manifestExports `json:"exports"`
	// TypesVersions says where the types of ./compat are to who does not read exports (moduleResolution "node10").
	TypesVersions map[string]map[string][]string `json:"typesVersions"`
	Files         []string                       `json:"files"`
	SideEffects   bool                           `json:"sideEffects"`
	Engines       map[string]string              `json:"engines"`
}

type manifestExports struct {
	Root     conditions `json:"."`
	Compat   conditions `json:"./compat"`
	Script   conditions `json:"./agui.js"`
	Wasm     string     `json:"./agui.wasm"`
	Manifest string     `json:"./package.json"`
}

type conditions struct {
	Types   string `json:"types"`
	Node    string `json:"node,omitempty"`
	Default string `json:"default"`
}

// writePackage writes what makes dist/ a package for npm: package.json, and the package's own README.md.
// sideEffects is true: the module registers its runtime on the page, so that a second copy shares it.
func writePackage(out *output, version string) error {
	readme, err := os.ReadFile("web/js/README.md")
	if err != nil {
		return err
	}
	if err := out.write("README.md", readme); err != nil {
		return err
	}
	return writeJSON(out, "package.json", manifest{
		Name:        "aguiwasm",
		Version:     version,
		Description: "The AG-UI runtime for the browser",
		Keywords:    []string{"ag-ui", "agent", "chat", "wasm", "streaming"},
		License:     "MIT",
		Type:        "module",
		Main:        "./agui.node.mjs",
		Module:      "./agui.mjs",
		Types:       "./agui.d.ts",
		Unpkg:       "./agui.js",
		JSDelivr:    "./agui.js",
		Exports: manifestExports{
			Root: conditions{Types: "./agui.d.ts", Node: "./agui.node.mjs", Default: "./agui.mjs"},
			Compat: conditions{Types: "./agui.compat.d.ts", Node: "./agui.compat.node.mjs",
				Default: "./agui.compat.mjs"},
			Script:   conditions{Types: "./agui.global.d.ts", Default: "./agui.js"},
			Wasm:     "./agui.wasm",
			Manifest: "./package.json",
		},
		TypesVersions: map[string]map[string][]string{"*": {"compat": {"./agui.compat.d.ts"}}},
		// The twins are for hosts that serve precompressed files; a bundler takes agui.wasm alone.
		Files: append([]string{
			"agui.js", "agui.mjs", "agui.node.mjs", "agui.compat.mjs", "agui.compat.node.mjs", "agui.d.ts",
			"agui.compat.d.ts", "agui.global.d.ts", "agui.wasm", "agui.wasm.br", "agui.wasm.gz",
			"integrity.json", "NOTICES.txt", "README.md",
		}, partFiles()...),
		SideEffects: true,
		Engines:     map[string]string{"node": ">=20"},
	})
}
