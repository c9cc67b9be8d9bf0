package state

import (
	"strconv"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// messagesSnapshot gives the conversation anew, in the snapshot's order. Three kinds of local message survive it (section 7):
// activities and reasoning where it holds none, and what is open.
func (a *applying) messagesSnapshot(ev *agui.MessagesSnapshot) {
	a.rearrange(ev.Messages, len(ev.Raw), func(e *entry, inCall map[string]bool) bool {
		m := e.m
		switch {
		case m.kind == activityKind && !ev.HasActivity, m.kind == reasoningKind && !ev.HasReasoning:
			return true
		case m.kind <= reasoningKind && a.run.open[key{m.kind, m.wire}]:
			return true
		}
		for _, c := range m.calls {
			if a.run.callOpen[c.id] && !inCall[c.id] {
				return true
			}
		}
		return false
	}, false)
}

// placed is one message of the new list.
type placed struct {
	m   *message
	old *entry
	// at is the message's index in the event's array where its text stands there as it is in the list; else -1.
	at int
	// same says that the old message's content is this one's.
	same bool
}

// rearrange makes the list of the given messages and of the old ones that survive, and records how it came about: what is equal
// keeps its identity. twice lets a kind's id stand twice (a page's own list), where else the last one counts.
func (a *applying) rearrange(in []agui.Message, whole int, survives func(*entry, map[string]bool) bool, twice bool) {
	list := make([]placed, 0, len(in))
	place := make(map[key]int, len(in))
	inCall := map[string]bool{}
	for i := range in {
		m := newMessage(a.owner, &in[i], whole)
		p := placed{m: m, at: -1}
		if in[i].AsCame {
			p.at = in[i].At
		}
		k := key{m.kind, m.wire}
		if at, ok := place[k]; ok && !twice {
			a.collision(m.wire, describe(m.kind), "another one", "the last one counts")
			list[at] = p
			continue
		} else if !ok {
			place[k] = len(list)
		}
		list = append(list, p)
	}
	for i := range list {
		for _, c := range list[i].m.calls {
			inCall[c.id] = true
		}
	}

	// Match the old messages: held by the new list, surviving behind one, or gone.
	first := []*entry{} // survivors that stand before everything
	behind := make([][]*entry, len(list))
	anchor := -1
	for _, e := range a.list {
		k := key{e.m.kind, e.m.wire}
		if at, ok := place[k]; ok {
			stays := list[at].old == nil
			if stays {
				anchor = at
			}
			if a.run.open[k] {
				delete(a.run.replay, k)
			}
			if !a.keepOpenCalls(&list[at], e, inCall) {
				behind[anchor] = append(behind[anchor], e)
			} else if stays {
				list[at].old = e
			}
		} else if survives != nil && survives(e, inCall) {
			if anchor < 0 {
				first = append(first, e)
			} else {
				behind[anchor] = append(behind[anchor], e)
			}
		}
	}
	for id := range a.run.callOpen {
		if inCall[id] {
			delete(a.run.callReplay, id)
		}
	}
	final := make([]placed, 0, len(list)+len(first))
	for _, e := range first {
		final = append(final, placed{m: e.m, old: e, at: -1, same: true})
	}
	for i, p := range list {
		final = append(final, p)
		for _, e := range behind[i] {
			final = append(final, placed{m: e.m, old: e, at: -1, same: true})
		}
	}
	a.nameAll(final)
	for i := range final {
		a.settle(&final[i], inCall)
	}
	a.replaceList(final)
}

// keepOpenCalls lets a call that is still open go on in the new text of its message, where the snapshot does not hold the call anywhere.
// It reports false where the new message cannot hold calls, because it is no assistant's: then the old one has to survive.
func (a *applying) keepOpenCalls(p *placed, e *entry, inCall map[string]bool) bool {
	for i, c := range e.m.calls {
		if !a.run.callOpen[c.id] || inCall[c.id] {
			continue
		}
		if p.m.role != agui.RoleAssistant {
			return false
		}
		a.own(e)
		p.m.open()
		p.m.calls = append(p.m.calls, a.ownCall(e.m, i))
		if fieldAt(p.m.fields, `"toolCalls"`) < 0 {
			p.m.fields = append(p.m.fields, field{`"toolCalls"`, "", callsPart})
		}
		p.at = -1
	}
	return true
}

// nameAll gives each message its id: the new ones' first, in order, then those of the survivors.
func (a *applying) nameAll(final []placed) {
	taken := make(map[string]kind, len(final))
	name := func(p *placed, want string) {
		id := want
		if first, ok := taken[id]; ok {
			suffix := p.m.kind.String()
			if p.same && p.m.kind == textKind && first == textKind {
				suffix = "call" // two of a kind stand only where the second is kept for an open call
			}
			for id = p.m.wire; ; id += ":" + suffix {
				if _, ok := taken[id]; !ok {
					break
				}
			}
			a.collision(p.m.wire, describe(first), describe(p.m.kind), "the second is kept as "+showToken(id))
		}
		taken[id] = p.m.kind
		if p.m.id == id {
			return
		}
		if p.same {
			a.own(p.old)
			p.m = p.old.m
			p.same = false
		}
		p.m.open()
		p.m.id = id
		p.at = -1
	}
	for i := range final {
		if !final[i].same {
			name(&final[i], final[i].m.wire)
		}
	}
	for i := range final {
		if p := &final[i]; p.same {
			name(p, p.m.id)
		}
	}
}

// settle decides whether the old message stands, and takes calls that live elsewhere now out of a survivor.
func (a *applying) settle(p *placed, inCall map[string]bool) {
	old := p.old
	if old == nil {
		a.touch(p.m)
		return
	}
	if p.m == old.m { // a survivor
		a.dropCalls(p, inCall)
		if !p.same {
			a.touch(p.m)
		}
		return
	}
	o := old.m
	if o.id != p.m.id || o.kind != p.m.kind {
		a.touch(p.m)
		return
	}
	was, is := o.wireText(), p.m.wireText()
	switch {
	case was == is:
		p.m, p.same = o, true
	case rawjson.Equal(was, is):
		p.m.version, p.same = o.version, true // another spelling: it goes back to the agent, the page need not know
	default:
		a.touch(p.m)
	}
}

// dropCalls takes the calls out of a survivor that the new list holds elsewhere.
func (a *applying) dropCalls(p *placed, inCall map[string]bool) {
	for _, c := range p.m.calls {
		if !inCall[c.id] {
			continue
		}
		m := a.own(p.old)
		var kept []*call
		for _, c := range m.calls {
			if !inCall[c.id] {
				kept = append(kept, c)
			}
		}
		m.calls = kept
		if i := fieldAt(m.fields, `"toolCalls"`); i >= 0 && len(kept) == 0 {
			m.fields = append(m.fields[:i:i], m.fields[i+1:]...)
		}
		p.m, p.same = m, false
		return
	}
}

// replaceList makes final the list and records it.
func (a *applying) replaceList(final []placed) {
	a.recordList(final)
	a.list = make([]*entry, len(final))
	a.byKey = make(map[key]*entry, len(final))
	a.byID = make(map[string]*entry, len(final))
	a.calls = make(map[string]callAt, len(a.calls))
	a.last = nil
	for i := range final {
		e := &entry{index: i, m: final[i].m}
		a.list[i] = e
		a.place(e)
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
