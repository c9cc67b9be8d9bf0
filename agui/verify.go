package agui

// verify asks the sequence rules about a whole event, repairs what lenient mode repairs, and emits it.
func (p *Pipeline) verify(ev Event) *Error {
	r := &p.run
	switch e := ev.(type) {
	case *TextMessageContent:
		return p.textContent(e)
	case *ToolCallArgs:
		return p.toolArgs(e)
	case *ReasoningMessageContent:
		return p.reasoningContent(e)
	case *TextMessageStart:
		return p.opens(ev, &r.text, "text message", e.MessageID)
	case *TextMessageEnd:
		return p.closes(ev, &r.text, "text message", e.MessageID)
	case *ToolCallStart:
		return p.toolStart(e)
	case *ToolCallEnd:
		return p.closes(ev, &r.calls, "tool call", e.ToolCallID)
	case *ReasoningMessageStart:
		return p.opens(ev, &r.reasoning, "reasoning message", e.MessageID)
	case *ReasoningMessageEnd:
		return p.closes(ev, &r.reasoning, "reasoning message", e.MessageID)
	case *ReasoningStart:
		return p.spanStart(e)
	case *ReasoningEnd:
		return p.spanEnd(e)
	case *RunStarted:
		return p.runStarted(e)
	case *RunFinished:
		return p.runFinished(e)
	case *RunError:
		p.phase, p.late, p.runError = failed, false, e
	case *StepStarted:
		return p.stepStarted(e)
	case *StepFinished:
		return p.stepFinished(e)
	case *SubagentStarted:
		return p.subagentStarted(e)
	case *SubagentFinished:
		return p.subagentEnded(ev, e.ID)
	case *SubagentError:
		return p.subagentEnded(ev, e.ID)
	case *ToolCallResult:
		// It makes a message of its own: not the call's continuation, and its message's owner anew.
		own(&r.text, e.MessageID, e.SubagentRunID)
	case *MessagesSnapshot:
		p.seed(e.Messages, true)
	case *ActivitySnapshot:
		if e.Replace || r.activities.get(e.MessageID) == nil {
			own(&r.activities, e.MessageID, e.SubagentRunID)
		}
	case *ActivityDelta:
		if err := p.owned(ev, r.activities.get(e.MessageID), "activity"); err != nil {
			return err
		}
	case *ReasoningEncryptedValue:
		if err := p.owned(ev, p.entityOf(e), "message"); err != nil {
			return err
		}
	}
	p.emit(ev)
	return nil
}

// entityOf gives what an encrypted value belongs to, or nil.
func (p *Pipeline) entityOf(e *ReasoningEncryptedValue) *entity {
	if e.Subtype == "tool-call" {
		return p.run.calls.get(e.EntityID)
	}
	if known := p.run.text.get(e.EntityID); known != nil {
		return known
	}
	return p.run.reasoning.get(e.EntityID)
}

// owned asks rule one-owner: no tag always agrees.
func (p *Pipeline) owned(ev Event, known *entity, kind string) *Error {
	tag := ev.Common().SubagentRunID
	if tag == nil || known == nil || same(tag, known.owner) {
		return nil
	}
	return p.broken(oneOwner, string(ev.EventType())+" of "+ownerName(tag)+" continues the "+kind+" "+quoted(known.id)+
		" of "+ownerName(known.owner))
}

// opens asks rule start-once and rule one-owner about a START of a message.
func (p *Pipeline) opens(ev Event, t *table, kind, id string) *Error {
	known := t.get(id)
	if known != nil && known.open {
		return p.broken(startOnce, string(ev.EventType())+" names the "+kind+" "+quoted(id)+", which is open")
	}
	if known == nil {
		known = t.put(id, ev.Common().SubagentRunID)
	} else if err := p.owned(ev, known, kind); err != nil {
		return err
	}
	p.markOpen(known)
	p.emit(ev)
	return nil
}

func (p *Pipeline) markOpen(e *entity) {
	p.run.clock++
	p.run.open++
	e.open, e.started, e.since = true, true, p.run.clock
}

// closes asks rule end-open and rule one-owner about an END.
func (p *Pipeline) closes(ev Event, t *table, kind, id string) *Error {
	known := t.get(id)
	if known == nil || !known.open {
		return p.broken(endOpen, string(ev.EventType())+" names the "+kind+" "+quoted(id)+", which is not open")
	}
	if err := p.owned(ev, known, kind); err != nil {
		return err
	}
	known.open = false
	p.run.open--
	p.emit(ev)
	return nil
}

// notOpen reports content or arguments without a START.
func (p *Pipeline) notOpen(r rule, ev Event, kind, id string) *Error {
	return p.broken(r, string(ev.EventType())+" names the "+kind+" "+quoted(id)+", which is not open")
}

func (p *Pipeline) textContent(e *TextMessageContent) *Error {
	known := p.run.text.get(e.MessageID)
	if known == nil || !known.open {
		if err := p.notOpen(contentOpen, e, "text message", e.MessageID); err != nil {
			return err
		}
		role := RoleAssistant
		if p.o.Known != nil {
			if r, ok := p.o.Known.MessageRole("text", e.MessageID); ok && isTextRole(r) {
				role = r
			}
		}
		known = p.madeOpen(&p.run.text, known, e.MessageID, e.SubagentRunID)
		made := madeTextStart(e.MessageID, role, "", Base{SubagentRunID: known.owner}, nil)
		made.Continues = known.brought
		p.emit(made)
	}
	if err := p.owned(e, known, "text message"); err != nil {
		return err
	}
	p.emit(e)
	return nil
}

func (p *Pipeline) reasoningContent(e *ReasoningMessageContent) *Error {
	known := p.run.reasoning.get(e.MessageID)
	if known == nil || !known.open {
		if err := p.notOpen(contentOpen, e, "reasoning message", e.MessageID); err != nil {
			return err
		}
		known = p.madeOpen(&p.run.reasoning, known, e.MessageID, e.SubagentRunID)
		made := madeReasoningStart(e.MessageID, Base{SubagentRunID: known.owner}, nil)
		made.Continues = known.brought
		p.emit(made)
	}
	if err := p.owned(e, known, "reasoning message"); err != nil {
		return err
	}
	p.emit(e)
	return nil
}

// madeOpen opens an entity for which a START is made.
func (p *Pipeline) madeOpen(t *table, known *entity, id string, tag *string) *entity {
	if known == nil {
		known = t.put(id, tag)
	}
	p.markOpen(known)
	return known
}

// knownCall reports whether the conversation holds the call.
func (p *Pipeline) knownCall(id string) bool {
	if p.o.Known != nil {
		return p.o.Known.HasToolCall(id)
	}
	return p.run.calls.get(id) != nil
}

func (p *Pipeline) toolArgs(e *ToolCallArgs) *Error {
	known := p.run.calls.get(e.ToolCallID)
	if known == nil || !known.open {
		if err := p.notOpen(argsOpen, e, "tool call", e.ToolCallID); err != nil || !p.knownCall(e.ToolCallID) {
			return err
		}
	}
	if err := p.owned(e, known, "tool call"); err != nil {
		return err
	}
	p.emit(e)
	return nil
}

// toolStart is opens for a tool call, which lives inside a message: untagged, it takes that message's owner.
func (p *Pipeline) toolStart(e *ToolCallStart) *Error {
	known := p.run.calls.get(e.ToolCallID)
	if known != nil && known.open {
		return p.broken(startOnce, "TOOL_CALL_START names the tool call "+quoted(e.ToolCallID)+", which is open")
	}
	var parent *entity
	if e.ParentMessageID != nil {
		parent = p.run.text.get(*e.ParentMessageID)
	}
	owner := e.SubagentRunID
	var err *Error
	switch {
	case parent != nil && owner != nil && !same(owner, parent.owner):
		err = p.broken(oneOwner, "TOOL_CALL_START of "+ownerName(owner)+" names the message "+quoted(parent.id)+" of "+
			ownerName(parent.owner)+" as its parent")
		owner = parent.owner
	case known != nil && owner != nil:
		err = p.owned(e, known, "tool call")
	case known != nil && parent != nil && !same(parent.owner, known.owner):
		err = p.broken(oneOwner, "TOOL_CALL_START puts the tool call "+quoted(known.id)+" of "+ownerName(known.owner)+
			" under a message of "+ownerName(parent.owner))
	case owner == nil && parent != nil:
		owner = parent.owner
	}
	if err != nil {
		return err
	}
	if known == nil {
		known = p.run.calls.put(e.ToolCallID, owner)
	}
	p.markOpen(known)
	p.emit(e)
	return nil
}

func (p *Pipeline) spanStart(e *ReasoningStart) *Error {
	t := &p.run.reasoning
	known := t.get(e.MessageID)
	if known != nil && known.span {
		return p.broken(startOnce, "REASONING_START names the reasoning span "+quoted(e.MessageID)+", which is open")
	}
	if known == nil {
		known = t.put(e.MessageID, e.SubagentRunID)
	} else if err := p.owned(e, known, "reasoning"); err != nil {
		return err
	}
	p.run.clock++
	p.run.open++
	known.span, known.spanSince = true, p.run.clock
	p.emit(e)
	return nil
}

func (p *Pipeline) spanEnd(e *ReasoningEnd) *Error {
	known := p.run.reasoning.get(e.MessageID)
	if known == nil || !known.span {
		return p.broken(endOpen, "REASONING_END names the reasoning span "+quoted(e.MessageID)+", which is not open")
	}
	if err := p.owned(e, known, "reasoning"); err != nil {
		return err
	}
	known.span = false
	p.run.open--
	p.emit(e)
	return nil
}
