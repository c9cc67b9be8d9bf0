package model

// Entry is one thing in the conversation's column: a message, or a group of what one subagent did.
type Entry struct {
	Key     string
	Message *Message  // nil for a group
	Owner   string    // a group's subagentRunId
	Agent   *Subagent // a group's, if it is known
	Kids    []*Entry  // a group's
	depth   int
}

// maxGroups is how deep groups nest; what is deeper stands in the column.
const maxGroups = 6

// Timeline gives what is shown, in order: without system and developer messages, and without tool messages whose call
// is shown. What a subagent said stands together, where it said its first word (or at the end, while it has said
// nothing).
func (c *Conversation) Timeline() []*Entry {
	t := &timeline{c: c, groups: map[string]*Entry{}}
	calls := map[string]bool{}
	for _, m := range c.order {
		for _, call := range m.Calls {
			calls[call.ID] = true
		}
	}
	for _, m := range c.order {
		switch m.Role {
		case "system", "developer":
			continue
		case "tool":
			if calls[m.ToolCallID] {
				continue
			}
		}
		e := &Entry{Key: "m" + m.ID, Message: m}
		if g := t.group(m.Owner); g != nil {
			g.Kids = append(g.Kids, e)
		} else {
			t.root = append(t.root, e)
		}
	}
	for _, s := range c.Run.Subagents {
		t.group(s.ID)
	}
	return t.root
}

type timeline struct {
	c      *Conversation
	root   []*Entry
	groups map[string]*Entry
}

// group gives an owner's group, making it and those around it; nil is the column itself.
func (t *timeline) group(owner string) *Entry {
	if owner == "" {
		return nil
	}
	// The chain of parents that have no group yet, innermost first. It ends at a parent that is in it already.
	var chain []*Entry
	var around *Entry
	for id := owner; id != ""; {
		if around = t.groups[id]; around != nil {
			break
		}
		g := &Entry{Key: "g" + id, Owner: id, Agent: t.c.Run.Subagent(id)}
		t.groups[id] = g
		chain = append(chain, g)
		if g.Agent == nil {
			break
		}
		id = g.Agent.Parent
	}
	if around != nil && len(chain) > 0 {
		for _, g := range chain {
			if g == around {
				around = nil
				break
			}
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		g := chain[i]
		if around != nil && around.depth < maxGroups {
			g.depth = around.depth + 1
			around.Kids = append(around.Kids, g)
		} else {
			t.root = append(t.root, g)
		}
		around = g
	}
	return t.groups[owner]
}
