package state

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// replaceList makes final the list and records it.
func (a *applying) replaceList(final []placed) {
	a.recordList(final)
	a.list = make([]*entry, len(final))
	a.byKey = make(map[key]*entry, len(final))
	a.byID = make(map[string]*entry, len(final))
	a.calls = make(map[string]callAt, len(a.calls))
	a.callAlias, a.last, a.meant = nil, nil, meant{}
	for i := range final {
		e := &entry{index: i, m: final[i].m}
		a.list[i] = e
		a.place(e)
	}
	if !a.run.past || !a.meanTurn() {
		a.tellAliases(false)
	}
}

// recordList records the new list in the fewest words.
func (a *applying) recordList(final []placed) {
	if a.ch == nil {
		return
	}
	if unchangedList(a.list, final) {
		return
	}
	inPlace := len(final) >= len(a.list) // each old message stands where it stood, or something new stands there
	asCame := len(final) > 0             // the event's array is the list
	fresh := true                        // and nothing of it is old
	for i := range final {
		p := &final[i]
		if p.same && (p.old.index != i || i >= len(a.list)) {
			inPlace = false
		}
		asCame = asCame && p.at == i
		fresh = fresh && !p.same
	}
	messages := []Step{Key("messages")}
	switch {
	case fresh && asCame && a.base != nil && rawEnds(a.base.Raw, len(final)):
		a.ch.addRef(Assign, messages, messages)
	case inPlace:
		for i := range final {
			if p := &final[i]; !p.same {
				op := Assign
				if i >= len(a.list) {
					op = Insert
				}
				a.recordPlaced(op, i, p)
			}
		}
	default:
		dst := []byte{'['}
		for i := range final {
			if i > 0 {
				dst = append(dst, ',')
			}
			switch p := &final[i]; {
			case p.same:
				dst = strconv.AppendInt(dst, int64(p.old.index), 10)
			case p.at >= 0 && a.base != nil:
				dst = append(dst, "[0]"...)
			default:
				dst = append(dst, '[')
				dst = p.m.appendJSON(dst, false)
				dst = append(dst, ']')
			}
		}
		a.ch.add(Arrange, messages, string(append(dst, ']')))
		for i := range final {
			if p := &final[i]; !p.same && p.at >= 0 && a.base != nil {
				a.recordPlaced(Assign, i, p)
			}
		}
	}
}

func unchangedList(list []*entry, final []placed) bool {
	if len(list) != len(final) {
		return false
	}
	for i := range final {
		if !final[i].same || final[i].old.index != i {
			return false
		}
	}
	return true
}

// rawEnds reports whether the event's array has n elements.
func rawEnds(raw string, n int) bool {
	list, ok := rawjson.Get(raw, "messages")
	if !ok {
		return false
	}
	count := 0
	for range rawjson.Elements(list) {
		count++
	}
	return count == n
}

func (a *applying) recordPlaced(op Op, i int, p *placed) {
	path := []Step{Key("messages"), Index(i)}
	if p.at >= 0 && a.base != nil {
		a.ch.addRef(op, path, []Step{Key("messages"), Index(p.at)})
		return
	}
	a.ch.add(op, path, string(p.m.appendJSON(nil, false)))
}
