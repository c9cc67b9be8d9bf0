//go:build js && wasm

package main

import (
	"runtime"
	"syscall/js"

	"aguiwasm/wasm/view"
)

// main puts the cold functions on the host object and stays for the page's life.
func main() {
	// the script sets it right before it starts the program, and package os would make the program larger
	const key = "agui:host"
	host = js.Global().Get(key)
	js.Global().Delete(key)
	host.Set("version", Version)
	for _, c := range cold {
		host.Set(c.name, js.FuncOf(guarded(c.f)))
	}
	view.Register(host)
	runtime.KeepAlive(&ballast)
	select {}
}
