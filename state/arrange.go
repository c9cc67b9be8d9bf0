package state

import (
	"slices"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// messagesSnapshot gives the conversation anew, in the snapshot's order. Three kinds of local message survive it
// (section 7): activities and reasoning where it holds none, and what is open.
func (a *applying) messagesSnapshot(ev *agui.MessagesSnapshot) {
	owned := ownedActivities(ev.Metadata)
	if len(a.run.echoes) > 0 {
		a.splitAll(func(k key) bool {
			return slices.ContainsFunc(ev.Messages, func(m agui.Message) bool {
				if k.kind == callKind {
					return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.ID == k.id })
				}
				return kindOf(m.Role) == k.kind && m.ID == k.id
			})
		})
	}
	a.rearrange(ev.Messages, len(ev.Raw), func(e *entry, inCall map[string]bool) bool {
		m := e.m
		switch {
		case m.kind == activityKind && owned != nil:
			return !owned(m.field("activityType"))
		case m.kind == activityKind && !ev.HasActivity, m.kind == reasoningKind && !ev.HasReasoning:
			return true
		case m.kind <= reasoningKind && a.run.open[key{m.kind, m.wire}]:
			// What a later turn made under the id is open, not the earlier one.
			if now := a.byKey[key{m.kind, m.wire}]; now == nil || now == e || !now.m.again() {
				return true
			}
		}
		for _, c := range m.calls {
			if a.run.callOpen[c.id] && !inCall[c.wireID()] {
				return true
			}
		}
		return false
	}, false)
	a.judgeLate(true)
}

// ownedActivities reads which activity types a snapshot owns (section 8): nil says nothing of it. The function takes a
// type as JSON.
func ownedActivities(metadata string) func(activityType string) bool {
	client, _ := rawjson.Get(orObject(metadata), "@ag-ui/client")
	types, ok := rawjson.Get(orObject(client), "authoritativeActivityTypes")
	if !ok {
		return nil
	}
	return func(activityType string) bool {
		switch rawjson.KindOf(types) {
		case rawjson.Null:
			return true
		case rawjson.Array:
			for _, t := range rawjson.Elements(types) {
				if rawjson.Equal(t, activityType) {
					return true
				}
			}
		}
		return false
	}
}

func orObject(text string) string {
	if rawjson.KindOf(text) != rawjson.Object {
		return "{}"
	}
	return text
}

// dropOrphans takes the calls out of their messages that only this client ever knew: a snapshot held their message
// without them, and nothing but an END came after it (section 7).
func (a *applying) dropOrphans() {
	if len(a.run.orphans) == 0 {
		return
	}
	for _, e := range a.list {
		for i := len(e.m.calls) - 1; i >= 0; i-- { // an id may stand in several places
			if a.run.orphans[e.m.calls[i].id] {
				a.dropCall(e, i)
			}
		}
	}
	for id := range a.run.orphans {
		delete(a.calls, id)
		delete(a.incomplete, id)
		delete(a.run.callOpen, id)
		if i := slices.Index(a.run.calls, id); i >= 0 {
			a.run.calls = slices.Delete(a.run.calls, i, i+1)
			if i < a.run.judged {
				a.run.judged--
			}
		}
	}
	a.run.orphans = nil
	if len(a.callAlias) > 0 {
		a.tellAliases(false)
	}
	a.judgeLate(false)
}

// dropCall takes a call out of its message.
func (a *applying) dropCall(e *entry, at int) {
	m := a.own(e)
	m.calls = slices.Delete(slices.Clone(m.calls), at, at+1)
	for i, c := range m.calls[at:] {
		if was, ok := a.calls[c.id]; ok && was.e == e {
			a.calls[c.id] = callAt{e, at + i}
		}
	}
	a.growing = growing{}
	if i := fieldAt(m.fields, `"toolCalls"`); len(m.calls) == 0 && i >= 0 {
		m.fields = slices.Delete(slices.Clone(m.fields), i, i+1)
		a.ch.add(Remove, a.at(e, Key("toolCalls")), "")
	} else {
		a.ch.add(Remove, a.at(e, Key("toolCalls"), Index(at)), "")
	}
	a.touch(m)
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

// rearrange makes the list of the given messages and of the old ones that survive, and records how it came about: what
// is equal keeps its identity. twice lets a kind's id stand twice (a page's own list), where else the last one counts.
func (a *applying) rearrange(in []agui.Message, whole int, survives func(*entry, map[string]bool) bool, twice bool) {
	list := make([]placed, 0, len(in))
	place := make(map[key]int, len(in))
	inCall := map[string]bool{}
	for i := range in {
		m := newMessage(a.owner, &in[i], whole)
		if twice {
			a.wireNames(m)
		}
		p := placed{m: m, at: -1}
		if in[i].AsCame {
			p.at = in[i].At
		}
		k := matchKey(m, twice)
		if at, ok := place[k]; ok && !twice {
			if joined := joinEntries(list[at].m, m); joined != nil {
				a.warn(agui.Warning{
					Code: agui.WarnRepaired, Event: a.base.Raw,
					Message: "two entries of a snapshot have the id " + showToken(m.wire) +
						" and no member in common: they were taken as one message",
				})
				list[at] = placed{m: joined, at: -1}
				continue
			}
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
			inCall[c.wireID()] = true
		}
	}

	// Match the old messages: held by the new list, surviving behind one, or gone.
	first := []*entry{} // survivors that stand before everything
	behind := make([][]*entry, len(list))
	anchor := -1
	for _, e := range a.list {
		if at, ok := place[matchKey(e.m, twice)]; ok {
			stays := list[at].old == nil
			if stays {
				anchor = at
			}
			// Only a server says where its stream goes on.
			if k := (key{e.m.kind, e.m.wire}); !twice && a.run.open[k] {
				delete(a.run.replay, k)
				delete(a.run.echoes, k)
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
		if !twice && inCall[a.callWire(id)] {
			delete(a.run.callReplay, id)
			delete(a.run.echoes, key{callKind, a.callWire(id)})
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

// keepOpenCalls lets a call that is still open go on in the new text of its message, where the snapshot does not hold
// the call anywhere. It reports false where the new message cannot hold calls, because it is no assistant's: then the
// old one has to survive.
func (a *applying) keepOpenCalls(p *placed, e *entry, inCall map[string]bool) bool {
	for i, c := range e.m.calls {
		if !a.run.callOpen[c.id] || inCall[c.wireID()] {
			continue
		}
		if p.m.role != agui.RoleAssistant {
			return false
		}
		if a.run.orphans == nil {
			a.run.orphans = map[string]bool{}
		}
		a.run.orphans[c.id] = true
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

// matchKey is what a message is found by in a list: the wire's id in a server's list, the page's in a page's. A tool
// message is found by its call as well, for a server may give several results one id.
func matchKey(m *message, page bool) key {
	if m.kind == toolKind {
		called := m.callWire
		if called == "" {
			called = m.callID
		}
		return key{resultKind, m.wire + "\x00" + called}
	}
	if page {
		return key{m.kind, m.id}
	}
	return key{m.kind, m.wire}
}

// joinEntries makes one message of two entries of an assistant's message in which no member stands twice (an empty one
// counts as absent, and lists of different calls are one list); nil where some member does.
func joinEntries(first, second *message) *message {
	if first.role != agui.RoleAssistant || second.role != agui.RoleAssistant {
		return nil
	}
	first.open()
	second.open()
	empty := func(m *message, f *field) bool {
		switch f.part {
		case textPart:
			return m.text.Len() == 0
		case callsPart:
			return len(m.calls) == 0
		case metaPart:
			return rawjson.Equal(m.meta.String(), "{}")
		}
		return f.raw == "[]" || f.raw == `""` || f.raw == "null"
	}
	joined := first.clone(first.owner)
	for i := range second.fields {
		f := &second.fields[i]
		if f.part == idPart || f.name == `"role"` || empty(second, f) {
			continue
		}
		at := fieldAt(joined.fields, f.name)
		if at < 0 {
			joined.fields = append(joined.fields, *f)
		} else if g := &joined.fields[at]; f.part == callsPart && g.part == callsPart {
			for _, c := range second.calls {
				if slices.ContainsFunc(joined.calls, func(d *call) bool { return d.id == c.id }) {
					return nil
				}
			}
		} else if !empty(first, g) {
			if second.field(plainName(f.name)) != first.field(plainName(g.name)) {
				return nil
			}
			continue
		} else {
			joined.fields[at] = *f
		}
		switch f.part {
		case textPart:
			joined.text, joined.hasText = second.text.fork(), true
		case callsPart:
			joined.calls = append(joined.calls, second.calls...)
		case metaPart:
			joined.meta = second.meta
		}
	}
	return joined
}

func plainName(name rawjson.String) string { return name.Decode() }

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
			if p.m.kind == toolKind && first == toolKind {
				suffix = p.m.callID
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
			name(&final[i], final[i].m.id)
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
		if !inCall[c.wireID()] {
			continue
		}
		m := a.own(p.old)
		var kept []*call
		for _, c := range m.calls {
			if !inCall[c.wireID()] {
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
