// Package stream turns a response's bytes into the data of its events.
package stream

import _ "github.com/tmaxmax/go-sse"
