package agui

import "aguiwasm/agui/rawjson"

// build makes the typed event of the fields at hand (section 4).
func (d *decoder) build() (Event, *fault) {
	f := &d.f
	switch d.typ {
	case TypeTextMessageContent:
		e := &TextMessageContent{}
		return e, firstFault(d.base(&e.Base, true), d.messageID(&e.MessageID), text(f.delta, "delta", &e.Delta))
	case TypeToolCallArgs:
		e := &ToolCallArgs{}
		return e, firstFault(d.base(&e.Base, true), str(f.toolCallID, "toolCallId", &e.ToolCallID),
			text(f.delta, "delta", &e.Delta))
	case TypeReasoningMessageContent:
		e := &ReasoningMessageContent{}
		return e, firstFault(d.base(&e.Base, true), d.messageID(&e.MessageID), text(f.delta, "delta", &e.Delta))

	case TypeTextMessageStart:
		e := &TextMessageStart{}
		flt := firstFault(d.base(&e.Base, true), d.messageID(&e.MessageID), optionalText(f.name, "name", &e.Name))
		if flt == nil {
			flt = d.textRole(&e.Role)
		}
		if e.Role == "" {
			e.Role = RoleAssistant
		}
		return e, flt
	case TypeTextMessageEnd:
		e := &TextMessageEnd{}
		return e, firstFault(d.base(&e.Base, true), d.messageID(&e.MessageID))
	case TypeTextMessageChunk:
		e := &TextMessageChunk{}
		flt := firstFault(d.base(&e.Base, true), strPointer(f.messageID, "messageId", &e.MessageID),
			optionalText(f.name, "name", &e.Name), optionalText(f.delta, "delta", &e.Delta))
		if flt == nil {
			flt = d.textRole(&e.Role)
		}
		return e, flt

	case TypeToolCallStart:
		e := &ToolCallStart{}
		return e, firstFault(d.base(&e.Base, true), str(f.toolCallID, "toolCallId", &e.ToolCallID),
			text(f.toolCallName, "toolCallName", &e.ToolCallName),
			strPointer(f.parentMessageID, "parentMessageId", &e.ParentMessageID))
	case TypeToolCallEnd:
		e := &ToolCallEnd{}
		return e, firstFault(d.base(&e.Base, true), str(f.toolCallID, "toolCallId", &e.ToolCallID))
	case TypeToolCallChunk:
		e := &ToolCallChunk{}
		return e, firstFault(d.base(&e.Base, true), strPointer(f.toolCallID, "toolCallId", &e.ToolCallID),
			optionalText(f.toolCallName, "toolCallName", &e.ToolCallName),
			strPointer(f.parentMessageID, "parentMessageId", &e.ParentMessageID),
			optionalText(f.delta, "delta", &e.Delta))
	case TypeToolCallResult:
		return d.toolCallResult()

	case TypeReasoningStart:
		e := &ReasoningStart{}
		return e, firstFault(d.base(&e.Base, true), d.spanID(&e.MessageID))
	case TypeReasoningEnd:
		e := &ReasoningEnd{}
		return e, firstFault(d.base(&e.Base, true), d.spanID(&e.MessageID))
	case TypeReasoningMessageStart:
		e := &ReasoningMessageStart{}
		flt := firstFault(d.base(&e.Base, true), d.messageID(&e.MessageID))
		if flt == nil && d.retired == "" &&
			(rawjson.KindOf(f.role) != rawjson.Str || !rawjson.String(f.role).Is("reasoning")) {
			flt = d.odd(&fault{path: "role", got: f.role, want: `"reasoning"`})
		}
		return e, flt
	case TypeReasoningMessageEnd:
		e := &ReasoningMessageEnd{}
		return e, firstFault(d.base(&e.Base, true), d.messageID(&e.MessageID))
	case TypeReasoningMessageChunk:
		e := &ReasoningMessageChunk{}
		return e, firstFault(d.base(&e.Base, true), strPointer(f.messageID, "messageId", &e.MessageID),
			optionalText(f.delta, "delta", &e.Delta))
	case TypeReasoningEncryptedValue:
		e := &ReasoningEncryptedValue{}
		flt := firstFault(d.base(&e.Base, true), str(f.subtype, "subtype", &e.Subtype),
			str(f.entityID, "entityId", &e.EntityID),
			text(f.encryptedValue, "encryptedValue", &e.EncryptedValue))
		if flt == nil && e.Subtype != "tool-call" && e.Subtype != "message" {
			flt = &fault{path: "subtype", got: f.subtype, want: oneOf("tool-call", "message")}
		}
		return e, flt

	case TypeRunStarted, TypeRunFinished, TypeRunError:
		return d.runEvent()
	case TypeStepStarted:
		e := &StepStarted{}
		return e, firstFault(d.base(&e.Base, true), str(f.stepName, "stepName", &e.StepName))
	case TypeStepFinished:
		e := &StepFinished{}
		return e, firstFault(d.base(&e.Base, true), str(f.stepName, "stepName", &e.StepName))

	case TypeStateSnapshot:
		e := &StateSnapshot{Snapshot: f.snapshot}
		return e, firstFault(d.base(&e.Base, true), requireAny(f.snapshot, "snapshot"))
	case TypeStateDelta:
		e := &StateDelta{Delta: f.delta}
		return e, firstFault(d.base(&e.Base, true), requirePatch(f.delta, "delta"))
	case TypeMessagesSnapshot:
		return d.messagesSnapshot()
	case TypeActivitySnapshot:
		e := &ActivitySnapshot{Content: f.content, Replace: f.replace != "false"}
		flt := firstFault(d.base(&e.Base, true), str(f.messageID, "messageId", &e.MessageID),
			text(f.activityType, "activityType", &e.ActivityType))
		if flt == nil && rawjson.KindOf(f.content) != rawjson.Object {
			flt = &fault{path: "content", got: f.content, want: "an object"}
		}
		if flt == nil && !absent(f.replace) && rawjson.KindOf(f.replace) != rawjson.Bool {
			flt = &fault{path: "replace", got: f.replace, want: "a boolean"}
		}
		return e, flt
	case TypeActivityDelta:
		e := &ActivityDelta{Patch: f.patch}
		return e, firstFault(d.base(&e.Base, true), str(f.messageID, "messageId", &e.MessageID),
			text(f.activityType, "activityType", &e.ActivityType), requirePatch(f.patch, "patch"))

	case TypeSubagentStarted:
		e := &SubagentStarted{}
		return e, firstFault(str(f.subagentRunID, "subagentRunId", &e.ID), d.base(&e.Base, true),
			text(f.name, "name", &e.Name),
			optionalText(f.description, "description", &e.Description),
			strPointer(f.parentSubagentRunID, "parentSubagentRunId", &e.ParentSubagentRunID),
			strPointer(f.parentToolCallID, "parentToolCallId", &e.ParentToolCallID),
			strPointer(f.parentMessageID, "parentMessageId", &e.ParentMessageID))
	case TypeSubagentFinished:
		e := &SubagentFinished{Result: present(f.result)}
		flt := firstFault(str(f.subagentRunID, "subagentRunId", &e.ID), d.base(&e.Base, true))
		if flt == nil {
			e.Outcome, flt = d.subagentOutcome(f.outcome)
		}
		return e, flt
	case TypeSubagentError:
		e := &SubagentError{}
		return e, firstFault(str(f.subagentRunID, "subagentRunId", &e.ID), d.base(&e.Base, true),
			text(f.message, "message", &e.Message), optionalText(f.code, "code", &e.Code))

	case TypeRaw:
		e := &Raw{Event: f.event}
		return e, firstFault(d.base(&e.Base, true), requireAny(f.event, "event"),
			optionalText(f.source, "source", &e.Source))
	case TypeCustom:
		e := &Custom{Value: f.value}
		return e, firstFault(d.base(&e.Base, true), str(f.name, "name", &e.Name), requireAny(f.value, "value"))
	}
	return &Unknown{Base{Type: d.typ, Raw: d.data}}, nil
}

// requireAny asks for a value of any kind, null included.
func requireAny(v JSON, path string) *fault {
	if v == "" {
		return &fault{path: path, want: "a JSON value"}
	}
	return nil
}

// requirePatch asks for a list; a malformed operation in it is the patch's own failure (section 8).
func requirePatch(v JSON, path string) *fault {
	if rawjson.KindOf(v) != rawjson.Array {
		return &fault{path: path, got: v, want: "an array of JSON Patch operations"}
	}
	return nil
}

// messageID reads the messageId of a text or a reasoning message. Where it is missing, lenient mode finds it
// (Pipeline.nameless).
func (d *decoder) messageID(into *string) *fault {
	if d.twins && !d.strict && d.retired == "" && absent(d.f.messageID) {
		d.nameless = true
		return nil
	}
	return d.spanID(into)
}

// spanID reads a reasoning event's messageId; a retired event gets its id later.
func (d *decoder) spanID(into *string) *fault {
	if d.retired != "" {
		return nil
	}
	return str(d.f.messageID, "messageId", into)
}

// textRole reads a text message's role; what a text cannot have counts as assistant (section 8).
func (d *decoder) textRole(into *Role) *fault {
	if absent(d.f.role) {
		return nil
	}
	*into = roleOf(d.f.role)
	if isTextRole(*into) {
		return nil
	}
	*into = RoleAssistant
	return d.odd(&fault{path: "role", got: d.f.role, want: oneOf("developer", "system", "assistant", "user")})
}

func (d *decoder) toolCallResult() (Event, *fault) {
	e, f := &ToolCallResult{}, &d.f
	flt := firstFault(d.base(&e.Base, true), str(f.messageID, "messageId", &e.MessageID),
		str(f.toolCallID, "toolCallId", &e.ToolCallID))
	if flt != nil {
		return e, flt
	}
	if !absent(f.role) && (rawjson.KindOf(f.role) != rawjson.Str || !rawjson.String(f.role).Is("tool")) {
		flt = d.odd(&fault{path: "role", got: f.role, want: `"tool"`})
	}
	if rawjson.KindOf(f.content) == rawjson.Object && !d.strict {
		d.oddIn(&fault{path: "content", got: f.content, want: "a string or an array of parts"})
		e.Content = string(rawjson.Quote(f.content))
		return e, flt
	}
	d.r.inResult = true
	content, contentFault := d.r.content(f.content)
	d.r.inResult = false
	e.Content = content
	return e, firstFault(flt, contentFault)
}

// subagentOutcome reads SUBAGENT_FINISHED's outcome.
func (d *decoder) subagentOutcome(v JSON) (out JSON, f *fault) {
	if absent(v) {
		return "", nil
	}
	if rawjson.KindOf(v) != rawjson.Object {
		return v, d.odd(&fault{path: "outcome", got: v, want: "an object"})
	}
	typ, _ := rawjson.Get(v, "type")
	switch {
	case rawjson.KindOf(typ) == rawjson.Str && rawjson.String(typ).Is("success"):
	case rawjson.KindOf(typ) == rawjson.Str && rawjson.String(typ).Is("suspended"):
		ids, _ := rawjson.Get(v, "interruptIds")
		if _, f = stringList(ids, "interruptIds"); f != nil {
			return v, f.under("outcome")
		}
		return dropNulls(v, "interruptIds"), nil
	default:
		d.oddIn(&fault{path: "outcome.type", got: typ, want: oneOf("success", "suspended")})
	}
	return v, nil
}

// runEvent reads RUN_STARTED, RUN_FINISHED and RUN_ERROR. Their ids, usage and the like may be odd (section 8): the
// outcome matters more.
func (d *decoder) runEvent() (Event, *fault) {
	f := &d.f
	switch d.typ {
	case TypeRunStarted:
		e := &RunStarted{}
		flt := firstFault(d.base(&e.Base, false), d.odd(str(f.threadID, "threadId", &e.ThreadID)),
			d.odd(str(f.runID, "runId", &e.RunID)),
			d.odd(optionalText(f.parentRunID, "parentRunId", &e.ParentRunID)))
		if !absent(f.protocolVersion) {
			e.ProtocolVersion = Text(f.protocolVersion)
			if rawjson.KindOf(f.protocolVersion) != rawjson.Str { // none that can be read: see Pipeline.newer
				e.ProtocolVersion = rawjson.Quote(f.protocolVersion)
			}
		}
		if flt == nil && !absent(f.input) {
			e.Input = f.input
			e.InputMessages, flt = d.echo(f.input)
		}
		return e, flt
	case TypeRunFinished:
		e := &RunFinished{Result: present(f.result)}
		flt := firstFault(d.base(&e.Base, false), d.odd(str(f.threadID, "threadId", &e.ThreadID)),
			d.odd(str(f.runID, "runId", &e.RunID)))
		if flt == nil {
			e.Usage, flt = d.usage()
		}
		switch {
		case flt != nil || absent(f.outcome):
		case rawjson.KindOf(f.outcome) != rawjson.Object:
			e.Outcome.Raw = f.outcome
			flt = d.odd(&fault{path: "outcome", got: f.outcome, want: "an object"})
		default:
			var unknown *fault
			e.Outcome, unknown, flt = d.r.outcome(f.outcome)
			flt = flt.under("outcome")
			if unknown != nil {
				d.oddIn(unknown.under("outcome"))
			}
		}
		return e, flt
	default:
		e := &RunError{}
		flt := firstFault(d.base(&e.Base, false), text(f.message, "message", &e.Message))
		if flt == nil && !absent(f.code) {
			e.Code = f.code
			flt = requireString(f.code, "code")
			if rawjson.KindOf(f.code) == rawjson.Number {
				flt = d.odd(flt)
			}
		}
		if flt == nil {
			e.Usage, flt = d.usage()
		}
		return e, flt
	}
}

// usage reads the usage of a run event; in lenient mode a malformed one is kept as it came.
func (d *decoder) usage() (JSON, *fault) {
	out, f := usage(d.f.usage)
	return out, d.odd(f)
}

// messagesSnapshot reads the messages one by one. A message with an unknown role is skipped with a warning; in lenient
// mode every malformed one is (sections 6 and 8).
func (d *decoder) messagesSnapshot() (Event, *fault) {
	e := &MessagesSnapshot{}
	f := d.base(&e.Base, false)
	if f == nil && rawjson.KindOf(d.f.messages) != rawjson.Array {
		f = &fault{path: "messages", got: d.f.messages, want: "an array"}
	}
	if f != nil {
		return e, f
	}
	for i, v := range rawjson.Elements(d.f.messages) {
		role, _ := rawjson.Get(v, "role")
		switch roleOf(role) {
		case RoleActivity:
			e.HasActivity = true
		case RoleReasoning:
			e.HasReasoning = true
		}
		d.r.in, d.r.at = "messages", i
		m, f := d.r.message(v)
		if f != nil {
			f.at(i).under("messages")
			if d.strict && !f.unknownRole {
				return e, f
			}
			d.warning(WarnBadEvent, "a message was skipped: "+string(d.typ)+"."+f.text())
			continue
		}
		m.At = i
		e.Messages = append(e.Messages, m)
	}
	return e, nil
}

// echo reads RUN_STARTED.input. In lenient mode what is malformed in it is odd, and its malformed messages are skipped.
func (d *decoder) echo(v JSON) (messages []Message, f *fault) {
	if rawjson.KindOf(v) != rawjson.Object {
		return nil, d.odd(&fault{path: "input", got: v, want: "an object"})
	}
	list, _ := rawjson.Get(v, "messages")
	f = checkEcho(v)
	if f == nil && rawjson.KindOf(list) != rawjson.Array {
		f = &fault{path: "messages", got: list, want: "an array"}
	}
	if f = d.odd(f.under("input")); f != nil {
		return nil, f
	}
	for i, el := range rawjson.Elements(list) {
		d.r.in, d.r.at = "input.messages", i
		m, f := d.r.message(el)
		if f != nil {
			f.at(i).under("input.messages")
			if !f.unknownRole {
				f = d.odd(f)
			} else {
				d.oddIn(f)
				f = nil
			}
			if f != nil {
				return nil, f
			}
			continue
		}
		m.At = i
		messages = append(messages, m)
	}
	return messages, nil
}
