package state

import (
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// start opens a text or reasoning message; continues says that a known one goes on with its text.
func (a *applying) start(k kind, id string, role agui.Role, name rawjson.String, continues bool) {
	id = strings.Clone(id)
	at := key{k, id}
	e := a.lookup(k, id)
	if e == nil {
		if role == "" {
			role = agui.RoleAssistant
		}
		e = a.insert(len(a.list), a.newText(k, id, role, name))
		a.record(e)
	} else {
		if !a.run.started[at] && !continues {
			a.run.replay[at] = true
			if k == textKind && e.m.role == agui.RoleAssistant && !a.run.past && a.betweenTurns(e) {
				m := a.own(e)
				a.beginEcho(at, &echo{old: m.text.String(),
					text: &agui.TextMessageStart{Base: *a.base, MessageID: id, Role: role, Name: name}})
				a.hold(a.run.echoes[at])
				a.run.started[at], a.run.open[at] = true, true
				return
			}
		}
		if a.base.Metadata != "" {
			a.fold(e, a.own(e), nil, 0)
		}
	}
	a.run.started[at] = true
	a.run.open[at] = true
}

// newText makes a text or reasoning message as its START gives it.
func (a *applying) newText(k kind, id string, role agui.Role, name rawjson.String) *message {
	free, other := a.freeID(id, k.String())
	if other != nil {
		a.collision(id, describe(other.m.kind), describe(k), "the later one is kept as "+showToken(free))
	}
	return a.textOf(free, id, k, role, name, a.base)
}

// textOf makes the message that a START with that base begins.
func (a *applying) textOf(free, id string, k kind, role agui.Role, name rawjson.String, base *agui.Base) *message {
	m := madeMessage(a.owner, free, id, k, role)
	m.fields = append(m.fields, field{`"content"`, "", textPart})
	m.hasText = true
	if name != "" {
		m.add(`"name"`, strings.Clone(string(name)))
	}
	at := a.base
	a.base = base
	a.tag(m)
	a.base = at
	return m
}

// tag puts the event's owner and metadata onto a new message.
func (a *applying) tag(m *message) {
	m.setOwner(a.base.SubagentRunID)
	if a.base.Metadata != "" {
		m.meta = NewDocument(adopt(a.base.Metadata, len(a.base.Raw)))
		m.fields = append(m.fields, field{`"metadata"`, "", metaPart})
	}
}

// content appends to a text or reasoning message, or replaces a replayed one's text. This is the path that most events
// take.
func (a *applying) content(k kind, id string, delta rawjson.String) {
	e := a.lookup(k, id)
	if e == nil {
		return
	}
	if len(a.run.echoes) > 0 && a.run.echoes[key{k, id}] != nil {
		agrees, prefix := a.follows(key{k, id}, delta)
		if agrees {
			a.hold(a.run.echoes[key{k, id}])
			return
		}
		a.splitText(strings.Clone(id), prefix)
		e = a.lookup(k, id)
	}
	m := a.own(e)
	replace := !m.hasText
	if len(a.run.replay) > 0 && a.run.replay[key{k, id}] {
		delete(a.run.replay, key{k, id})
		replace = true
	}
	if replace {
		m.replaceText(delta)
		a.ch.addDelta(Assign, a.growth(e, -1))
		a.touch(m)
	} else if len(delta) > 2 {
		m.text.Append(delta)
		a.ch.addDelta(Append, a.growth(e, -1))
		a.touch(m)
	}
	if a.base.Metadata != "" {
		a.fold(e, m, nil, 0)
	}
}

// replaceText makes text the message's content, whatever that was.
func (m *message) replaceText(text rawjson.String) {
	m.text = Text{}
	m.text.Append(text)
	m.hasText = true
	if i := fieldAt(m.fields, `"content"`); i >= 0 {
		m.fields[i] = field{`"content"`, "", textPart}
	} else {
		m.fields = append(m.fields, field{`"content"`, "", textPart})
	}
}

// end closes a text or reasoning message.
func (a *applying) end(k kind, id string) {
	if ec := a.run.echoes[key{k, id}]; ec != nil {
		if !ec.ends() {
			a.splitText(strings.Clone(id), rawjson.Quote(ec.old[:ec.at]))
		} else if e := a.lookup(k, id); e != nil {
			a.foldHeld(ec, e, -1)
		}
		delete(a.run.echoes, key{k, id})
	}
	delete(a.run.open, key{k, id})
	delete(a.run.replay, key{k, id}) // what starts again in this run goes on
	if e := a.lookup(k, id); e != nil && a.base.Metadata != "" {
		a.fold(e, a.own(e), nil, 0)
	}
}

// encrypted sets the encryptedValue of a message or tool call: reasoning before text before tool results, never an
// activity's.
func (a *applying) encrypted(ev *agui.ReasoningEncryptedValue) {
	value := strings.Clone(string(ev.EncryptedValue))
	if ev.Subtype == "tool-call" {
		at, ok := a.calls[a.CallID(ev.EntityID)]
		if !ok {
			return
		}
		m := a.own(at.e)
		c := a.ownCall(m, at.i)
		if setField(&c.fields, `"encryptedValue"`, value) {
			a.assign(a.at(at.e, Key("toolCalls"), Index(at.i), Key("encryptedValue")), "encryptedValue", value)
			a.touch(m)
		}
		return
	}
	for _, k := range [...]kind{reasoningKind, textKind, callKind, toolKind} {
		if e := a.lookup(k, ev.EntityID); e != nil {
			a.setField(e, "encryptedValue", "encryptedValue", value)
			return
		}
	}
}

// activitySnapshot makes an activity or gives a known one's content anew.
func (a *applying) activitySnapshot(ev *agui.ActivitySnapshot) {
	e := a.lookup(activityKind, ev.MessageID)
	if e == nil {
		free, other := a.freeID(ev.MessageID, "activity")
		if other != nil {
			a.collision(ev.MessageID, describe(other.m.kind), describe(activityKind),
				"the later one is kept as "+showToken(free))
		}
		m := madeMessage(a.owner, free, ev.MessageID, activityKind, agui.RoleActivity)
		m.add(`"activityType"`, strings.Clone(string(ev.ActivityType)))
		m.fields = append(m.fields, field{`"content"`, "", contentPart})
		m.content = a.document("null")
		a.tag(m)
		e = a.insert(len(a.list), m)
		a.insertWith(e, ev.Content, func() { m.content = a.document(adopt(ev.Content, len(a.base.Raw))) })
		return
	}
	m := a.own(e)
	if ev.Replace {
		if m.content == nil || !m.content.equal(&m.content.root, ev.Content) {
			m.content = a.document(adopt(ev.Content, len(a.base.Raw)))
			if fieldAt(m.fields, `"content"`) < 0 {
				m.fields = append(m.fields, field{`"content"`, "", contentPart})
			}
			a.assign(a.at(e, Key("content")), "content", ev.Content)
			a.touch(m)
		}
		a.setField(e, "activityType", "activityType", string(ev.ActivityType))
		a.setOwner(e, ev.SubagentRunID)
	}
	a.fold(e, m, nil, 0)
}

// insertWith records a new message whose content is the event's: long content is not sent twice.
func (a *applying) insertWith(e *entry, content string, set func()) {
	long := a.ch != nil && len(content) > 256
	if long {
		a.record(e)
	}
	set()
	if long {
		a.assign(a.at(e, Key("content")), "content", content)
	} else {
		a.record(e)
	}
}

// activityDelta patches an activity's content.
func (a *applying) activityDelta(ev *agui.ActivityDelta) {
	e := a.lookup(activityKind, ev.MessageID)
	if e == nil {
		if other := a.known(ev.MessageID); other != nil {
			a.collision(ev.MessageID, describe(other.m.kind), describe(activityKind),
				"the patch of an unknown activity is passed over")
		} else if !a.run.patchless[ev.MessageID] {
			if a.run.patchless == nil {
				a.run.patchless = map[string]bool{}
			}
			a.run.patchless[strings.Clone(ev.MessageID)] = true
			a.warn(agui.Warning{
				Code: agui.WarnPatchFailed, Event: a.base.Raw,
				Message: "ACTIVITY_DELTA: there is no activity " + showToken(ev.MessageID) + " to patch",
			})
		}
		return
	}
	m := a.own(e)
	if m.content == nil {
		m.content = a.document("{}")
		m.fields = append(m.fields, field{`"content"`, "", contentPart})
	}
	before, changes, steps := m.content, 0, 0
	if m.content.root.c == nil && m.content.root.raw == "null" { // an earlier patch made it null: the next one finds {}
		changes, steps = a.ch.mark()
		m.content = a.document("{}")
		a.ch.add(Assign, a.at(e, Key("content")), "{}")
	}
	if err := m.content.patch(ev.Patch, len(a.base.Raw), a.ch, a.at(e, Key("content")),
		[]Step{Key("patch")}); err != nil {
		a.warn(agui.Warning{Code: agui.WarnPatchFailed, Message: "ACTIVITY_DELTA: " + err.Error(), Event: a.base.Raw})
		if m.content != before {
			m.content = before
			a.ch.cut(changes, steps)
		}
	} else {
		a.touch(m)
		a.setField(e, "activityType", "activityType", string(ev.ActivityType))
	}
	a.fold(e, m, nil, 0)
}
