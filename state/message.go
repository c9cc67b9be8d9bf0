package state

import (
	"slices"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// kind is what an id of the wire is looked up under: one id may name a message of each kind (section 7).
type kind uint8

const (
	textKind kind = iota
	reasoningKind
	activityKind
	toolKind
	// callKind holds the assistant messages made for a tool call under whose id a message of another role stands.
	callKind
	// resultKind holds tool messages by message id and call id.
	resultKind
)

var kindNames = [...]string{"text", "reasoning", "activity", "tool", "call", "tool"}

func (k kind) String() string { return kindNames[k] }

func kindOf(role agui.Role) kind {
	switch role {
	case agui.RoleReasoning:
		return reasoningKind
	case agui.RoleActivity:
		return activityKind
	case agui.RoleTool:
		return toolKind
	}
	return textKind
}

func kindNamed(name string) kind {
	switch name {
	case "reasoning":
		return reasoningKind
	case "activity":
		return activityKind
	case "tool":
		return toolKind
	}
	return textKind
}

// message is one message. While nothing changed it, its text is kept as it came; then it is opened into fields.
// A message that a snapshot holds too (another owner) is copied before it changes.
type message struct {
	owner *owner
	// id is the page's, unique in the conversation; wire is the agent's. They differ where one id names two messages.
	id, wire string
	kind     kind
	role     agui.Role
	sub      *string
	callID   string // of a tool message: the page's id of its call
	callWire string // the agent's, where it differs
	version  uint64

	raw     string  // the whole text while fields is nil
	fields  []field // in order
	text    Text    // the content where hasText
	hasText bool
	calls   []*call
	content *Document // an activity's content, once opened
	meta    *Document
}

// field is a member of an opened message or call. The parts with a home of their own have no text here.
type field struct {
	name rawjson.String
	raw  string
	part part
}

type part uint8

const (
	rawPart part = iota
	idPart
	textPart
	callsPart
	contentPart
	metaPart
	functionPart
)

// newMessage adopts a checked message. whole is the length of the text that it is a part of.
func newMessage(o *owner, in *agui.Message, whole int) *message {
	m := &message{
		owner: o, id: strings.Clone(in.ID), kind: kindOf(in.Role), role: in.Role,
		callID: strings.Clone(in.ToolCallID), raw: adopt(in.Raw, whole),
	}
	m.wire = m.id
	if in.SubagentRunID != nil {
		sub := strings.Clone(*in.SubagentRunID)
		m.sub = &sub
	}
	for i := range in.ToolCalls {
		c := &in.ToolCalls[i]
		m.calls = append(m.calls, &call{owner: o, id: strings.Clone(c.ID),
			name: rawjson.String(strings.Clone(string(c.Name)))})
	}
	if len(m.calls) > 0 {
		m.placeCalls()
	}
	return m
}

// placeCalls gives each call its text inside the message's. It is done once, while nobody else has the message: what is
// read of it later, by several goroutines perhaps, changes nothing.
func (m *message) placeCalls() {
	list, _ := rawjson.Get(m.raw, "toolCalls")
	n := 0
	for _, raw := range rawjson.Elements(list) {
		if n == len(m.calls) {
			break
		}
		m.calls[n].raw = raw
		n++
	}
	m.calls = m.calls[:n]
}

// madeMessage begins a message that the runtime makes.
func madeMessage(o *owner, id, wire string, k kind, role agui.Role) *message {
	return &message{
		owner: o, id: id, wire: strings.Clone(wire), kind: k, role: role,
		fields: []field{{`"id"`, "", idPart}, {`"role"`, `"` + string(role) + `"`, rawPart}},
	}
}

func (m *message) add(name rawjson.String, raw string) {
	m.fields = append(m.fields, field{name, raw, rawPart})
}

func (m *message) setOwner(sub *string) {
	if sub == nil {
		return
	}
	s := strings.Clone(*sub)
	m.sub = &s
	m.add(`"subagentRunId"`, string(rawjson.Quote(s)))
}

// open splits the message's text into fields.
func (m *message) open() {
	if m.fields != nil {
		return
	}
	m.fields = make([]field, 0, 8)
	for key, raw := range rawjson.Members(m.raw) {
		name := key.Decode()
		f := field{key, raw, rawPart}
		switch name {
		case "id":
			f = field{`"id"`, "", idPart}
		case "content":
			f.name = `"content"`
			if m.kind == activityKind {
				f.part = contentPart
			} else if rawjson.KindOf(raw) == rawjson.Str {
				f.part = textPart
			}
		case "toolCalls":
			// Elsewhere it is an unknown property, which stays as it came.
			if m.role == agui.RoleAssistant && rawjson.KindOf(raw) == rawjson.Array {
				f = field{`"toolCalls"`, raw, callsPart}
			}
		case "metadata":
			f = field{`"metadata"`, raw, metaPart}
		default:
			f.name = canonical(key)
		}
		if i := fieldAt(m.fields, f.name); i >= 0 {
			m.fields[i] = f
		} else {
			m.fields = append(m.fields, f)
		}
	}
	for i := range m.fields {
		f := &m.fields[i]
		switch f.part {
		case textPart:
			m.text.Append(rawjson.String(f.raw))
			m.hasText = true
		case contentPart:
			m.content = NewDocument(f.raw)
		case metaPart:
			m.meta = NewDocument(f.raw)
		case callsPart:
			// The calls have their texts; see placeCalls.
		default:
			continue
		}
		f.raw = ""
	}
	m.raw = ""
}

// canonical gives the one spelling of a key that is looked for. Other keys keep theirs.
func canonical(key rawjson.String) rawjson.String {
	if strings.IndexByte(string(key), '\\') < 0 {
		return key
	}
	switch name := key.Decode(); name {
	case "id", "role", "name", "encryptedValue", "subagentRunId", "toolCallId", "activityType", "error",
		"type", "function", "arguments", "metadata":
		return rawjson.Quote(name)
	}
	return key
}

func fieldAt(fields []field, name rawjson.String) int {
	for i := range fields {
		if fields[i].name == name {
			return i
		}
	}
	return -1
}

// clone copies a message for a new owner. Text blocks, calls and documents stay shared until they change.
func (m *message) clone(o *owner) *message {
	n := *m
	n.owner = o
	n.fields = slices.Clone(m.fields)
	n.calls = slices.Clone(m.calls)
	n.text = m.text.fork()
	n.content, n.meta = forkDocument(m.content), forkDocument(m.meta)
	return &n
}

// forkDocument gives a document that begins as d; both go on alone.
func forkDocument(d *Document) *Document {
	if d == nil {
		return nil
	}
	f := d.Snapshot().Document()
	f.plans = d.plans
	return f
}

// appendJSON appends the message's text, with the page's id or with the wire's.
func (m *message) appendJSON(dst []byte, wire bool) []byte {
	if m.fields == nil {
		return append(dst, m.raw...)
	}
	dst = append(dst, '{')
	for i := range m.fields {
		f := &m.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.name...)
		dst = append(dst, ':')
		switch f.part {
		case idPart:
			if wire {
				dst = rawjson.AppendQuote(dst, m.wire)
			} else {
				dst = rawjson.AppendQuote(dst, m.id)
			}
		case textPart:
			dst = m.text.AppendJSON(dst)
		case contentPart:
			dst = m.content.AppendJSON(dst)
		case metaPart:
			dst = m.meta.AppendJSON(dst)
		case callsPart:
			dst = append(dst, '[')
			for j, c := range m.calls {
				if j > 0 {
					dst = append(dst, ',')
				}
				dst = c.append(dst, wire)
			}
			dst = append(dst, ']')
		default:
			if wire && m.callWire != "" && f.name == `"toolCallId"` {
				dst = rawjson.AppendQuote(dst, m.callWire)
				continue
			}
			dst = append(dst, f.raw...)
		}
	}
	return append(dst, '}')
}

// wireText gives the message's text as the agent knows it.
func (m *message) wireText() string {
	if m.fields == nil {
		return m.raw
	}
	return string(m.appendJSON(nil, true))
}

// field gives a member's text, or "". The content and the metadata of an opened message are put together anew.
func (m *message) field(name string) string {
	if m.fields == nil {
		raw, _ := rawjson.Get(m.raw, name)
		return raw
	}
	i := fieldAt(m.fields, rawjson.Quote(name))
	if i < 0 {
		return ""
	}
	switch f := &m.fields[i]; f.part {
	case idPart:
		return string(rawjson.Quote(m.id))
	case textPart:
		return string(m.text.AppendJSON(nil))
	case contentPart:
		return m.content.String()
	case metaPart:
		return m.meta.String()
	case callsPart:
		dst := []byte{'['}
		for j, c := range m.calls {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = c.appendJSON(dst)
		}
		return string(append(dst, ']'))
	default:
		return f.raw
	}
}

// set sets a plain member and reports whether it changed.
func (m *message) set(name rawjson.String, raw string) bool {
	return setField(&m.fields, name, raw)
}

func setField(fields *[]field, name rawjson.String, raw string) bool {
	i := fieldAt(*fields, name)
	if i < 0 {
		*fields = append(*fields, field{name, raw, rawPart})
		return true
	}
	f := &(*fields)[i]
	if f.part == rawPart && f.raw == raw {
		return false
	}
	*f = field{name, raw, rawPart}
	return true
}
