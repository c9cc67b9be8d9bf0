package agui

import "aguiwasm/agui/rawjson"

// The retired THINKING_* events name no ids (section 4). Each becomes its REASONING_* twin under an id made here:
// one for the span, one for the message inside it.

// twinOf gives the type of the twin of a retired type, or "".
func twinOf(t string) Type {
	switch t {
	case "THINKING_START":
		return TypeReasoningStart
	case "THINKING_TEXT_MESSAGE_START":
		return TypeReasoningMessageStart
	case "THINKING_TEXT_MESSAGE_CONTENT":
		return TypeReasoningMessageContent
	case "THINKING_TEXT_MESSAGE_END":
		return TypeReasoningMessageEnd
	case "THINKING_END":
		return TypeReasoningEnd
	}
	return ""
}

// thinking holds the ids of the retired events' span and message; "" is none.
type thinking struct{ span, message string }

// twin completes the twin of a retired event: its id and its JSON. Content without a start makes a
// REASONING_MESSAGE_START first. An end without a start gets an id that nothing opened, so that the rules judge it.
func (p *Pipeline) twin(ev Event) *Error {
	if !p.noted.thinking {
		p.noted.thinking = true
		p.warn(Warning{Code: WarnLegacyShape, Message: "the retired event " + string(p.d.retired) + " was taken as " +
			string(p.d.typ) + ", under an id made here", Event: p.raw})
	}
	switch e := ev.(type) {
	case *ReasoningStart:
		p.think.span = p.o.NewID()
		e.MessageID = p.think.span
		p.twinJSON(&e.Base, e.MessageID)
	case *ReasoningMessageStart:
		p.think.message = p.o.NewID()
		e.MessageID = p.think.message
		p.twinJSON(&e.Base, e.MessageID)
	case *ReasoningMessageContent:
		if known := p.run.reasoning.get(p.think.message); p.think.message == "" || known == nil || !known.open {
			p.think.message = p.o.NewID()
			if err := p.expand(madeReasoningStart(p.think.message, Base{SubagentRunID: e.SubagentRunID},
				nil)); err != nil {
				return err
			}
		}
		e.MessageID = p.think.message
		p.twinJSON(&e.Base, e.MessageID)
	case *ReasoningMessageEnd:
		e.MessageID, p.think.message = p.or(p.think.message), ""
		p.twinJSON(&e.Base, e.MessageID)
	case *ReasoningEnd:
		e.MessageID, p.think.span = p.or(p.think.span), ""
		p.twinJSON(&e.Base, e.MessageID)
	}
	return nil
}

func (p *Pipeline) or(id string) string {
	if id == "" {
		return p.o.NewID()
	}
	return id
}

// twinJSON writes the twin's JSON: the type, the id, the role where it has one, and then what the retired event
// carried.
func (p *Pipeline) twinJSON(b *Base, id string) {
	members := make([]rawjson.Member, 0, len(p.d.ix.Members)+2)
	members = append(members, rawjson.Member{Key: `"type"`, Value: `"` + string(b.Type) + `"`},
		rawjson.Member{Key: `"messageId"`, Value: string(rawjson.Quote(id))})
	start := b.Type == TypeReasoningMessageStart
	if start {
		members = append(members, rawjson.Member{Key: `"role"`, Value: `"reasoning"`})
	}
	for _, m := range p.d.ix.Members {
		if m.Key.Is("type") || m.Key.Is("messageId") || start && m.Key.Is("role") {
			continue
		}
		members = append(members, m)
	}
	b.Raw = string(rawjson.AppendObject(nil, members))
}
