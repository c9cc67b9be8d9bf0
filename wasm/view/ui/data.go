package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// Limits of what is shown of one JSON value; what is beyond is counted.
const (
	maxLevel   = 6   // deeper values are shown as JSON text
	maxEntries = 100 // of one object or array
	maxTotal   = 1500
	maxText    = 4000 // runes of one string
	maxColumns = 8
)

// data shows any JSON value for a person: objects as names and values, lists as lists, lists of like objects as tables.
func (u *UI) data(value string) *Node {
	left := maxTotal
	return u.value(value, 0, &left)
}

func (u *UI) value(v string, level int, left *int) *Node {
	*left--
	switch rawjson.KindOf(v) {
	case rawjson.None, rawjson.Null:
		return T("span.nothing", u.label("none"))
	case rawjson.Bool:
		return T("span.scalar", u.label(v))
	case rawjson.Number:
		return T("span.scalar.number", u.short(v, 100))
	case rawjson.Str:
		s := rawjson.String(v).Decode()
		if s == "" {
			return T("span.nothing", u.label("empty value"))
		}
		return T("span.scalar dir=auto", u.short(s, maxText))
	}
	if level >= maxLevel || *left <= 0 {
		return T("code.raw", u.short(v, 400))
	}
	if rawjson.KindOf(v) == rawjson.Array {
		return u.array(v, level, left)
	}
	list := El("dl.fields")
	n := 0
	for _, m := range model.Members(v) {
		if n++; n > maxEntries || *left <= 0 {
			continue
		}
		list.Add(T("dt dir=auto", u.short(humanize(m.Key.Decode()), 80)), El("dd", u.value(m.Value, level+1, left)))
	}
	if n == 0 {
		return T("span.nothing", u.label("empty value"))
	}
	return u.more(list, n-len(list.Kids)/2)
}

func (u *UI) array(v string, level int, left *int) *Node {
	if t := u.rows2table(v, level, left); t != nil {
		return t
	}
	list := El("ul.items")
	n := 0
	for _, e := range model.Elements(v) {
		if n++; n > maxEntries || *left <= 0 {
			continue
		}
		list.Add(El("li", u.value(e, level+1, left)))
	}
	if n == 0 {
		return T("span.nothing", u.label("empty value"))
	}
	return u.more(list, n-len(list.Kids))
}

// rows2table shows a list of two objects or more that hold the same few simple members as a table; nil: it is no such
// list.
func (u *UI) rows2table(v string, level int, left *int) *Node {
	var columns []string
	rows := 0
	for _, e := range model.Elements(v) {
		i := 0
		for _, m := range model.Members(e) {
			k := rawjson.KindOf(m.Value)
			if k == rawjson.Array || k == rawjson.Object {
				return nil
			}
			if name := m.Key.Decode(); rows == 0 {
				columns = append(columns, name)
			} else if i >= len(columns) || columns[i] != name {
				return nil
			}
			i++
		}
		if i == 0 || i > maxColumns || i != len(columns) {
			return nil
		}
		rows++
	}
	if rows < 2 {
		return nil
	}
	head := El("tr")
	for _, c := range columns {
		head.Add(T("th scope=col", u.short(humanize(c), 80)))
	}
	body := El("tbody")
	n := 0
	for _, e := range model.Elements(v) {
		if n++; n > maxEntries || *left <= 0 {
			continue
		}
		tr := El("tr")
		for _, m := range model.Members(e) {
			tr.Add(El("td", u.value(m.Value, level+1, left)))
		}
		body.Add(tr)
	}
	t := scroll(u.label("table"), El("table", El("thead", head), body))
	return u.more(t, n-len(body.Kids))
}

// short cuts a text after n runes and notes that it did.
func (u *UI) short(s string, n int) string {
	cut := short(s, n)
	u.cut = u.cut || len(cut) != len(s)
	return cut
}

// more adds how many entries are not shown.
func (u *UI) more(n *Node, hidden int) *Node {
	if hidden <= 0 {
		return n
	}
	u.cut = true
	return El("div", n, T("p.note", u.Labels.Fill("more", itoa(hidden))))
}

// humanize makes words of a name: "flight_number" and "flightNumber" become "Flight number".
func humanize(name string) string {
	if utf8.RuneCountInString(name) > 60 {
		return name
	}
	var b strings.Builder
	var prev rune
	for i, r := range name {
		next, _ := utf8.DecodeRuneInString(name[min(i+utf8.RuneLen(r), len(name)):])
		switch {
		case r == '_' || r == '-':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			b.WriteByte(' ')
			if !unicode.IsUpper(next) {
				r = unicode.ToLower(r)
			}
		}
		if b.Len() == 0 {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		prev = r
	}
	return strings.TrimSpace(b.String())
}
