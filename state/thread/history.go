package thread

import (
	"aguiwasm/agui"
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
