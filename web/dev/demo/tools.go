package demo

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

func serverTool(t *talk) error {
	t.text("I look up the weather.")
	c := t.call("", "get_weather", obj{"city": "Lisbon", "unit": "celsius", "days": 3})
	t.pause(700)
	t.answer(c, `{"now": 21, "sky": "clear", "next": [22, 19, 20]}`)
	t.text("It is **21 °C** and clear in Lisbon; the next days bring 22, 19 and 20 °C.")
	return nil
}

// pageTool calls a tool that the page offers. The page runs it and asks again with the result.
func pageTool(t *talk) error {
	if len(t.in.Tools) == 0 {
		t.text(
			"The page offers no tools. Give the agent some, for example `{name: \"get_time\", description: \"The time\", parameters: {type: \"object\"}, handler: () => new Date().toString()}`, and ask again.")
		return nil
	}
	t.text("I ask the page to run a tool.")
	for _, offered := range t.in.Tools[:min(2, len(t.in.Tools))] {
		schema, _ := rawjson.Get(offered.Raw, "parameters")
		t.call("", offered.Name, t.sample(json.RawMessage(schema)))
	}
	return nil
}

// toolAnswered goes on after the page has run its tools.
var toolAnswered = &scenario{Scenario: Scenario{Name: "page-tool", Title: "After a page's tool"},
	run: func(t *talk) error {
		names := map[string]string{}
		for _, m := range t.in.Messages {
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Name.Decode()
			}
		}
		var results []string
		// A result stands behind its call's message, so with several messages of calls there are others between the
		// results.
		for i := len(t.in.Messages) - 1; i >= 0 && t.in.Messages[i].Role != agui.RoleUser; i-- {
			m := t.in.Messages[i]
			if m.Role != agui.RoleTool {
				continue
			}
			name := names[m.ToolCallID]
			if name == "" {
				name = "the tool"
			}
			text, _ := content(m)
			results = append([]string{"`" + name + "` gave: " + text}, results...)
		}
		t.text("The page has answered. " + strings.Join(results, "; ") + ".")
		return nil
	}}

// sample makes arguments that fit a tool's JSON Schema, as far as a demo needs it.
func (t *talk) sample(schema json.RawMessage) any {
	return t.sampleAt(schema, 0)
}

func (t *talk) sampleAt(schema json.RawMessage, depth int) any {
	var s struct {
		Type       json.RawMessage
		Enum       []any
		Default    any
		Properties map[string]json.RawMessage
		Items      json.RawMessage
		Minimum    *float64
	}
	_ = json.Unmarshal(schema, &s)
	var kind string
	if json.Unmarshal(s.Type, &kind) != nil {
		var kinds []string
		if json.Unmarshal(s.Type, &kinds); len(kinds) > 0 {
			kind = kinds[0]
		}
	}
	switch {
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[t.rand.IntN(len(s.Enum))]
	case kind == "string":
		return []string{"blue", "Lisbon", "hello", "42"}[t.rand.IntN(4)]
	case kind == "number", kind == "integer":
		low := 1.0
		if s.Minimum != nil {
			low = *s.Minimum
		}
		return low + float64(t.rand.IntN(9))
	case kind == "boolean":
		return t.rand.IntN(2) == 0
	case kind == "array":
		if depth > 8 || len(s.Items) == 0 {
			return []any{}
		}
		return []any{t.sampleAt(s.Items, depth+1)}
	case kind == "object" || len(s.Properties) > 0 || depth == 0:
		o := obj{}
		if depth <= 8 {
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				o[name] = t.sampleAt(s.Properties[name], depth+1)
			}
		}
		return o
	}
	return nil
}

func media(t *talk) error {
	t.text("I draw a picture, record a tone and write a note.")
	c := t.call("", "make_media", obj{"subject": "hills at dusk"})
	t.pause(600)
	t.keep(t.ToolResult(c, "", agui.With("content", encode([]any{
		obj{"type": "text", "text": "Three files."},
		obj{"type": "image", "source": obj{"type": "data", "mimeType": "image/svg+xml",
			"value": base64.StdEncoding.EncodeToString([]byte(picture))}},
		obj{"type": "audio", "source": obj{"type": "data", "mimeType": "audio/wav",
			"value": base64.StdEncoding.EncodeToString(tone())}},
		obj{"type": "document", "source": obj{"type": "data", "mimeType": "text/plain",
			"value": base64.StdEncoding.EncodeToString([]byte("Hills at dusk, drawn by the demo agent.\n"))},
			"metadata": obj{"filename": "note.txt"}},
	}))))
	t.text("There they are: a picture, half a second of sound, and a note.")
	return nil
}

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" width="320" height="180">` +
	`<rect width="320" height="180" fill="#f3c9a5"/><circle cx="230" cy="74" r="26" fill="#e9774f"/>` +
	`<path d="M0 130 Q80 70 170 120 T320 96 V180 H0Z" fill="#56708a"/><path d="M0 152 Q110 104 210 150 T320 136 V180 H0Z" fill="#2f4457"/></svg>`

// tone makes half a second of 440 Hz as a WAV file: 8,000 samples a second, 8 bits.
func tone() []byte {
	const rate, n = 8000, 4000
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = append(b, 1, 0, 8, 0)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, n)
	for i := range n {
		b = append(b, byte(128+40*math.Sin(2*math.Pi*440*float64(i)/rate)))
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}
