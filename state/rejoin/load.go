package rejoin

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// loaded reads a thread that a server gave as one JSON object, {messages, activeRun, interrupts, state}, and gives it
// as events, and the run that is under way; ok is false where it is none. state is what TanStack's servers have not.
func loaded(doc, threadID string) (events []string, runID string, ok bool) {
	if rawjson.Check(doc, rawjson.MaxDepth) != nil || rawjson.KindOf(strings.TrimSpace(doc)) != rawjson.Object {
		return nil, "", false
	}
	doc = strings.TrimSpace(doc)
	list, _ := rawjson.Get(doc, "messages")
	if rawjson.KindOf(list) != rawjson.Array {
		return nil, "", false
	}
	var messages []string
	for _, m := range rawjson.Elements(list) {
		if rawjson.KindOf(m) == rawjson.Object {
			messages = append(messages, wholeMessage(m)...)
		}
	}
	runID = inside(doc, "activeRun", "runId")
	pending, asker := "", inside(doc, "interrupts", "runId")
	if in, found := rawjson.Get(doc, "interrupts"); found && rawjson.KindOf(in) == rawjson.Object {
		if p, found := rawjson.Get(in, "pending"); found && rawjson.KindOf(p) == rawjson.Array && p != "[]" {
			pending, runID = p, "" // a run that waits for an answer is not under way
		}
	}
	of := runID
	if pending != "" {
		of = asker
	}
	ids := `,"threadId":` + quote(threadID) + `,"runId":` + quote(of)
	events = append(events, `{"type":"RUN_STARTED"`+ids+`}`)
	if len(messages) > 0 {
		events = append(events, `{"type":"MESSAGES_SNAPSHOT","messages":[`+strings.Join(messages, ",")+`]}`)
	}
	if s, found := rawjson.Get(doc, "state"); found {
		events = append(events, `{"type":"STATE_SNAPSHOT","snapshot":`+s+`}`)
	}
	switch {
	case pending != "":
		events = append(events, `{"type":"RUN_FINISHED"`+ids+`,"outcome":{"type":"interrupt","interrupts":`+pending+
			`}}`)
	case runID == "":
		events = append(events, `{"type":"RUN_FINISHED"`+ids+`}`)
	}
	return events, runID, true
}

// inside gives a string member of an object's member, or "".
func inside(doc, outer, key string) string {
	v, ok := rawjson.Get(doc, outer)
	if !ok || rawjson.KindOf(v) != rawjson.Object {
		return ""
	}
	return member(v, key)
}

// wholeMessage gives a message in the protocol's form: one that is made of parts as its text, its calls and their
// results.
func wholeMessage(m string) []string {
	parts, ok := rawjson.Get(m, "parts")
	if !ok || rawjson.KindOf(parts) != rawjson.Array {
		return []string{m}
	}
	var text strings.Builder
	var calls, results []string
	for _, p := range rawjson.Elements(parts) {
		if rawjson.KindOf(p) != rawjson.Object {
			continue
		}
		content, _ := rawjson.Get(p, "content")
		switch member(p, "type") {
		case "text":
			if rawjson.KindOf(content) == rawjson.Str {
				text.WriteString(rawjson.String(content).Decode())
			}
		case "tool-call":
			calls = append(calls, `{"id":`+quote(member(p, "id"))+`,"type":"function","function":{"name":`+
				quote(member(p, "name"))+
				`,"arguments":`+quote(member(p, "arguments"))+`}}`)
		case "tool-result":
			if rawjson.KindOf(content) != rawjson.Str {
				content = quote(content)
			}
			call := member(p, "toolCallId")
			results = append(results, `{"id":`+quote(call+":tool")+`,"role":"tool","toolCallId":`+quote(call)+
				`,"content":`+content+`}`)
		}
	}
	m = rawjson.Edit(m, func(key rawjson.String, value string) (string, bool) {
		return value, !key.Is("parts") && !key.Is("content")
	})
	m = rawjson.Set(m, "content", quote(text.String()))
	if len(calls) > 0 {
		m = rawjson.Set(m, "toolCalls", "["+strings.Join(calls, ",")+"]")
	}
	return append([]string{m}, results...)
}
