package agui

// talk is a small conversation that stands in for state.Store: it knows the messages and calls that came.
type talk struct {
	roles  map[string]Role // kind + " " + id
	owners map[string]*string
	calls  map[string]bool
}

func newTalk(messages ...Message) *talk {
	t := &talk{roles: map[string]Role{}, owners: map[string]*string{}, calls: map[string]bool{}}
	for _, m := range messages {
		t.add(m)
	}
	return t
}

func kindOf(r Role) string {
	switch r {
	case RoleReasoning, RoleActivity:
		return string(r)
	case RoleTool:
		return "tool"
	}
	return "text"
}

func (t *talk) add(m Message) {
	t.roles[kindOf(m.Role)+" "+m.ID] = m.Role
	t.owners[kindOf(m.Role)+" "+m.ID] = m.SubagentRunID
	for _, c := range m.ToolCalls {
		t.calls[c.ID] = true
	}
}

func (t *talk) MessageRole(kind, id string) (Role, bool) { r, ok := t.roles[kind+" "+id]; return r, ok }

func (t *talk) HasToolCall(id string) bool { return t.calls[id] }

func (t *talk) apply(ev Event) {
	switch e := ev.(type) {
	case *TextMessageStart:
		t.add(Message{ID: e.MessageID, Role: e.Role, SubagentRunID: e.SubagentRunID})
	case *ReasoningMessageStart:
		t.add(Message{ID: e.MessageID, Role: RoleReasoning, SubagentRunID: e.SubagentRunID})
	case *ToolCallStart:
		t.calls[e.ToolCallID] = true
	case *MessagesSnapshot:
		*t = *newTalk(e.Messages...)
	case *RunStarted:
		for _, m := range e.InputMessages {
			t.add(m)
		}
	}
}

// ran is what a pipeline made of a stream.
type ran struct {
	events   []Event
	warnings []Warning
	err      error // of Push or End
}

// run pushes each event's data through a pipeline.
func run(strict bool, known *talk, data ...string) (r ran) {
	p := NewPipeline(Options{
		Strict: strict, ThreadID: "t1", RunID: "r1", Known: known,
		Emit: func(ev Event) bool { known.apply(ev); r.events = append(r.events, ev); return true },
		Warn: func(w Warning) { r.warnings = append(r.warnings, w) },
	})
	for _, d := range data {
		if r.err = p.Push(d); r.err != nil {
			return r
		}
	}
	r.err = p.End()
	return r
}

// ranIntoError reports whether the last run ended with RUN_ERROR.
func (p *Pipeline) ranIntoError() bool { return p.phase == failed && p.runError != nil }
