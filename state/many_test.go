package state

import (
	"runtime"
	"strconv"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// A message with many calls, and their results, takes memory in proportion to them.
func TestManyCallsOfOneMessage(t *testing.T) {
	apply := func(n int) uint64 {
		var before, after runtime.MemStats
		s := New(nil, "")
		var ch Changes
		parent := "p"
		runtime.ReadMemStats(&before)
		for i := range n {
			id := "c" + strconv.Itoa(i)
			s.Apply(&agui.ToolCallStart{ToolCallID: id, ToolCallName: `"n"`, ParentMessageID: &parent}, &ch, nil)
			s.Apply(&agui.ToolCallArgs{ToolCallID: id, Delta: `"{}"`}, &ch, nil)
			s.Apply(&agui.ToolCallEnd{ToolCallID: id}, &ch, nil)
			ch.Reset()
		}
		for i := range n {
			id := "c" + strconv.Itoa(i)
			s.Apply(&agui.ToolCallResult{MessageID: "r" + id, ToolCallID: id, Content: string(rawjson.Quote(id))}, &ch,
				nil)
			ch.Reset()
		}
		runtime.ReadMemStats(&after)
		if s.Len() != n+1 || s.Message(0).Calls() != n || s.Message(n).ToolCallID() != "c"+strconv.Itoa(n-1) {
			t.Fatalf("%d messages, %d calls, the last result is of %s", s.Len(), s.Message(0).Calls(), s.Message(n).
				ToolCallID())
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := apply(2000), apply(16000)
	if many > 16*few {
		t.Errorf("eight times as many calls take %d times the memory", many/few)
	}
}
