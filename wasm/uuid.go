package main

import "math/rand/v2"

// newID makes a random UUID (RFC 9562, version 4) from the generator of the Go runtime, which the browser's secure one
// seeds.
func newID() string {
	const hex = "0123456789abcdef"
	high, low := rand.Uint64(), rand.Uint64()
	high = high&^0xF000 | 0x4000
	low = low&^(3<<62) | 2<<62
	id := make([]byte, 0, 36)
	for i := range 32 {
		word := high
		if i >= 16 {
			word = low
		}
		if i == 8 || i == 12 || i == 16 || i == 20 {
			id = append(id, '-')
		}
		id = append(id, hex[word>>(60-4*(i%16))&15])
	}
	return string(id)
}
