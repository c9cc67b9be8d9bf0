package rawjson

import "unsafe"

// word gives the eight bytes of s from i on, the first one lowest; i+8 must not be beyond s. WebAssembly loads them at
// once from any address, which its compiler does not make of eight loads.
func word(s string, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
}
