// Package model holds what the chat view knows of a conversation, and decides what is to be shown: which messages
// belong together, what state a tool call is in, what a form asks, what a screen reader hears. Pure Go; package view
// puts it into the page.
package model

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// Message is one message as the view needs it.
type Message struct {
	ID   string
	Role string
	Name string
	// Owner is the subagentRunId, "" the parent agent's.
	Owner string
	Text  string
	Parts []Part
	Calls []Call
	// ToolCallID and Error are a tool message's.
	ToolCallID string
	Error      string
	// ActivityType and Content (raw JSON) are an activity's.
	ActivityType string
	Content      string
	// Version changes whenever anything of the message does.
	Version uint64
	// Open says that more may come.
	Open bool
	// Acts says that a person can edit it, or have the answer made again that it ends; Fork is the switch that stands
	// at it.
	Acts bool
	Fork Fork
	// Half says how it was left without an end: "stopped", "brokeOff", or "".
	Half string
	// Row is whatever package ui keeps of it.
	Row any
}

// Call is one tool call.
type Call struct {
	ID, Name, Arguments string
}

// Part is one part of a content that is no string.
type Part struct {
	Kind string // text, image, audio, video, document, or an unknown type
	Text string
	// Source is data (Value is base64), url or file (Value names it at Provider).
	Source, Value, MIME, Provider string
	Filename                      string
}

// Shown gives the text as far as it is to be shown and said: half a surrogate pair at the end of an open message waits
// for the other half, which the next delta mostly brings.
func (m *Message) Shown() string {
	if m.Open {
		return m.Text[:len(m.Text)-rawjson.HalfAtEnd(m.Text)]
	}
	return m.Text
}

// ReadMessage reads a message's JSON object. What is missing or of another kind is empty.
func ReadMessage(text string) Message {
	var ix rawjson.Index
	ix.Read(text)
	m := Message{
		ID:         str(&ix, "id"),
		Role:       str(&ix, "role"),
		Name:       str(&ix, "name"),
		Owner:      str(&ix, "subagentRunId"),
		ToolCallID: str(&ix, "toolCallId"),
		Error:      str(&ix, "error"),
	}
	content, _ := ix.Get("content")
	if m.Role == "activity" {
		m.ActivityType = str(&ix, "activityType")
		m.Content = content
		return m
	}
	m.Text, m.Parts = ReadContent(content)
	if calls, _ := ix.Get("toolCalls"); rawjson.KindOf(calls) == rawjson.Array {
		for _, c := range Elements(calls) {
			if rawjson.KindOf(c) != rawjson.Object {
				continue
			}
			call := Call{ID: member(c, "id")}
			if f, _ := rawjson.Get(c, "function"); rawjson.KindOf(f) == rawjson.Object {
				call.Name, call.Arguments = member(f, "name"), member(f, "arguments")
			}
			m.Calls = append(m.Calls, call)
		}
	}
	return m
}

// ReadContent reads a content: a string, or parts. Text parts alone make a text.
func ReadContent(content string) (text string, parts []Part) {
	switch rawjson.KindOf(content) {
	case rawjson.Str:
		return rawjson.String(content).Decode(), nil
	case rawjson.Array:
	default:
		return "", nil
	}
	onlyText := true
	for _, e := range Elements(content) {
		if rawjson.KindOf(e) != rawjson.Object {
			continue
		}
		p := Part{Kind: member(e, "type"), Text: member(e, "text")}
		if s, _ := rawjson.Get(e, "source"); rawjson.KindOf(s) == rawjson.Object {
			p.Source, p.Value = member(s, "type"), member(s, "value")
			p.MIME, p.Provider = member(s, "mimeType"), member(s, "provider")
		}
		if md, _ := rawjson.Get(e, "metadata"); rawjson.KindOf(md) == rawjson.Object {
			p.Filename = member(md, "filename")
		}
		onlyText = onlyText && p.Kind == "text"
		parts = append(parts, p)
	}
	if !onlyText {
		return "", parts
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// str gives a string member, or "".
func str(ix *rawjson.Index, key string) string {
	v, _ := ix.Get(key)
	return decode(v)
}

// member is [str] for an object that is looked into once.
func member(obj, key string) string {
	v, _ := rawjson.Get(obj, key)
	return decode(v)
}

func decode(v string) string {
	if rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	return rawjson.String(v).Decode()
}

// Elements gives an array's elements; of anything else, none.
func Elements(arr string) (list []string) {
	for _, e := range rawjson.Elements(arr) {
		list = append(list, e)
	}
	return list
}

// Members gives an object's members in order, duplicates included; of anything else, none.
func Members(obj string) (list []rawjson.Member) {
	for key, value := range rawjson.Members(obj) {
		list = append(list, rawjson.Member{Key: key, Value: value})
	}
	return list
}
