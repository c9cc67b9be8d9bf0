package state

import (
	"slices"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// runStarted begins a run, unless one is active (then it resets nothing), and takes over the messages of its input that
// are unknown.
func (a *applying) runStarted(ev *agui.RunStarted) {
	fresh := !a.run.active
	if fresh {
		a.settleEchoes()
		a.dropOrphans()
		a.present()
		a.run = newRun()
		a.setValue("outcome", "", &a.outcome, "")
		a.setValue("result", "", &a.result, "")
		a.setUsage("")
		a.setPending(nil)
	}
	a.run.active, a.run.finished = true, false
	if rawjson.KindOf(ev.Input) == rawjson.Object {
		a.run.resumed = resumedBy(ev.Input)
	}
	for i := range ev.InputMessages {
		in := &ev.InputMessages[i]
		if a.lookup(kindOf(in.Role), in.ID) != nil {
			continue
		}
		m, aliased := a.adoptMessage(in, len(ev.Raw))
		e := a.insert(len(a.list), m)
		if in.AsCame && !aliased && a.ch != nil {
			a.ch.addRef(Insert, a.at(e), []Step{Key("input"), Key("messages"), Index(in.At)})
		} else {
			a.record(e)
		}
	}
	if fresh {
		if a.aliases != nil { // a page that began with a copy of the conversation does not know them
			a.tellAliases(true)
		}
		a.turnPast(ev.InputMessages)
	}
}

// adoptMessage makes a message of a checked one, under a free id.
func (a *applying) adoptMessage(in *agui.Message, whole int) (m *message, aliased bool) {
	m = newMessage(a.owner, in, whole)
	suffix := m.kind.String()
	if m.kind == toolKind && a.byKey[key{toolKind, m.wire}] != nil {
		suffix = m.callID
	}
	free, other := a.freeID(m.wire, suffix)
	if other == nil {
		return m, false
	}
	a.collision(m.wire, describe(other.m.kind), describe(m.kind), "the later one is kept as "+showToken(free))
	m.open()
	m.id = free
	return m, true
}

// runFinished ends a run: its outcome decides what is pending.
func (a *applying) runFinished(ev *agui.RunFinished) {
	a.run.active = false
	a.dropOrphans()
	o := &ev.Outcome
	a.run.finished, a.run.judged, a.run.named = true, len(a.run.calls), nil
	for _, id := range o.PendingToolCallIDs {
		a.run.named = append(a.run.named, strings.Clone(a.CallID(id)))
	}
	a.setValue("outcome", "outcome", &a.outcome, outcomeText(o))
	a.setValue("result", "result", &a.result, ev.Result)
	a.setUsage(ev.Usage)
	a.settleInterrupts(o)
	a.setPending(a.Pending(o))
}

// Pending gives the tool calls that wait for a result when a run ends with the outcome: those that the outcome names,
// else those that the run started and neither the run nor the conversation answers. It changes nothing.
func (s *Store) Pending(o *agui.Outcome) []string {
	if o.PendingToolCallIDs != nil {
		ids := make([]string, len(o.PendingToolCallIDs))
		for i, id := range o.PendingToolCallIDs {
			ids[i] = s.CallID(id)
		}
		return ids
	}
	if len(s.run.calls) == 0 {
		return nil
	}
	answered := s.results()
	var pending []string
	for _, id := range s.run.calls {
		if !s.run.answered[id] && !answered[id] {
			pending = append(pending, id)
		}
	}
	return pending
}

// settleInterrupts retires the interrupts that were answered, and those alone, and adds the outcome's. A later run of
// the same response cannot shut a question that nobody answered; in a stream that asked for no run the last run's
// outcome alone counts (section 7).
func (a *applying) settleInterrupts(o *agui.Outcome) {
	var list []agui.Interrupt
	asked := make(map[string]bool, len(o.Interrupts))
	if o.Kind == "interrupt" {
		for _, i := range o.Interrupts {
			asked[i.ID] = true
		}
	}
	if !a.joined {
		for _, i := range a.interrupts {
			if !a.answers[i.ID] && !a.run.resumed[i.ID] && !asked[i.ID] {
				list = append(list, i)
			}
		}
	}
	if o.Kind == "interrupt" {
		for _, i := range o.Interrupts {
			list = append(list, a.aboutCall(i))
		}
	}
	a.setInterrupts(list)
}

// aboutCall gives an interrupt with the page's id of the call that it is about.
func (s *Store) aboutCall(in agui.Interrupt) agui.Interrupt {
	if len(s.callAlias) > 0 {
		in.Raw = rawjson.Edit(in.Raw, func(name rawjson.String, value string) (string, bool) {
			if name.Is("toolCallId") && rawjson.KindOf(value) == rawjson.Str {
				if wire := rawjson.String(value).Decode(); s.CallID(wire) != wire {
					return string(rawjson.Quote(s.CallID(wire))), true
				}
			}
			return value, true
		})
	}
	return in
}

// resumedBy reads which interrupts an input's resume answers.
func resumedBy(input string) map[string]bool {
	list, _ := rawjson.Get(input, "resume")
	if rawjson.KindOf(list) != rawjson.Array {
		return nil
	}
	ids := map[string]bool{}
	for _, entry := range rawjson.Elements(list) {
		if id, _ := rawjson.Get(entry, "interruptId"); rawjson.KindOf(id) == rawjson.Str {
			ids[rawjson.String(id).Decode()] = true
		}
	}
	return ids
}

// outcomeText gives the outcome without the nulls of its optional fields; success where the server named none.
func outcomeText(o *agui.Outcome) string {
	switch rawjson.KindOf(o.Raw) {
	case rawjson.None, rawjson.Null:
		return `{"type":"success"}`
	case rawjson.Object:
		return rawjson.Edit(o.Raw, func(name rawjson.String, value string) (string, bool) {
			if name.Decode() == "interrupts" && o.Kind == "interrupt" {
				return joinInterrupts(o.Interrupts), true
			}
			return value, value != "null"
		})
	}
	return o.Raw
}

// setValue sets one of the plain raw values of the tree; "" takes it away.
func (a *applying) setValue(name, member string, at *string, value string) {
	if value == "null" {
		value = ""
	}
	if *at == value {
		return
	}
	*at = strings.Clone(value)
	if value == "" {
		a.ch.add(Remove, []Step{Key(name)}, "")
	} else if member == "" {
		a.ch.add(Assign, []Step{Key(name)}, *at)
	} else {
		a.assign([]Step{Key(name)}, member, *at)
	}
}

func (a *applying) setUsage(usage string) { a.setValue("usage", "usage", &a.usage, usage) }

func (a *applying) setInterrupts(list []agui.Interrupt) {
	if slices.EqualFunc(list, a.interrupts, func(x, y agui.Interrupt) bool { return x.Raw == y.Raw }) {
		return
	}
	a.interrupts = nil
	for _, in := range list {
		in.ID, in.Reason, in.ExpiresAt, in.Raw = strings.Clone(in.ID), strings.Clone(in.Reason),
			strings.Clone(in.ExpiresAt), strings.Clone(in.Raw)
		a.interrupts = append(a.interrupts, in)
	}
	a.ch.add(Assign, []Step{Key("interrupts")}, a.interruptsText())
}

func (s *Store) interruptsText() string { return joinInterrupts(s.interrupts) }

func joinInterrupts(list []agui.Interrupt) string {
	dst := []byte{'['}
	for i, in := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, in.Raw...)
	}
	return string(append(dst, ']'))
}

func (a *applying) setPending(ids []string) {
	if slices.Equal(ids, a.pending) {
		return
	}
	a.pending = nil
	for _, id := range ids {
		a.pending = append(a.pending, strings.Clone(id))
	}
	a.ch.add(Assign, []Step{Key("pendingToolCallIds")}, a.pendingText())
}

func (s *Store) pendingText() string {
	dst := []byte{'['}
	for i, id := range s.pending {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuote(dst, id)
	}
	return string(append(dst, ']'))
}

// stateSnapshot replaces the state.
func (a *applying) stateSnapshot(ev *agui.StateSnapshot) {
	snapshot := ev.Snapshot
	if snapshot == "" {
		snapshot = "null"
	}
	if !a.state.equal(&a.state.root, snapshot) {
		a.state = a.document(adopt(snapshot, len(a.base.Raw)))
		if len(snapshot) > 24 {
			a.ch.addRef(Assign, stateBase, snapshotRef) // it stands there as it came, always
		} else {
			a.ch.add(Assign, stateBase, snapshot)
		}
	}
	a.setInSync(true)
}

// stateDelta patches the state, all or nothing.
func (a *applying) stateDelta(ev *agui.StateDelta) {
	if err := a.state.patch(ev.Delta, len(a.base.Raw), a.ch, stateBase, deltaRef); err != nil {
		a.warn(agui.Warning{Code: agui.WarnPatchFailed, Message: "STATE_DELTA: " + err.Error(), Event: a.base.Raw})
		a.setInSync(false)
	}
}

var (
	stateBase   = []Step{{Key: "state"}}
	snapshotRef = []Step{{Key: "snapshot"}}
)

func (a *applying) setInSync(in bool) {
	if a.inSync == in {
		return
	}
	a.inSync = in
	text := "false"
	if in {
		text = "true"
	}
	a.ch.add(Assign, []Step{Key("stateInSync")}, text)
}
