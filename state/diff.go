package state

import (
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
)

// Diff gives an RFC 6902 patch that makes the value to of the value from; "[]" where they are equal as JSON values.
// Both are checked JSON text. Objects are compared member by member; of arrays the equal beginning and end stay, and
// what lies between is changed element by element. It is meant for states that change a little at a time: the patch is
// right for any two values, but not always the shortest one.
func Diff(from, to string) string {
	d := differ{out: []byte{'['}}
	d.value("", from, to)
	return string(append(d.out, ']'))
}

type differ struct{ out []byte }

func (d *differ) op(name, path, value string) {
	if len(d.out) > 1 {
		d.out = append(d.out, ',')
	}
	d.out = append(append(append(d.out, `{"op":"`...), name...), `","path":`...)
	d.out = rawjson.AppendQuote(d.out, path)
	if value != "" {
		d.out = append(append(d.out, `,"value":`...), value...)
	}
	d.out = append(d.out, '}')
}

func (d *differ) value(path, from, to string) {
	switch kind := rawjson.KindOf(to); {
	case rawjson.Equal(from, to):
	case kind == rawjson.Object && rawjson.KindOf(from) == kind:
		d.object(path, from, to)
	case kind == rawjson.Array && rawjson.KindOf(from) == kind:
		d.array(path, from, to)
	default:
		d.op("replace", path, to)
	}
}

// object compares the last value of each key, as JSON.parse has it.
func (d *differ) object(path, from, to string) {
	was, is := lastMembers(from), lastMembers(to)
	for _, m := range was.list {
		if _, ok := is.at[m.key]; !ok {
			d.op("remove", path+"/"+escapeToken(m.key), "")
		}
	}
	for _, m := range is.list {
		at := path + "/" + escapeToken(m.key)
		if i, ok := was.at[m.key]; ok {
			d.value(at, was.list[i].value, m.value)
		} else {
			d.op("add", at, m.value)
		}
	}
}

func (d *differ) array(path, from, to string) {
	was, is := elements(from), elements(to)
	start := 0
	for start < len(was) && start < len(is) && rawjson.Equal(was[start], is[start]) {
		start++
	}
	end := 0
	for end < len(was)-start && end < len(is)-start && rawjson.Equal(was[len(was)-1-end], is[len(is)-1-end]) {
		end++
	}
	both := min(len(was), len(is)) - end
	for i := start; i < both; i++ {
		d.value(path+"/"+strconv.Itoa(i), was[i], is[i])
	}
	for i := len(was) - end - 1; i >= both; i-- {
		d.op("remove", path+"/"+strconv.Itoa(i), "")
	}
	for i := both; i < len(is)-end; i++ {
		d.op("add", path+"/"+strconv.Itoa(i), is[i])
	}
}

type namedValue struct{ key, value string }

type members struct {
	list []namedValue
	at   map[string]int
}

func lastMembers(object string) members {
	m := members{at: map[string]int{}}
	for key, value := range rawjson.Members(object) {
		name := key.Decode()
		if i, ok := m.at[name]; ok {
			m.list[i].value = value
			continue
		}
		m.at[name] = len(m.list)
		m.list = append(m.list, namedValue{name, value})
	}
	return m
}

func elements(array string) []string {
	var list []string
	for _, value := range rawjson.Elements(array) {
		list = append(list, value)
	}
	return list
}

var tokenEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// escapeToken writes a key as a reference token (RFC 6901, section 3).
func escapeToken(key string) string { return tokenEscaper.Replace(key) }
