package state

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// An id used again (section 7): models and test servers count their ids from the start in each turn. A START of a text
// message or tool call that an earlier run finished, with a user message between it and now, is a replay only as long
// as what comes is a prefix of what is there. Where it differs, the new one is a message or call of its own.

// echo is such a START whose content agrees so far.
type echo struct {
	old  string // the whole content or arguments that are there
	at   int    // how many bytes of old have come again
	text *agui.TextMessageStart
	call *agui.ToolCallStart
	// after is the message behind which the START came, where its message will stand; of several the first began first.
	after *entry
	turn  int
	// metadata is what came with it so far: the message's that it turns out to be.
	metadata []string
}

// betweenTurns reports whether a user message stands behind the entry.
func (s *Store) betweenTurns(e *entry) bool {
	for i := len(s.list) - 1; i > e.index; i-- {
		if s.list[i].m.role == agui.RoleUser {
			return true
		}
	}
	return false
}

// meant is what an id meant before a run that replays a turn of the past.
type meant struct {
	texts map[key]*entry
	calls map[string]string
}

// turnPast looks whether a run replays a turn of the past (section 7): the last user message of its input has another
// one behind it. Then ids that were used in several turns mean those of this one.
func (a *applying) turnPast(messages []agui.Message) {
	last := slices.IndexFunc(messages, func(m agui.Message) bool { return m.Role == agui.RoleUser })
	for i := last + 1; i < len(messages); i++ {
		if messages[i].Role == agui.RoleUser {
			last = i
		}
	}
	if last >= 0 {
		a.run.turn = strings.Clone(messages[last].ID)
		a.run.past = a.meanTurn()
	}
}

// meanTurn has the ids mean those of the turn of the past at hand. It reports false where there is no such turn.
func (a *applying) meanTurn() bool {
	turn := a.lookup(textKind, a.run.turn)
	if turn == nil || !a.betweenTurns(turn) {
		return false
	}
	was := meant{map[key]*entry{}, map[string]string{}}
	for _, e := range a.list[turn.index+1:] {
		m := e.m
		if m.role == agui.RoleUser {
			break
		}
		k := key{textKind, m.wire}
		if now := a.byKey[k]; m.role == agui.RoleAssistant && now != nil && now != e && now.m.role == m.role &&
			was.texts[k] == nil {
			was.texts[k], a.byKey[k] = now, e
		}
		for _, c := range m.calls {
			wire := c.wireID()
			if now := a.CallID(wire); now != c.id && a.callAlias != nil && was.calls[wire] == "" {
				was.calls[wire], a.callAlias[wire] = now, c.id
			}
		}
	}
	a.meant, a.last = was, nil
	a.tellAliases(false)
	return true
}

// alias tells the page that an event of the wire's id is about what the page knows under another one: the id was used
// again in a later turn, or names two kinds.
func (a *applying) alias(of, wire, id string) {
	if a.aliases == nil {
		a.aliases = map[string]string{}
		a.ch.add(Assign, []Step{Key("aliases")}, "{}")
	}
	a.aliases[of+wire] = id
	a.ch.add(Assign, []Step{Key("aliases"), Key(of + wire)}, string(rawjson.Quote(id)))
}

// The names of aliases begin with what the events are about.
const (
	ofText      = "TEXT_MESSAGE:"
	ofReasoning = "REASONING_MESSAGE:"
	ofActivity  = "ACTIVITY:"
	ofCall      = "TOOL_CALL:"
)

// aliasMessage does it for a new message.
func (a *applying) aliasMessage(e *entry) {
	if of := a.aliased(e); of != "" {
		a.alias(of, e.m.wire, e.m.id)
	}
}

// aliased tells what the events are about that mean a message whose page's id is not the wire's; "" is none.
func (s *Store) aliased(e *entry) string {
	m := e.m
	if m.id == m.wire || m.kind > activityKind || s.byKey[key{m.kind, m.wire}] != e {
		return ""
	}
	return [...]string{textKind: ofText, reasoningKind: ofReasoning, activityKind: ofActivity}[m.kind]
}

// eachAlias gives the aliases as they are, in the messages' order.
func (s *Store) eachAlias(f func(name, id string)) {
	for _, e := range s.list {
		if of := s.aliased(e); of != "" {
			f(of+e.m.wire, e.m.id)
		}
		for _, c := range e.m.calls {
			if c.wire != "" && s.CallID(c.wire) == c.id {
				f(ofCall+c.wire, c.id)
			}
		}
	}
}

// tellAliases looks at all of them, because the list is another one or a turn of the past is meant, and tells them
// where they changed, or anew.
func (a *applying) tellAliases(anew bool) {
	var now map[string]string
	a.eachAlias(func(name, id string) {
		if now == nil {
			now = map[string]string{}
		}
		now[name] = id
	})
	was := a.aliases
	a.aliases = now
	switch {
	case !anew && maps.Equal(was, now):
	case now == nil:
		a.ch.add(Remove, []Step{Key("aliases")}, "")
	default:
		a.ch.add(Assign, []Step{Key("aliases")}, a.aliasesText())
	}
}

// aliasesText gives them as the tree has them.
func (s *Store) aliasesText() string {
	if s.aliases == nil {
		return ""
	}
	dst := []byte{'{'}
	s.eachAlias(func(name, id string) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, name), ':')
		dst = rawjson.AppendQuote(dst, id)
	})
	return string(append(dst, '}'))
}

// present ends what turnPast began.
func (a *applying) present() {
	if a.meant.texts == nil {
		return
	}
	for k, e := range a.meant.texts {
		if a.byID[e.m.id] == e {
			a.byKey[k] = e
		}
	}
	for wire, id := range a.meant.calls {
		if _, ok := a.calls[id]; ok {
			a.callAlias[wire] = id
		}
	}
	a.meant, a.last, a.run.past = meant{}, nil, false
	a.tellAliases(false)
}

// beginEcho holds a START back that may repeat what an earlier turn finished.
func (a *applying) beginEcho(k key, ec *echo) {
	if a.run.echoes == nil {
		a.run.echoes = map[key]*echo{}
	}
	a.run.begun++
	ec.after, ec.turn = a.list[len(a.list)-1], a.run.begun
	a.run.echoes[k] = ec
}

// hold keeps an event's metadata until it shows whose it is.
func (a *applying) hold(ec *echo) {
	if a.base.Metadata != "" {
		ec.metadata = append(ec.metadata, strings.Clone(a.base.Metadata))
	}
}

// foldHeld gives a message, or one of its calls, what was held.
func (a *applying) foldHeld(ec *echo, e *entry, i int) {
	m := a.own(e)
	var c *call
	if i >= 0 {
		c = a.ownCall(m, i)
	}
	base := a.base // nil at a response's end
	for _, metadata := range ec.metadata {
		a.base = &agui.Base{Metadata: metadata}
		a.fold(e, m, c, i)
	}
	a.base = base
}

// echoes gives some of the repetitions under way, in the order of their STARTs.
func (s *Store) echoes(of func(key) bool) []*echo {
	var list []*echo
	for k, ec := range s.run.echoes {
		if of(k) {
			list = append(list, ec)
		}
	}
	slices.SortFunc(list, func(x, y *echo) int { return x.turn - y.turn })
	return list
}

// settleEchoes takes what a run that is over left of repetitions for just that.
func (a *applying) settleEchoes() {
	for _, ec := range a.echoes(func(key) bool { return true }) {
		if ec.text != nil {
			if e := a.lookup(textKind, ec.text.MessageID); e != nil {
				a.foldHeld(ec, e, -1)
			}
		} else if at, ok := a.calls[a.CallID(ec.call.ToolCallID)]; ok {
			a.foldHeld(ec, at.e, at.i)
		}
	}
	a.run.echoes = nil
}

// splitAll ends every repetition that a snapshot does not hold: what comes goes on as one of its own.
func (a *applying) splitAll(held func(k key) bool) {
	for _, ec := range a.echoes(func(k key) bool { return !held(k) }) {
		if ec.text != nil {
			a.splitText(ec.text.MessageID, rawjson.Quote(ec.old[:ec.at]))
		} else {
			a.splitCall(ec.call.ToolCallID, ec, rawjson.Quote(ec.old[:ec.at]))
		}
	}
}

// insertEcho puts the message of an echo that differs where its START came.
func (a *applying) insertEcho(ec *echo, m *message) *entry {
	at := len(a.list)
	if ec.after == nil {
		// It differed at once.
	} else if i := ec.after.index; i < len(a.list) && a.list[i] == ec.after {
		at = i + 1
		for at < len(a.list) && a.isResult(a.list[at].m) { // results belong to what stands before
			at++
		}
	}
	e := a.insert(at, m)
	a.record(e)
	for _, later := range a.run.echoes {
		if later.after == ec.after && later.turn > ec.turn {
			later.after = e
		}
	}
	return e
}

// isResult reports whether a message is the result of a call that is there.
func (s *Store) isResult(m *message) bool {
	if m.kind != toolKind {
		return false
	}
	_, ok := s.calls[m.callID]
	return ok
}

// follows takes more of an echo. It reports whether all of it was there already; else the echo is over and prefix is
// what agreed.
func (a *applying) follows(k key, delta rawjson.String) (agrees bool, prefix rawjson.String) {
	ec := a.run.echoes[k]
	text := delta.Decode()
	if strings.HasPrefix(ec.old[ec.at:], text) {
		ec.at += len(text)
		return true, ""
	}
	return false, rawjson.Quote(ec.old[:ec.at])
}

// ends reports whether an echo that ends here was whole; else it is shorter than what was there.
func (ec *echo) ends() bool { return ec.at == len(ec.old) }

// again reports whether a text is one of its own under an id that an earlier one has.
func (m *message) again() bool {
	number, ok := strings.CutPrefix(m.id, m.wire+":")
	return ok && m.kind == textKind && strings.Trim(number, "0123456789") == ""
}

// numbered gives the first free id of ID:2, ID:3, ...
func numbered(id string, taken func(string) bool) string {
	for n := 2; ; n++ {
		if free := id + ":" + strconv.Itoa(n); !taken(free) {
			return free
		}
	}
}

// splitText makes a text of its own of an echo that differs, with what has come of it so far.
func (a *applying) splitText(id string, prefix rawjson.String) {
	k := key{textKind, id}
	ec := a.run.echoes[k]
	delete(a.run.echoes, k)
	delete(a.run.replay, k)
	role := ec.text.Role
	if role == "" {
		role = agui.RoleAssistant
	}
	free := numbered(id, func(id string) bool { return a.byID[id] != nil })
	a.collision(id, "a text message of an earlier turn", "another one", "the later one is kept as "+showToken(free))
	m := a.textOf(free, id, textKind, role, ec.text.Name, &ec.text.Base)
	m.text.Append(prefix)
	a.last, a.growing = nil, growing{}
	a.foldHeld(ec, a.insertEcho(ec, m), -1)
}

// splitCall makes a call of its own of an echo that differs, with the arguments that have come so far.
func (a *applying) splitCall(id string, ec *echo, prefix rawjson.String) {
	k := key{callKind, id}
	delete(a.run.echoes, k)
	delete(a.run.callReplay, id)
	was := a.CallID(id)
	free := numbered(id, func(id string) bool { _, ok := a.calls[id]; return ok })
	a.collision(id, "a tool call of an earlier turn", "another one", "the later one is kept as "+showToken(free))
	if a.callAlias == nil {
		a.callAlias = map[string]string{}
	}
	a.callAlias[id] = free
	base := a.base
	a.base = &ec.call.Base
	a.newCall(ec.call, free, id, ec)
	a.base = base
	a.growing = growing{}
	at := a.calls[free]
	if len(prefix) > 2 {
		m := a.own(at.e)
		c := a.ownCall(m, at.i)
		c.args.Append(prefix)
		if a.ch != nil {
			a.ch.add(Append, a.at(at.e, Key("toolCalls"), Index(at.i), Key("function"), Key("arguments")),
				string(prefix))
		}
		a.touch(m)
	}
	a.foldHeld(ec, at.e, at.i)
	// What the run knew of the call under its wire's id is the new one's.
	if i := slices.Index(a.run.calls, was); i >= 0 {
		a.run.calls[i] = free
	}
	for _, set := range [...]map[string]bool{a.run.callBegun, a.run.callOpen, a.incomplete} {
		if set[was] {
			delete(set, was)
			set[free] = true
		}
	}
	a.alias(ofCall, id, free)
}

// CallID gives the page's id of the call that the wire's id means now. They differ where an earlier turn used the id
// (section 7).
func (s *Store) CallID(wire string) string {
	if len(s.callAlias) > 0 {
		if id, ok := s.callAlias[wire]; ok {
			if _, ok := s.calls[id]; ok {
				return id
			}
		}
	}
	return wire
}

// callWire gives the wire's id of a call that the page knows by this id.
func (s *Store) callWire(id string) string {
	if at, ok := s.calls[id]; ok {
		if w := at.e.m.calls[at.i].wire; w != "" {
			return w
		}
	}
	return id
}
