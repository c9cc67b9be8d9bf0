package agui

import "aguiwasm/agui/rawjson"

// withoutRaw takes the foreign event out of an event that carries one. It reports false for an event that is nothing
// else.
func withoutRaw(ev Event) (is bool) {
	b := ev.Common()
	if b.Type == TypeRaw {
		return false
	}
	if b.RawEvent != "" {
		b.Raw, b.RawEvent = rawjson.Edit(b.Raw,
			func(k rawjson.String, v string) (string, bool) { return v, !k.Is("rawEvent") }), ""
	}
	return true
}
