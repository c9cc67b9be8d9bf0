package state

import (
	"slices"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// Store holds the snapshots of a conversation and applies events to them (section 7). It takes events that a
// [agui.Pipeline] has put in order, and records in a [Changes] what each did to the tree
//
//	{messages, state, stateInSync, interrupts, outcome, result, usage, pendingToolCallIds, aliases}
//
// that begins as {messages: (those of New), state: (that of New), stateInSync: true, interrupts: [],
// pendingToolCallIds: []}. outcome, result and usage are there after a run that had them, until the next run; outcome
// is {"type":"success"} where the server named none, and what is no object stays as it came. aliases is there where
// events of an id are about what the page knows under another, as {"TEXT_MESSAGE:m": "m:2", "REASONING_MESSAGE:x":
// "x:reasoning", "TOOL_CALL:c": "c:2"}.
//
// A Store is not safe for concurrent use. It never panics on any order of events; what makes no sense is passed over.
type Store struct {
	list  []*entry
	byKey map[key]*entry
	// byID finds messages by the page's id.
	byID map[string]*entry
	// calls finds calls by the page's id; callAlias gives it where the wire's id means a later call of the same id.
	calls     map[string]callAt
	callAlias map[string]string
	last      *entry // of lookup
	meant     meant

	state  *Document
	inSync bool

	interrupts []agui.Interrupt
	// answers are the interrupts that the request at hand answered; joined says that it asked for no run.
	answers map[string]bool
	joined  bool

	outcome, result, usage string            // raw; "" is absent
	aliases                map[string]string // as they were told; nil: none
	pending                []string

	run run
	// incomplete names the calls whose arguments are not all here.
	incomplete map[string]bool

	kept    []*message // the list of the last snapshot; see keepList
	owner   *owner
	version uint64
	plans   *planner
	path    []Step // scratch
	growing growing
	placed  placedResult
}

// growing is the string that the last delta went to: the next one mostly goes there too.
type growing struct {
	e     *entry
	index int // of e, as the path says
	call  int // of the message's calls; -1 is its content
	path  []Step
}

// entry is a message's place. It stays the same when the message is copied.
type entry struct {
	index int
	m     *message
}

type key struct {
	kind kind
	id   string // the wire's
}

type callAt struct {
	e *entry
	i int
}

// run is what the store knows of the run at hand.
type run struct {
	active bool
	// finished: RUN_FINISHED has come, and its outcome judged the calls that had started. What starts behind it waits
	// for its result too.
	finished bool
	judged   int
	named    []string // the pending calls, where the outcome named them
	// started holds the messages that this run started, or made for a tool call.
	started map[key]bool
	open    map[key]bool
	// replay holds the messages whose first content replaces their text.
	replay map[key]bool

	calls      []string // those that this run started, in order
	callBegun  map[string]bool
	callOpen   map[string]bool
	callReplay map[string]bool
	answered   map[string]bool
	// patchless holds the ids of activities that were patched and never seen, so that each is told once.
	patchless map[string]bool
	// orphans are open calls that a snapshot left out though it holds their message (section 7).
	orphans map[string]bool

	// stale: the page has changed something since the pending calls were judged.
	stale bool
	// places are where the first `placed` of calls stand.
	places map[string]int
	placed int
	// past: the run replays the turn of the past that the user message of the id turn begins.
	past bool
	turn string
	// echoes are the messages and calls that repeat those of an earlier turn so far.
	echoes map[key]*echo
	begun  int // how many have begun
	// resumed are the interrupts that this run's RUN_STARTED.input.resume answered.
	resumed map[string]bool
}

func newRun() run {
	return run{
		started: map[key]bool{}, open: map[key]bool{}, replay: map[key]bool{},
		callBegun: map[string]bool{}, callOpen: map[string]bool{}, callReplay: map[string]bool{},
		answered: map[string]bool{},
	}
}

// New makes a store that holds the messages and the state (checked JSON; "" is {}) that a run starts with.
// A message whose id another one has too is kept under an id made from both (see section 7).
func New(messages []agui.Message, state string) *Store {
	if state == "" {
		state = "{}"
	}
	s := &Store{owner: new(owner), inSync: true, plans: new(planner), run: newRun(), incomplete: map[string]bool{}}
	s.state = s.document(state)
	s.SetMessages(messages, nil)
	return s
}

func (s *Store) document(raw string) *Document {
	d := NewDocument(raw)
	d.plans = s.plans
	return d
}

// Apply applies one event and records what it changed; ch may be nil. warn takes warnings (patch_failed, id_collision,
// odd_field); it may be nil. Values in ch may point into the event's Raw.
func (s *Store) Apply(ev agui.Event, ch *Changes, warn func(agui.Warning)) {
	if warn == nil {
		warn = func(agui.Warning) {}
	}
	a := applying{Store: s, ch: ch, warn: warn, base: ev.Common()}
	switch e := ev.(type) {
	case *agui.TextMessageContent:
		a.content(textKind, e.MessageID, e.Delta)
	case *agui.TextMessageStart:
		a.start(textKind, e.MessageID, e.Role, e.Name, e.Continues)
	case *agui.TextMessageEnd:
		a.end(textKind, e.MessageID)
	case *agui.ReasoningMessageContent:
		a.content(reasoningKind, e.MessageID, e.Delta)
	case *agui.ReasoningMessageStart:
		a.start(reasoningKind, e.MessageID, agui.RoleReasoning, "", e.Continues)
	case *agui.ReasoningMessageEnd:
		a.end(reasoningKind, e.MessageID)
	case *agui.ReasoningEncryptedValue:
		a.encrypted(e)
	case *agui.ToolCallArgs:
		a.callArgs(e)
	case *agui.ToolCallStart:
		a.callStart(e)
	case *agui.ToolCallEnd:
		a.callEnd(e)
	case *agui.ToolCallResult:
		a.callResult(e)
	case *agui.StateSnapshot:
		a.stateSnapshot(e)
	case *agui.StateDelta:
		a.stateDelta(e)
	case *agui.MessagesSnapshot:
		a.messagesSnapshot(e)
	case *agui.ActivitySnapshot:
		a.activitySnapshot(e)
	case *agui.ActivityDelta:
		a.activityDelta(e)
	case *agui.RunStarted:
		a.runStarted(e)
	case *agui.RunFinished:
		a.runFinished(e)
	case *agui.RunError:
		s.run.active, s.run.finished = false, false
		a.settleEchoes()
		a.dropOrphans()
		a.setUsage(e.Usage)
	}
}

// applying is the application of one event, or (with no base) of a setter.
type applying struct {
	*Store
	ch   *Changes
	warn func(agui.Warning)
	base *agui.Base
}

// at gives the path of something in a message. It holds until the next call.
func (s *Store) at(e *entry, rest ...Step) []Step {
	s.path = append(s.path[:0], Key("messages"), Index(e.index))
	s.path = append(s.path, rest...)
	return s.path
}

// growth gives the path of a message's content (call is -1) or of a call's arguments. Nobody writes to it any more.
func (s *Store) growth(e *entry, call int) []Step {
	g := &s.growing
	if g.e != e || g.index != e.index || g.call != call {
		*g = growing{e, e.index, call, []Step{Key("messages"), Index(e.index), Key("content")}}
		if call >= 0 {
			g.path = append(g.path[:2], Key("toolCalls"), Index(call), Key("function"), Key("arguments"))
		}
	}
	return g.path
}

// assign records that the value at the path is the event's member, by pointing at it where it stands there unchanged.
func (a *applying) assign(path []Step, member, value string) {
	if a.ch == nil {
		return
	}
	if len(value) > 24 && a.base != nil {
		if raw, ok := rawjson.Get(a.base.Raw, member); ok && raw == value {
			a.ch.addRef(Assign, path, []Step{Key(member)})
			return
		}
	}
	a.ch.add(Assign, path, value)
}

// lookup finds the message that the wire's id names for that kind.
func (s *Store) lookup(k kind, id string) *entry {
	if e := s.last; e != nil && e.m.kind == k && e.m.wire == id && k != toolKind {
		return e
	}
	e := s.byKey[key{k, id}]
	if e != nil && e.m.kind == k {
		s.last = e
	}
	return e
}

// known finds a message of any kind under the wire's id.
func (s *Store) known(id string) *entry {
	for _, k := range [...]kind{textKind, reasoningKind, activityKind, toolKind} {
		if e := s.lookup(k, id); e != nil {
			return e
		}
	}
	return nil
}

// own makes a message ready to change: opened, and this store's alone.
func (s *Store) own(e *entry) *message {
	m := e.m
	if m.owner != s.owner {
		m = m.clone(s.owner)
		e.m = m
	}
	if m.fields == nil {
		m.open()
		if m.content != nil {
			m.content.plans = s.plans
		}
	}
	return m
}

func (s *Store) ownCall(m *message, i int) *call {
	c := m.calls[i]
	if c.owner != s.owner {
		c = c.clone(s.owner)
		m.calls[i] = c
	}
	c.open()
	return c
}

// touch gives a changed message its new version.
func (s *Store) touch(m *message) {
	s.version++
	m.version = s.version
}

// freeID gives the page's id for a new message: the wire's, or with the kind behind it where that is taken.
// other is the message that has it.
func (s *Store) freeID(id string, suffix string) (free string, other *entry) {
	id = strings.Clone(id)
	other = s.byID[id]
	for s.byID[id] != nil {
		id += ":" + suffix
	}
	return id, other
}

// collision warns that one id names two messages.
func (a *applying) collision(id, first, second, as string) {
	w := agui.Warning{Code: agui.WarnIDCollision, Message: "the id " + showToken(id) + " names " + first + " and " +
		second + ": " + as}
	if a.base != nil {
		w.Event = a.base.Raw
	}
	a.warn(w)
}

// describe names a kind of message for a person.
func describe(k kind) string {
	switch k {
	case reasoningKind:
		return "a reasoning message"
	case activityKind:
		return "an activity"
	case toolKind, resultKind:
		return "a tool result"
	case callKind:
		return "a tool call's message"
	}
	return "a text message"
}

// place makes an entry known under its ids.
func (s *Store) place(e *entry) {
	m := e.m
	s.byID[m.id] = e
	k := key{m.kind, m.wire}
	if s.byKey[k] == nil || m.again() {
		s.byKey[k] = e
	} else if m.kind == textKind && m.role == agui.RoleAssistant {
		s.byKey[key{callKind, m.wire}] = e
	}
	if m.kind == toolKind {
		k = key{resultKind, m.wire + "\x00" + m.callID}
		if s.byKey[k] == nil {
			s.byKey[k] = e
		}
	}
	for i, c := range m.calls {
		if c.wire != "" {
			if s.callAlias == nil {
				s.callAlias = map[string]string{}
			}
			s.callAlias[c.wire] = c.id
		}
		if _, ok := s.calls[c.id]; !ok { // of a call that stands twice, the first one is meant
			s.calls[c.id] = callAt{e, i}
		}
	}
}

// insert puts a new message at i; record tells of it.
func (a *applying) insert(i int, m *message) *entry {
	e := &entry{index: i, m: m}
	a.touch(m)
	a.list = slices.Insert(a.list, i, e)
	for j := i + 1; j < len(a.list); j++ {
		a.list[j].index = j
	}
	a.place(e)
	a.aliasMessage(e)
	return e
}

func (a *applying) record(e *entry) {
	if a.ch != nil {
		a.ch.add(Insert, a.at(e), string(e.m.appendJSON(nil, false)))
	}
}

// setField sets a message's plain member and records it.
func (a *applying) setField(e *entry, name, member, value string) {
	m := a.own(e)
	if m.set(rawjson.String(`"`+name+`"`), strings.Clone(value)) {
		a.assign(a.at(e, Key(name)), member, value)
		a.touch(m)
	}
}

// setOwner sets or removes a message's subagentRunId.
func (a *applying) setOwner(e *entry, sub *string) {
	if sub != nil {
		s := strings.Clone(*sub)
		a.own(e).sub = &s
		a.setField(e, "subagentRunId", "subagentRunId", string(rawjson.Quote(s)))
		return
	}
	m := a.own(e)
	m.sub = nil
	if i := fieldAt(m.fields, `"subagentRunId"`); i >= 0 {
		m.fields = slices.Delete(m.fields, i, i+1)
		a.ch.add(Remove, a.at(e, Key("subagentRunId")), "")
		a.touch(m)
	}
}

// fold folds the event's metadata into a message (call is nil) or one of its calls, key by key.
func (a *applying) fold(e *entry, m *message, c *call, callIndex int) {
	if a.base == nil || a.base.Metadata == "" {
		return
	}
	fields, meta := &m.fields, &m.meta
	path := a.at(e, Key("metadata"))
	if c != nil {
		fields, meta = &c.fields, &c.meta
		path = a.at(e, Key("toolCalls"), Index(callIndex), Key("metadata"))
	}
	whole := len(a.base.Raw)
	if *meta == nil || rawjson.KindOf((*meta).rootText()) != rawjson.Object {
		*meta = NewDocument(adopt(a.base.Metadata, whole))
		if i := fieldAt(*fields, `"metadata"`); i >= 0 {
			(*fields)[i].part = metaPart
		} else {
			*fields = append(*fields, field{`"metadata"`, "", metaPart})
		}
		a.assign(path, "metadata", a.base.Metadata)
		a.touch(m)
		return
	}
	for k, v := range rawjson.Members(a.base.Metadata) {
		name := rawjson.String(adopt(string(k), whole))
		if !(*meta).setMember(name, adopt(v, whole)) {
			continue
		}
		a.touch(m)
		if a.ch != nil {
			n := len(path)
			full := append(path, Key(name.Decode()))
			p := a.ch.path(full, nil)
			a.ch.list = append(a.ch.list, change{op: Assign, path: p, value: v})
			path = full[:n]
		}
	}
}

// rootText gives enough of the root's text to tell its kind.
func (d *Document) rootText() string {
	switch {
	case d.root.c == nil:
		return d.root.raw
	case d.root.c.array:
		return "["
	}
	return "{"
}
