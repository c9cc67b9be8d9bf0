package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tmaxmax/go-sse"
)

// errCut ends a scenario by breaking the connection.
var errCut = errors.New("cut the connection")

// talk is one run being told: it sends events, waits between them, and remembers the first error, after which it
// sends nothing more.
type talk struct {
	ctx      context.Context
	out      sse.MessageWriter
	in       *input
	scenario *scenario
	threads  *threads
	rand     *rand.Rand
	speed    float64
	elapsed  time.Duration // what was waited for, at pace 1
	sent     int
	unsent   int // events since the last flush
	batch    int // events per flush; 0 means 1
	ids      map[string]int
	err      error
}

func newTalk(ctx context.Context, out sse.MessageWriter, in *input, s *scenario, speed float64) *talk {
	return &talk{
		ctx: ctx, out: out, in: in, scenario: s, speed: speed,
		rand: seeded(s.Name + "\n" + in.words()), ids: map[string]int{},
	}
}

// play tells the whole run, RUN_STARTED to RUN_FINISHED.
func (t *talk) play() error {
	t.send("RUN_STARTED", "threadId", t.in.threadID, "runId", t.in.runID)
	end := t.scenario.run(t)
	if t.err == nil && !end.said {
		t.finish(end)
	}
	t.flush()
	return t.err
}

// end is what a scenario's run ends with.
type end struct {
	said    bool // the scenario has sent the terminal event itself
	result  any
	outcome any
	usage   any
}

func (t *talk) finish(e end) {
	fields := []any{"threadId", t.in.threadID, "runId", t.in.runID}
	if e.result != nil {
		fields = append(fields, "result", e.result)
	}
	if e.outcome != nil {
		fields = append(fields, "outcome", e.outcome)
	}
	if e.usage != nil {
		fields = append(fields, "usage", e.usage)
	}
	t.send("RUN_FINISHED", fields...)
}

// id makes an id that is the run's own: a message's or a call's id must be new in the thread.
func (t *talk) id(kind string) string {
	t.ids[kind]++
	return t.in.runID + "-" + kind + strconv.Itoa(t.ids[kind])
}

// send writes one event: its type and its members, name after value after name, in that order.
func (t *talk) send(kind string, members ...any) {
	if t.err != nil {
		return
	}
	var b bytes.Buffer
	b.WriteString(`{"type":`)
	writeJSON(&b, kind)
	for i := 0; i < len(members); i += 2 {
		b.WriteByte(',')
		writeJSON(&b, members[i])
		b.WriteByte(':')
		writeJSON(&b, members[i+1])
	}
	b.WriteByte('}')
	m := &sse.Message{}
	m.AppendData(b.String())
	if t.err = t.out.Send(m); t.err != nil {
		return
	}
	t.sent++
	if t.unsent++; t.unsent >= t.batch {
		t.flush()
	}
}

// comment writes a comment line, which keeps a connection alive and says nothing.
func (t *talk) comment(text string) {
	if t.err == nil {
		m := &sse.Message{}
		m.AppendComment(text)
		if t.err = t.out.Send(m); t.err == nil {
			t.flush()
		}
	}
}

func (t *talk) flush() {
	if t.err == nil && t.unsent > 0 {
		t.err = t.out.Flush()
		t.unsent = 0
	}
}

func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // broken invariant: scenarios send what JSON can say
	}
	b.Truncate(b.Len() - 1) // the encoder's line end
}

// pause waits ms milliseconds, give or take a third.
func (t *talk) pause(ms int) {
	if t.err != nil {
		return
	}
	d := time.Duration(ms) * time.Millisecond * time.Duration(67+t.rand.IntN(67)) / 100
	t.elapsed += d
	if !wait(t.ctx.Done(), d, t.speed) {
		t.err = t.ctx.Err()
	}
}

// obj is a JSON object for events.
type obj = map[string]any

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

// text sends a whole text message and gives its id.
func (t *talk) text(markdown string, more ...any) string {
	id := t.id("m")
	t.send("TEXT_MESSAGE_START", append([]any{"messageId", id, "role", "assistant"}, more...)...)
	for _, piece := range t.fragments(markdown) {
		t.pause(32)
		t.send("TEXT_MESSAGE_CONTENT", append([]any{"messageId", id, "delta", piece}, more...)...)
	}
	t.send("TEXT_MESSAGE_END", append([]any{"messageId", id}, more...)...)
	return id
}

// think sends a span of reasoning with one message and gives the message's id.
func (t *talk) think(text string, more ...any) string {
	span, id := t.id("s"), t.id("r")
	t.send("REASONING_START", append([]any{"messageId", span}, more...)...)
	t.send("REASONING_MESSAGE_START", append([]any{"messageId", id, "role", "reasoning"}, more...)...)
	for _, piece := range t.fragments(text) {
		t.pause(24)
		t.send("REASONING_MESSAGE_CONTENT", append([]any{"messageId", id, "delta", piece}, more...)...)
	}
	t.send("REASONING_MESSAGE_END", append([]any{"messageId", id}, more...)...)
	t.send("REASONING_END", append([]any{"messageId", span}, more...)...)
	return id
}

// call sends a tool call, its arguments in fragments, and gives its id.
func (t *talk) call(name string, arguments any, more ...any) string {
	id, parent := t.id("c"), t.id("m")
	t.callAs(id, parent, name, arguments, more...)
	return id
}

func (t *talk) callAs(id, parent, name string, arguments any, more ...any) {
	t.send("TOOL_CALL_START", append([]any{"toolCallId", id, "toolCallName", name, "parentMessageId", parent}, more...)...)
	var b bytes.Buffer
	writeJSON(&b, arguments)
	for _, piece := range t.fragments(strings.ReplaceAll(b.String(), `":`, `": `)) {
		t.pause(30)
		t.send("TOOL_CALL_ARGS", append([]any{"toolCallId", id, "delta", piece}, more...)...)
	}
	t.send("TOOL_CALL_END", append([]any{"toolCallId", id}, more...)...)
}

// answer sends a tool's result: a string or parts.
func (t *talk) answer(callID string, content any, more ...any) {
	t.send("TOOL_CALL_RESULT", append([]any{"messageId", t.id("q"), "toolCallId", callID, "role", "tool", "content", content}, more...)...)
}

// patch is a list of RFC 6902 operations.
type patch []operation

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from,omitempty"`
	Value any    `json:"value,omitempty"`
}
