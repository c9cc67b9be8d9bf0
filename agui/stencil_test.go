package agui

import (
	"reflect"
	"strings"
	"testing"
)

// shapes are events with a place for the delta's value.
var shapes = []string{
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":%}`,
	`{"delta":%,"messageId":"m","type":"TEXT_MESSAGE_CONTENT"}`,
	` { "type" : "TEXT_MESSAGE_CONTENT" , "messageId" : "m" , "delta" : % , "timestamp" : 12 } `,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%,"timestamp":12}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%,"timestamp":13}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%]`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%,"timestamp":"odd"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"first","delta":%}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%,"delta":"last"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","d\u0065lta":%}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":%,"subagentRunId":"s","metadata":{"a":"\"delta\":\"x\""},"rawEvent":[1]}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":%}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":%}`,
	`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":%}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"user","delta":%}`,
	`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n","delta":%,"more":1}`,
	`{"type":"REASONING_MESSAGE_CHUNK","messageId":"m","delta":%}`,
	`{"type":"STATE_DELTA","delta":%}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m","delta":%}`,
	`{"type":"FUTURE","delta":%}`,
	`{"messageId":"m","delta":%}`,
}

var deltas = []string{
	`"a"`, `"b\nc"`, `""`, `"\ud83d"`, `"\ude00"`, `"\""`, `"\\"`, `"x","messageId":"other"`, `"x"}{"a":"y"`, `"`, `"a`,
	`a"`, "\"\n\"", `"\x"`, `"\u12"`, ``,
	`null`, `1`, `{}`, `[]`, `["a"]`, `"a" `, ` "a"`, `[{"op":"add","path":"/a","value":"b"}]`,
}

type decoded struct {
	ev       Event
	err      *Error
	typ      Type
	name     Type
	warnings []Warning
}

func decodeBy(d *decoder, data string) (o decoded) {
	d.warn = func(w Warning) { o.warnings = append(o.warnings, w) }
	o.ev, o.err = d.decode(data)
	o.typ, o.name = d.typ, d.name()
	return o
}

// lastIsFresh decodes events one after the other and asks whether the last is what a decoder gives that saw no other.
func lastIsFresh(t *testing.T, strict, twins bool, events ...string) {
	t.Helper()
	first, second := events[0], events[len(events)-1]
	fresh := newDecoder(strict, nil)
	fresh.twins = twins
	want := decodeBy(fresh, second)
	for _, reuse := range []bool{false, true} {
		d := newDecoder(strict, nil)
		d.twins, d.last.on = twins, reuse
		before := decodeBy(d, first)
		var kept any
		if before.ev != nil {
			kept = reflect.ValueOf(before.ev).Elem().Interface()
		}
		for _, e := range events[1 : len(events)-1] {
			decodeBy(d, e)
		}
		if got := decodeBy(d, second); !reflect.DeepEqual(got, want) {
			t.Errorf("reuse %v, strict %v\n%s\n got %+v\nwant %+v", reuse, strict, strings.Join(events, "\nthen "), got,
				want)
		}
		if before.ev != nil && !reuse && !reflect.DeepEqual(reflect.ValueOf(before.ev).Elem().Interface(), kept) {
			t.Errorf("%s\nthen %s changed the first event", first, second)
		}
	}
}

func TestAnEventIsReadAlikeAfterAnyOther(t *testing.T) {
	for _, first := range shapes {
		for _, second := range shapes {
			for i, delta := range deltas {
				for _, other := range []string{deltas[0], deltas[(i+1)%len(deltas)]} {
					a, b := strings.Replace(first, "%", other, 1), strings.Replace(second, "%", delta, 1)
					lastIsFresh(t, i%2 == 0, true, a, b)
					lastIsFresh(t, i%2 == 1, false, a, b)
				}
			}
			a, b := strings.Replace(first, "%", deltas[0], 1), strings.Replace(second, "%", deltas[0], 1)
			lastIsFresh(t, false, true, a, b, a)
		}
	}
}

// An event that fits is not taken apart again: what most of a stream is must stay cheap.
func TestAStreamIsDecodedByItsStencil(t *testing.T) {
	for _, shape := range shapes[:18] {
		d := newDecoder(false, nil)
		d.last.on = true
		decodeBy(d, strings.Replace(shape, "%", `"a"`, 1))
		fits := d.last.fit(strings.Replace(shape, "%", `"b\n"`, 1)) != nil
		never := strings.Contains(shape, "odd") || strings.Contains(shape, "THINKING") ||
			strings.Contains(shape, `"last"`) || strings.HasSuffix(shape, "]")
		if fits == never {
			t.Errorf("%s: fits %v", shape, fits)
		}
	}
}

// The text of a large event does not stay for as long as small ones of its shape follow.
func TestALargeEventIsNotKept(t *testing.T) {
	for _, c := range []struct {
		size int
		kept bool
	}{{100, true}, {stencilLimit, false}} {
		d := newDecoder(false, nil)
		d.last.on = true
		decodeBy(d, strings.Replace(shapes[0], "%", `"`+strings.Repeat("x", c.size)+`"`, 1))
		if kept := d.last.ev != nil; kept != c.kept {
			t.Errorf("a delta of %d bytes: kept %v", c.size, kept)
		}
	}
}

func FuzzAnEventIsReadAlikeAfterAnyOther(f *testing.F) {
	for _, shape := range shapes {
		for i, delta := range deltas {
			f.Add(strings.Replace(shape, "%", deltas[0], 1), strings.Replace(shape, "%", delta, 1), i%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, first, second string, strict bool) {
		lastIsFresh(t, strict, true, first, second)
	})
}
