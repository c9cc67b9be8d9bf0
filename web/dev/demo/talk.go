package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/agui/server"
)

// talk is one run being told. It remembers the first error, after which nothing more is sent.
type talk struct {
	*server.Run
	*plan
	ctx     context.Context
	in      *agui.Input
	words   string // the text of the last user message
	threads *threads
	rand    *rand.Rand
	err     error
}

// keep remembers the first error.
func (t *talk) keep(err error) {
	if t.err == nil {
		t.err = err
	}
}

// send sends what a constructor gives.
func (t *talk) send(e agui.Event, err error) { t.keep(t.Emit(e, err)) }

// pause waits ms milliseconds, give or take a third.
func (t *talk) pause(ms int) {
	d := time.Duration(ms) * time.Millisecond * time.Duration(67+t.rand.IntN(67)) / 100
	t.elapsed += d
	if t.err == nil && !wait(t.ctx.Done(), d, t.speed) {
		t.err = t.ctx.Err()
	}
}

// obj is a JSON object.
type obj = map[string]any

func encode(v any) agui.JSON {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // broken invariant: scenarios say what JSON can say
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fragments cuts text into pieces like a model's: words with their space, long ones in two.
func (t *talk) fragments(text string) []string {
	var pieces []string
	for len(text) > 0 {
		n := strings.IndexAny(text, " \n") + 1
		if n <= 0 {
			n = len(text)
		}
		if n > 9 && t.rand.IntN(2) == 0 {
			n = 4 + t.rand.IntN(n-5)
		}
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// stream writes text in fragments, ms apart.
func (t *talk) stream(w interface{ WriteString(string) (int, error) }, text string, ms int) {
	for _, piece := range t.fragments(text) {
		t.pause(ms)
		if t.err == nil {
			_, t.err = w.WriteString(piece)
		}
	}
}

// text sends a whole text message and gives its id.
func (t *talk) text(markdown string, fields ...agui.Field) string {
	m := t.Message(fields...)
	t.stream(m, markdown, 32)
	t.keep(m.Close())
	return m.ID()
}

// think sends a span of reasoning with one message and gives the message's id.
func (t *talk) think(text string) string {
	m := t.Reasoning()
	t.stream(m, text, 24)
	t.keep(m.Close())
	return m.ID()
}

// call sends a tool call, its arguments in fragments, and gives its id. Its message is the id of that name, "" a new
// one.
func (t *talk) call(parent, name string, arguments any) string {
	if parent == "" {
		parent = t.ID()
	}
	c := t.Call(name, agui.WithText("parentMessageId", parent))
	t.stream(c, strings.ReplaceAll(encode(arguments), `":`, `": `), 30)
	t.keep(c.Close())
	return c.ID()
}

// answer sends a tool's result.
func (t *talk) answer(callID, content string) { t.keep(t.ToolResult(callID, content)) }

// as gives a talk whose events belong to a subagent.
func (t *talk) as(run *server.Run) *talk {
	sub := *t
	sub.Run = run
	return &sub
}

// content gives a message's text, its text parts joined, and the kinds of its other parts.
func content(m agui.Message) (text string, kinds []string) {
	v, _ := rawjson.Get(m.Raw, "content")
	switch rawjson.KindOf(v) {
	case rawjson.Str:
		return rawjson.String(v).Decode(), nil
	case rawjson.Array:
		var parts []struct{ Type, Text string }
		_ = json.Unmarshal([]byte(v), &parts)
		var texts []string
		for _, p := range parts {
			if p.Type == "text" {
				texts = append(texts, p.Text)
			} else {
				kinds = append(kinds, p.Type)
			}
		}
		return strings.Join(texts, " "), kinds
	}
	return "", nil
}

// last is an input's last message, or an empty one.
func last(in *agui.Input) agui.Message {
	if len(in.Messages) == 0 {
		return agui.Message{}
	}
	return in.Messages[len(in.Messages)-1]
}
