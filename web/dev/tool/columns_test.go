package main

import (
	"bytes"
	"testing"
)

// TestAppendColumn: a column says each of its values once, and nothing where all are zero.
func TestAppendColumn(t *testing.T) {
	for name, c := range map[string]struct {
		values []uint32
		want   []byte
	}{
		"zeros":     {[]uint32{0, 0, 0}, nil},
		"counting":  {[]uint32{1, 2, 3}, []byte{200, 1, 72, 3, 3, 2, 2, 2, 0, 0, 0}},
		"again":     {[]uint32{5, none, 5, none}, []byte{200, 1, 72, 4, 2, 10, 11, 0, 0, 1, 2}},
		"the same":  {[]uint32{7, 7}, []byte{200, 1, 72, 2, 1, 14, 0, 1}},
		"with zero": {[]uint32{0, 1}, []byte{200, 1, 72, 2, 2, 0, 2, 0, 0}},
	} {
		got := appendColumn(nil, 200, 72, len(c.values), func(i int) uint32 { return c.values[i] })
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}
