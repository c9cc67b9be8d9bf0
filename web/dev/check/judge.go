package main

import (
	"bytes"
	"errors"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/sse"
	"aguiwasm/state"
)

// Finding is one thing that an answer does otherwise than the protocol has it.
type Finding struct {
	// Level is "error" where a client loses something or ends the run, "repair" where a lenient client mends it.
	Level string `json:"level"`
	// Rule names the rule, or the kind of fault: a sequence rule's name, or a code of package agui.
	Rule string `json:"rule"`
	// Section is where agui/PROTOCOL.md has it.
	Section string `json:"section"`
	Message string `json:"message"`
	// Event is the event that it is about, at most 300 bytes of it.
	Event string `json:"event,omitempty"`
	// Times counts how often it was found in the scenario.
	Times int `json:"times"`
}

// answer is what came of one request, and what was found in it.
type answer struct {
	status      int
	contentType string
	body        []byte
	cut         bool // the connection broke

	events   []agui.Event
	failure  *agui.Error // of the lenient reading
	findings []Finding
	store    *state.Store
	ids      int // events with an SSE id
}

// sections says where the protocol speaks of a kind of fault.
var sections = map[string]string{
	string(agui.CodeBadEvent): "4 and 6", string(agui.CodeProtocol): "6", string(agui.CodeIncompleteStream): "8",
	string(agui.CodeBadContentType): "8", string(agui.CodeHTTPStatus): "1", string(agui.CodeNetwork): "1",
	string(agui.CodeEventTooLarge): "1", "odd_field": "8", "unknown_event": "8", "legacy_shape": "3 and 4",
	"patch_failed": "7",
	"id_collision": "7", "newer_protocol": "8",
}

func sectionOf(rule string) string {
	if s, ok := sections[rule]; ok {
		return s
	}
	return "6"
}

func (a *answer) add(level, rule, message, event string) {
	if len(event) > 300 {
		event = event[:300] + "…"
	}
	for i := range a.findings {
		if f := &a.findings[i]; f.Rule == rule && f.Level == level {
			f.Times++
			return
		}
	}
	a.findings = append(a.findings, Finding{level, rule, sectionOf(rule), message, event, 1})
}

// judge reads an answer as a lenient client does, and says what that one mends, and what ends or loses something.
func (a *answer) judge(in *agui.Input) {
	switch verdict := sse.Judge(a.status, a.contentType); {
	case verdict == sse.BadStatus:
		a.add("error", string(agui.CodeHTTPStatus), "The server refused the request: "+excerpt(string(a.body)), "")
		a.failure = &agui.Error{Code: agui.CodeHTTPStatus}
		return
	case verdict == sse.Empty || len(bytes.TrimSpace(a.body)) == 0:
		a.add("error", string(agui.CodeIncompleteStream),
			"The answer is empty: a run ends with RUN_FINISHED or RUN_ERROR.", "")
		a.failure = &agui.Error{Code: agui.CodeIncompleteStream}
		return
	case verdict == sse.BadType || verdict == sse.Look && sse.Sniff(a.body) != sse.IsStream:
		a.add("error", string(agui.CodeBadContentType), "The answer is no event stream but "+excerpt(a.contentType)+
			": "+excerpt(string(a.body)), "")
		a.failure = &agui.Error{Code: agui.CodeBadContentType}
		return
	case verdict == sse.Look:
		a.add("repair", string(agui.CodeBadContentType), "The answer is an event stream whose type is "+
			excerpt(a.contentType)+", not text/event-stream.", "")
	}
	warn := func(w agui.Warning) {
		rule := string(w.Code)
		if at := strings.LastIndex(w.Message, "(rule "); at >= 0 {
			rule = strings.TrimSuffix(w.Message[at+len("(rule "):], ")")
		}
		level := "repair"
		if w.Code == agui.WarnBadEvent || w.Code == agui.WarnPatchFailed {
			level = "error" // what it said is lost
		}
		a.add(level, rule, w.Message, w.Event)
	}
	a.store = state.New(in.Messages, in.State)
	lastID := ""
	for e, err := range agui.Read(bytes.NewReader(a.body), agui.Options{
		ThreadID: in.ThreadID, RunID: in.RunID, Known: a.store, Warn: warn, ContentType: a.contentType,
		SeenID: func(id string) {
			if id != lastID {
				a.ids, lastID = a.ids+1, id
			}
		},
	}) {
		if err != nil {
			errors.As(err, &a.failure)
			break
		}
		a.events = append(a.events, e)
		a.store.Apply(e, nil, warn)
	}
	if f := a.failure; f != nil && f.Code != agui.CodeRunError {
		a.add("error", string(f.Code), f.Message, f.Event)
	}
	if a.cut && a.failure == nil {
		a.add("repair", string(agui.CodeNetwork), "The connection broke after the run's end.", "")
	}
	a.strict(in)
}

// strict adds what strict clients, the reference among them, end the run for, where the lenient reading had nothing to
// say.
func (a *answer) strict(in *agui.Input) {
	var failure *agui.Error
	known := state.New(in.Messages, in.State)
	for e, err := range agui.Read(bytes.NewReader(a.body), agui.Options{
		Strict: true, Known: known, ThreadID: in.ThreadID, RunID: in.RunID, ContentType: a.contentType,
	}) {
		if err != nil {
			errors.As(err, &failure)
			break
		}
		known.Apply(e, nil, nil)
	}
	if failure == nil || failure.Code == agui.CodeRunError || len(a.findings) > 0 {
		return
	}
	a.add("repair", string(failure.Code), "Strict clients end the run here: "+failure.Message, failure.Event)
}

func excerpt(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if text == "" {
		return "nothing"
	}
	if len(text) > 200 {
		return strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}

// of gives the first event of a kind.
func of[E agui.Event](a *answer) (found E, ok bool) {
	for _, e := range a.events {
		if found, ok = e.(E); ok {
			return found, true
		}
	}
	return found, false
}

// text joins what the assistant said.
func (a *answer) text() string {
	var b strings.Builder
	for _, e := range a.events {
		if c, ok := e.(*agui.TextMessageContent); ok {
			b.WriteString(c.Delta.Decode())
		}
	}
	return b.String()
}
