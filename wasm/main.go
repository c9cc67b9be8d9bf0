//go:build js && wasm

// Command wasm is agui.wasm: it puts the runtime's functions where the script that loads it looks for them.
package main

import "aguiwasm/web"

func main() { web.Main() }
