package thread

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// History says which messages a run sends.
type History string

// The kinds of history; "" is HistoryFull.
const (
	// HistoryFull sends the whole conversation, for agents that keep nothing.
	HistoryFull History = "full"
	// HistoryNew sends what the agent's thread has not had since the last finished run.
	HistoryNew History = "new"
)

// choose gives what a run sends to an agent that keeps the thread: what it has not had. Where the page has taken away,
// changed or moved messages that the agent has, the agent must learn of it: in gets the parentRunId of the latest run
// whose messages are all still there, and what came after that run is sent; where there is no such run the whole
// history goes, once. A parentRunId that the caller named stays (named), and so does that of a resumed run.
func (t *Thread) choose(in *agui.Input, named, resumed bool) []bool {
	base := t.last
	if named {
		if i := t.find(rawjson.String(in.ParentRunID).Decode()); i >= t.since && t.past[i].finished {
			base = &t.past[i].at
		}
	}
	if base == nil {
		return nil
	}
	if keeps(base, t.store) {
		return chooseNew(base, t.store)
	}
	if named || resumed {
		return nil
	}
	for i := len(t.past) - 1; i >= t.since; i-- {
		if p := &t.past[i]; p.finished && keeps(&p.at, t.store) {
			in.ParentRunID = rawjson.Quote(p.names[0])
			return chooseNew(&p.at, t.store)
		}
	}
	in.ParentRunID = ""
	return nil
}

// keeps reports whether the messages of an earlier conversation, but for activities, which the agent never gets, still
// stand in a later one, unchanged and in their order.
func keeps(earlier *state.Snapshot, now *state.Store) bool {
	at := 0
	for i := range earlier.Len() {
		m := earlier.Message(i)
		if m.Role() == agui.RoleActivity {
			continue
		}
		for at < now.Len() && now.Message(at).ID() != m.ID() {
			at++
		}
		if at == now.Len() || now.Message(at).Version() != m.Version() {
			return false
		}
		at++
	}
	return true
}

// chooseNew marks the messages to send to an agent that has what last holds: those that are new or were changed, and
// around each new tool message the assistant message that holds its call with every result of that message, because an
// agent cannot place a result without its call, nor a call without its results.
func chooseNew(last *state.Snapshot, now *state.Store) []bool {
	had := make(map[string]uint64, last.Len())
	for i := range last.Len() {
		m := last.Message(i)
		had[m.ID()] = m.Version()
	}
	send := make([]bool, now.Len())
	owner := map[string]int{}
	for i := range send {
		m := now.Message(i)
		for j := range m.Calls() {
			owner[m.Call(j).ID()] = i
		}
	}
	whole := map[int]bool{}
	for i := range send {
		m := now.Message(i)
		version, ok := had[m.ID()]
		if !ok || version != m.Version() {
			send[i] = true
			if at, known := owner[m.ToolCallID()]; known && m.Role() == agui.RoleTool {
				whole[at], send[at] = true, true
			}
		}
	}
	for i := range send {
		m := now.Message(i)
		if at, known := owner[m.ToolCallID()]; known && m.Role() == agui.RoleTool && whole[at] {
			send[i] = true
		}
	}
	return send
}

// once leaves out of what a request sends, of several results of one call that stand side by side, all but the last: a
// page may have answered a call, or closed it, whose result the server brings later, and providers refuse a call with
// two results. The conversation keeps them all. send is as in [Prepared]; it is changed in place, or made where
// something is left out.
func once(store *state.Store, send []bool) []bool {
	for i := 0; i < store.Len(); i++ {
		from := i
		for i < store.Len() && store.Message(i).Role() == agui.RoleTool {
			i++
		}
		if i-from < 2 {
			continue
		}
		later := make(map[string]bool, i-from)
		for j := i - 1; j >= from; j-- {
			id := store.Message(j).ToolCallID()
			if later[id] {
				if send == nil {
					send = make([]bool, store.Len())
					for k := range send {
						send[k] = true
					}
				}
				send[j] = false
			}
			later[id] = true
		}
	}
	return send
}
