package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// input is a RunAgentInput, read as far as the agent needs it. Members are matched by their exact names.
type input struct {
	threadID, runID string
	state           json.RawMessage
	messages        []message
	tools           []tool
	forwarded       map[string]json.RawMessage
	resume          []resumeEntry
}

type message struct {
	id, role   string
	text       string   // its text parts, joined
	parts      []string // the kinds of its other parts
	toolCallID string
	calls      []call
}

type call struct{ id, name string }

type tool struct {
	name       string
	parameters json.RawMessage
}

type resumeEntry struct {
	interruptID, status string
	payload             json.RawMessage
}

// fault is one thing that is wrong with an input.
type fault struct {
	Loc []any  `json:"loc"`
	Msg string `json:"msg"`
}

// checker reads members and collects what is wrong.
type checker struct{ faults []fault }

func (c *checker) fail(loc []any, format string, args ...any) {
	full := append([]any{"body"}, loc...)
	c.faults = append(c.faults, fault{full, fmt.Sprintf(format, args...)})
}

func at(loc []any, more ...any) []any { return append(append([]any{}, loc...), more...) }

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}

// object reads raw as an object.
func (c *checker) object(loc []any, raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if isNull(raw) || json.Unmarshal(raw, &m) != nil {
		c.fail(loc, "must be an object")
		return nil
	}
	return m
}

// text reads a string member; want says that it must be there.
func (c *checker) text(loc []any, m map[string]json.RawMessage, key string, want bool) string {
	raw, ok := m[key]
	if !ok || isNull(raw) {
		if want {
			c.fail(at(loc, key), "is required")
		} else if ok {
			c.fail(at(loc, key), "must be left out, not null")
		}
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		c.fail(at(loc, key), "must be a string")
	}
	return s
}

// list reads an array member; want says that it must be there.
func (c *checker) list(loc []any, m map[string]json.RawMessage, key string, want bool) []json.RawMessage {
	raw, ok := m[key]
	if !ok {
		if want {
			c.fail(at(loc, key), "is required")
		}
		return nil
	}
	var l []json.RawMessage
	if isNull(raw) || json.Unmarshal(raw, &l) != nil {
		c.fail(at(loc, key), "must be an array")
	}
	return l
}

// parseInput checks a request's body against PROTOCOL sections 2 and 3.
func parseInput(body []byte) (*input, []fault) {
	c := &checker{}
	dec := json.NewDecoder(bytes.NewReader(body))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		c.fail(nil, "is not JSON: %v", err)
		return nil, c.faults
	}
	if _, err := dec.Token(); err != io.EOF {
		c.fail(nil, "has something after the JSON")
		return nil, c.faults
	}
	m := c.object(nil, raw)
	if m == nil {
		return nil, c.faults
	}
	in := &input{}
	in.threadID = c.text(nil, m, "threadId", true)
	in.runID = c.text(nil, m, "runId", true)
	c.text(nil, m, "parentRunId", false)
	c.text(nil, m, "protocolVersion", false)
	in.state = m["state"]
	for i, raw := range c.list(nil, m, "messages", true) {
		in.messages = append(in.messages, c.message([]any{"messages", i}, raw))
	}
	for i, raw := range c.list(nil, m, "tools", true) {
		loc := []any{"tools", i}
		if t := c.object(loc, raw); t != nil {
			name := c.text(loc, t, "name", true)
			c.text(loc, t, "description", true)
			in.tools = append(in.tools, tool{name, t["parameters"]})
		}
	}
	for i, raw := range c.list(nil, m, "context", true) {
		loc := []any{"context", i}
		if x := c.object(loc, raw); x != nil {
			c.text(loc, x, "description", true)
			c.text(loc, x, "value", true)
		}
	}
	for i, raw := range c.list(nil, m, "resume", false) {
		loc := []any{"resume", i}
		if x := c.object(loc, raw); x != nil {
			e := resumeEntry{c.text(loc, x, "interruptId", true), c.text(loc, x, "status", true), x["payload"]}
			if e.status != "" && e.status != "resolved" && e.status != "cancelled" {
				c.fail(at(loc, "status"), `must be "resolved" or "cancelled"`)
			}
			in.resume = append(in.resume, e)
		}
	}
	_ = json.Unmarshal(m["forwardedProps"], &in.forwarded) // any JSON may stand there
	return in, c.faults
}

// message checks one message.
func (c *checker) message(loc []any, raw json.RawMessage) message {
	m := c.object(loc, raw)
	if m == nil {
		return message{}
	}
	msg := message{id: c.text(loc, m, "id", true), role: c.text(loc, m, "role", true)}
	switch msg.role {
	case "developer", "system", "reasoning":
		msg.text = c.text(loc, m, "content", true)
	case "user", "tool":
		msg.text, msg.parts = c.content(at(loc, "content"), m["content"])
		if msg.role == "tool" {
			msg.toolCallID = c.text(loc, m, "toolCallId", true)
		}
	case "assistant":
		msg.text = c.text(loc, m, "content", false)
		for i, raw := range c.list(loc, m, "toolCalls", false) {
			at := at(loc, "toolCalls", i)
			if t := c.object(at, raw); t != nil {
				f := c.object(append(at, "function"), t["function"])
				msg.calls = append(msg.calls, call{c.text(at, t, "id", true), c.text(at, f, "name", true)})
			}
		}
	case "activity":
		c.fail(at(loc, "role"), "activity messages are not sent to an agent")
	case "":
	default:
		c.fail(at(loc, "role"), "is none that the protocol knows")
	}
	return msg
}

// content reads a string or parts.
func (c *checker) content(loc []any, raw json.RawMessage) (text string, kinds []string) {
	if len(raw) == 0 {
		c.fail(loc, "is required")
		return "", nil
	}
	if json.Unmarshal(raw, &text) == nil && !isNull(raw) {
		return text, nil
	}
	var parts []json.RawMessage
	if isNull(raw) || json.Unmarshal(raw, &parts) != nil {
		c.fail(loc, "must be a string or an array of parts")
		return "", nil
	}
	var texts []string
	for i, raw := range parts {
		loc := at(loc, i)
		p := c.object(loc, raw)
		if p == nil {
			continue
		}
		switch kind := c.text(loc, p, "type", true); kind {
		case "text":
			texts = append(texts, c.text(loc, p, "text", true))
		case "image", "audio", "video", "document":
			if s := c.object(at(loc, "source"), p["source"]); s != nil {
				c.text(at(loc, "source"), s, "type", true)
				c.text(at(loc, "source"), s, "value", true)
			}
			kinds = append(kinds, kind)
		default:
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(texts, " "), kinds
}

// words is the text of the last user message.
func (in *input) words() string {
	for i := len(in.messages) - 1; i >= 0; i-- {
		if in.messages[i].role == "user" {
			return in.messages[i].text
		}
	}
	return ""
}

// last is the last message, or an empty one.
func (in *input) last() message {
	if len(in.messages) == 0 {
		return message{}
	}
	return in.messages[len(in.messages)-1]
}

// property gives a forwarded property that is a string, or "".
func (in *input) property(name string) string {
	var s string
	_ = json.Unmarshal(in.forwarded[name], &s)
	return s
}

// speed gives the forwarded pace as text.
func (in *input) speed() string {
	if s := in.property("speed"); s != "" {
		return s
	}
	var f json.Number
	if json.Unmarshal(in.forwarded["speed"], &f) != nil {
		return ""
	}
	return f.String()
}
