//go:build js && wasm

package main

import "aguiwasm/state/rejoin"

// adapter makes a dialect of an object of the page's, which JavaScript keeps and calls: no exception may go through
// Go's frames.
func adapter(run int32, said string) *rejoin.Dialect {
	return rejoin.Adapter(said, func(name string, args ...string) string {
		all := []any{run, name}
		for _, a := range args {
			all = append(all, a)
		}
		return text(host.Call("adapt", all...))
	})
}
