module aguiwasm

go 1.26

ignore (
	./build
	./dist
	./web/node_modules
)

require (
	github.com/andybalholm/brotli v1.3.0
	github.com/evanphx/json-patch/v5 v5.9.11
	github.com/evanw/esbuild v0.28.2
	github.com/tmaxmax/go-sse v0.12.0
	honnef.co/go/js/dom/v2 v2.0.0-20231112215516-51f43a291193
)

require golang.org/x/sys v0.21.0 // indirect
