package rejoin

import (
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// name is a message's identity for the server: its kind and its id.
func name(m state.Message, alias map[string]string) string {
	id := m.WireID()
	if own, ok := alias[id]; ok {
		id = own
	}
	switch m.Role() {
	case agui.RoleReasoning, agui.RoleActivity, agui.RoleTool:
		return string(m.Role()) + " " + id + " " + m.ToolCallID()
	}
	return "text " + id
}

// raw gives a message as the server knows it.
func raw(m state.Message, alias map[string]string) string {
	text := string(m.AppendJSON(nil))
	id := m.WireID()
	if own, ok := alias[id]; ok {
		id = own
	}
	if id != m.ID() {
		text = rawjson.Set(text, "id", quote(id))
	}
	return text
}

// same finds those user messages of theirs that are ours under another id: the same text at the same place among the
// user messages.
func same(ours, theirs *state.Store) map[string]string {
	var own []state.Message
	for i := range ours.Len() {
		if m := ours.Message(i); m.Role() == agui.RoleUser {
			own = append(own, m)
		}
	}
	known := names(ours)
	pairs, n := map[string]string{}, 0
	for i := range theirs.Len() {
		m := theirs.Message(i)
		if m.Role() != agui.RoleUser {
			continue
		}
		if n < len(own) && !known[name(m, nil)] && rawjson.Equal(m.Field("content"), own[n].Field("content")) {
			pairs[name(m, nil)] = name(own[n], nil)
		}
		n++
	}
	return pairs
}

func names(s *state.Store) map[string]bool {
	known := make(map[string]bool, s.Len())
	for i := range s.Len() {
		known[name(s.Message(i), nil)] = true
	}
	return known
}

// lacks reports whether theirs holds a message that ours does not.
func lacks(ours, theirs *state.Store) bool {
	known, user := names(ours), same(ours, theirs)
	for i := range theirs.Len() {
		if n := name(theirs.Message(i), nil); !known[n] && user[n] == "" {
			return true
		}
	}
	return false
}

// merge gives our messages in our order, those that theirs holds too as they are there, and those that are new behind
// the one that they follow there. Nothing that theirs lacks goes: a server may have forgotten, or tell of one run
// alone. earlier says where messages go of which none is ours: before all of ours, else behind.
func merge(ours, theirs *state.Store, alias map[string]string, earlier bool) []string {
	user := same(ours, theirs)
	at := make(map[string]int, ours.Len()) // where a message of ours stands in next
	type item struct {
		text  string
		after []string
	}
	list := make([]item, ours.Len()+1) // list[0] is before the first
	for i := range ours.Len() {
		m := ours.Message(i)
		list[i+1].text = raw(m, nil)
		at[name(m, nil)] = i + 1
	}
	place, begun := len(list)-1, false
	var waiting []string
	for i := range theirs.Len() {
		m := theirs.Message(i)
		n := name(m, alias)
		if own := user[n]; own != "" {
			n = own
		} else if j, ok := at[n]; ok {
			list[j].text = raw(m, alias)
		}
		j, ok := at[n]
		switch {
		case ok && !begun:
			list[j-1].after = append(list[j-1].after, waiting...) // they stood before the first that both have
			waiting, begun, place = nil, true, j
		case ok:
			place = j
		case !begun:
			waiting = append(waiting, raw(m, alias))
		default:
			list[place].after = append(list[place].after, raw(m, alias))
		}
	}
	if !begun && earlier {
		place = 0
	}
	list[place].after = append(list[place].after, waiting...)
	var out []string
	for i, it := range list {
		if i > 0 {
			out = append(out, it.text)
		}
		out = append(out, it.after...)
	}
	return out
}

// renamed pairs the last run's messages with theirs where a server draws new ids for the same text at each request: by
// role and place behind our last user message, where one text begins with the other.
func renamed(ours, theirs *state.Store) map[string]string {
	known := names(ours)
	var own []state.Message
	for i := ours.Len() - 1; i >= 0 && ours.Message(i).Role() != agui.RoleUser; i-- {
		own = append([]state.Message{ours.Message(i)}, own...)
	}
	alias := map[string]string{}
	for i := range theirs.Len() {
		m := theirs.Message(i)
		if known[name(m, nil)] || m.Role() != agui.RoleAssistant && m.Role() != agui.RoleReasoning {
			continue
		}
		for k, o := range own {
			if o.Role() != m.Role() || !alike(o, m) {
				continue
			}
			alias[m.WireID()] = o.WireID()
			own = own[k+1:]
			break
		}
	}
	return alias
}

// alike reports whether two messages can be one at two moments.
func alike(a, b state.Message) bool {
	if a.Calls() > 0 && b.Calls() > 0 {
		return a.Call(0).ID() == b.Call(0).ID()
	}
	x, y := a.Text(), b.Text()
	if x == "" || y == "" {
		return x == y && a.Calls() == b.Calls()
	}
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x)
}
