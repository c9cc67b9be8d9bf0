package thread

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
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

// had remembers, by id, the messages that the agent has: all that stood there when a run finished. The value tells
// whether a message is still the one it was.
type had map[string]uint64

func hadOf(messages []agui.Message) had {
	h := make(had, len(messages))
	for _, m := range messages {
		h[m.ID] = fingerprint(m.Raw)
	}
	return h
}

// choose marks the messages to send: those that are new or were changed, and around each new tool message the
// assistant message that holds its call with every result of that message, because an agent cannot place a result
// without its call, nor a call without its results.
func (h had) choose(messages []agui.Message) []bool {
	send := make([]bool, len(messages))
	owner := map[string]int{}
	for i, m := range messages {
		for _, c := range m.ToolCalls {
			owner[c.ID] = i
		}
	}
	whole := map[int]bool{}
	for i, m := range messages {
		was, ok := h[m.ID]
		send[i] = !ok || was != fingerprint(m.Raw)
		if at, known := owner[m.ToolCallID]; send[i] && known && m.Role == agui.ToolRole {
			whole[at] = true
			send[at] = true
		}
	}
	for i, m := range messages {
		if at, known := owner[m.ToolCallID]; known && m.Role == agui.ToolRole && whole[at] {
			send[i] = true
		}
	}
	return send
}

// fingerprint is FNV-1a over the text without white space between its tokens.
func fingerprint(raw string) uint64 {
	h := uint64(14695981039346656037)
	raw = rawjson.Compact(raw)
	for i := range len(raw) {
		h = (h ^ uint64(raw[i])) * 1099511628211
	}
	return h
}
