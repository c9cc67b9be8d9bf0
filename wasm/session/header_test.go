package session

import (
	"strings"
	"testing"
)

func TestHeaderFault(t *testing.T) {
	for _, c := range []struct {
		name, value string
		fault       string // "": none; else what it says
	}{
		{"authorization", "Bearer sesame", ""},
		{"X-A!#$%&'*+-.^_`|~9", "", ""},
		{"a", "\t\r\n sesame \r\n", ""},
		{"a", "s\xc3\xa9same\x7f\x01", ""},
		{"a", "sesame\nx", "value of the header a"},
		{"a", "sesame\rx", "value of the header a"},
		{"a", "sesame\x00", "value of the header a"},
		{"a", "sesameĀ", "value of the header a"},
		{"a", "sesame🌍", "value of the header a"},
		{"a", "sesame\xed\xa0\xbd", "value of the header a"}, // half a surrogate
		{"", "sesame", "name"},
		{"sesame sesame", "x", "name"},
		{"sesame:", "x", "name"},
		{"sesameé", "x", "name"},
		{"sesame\n", "x", "name"},
	} {
		got := HeaderFault(c.name, c.value)
		if (got == "") != (c.fault == "") || !strings.Contains(got, c.fault) || strings.Contains(got, "sesame") {
			t.Errorf("%q: %q: %q", c.name, c.value, got)
		}
	}
}
