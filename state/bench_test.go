package state

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui"
)

// stateOf makes a state of about size bytes: an object of lists of records.
func stateOf(size int) string {
	var b strings.Builder
	b.WriteString(`{"progress":0,"lists":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":"list","items":[`)
		for j := range 8 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":%d,"title":"an item of a list","done":false,"tags":["a","b"]}`, j)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkTextAppend(b *testing.B) {
	s := storeOf(b, "", "")
	s.Apply(event(b, begin), nil, nil)
	s.Apply(event(b, `TEXT_MESSAGE_START "messageId":"m"`), nil, nil)
	ev := event(b, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"some words "`)
	var ch Changes
	b.ReportAllocs()
	for b.Loop() {
		ch.Reset()
		s.Apply(ev, &ch, nil)
	}
}

func BenchmarkOneFieldPatch(b *testing.B) {
	for _, size := range []int{1 << 10, 562 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := storeOf(b, "", stateOf(size))
			var evs []agui.Event
			for i := range 300 {
				evs =
					append(evs,
						event(b,
							fmt.Sprintf(
								`STATE_DELTA "delta":[{"op":"replace","path":"/lists/0/items/%d/title","value":"%d"}]`,
								i%8, i)))
			}
			var ch Changes
			s.Apply(evs[0], &ch, nil) // opens the levels
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				ch.Reset()
				s.Apply(evs[i%len(evs)], &ch, nil)
				i++
			}
		})
	}
}

// BenchmarkNewPlans: patches whose operations were never seen, so that each goes through evanphx.
func BenchmarkNewPlans(b *testing.B) {
	s := storeOf(b, "", stateOf(1<<10))
	ev :=
		event(b,
			`STATE_DELTA "delta":[{"op":"replace","path":"/lists/0/items/1/title","value":"x"},{"op":"replace","path":"/progress","value":3}]`)
	b.ReportAllocs()
	for b.Loop() {
		clear(s.plans.known)
		s.Apply(ev, nil, nil)
	}
}

func BenchmarkFirstPatch(b *testing.B) {
	text := stateOf(562 << 10)
	ev := event(b, `STATE_DELTA "delta":[{"op":"replace","path":"/lists/0/items/1/title","value":"x"}]`)
	for b.Loop() {
		storeOf(b, "", text).Apply(ev, nil, nil)
	}
}

func BenchmarkLargeArray(b *testing.B) {
	list := "[" + strings.Repeat(`{"id":1,"title":"an item"},`, 4999) + `{"id":1}]`
	var evs []agui.Event
	for i := range 200 {
		op := fmt.Sprintf(`{"op":"add","path":"/l/%d","value":{"id":%d}}`, 2000+i, i)
		switch i % 4 {
		case 1:
			op = fmt.Sprintf(`{"op":"remove","path":"/l/%d"}`, 1000+i)
		case 2:
			op = fmt.Sprintf(`{"op":"move","from":"/l/%d","path":"/l/%d"}`, 10+i, 3000+i)
		}
		evs = append(evs, event(b, `STATE_DELTA "delta":[`+op+`]`))
	}
	s := storeOf(b, "", `{"l":`+list+`}`)
	s.Apply(evs[0], nil, nil)
	start := s.Snapshot()
	var ch Changes
	b.ReportAllocs()
	for b.Loop() {
		s.Restore(start, nil)
		for _, ev := range evs {
			ch.Reset()
			s.Apply(ev, &ch, nil)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(evs)), "ns/patch")
}

func messagesOf(n int, last string) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`{"id":"m%d","role":"assistant","content":"%s"}`, i,
			strings.Repeat("some words ", 20)))
	}
	return "[" + strings.Join(parts, ",") + last + "]"
}

func BenchmarkMessagesSnapshot500(b *testing.B) {
	s := storeOf(b, messagesOf(500, ""), "")
	evs := []agui.Event{
		event(b, `MESSAGES_SNAPSHOT "messages":`+messagesOf(500, `,{"id":"z","role":"user","content":"x"}`)),
		event(b, `MESSAGES_SNAPSHOT "messages":`+messagesOf(500, ``)),
	}
	var ch Changes
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		ch.Reset()
		s.Apply(evs[i%2], &ch, nil)
		i++
	}
}

func BenchmarkTextAfterHistory(b *testing.B) {
	s := storeOf(b, messagesOf(500, ""), "")
	s.Apply(event(b, `TEXT_MESSAGE_START "messageId":"m"`), nil, nil)
	ev := event(b, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"some words "`)
	var ch Changes
	for b.Loop() {
		ch.Reset()
		s.Apply(ev, &ch, nil)
	}
}

// TestTextEventAllocates: recording a text event allocates nothing (but for the text's own blocks, now and then).
func TestTextEventAllocates(t *testing.T) {
	s := storeOf(t, "", "")
	apply(t, s, begin, `TEXT_MESSAGE_START "messageId":"m"`)
	ev := event(t, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"some words "`)
	var ch Changes
	for range 3000 { // past the small blocks
		ch.Reset()
		s.Apply(ev, &ch, nil)
	}
	if n := testing.AllocsPerRun(1000, func() {
		ch.Reset()
		s.Apply(ev, &ch, nil)
	}); n > 0 {
		t.Errorf("%v allocations for a text event", n)
	}
}
