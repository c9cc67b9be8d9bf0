//go:build !(js && wasm)

// Command wasm is agui.wasm; it runs in a browser alone.
package main

func main() { println("agui.wasm runs in a browser: build it with GOOS=js GOARCH=wasm") }
