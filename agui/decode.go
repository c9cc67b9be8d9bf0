package agui

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// DecodeOptions configure [Decode].
type DecodeOptions struct {
	// Strict refuses what section 8 lets pass in lenient mode.
	Strict bool
	// Warn takes what was kept although it is odd (odd_field), passed over (bad_event) or turned (legacy_shape); nil
	// drops it.
	Warn func(Warning)
}

// Decode makes a typed event of one event's JSON text (section 4). Keys are matched with regard to case, of duplicate
// keys the last counts, and null in an optional field is the same as absent. A type that the protocol does not know
// gives an [*Unknown]. The error is an [*Error] with code bad_event that names the field at fault.
func Decode(data string, o DecodeOptions) (Event, error) {
	d := newDecoder(o.Strict, o.Warn)
	ev, err := d.decode(data)
	if err != nil {
		return nil, err
	}
	return ev, nil
}

// droppable reports whether an event of that type may be passed over when a field is malformed (section 6, last row):
// its loss loses neither text nor the outcome.
func droppable(t Type) bool {
	switch t {
	case TypeStepStarted, TypeStepFinished, TypeStateSnapshot, TypeStateDelta, TypeMessagesSnapshot,
		TypeActivitySnapshot, TypeActivityDelta, TypeReasoningStart, TypeReasoningEnd, TypeReasoningEncryptedValue,
		TypeSubagentStarted, TypeSubagentFinished, TypeSubagentError, TypeRaw, TypeCustom:
		return true
	}
	return false
}

// decoder decodes one event after the other and keeps its buffers.
type decoder struct {
	strict bool
	warn   func(Warning)
	// twins makes the REASONING_* twin of a retired THINKING_* event, without id and Raw (see legacy.go); else it is an
	// Unknown.
	twins bool

	r       reader
	ix      rawjson.Index
	f       fields
	data    string
	typ     Type    // of the event at hand, also where it is malformed
	retired Type    // the THINKING_* type of the event at hand, or ""
	lastTag *string // the last subagentRunId, so that a stream of one subagent shares it
	legacy  bool    // the event at hand had a retired part
	// nameless says that the event at hand is of a message and does not name it.
	nameless bool
	warned   bool // of the event at hand
	dropRaw  bool // see Options.DropRaw
	last     stencil
}

func newDecoder(strict bool, warn func(Warning)) *decoder {
	d := &decoder{strict: strict, warn: warn}
	d.r = reader{strict: strict, odd: d.oddIn, bad: d.badIn, legacy: d.binary}
	return d
}

// fields holds the values of the known keys of one event as they came; "" is absent.
type fields struct {
	typ, timestamp, rawEvent, metadata, subagentRunID                                           JSON
	threadID, runID, protocolVersion, parentRunID, input, result, outcome, usage, message, code JSON
	stepName, messageID, role, name, delta, toolCallID, toolCallName, parentMessageID, content  JSON
	snapshot, messages, activityType, replace, patch, subtype, entityID, encryptedValue         JSON
	description, parentSubagentRunID, parentToolCallID, event, source, value                    JSON
}

// sort puts each member of the event into its field; of duplicates the last stays.
func (f *fields) sort(members []rawjson.Member) {
	*f = fields{}
	for i := range members {
		key := members[i].Key.Body()
		if strings.IndexByte(key, '\\') >= 0 {
			key = members[i].Key.Decode()
		}
		if p := f.field(key); p != nil {
			*p = members[i].Value
		}
	}
}

// field gives the field that a key names, or nil.
func (f *fields) field(key string) *JSON {
	switch key {
	case "type":
		return &f.typ
	case "timestamp":
		return &f.timestamp
	case "rawEvent":
		return &f.rawEvent
	case "metadata":
		return &f.metadata
	case "subagentRunId":
		return &f.subagentRunID
	case "threadId":
		return &f.threadID
	case "runId":
		return &f.runID
	case "protocolVersion":
		return &f.protocolVersion
	case "parentRunId":
		return &f.parentRunID
	case "input":
		return &f.input
	case "result":
		return &f.result
	case "outcome":
		return &f.outcome
	case "usage":
		return &f.usage
	case "message":
		return &f.message
	case "code":
		return &f.code
	case "stepName":
		return &f.stepName
	case "messageId":
		return &f.messageID
	case "role":
		return &f.role
	case "name":
		return &f.name
	case "delta":
		return &f.delta
	case "toolCallId":
		return &f.toolCallID
	case "toolCallName":
		return &f.toolCallName
	case "parentMessageId":
		return &f.parentMessageID
	case "content":
		return &f.content
	case "snapshot":
		return &f.snapshot
	case "messages":
		return &f.messages
	case "activityType":
		return &f.activityType
	case "replace":
		return &f.replace
	case "patch":
		return &f.patch
	case "subtype":
		return &f.subtype
	case "entityId":
		return &f.entityID
	case "encryptedValue":
		return &f.encryptedValue
	case "description":
		return &f.description
	case "parentSubagentRunId":
		return &f.parentSubagentRunID
	case "parentToolCallId":
		return &f.parentToolCallID
	case "event":
		return &f.event
	case "source":
		return &f.source
	case "value":
		return &f.value
	}
	return nil
}

// decode decodes one event. The error is bad_event; d.typ tells its type, or "" where it has none.
func (d *decoder) decode(data string) (Event, *Error) {
	if ev := d.last.fit(data); ev != nil {
		d.data = data // every other field is still valid: only the delta differs
		return ev, nil
	}
	d.data, d.typ, d.retired, d.legacy, d.nameless, d.warned, d.last.ev = data, "", "", false, false, false, nil
	kind, err := d.ix.Parse(data, rawjson.MaxDepth)
	if err != nil {
		if e := err.(*rawjson.SyntaxError); e.TooDeep {
			return nil, badEvent("the event is "+e.Error(), data)
		}
		return nil, badEvent("the event is no JSON: "+err.Error(), data)
	}
	if kind != rawjson.Object {
		return nil, badEvent("the event must be a JSON object, but is "+kind.String(), data)
	}
	d.f.sort(d.ix.Members)
	if rawjson.KindOf(d.f.typ) != rawjson.Str || len(d.f.typ) == 2 {
		return nil, badEvent((&fault{path: "the event's type", got: d.f.typ, want: "a string that names it"}).text(),
			data)
	}
	typ := rawjson.String(d.f.typ).Decode()
	d.typ = internType(typ)
	if d.typ == "" && d.twins {
		if d.typ = twinOf(typ); d.typ != "" {
			d.retired = Type(strings.Clone(typ))
		}
	}
	if d.typ == "" {
		d.typ = Type(strings.Clone(typ))
		return &Unknown{Base{Type: d.typ, Raw: data}}, nil
	}
	ev, f := d.build()
	if f != nil {
		return nil, badEvent(string(d.name())+"."+f.text(), data)
	}
	if rawjson.KindOf(d.f.delta) == rawjson.Str && !d.warned && !d.nameless && d.retired == "" &&
		!(d.dropRaw && d.f.rawEvent != "") {
		d.last.set(ev, data, d.f.delta)
	}
	return ev, nil
}

// name gives the type as the server wrote it.
func (d *decoder) name() Type {
	if d.retired != "" {
		return d.retired
	}
	return d.typ
}

// odd notes a field that is kept although it is malformed (section 8). In strict mode it is a fault.
func (d *decoder) odd(f *fault) *fault {
	if f == nil || d.strict {
		return f
	}
	d.oddIn(f)
	return nil
}

// oddIn notes an odd field in both modes.
func (d *decoder) oddIn(f *fault) { d.warning(WarnOddField, string(d.name())+"."+f.text()) }

// badIn notes a part that was dropped because it cannot be used.
func (d *decoder) badIn(f *fault) {
	d.warning(WarnBadEvent, "a part of the event was dropped: "+string(d.name())+"."+f.text())
}

func (d *decoder) warning(code WarningCode, message string) {
	d.warned = true
	if d.warn != nil {
		d.warn(Warning{Code: code, Message: message, Event: d.data})
	}
}

// binary notes a retired binary part, once for an event.
func (d *decoder) binary() {
	if !d.legacy {
		d.legacy = true
		d.warning(WarnLegacyShape, binaryNotice)
	}
}

const binaryNotice = `a content part of the retired type "binary" was taken as the media part that its mimeType names`

// base reads what every event may carry. tagged says that the type may carry a subagentRunId.
func (d *decoder) base(b *Base, tagged bool) *fault {
	b.Type, b.Raw = d.typ, d.data
	f := &d.f
	if !absent(f.metadata) {
		if rawjson.KindOf(f.metadata) != rawjson.Object {
			return &fault{path: "metadata", got: f.metadata, want: "an object"}
		}
		b.Metadata = f.metadata
	}
	if !absent(f.rawEvent) {
		b.RawEvent = f.rawEvent
	}
	if !absent(f.timestamp) {
		b.Timestamp = f.timestamp
		if !isInteger(f.timestamp) {
			if f := d.odd(&fault{path: "timestamp", got: f.timestamp, want: "an integer"}); f != nil {
				return f
			}
		}
	}
	if tagged && f.subagentRunID != "" {
		if f.subagentRunID == "null" {
			return d.odd(&fault{path: "subagentRunId", got: "null", want: "a string or absent"})
		}
		if f := requireString(f.subagentRunID, "subagentRunId"); f != nil {
			return f
		}
		tag := rawjson.String(f.subagentRunID).Decode()
		if d.lastTag == nil || *d.lastTag != tag {
			tag = strings.Clone(tag)
			d.lastTag = &tag
		}
		b.SubagentRunID = d.lastTag
	}
	return nil
}

// str reads a required string that decides things.
func str(v JSON, path string, into *string) *fault {
	if rawjson.KindOf(v) != rawjson.Str {
		return &fault{path: path, got: v, want: "a string"}
	}
	*into = rawjson.String(v).Decode()
	return nil
}

// strPointer reads an optional string that decides things.
func strPointer(v JSON, path string, into **string) *fault {
	if absent(v) {
		return nil
	}
	s := new(string)
	*into = s
	return str(v, path, s)
}

// text reads a required string that is handed on.
func text(v JSON, path string, into *Text) *fault {
	if rawjson.KindOf(v) != rawjson.Str {
		return &fault{path: path, got: v, want: "a string"}
	}
	*into = Text(v)
	return nil
}

// optionalText reads an optional string that is handed on.
func optionalText(v JSON, path string, into *Text) *fault {
	if absent(v) {
		return nil
	}
	return text(v, path, into)
}

// present gives an optional value of any kind; null counts as absent.
func present(v JSON) JSON {
	if v == "null" {
		return ""
	}
	return v
}

// internType gives the constant of a known type, or "".
func internType(t string) Type {
	switch Type(t) {
	case TypeTextMessageContent:
		return TypeTextMessageContent
	case TypeToolCallArgs:
		return TypeToolCallArgs
	case TypeRunStarted:
		return TypeRunStarted
	case TypeRunFinished:
		return TypeRunFinished
	case TypeRunError:
		return TypeRunError
	case TypeStepStarted:
		return TypeStepStarted
	case TypeStepFinished:
		return TypeStepFinished
	case TypeTextMessageStart:
		return TypeTextMessageStart
	case TypeTextMessageEnd:
		return TypeTextMessageEnd
	case TypeTextMessageChunk:
		return TypeTextMessageChunk
	case TypeToolCallStart:
		return TypeToolCallStart
	case TypeToolCallEnd:
		return TypeToolCallEnd
	case TypeToolCallChunk:
		return TypeToolCallChunk
	case TypeToolCallResult:
		return TypeToolCallResult
	case TypeStateSnapshot:
		return TypeStateSnapshot
	case TypeStateDelta:
		return TypeStateDelta
	case TypeMessagesSnapshot:
		return TypeMessagesSnapshot
	case TypeActivitySnapshot:
		return TypeActivitySnapshot
	case TypeActivityDelta:
		return TypeActivityDelta
	case TypeReasoningStart:
		return TypeReasoningStart
	case TypeReasoningEnd:
		return TypeReasoningEnd
	case TypeReasoningMessageStart:
		return TypeReasoningMessageStart
	case TypeReasoningMessageContent:
		return TypeReasoningMessageContent
	case TypeReasoningMessageEnd:
		return TypeReasoningMessageEnd
	case TypeReasoningMessageChunk:
		return TypeReasoningMessageChunk
	case TypeReasoningEncryptedValue:
		return TypeReasoningEncryptedValue
	case TypeSubagentStarted:
		return TypeSubagentStarted
	case TypeSubagentFinished:
		return TypeSubagentFinished
	case TypeSubagentError:
		return TypeSubagentError
	case TypeRaw:
		return TypeRaw
	case TypeCustom:
		return TypeCustom
	}
	return ""
}
