package agui

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// Role decides a message's kind.
type Role string

// The roles.
const (
	RoleDeveloper Role = "developer"
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleReasoning Role = "reasoning"
	RoleActivity  Role = "activity"
)

// roleOf gives the role that a JSON value names, or "".
func roleOf(v JSON) Role {
	if rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	// Not the decoded string itself: it is a part of the text it came in, and would keep all of that as long as a
	// message lives.
	name := Role(rawjson.String(v).Decode())
	for _, r := range roles {
		if r == name {
			return r
		}
	}
	return ""
}

var roles = [...]Role{RoleDeveloper, RoleSystem, RoleUser, RoleAssistant, RoleTool, RoleReasoning, RoleActivity}

// isTextRole reports whether a streamed text message may have the role.
func isTextRole(r Role) bool {
	return r == RoleAssistant || r == RoleUser || r == RoleSystem || r == RoleDeveloper
}

// Message is one checked message: the fields that decide things, over the raw text that keeps the rest.
type Message struct {
	ID   string
	Role Role
	// SubagentRunID names the owner; nil is the parent agent.
	SubagentRunID *string
	// ToolCallID is a tool message's call.
	ToolCallID string
	// ToolCalls are an assistant message's calls, in order.
	ToolCalls []ToolCall
	// Raw is the message's JSON object with nulls of optional fields left out and retired parts turned into 1.0 ones.
	Raw JSON
	// AsCame says that Raw is the text that came, unchanged: who hands a message on beside its event need not copy it.
	AsCame bool
	// At is the message's index in the array that it came in.
	At int
}

// ToolCall is one tool call of an assistant message.
type ToolCall struct {
	ID        string
	Name      Text
	Arguments Text
	Raw       JSON
}

// reader reads what may stand inside events and inputs: messages, parts, tools and the like (section 3).
type reader struct {
	strict bool
	// odd takes a field that is kept or left out although it is malformed; nil where nothing may be.
	odd func(*fault)
	// bad takes what is left out because it cannot be used (bad_event); nil where nothing may be.
	bad func(*fault)
	// legacy is called for each retired part.
	legacy func()
	// newID makes a message's id where it has none; nil: it must have one.
	newID func() string
	// inResult says that the parts stand in a TOOL_CALL_RESULT.
	inResult bool
	// in and at name the array and the index of what is read, for odd.
	in string
	at int

	ix rawjson.Index
}

// nullOwner judges a subagentRunId that is null: it never should be (section 6), and counts as absent in lenient mode
// (section 8).
func (r *reader) nullOwner() *fault {
	f := &fault{path: "subagentRunId", got: "null", want: "a string or absent"}
	if r.strict {
		return f
	}
	if r.odd != nil {
		r.odd(f.at(r.at).under(r.in))
	}
	return nil
}

// message reads one message. A fault's path begins inside the message.
func (r *reader) message(value JSON) (m Message, f *fault) {
	if rawjson.KindOf(value) != rawjson.Object {
		return m, &fault{got: value, want: "a message object"}
	}
	var id, role, content, name, encrypted, metadata, calls, callID, errorText, activityType, owner JSON
	nulls := false
	r.ix.Read(value)
	for _, e := range r.ix.Members {
		switch e.Key.Decode() {
		case "id":
			id = e.Value
		case "role":
			role = e.Value
		case "content":
			content = e.Value
		case "name":
			name = e.Value
		case "encryptedValue":
			encrypted = e.Value
		case "metadata":
			metadata = e.Value
		case "toolCalls":
			calls = e.Value
		case "toolCallId":
			callID = e.Value
		case "error":
			errorText = e.Value
		case "activityType":
			activityType = e.Value
		case "subagentRunId":
			owner = e.Value
		}
		nulls = nulls || e.Value == "null"
	}
	m.Role = roleOf(role)
	if m.Role == "" {
		return m, &fault{path: "role", got: role, unknownRole: true,
			want: oneOf("developer", "system", "user", "assistant", "tool", "reasoning", "activity")}
	}
	makeID := r.newID != nil && absent(id)
	if !makeID {
		f = requireString(id, "id")
	}
	f = firstFault(f, optionalObject(metadata, "metadata"))
	switch {
	case f != nil:
	case owner == "null":
		f = r.nullOwner()
	case owner != "":
		f = requireString(owner, "subagentRunId")
	}
	if m.Role != RoleActivity {
		f = firstFault(f, optionalString(encrypted, "encryptedValue"))
	}
	if f != nil {
		return m, f
	}

	newContent, newCalls := content, calls
	switch m.Role {
	case RoleDeveloper, RoleSystem:
		f = firstFault(requireString(content, "content"), optionalString(name, "name"))
	case RoleUser:
		newContent, f = r.content(content)
		f = firstFault(f, optionalString(name, "name"))
	case RoleAssistant:
		f = firstFault(optionalString(content, "content"), optionalString(name, "name"))
		if f == nil {
			m.ToolCalls, newCalls, f = r.toolCalls(calls)
		}
	case RoleTool:
		newContent, f = r.content(content)
		f = firstFault(f, requireString(callID, "toolCallId"), optionalString(errorText, "error"))
	case RoleReasoning:
		f = requireString(content, "content")
	case RoleActivity:
		f = requireString(activityType, "activityType")
		if f == nil && rawjson.KindOf(content) != rawjson.Object {
			f = &fault{path: "content", got: content, want: "an object"}
		}
	}
	if f != nil {
		return m, f
	}

	m.Raw, m.AsCame = value, true
	if nulls || newContent != content || newCalls != calls {
		m.Raw = rawjson.Edit(value, func(k rawjson.String, v string) (string, bool) {
			key := k.Decode()
			switch {
			case v == "null" && optionalInMessage(m.Role, key):
				return "", false
			case key == "content":
				return newContent, true
			case key == "toolCalls":
				return newCalls, true
			}
			return v, true
		})
		m.AsCame = m.Raw == value
	}
	if makeID {
		m.ID = r.newID()
		m.Raw, m.AsCame = withID(m.Raw, m.ID), false
	} else {
		m.ID = rawjson.String(id).Decode()
	}
	if rawjson.KindOf(owner) == rawjson.Str {
		s := rawjson.String(owner).Decode()
		m.SubagentRunID = &s
	}
	if m.Role == RoleTool {
		m.ToolCallID = rawjson.String(callID).Decode()
	}
	return m, nil
}

// optionalInMessage reports whether a message of the role may lack the field, so that null there means absent.
// A property that the protocol does not know is kept as it is.
func optionalInMessage(role Role, key string) bool {
	switch key {
	case "subagentRunId", "metadata", "id": // an id that is null was made anew
		return true
	case "encryptedValue":
		return role != RoleActivity
	case "name":
		return isTextRole(role)
	case "content", "toolCalls":
		return role == RoleAssistant
	case "error":
		return role == RoleTool
	}
	return false
}

// withID puts an id first into a message that has none.
func withID(obj JSON, id string) JSON {
	b := make([]byte, 0, len(obj)+len(id)+8)
	b = append(b, `{"id":`...)
	b = rawjson.AppendQuote(b, id)
	b = append(b, ',') // a message has a role
	return string(append(b, obj[1:]...))
}

// toolCalls reads an assistant message's calls and gives the array with nulls left out.
func (r *reader) toolCalls(value JSON) (calls []ToolCall, out JSON, f *fault) {
	if absent(value) {
		return nil, value, nil
	}
	if rawjson.KindOf(value) != rawjson.Array {
		return nil, "", &fault{path: "toolCalls", got: value, want: "an array"}
	}
	list := newArrayEdit(value)
	for i, v := range rawjson.Elements(value) {
		call, f := toolCall(v)
		if f != nil {
			return nil, "", f.at(i).under("toolCalls")
		}
		calls = append(calls, call)
		list.add(v, call.Raw)
	}
	return calls, list.done(), nil
}

func toolCall(value JSON) (c ToolCall, f *fault) {
	if rawjson.KindOf(value) != rawjson.Object {
		return c, &fault{got: value, want: "a tool call object"}
	}
	var id, typ, fn, encrypted, metadata JSON
	for k, v := range rawjson.Members(value) {
		switch k.Decode() {
		case "id":
			id = v
		case "type":
			typ = v
		case "function":
			fn = v
		case "encryptedValue":
			encrypted = v
		case "metadata":
			metadata = v
		}
	}
	f = requireString(id, "id")
	if f == nil && (rawjson.KindOf(typ) != rawjson.Str || !rawjson.String(typ).Is("function")) {
		f = &fault{path: "type", got: typ, want: `"function"`}
	}
	if f == nil && rawjson.KindOf(fn) != rawjson.Object {
		f = &fault{path: "function", got: fn, want: "an object"}
	}
	if f != nil {
		return c, f
	}
	name, _ := rawjson.Get(fn, "name")
	arguments, _ := rawjson.Get(fn, "arguments")
	f = firstFault(
		requireString(name, "function.name"),
		requireString(arguments, "function.arguments"),
		optionalString(encrypted, "encryptedValue"),
		optionalObject(metadata, "metadata"))
	if f != nil {
		return c, f
	}
	c = ToolCall{ID: rawjson.String(id).Decode(), Name: Text(name), Arguments: Text(arguments), Raw: value}
	if encrypted == "null" || metadata == "null" {
		c.Raw = dropNulls(value, "encryptedValue", "metadata")
	}
	return c, nil
}

// dropNulls leaves out the named members where they are null.
func dropNulls(obj JSON, names ...string) JSON {
	return rawjson.Edit(obj, func(k rawjson.String, v string) (string, bool) {
		if v == "null" {
			key := k.Decode()
			for _, n := range names {
				if n == key {
					return "", false
				}
			}
		}
		return v, true
	})
}

// arrayEdit rebuilds an array whose elements may change; where none does, the array itself comes back.
type arrayEdit struct {
	value   JSON
	out     []byte
	changed bool
}

func newArrayEdit(value JSON) *arrayEdit { return &arrayEdit{value: value} }

// add takes an element as it came and as it shall be.
func (a *arrayEdit) add(came, now JSON) {
	if came != now {
		a.changed = true
	}
	if len(a.out) > 0 {
		a.out = append(a.out, ',')
	}
	a.out = append(a.out, now...)
}

// drop leaves an element out.
func (a *arrayEdit) drop() { a.changed = true }

func (a *arrayEdit) done() JSON {
	if !a.changed {
		return a.value
	}
	return "[" + string(a.out) + "]"
}

// ParseMessages checks an array of messages as [ParseInput] does; path is what the message of an error calls the array.
func ParseMessages(text, path string, o InputOptions) ([]Message, error) {
	if err := rawjson.Check(text, rawjson.MaxDepth); err != nil {
		return nil, badInput(path + " must be JSON: " + err.Error())
	}
	text = rawjson.Compact(text)
	if rawjson.KindOf(text) != rawjson.Array {
		return nil, badInput((&fault{path: path, got: text, want: "an array"}).text())
	}
	r := o.reader()
	var messages []Message
	for i, v := range rawjson.Elements(text) {
		m, f := r.message(v)
		if f != nil {
			return nil, badInput(f.under(path + "[" + strconv.Itoa(i) + "]").text())
		}
		m.At = i
		messages = append(messages, m)
	}
	return messages, nil
}
