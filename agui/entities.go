package agui

import (
	"slices"
	"strings"

	"aguiwasm/agui/rawjson"
)

// entity is a message, reasoning, tool call or activity that this run knows.
type entity struct {
	id    string
	owner *string // nil is the parent agent
	// started says that a START of it came in this run; else it was seeded.
	started bool
	brought bool // a MESSAGES_SNAPSHOT of this run brought it: what comes without a START of its own goes on with it
	open    bool
	since   int // when it opened, for the order of made ENDs
	// A reasoning span may share its id, and its owner, with a message.
	span      bool
	spanSince int
}

// table holds the entities of one kind. The last one asked for is found without hashing: streams ask for the same one
// again and again.
type table struct {
	m    map[string]*entity
	last *entity
}

func (t *table) get(id string) *entity {
	if t.last != nil && t.last.id == id {
		return t.last
	}
	e := t.m[id]
	if e != nil {
		t.last = e
	}
	return e
}

// put adds an entity that is not there.
func (t *table) put(id string, owner *string) *entity {
	if t.m == nil {
		t.m = map[string]*entity{}
	}
	e := &entity{id: strings.Clone(id), owner: owner}
	t.m[e.id] = e
	t.last = e
	return e
}

// tables is what the rules know of a run. Owners live for the whole run in four tables (section 6).
type tables struct {
	text, reasoning, calls, activities table

	open      int // how many messages, spans and calls are open
	clock     int
	steps     map[step]bool
	subagents map[string]bool // true while active, false when ended
	active    int             // how many subagents are active
}

// step is a step's key: a name is unique within one owner only.
type step struct {
	tagged      bool
	owner, name string
}

func stepOf(tag *string, name string) step {
	if tag == nil {
		return step{name: strings.Clone(name)}
	}
	return step{tagged: true, owner: *tag, name: strings.Clone(name)}
}

// same reports whether two owners are one.
func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func ownerName(tag *string) string {
	if tag == nil {
		return "the parent agent"
	}
	return "subagent " + quoted(*tag)
}

// quoted shows an id in a message.
func quoted(id string) string { return string(rawjson.Quote(excerpt(id, 80))) }

// own sets an entity's owner anew.
func own(t *table, id string, owner *string) *entity {
	e := t.get(id)
	if e == nil {
		return t.put(id, owner)
	}
	e.owner = owner
	return e
}

// seed puts the owners of messages on record, and their calls under the same owners. A snapshot sets them anew; history
// only where none is.
func (p *Pipeline) seed(messages []Message, anew bool) {
	put := func(t *table, id string, owner *string) {
		if anew {
			own(t, id, owner)
		} else if t.get(id) == nil {
			t.put(id, owner)
		}
	}
	for i := range messages {
		m := &messages[i]
		t := &p.run.text
		switch m.Role {
		case RoleReasoning:
			t = &p.run.reasoning
		case RoleActivity:
			t = &p.run.activities
		}
		put(t, m.ID, m.SubagentRunID)
		if anew {
			t.get(m.ID).brought = true
		}
		for j := range m.ToolCalls {
			put(&p.run.calls, m.ToolCalls[j].ID, m.SubagentRunID)
		}
	}
}

// forgetOpen leaves nothing open. Who owns what still holds: some servers go on after the run's end.
func (r *tables) forgetOpen() {
	for _, t := range [...]*table{&r.text, &r.calls, &r.reasoning} {
		for _, e := range t.m {
			e.open, e.span = false, false
		}
	}
	r.open, r.active, r.steps = 0, 0, nil
	for id := range r.subagents {
		r.subagents[id] = false
	}
}

// opened gives the open entities in opening order.
func (t *table) opened() []*entity { return t.begun(false) }

// begun gives them, and with closed also those that this run has begun and ended.
func (t *table) begun(closed bool) (list []*entity) {
	for _, e := range t.m {
		if e.open || closed && e.started {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entity) int { return a.since - b.since })
	return list
}

// openedSpans gives the open spans in opening order.
func (t *table) openedSpans() (list []*entity) {
	for _, e := range t.m {
		if e.span {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entity) int { return a.spanSince - b.spanSince })
	return list
}

// stillOpen names one thing that is open, for a message.
func (r *tables) stillOpen() string {
	for _, k := range []struct {
		t    *table
		name string
	}{{&r.text, "the text message "}, {&r.calls, "the tool call "}, {&r.reasoning, "the reasoning message "}} {
		if list := k.t.opened(); len(list) > 0 {
			return k.name + quoted(list[0].id)
		}
	}
	if list := r.reasoning.openedSpans(); len(list) > 0 {
		return "the reasoning span " + quoted(list[0].id)
	}
	for s := range r.steps {
		return "a step such as " + quoted(s.name)
	}
	return "a subagent"
}
