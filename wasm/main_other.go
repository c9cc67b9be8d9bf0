//go:build !(js && wasm)

package main

func main() { println("agui.wasm runs in a browser: build it with GOOS=js GOARCH=wasm") }
