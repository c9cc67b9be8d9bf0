package agui

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// Chunks are a shorthand (section 5). Each lane, the subagent that a chunk is attributed to, assembles at most one
// stream; the lanes stand in the order in which their streams opened.

// streamKind is the kind of a chunk's stream.
type streamKind uint8

const (
	textStream streamKind = iota
	toolStream
	reasoningStream
)

func (k streamKind) String() string {
	return [...]string{"text message", "tool call", "reasoning message"}[k]
}

// lane is one open stream.
type lane struct {
	tag    *string // the subagent; nil is the parent agent
	kind   streamKind
	id     string
	role   Role    // a text's
	name   Text    // a text's name, a tool call's toolCallName
	parent *string // a tool call's parentMessageId
	used   int
}

// chunk is one *_CHUNK event of any kind.
type chunk struct {
	*Base
	kind   streamKind
	id     *string
	role   Role
	name   Text
	parent *string
	delta  Text
}

// expand makes whole events of an event, closes the lanes that it closes, and verifies what comes of it.
func (p *Pipeline) expand(ev Event) *Error {
	switch e := ev.(type) {
	case *TextMessageChunk:
		return p.chunk(chunk{&e.Base, textStream, e.MessageID, e.Role, e.Name, nil, e.Delta})
	case *ToolCallChunk:
		return p.chunk(chunk{&e.Base, toolStream, e.ToolCallID, "", e.ToolCallName, e.ParentMessageID, e.Delta})
	case *ReasoningMessageChunk:
		return p.chunk(chunk{&e.Base, reasoningStream, e.MessageID, "", "", nil, e.Delta})
	}
	if len(p.lanes) > 0 {
		if err := p.closeLanesFor(ev); err != nil {
			return err
		}
	}
	return p.verify(ev)
}

// closeLanesFor closes what a whole event closes: its own lane, every lane, one subagent's lane, or none.
func (p *Pipeline) closeLanesFor(ev Event) *Error {
	switch e := ev.(type) {
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		for len(p.lanes) > 0 {
			if err := p.closeLane(0); err != nil {
				return err
			}
		}
		return nil
	case *SubagentFinished:
		return p.closeLane(p.laneOf(&e.ID))
	case *SubagentError:
		return p.closeLane(p.laneOf(&e.ID))
	case *Raw, *ActivitySnapshot, *ActivityDelta, *ReasoningEncryptedValue, *SubagentStarted:
		return nil
	}
	return p.closeLane(p.laneOf(ev.Common().SubagentRunID))
}

// laneOf gives the index of the lane's open stream, or -1.
func (p *Pipeline) laneOf(tag *string) int {
	for i := range p.lanes {
		if same(p.lanes[i].tag, tag) {
			return i
		}
	}
	return -1
}

// closeLane ends the stream at that index; -1 does nothing.
func (p *Pipeline) closeLane(i int) *Error {
	if i < 0 {
		return nil
	}
	l := p.lanes[i]
	p.lanes = append(p.lanes[:i], p.lanes[i+1:]...)
	switch l.kind {
	case textStream:
		return p.verify(madeTextEnd(l.id, l.tag))
	case toolStream:
		return p.verify(madeToolEnd(l.id, l.tag))
	default:
		return p.verify(madeReasoningMessageEnd(l.id, l.tag))
	}
}

// chunk opens or continues a stream.
func (p *Pipeline) chunk(c chunk) *Error {
	p.turn++
	tag, err := p.resolve(&c)
	if err != nil {
		return err
	}
	at := p.laneOf(tag)
	continues := at >= 0 && p.lanes[at].kind == c.kind && (c.id == nil || *c.id == p.lanes[at].id)
	if continues {
		if err := p.agrees(&c, &p.lanes[at]); err != nil {
			return err
		}
	} else {
		opened, err := p.open(&c, tag, at)
		if err != nil || !opened {
			return err
		}
		at = len(p.lanes) - 1
	}
	l := &p.lanes[at]
	l.used = p.turn
	rest := p.unknownMembers(c.kind)
	owner := l.tag
	if c.SubagentRunID != nil && !(continues && !same(c.SubagentRunID, l.tag)) {
		owner = c.SubagentRunID
	}
	hasContent := c.delta != "" || c.RawEvent != "" || continues && c.Metadata != ""
	if !continues {
		restOfStart := rest
		if hasContent {
			restOfStart = nil
		}
		if err := p.verify(p.startOf(&c, l, restOfStart)); err != nil {
			return err
		}
	}
	if !hasContent {
		return nil
	}
	return p.content(&c, l.id, owner, rest)
}

// content makes the CONTENT or ARGS of a chunk.
func (p *Pipeline) content(c *chunk, id string, owner *string, rest []rawjson.Member) *Error {
	b := Base{SubagentRunID: owner, Metadata: c.Metadata, RawEvent: c.RawEvent}
	delta := c.delta
	if delta == "" {
		delta = `""`
	}
	switch c.kind {
	case textStream:
		return p.verify(madeTextContent(id, delta, b, rest))
	case toolStream:
		return p.verify(madeToolArgs(id, delta, b, rest))
	default:
		return p.verify(madeReasoningContent(id, delta, b, rest))
	}
}

// startOf makes the START of a chunk that opens a stream.
func (p *Pipeline) startOf(c *chunk, l *lane, rest []rawjson.Member) Event {
	b := Base{SubagentRunID: l.tag, Metadata: c.Metadata}
	switch c.kind {
	case textStream:
		e := madeTextStart(l.id, l.role, l.name, b, rest)
		known := p.run.text.get(l.id)
		e.Continues = known != nil && known.brought
		return e
	case toolStream:
		e := madeToolStart(l.id, l.name, l.parent, b, rest)
		if known := p.run.calls.get(l.id); known != nil {
			e.Continues = known.started
		}
		return e
	default:
		for i, m := range rest {
			if m.Key.Is("role") { // the START has its own
				rest = append(append([]rawjson.Member{}, rest[:i]...), rest[i+1:]...)
				break
			}
		}
		e := madeReasoningStart(l.id, b, rest)
		known := p.run.reasoning.get(l.id)
		e.Continues = known != nil && known.brought
		return e
	}
}

// resolve decides which lane a chunk belongs to.
func (p *Pipeline) resolve(c *chunk) (tag *string, err *Error) {
	if c.id != nil {
		for i := range p.lanes {
			l := &p.lanes[i]
			if l.kind != c.kind || l.id != *c.id {
				continue
			}
			if c.SubagentRunID != nil && !same(c.SubagentRunID, l.tag) {
				err = p.broken(chunkAgrees, string(p.d.typ)+" continues the "+c.kind.String()+" "+quoted(l.id)+" of "+
					ownerName(l.tag)+" as "+ownerName(c.SubagentRunID))
			}
			return l.tag, err
		}
		return c.SubagentRunID, nil
	}
	if c.SubagentRunID != nil {
		return c.SubagentRunID, nil
	}
	if i := p.laneOf(nil); i >= 0 && p.lanes[i].kind == c.kind {
		return nil, nil
	}
	var last *lane
	candidates := 0
	for i := range p.lanes {
		if l := &p.lanes[i]; l.kind == c.kind {
			candidates++
			if last == nil || l.used > last.used {
				last = l
			}
		}
	}
	if last == nil {
		return nil, nil
	}
	if candidates > 1 {
		err = p.broken(chunkClear, string(p.d.typ)+
			" has neither an id nor a subagentRunId while more than one subagent has an open "+c.kind.String())
	}
	return last.tag, err
}

// agrees asks whether a continuing chunk repeats nothing otherwise than its opener had it.
func (p *Pipeline) agrees(c *chunk, l *lane) *Error {
	field := ""
	switch {
	case c.role != "" && c.role != l.role:
		field = "role"
	case c.name != "" && (l.name == "" || c.name != l.name && c.name.Decode() != l.name.Decode()):
		field = "name"
		if c.kind == toolStream {
			field = "toolCallName"
		}
	case c.parent != nil && !same(c.parent, l.parent):
		field = "parentMessageId"
	default:
		return nil
	}
	return p.broken(chunkAgrees, string(p.d.typ)+" changes the "+field+" of the "+c.kind.String()+" "+quoted(l.id))
}

// open opens a stream in the lane, whose stream so far stands at that index (-1: none). It reports whether there is one
// now.
func (p *Pipeline) open(c *chunk, tag *string, at int) (opened bool, err *Error) {
	if c.kind == toolStream && c.name == "" {
		if err := p.broken(chunkName, "TOOL_CALL_CHUNK begins a tool call without a toolCallName"); err != nil {
			return false, err
		}
		return false, p.appendNameless(c)
	}
	if c.id == nil {
		if err := p.broken(chunkID, string(p.d.typ)+" begins a "+c.kind.String()+" without an id"); err != nil {
			return false, err
		}
		id := p.o.NewID()
		c.id = &id
	}
	if err := p.closeLane(at); err != nil {
		return false, err
	}
	l := lane{tag: tag, kind: c.kind, id: strings.Clone(*c.id), role: c.role, name: Text(strings.Clone(string(c.name))),
		parent: c.parent}
	if c.kind == textStream && l.role == "" {
		l.role = RoleAssistant
	}
	p.lanes = append(p.lanes, l)
	return true, nil
}

// appendNameless appends a tool chunk without a name to its known call, as a whole TOOL_CALL_ARGS, or drops it. The
// stream that its lane has open goes on.
func (p *Pipeline) appendNameless(c *chunk) *Error {
	if c.id == nil || !p.knownCall(*c.id) || c.delta == "" && c.RawEvent == "" && c.Metadata == "" {
		return nil
	}
	b := Base{SubagentRunID: c.SubagentRunID, Metadata: c.Metadata, RawEvent: c.RawEvent}
	delta := c.delta
	if delta == "" {
		delta = `""`
	}
	e := madeToolArgs(*c.id, delta, b, p.unknownMembers(toolStream))
	if known := p.run.calls.get(*c.id); known != nil && known.open {
		return p.verify(e)
	}
	p.emit(e) // the breach was told already
	return nil
}

// unknownMembers gives the members of the chunk at hand that the protocol does not know; they go with its content.
func (p *Pipeline) unknownMembers(kind streamKind) (rest []rawjson.Member) {
	for _, m := range p.d.ix.Members {
		switch m.Key.Decode() {
		case "type", "timestamp", "rawEvent", "metadata", "subagentRunId", "delta":
			continue
		case "messageId":
			if kind != toolStream {
				continue
			}
		case "role", "name":
			if kind == textStream {
				continue
			}
		case "toolCallId", "toolCallName", "parentMessageId":
			if kind == toolStream {
				continue
			}
		}
		rest = append(rest, m)
	}
	return rest
}
