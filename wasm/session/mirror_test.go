package session

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf16"
)

// mirror is what JavaScript keeps, in plain Go values: it reads batches and knows no protocol.
type mirror struct {
	root  any
	last  []any
	types []string
	raw   []json.RawMessage
	warn  []warning
	asked bool
	event any // the one asked about

	done bool
	fail *failure
}

type warning struct {
	Code, Message string
	Event         any
}

type failure struct {
	Code, Message, URL, LastEventID string
	Status                          int
	Payload, Event                  any
	RetryAfter                      *float64
}

func newMirror(messages, state any) *mirror {
	return &mirror{root: map[string]any{
		"messages": messages, "state": state, "stateInSync": true, "interrupts": []any{}, "pendingToolCallIds": []any{},
	}}
}

// halves marks the halves of surrogate pairs in JSON text, which encoding/json would lose; joined puts pairs together.
var halves = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*)\\u([dD][89a-fA-F][0-9a-fA-F]{2})`)

func marked(text string) string {
	for {
		next := halves.ReplaceAllString(text, "$1<$2>")
		if next == text {
			return text
		}
		text = next
	}
}

var pair = regexp.MustCompile(`<(d[89ab]..)><(d[c-f]..)>`)

func joined(text string) string {
	return pair.ReplaceAllStringFunc(text, func(p string) string {
		high, _ := strconv.ParseUint(p[1:5], 16, 16)
		low, _ := strconv.ParseUint(p[7:11], 16, 16)
		return string(utf16.DecodeRune(rune(high), rune(low)))
	})
}

// take reads one batch.
func (m *mirror) take(b []byte) error {
	b = []byte(marked(string(b)))
	var entries []json.RawMessage
	if err := json.Unmarshal(b, &entries); err != nil {
		return fmt.Errorf("a batch is not JSON: %w: %s", err, b)
	}
	for _, entry := range entries {
		if m.done || m.fail != nil {
			return fmt.Errorf("something came after the end: %s", entry)
		}
		var e []json.RawMessage
		if entry[0] == '{' { // an event alone: its delta is appended at the last path
			e = []json.RawMessage{json.RawMessage("0"), entry, json.RawMessage(`[11,0,["delta"]]`)}
		} else if err := json.Unmarshal(entry, &e); err != nil {
			return err
		}
		var kind int
		if err := json.Unmarshal(e[0], &kind); err != nil {
			return err
		}
		switch kind {
		case 0, 4:
			var event map[string]any
			if err := json.Unmarshal(e[1], &event); err != nil {
				return err
			}
			m.types = append(m.types, event["type"].(string))
			m.raw = append(m.raw, e[1])
			m.asked, m.event = kind == 4, event
			if kind == 0 {
				if err := m.apply(e[2], event); err != nil {
					return err
				}
			}
		case 1:
			var w warning
			json.Unmarshal(e[1], &w.Code)
			json.Unmarshal(e[2], &w.Message)
			json.Unmarshal(e[3], &w.Event)
			m.warn = append(m.warn, w)
		case 2:
			m.fail = new(failure)
			if err := json.Unmarshal(e[1], m.fail); err != nil {
				return err
			}
		case 3:
			m.done = true
		case 5:
			if err := m.apply(e[1], m.event); err != nil {
				return err
			}
		default:
			return fmt.Errorf("an entry of kind %d", kind)
		}
	}
	return nil
}

func (m *mirror) apply(raw json.RawMessage, event any) error {
	if string(raw) == "0" {
		return nil
	}
	var ops []any
	if err := json.Unmarshal(raw, &ops); err != nil {
		return err
	}
	for i := 0; i < len(ops); i += 3 {
		code := int(ops[i].(float64))
		if path, ok := ops[i+1].([]any); ok {
			m.last = path
		}
		path, value := slices.Clone(m.last), ops[i+2]
		if code >= 8 {
			code -= 8
			value = at(event, value.([]any))
		}
		switch code {
		case 4:
			from := value.([]any)
			value = at(m.root, from)
			m.root = edit(m.root, from, func(any) any { return nil }, remove)
			code = 1
		case 5:
			value = at(m.root, value.([]any))
			code = 1
		case 6:
			old := at(m.root, path).([]any)
			list := []any{}
			for _, v := range value.([]any) {
				if n, ok := v.(float64); ok {
					list = append(list, old[int(n)])
				} else {
					list = append(list, v.([]any)[0])
				}
			}
			value, code = list, 0
		}
		how := assign
		switch code {
		case 1:
			how = insert
		case 2:
			how = remove
		}
		m.root = edit(m.root, path, func(old any) any {
			if code == 3 {
				s, _ := old.(string)
				return s + value.(string)
			}
			return value
		}, how)
	}
	return nil
}

const (
	assign = iota
	insert
	remove
)

func at(v any, path []any) any {
	for _, p := range path {
		if i, ok := p.(float64); ok {
			v = v.([]any)[int(i)]
		} else {
			v = v.(map[string]any)[p.(string)]
		}
	}
	return v
}

// edit gives the tree with the value at path changed; nothing of the old tree changes.
func edit(v any, path []any, f func(any) any, how int) any {
	if len(path) == 0 {
		return f(v)
	}
	if i, ok := path[0].(float64); ok {
		list, n := slices.Clone(v.([]any)), int(i)
		switch {
		case len(path) > 1:
			list[n] = edit(list[n], path[1:], f, how)
		case how == insert:
			list = slices.Insert(list, n, f(nil))
		case how == remove:
			list = slices.Delete(list, n, n+1)
		default:
			list[n] = f(list[n])
		}
		return list
	}
	object, key := map[string]any{}, path[0].(string)
	for k, x := range v.(map[string]any) {
		object[k] = x
	}
	switch {
	case len(path) > 1:
		object[key] = edit(object[key], path[1:], f, how)
	case how == remove:
		delete(object, key)
	default:
		object[key] = f(object[key])
	}
	return object
}
