package ui

import (
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
)

// What of one message is shown: a first part at once, more in each frame, and beyond the most only when a person asks
// for it. So no message, however long, takes the page's time in one piece, or fills the page unasked.
const (
	firstNodes = 300 // of a text
	mostNodes  = 4000
	firstItems = 15 // tool calls, and parts of a content
	mostItems  = 200
)

// portion is how much of a message is shown.
type portion struct {
	nodes, items       int
	allowNodes, allows int
	more               bool // something is left out
}

func (p *portion) begin() {
	p.more = false
	if p.nodes == 0 {
		*p = portion{nodes: firstNodes, items: firstItems, allowNodes: mostNodes, allows: mostItems}
	}
}

// of gives the parts and calls that are shown.
func (p *portion) of(m *model.Message) ([]model.Part, []model.Call) {
	parts, calls := min(len(m.Parts), p.items), min(len(m.Calls), p.items)
	p.more = p.more || parts < len(m.Parts) || calls < len(m.Calls)
	return m.Parts[:parts], m.Calls[:calls]
}

// grow shows more; false: that is all that is allowed.
func (p *portion) grow() bool {
	if p.nodes >= p.allowNodes && p.items >= p.allows {
		return false
	}
	p.nodes = min(p.nodes+firstNodes, p.allowNodes)
	p.items = min(p.items+firstItems, p.allows)
	return true
}

// rest says what becomes of what was left out: it comes in the next frames, or there is a button for it.
func (u *UI) rest(n *Node, m *model.Message, r *row) {
	if !r.portion.more {
		return
	}
	if r.portion.nodes < r.portion.allowNodes || r.portion.items < r.portion.allows {
		r.grows, u.grows = true, true
		return
	}
	n.Add(button("more", u.label("showMore"), "more", m.ID).At("part", "button").Keyed("more"))
}

// Grows reports whether more is to be shown in the next frame.
func (u *UI) Grows() bool { return u.grows }

// Grow lets the last message of those that still grow show more.
func (u *UI) Grow() {
	if !u.grows {
		return
	}
	u.grows = false
	grown := false
	list := u.Chat.Messages()
	for i := len(list) - 1; i >= 0; i-- {
		r, ok := list[i].Row.(*row)
		if !ok || !r.grows {
			continue
		}
		if grown {
			u.grows = true
			return
		}
		grown = true
		r.portion.grow()
		r.version = 0
	}
}

// More shows more of a message because a person asks for it.
func (u *UI) More(id string) {
	for _, m := range u.Chat.Messages() {
		if r, ok := m.Row.(*row); ok && m.ID == id {
			r.portion.allowNodes += mostNodes
			r.portion.allows += mostItems
			r.version = 0
		}
	}
}
