// Command tool holds the build's steps that need Go: bundling, compressing, collecting notices.
package main

import (
	_ "github.com/andybalholm/brotli"
	_ "github.com/evanw/esbuild/pkg/api"
)

func main() {}
