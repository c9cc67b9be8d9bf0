package rawjson

import "strings"

// Compact gives value without white space between its tokens; value itself if there is none.
func Compact(value string) string {
	var out []byte
	start := 0
	for i := 0; i < len(value); {
		switch value[i] {
		case '"':
			i = skipString(value, i)
		case ' ', '\t', '\n', '\r':
			if out == nil {
				out = make([]byte, 0, len(value))
			}
			out = append(out, value[start:i]...)
			i = skipSpace(value, i)
			start = i
		default:
			i++
		}
	}
	if out == nil {
		return value
	}
	return string(append(out, value[start:]...))
}

// Edit rebuilds an object: f is asked for each member that counts (of duplicates the last) and gives its value, or
// false to drop it. The members keep their order and the spelling of their keys. Where nothing is changed or dropped,
// obj itself comes back, duplicates included.
func Edit(obj string, f func(key String, value string) (string, bool)) string {
	var members []Member
	changed := false
	for k, v := range Members(obj) {
		members = append(members, Member{k, v})
	}
	dropLosers(&members)
	kept := members[:0]
	for _, m := range members {
		v, ok := f(m.Key, m.Value)
		if !ok {
			changed = true
			continue
		}
		if v != m.Value {
			changed = true
			m.Value = v
		}
		kept = append(kept, m)
	}
	if !changed {
		return obj
	}
	return string(AppendObject(make([]byte, 0, len(obj)), kept))
}

// dropLosers removes the members that a later one of the same name overrides.
func dropLosers(members *[]Member) {
	ms := *members
	duplicate := false
	if len(ms) <= 16 {
		for i := range ms {
			duplicate = duplicate || overridden(ms, i)
		}
		if !duplicate {
			return
		}
	}
	last := make(map[string]int, len(ms))
	for i, m := range ms {
		last[m.Key.Decode()] = i
	}
	kept := ms[:0]
	for i, m := range ms {
		if last[m.Key.Decode()] == i {
			kept = append(kept, m)
		}
	}
	*members = kept
}

func overridden(ms []Member, i int) bool {
	for _, later := range ms[i+1:] {
		if later.Key == ms[i].Key || later.Key.Decode() == ms[i].Key.Decode() {
			return true
		}
	}
	return false
}

// AppendObject appends an object of these members.
func AppendObject(dst []byte, members []Member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m.Key...)
		dst = append(dst, ':')
		dst = append(dst, m.Value...)
	}
	return append(dst, '}')
}

// Set gives obj with the member of that (decoded) name set to value: in place where it is, at the end where it is not.
func Set(obj, key, value string) string {
	found := false
	out := Edit(obj, func(k String, v string) (string, bool) {
		if k.Is(key) {
			found = true
			return value, true
		}
		return v, true
	})
	if found {
		return out
	}
	end := strings.LastIndexByte(obj, '}')
	if end < 0 {
		return obj
	}
	b := append(make([]byte, 0, len(obj)+len(key)+len(value)+4), obj[:end]...)
	if first(obj) >= 0 {
		b = append(b, ',')
	}
	b = AppendQuote(b, key)
	b = append(b, ':')
	b = append(b, value...)
	return string(append(b, '}'))
}
