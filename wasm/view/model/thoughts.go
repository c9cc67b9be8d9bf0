package model

import (
	"aguiwasm/agui"
	"aguiwasm/state/thread"
)

// Fork is a place of the conversation with more than one version (thread.Fork).
type Fork struct {
	Before       string
	Shown, Count int
}

// thoughts says which messages have actions, a person's and the last of each whole answer, and where a fork's switch
// stands.
func (c *Conversation) thoughts() {
	acts, forks := make([]bool, len(c.order)), make([]Fork, len(c.order))
	begin := 0 // of the answer at hand
	last := -1 // its last message that is drawn by itself
	end := func(i int) {
		whole := i < len(c.order) || !c.Run.Active
		if last >= 0 && whole {
			acts[last] = true
		}
		for _, f := range c.Forks {
			if at := begin - 1; f.Before == c.idOf(at) && (begin >= len(c.order) || c.order[begin].Role != "user") {
				if last >= 0 {
					at = last
				}
				if at >= 0 && forks[at].Count == 0 {
					forks[at] = f
				}
			}
		}
	}
	for i, m := range c.order {
		if !thread.Asks(agui.Role(m.Role)) {
			if m.Role != "tool" && m.Owner == "" {
				last = i
			}
			continue
		}
		end(i)
		begin, last = i+1, -1
		if m.Role != "user" {
			continue
		}
		acts[i] = true
		for _, f := range c.Forks {
			if f.Before == c.idOf(i-1) {
				forks[i] = f
			}
		}
	}
	end(len(c.order))
	for i, m := range c.order {
		if m.Acts != acts[i] || m.Fork != forks[i] {
			m.Acts, m.Fork, m.Version = acts[i], forks[i], c.next()
		}
	}
}

func (c *Conversation) idOf(i int) string {
	if i < 0 {
		return ""
	}
	return c.order[i].ID
}
