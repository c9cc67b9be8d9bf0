package rejoin

import (
	"slices"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// gather takes an event of a thread that is being loaded or joined.
func (r *Run) gather(ev agui.Event) {
	r.told = true
	if start, ok := ev.(*agui.RunStarted); ok {
		r.start, r.terminal, r.replayed = ev.Common().Raw, nil, newLedger()
		r.runID = start.RunID
	}
	r.shadow.Apply(ev, nil, nil)
	switch t := ev.EventType(); {
	case terminal(t):
		r.terminal, r.end = ev, ev.Common().Raw
	case t == agui.TypeStateSnapshot, t == agui.TypeStateDelta:
		r.stateTold = true
	}
	r.replayed.note(ev)
}

// join hands out what was gathered: one snapshot of the messages, one of the state, and then the last run as it stands.
// What follows is new.
func (r *Run) join() {
	r.joining, r.history = false, true
	defer func() { r.history = false }()
	if r.o.Dialect.Attach == nil && r.terminal != nil {
		r.anonymous() // the server told what it has under an id of this request's: there is no such run
	}
	newer := r.shadow.Len() > 0 && lacks(r.shadow, r.o.Live) // this page knows more than the server
	if r.start != "" && !r.active {
		r.hand(agui.TypeRunStarted, Out{Data: r.start})
	}
	if r.shadow.Len() > 0 {
		r.handMessages(merge(r.o.Live, r.shadow, nil, false))
	}
	if r.stateTold && (!newer || r.terminal == nil) { // deltas of a run under way are about its own state
		r.handState()
	}
	r.delivered, r.ours = r.replayed, true
	r.delivered.started = true
	r.replayed = newLedger()
	if r.terminal != nil {
		r.hand(r.terminal.EventType(), Out{Data: r.end})
		return
	}
	if r.shape == BySnapshot {
		r.noteMessages() // the events told what came after the snapshot alone
	}
	r.reopen()
	r.leg = 1                  // from here on all is new, as on a first leg
	if r.shape == BySnapshot { // but it goes on, without a START, with what the snapshot holds
		for e, p := range r.delivered.entities {
			if p.open() {
				r.opened[e] = true
			}
		}
		r.snapshot, r.leg = true, 2
	}
}

// anonymous takes the run's id out of its first and last event, so that no later run has it as its parent.
func (r *Run) anonymous() {
	if r.start != "" {
		r.start = rawjson.Set(r.start, "runId", `""`)
	}
	if _, ok := rawjson.Get(r.end, "runId"); ok {
		r.end = rawjson.Set(r.end, "runId", `""`)
	}
}

// reopen hands out the STARTs of what is open, in the order of the messages, each with the text that it has.
func (r *Run) reopen() {
	for i := range r.shadow.Len() {
		m := r.shadow.Message(i)
		switch m.Role() {
		case agui.RoleAssistant:
			r.open(entity{'t', m.WireID()}, "")
			for c := range m.Calls() {
				r.open(entity{'c', m.Call(c).ID()}, m.Call(c).Name())
			}
		case agui.RoleReasoning:
			r.open(entity{'r', m.WireID()}, "")
		}
	}
	for e := range r.delivered.entities {
		if e.kind == 's' {
			r.open(e, "")
		}
	}
}

// PickUp brings the pipeline, when the server answers, to where it stood when the cursor was kept. Each text that is
// open comes once more, for the first growth behind a START replaces what is there. Bytes do the same.
func (r *Run) PickUp() {
	if !r.picks {
		return
	}
	r.picks, r.history = false, true
	r.synthetic(`{"type":"RUN_STARTED","threadId":` + quote(r.threadID) + `,"runId":` + quote(r.runID) + `}`)
	r.delivered.started = true
	for _, data := range r.o.At.Open {
		t := member(data, "type")
		e := entity{'t', member(data, "messageId")}
		switch {
		case strings.HasPrefix(t, "TOOL"):
			e = entity{'c', member(data, "toolCallId")}
		case strings.HasPrefix(t, "REASONING_M"):
			e.kind = 'r'
		case !strings.HasPrefix(t, "TEXT"):
			r.synthetic(data)
			continue
		}
		key, named, text := r.has(e)
		if key == "" {
			continue // a snapshot took it out
		}
		ended, chunk := strings.HasSuffix(t, "_END"), strings.HasSuffix(t, "_CHUNK")
		p := r.delivered.at(e)
		p.starts, p.text = 1, []byte(text)
		start := rawjson.Set(data, key, quote(named))
		if chunk && text != "" {
			start = rawjson.Set(start, "delta", quote(text))
		}
		r.synthetic(strings.Replace(start, "_END", "_START", 1))
		if ended {
			p.ends = 1
			r.synthetic(data)
		} else if !chunk && text != "" {
			r.synthetic(growth(e, text))
		}
	}
	r.history = false
	r.cursor = r.o.At.Cursor
	r.seen[sum(r.cursor)] = 0
}

// has gives the text that the conversation has of an entity, and what its START says beside the id; "" where it has
// none.
func (r *Run) has(e entity) (key, value, text string) {
	for i := range r.o.Live.Len() {
		m := r.o.Live.Message(i)
		if e.kind == 'c' {
			for c := range m.Calls() {
				if call := m.Call(c); call.ID() == e.id {
					return "toolCallName", call.Name(), call.Arguments()
				}
			}
		} else if m.WireID() == e.id && (m.Role() == agui.RoleReasoning) == (e.kind == 'r') {
			return "role", string(m.Role()), m.Text()
		}
	}
	return "", "", ""
}

// giveUp ends for the pipeline a run that was picked up and that the server does not have any more: its thread is
// loaded instead.
func (r *Run) giveUp() {
	if r.history = true; r.active {
		r.closeOpen()
		for _, data := range r.o.At.Open {
			if strings.HasPrefix(member(data, "type"), "S") { // a step or a subagent
				r.synthetic(strings.Replace(data, "_STARTED", "_FINISHED", 1))
			}
		}
		r.synthetic(`{"type":"RUN_FINISHED","threadId":` + quote(r.threadID) + `,"runId":` + quote(r.runID) + `}`)
	}
	r.picks, r.joining, r.told, r.ended, r.leg = false, true, false, false, 1
	r.cursor, r.runID, r.code, r.history = "", "", "", false
	r.o.At, r.delivered = Point{}, newLedger()
}

func (r *Run) open(e entity, name string) {
	p := r.delivered.entities[e]
	if p == nil || !p.open() {
		return
	}
	r.synthetic(opening(e, name))
	if len(p.text) > 0 && e.kind != 's' {
		r.synthetic(growth(e, string(p.text)))
	}
}

// fromSnapshot places an event of a leg that begins with the messages as they are.
func (r *Run) fromSnapshot(ev agui.Event, o Out) {
	t := ev.EventType()
	r.shadow.Apply(ev, nil, nil)
	r.told = true
	switch v := ev.(type) {
	case *agui.RunStarted:
		if r.active && v.RunID == r.runID {
			return // it goes on
		}
		if r.active { // the run has ended unseen, and its response goes on with another
			r.closeOpen()
			r.synthetic(`{"type":"RUN_FINISHED","threadId":` + quote(r.threadID) + `,"runId":` + quote(r.runID) + `}`)
		}
		r.goOn(ev, o)
		return
	case *agui.MessagesSnapshot:
		if !r.snapshot {
			r.snapshot, r.stateTold = true, true
			r.takeSnapshot(v)
			return
		}
		r.closeRest()
	case *agui.RunFinished:
		r.closeRest()
	}
	e, s, delta := meaningOf(ev)
	if own, ok := r.alias[e.id]; ok && s != other && e.kind != 'c' {
		e.id = own
		o = Out{Data: rawjson.Set(o.Data, "messageId", quote(own)), Synthetic: true}
	} else if call, ok := ev.(*agui.ToolCallStart); ok && call.ParentMessageID != nil {
		if own, ok := r.alias[*call.ParentMessageID]; ok {
			o = Out{Data: rawjson.Set(o.Data, "parentMessageId", quote(own)), Synthetic: true}
		}
	}
	if s == other {
		r.goOn(ev, o)
		return
	}
	was := r.delivered.at(e)
	switch s {
	case opens:
		if r.opened[e] = true; was.open() {
			return
		}
		again := was.starts > 0 && e.kind != 'c' // this page saw it begin: what grows is appended
		was.starts++
		r.hand(t, o)
		if len(was.text) > 0 && e.kind != 's' && !again {
			r.synthetic(growth(e, string(was.text))) // the first growth replaces what is there
		}
		return
	case grows:
		was.text = append(was.text, delta...)
	case closes:
		if delete(r.opened, e); !was.open() {
			return
		}
		was.ends++
	}
	r.hand(t, o)
}

// openFirst opens for the leg's pipeline what a snapshot holds and the stream behind it goes on with.
func (r *Run) openFirst(data string) {
	var e entity
	switch member(data, "type") {
	case "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END":
		e = entity{'t', member(data, "messageId")}
	case "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END":
		e = entity{'r', member(data, "messageId")}
	case "TOOL_CALL_ARGS", "TOOL_CALL_END":
		e = entity{'c', member(data, "toolCallId")}
	default:
		return
	}
	own := e
	if id, ok := r.alias[e.id]; ok && e.kind != 'c' {
		own.id = id
	}
	if r.opened[own] {
		return
	}
	p := r.delivered.entities[own]
	if p == nil {
		return
	}
	if strings.HasSuffix(member(data, "type"), "_END") && p.starts > 0 && !p.open() {
		return // its end was handed out before
	}
	_ = r.pipe.Push(opening(e, r.callName(e)))
}

// closeRest ends what was open when the connection broke, and what the snapshot held whole: nothing went on with it
// since.
func (r *Run) closeRest() {
	if r.snapshot {
		r.closeOpen()
	}
}

// closeOpen ends what is open and the leg did not open.
func (r *Run) closeOpen() {
	var list []string
	for e, p := range r.delivered.entities {
		if p.open() && !r.opened[e] {
			p.ends = p.starts
			list = append(list, closing(e))
		}
	}
	slices.Sort(list)
	for _, data := range list {
		r.synthetic(data)
	}
}

func (r *Run) callName(e entity) string {
	if e.kind != 'c' {
		return ""
	}
	for i := range r.shadow.Len() {
		m := r.shadow.Message(i)
		for c := range m.Calls() {
			if call := m.Call(c); call.ID() == e.id {
				return call.Name()
			}
		}
	}
	return ""
}

// takeSnapshot merges the messages that a leg begins with. An empty list changes nothing.
func (r *Run) takeSnapshot(v *agui.MessagesSnapshot) {
	if len(v.Messages) == 0 {
		return
	}
	r.alias = renamed(r.o.Live, r.shadow)
	r.noteMessages()
	r.handMessages(merge(r.o.Live, r.shadow, r.alias, false))
}

// noteMessages notes the texts that the shadow's messages have.
func (r *Run) noteMessages() {
	for i := range r.shadow.Len() {
		m := r.shadow.Message(i)
		id := m.WireID()
		if own, ok := r.alias[id]; ok {
			id = own
		}
		switch m.Role() {
		case agui.RoleAssistant:
			p := r.delivered.at(entity{'t', id})
			p.text = append(p.text[:0], m.Text()...)
			for c := range m.Calls() {
				p := r.delivered.at(entity{'c', m.Call(c).ID()})
				p.text = append(p.text[:0], m.Call(c).Arguments()...)
			}
		case agui.RoleReasoning:
			p := r.delivered.at(entity{'r', id})
			p.text = append(p.text[:0], m.Text()...)
		}
	}
}
