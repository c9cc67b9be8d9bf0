package state

import (
	"iter"
	"maps"
	"slices"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// The setters change the snapshots outside of any event, as an agent's owner does. Their changes hold whole values
// (there is no event to point into); ch may be nil.

func (s *Store) setter(ch *Changes) *applying {
	s.run.stale = true
	return &applying{Store: s, ch: ch, warn: func(agui.Warning) {}}
}

// SetMessages makes the (checked) messages the conversation. Those that are equal to what is there keep their identity.
func (s *Store) SetMessages(messages []agui.Message, ch *Changes) {
	// The messages may be parts of one text, and each new one would keep all of it: an agent that adds a message a turn
	// would hold the conversation once for each of its turns.
	whole := 0
	for i := range messages {
		whole += len(messages[i].Raw)
	}
	s.setter(ch).rearrange(messages, whole, nil, true)
}

// AddMessage puts a (checked) message at the end.
func (s *Store) AddMessage(in agui.Message, ch *Changes) {
	a := s.setter(ch)
	m, _ := a.adoptMessage(&in, 0)
	a.nameCall(m)
	a.record(a.insert(len(a.list), m))
}

// nameCall gives a tool message that the page made the wire's id of its call, where that differs.
func (s *Store) nameCall(m *message) {
	if m.kind != toolKind {
		return
	}
	if wire := s.callWire(m.callID); wire != m.callID {
		m.open()
		m.callWire = wire
	}
}

// AddToolResult puts a (checked) tool message behind the message that owns its call and behind the tool messages there,
// but before those of later calls: answers stand in the calls' order, whoever was first. At the end where no message
// owns it.
func (s *Store) AddToolResult(in agui.Message, ch *Changes) {
	a := s.setter(ch)
	m, _ := a.adoptMessage(&in, 0)
	a.nameCall(m)
	a.run.answered[m.callID] = true
	i := a.resultPlace(m.callID)
	if of, ok := a.calls[m.callID]; ok {
		for ; i > 0; i-- {
			if before, ok := a.calls[a.list[i-1].m.callID]; !ok || before.e != of.e || before.i < of.i {
				break
			}
		}
	}
	a.record(a.insert(i, m))
}

// nameCalls does the same for the calls of an assistant's message.
func (s *Store) nameCalls(m *message) {
	for _, c := range m.calls {
		if wire := s.callWire(c.id); wire != c.id {
			m.open()
			c.open()
			c.wire = wire
		}
	}
}

// wireNames gives a message of the page's list the ids that the agent knows it and its calls by, where they differ from
// the page's.
func (s *Store) wireNames(m *message) {
	if e := s.byID[m.id]; e != nil && e.m.kind == m.kind && e.m.wire != m.wire {
		m.open()
		m.wire = e.m.wire
	}
	if len(s.callAlias) > 0 {
		s.nameCall(m)
		s.nameCalls(m)
	}
}

// SetState makes raw (checked JSON) the state.
func (s *Store) SetState(raw string, ch *Changes) {
	if s.state.root.c == nil && s.state.root.raw == raw {
		return
	}
	s.state = s.document(raw)
	ch.add(Assign, stateBase, raw)
}

// PatchState applies an RFC 6902 patch to the state, all or nothing. The error is a [*PatchError].
func (s *Store) PatchState(patch string, ch *Changes) error {
	if err := rawjson.Check(patch, rawjson.MaxDepth); err != nil {
		return &PatchError{Index: -1, Reason: "it is not JSON: " + err.Error()}
	}
	if err := s.state.patch(patch, len(patch), ch, stateBase, nil); err != nil {
		return err
	}
	return nil
}

// SetInterrupts replaces the pending interrupts.
func (s *Store) SetInterrupts(list []agui.Interrupt, ch *Changes) { s.setter(ch).setInterrupts(list) }

// Answering says which interrupts the request that is about to go out answers: its runs retire them and no others. It
// holds until the next call.
func (s *Store) Answering(interruptIDs []string) {
	s.answers, s.joined = make(map[string]bool, len(interruptIDs)), false
	for _, id := range interruptIDs {
		s.answers[id] = true
	}
}

// Joining says that the stream that is about to come asked for no run: a thread is loaded, or a running one joined. Of
// its interrupts those of the last run alone count. It holds until the next [Store.Answering].
func (s *Store) Joining() { s.answers, s.joined = nil, true }

// EndRun forgets the run at hand, where it ended without a terminal event: it failed or was aborted. What it made
// stays, and its open calls stay incomplete.
func (s *Store) EndRun() { s.run = newRun() }

// EndResponse says that the response is over: no event of it will come. Calls that only this client ever knew are gone
// (section 7), also where no terminal event judged them.
func (s *Store) EndResponse(ch *Changes) {
	a := applying{Store: s, ch: ch}
	a.settleEchoes()
	a.dropOrphans()
	a.present()
}

// Snapshot is the store's content at one moment. It shares with the store what does not change after.
type Snapshot struct {
	messages               []*message
	state                  View
	outOfSync              bool
	interrupts             []agui.Interrupt
	outcome, result, usage string
	pending                []string
	incomplete             map[string]bool
	version                uint64
}

// Snapshot gives the store's content. It copies no message and no value. Several goroutines may read snapshots while
// another one changes the store; the store itself, and what [Store.Restore] and [Store.Fork] make of a snapshot, belong
// to one goroutine.
func (s *Store) Snapshot() Snapshot {
	s.owner = new(owner)
	return Snapshot{
		messages: s.keepList(), state: s.state.Snapshot(), outOfSync: !s.inSync, incomplete: s.leftOpen(),
		interrupts: s.interrupts, outcome: s.outcome, result: s.result, usage: s.usage, pending: s.pending,
		version: s.version,
	}
}

// leftOpen gives the incomplete calls for a snapshot.
func (s *Store) leftOpen() map[string]bool {
	if len(s.incomplete) == 0 {
		return nil
	}
	return maps.Clone(s.incomplete)
}

// keepList gives the messages for a snapshot. Where the list only grew since the last one, the two share their memory:
// the snapshots of a conversation's runs together cost what its messages cost, not a list each.
func (s *Store) keepList() []*message {
	n := 0
	for n < len(s.kept) && n < len(s.list) && s.kept[n] == s.list[n].m {
		n++
	}
	if n < len(s.kept) {
		s.kept = slices.Clip(s.kept[:n]) // what is appended goes into memory of its own
	}
	for _, e := range s.list[n:] {
		s.kept = append(s.kept, e.m)
	}
	return s.kept[:len(s.kept):len(s.kept)]
}

// Messages gives the messages in order.
func (n Snapshot) Messages() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for _, m := range n.messages {
			if !yield(Message{m}) {
				return
			}
		}
	}
}

// Len gives the number of messages.
func (n Snapshot) Len() int { return len(n.messages) }

// Message gives the i-th message.
func (n Snapshot) Message(i int) Message { return Message{n.messages[i]} }

// Interrupts gives the open interrupts; not to be changed.
func (n Snapshot) Interrupts() []agui.Interrupt { return n.interrupts }

// State gives the state.
func (n Snapshot) State() View { return n.state }

// Store makes a store of its own that begins as the snapshot. The two share what neither changes.
func (n Snapshot) Store() *Store {
	s := New(nil, "null")
	s.Restore(n, nil)
	s.version = n.version
	return s
}

// Restore makes the store what it was when the snapshot was taken, between runs. The snapshot stays good. Messages
// that are the same keep their identity.
func (s *Store) Restore(n Snapshot, ch *Changes) {
	a := s.setter(ch)
	s.owner = new(owner)
	a.run = newRun()
	at := make(map[*message]*entry, len(s.list))
	for _, e := range s.list {
		at[e.m] = e
	}
	final := make([]placed, len(n.messages))
	for i, m := range n.messages {
		e := at[m]
		final[i] = placed{m: m, old: e, at: -1, same: e != nil}
	}
	a.replaceList(final)
	if s.state.root != n.state.root {
		s.state.Restore(n.state)
		ch.add(Assign, stateBase, n.state.String())
	}
	a.setInSync(!n.outOfSync)
	a.setInterrupts(n.interrupts)
	a.setValue("outcome", "", &s.outcome, n.outcome)
	a.setValue("result", "", &s.result, n.result)
	a.setValue("usage", "", &s.usage, n.usage)
	a.setPending(slices.Clone(n.pending))
	s.incomplete = make(map[string]bool, len(n.incomplete))
	maps.Copy(s.incomplete, n.incomplete)
}

// Rewind takes out all messages but the first count, between runs, and what came of the runs that made them:
// interrupts, outcome, result, usage. to is an earlier snapshot whose state comes back; nil keeps the state as it is.
func (s *Store) Rewind(count int, to *Snapshot, ch *Changes) {
	n := s.Snapshot()
	n.messages = n.messages[:count:count]
	if to != nil {
		n.state, n.outOfSync = to.state, to.outOfSync
	}
	n.interrupts, n.outcome, n.result, n.usage, n.pending = nil, "", "", "", nil
	s.Restore(n, ch)
}

// Fork gives a store of its own that holds what this one holds now. The two share what neither changes.
func (s *Store) Fork() *Store {
	return s.Snapshot().Store()
}
