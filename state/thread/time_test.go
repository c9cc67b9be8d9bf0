package thread

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	for _, s := range []string{
		"2026-03-01T10:00:00Z", "2024-02-29T23:59:59.999Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
		"2026-03-01T10:00:00+02:00", "2026-03-01T10:00:00-05:30", "2000-01-31T00:00:00.5Z", "2100-03-01T00:00:00Z",
		"2026-03-01T10:00:00.123456+00:00",
	} {
		want, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ParseTime(s); !ok || got != want.UnixMilli() {
			t.Errorf("%s: %d %v, want %d", s, got, ok, want.UnixMilli())
		}
	}
	for s, same := range map[string]string{
		"2026-03-01":               "2026-03-01T00:00:00Z",
		"2026-03-01T10:00":         "2026-03-01T10:00:00Z",
		"2026-03-01T10:00:00":      "2026-03-01T10:00:00Z",
		"2026-03-01 10:00:00Z":     "2026-03-01T10:00:00Z",
		"2026-03-01T10:00:00+0100": "2026-03-01T09:00:00Z",
		"2026-03-01T10:00:00+01":   "2026-03-01T09:00:00Z",
	} {
		got, ok := ParseTime(s)
		want, _ := ParseTime(same)
		if !ok || got != want {
			t.Errorf("%s: %d %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "soon", "2026", "2026-13-01", "2026-03-01T", "2026-03-01T1", "2026-03-01T10:00:00.Z",
		"2026-03-01T10:00:00+1", "2026-03-01X10:00", "2026-03-01T10:00:00Zz"} {
		if _, ok := ParseTime(s); ok {
			t.Errorf("%q was taken for a time", s)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	f.Add("2026-03-01T10:00:00Z")
	f.Add("2026-03-01T10:00:00.5+02:00")
	f.Fuzz(func(t *testing.T, s string) {
		want, err := time.Parse(time.RFC3339Nano, s)
		if err != nil || want.Year() < 1 {
			ParseTime(s)
			return
		}
		if got, ok := ParseTime(s); ok && got != want.UnixMilli() {
			t.Fatalf("%q: %d, want %d", s, got, want.UnixMilli())
		}
	})
}
