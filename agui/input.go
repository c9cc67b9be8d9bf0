package agui

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// ProtocolVersion is the version of AG-UI that inputs name where they name none.
const ProtocolVersion = "1.0"

// Input is a checked RunAgentInput (section 2).
type Input struct {
	ThreadID, RunID string
	// ParentRunID is the run that this one goes on from; "" is none.
	ParentRunID     Text
	ProtocolVersion Text // "1.0" where absent
	State           JSON // "{}" where absent
	// Messages are the checked messages: nulls out, retired parts turned, ids made where absent.
	Messages []Message
	// Tools are those that the client offers.
	Tools          []Tool
	Context        JSON // Context[], "[]" where absent
	ForwardedProps JSON // "{}" where absent
	// Resume answers the open interrupts; nil where absent.
	Resume []ResumeEntry
	// Extra holds the members that the protocol does not know, in order.
	Extra []Member
}

// Member is a named value of an object.
type Member struct {
	Key   Text
	Value JSON
}

// Tool is a frontend tool.
type Tool struct {
	Name string
	Raw  JSON // nulls out
}

// ResumeEntry answers one interrupt.
type ResumeEntry struct {
	InterruptID string
	Status      string // "resolved" or "cancelled"
	Raw         JSON   // nulls out
}

// InputOptions configure [ParseInput].
type InputOptions struct {
	// NewID makes the ids that are absent; nil numbers them.
	NewID func() string
	// Warn takes legacy_shape warnings; nil drops them.
	Warn func(Warning)
}

// reader makes a reader for what a person gives: ids are made, nothing is odd.
func (o InputOptions) reader() *reader {
	newID := o.NewID
	if newID == nil {
		newID = numberIDs()
	}
	return &reader{newID: newID, odd: func(*fault) {}, legacy: func() {
		if o.Warn != nil {
			o.Warn(Warning{Code: WarnLegacyShape, Message: binaryNotice})
		}
	}}
}

// numberIDs makes ids by counting.
func numberIDs() func() string {
	n := 0
	return func() string {
		n++
		return "id-" + strconv.Itoa(n)
	}
}

func badInput(what string) *Error { return &Error{Code: CodeBadInput, Message: what} }

// ParseInput checks a (partial) RunAgentInput and fills in what is absent. The error is an [*Error] with code bad_input
// whose message names the field, such as messages[2].content. Null in an optional field is the same as absent; state
// may be null.
func ParseInput(text string, o InputOptions) (*Input, error) {
	if err := rawjson.Check(text, rawjson.MaxDepth); err != nil {
		return nil, badInput("the input must be JSON: " + err.Error())
	}
	text = rawjson.Compact(text)
	if rawjson.KindOf(text) != rawjson.Object {
		return nil, badInput("the input must be an object, but is " + rawjson.KindOf(text).String())
	}
	in, f := parseInput(text, o.reader())
	if f != nil {
		return nil, badInput(f.text())
	}
	return in, nil
}

func parseInput(text JSON, r *reader) (*Input, *fault) {
	in := &Input{State: "{}", Context: "[]", ForwardedProps: "{}", ProtocolVersion: `"` + ProtocolVersion + `"`}
	var threadID, runID *string
	var ix rawjson.Index
	ix.Read(text)
	for i, m := range ix.Members {
		key := m.Key.Decode()
		if !isLast(ix.Members, i, key) {
			continue
		}
		v := m.Value
		if v == "null" && key != "state" {
			if !knownInInput(key) {
				in.Extra = append(in.Extra, Member{m.Key, v})
			}
			continue
		}
		var f *fault
		switch key {
		case "threadId":
			f = strPointer(v, key, &threadID)
		case "runId":
			f = strPointer(v, key, &runID)
		case "parentRunId":
			f = optionalText(v, key, &in.ParentRunID)
		case "protocolVersion":
			f = optionalText(v, key, &in.ProtocolVersion)
		case "state":
			in.State = v
		case "forwardedProps":
			in.ForwardedProps = v
		case "messages":
			f = eachOf(v, key, func(i int, el JSON) *fault {
				msg, f := r.message(el)
				msg.At = i
				in.Messages = append(in.Messages, msg)
				return f
			})
		case "tools":
			f = eachOf(v, key, func(_ int, el JSON) *fault {
				tool, f := parseTool(el)
				in.Tools = append(in.Tools, tool)
				return f
			})
		case "context":
			in.Context = v
			f = eachOf(v, key, func(_ int, el JSON) *fault { return checkContext(el) })
		case "resume":
			in.Resume = []ResumeEntry{}
			f = eachOf(v, key, func(_ int, el JSON) *fault {
				entry, f := parseResume(el)
				in.Resume = append(in.Resume, entry)
				return f
			})
		default:
			in.Extra = append(in.Extra, Member{m.Key, v})
		}
		if f != nil {
			return nil, f
		}
	}
	in.ThreadID, in.RunID = orNew(threadID, r.newID), orNew(runID, r.newID)
	return in, nil
}

func orNew(s *string, newID func() string) string {
	if s != nil {
		return *s
	}
	return newID()
}

// isLast reports whether no later member has the same name.
func isLast(members []rawjson.Member, i int, key string) bool {
	for _, m := range members[i+1:] {
		if m.Key.Is(key) {
			return false
		}
	}
	return true
}

func knownInInput(key string) bool {
	switch key {
	case "threadId", "runId", "parentRunId", "protocolVersion", "state", "forwardedProps", "messages", "tools",
		"context", "resume":
		return true
	}
	return false
}

// eachOf asks f for each element of what must be an array.
func eachOf(v JSON, path string, f func(i int, el JSON) *fault) *fault {
	if rawjson.KindOf(v) != rawjson.Array {
		return &fault{path: path, got: v, want: "an array"}
	}
	for i, el := range rawjson.Elements(v) {
		if flt := f(i, el); flt != nil {
			return flt.at(i).under(path)
		}
	}
	return nil
}

func parseTool(v JSON) (t Tool, f *fault) {
	if rawjson.KindOf(v) != rawjson.Object {
		return t, &fault{got: v, want: "a tool object"}
	}
	name, _ := rawjson.Get(v, "name")
	description, _ := rawjson.Get(v, "description")
	metadata, _ := rawjson.Get(v, "metadata")
	f = firstFault(str(name, "name", &t.Name), requireString(description, "description"),
		optionalObject(metadata, "metadata"))
	t.Raw = dropNulls(v, "parameters", "metadata")
	return t, f
}

func checkContext(v JSON) *fault {
	if rawjson.KindOf(v) != rawjson.Object {
		return &fault{got: v, want: "a context object"}
	}
	description, _ := rawjson.Get(v, "description")
	value, _ := rawjson.Get(v, "value")
	return firstFault(requireString(description, "description"), requireString(value, "value"))
}

func parseResume(v JSON) (e ResumeEntry, f *fault) {
	if rawjson.KindOf(v) != rawjson.Object {
		return e, &fault{got: v, want: "a resume entry object"}
	}
	id, _ := rawjson.Get(v, "interruptId")
	status, _ := rawjson.Get(v, "status")
	metadata, _ := rawjson.Get(v, "metadata")
	f = firstFault(str(id, "interruptId", &e.InterruptID), str(status, "status", &e.Status),
		optionalObject(metadata, "metadata"))
	if f == nil && e.Status != "resolved" && e.Status != "cancelled" {
		f = &fault{path: "status", got: status, want: oneOf("resolved", "cancelled")}
	}
	e.Raw = dropNulls(v, "payload", "metadata")
	return e, f
}

// checkEcho checks RUN_STARTED.input, but for its messages.
func checkEcho(v JSON) *fault {
	get := func(key string) JSON {
		v, _ := rawjson.Get(v, key)
		return v
	}
	f := firstFault(requireString(get("threadId"), "threadId"), requireString(get("runId"), "runId"),
		optionalString(get("protocolVersion"), "protocolVersion"), optionalString(get("parentRunId"), "parentRunId"))
	if list := get("tools"); f == nil && !absent(list) {
		f = eachOf(list, "tools", func(_ int, el JSON) *fault { _, f := parseTool(el); return f })
	}
	if list := get("context"); f == nil && !absent(list) {
		f = eachOf(list, "context", func(_ int, el JSON) *fault { return checkContext(el) })
	}
	if list := get("resume"); f == nil && !absent(list) {
		f = eachOf(list, "resume", func(_ int, el JSON) *fault { _, f := parseResume(el); return f })
	}
	return f
}

// AppendBody appends the request's body. messages (a JSON array; activity messages are left out, they are never sent)
// and state stand in for the input's own where they are not "".
func (in *Input) AppendBody(dst []byte, messages, state JSON) []byte {
	dst = append(dst, `{"threadId":`...)
	dst = rawjson.AppendQuote(dst, in.ThreadID)
	dst = append(dst, `,"runId":`...)
	dst = rawjson.AppendQuote(dst, in.RunID)
	if in.ParentRunID != "" {
		dst = append(append(dst, `,"parentRunId":`...), in.ParentRunID...)
	}
	if in.ProtocolVersion != "" {
		dst = append(append(dst, `,"protocolVersion":`...), in.ProtocolVersion...)
	}
	if state == "" {
		state = orDefault(in.State, "{}")
	}
	dst = append(append(dst, `,"state":`...), state...)
	dst = append(dst, `,"messages":[`...)
	start := len(dst)
	if messages != "" {
		for _, m := range rawjson.Elements(messages) {
			if role, _ := rawjson.Get(m, "role"); roleOf(role) != RoleActivity {
				dst = appendElement(dst, start, m)
			}
		}
	} else {
		for _, m := range in.Messages {
			if m.Role != RoleActivity {
				dst = appendElement(dst, start, m.Raw)
			}
		}
	}
	dst = append(dst, `],"tools":[`...)
	start = len(dst)
	for _, t := range in.Tools {
		dst = appendElement(dst, start, t.Raw)
	}
	dst = append(append(dst, `],"context":`...), orDefault(in.Context, "[]")...)
	dst = append(append(dst, `,"forwardedProps":`...), orDefault(in.ForwardedProps, "{}")...)
	if in.Resume != nil {
		dst = append(dst, `,"resume":[`...)
		start = len(dst)
		for _, e := range in.Resume {
			dst = appendElement(dst, start, e.Raw)
		}
		dst = append(dst, ']')
	}
	for _, m := range in.Extra {
		dst = append(append(dst, ','), m.Key...)
		dst = append(append(dst, ':'), m.Value...)
	}
	return append(dst, '}')
}

func orDefault(v, otherwise JSON) JSON {
	if v == "" {
		return otherwise
	}
	return v
}

// appendElement appends an element of the array whose first element is at start.
func appendElement(dst []byte, start int, v JSON) []byte {
	if len(dst) > start {
		dst = append(dst, ',')
	}
	return append(dst, v...)
}
